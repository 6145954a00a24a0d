#include "core/figures/prediction/RankedLayouts.h"

#include "core/text/NumberMarks.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

namespace trainscope::figures {

using namespace plot;

namespace {

using predict::LayoutChoice;
using predict::LayoutEstimate;
using predict::RankedLayout;
using predict::SearchObjective;

constexpr std::size_t kMostCandidates = 400; // beside the front

double costOfLayout(SearchObjective objective, double energyJ, double peakW) {
    return objective == SearchObjective::PeakPower ? peakW : energyJ;
}

// "115,240", with the reader's marks.
std::string groupedCount(std::int64_t count) {
    std::string digits = std::to_string(count);
    for (std::size_t at = digits.size(); at > 3; at -= 3)
        digits.insert(at - 3, 1, ',');
    return text::withMarks(digits);
}

std::string recomputeWords(const LayoutChoice& choice) {
    if (choice.recompute == predict::Recompute::None)
        return {};
    std::string words = fmt::format(", {} recomputation", toString(choice.recompute));
    if (choice.recomputedLayers > 0)
        words += fmt::format(" of {}", text::counted(choice.recomputedLayers, "layer"));
    return words;
}

// The points of the picture, in their order.
struct Offered {
    std::vector<const LayoutEstimate*> others; // the best that are not on the front
    const std::vector<RankedLayout>& best;
};
Offered offeredBy(const predict::SearchResult& found, SearchObjective objective) {
    const auto& best
        = objective == SearchObjective::PeakPower ? found.powerFront : found.energyFront;
    Offered offered{{}, best};
    for (const auto& estimate : found.feasible) {
        if (offered.others.size() >= kMostCandidates)
            break;
        const bool isOnFront = std::any_of(best.begin(), best.end(),
            [&](const RankedLayout& one) { return one.choice == estimate.choice; });
        if (!isOnFront)
            offered.others.push_back(&estimate);
    }
    return offered;
}

// `between`: a degree's name and its number; `parting`: one degree and the next.
std::string degreesOf(
    const LayoutChoice& choice, std::string_view between, std::string_view parting) {
    std::string words = fmt::format("TP{}{}", between, choice.tensor);
    const auto add = [&](std::string_view name, int degree, int least) {
        if (degree > least)
            words += fmt::format("{}{}{}{}", parting, name, between, degree);
    };
    add("CP", choice.context, 1);
    add("PP", choice.pipeline, 0);
    add("VPP", choice.virtualStages, 1);
    if (layout::splitsBackward(choice.schedule))
        words += fmt::format(" {}", titleOf(choice.schedule));
    add("EP", choice.expert, 1);
    add("ETP", choice.expertTensor, 1);
    add("DP", choice.data, 0);
    if (choice.zeroStage > 1)
        words += fmt::format("{}ZeRO {}", parting, choice.zeroStage);
    if (choice.shard > 0)
        words += fmt::format(" in groups of {}", choice.shard);
    return words;
}

} // namespace

std::string choiceWords(const LayoutChoice& choice) {
    return degreesOf(choice, " ", " · ") + fmt::format(", micro-batch {}", choice.microBatch)
        + recomputeWords(choice);
}

std::string choiceBrief(const LayoutChoice& choice) {
    return degreesOf(choice, "", " ") + fmt::format(", mb {}", choice.microBatch)
        + recomputeWords(choice);
}

std::string groupWords(const predict::ListedLayout& one) {
    if (one.group == 0)
        return {};
    return fmt::format("{}{}", one.isFirst ? "" : "= ", one.group);
}

plot::PredictedFront frontOf(const predict::SearchResult& found, SearchObjective objective,
    const std::optional<LayoutChoice>& chosen) {
    const bool isPower = objective == SearchObjective::PeakPower;
    plot::PredictedFront front{
        isPower ? "Peak power of all GPUs" : "Energy of a step", isPower ? "W" : "J", {}};
    const auto offered = offeredBy(found, objective);
    for (const LayoutEstimate* estimate : offered.others) {
        const bool isChosen = chosen && estimate->choice == *chosen;
        // As ranked where it was predicted whole.
        const auto whole = std::find_if(found.top.begin(), found.top.end(),
            [&](const RankedLayout& one) { return one.choice == estimate->choice; });
        const bool isWhole = whole != found.top.end();
        const double energyJ = isWhole ? whole->prediction.energyJ : estimate->energyJ;
        const double peakW = isWhole ? whole->peakW : estimate->peakW;
        front.points.push_back({choiceWords(estimate->choice),
            {isWhole ? whole->prediction.seconds : estimate->seconds, {}, {}},
            costOfLayout(objective, energyJ, peakW), false, isChosen});
    }
    for (const RankedLayout& one : offered.best)
        front.points.push_back({choiceWords(one.choice),
            {one.prediction.seconds, one.prediction.low, one.prediction.high},
            costOfLayout(objective, one.prediction.energyJ, one.peakW), true,
            chosen && one.choice == *chosen});
    return front;
}

std::vector<LayoutChoice> choicesOfFront(
    const predict::SearchResult& found, SearchObjective objective) {
    std::vector<LayoutChoice> choices;
    const auto offered = offeredBy(found, objective);
    for (const LayoutEstimate* estimate : offered.others)
        choices.push_back(estimate->choice);
    for (const RankedLayout& one : offered.best)
        choices.push_back(one.choice);
    return choices;
}

std::vector<plot::PredictedLayout> rankingOf(
    const predict::SearchResult& found, const std::optional<LayoutChoice>& chosen) {
    std::vector<plot::PredictedLayout> ranking;
    for (const predict::ListedLayout& listed : predict::listedLayouts(found)) {
        const RankedLayout& one = *listed.layout;
        const auto& made = one.prediction;
        ranking.push_back(
            {choiceWords(one.choice), {made.seconds, made.low, made.high}, made.energyJ, one.peakW,
                made.memoryB, made.tokensPerSecondPerGpu, one.isPareto || one.isPowerPareto,
                chosen && one.choice == *chosen, listed.group, listed.isFirst});
    }
    return ranking;
}

std::string searchWords(const predict::SearchResult& found) {
    const std::int64_t possible = std::ssize(found.feasible);
    std::string words = found.searched == 1
        ? fmt::format("1 layout was tried and is {}possible", possible == 0 ? "not " : "")
        : fmt::format("{} of {} {} possible", groupedCount(possible), groupedCount(found.searched),
            possible == 1 ? "layouts is" : "layouts are");
    std::vector<predict::Refusal> reasons(
        predict::kAllRefusals.begin(), predict::kAllRefusals.end());
    std::stable_sort(reasons.begin(), reasons.end(),
        [&found](auto a, auto b) { return found.refusedBy(a) > found.refusedBy(b); });
    constexpr std::size_t kMostReasons = 3;
    std::int64_t others = 0;
    for (std::size_t i = 0; i < reasons.size(); ++i) {
        const std::int64_t refused = found.refusedBy(reasons[i]);
        if (i >= kMostReasons)
            others += refused;
        else if (refused > 0)
            words += fmt::format("{}{} by {}", i == 0 ? "; ruled out: " : ", ",
                groupedCount(refused), toString(reasons[i]));
    }
    if (others > 0)
        words += fmt::format(" and {} by other limits", groupedCount(others));
    const std::string nearest = nearestWords(found);
    return nearest.empty() ? words : words + ". " + nearest;
}

std::string nearestWords(const predict::SearchResult& found) {
    if (!found.feasible.empty())
        return {};
    std::string words;
    if (found.leastPowerW)
        words = fmt::format("At the lowest clock a layout draws {} at least.",
            text::quantity(*found.leastPowerW, "W"));
    else if (found.nearest)
        words = fmt::format("The least memory is that of {}: {}, {} more than may be used.",
            choiceWords(found.nearest->choice), text::quantity(found.nearest->memoryB, "B"),
            text::quantity(found.nearest->lacksB, "B"));
    return words;
}

} // namespace trainscope::figures
