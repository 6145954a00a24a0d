// Names of the choices, and the texts of the panels.
#include "core/model/EnumNames.h"
#include "core/plot/comparison/Comparison.h"
#include "core/plot/comparison/ComparisonText.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainscope::plot {

namespace {

constexpr auto kPanels = enumNames<ComparisonPanel>({{ComparisonPanel::Verdict, "verdict"},
    {ComparisonPanel::Cards, "cards"}, {ComparisonPanel::Breakdown, "breakdown"},
    {ComparisonPanel::Heatmap, "heatmap"}, {ComparisonPanel::Curves, "curves"},
    {ComparisonPanel::Tracks, "tracks"}, {ComparisonPanel::Reasons, "reasons"},
    {ComparisonPanel::Configuration, "configuration"}, {ComparisonPanel::Operators, "operators"},
    {ComparisonPanel::Kernels, "kernels"}, {ComparisonPanel::Bars, "bars"}});
constexpr auto kAlignments
    = enumNames<ComparisonAlignment>({{ComparisonAlignment::Folded, "folded"},
        {ComparisonAlignment::Iteration, "iteration"}, {ComparisonAlignment::Start, "start"}});

std::string unitIn(const FigureAxis& axis) {
    return axis.unit.unit.empty() ? std::string() : axis.unit.unit + ", ";
}

PanelTexts curveTexts(const ComparisonData& data) {
    const auto& curves = *data.curves;
    const std::string what = curves.alignment == ComparisonAlignment::Start ? "the whole run"
        : curves.alignment == ComparisonAlignment::Iteration
        ? fmt::format("iteration {}", data.query.iteration)
        : "one iteration";
    return {fmt::format("{}, {}", curves.axis.title, what), unitIn(curves.axis) + curves.wording};
}

PanelTexts breakdownTexts(const ComparisonData& data) {
    const bool whole = std::all_of(data.measured.begin(), data.measured.end(), [](const auto& run) {
        return !run->traced || run->traced->basis != analysis::TraceBasis::Trace;
    });
    return {"Where the step goes",
        std::string(whole ? "mean over the steps" : "mean over the trace") + ", exposed time only"};
}

PanelTexts heatTexts(const ComparisonData& data) {
    const FigureAxis& scale = data.heat->heatmaps.front().scale;
    return {scale.title + " by GPU",
        unitIn(scale) + "one scale; a row for each run, nodes beside each other"};
}

// "as divided by what", short; of the whole job where nothing is.
std::string normalisedText(const ComparisonData& data) {
    return data.query.normalisation == analysis::Normalisation::Absolute
        ? "of the whole job"
        : "normalised " + normalisationWord(data.query.normalisation);
}

PanelTexts barTexts(const ComparisonData& data) {
    const std::string bars = data.isMany()
        ? "bars from zero"
        : "bars from zero; lines: ± one standard deviation over iterations";
    return {"All quantities", normalisedText(data) + "; " + bars};
}

PanelTexts trackTexts(const ComparisonData& data) {
    std::vector<RunsNote> which;
    for (std::size_t run = 0; run < data.runs.size(); ++run) {
        if (data.tracks->ranges[run].isEmpty())
            continue;
        const std::int64_t iteration = data.tracks->iterations[run];
        addNote(which, run,
            iteration < 0 ? std::string("whole trace") : fmt::format("iteration {}", iteration));
    }
    std::string text;
    for (const auto& one : which)
        text += (text.empty() ? "" : ", ") + noteText(one);
    return {"Aligned timelines",
        fmt::format("kernels of the first rank of each stage, {}; {}",
            data.tracks->stretched ? "iterations stretched to one length" : "one axis", text)};
}

} // namespace

void addNote(std::vector<RunsNote>& notes, std::size_t run, std::string text) {
    const auto known = std::find_if(
        notes.begin(), notes.end(), [&text](const RunsNote& note) { return note.text == text; });
    if (known == notes.end())
        notes.push_back({std::move(text), {run}});
    else if (known->runs.back() != run)
        known->runs.push_back(run);
}

std::string noteText(const RunsNote& note) {
    return analysis::runMarks(note.runs) + ": " + note.text;
}

const analysis::QuantityInfo& ComparisonQuantity::info() const {
    return analysis::comparedQuantities()[index];
}

std::optional<double> ComparisonQuantity::value(std::size_t run) const {
    return measures[run] ? std::optional(measures[run]->value) : std::nullopt;
}

