#pragma once
// Front to rear: how much hotter the GPUs in the exhaust are than those that get fresh air.

#include "core/model/Result.h"
#include "core/model/Run.h"

#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace trainscope::analysis {

// Local indices of a node's GPUs from front (fresh air) to rear. Which index sits where differs
// between machines; unless a cluster description says so, ascending local indices are assumed.
using AirflowOrder = std::vector<int>;

struct NodeGradient {
    int node = 0;
    double frontC = 0.0; // mean of the front half
    double rearC = 0.0;
};

struct AirflowGradient {
    double celsius = 0.0; // mean over nodes of mean(rear half) − mean(front half)
    double frontC = 0.0;
    double rearC = 0.0;
    double hotterBy = 0.0; // rear / front − 1, in °C over °C as operators quote it
    std::vector<NodeGradient> nodes; // that have GPUs in both halves
};

// "4,5,6,7,0,1,2,3". Usage names what is wrong.
Result<AirflowOrder> parseAirflow(std::string_view text);
// An order must name each local index that the run's GPUs have once. Usage names what is wrong.
Status checkAirflow(const AirflowOrder& order, const std::vector<Gpu>& gpus);

// means[node][local] = mean temperature. In an odd order the middle GPU belongs to neither half.
// An empty order means ascending local indices. Absent where no node has both halves.
std::optional<AirflowGradient> airflowGradient(
    const std::map<int, std::map<int, double>>& means, const AirflowOrder& order = {});

} // namespace trainscope::analysis
