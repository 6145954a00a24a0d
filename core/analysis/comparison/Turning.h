#pragma once
// Simple models of when two runs would be even. Estimates: they leave out all but what they name.
//
// Bandwidth: of a step's time T = C + E, only E, the exposed communication between nodes, changes
// when both runs get networks x times as fast: T(x) = C + E/x. With w the cost of a second of a run
// per token (its GPUs, or its mean power), they are even where w_a T_a(x) = w_b T_b(x):
//   x = (w_b E_b − w_a E_a) / (w_a C_a − w_b C_b).
// Batch: a pipeline of p stages and m micro-batches is busy m/(m+p−1) of the time, and m grows with
// the global batch. With r the figure of each (tokens per second and GPU, per joule) they are even
// at k times the batch, where r_a (m_a+p_a−1)/(k m_a+p_a−1) = r_b (m_b+p_b−1)/(k m_b+p_b−1).

#include <optional>

namespace trainscope::analysis {

struct BandwidthSide {
    double weight = 0.0; // GPUs or W, per token of a step
    double stepS = 0.0;
    double exposedBetweenNodesS = 0.0; // of the step
};
// x; absent where no bandwidth makes them even.
std::optional<double> evenBandwidth(const BandwidthSide& a, const BandwidthSide& b);

struct BatchSide {
    double figure = 0.0; // more is better
    double microbatches = 0.0; // per pipeline and step
    double stages = 1.0;
};
// k; absent where no batch makes them even.
std::optional<double> evenBatch(const BatchSide& a, const BatchSide& b);

} // namespace trainscope::analysis
