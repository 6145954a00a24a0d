#include "core/analysis/findings/Rules.h"
#include "core/model/Metric.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kFewestNodes = 3; // that have a middle to be apart from

double middleOf(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// A node and a figure of it.
struct NodeValue {
    int node = 0;
    double value = 0.0;
};

// The one farthest from `middle`.
const NodeValue& farthest(const std::vector<NodeValue>& nodes, double middle) {
    return *std::max_element(
        nodes.begin(), nodes.end(), [middle](const NodeValue& a, const NodeValue& b) {
            return std::abs(a.value - middle) < std::abs(b.value - middle);
        });
}

double middleOf(const std::vector<NodeValue>& nodes) {
    std::vector<double> values;
    for (const NodeValue& node : nodes)
        values.push_back(node.value);
    return middleOf(std::move(values));
}

} // namespace

void findNodePower(const RunFacts& facts, Findings& found) {
    std::vector<NodeValue> nodes;
    for (const NodeSummary& node : facts.whole.nodes) {
        if (const auto mean
            = statisticOf(node.metrics, metric::kNodePower, &SubjectStatistics::mean))
            nodes.push_back({node.node, *mean});
    }
    if (nodes.size() < kFewestNodes)
        return;
    const double middle = middleOf(nodes);
    const NodeValue& node = farthest(nodes, middle);
    const double apart = node.value / middle - 1.0;
    if (!(std::abs(apart) >= kNodeApart))
        return;
    found.push_back({"node_power",
        fmt::format("Node {} takes {} on average, {} {} than the median of {} nodes ({}).",
            node.node, text::rounded(node.value, "W"), text::roundedPercent(std::abs(apart)),
            apart > 0.0 ? "more" : "less", nodes.size(), text::rounded(middle, "W")),
        {{"node", node.node}, {"power_w", node.value}, {"median_w", middle}},
        {-1, facts.run.range, metric::kNodePower},
        text::roundedPercent(kNodeApart) + " from the median of the nodes",
        fmt::format("{} nodes with node_power", nodes.size()), Severity::Attention, 0.0});
}

void findRestOfNode(const RunFacts& facts, Findings& found) {
    std::vector<NodeValue> rests;
    for (const NodeSummary& node : facts.whole.nodes) {
        if (node.restJoules && node.energy->joules > 0.0)
            rests.push_back({node.node, *node.restJoules / node.energy->joules});
    }
    if (rests.empty())
        return;
    const double middle = middleOf(rests);
    const NodeValue& node = farthest(rests, rests.size() < kFewestNodes ? 0.35 : middle);
    const bool isApart
        = rests.size() >= kFewestNodes && std::abs(node.value - middle) >= kRestApart;
    const bool isTooLittle = node.value < kLeastRest;
    if (!isTooLittle && node.value <= kMostRest && !isApart)
        return;
    const std::string share = text::roundedPercent(node.value);
    const std::string sentence = isTooLittle
        ? fmt::format("The GPUs of node {} take nearly all of its energy: {} are left for its "
                      "processors, fans and losses. Sensors, units or clocks do not agree.",
            node.node, share)
        : fmt::format("{} of the energy of node {} are not its GPUs': processors, memory, fans and "
                      "losses{}.",
            share, node.node,
            isApart ? ", against " + text::roundedPercent(middle) + " of the median node"
                    : std::string());
    found.push_back({"rest_of_node", sentence,
        {{"node", node.node}, {"rest_fraction", node.value}, {"median_fraction", middle}},
        {-1, facts.run.range, metric::kNodePower},
        fmt::format("{} to {}, and {} from the median", text::roundedPercent(kLeastRest),
            text::roundedPercent(kMostRest), text::roundedPercent(kRestApart)),
        "energy of the node", Severity::Attention, 0.0});
}

} // namespace trainscope::analysis
