#include "core/plot/replay/ReplayFigure.h"
#include "core/plot/replay/StepBars.h"
#include "core/text/Numbers.h"
#include "core/text/Table.h"
#include "core/text/Times.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trainscope::plot {

namespace {

using analysis::StepReplay;
using analysis::StepWait;

constexpr std::size_t kMostWaitRows = 16;

struct NamedStep {
    std::string name;
    std::optional<double> seconds;
    std::optional<std::pair<double, double>> interval;
    std::optional<analysis::EstimatedEnergy> energy;
};

std::vector<NamedStep> stepsOf(const StepReplay& replay) {
    std::optional<std::pair<double, double>> interval;
    if (replay.changedLowS && replay.changedHighS)
        interval.emplace(*replay.changedLowS, *replay.changedHighS);
    return {{"measured", replay.measuredS, {}, replay.energy},
        {"measured without profiler", replay.unprofiledS, {}, {}},
        {"replayed", replay.replayedS, {}, {}}, {"ideal", replay.idealS, {}, {}},
        {"changed", replay.changedS, interval, replay.changedEnergy}};
}

std::vector<StepBar> stepBars(const StepReplay& replay) {
    std::vector<StepBar> bars;
    for (const NamedStep& step : stepsOf(replay)) {
        if (!step.seconds)
            continue;
        std::string words;
        if (!bars.empty())
            words = text::signedPercent(*step.seconds / replay.measuredS - 1.0);
        if (step.energy)
            words += (words.empty() ? "" : "  ") + text::rounded(step.energy->joules, "J");
        bars.push_back({step.name, *step.seconds, step.interval,
            seriesColor(step.name == "changed" ? 0
                    : step.name == "ideal"     ? 2
                                               : 1),
            words, {}});
    }
    return bars;
}

// "rank 3: lower clock (92 %) · 3 → 0 → 1"
std::string waitWords(const StepWait& wait) {
    std::string words = wait.rank >= 0 ? fmt::format("rank {}: ", wait.rank) : std::string();
    words += analysis::causeText(wait);
    if (wait.chain.size() > 1)
        words += fmt::format(" · {}", fmt::join(wait.chain, " → "));
    return words;
}

std::vector<StepBar> waitBars(const StepReplay& replay) {
    std::vector<StepBar> bars;
    for (const StepWait& wait : replay.waits) {
        if (bars.size() == kMostWaitRows)
            break;
        bars.push_back({wait.collective, wait.seconds, {},
            seriesColor(static_cast<std::size_t>(std::max(wait.rank, 0))), waitWords(wait),
            wait.rank >= 0 ? std::optional(wait.rank) : std::nullopt});
    }
    return bars;
}

Picture buildBars(
    const ReplayFigureData& data, const FigureStyle& style, const std::vector<StepBar>& bars) {
    Picture picture;
    Sheet sheet(picture, style);
    if (bars.empty()) {
        sheet.drawEmpty(data);
        return picture;
    }
    drawStepBars(sheet, data.run, bars, sheet.open(data, stepBarsHeight(sheet, bars.size())));
    sheet.close();
    return picture;
}

} // namespace

Picture buildReplay(const ReplayFigureData& data, const FigureStyle& style) {
    return buildBars(data, style, data.replay ? stepBars(*data.replay) : std::vector<StepBar>());
}

Picture buildWaits(const ReplayFigureData& data, const FigureStyle& style) {
    return buildBars(data, style, data.replay ? waitBars(*data.replay) : std::vector<StepBar>());
}

std::string replayCsv(const ReplayFigureData& data) {
    std::string csv = "run,step,seconds (s),low (s),high (s),energy (J)\n";
    if (!data.replay)
        return csv;
    for (const NamedStep& step : stepsOf(*data.replay)) {
        const auto cell = [](const auto& known, auto value) {
            return known ? text::Cell((*known).*value) : text::Cell();
        };
        using Interval = std::pair<double, double>;
        text::addCsvLine(csv,
            {data.runName, step.name, step.seconds, cell(step.interval, &Interval::first),
                cell(step.interval, &Interval::second),
                cell(step.energy, &analysis::EstimatedEnergy::joules)});
    }
    return csv;
}

std::string waitsCsv(const ReplayFigureData& data) {
    std::string csv = "run,collective,rank,waiting (s),cause,explained,chain,part,part (s)\n";
    if (!data.replay)
        return csv;
    for (const StepWait& wait : data.replay->waits) {
        const std::vector<text::Cell> own{data.runName, wait.collective, wait.rank, wait.seconds,
            wait.cause, wait.explained, fmt::format("{}", fmt::join(wait.chain, " > "))};
        std::vector<std::vector<text::Cell>> parts;
        for (const analysis::WaitPart& part : wait.parts)
            parts.push_back({part.cause, part.seconds});
        if (parts.empty())
            parts.push_back({{}, {}});
        for (const auto& part : parts) {
            auto cells = own;
            cells.insert(cells.end(), part.begin(), part.end());
            text::addCsvLine(csv, cells);
        }
    }
    return csv;
}

} // namespace trainscope::plot
