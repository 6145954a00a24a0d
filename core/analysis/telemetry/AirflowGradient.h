#pragma once
// Front to rear: how much hotter the GPUs in the exhaust are than those that get fresh air.

#include <map>
#include <optional>
#include <vector>

namespace trainscope::analysis {

// Local indices of a node's GPUs from front (fresh air) to rear. Which index sits where differs
// between machines; unless a cluster description says so, ascending local indices are assumed.
using AirflowOrder = std::vector<int>;

struct AirflowGradient {
    double celsius = 0.0; // mean over nodes of mean(rear half) − mean(front half)
    double frontC = 0.0;
    double rearC = 0.0;
    int nodes = 0; // that have GPUs in both halves
};

// means[node][local] = mean temperature. In an odd order the middle GPU belongs to neither half.
// An empty order means ascending local indices. Absent where no node has both halves.
std::optional<AirflowGradient> airflowGradient(
    const std::map<int, std::map<int, double>>& means, const AirflowOrder& order = {});

} // namespace trainscope::analysis
