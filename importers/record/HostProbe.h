#pragma once
// HostProbe: what the Linux kernel says of a node in /sys and /proc: the InfiniBand and network
// counters of each card, power of the processors (RAPL), their temperature and utilisation.
//
// Counters of InfiniBand count words of 4 bytes (Documentation/ABI/stable/sysfs-class-infiniband).
// RAPL counts microjoules up to max_energy_range_uj and is for root alone on most kernels
// (Documentation/power/powercap); power is the mean between two readings.

#include "importers/record/Probe.h"

#include <memory>
#include <string>
#include <vector>

namespace trainscope::record {

struct HostProbe {
    std::unique_ptr<Probe> probe;
    std::vector<std::string> notes; // files that are there but cannot be read, and the reason
};

// `root`: the folder that has sys and proc.
HostProbe openHostProbe(const std::string& root = "/");

} // namespace trainscope::record
