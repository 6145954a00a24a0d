#pragma once
// What a user says of a run's machine that its sources do not tell, and its form in the database:
// {"topology":{"format","devices":[…],"paths":[…]},"nodes_per_rack","network_b_per_s","nvlink_domain"}.

#include "core/layout/Topology.h"
#include "core/model/Result.h"

#include <optional>
#include <string>
#include <string_view>

namespace trainscope::layout {

struct MachineFacts {
    std::optional<Topology> topology; // of every node
    std::string topologyFrom; // "NCCL topology, ndv5.xml"
    std::optional<int> nodesPerRack;
    std::optional<double> networkBandwidth; // of a GPU out of its node, per direction, B/s

    std::optional<int> linkDomain; // GPUs of one scale-up domain

    [[nodiscard]] bool isEmpty() const {
        return !topology && !nodesPerRack && !networkBandwidth && !linkDomain;
    }
};

std::string machineToJson(const MachineFacts& facts);
// Unreadable says which part cannot be understood.
Result<MachineFacts> machineFromJson(std::string_view json);

} // namespace trainscope::layout
