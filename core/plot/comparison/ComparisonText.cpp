// Panels with their names and texts, and the names of the other choices.

#include "core/plot/comparison/ComparisonText.h"

#include "core/plot/comparison/ComparisonFrame.h"
#include "core/text/NumberMarks.h"
#include "core/text/Times.h"

#include <cmath>

namespace trainscope::plot {

namespace {

using Weight = analysis::Difference::Weight;

bool isPlain(std::string_view unit) {
    constexpr std::array<std::string_view, 7> kPrefixed{
        "W", "J", "B", "Hz", "B/s", "FLOP/s", "W/s"};
    return std::ranges::find(kPrefixed, unit) == kPrefixed.end();
}

text::ShownUnit shownUnitOf(const FigureAxis& axis, double value) {
    if (axis.unit.unit == "%")
        return axis.unit;
    if (axis.siUnit == "°C")
        return {axis.siUnit, 1.0};
    return isPlain(axis.siUnit) ? text::shownCount(std::abs(value))
                                : text::shownUnit(axis.siUnit, std::abs(value));
}

using Width = PanelRow::Width;

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
    const bool whole = std::ranges::all_of(data.measured, [](const auto& run) {
        return !run->traced || run->traced->basis != analysis::TraceBasis::Trace;
    });
    return {"Where the step goes",
        std::string(whole ? "mean over the steps" : "mean over the trace") + ", exposed time only"};
}

// "as divided by what", short; of the whole job where nothing is.
std::string normalisedText(const ComparisonData& data) {
    return data.query.normalisation == analysis::Normalisation::Absolute
        ? "of the whole job"
        : "normalised " + std::string(titleOf(data.query.normalisation));
}

PanelTexts cardTexts(const ComparisonData& data) {
    return {"Side by side",
        normalisedText(data) + "; changes to " + data.runs.front().mark
            + ", in bold where they exceed the spread over iterations"};
}

PanelTexts reasonTexts(const ComparisonData& data) {
    return data.runs.size() > 2
        ? PanelTexts{"Each run beside the first", "the verdict on each pair"}
        : PanelTexts{"Further reasons", "of the verdict above, in numbers"};
}

PanelTexts barTexts(const ComparisonData& data) {
    const std::string bars = data.isMany()
        ? "bars from zero"
        : "bars from zero; lines: ± one standard deviation over iterations";
    return {"All quantities", normalisedText(data) + "; " + bars};
}

} // namespace

std::string quantityValueText(const FigureAxis& axis, const std::optional<double>& value) {
    if (!value)
        return text::kMissing;
    if (axis.siUnit == "s")
        return text::seconds(*value);
    const text::ShownUnit shown = shownUnitOf(axis, *value);
    const std::string digits = text::number(*value * shown.scale);
    return shown.unit.empty() ? digits : fmt::format("{} {}", digits, shown.unit);
}

std::string spreadText(const ComparisonQuantity& quantity, std::size_t run) {
    std::string text = quantityValueText(quantity.axis, quantity.value(run));
    const auto spread = quantity.spread(run);
    if (!spread)
        return text;
    return text
        + fmt::format(" ± {} over {}", quantityValueText(quantity.axis, spread),
            text::counted(quantity.measures[run]->spread->count, "iteration"));
}

std::string changeText(const analysis::Difference& change) {
    if (analysis::isShare(analysis::comparedQuantities()[change.quantity])) {
        if (!change.amount())
            return text::kMissing;
        const double points = 100.0 * *change.amount();
        return fmt::format("{:+.1f} pp", text::worded(std::abs(points) < 0.05 ? 0.0 : points));
    }
    const auto& info = analysis::comparedQuantities()[change.quantity];
    if (info.unit == "°C" && change.amount())
        return fmt::format("{:+.1f} °C", text::worded(*change.amount()));
    if (!change.ratio)
        return text::kMissing;
    return fmt::format("{:.{}f} ×", text::worded(*change.ratio), *change.ratio < 10.0 ? 2 : 1);
}

