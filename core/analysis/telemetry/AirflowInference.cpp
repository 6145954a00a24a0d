// Infers the cool and the hot positions of a node from temperature over power.
#include "core/analysis/telemetry/Airflow.h"

#include "core/analysis/statistics/Means.h"
#include "core/model/Gather.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

namespace trainscope::analysis {

namespace {

constexpr double kBusyPower = 0.5; // share of a node's highest power
constexpr double kLeastAirGapC = 2.0;
constexpr double kAgreeingNodes = 0.75;
constexpr double kUnequalPower = 0.25; // against the mean of the node
constexpr double kFreshAirC = 25.0;
constexpr double kTellingSwing = 0.1; // share of the mean power, for a slope over time
constexpr double kSteepestCPerW = 0.2;
constexpr std::size_t kLeastBusySteps = 4;
constexpr double kAgreeingRuns = 0.75;
constexpr std::size_t kLeastOtherRuns = 2; // runs that tell for one that does not

using AirOffsets = std::map<int, double>; // by local index, °C against the node's mean

struct AirSplit {
    std::vector<int> cool; // ascending
    std::vector<int> hot;
    double gapC = 0.0; // between the groups
    double spreadC = 0.0; // within the wider group
    double meanGapC = 0.0; // between the groups' means

    [[nodiscard]] bool isClear() const { return gapC >= kLeastAirGapC && gapC >= spreadC; }
    [[nodiscard]] bool isSingle() const { return std::min(cool.size(), hot.size()) == 1; }
};

double meanOffset(
    const std::vector<std::pair<double, int>>& sorted, std::size_t from, std::size_t to) {
    double sum = 0.0;
    for (std::size_t i = from; i < to; ++i)
        sum += sorted[i].first;
    return sum / static_cast<double>(to - from);
}

// At the widest gap.
std::optional<AirSplit> splitOf(const AirOffsets& offsets) {
    if (offsets.size() < 2)
        return std::nullopt;
    std::vector<std::pair<double, int>> sorted;
    for (const auto& [local, celsius] : offsets)
        sorted.emplace_back(celsius, local);
    std::sort(sorted.begin(), sorted.end());
    std::size_t at = 1;
    for (std::size_t i = 2; i < sorted.size(); ++i) {
        if (sorted[i].first - sorted[i - 1].first > sorted[at].first - sorted[at - 1].first)
            at = i;
    }
    AirSplit split;
    for (std::size_t i = 0; i < sorted.size(); ++i)
        (i < at ? split.cool : split.hot).push_back(sorted[i].second);
    std::sort(split.cool.begin(), split.cool.end());
    std::sort(split.hot.begin(), split.hot.end());
    split.gapC = sorted[at].first - sorted[at - 1].first;
    split.spreadC = std::max(
        sorted[at - 1].first - sorted.front().first, sorted.back().first - sorted[at].first);
    split.meanGapC = meanOffset(sorted, at, sorted.size()) - meanOffset(sorted, 0, at);
    return split;
}

// Part of a node's busy steps, from 0 to 1, and the GPU to leave out.
struct BusyPart {
    double from = 0.0;
    double to = 1.0;
    std::optional<int> without = {};
};

// The GPUs of one node over the steps in which all of them are known and the node is busy.
class NodeHeat {
public:
    explicit NodeHeat(const std::vector<const GpuHeat*>& gpus)
        : m_gpus(gpus) {
        std::vector<std::pair<std::size_t, double>> known;
        double most = 0.0;
        for (std::size_t step = 0; step < stepCount(); ++step) {
            const double power = powerAt(step);
            if (std::isnan(power))
                continue;
            known.emplace_back(step, power);
            most = std::max(most, power);
        }
        for (const auto& [step, power] : known) {
            m_known.push_back(step);
            if (power >= kBusyPower * most)
                m_busy.push_back(step);
        }
        if (tells())
            m_slope = slope();
    }

    [[nodiscard]] bool tells() const {
        return m_gpus.size() >= 2 && m_busy.size() >= kLeastBusySteps;
    }

    [[nodiscard]] bool drawsEqually() const {
        const double all = nodeMean(&GpuHeat::powerW);
        return std::all_of(m_gpus.begin(), m_gpus.end(), [&](const GpuHeat* gpu) {
            const double own = mean(gpu->powerW, 0, m_busy.size());
            return std::abs(own - all) <= kUnequalPower * all;
        });
    }

