#include "core/analysis/findings/Rules.h"
#include "core/text/NumberMarks.h"

#include <iterator>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kLeastGpus = 4; // fewer have no typical one among them
constexpr std::size_t kLeastPeers = 3;

struct Mean {
    int rank = 0;
    int node = 0;
    int local = 0;
    double value = 0.0;
    double reference = 0.0; // the value of its peers
};

std::vector<Mean> meansOf(const RunSummary& summary, const std::string& metric) {
    std::vector<Mean> means;
    for (const GpuSummary& gpu : summary.gpus) {
        if (const auto mean = statisticOf(gpu.metrics, metric, &SubjectStatistics::mean))
            means.push_back({gpu.gpu.rank, gpu.gpu.node, gpu.gpu.local, *mean, 0.0});
    }
    return means;
}

// Peers: all GPUs; for heat those of the same place in their nodes, where there are enough nodes,
// since places differ in the air they get.
bool setReferences(std::vector<Mean>& means, bool byPlace) {
    std::map<int, std::vector<double>> places;
    std::vector<double> all;
    for (const Mean& mean : means) {
        places[byPlace ? mean.local : 0].push_back(mean.value);
        all.push_back(mean.value);
    }
    const bool isEnough = std::ranges::all_of(places, [&means](const auto& place) {
        return place.second.size() >= kLeastPeers || place.second.size() == means.size();
    });
    for (Mean& mean : means)
        mean.reference = medianOf(isEnough ? places[byPlace ? mean.local : 0] : all);
    return byPlace && isEnough;
}

// Measure by which a GPU stands out from its peers.
struct Outlier {
    const char* rule;
    const char* metric;
    const char* unit;
    double limit; // factor of the median, or °C above it
    bool isFactor;
};
constexpr std::array kOutliers{Outlier{"slow_gpu", metric::kSmClock, "Hz", kGpuSlow, true},
    Outlier{"low_power_gpu", metric::kGpuPower, "W", kGpuPower, true},
    Outlier{"hot_gpu", metric::kGpuTemperature, "°C", kGpuHotC, false}};

bool isOutlier(const Outlier& kind, const Mean& mean) {
    return kind.isFactor ? mean.value < kind.limit * mean.reference
                         : mean.value - mean.reference > kind.limit;
}

// All GPUs of these nodes are among them, and no other GPU is.
std::set<int> wholeNodes(const std::vector<Mean>& all, const std::vector<Mean>& out) {
    std::map<int, int> left;
    for (const Mean& mean : all)
        ++left[mean.node];
    std::set<int> nodes;
    for (const Mean& mean : out) {
        if (--left[mean.node] == 0)
            nodes.insert(mean.node);
    }
    const auto isWhole = [&](const Mean& mean) { return nodes.contains(mean.node); };
    return left.size() > nodes.size() && std::ranges::all_of(out, isWhole) ? nodes
                                                                           : std::set<int>();
}

std::string whoText(const std::vector<Mean>& all, const std::vector<Mean>& out) {
    const auto nodes = wholeNodes(all, out);
    if (!nodes.empty())
        return (nodes.size() == 1 ? "All GPUs of node " : "All GPUs of nodes ")
            + text::numberList(nodes);
    std::set<int> ranks;
    for (const Mean& mean : out)
        ranks.insert(mean.rank);
    return (ranks.size() == 1 ? "The GPU of rank " : "The GPUs of ranks ")
        + text::numberList(ranks);
}

std::string comparison(const Outlier& kind, const Mean& worst, bool byPlace) {
    if (!kind.isFactor)
        return fmt::format("{} hotter than the median of {} ({} against {})",
            text::rounded(worst.value - worst.reference, "°C"),
            byPlace ? "the GPUs in that place of their nodes" : "all",
            text::rounded(worst.value, "°C"), text::rounded(worst.reference, "°C"));
    const char* what = kind.unit == std::string_view("Hz") ? "clock" : "power";
    return fmt::format("at {} of the {} that the median GPU has ({} against {}), {:.2g} times less",
        text::roundedPercent(worst.value / worst.reference), what,
        text::rounded(worst.value, kind.unit), text::rounded(worst.reference, kind.unit),
        text::worded(worst.reference / worst.value));
}

void findOutliers(const Outlier& kind, const RunFacts& facts, Findings& found) {
    auto all = meansOf(facts.steady, kind.metric);
    if (all.size() < kLeastGpus)
        return;
    const bool byPlace = setReferences(all, !kind.isFactor);
    std::vector<Mean> out;
    std::ranges::copy_if(all, std::back_inserter(out),
        [&kind](const Mean& mean) { return mean.reference > 0.0 && isOutlier(kind, mean); });
    if (out.empty())
        return;
    const Mean worst = *std::ranges::max_element(out, [](const Mean& a, const Mean& b) {
        return std::abs(a.value - a.reference) < std::abs(b.value - b.reference);
    });
    // The others wait for the slowest clock.
    const double cost
        = kind.rule == std::string_view("slow_gpu") ? 1.0 - worst.value / worst.reference : 0.0;
    const std::string limit = kind.isFactor
        ? "below " + text::roundedPercent(kind.limit) + " of the median"
        : text::rounded(kind.limit, "°C") + " above the median";
    found.push_back({kind.rule,
        whoText(all, out) + (out.size() == 1 ? " is " : " are ") + comparison(kind, worst, byPlace)
            + ".",
        {{"gpus", out.size()}, {"worst", worst.value}, {"median", worst.reference}},
        {worst.rank, facts.steadyState.window, kind.metric},
        fmt::format("{}, from {} on", limit, text::counted(kLeastGpus, "GPU")),
        fmt::format("mean {} of each of {} over {}", kind.metric,
            text::counted(std::ssize(all), "GPU"), facts.steadyState.wording),
        severityOfCost(cost), cost});
}

} // namespace

