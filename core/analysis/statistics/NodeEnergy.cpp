#include "core/analysis/statistics/NodeEnergy.h"

#include "core/analysis/statistics/Accumulators.h"
#include "core/analysis/statistics/MeasuredEnergy.h"
#include "core/catalogue/GpuModel.h"

namespace trainscope::analysis {

namespace {

// Absent where a GPU has no power, or for another part of the run than its node.
std::optional<double> gpuJoulesOf(const RunSummary& summary, const NodeSummary& node) {
    CompensatedSum joules;
    bool hasGpus = false;
    for (const GpuSummary& gpu : summary.gpus) {
        if (gpu.gpu.node != node.node || summary.secondDies.contains(gpu.gpu.rank))
            continue;
        if (!gpu.energy
            || std::abs(gpu.energy->coverage - node.energy->coverage) > kComparedCoverage)
            return std::nullopt;
        hasGpus = true;
        joules.add(gpu.energy->joules);
    }
    return hasGpus ? std::optional(joules.value()) : std::nullopt;
}

// Coverage is the mean of the parts', 0 for those without.
class EnergySum {
public:
    void add(const std::optional<Energy>& energy) {
        ++m_parts;
        if (!energy)
            return;
        m_isKnown = true;
        m_joules.add(energy->joules);
        m_coverage.add(energy->coverage);
    }
    [[nodiscard]] std::optional<Energy> total() const {
        if (!m_isKnown)
            return std::nullopt;
        return Energy{m_joules.value(), m_coverage.value() / m_parts};
    }

private:
    CompensatedSum m_joules;
    CompensatedSum m_coverage;
    int m_parts = 0;
    bool m_isKnown = false;
};

using DiePair = std::pair<const GpuSummary*, const GpuSummary*>;

// Empty where some GPU has no other half.
std::vector<DiePair> diePairsOf(const std::vector<GpuSummary>& gpus) {
    std::map<std::pair<int, int>, DiePair> byPlace; // node and package
    for (const GpuSummary& gpu : gpus) {
        if (gpu.gpu.local < 0)
            return {};
        DiePair& pair = byPlace[{gpu.gpu.node, gpu.gpu.local / 2}];
        (gpu.gpu.local % 2 == 0 ? pair.first : pair.second) = &gpu;
    }
    std::vector<DiePair> pairs;
    for (const auto& [place, pair] : byPlace) {
        if (pair.first == nullptr || pair.second == nullptr)
            return {};
        pairs.push_back(pair);
    }
    return pairs;
}

enum class DieKnowledge { TwoDies, OneDie, Unknown };
DieKnowledge diesOf(const std::vector<GpuSummary>& gpus) {
    for (const GpuSummary& gpu : gpus) {
        if (const auto* model = catalogue::findGpuModel(gpu.gpu.model))
            return model->gpusPerCard == 2 ? DieKnowledge::TwoDies : DieKnowledge::OneDie;
    }
    return DieKnowledge::Unknown;
}

} // namespace

void addNodeEnergy(RunSummary& summary, const std::map<std::string, Energy>& switches) {
    EnergySum ofNodes;
    EnergySum ofSwitches;
    CompensatedSum rest;
    bool isWhole = true;
    for (NodeSummary& node : summary.nodes) {
        ofNodes.add(node.energy);
        if (!node.energy)
            continue;
        node.gpuJoules = gpuJoulesOf(summary, node);
        if (node.gpuJoules) {
            node.restJoules = node.energy->joules - *node.gpuJoules;
            rest.add(*node.restJoules);
        }
        isWhole = isWhole && node.restJoules.has_value();
    }
    for (const auto& [name, energy] : switches)
        ofSwitches.add(energy);
    summary.nodeEnergy = ofNodes.total();
    summary.switchEnergy = ofSwitches.total();
    if (summary.nodeEnergy && isWhole)
        summary.restJoules = rest.value();
}

std::set<int> secondDies(const std::vector<GpuSummary>& gpus) {
    const DieKnowledge known = diesOf(gpus);
    const auto pairs = diePairsOf(gpus);
    const bool mayBe
        = known == DieKnowledge::TwoDies || (known == DieKnowledge::Unknown && pairs.size() >= 2);
    if (pairs.empty() || !mayBe)
        return {};
    const bool isFirstAlone = std::all_of(pairs.begin(), pairs.end(),
        [](const DiePair& pair) { return pair.first->energy && !pair.second->energy; });
    const bool isTwice = known == DieKnowledge::TwoDies
        && std::all_of(pairs.begin(), pairs.end(), [](const DiePair& pair) {
               return pair.first->energy && pair.second->energy
                   && pair.first->energy->joules == pair.second->energy->joules;
           });
    std::set<int> ranks;
    for (const auto& [first, second] : pairs) {
        if (isFirstAlone || isTwice)
            ranks.insert(second->gpu.rank);
    }
    return ranks;
}

std::optional<Energy> energyOfGpus(
    const std::vector<GpuSummary>& gpus, const std::set<int>& secondDies) {
    std::vector<Energy> parts;
    std::size_t subjects = 0;
    for (const GpuSummary& gpu : gpus) {
        if (secondDies.contains(gpu.gpu.rank))
            continue;
        ++subjects;
        if (gpu.energy)
            parts.push_back(*gpu.energy);
    }
    return combinedEnergy(parts, subjects);
}

} // namespace trainscope::analysis
