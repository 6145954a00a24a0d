#pragma once
// How unevenly the GPUs of a run are loaded, design section 5. Standard deviations are those of the
// population (divided by n): the GPUs of a run are all there are, not a sample of them.

#include <map>
#include <optional>
#include <span>
#include <vector>

namespace trainscope::analysis {

// Absent for no values, 0 for one.
std::optional<double> meanOf(std::span<const double> values);
std::optional<double> populationStd(std::span<const double> values);

struct Imbalance {
    std::optional<double> intraNode; // mean over nodes of the std. dev. of its GPUs' means
    std::optional<double> interNode; // std. dev. of the node means
};
// `means`: by node, the means of its GPUs. Nodes without GPUs are left out.
Imbalance imbalance(const std::map<int, std::vector<double>>& means);

} // namespace trainscope::analysis