    // Over a part of the busy steps, 0 to 1.
    [[nodiscard]] AirOffsets offsets(const BusyPart& part) const {
        const auto count = static_cast<double>(m_busy.size());
        const auto first = static_cast<std::size_t>(part.from * count);
        const auto last = static_cast<std::size_t>(part.to * count);
        AirOffsets out;
        double power = 0.0;
        for (const GpuHeat* gpu : m_gpus)
            power += mean(gpu->powerW, first, last) / static_cast<double>(m_gpus.size());
        double all = 0.0;
        for (const GpuHeat* gpu : m_gpus) {
            const double excess = mean(gpu->powerW, first, last) - power;
            const double celsius = mean(gpu->temperatureC, first, last) - m_slope * excess;
            out[gpu->local] = celsius;
            all += celsius / static_cast<double>(m_gpus.size());
        }
        if (part.without)
            out.erase(*part.without);
        for (auto& [local, celsius] : out)
            celsius -= all;
        return out;
    }

private:
    [[nodiscard]] std::size_t stepCount() const {
        std::size_t count = std::numeric_limits<std::size_t>::max();
        for (const GpuHeat* gpu : m_gpus)
            count = std::min({count, gpu->temperatureC.size(), gpu->powerW.size()});
        return m_gpus.empty() ? 0 : count;
    }

    // Power of the node, W; NaN where a GPU is not known.
    [[nodiscard]] double powerAt(std::size_t step) const {
        return summed<double>(m_gpus,
            [&](const GpuHeat* gpu) { return gpu->powerW[step] + 0.0 * gpu->temperatureC[step]; });
    }

    [[nodiscard]] double mean(
        const std::vector<double>& values, std::size_t first, std::size_t last) const {
        double sum = 0.0;
        for (std::size_t i = first; i < last; ++i)
            sum += values[m_busy[i]];
        return sum / static_cast<double>(last - first);
    }

    [[nodiscard]] double nodeMean(std::vector<double> GpuHeat::*values) const {
        double sum = 0.0;
        for (const GpuHeat* gpu : m_gpus)
            sum += mean(gpu->*values, 0, m_busy.size());
        return sum / static_cast<double>(m_gpus.size());
    }

    // °C per W over time, which the GPUs have in common.
    [[nodiscard]] double slope() const {
        double products = 0.0;
        double squares = 0.0;
        double power = 0.0;
        const auto count = static_cast<double>(m_known.size());
        for (const GpuHeat* gpu : m_gpus) {
            double watts = 0.0;
            double celsius = 0.0;
            for (const std::size_t step : m_known) {
                watts += gpu->powerW[step] / count;
                celsius += gpu->temperatureC[step] / count;
            }
            for (const std::size_t step : m_known) {
                const double swing = gpu->powerW[step] - watts;
                products += swing * (gpu->temperatureC[step] - celsius);
                squares += swing * swing;
            }
            power += watts;
        }
        const auto gpus = static_cast<double>(m_gpus.size());
        const double swing = std::sqrt(squares / (count * gpus));
        const double rise = nodeMean(&GpuHeat::temperatureC) - kFreshAirC;
        const double found = swing >= kTellingSwing * power / gpus
            ? products / squares
            : rise / std::max(nodeMean(&GpuHeat::powerW), 1.0);
        return std::clamp(found, 0.0, kSteepestCPerW);
    }