std::optional<double> ComparisonQuantity::spread(std::size_t run) const {
    const bool isTold
        = measures[run] && measures[run]->spread && measures[run]->spread->isTold();
    return isTold ? std::optional(measures[run]->spread->std) : std::nullopt;
}

std::size_t ComparisonQuantity::known() const {
    return static_cast<std::size_t>(std::count_if(
        measures.begin(), measures.end(), [](const auto& measure) { return measure.has_value(); }));
}

std::string_view toString(ComparisonPanel panel) {
    return kPanels.nameOf(panel);
}

std::optional<ComparisonPanel> comparisonPanelFromString(std::string_view text) {
    return kPanels.find(text);
}

std::string_view toString(ComparisonAlignment alignment) {
    return kAlignments.nameOf(alignment);
}

std::optional<ComparisonAlignment> comparisonAlignmentFromString(std::string_view text) {
    return kAlignments.find(text);
}

const ComparisonCurves::Difference* ComparisonCurves::differenceOf(std::size_t run) const {
    const auto found = std::find_if(differences.begin(), differences.end(),
        [run](const Difference& one) { return one.run == run; });
    return found == differences.end() ? nullptr : &*found;
}

bool ComparisonData::has(ComparisonPanel panel) const {
    switch (panel) {
    case ComparisonPanel::Verdict:
        return verdict.has_value();
    case ComparisonPanel::Reasons:
        return verdict && verdict->statements.size() > kFirstReasons;
    case ComparisonPanel::Cards:
        return std::any_of(quantities.begin(), quantities.end(),
            [](const ComparisonQuantity& quantity) { return quantity.isCard; });
    case ComparisonPanel::Bars:
        return !quantities.empty();
    case ComparisonPanel::Breakdown:
        return !stacks.empty();
    case ComparisonPanel::Operators:
        return !operators.empty();
    case ComparisonPanel::Kernels:
        return !kernels.empty();
    case ComparisonPanel::Configuration:
        return !configuration.empty();
    case ComparisonPanel::Heatmap:
        return heat.has_value();
    case ComparisonPanel::Curves:
        return curves.has_value();
    case ComparisonPanel::Tracks:
        return tracks.has_value();
    }
    return false;
}

std::string normalisationWord(analysis::Normalisation by) {
    switch (by) {
    case analysis::Normalisation::Absolute:
        return "absolute";
    case analysis::Normalisation::PerGpu:
        return "per GPU";
    case analysis::Normalisation::PerNode:
        return "per node";
    case analysis::Normalisation::PerToken:
        break;
    }
    return "per token";
}

std::string normalisationText(analysis::Normalisation by) {
    switch (by) {
    case analysis::Normalisation::Absolute:
        return "Numbers are those of the whole job.";
    case analysis::Normalisation::PerGpu:
        return "What grows with the machine is divided by the GPUs of the job.";
    case analysis::Normalisation::PerNode:
        return "What grows with the machine is divided by the nodes of the job.";
    case analysis::Normalisation::PerToken:
        break;
    }
    return "What a step takes is divided by its tokens (global batch × sequence length).";
}

PanelTexts textsOf(const ComparisonData& data, ComparisonPanel panel) {
    switch (panel) {
    case ComparisonPanel::Verdict:
        return {"Verdict", {}};
    case ComparisonPanel::Reasons:
        return data.runs.size() > 2
            ? PanelTexts{"Each run beside the first", "the verdict on each pair"}
            : PanelTexts{"Further reasons", "of the verdict above, in numbers"};
    case ComparisonPanel::Cards:
        return {"Side by side",
            normalisedText(data) + "; changes to " + data.runs.front().mark
                + ", in bold where they exceed the spread over iterations"};
    case ComparisonPanel::Breakdown:
        return breakdownTexts(data);
    case ComparisonPanel::Heatmap:
        return heatTexts(data);
    case ComparisonPanel::Curves:
        return curveTexts(data);
    case ComparisonPanel::Tracks:
        return trackTexts(data);
    case ComparisonPanel::Bars:
        return barTexts(data);
    case ComparisonPanel::Operators:
        return {"Operators that differ most",
            "time of their kernels in a step, mean over the traced GPUs"};
    case ComparisonPanel::Kernels:
        return {"Longest kernels", "time in a step, mean over the traced GPUs"};
    case ComparisonPanel::Configuration:
        break;
    }
    return {"Configured differently", "as far as launch configurations and traces say it"};
}

} // namespace trainscope::plot