void findOutlierGpus(const RunFacts& facts, Findings& found) {
    for (const Outlier& kind : kOutliers)
        findOutliers(kind, facts, found);
}

void findNodeSpread(const RunFacts& facts, Findings& found) {
    const auto power = facts.steady.metrics.find(metric::kGpuPower);
    if (power == facts.steady.metrics.end() || !power->second.interNodeStd
        || !power->second.all.mean || *power->second.all.mean <= 0.0)
        return;
    const double mean = *power->second.all.mean;
    const double share = *power->second.interNodeStd / mean;
    if (share < kNodeSpread)
        return;
    const NodeSummary* highest = nullptr;
    const NodeSummary* lowest = nullptr;
    const auto of
        = [](const NodeSummary& node) { return *node.metrics.at(metric::kGpuPower).mean; };
    for (const NodeSummary& node : facts.steady.nodes) {
        const auto found2 = node.metrics.find(metric::kGpuPower);
        if (found2 == node.metrics.end() || !found2->second.mean)
            continue;
        highest = highest == nullptr || of(node) > of(*highest) ? &node : highest;
        lowest = lowest == nullptr || of(node) < of(*lowest) ? &node : lowest;
    }
    if (highest == nullptr)
        return;
    int rank = -1;
    for (const GpuSummary& gpu : facts.steady.gpus)
        rank = rank < 0 && gpu.gpu.node == lowest->node ? gpu.gpu.rank : rank;
    found.push_back({"node_imbalance",
        fmt::format("Nodes draw different power: {} a GPU on node {}, {} on node {}; the standard "
                    "deviation of the nodes is {} of the mean.",
            text::rounded(of(*highest), "W"), highest->node, text::rounded(of(*lowest), "W"),
            lowest->node, text::roundedPercent(share)),
        {{"highest_w", of(*highest)}, {"lowest_w", of(*lowest)}, {"mean_w", mean},
            {"inter_node_std_w", *power->second.interNodeStd}, {"fraction", share}},
        {rank, facts.steadyState.window, metric::kGpuPower},
        text::roundedPercent(kNodeSpread) + " of the mean",
        fmt::format("mean power of a GPU, {} over {}",
            text::counted(std::ssize(facts.steady.nodes), "node"), facts.steadyState.wording),
        Severity::Attention, 0.0});
}

void findPcieConcentration(const RunFacts& facts, Findings& found) {
    std::vector<std::pair<double, int>> totals;
    double all = 0.0;
    for (const GpuSummary& gpu : facts.whole.gpus) {
        double bytes = 0.0;
        bool isKnown = false;
        for (const char* metric : {"pcie_rx", "pcie_tx"}) {
            const auto one = statisticOf(gpu.metrics, metric, &SubjectStatistics::total);
            bytes += one.value_or(0.0);
            isKnown = isKnown || one;
        }
        if (isKnown)
            totals.emplace_back(bytes, gpu.gpu.rank);
        all += bytes;
    }
    if (totals.size() < 4 || all < kPcieBytes)
        return;
    std::sort(totals.rbegin(), totals.rend());
    double carried = 0.0;
    std::set<int> ranks; // the fewest that carry that share
    for (std::size_t i = 0; carried / all < kPcieShare; ++i) {
        carried += totals[i].first;
        ranks.insert(totals[i].second);
    }
    if (ranks.size() * 4 > totals.size())
        return;
    found.push_back({"pcie_concentration",
        fmt::format("{} {} {} of the PCIe traffic of {}: rank{} {}.",
            partOfGpus(std::ssize(ranks), std::ssize(totals)),
            ranks.size() == 1 ? "carries" : "carry", text::roundedPercent(carried / all),
            text::rounded(all, "B"), ranks.size() == 1 ? "" : "s", text::numberList(ranks)),
        {{"gpus", totals.size()}, {"carriers", ranks.size()}, {"share", carried / all},
            {"bytes", all}},
        {totals.front().second, facts.run.range, metric::kPcieTx},
        fmt::format("{} carried by a quarter of the GPUs, of {} or more",
            text::roundedPercent(kPcieShare), text::rounded(kPcieBytes, "B")),
        "bytes received and sent by all GPUs over " + facts.scope(), Severity::Note, 0.0});
}

void findHistory(const RunFacts& facts, Findings& found) {
    for (const HistoryValue value : allValues<HistoryValue>()) {
        const auto told = facts.past ? statementOf(value, *facts.past) : std::nullopt;
        if (!told)
            continue;
        const HistoryChange& change = *told->worst->changes[value];
        const std::string name(toString(value));
        found.push_back({"gpu_history", told->text,
            {{name, *told->worst->values[value]}, {"before_" + name, change.before},
                {"earlier_runs", change.earlier}, {"gpus", told->gpus}},
            {told->worst->gpu.rank, facts.run.range, infoOf(value).metric},
            changeText(value, infoOf(value).least) + ", and more than chance makes of those before",
            "earlier runs of the same work", Severity::Attention, 0.0});
    }
}

} // namespace trainscope::analysis
