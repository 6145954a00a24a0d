#include "core/report/ReportComparison.h"

#include "core/analysis/comparison/Comparison.h"
#include "core/analysis/findings/FindingText.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace trainscope::report {

namespace {

constexpr const char* kNone = "–";

std::string valueText(const std::optional<double>& value, const analysis::QuantityInfo& quantity) {
    if (!value)
        return kNone;
    if (quantity.key.ends_with("_fraction") || quantity.key == "mfu"
        || quantity.key.ends_with("utilization"))
        return fmt::format("{:.1f} %", *value * 100.0);
    if (quantity.unit == "°C")
        return analysis::celsius(*value);
    // "Tokens / s" says its unit already.
    if (!quantity.unit.starts_with('1'))
        return analysis::scaled(*value, quantity.unit);
    constexpr double whole = 1000.0; // from here on without decimals
    return std::abs(*value) >= whole ? fmt::format("{:.0f}", *value)
                                     : fmt::format("{:.4g}", *value);
}

std::string weightText(const analysis::Difference& difference) {
    if (!difference.a || !difference.b)
        return kNone;
    return difference.weight == analysis::Difference::Weight::Unknown
        ? "not known"
        : std::string(toString(difference.weight)) + " the spread";
}

Table quantityTable(const analysis::Comparison& comparison) {
    Table table{"Compared quantities",
        {"Quantity", comparison.runs[0].run.name, comparison.runs[1].run.name, "B / A",
            "Difference"},
        {}, {}};
    const auto& quantities = analysis::comparedQuantities();
    for (const analysis::Difference& one : comparison.differences.front()) {
        if (!one.a && !one.b)
            continue;
        const auto& quantity = quantities[one.quantity];
        table.rows.push_back(
            {quantity.title, valueText(one.a, quantity), valueText(one.b, quantity),
                one.ratio ? fmt::format("{:.3f}", *one.ratio) : kNone, weightText(one)});
    }
    for (const auto& run : comparison.runs)
        table.notes.push_back(run.run.name + ": " + run.wording + ".");
    table.notes.emplace_back(
        "The spread is that over iterations: Welch's t-test on their values at 95 %.");
    return table;
}

Table configurationTable(const analysis::Comparison& comparison) {
    Table table{"Configured differently",
        {"Setting", comparison.runs[0].run.name, comparison.runs[1].run.name}, {}, {}};
    for (const analysis::ConfigDifference& one : comparison.configuration)
        table.rows.push_back(
            {one.title, one.values[0].value_or(kNone), one.values[1].value_or(kNone)});
    return table;
}

} // namespace

Result<Comparison> comparisonSection(
    const store::Store& store, const Run& a, const Run& b, const Progress& progress) {
    const auto compared = analysis::compareRuns(store, std::array{a, b}, {}, progress);
    if (!compared.hasValue())
        return compared.error();
    const analysis::Verdict& verdict = compared.value().verdicts.front();
    Comparison section{a.name + " and " + b.name, verdict.headline, verdict.reason, {}, {}};
    for (const analysis::Statement& one : verdict.statements)
        section.statements.push_back(one.text);
    section.tables = {quantityTable(compared.value()), configurationTable(compared.value())};
    return section;
}

} // namespace trainscope::report
