#pragma once
// The replay of a step as bytes, for the database that keeps it beside its run: graph, facts and
// waits in columns of whole numbers, behind their checksum and the basis that they were made on.
// Derived: bytes that are not as they were written, or of another basis, are as good as none.

#include "core/analysis/replay/StepChange.h"
#include "core/analysis/replay/StepGraph.h"
#include "core/analysis/replay/StepReplay.h"
#include "core/store/codec/Bytes.h"

namespace trainscope::analysis {

// Raise it when graphs, facts or waits are made differently: those of another version are made
// again.
inline constexpr int kReplayVersion = 1;

struct ReplayParts {
    StepGraph graph;
    ChangeFacts facts; // without the GPU
    std::vector<StepWait> waits;
};

// `times`: of the graph with its measured costs.
store::Bytes encodeReplay(std::string_view basis, const StepGraph& graph, const StepTimes& times,
    const ChangeFacts& facts, const std::vector<StepWait>& waits);
std::optional<ReplayParts> decodeReplay(std::string_view basis, store::ByteView bytes);

} // namespace trainscope::analysis
