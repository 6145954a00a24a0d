#pragma once
// Place of a communicator: the dimension of the parallel layout that it lies along, and its links.
// One thread.

#include "core/analysis/traces/Collectives.h"
#include "core/layout/Layout.h"

namespace trainscope::analysis {

using layout::LinkClass;
std::string_view linkKey(LinkClass link); // "scale_up", "scale_out", "unknown"

// Along which dimension, "" where that is not known, and over which links.
struct CommunicatorPlace {
    std::string dimension;
    LinkClass link = LinkClass::Unknown;
};

class CommunicatorPlaces {
public:
    // A node of a rank that is not listed follows from the GPUs per node, where the launch says
    // how many there are or every listed GPU fits one number.
    CommunicatorPlaces(const Run& run, const std::vector<Gpu>& gpus);

    // "tp", "cp", "dp_cp", … by what the trace calls the group, else by the launch's layout;
    // "world" for all ranks; else its description or name as it is, "" without either.
    [[nodiscard]] std::string dimensionOf(
        const layout::ProcessGroup& group, std::vector<int> ranks) const;
    [[nodiscard]] LinkClass linkOf(const std::vector<int>& ranks) const;

    // The place of a collective: of its communicator, else (and for messages) of its own ranks.
    const CommunicatorPlace& placeOf(const Collective& one);

private:
    [[nodiscard]] std::string byLayout(const std::vector<int>& ranks) const;
    [[nodiscard]] std::optional<int> nodeOf(int rank) const;

    std::map<int, int> m_nodes; // by rank
    int m_gpusPerNode = 0; // 0: not known
    int m_worldSize = 0;
    std::optional<layout::RankGrid> m_grid;
    std::map<std::vector<int>, std::string> m_groups; // groups of the layout
    // Places of collectives: the same for all of a communicator but messages.
    std::map<std::pair<std::uint32_t, std::vector<int>>, CommunicatorPlace> m_placeOf;
};

} // namespace trainscope::analysis
