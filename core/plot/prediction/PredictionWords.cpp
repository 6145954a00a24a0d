#include "core/plot/prediction/PredictionWords.h"

#include "core/catalogue/GpuModel.h"
#include "core/text/NumberMarks.h"
#include "core/text/Numbers.h"
#include "core/text/Times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace trainscope::plot {

namespace {

using predict::BoundedValue;
using predict::LayoutChoice;
using predict::Training;

constexpr double kJoulesOfWh = 3600.0;

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

std::string boundsWords(const BoundedValue& value, double scale) {
    return fmt::format("{} to {}", text::number(value.interval.low * scale),
        text::number(value.interval.high * scale));
}

std::string slowWords(const predict::Goodput& goodput) {
    if (goodput.slowdown == 1.0)
        return {};
    return fmt::format(
        ", slow nodes make a step {} % longer", text::number(100.0 * (goodput.slowdown - 1.0)));
}

} // namespace

std::string choiceWords(const LayoutChoice& choice) {
    std::string words = fmt::format("TP {}", choice.tensor);
    const auto add = [&words](std::string_view name, int degree, int least) {
        if (degree > least)
            words += fmt::format(" · {} {}", name, degree);
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
        words += fmt::format(" · ZeRO {}", choice.zeroStage);
    if (choice.shard > 0)
        words += fmt::format(" in groups of {}", choice.shard);
    return words + fmt::format(", micro-batch {}", choice.microBatch) + recomputeWords(choice);
}

std::string layoutWords(const predict::Job& job) {
    return choiceWords(predict::choiceOf(job));
}

std::string jobWords(const predict::Job& job) {
    return fmt::format(
        "{}, {}", catalogue::gpusText(job.gpus(), job.machine.gpu.name), layoutWords(job));
}

std::string groupWords(const predict::ListedLayout& one) {
    if (one.group == 0)
        return {};
    return fmt::format("{}{}", one.isFirst ? "" : "= ", one.group);
}

std::string_view objectiveWords(predict::SearchObjective objective) {
    switch (objective) {
    case predict::SearchObjective::Time:
        return "step time";
    case predict::SearchObjective::Energy:
        return "energy";
    case predict::SearchObjective::PeakPower:
        break;
    }
    return "peak power";
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

std::string timeWords(const Training& training) {
    return predictedText(training.seconds.value, training.seconds.interval, "s");
}

std::string energyWords(const Training& training) {
    const BoundedValue& joules = training.energyJ;
    return predictedText(joules.value / kJoulesOfWh,
        {joules.interval.low / kJoulesOfWh, joules.interval.high / kJoulesOfWh}, "Wh");
}

std::string goodputWords(const Training& training) {
    const predict::Goodput& goodput = training.goodput;
    return fmt::format("{} % ({}) of the time are steps, which makes {}: an interruption "
                       "every {} takes {}, a checkpoint every {} takes {}{}",
        text::number(100.0 * goodput.share.value), boundsWords(goodput.share, 100.0),
        predictedText(training.elapsedSeconds.value, training.elapsedSeconds.interval, "s"),
        text::seconds(goodput.betweenSeconds), text::seconds(goodput.restartSeconds),
        text::seconds(goodput.checkpointInterval), text::seconds(goodput.checkpointSeconds),
        slowWords(goodput));
}

std::string tokenWords(double tokens) {
    const auto shown = text::shownCount(tokens);
    return text::number(tokens * shown.scale, 4) + (shown.unit == "G" ? "B" : shown.unit)
        + " tokens";
}

std::string predictedText(double value, const predict::Interval& interval, std::string_view unit) {
    return text::withInterval(value, interval.low, interval.high, unit, text::Digits::Three);
}

} // namespace trainscope::plot