std::optional<std::size_t> betterRun(const ComparisonQuantity& quantity, std::size_t run) {
    const auto& change = quantity.changes[run];
    const auto better = quantity.info().better;
    const double amount = change.amount().value_or(0.0);
    if (change.weight != Weight::Beyond || better == analysis::Better::Neither || amount == 0.0)
        return std::nullopt;
    return (amount > 0.0) == (better == analysis::Better::Higher) ? run : 0;
}

std::string weightText(
    const ComparisonData& data, const ComparisonQuantity& quantity, std::size_t run) {
    const auto& change = quantity.changes[run];
    if (!change.amount())
        return {};
    if (const auto better = betterRun(quantity, run))
        return data.runs[*better].mark + " better";
    if (change.weight != Weight::Unknown)
        return change.weight == Weight::Beyond ? "beyond spread" : "within spread";
    // One of them may have a spread, which its bar shows.
    const bool isKnownOfFirst = quantity.spread(0).has_value();
    if (isKnownOfFirst == quantity.spread(run).has_value())
        return "spread unknown";
    return "spread of " + data.runs[isKnownOfFirst ? run : 0].mark + " unknown";
}

void addNote(std::vector<RunsNote>& notes, std::size_t run, std::string text) {
    const auto known = std::ranges::find(notes, text, &RunsNote::text);
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
    const bool isTold = measures[run] && measures[run]->spread && measures[run]->spread->isTold();
    return isTold ? std::optional(measures[run]->spread->std) : std::nullopt;
}

std::size_t ComparisonQuantity::known() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(measures, [](const auto& measure) { return measure.has_value(); }));
}

const ComparisonCurves::Difference* ComparisonCurves::differenceOf(std::size_t run) const {
    const auto found = std::ranges::find(differences, run, &Difference::run);
    return found == differences.end() ? nullptr : &*found;
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

const std::vector<PanelRow>& panelTable() {
    using enum ComparisonPanel;
    using Data = ComparisonData;
    static const std::vector<PanelRow> rows{
        {Verdict, Width::Whole, [](const Data& data) { return data.verdict.has_value(); },
            [](const Data& /*data*/) {
                return PanelTexts{"Verdict", {}};
            },
            verdictContent},
        {Cards, Width::Whole,
            [](const Data& data) {
                return std::ranges::any_of(data.quantities, &ComparisonQuantity::isCard);
            },
            cardTexts, cardsContent},
        {Breakdown, Width::Part, [](const Data& data) { return !data.stacks.empty(); },
            breakdownTexts, stacksContent},
        {Curves, Width::PartOfFew, [](const Data& data) { return data.curves.has_value(); },
            curveTexts, curvesContent},
        {Reasons, Width::Whole,
            [](const Data& data) {
                return data.verdict && data.verdict->statements.size() > kFirstReasons;
            },
            reasonTexts, reasonsContent},
        {Configuration, Width::PartOfFew,
            [](const Data& data) { return !data.configuration.empty(); },
            [](const Data& /*data*/) {
                return PanelTexts{
                    "Configured differently", "as far as launch configurations and traces say it"};
            },
            configurationContent},
        {Operators, Width::Whole, [](const Data& data) { return !data.operators.empty(); },
            [](const Data& /*data*/) {
                return PanelTexts{"Operators that differ most",
                    "time of their kernels in a step, mean over the traced GPUs"};
            },
            operatorsContent},
        {Kernels, Width::PartOfFew, [](const Data& data) { return !data.kernels.empty(); },
            [](const Data& /*data*/) {
                return PanelTexts{"Longest kernels", "time in a step, mean over the traced GPUs"};
            },
            kernelsContent},
        {Bars, Width::Whole, [](const Data& data) { return !data.quantities.empty(); }, barTexts,
            barsContent},
    };
    return rows;
}

const PanelRow& rowOf(ComparisonPanel panel) {
    return *std::ranges::find(panelTable(), panel, &PanelRow::panel);
}

bool ComparisonData::has(ComparisonPanel panel) const {
    return rowOf(panel).has(*this);
}

PanelTexts textsOf(const ComparisonData& data, ComparisonPanel panel) {
    return rowOf(panel).texts(data);
}

} // namespace trainscope::plot