    std::vector<const GpuHeat*> m_gpus;
    std::vector<std::size_t> m_known;
    std::vector<std::size_t> m_busy;
    double m_slope = 0.0;
};

AirOffsets overNodes(const std::vector<NodeHeat>& nodes, const BusyPart& part) {
    std::map<int, std::vector<double>> byLocal;
    for (const NodeHeat& node : nodes) {
        for (const auto& [local, celsius] : node.offsets(part))
            byLocal[local].push_back(celsius);
    }
    AirOffsets out;
    for (auto& [local, values] : byLocal)
        out[local] = medianOf(std::move(values));
    return out;
}

Airflow notTold(std::string evidence) {
    return {{}, AirflowOrigin::Assumed, std::move(evidence)};
}

// The nodes by the offsets of their GPUs, those of unequal power left out.
std::vector<NodeHeat> tellingNodes(const std::vector<GpuHeat>& gpus, bool& drewUnequally) {
    std::map<int, std::vector<const GpuHeat*>> byNode;
    for (const GpuHeat& gpu : gpus)
        byNode[gpu.node].push_back(&gpu);
    std::vector<NodeHeat> nodes;
    for (const auto& [number, members] : byNode) {
        NodeHeat node(members);
        if (!node.tells())
            continue;
        if (node.drawsEqually())
            nodes.push_back(std::move(node));
        else
            drewUnequally = true;
    }
    return nodes;
}

bool splitsAlike(const AirOffsets& offsets, const AirSplit& split) {
    const auto own = splitOf(offsets);
    return own && own->hot == split.hot && own->gapC > 0.0;
}

std::size_t agreeingNodes(const std::vector<NodeHeat>& nodes, const AirSplit& split) {
    return static_cast<std::size_t>(std::count_if(nodes.begin(), nodes.end(),
        [&](const NodeHeat& node) { return splitsAlike(node.offsets({}), split); }));
}

bool isSoInBothHalves(
    const std::vector<NodeHeat>& nodes, const AirSplit& split, std::optional<int> without) {
    return splitsAlike(overNodes(nodes, {0.0, 0.5, without}), split)
        && splitsAlike(overNodes(nodes, {0.5, 1.0, without}), split);
}

Airflow inferredFrom(const AirSplit& split, std::size_t agreeing, std::size_t nodes) {
    Airflow found{split.cool, AirflowOrigin::Inferred,
        fmt::format("GPUs {} are {} hotter at equal power than GPUs {}, on {} of {} and in both "
                    "halves of the run.",
            fmt::join(split.hot, ", "), text::rounded(split.meanGapC, "°C"),
            fmt::join(split.cool, ", "), agreeing,
            text::counted(static_cast<std::int64_t>(nodes), "node"))};
    found.order.insert(found.order.end(), split.hot.begin(), split.hot.end());
    return found;
}

// The one out of line belongs to the smaller group, where the others part by themselves.
Airflow aroundOneOutOfLine(const std::vector<NodeHeat>& nodes, const AirSplit& split) {
    const bool isHot = split.hot.size() == 1;
    const int odd = isHot ? split.hot.front() : split.cool.front();
    const std::string alone = fmt::format("GPU {} alone is {} {} than the others at equal power, "
                                          "which may be that GPU and not its place.",
        odd, text::rounded(split.gapC, "°C"), isHot ? "hotter" : "cooler");
    auto rest = splitOf(overNodes(nodes, {0.0, 1.0, odd}));
    if (!rest || !rest->isClear() || rest->isSingle() || !isSoInBothHalves(nodes, *rest, odd))
        return notTold(alone);
    const std::string told = inferredFrom(*rest, 1, 1).evidence;
    const bool joinsHot
        = rest->hot.size() == rest->cool.size() ? isHot : rest->hot.size() < rest->cool.size();
    auto& group = joinsHot ? rest->hot : rest->cool;
    group.insert(std::lower_bound(group.begin(), group.end(), odd), odd);
    Airflow found = inferredFrom(*rest, 1, 1);
    found.evidence = told + " " + alone;
    return found;
}

} // namespace

Airflow inferAirflow(const std::vector<GpuHeat>& gpus) {
    bool drewUnequally = false;
    const std::vector<NodeHeat> nodes = tellingNodes(gpus, drewUnequally);
    if (nodes.empty())
        return notTold(drewUnequally ? "The GPUs of a node drew too different powers to compare "
                                       "their temperatures."
                                     : "");
    const auto split = splitOf(overNodes(nodes, {}));
    if (!split || !split->isClear())
        return notTold(
            "The positions of a node do not part into cool and hot ones at equal power.");
    if (nodes.size() == 1 && split->isSingle())
        return aroundOneOutOfLine(nodes, *split);
    const std::size_t agreeing = agreeingNodes(nodes, *split);
    const auto count = static_cast<double>(nodes.size());
    const bool nodesAgree = nodes.size() <= 2
        ? agreeing == nodes.size()
        : static_cast<double>(agreeing) >= kAgreeingNodes * count;
    if (!nodesAgree)
        return notTold("The nodes differ in which of their GPUs are hot at equal power.");
    if (!isSoInBothHalves(nodes, *split, std::nullopt))
        return notTold("Which GPUs of a node are hot at equal power changes over the run.");
    return inferredFrom(*split, agreeing, nodes.size());
}

Airflow inferAirflow(
    const std::vector<GpuHeat>& own, const std::vector<std::vector<GpuHeat>>& others) {
    Airflow found = inferAirflow(own);
    std::map<AirflowOrder, std::size_t> told; // by how many of the others
    std::size_t telling = 0;
    Airflow most;
    for (const auto& other : others) {
        Airflow one = inferAirflow(other);
        if (one.origin != AirflowOrigin::Inferred)
            continue;
        ++telling;
        if (++told[one.order] > told[most.order])
            most = std::move(one);
    }
    if (telling == 0)
        return found;
    const auto agree = [](std::size_t agreeing, std::size_t all) {
        return static_cast<double>(agreeing) >= kAgreeingRuns * static_cast<double>(all);
    };
    const std::string otherRuns
        = text::counted(static_cast<std::int64_t>(telling), "other run", "other runs");
    if (found.origin == AirflowOrigin::Inferred) {
        const std::size_t agreeing = told[found.order];
        if (!agree(agreeing + 1, telling + 1))
            return notTold(fmt::format("The runs differ in which GPUs of such a node are hot at "
                                       "equal power: {} of {} part as here.",
                agreeing, otherRuns));
        found.evidence
            += fmt::format(" {} of {} on such nodes show the same.", agreeing, otherRuns);
        return found;
    }
    bool drewUnequally = false;
    const bool tellsItself = !tellingNodes(own, drewUnequally).empty();
    if (tellsItself || telling < kLeastOtherRuns || !agree(told[most.order], telling))
        return found;
    most.evidence = fmt::format("This run does not tell; of {} of {} on such nodes it is known: {}",
        told[most.order], otherRuns, most.evidence);
    return most;
}

} // namespace trainscope::analysis
