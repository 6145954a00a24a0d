#pragma once
// The step graph of a run as traced: of an iteration and the ones before and after it, or of all
// that count where the traces are short; of all traced ranks on one clock. RankEdges.h
// tells its edges; parts of collectives are matched as in Collectives.h. An iteration begins and
// ends for a rank with the next call of the thread that marked it, where it has one; iterations
// that are told by the device's work, with that.
//
// A trace of operations gives all of its steps (OperationGraph.h).
// Refused where an iteration has more than kMostOperations. Reads on the pool of workers; blocking;
// cancelled by progress.

#include "core/analysis/RunStudy.h"
#include "core/analysis/replay/StepGraph.h"
#include "core/model/Result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace trainscope::analysis {

struct StepChoice {
    std::optional<std::string> capture; // by name
    // By its index; absent: the one nearest the median of those that count, or all of them where
    // the traces have at most kFewSpans.
    std::optional<std::int64_t> iteration;
};

inline constexpr std::size_t kMostOperations = 8'000'000;
inline constexpr std::int64_t kFewSpans = 500'000;

// NotFound: no traces, no such capture or iteration.
Result<std::shared_ptr<const StepGraph>> stepGraphOf(
    const RunStudy& study, const StepChoice& choice = {});

} // namespace trainscope::analysis
