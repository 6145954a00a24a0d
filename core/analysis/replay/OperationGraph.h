#pragma once
// The step graph of a trace of operations (core/model/OperationTrace.h), by the dependency model of
// StragglerAnalysis (arXiv 2505.05713, section 3; analyzer/dependency_model.py of its artifact):
// computes of a rank in order; a send behind its compute, a compute behind its receive, a receive
// behind the compute before; parameters gathered before the first compute of their chunk; behind
// the last one gradients of norms and embeddings, gradients scattered, clipped, and the optimizer.
// Parts of a message or collective are matched by their number. Steps stand each for themselves.

#include "core/analysis/RunStudy.h"
#include "core/analysis/replay/StepGraph.h"
#include "core/model/Result.h"

#include <vector>

namespace trainscope::analysis {

// True of the tracks of a trace of operations.
bool isOfOperations(const std::vector<Track>& tracks);

// Traces may have transfers alone, from the last part's arrival on. The parts' own arrivals are
// then as far behind what they waited for as the last one's was, and a note says so. Tracks have
// the data rank, by which slowdowns are told.
Result<StepGraph> operationGraph(const RunStudy& study);

} // namespace trainscope::analysis
