#include "core/analysis/findings/Rules.h"

#include <fmt/format.h>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kFewestNodes = 3; // fewer have no middle to be apart from

// A node and a figure of it.
struct NodeValue {
    int node = 0;
    double value = 0.0;
};

// The one farthest from `middle`.
const NodeValue& farthest(const std::vector<NodeValue>& nodes, double middle) {
    return *std::ranges::max_element(nodes, [middle](const NodeValue& a, const NodeValue& b) {
        return std::abs(a.value - middle) < std::abs(b.value - middle);
    });
}

double middleOf(const std::vector<NodeValue>& nodes) {
    std::vector<double> values;
    for (const NodeValue& node : nodes)
        values.push_back(node.value);
    return medianOf(std::move(values));
}

// Shares of the nodes' energy that are not their GPUs'.
std::vector<NodeValue> restsOf(const RunSummary& run) {
    std::vector<NodeValue> rests;
    for (const NodeSummary& node : run.nodes) {
        if (node.restJoules && node.energy->joules > 0.0)
            rests.push_back({node.node, *node.restJoules / node.energy->joules});
    }
    return rests;
}

// Adds a finding on nodes with one defect: the sentence tells the worst, `node`.
void addRest(const RunFacts& facts, const std::vector<NodeValue>& nodes, const NodeValue& node,
    double middle, std::string sentence, Findings& found) {
    std::set<int> numbers;
    for (const NodeValue& one : nodes)
        numbers.insert(one.node);
    if (nodes.size() > 1)
        sentence += fmt::format(" So it is on {}: {}.", text::counted(std::ssize(nodes), "node"),
            text::numberList(numbers));
    found.push_back({"rest_of_node", sentence,
        {{"node", node.node}, {"rest_fraction", node.value}, {"median_fraction", middle},
            {"nodes", nodes.size()}},
        {-1, facts.run.range, metric::kNodePower},
        fmt::format("{} to {}, and {} from the median", text::roundedPercent(kLeastRest),
            text::roundedPercent(kMostRest), text::roundedPercent(kRestApart)),
        "energy of the node", Severity::Attention, 0.0});
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
        fmt::format("Node {} takes {} on average, {} {} than the median of {} ({}).", node.node,
            text::rounded(node.value, "W"), text::roundedPercent(std::abs(apart)),
            apart > 0.0 ? "more" : "less", text::counted(std::ssize(nodes), "node"),
            text::rounded(middle, "W")),
        {{"node", node.node}, {"power_w", node.value}, {"median_w", middle}},
        {-1, facts.run.range, metric::kNodePower},
        text::roundedPercent(kNodeApart) + " from the median of the nodes",
        text::counted(std::ssize(nodes), "node") + " with node_power", Severity::Attention, 0.0});
}

void findRestOfNode(const RunFacts& facts, Findings& found) {
    const std::vector<NodeValue> rests = restsOf(facts.whole);
    if (rests.empty())
        return;
    const double middle = middleOf(rests);
    const auto isApart = [&](const NodeValue& node) {
        return rests.size() >= kFewestNodes && std::abs(node.value - middle) >= kRestApart;
    };
    std::vector<NodeValue> tooLittle;
    std::vector<NodeValue> odd;
    for (const NodeValue& node : rests) {
        if (node.value < kLeastRest)
            tooLittle.push_back(node);
        else if (node.value > kMostRest || isApart(node))
            odd.push_back(node);
    }
    if (!tooLittle.empty()) {
        const NodeValue& node = farthest(tooLittle, kMostRest);
        addRest(facts, tooLittle, node, middle,
            fmt::format("The GPUs of node {} take nearly all of its energy: {} are left for its "
                        "processors, fans and losses. Sensors, units or clocks do not agree.",
                node.node, text::roundedPercent(node.value)),
            found);
    }
    if (!odd.empty()) {
        // One that is apart before those that are all alike.
        const bool isAnyApart = std::ranges::any_of(odd, isApart);
        const NodeValue& node = farthest(odd, isAnyApart ? middle : kLeastRest);
        addRest(facts, odd, node, middle,
            fmt::format("{} of the energy of node {} are not its GPUs': processors, memory, fans "
                        "and losses{}.",
                text::roundedPercent(node.value), node.node,
                isApart(node) ? ", against " + text::roundedPercent(middle) + " of the median node"
                              : std::string()),
            found);
    }
}

} // namespace trainscope::analysis
