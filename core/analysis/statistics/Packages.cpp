#include "core/analysis/statistics/Packages.h"

#include "core/analysis/statistics/MeasuredEnergy.h"
#include "core/catalogue/GpuModel.h"

#include <algorithm>
#include <map>
#include <utility>

namespace trainscope::analysis {

namespace {

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
