#include "app/viewmodels/figures/FindingRows.h"

#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/text/Texts.h"
#include "core/model/Metric.h"
#include "core/model/Try.h"
#include "core/text/Numbers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

namespace trainscope::app {
namespace {

struct InUnit {
    const char* name; // a value's name, or its ending
    const char* unit;
};
// The names of most values end in their unit.
constexpr std::array kEndings{InUnit{"_b_per_s", "B/s"}, InUnit{"_per_s", "1/s"},
    InUnit{"_c", "°C"}, InUnit{"_w", "W"}, InUnit{"_j", "J"}, InUnit{"_hz", "Hz"},
    InUnit{"_s", "s"}};
constexpr std::array kNames{InUnit{"seconds", "s"}, InUnit{"bytes", "B"},
    InUnit{"flops_per_gpu", "FLOP/s"}, InUnit{"peak_flops", "FLOP/s"}};
constexpr std::array<std::string_view, 8> kShares{
    "fraction", "share", "utilisation", "coverage", "throttled", "communication", "excess", "mfu"};

bool isShare(std::string_view name) {
    return std::ranges::any_of(
        kShares, [name](std::string_view share) { return name.ends_with(share); });
}

// "lost_gpu_s" → "lost gpu".
QString labelOf(std::string_view name) {
    return textOf(name).replace(QLatin1Char('_'), QLatin1Char(' '));
}

QString unitText(double value, std::string_view unit) {
    return unit == "s"
        ? durationText(DurationNs{static_cast<std::int64_t>(std::llround(value * 1e9))})
        : metricText({}, value, unit);
}

// Text of a value whose name does not end in its unit; the metric is that of the finding.
QString valueText(std::string_view name, double value, const std::string& metric) {
    const auto known = std::ranges::find(kNames, name, &InUnit::name);
    if (known != kNames.end())
        return unitText(value, known->unit);
    // GPUs that differ from the others, by their means.
    if (const auto* of = findMetric(metric); of != nullptr && (name == "worst" || name == "median"))
        return metricText(metric, value, of->unit);
    if (isShare(name))
        return QString::fromStdString(text::roundedPercent(value));
    return value == std::round(value) ? wholeText(std::llround(value)) : decimalText(value, 'g', 4);
}

void addValue(FindingRow& row, std::string_view name, double value, const std::string& metric) {
    const auto known = std::ranges::find_if(
        kEndings, [name](const InUnit& one) { return name.ends_with(one.name); });
    const bool isKnown = known != kEndings.end();
    row.labels.append(labelOf(
        isKnown ? name.substr(0, name.size() - std::string_view(known->name).size()) : name));
    row.values.append(isKnown ? unitText(value, known->unit) : valueText(name, value, metric));
}

QString placeOf(const Run& run, const analysis::Evidence& evidence) {
    QStringList parts;
    if (evidence.rank >= 0)
        parts.append(QStringLiteral("rank %1").arg(evidence.rank));
    const bool whole = evidence.range.isEmpty()
        || (evidence.range.begin <= run.range.begin && run.range.end <= evidence.range.end);
    if (!whole)
        parts.append(QStringLiteral("%1 to %2")
                         .arg(durationText(evidence.range.begin - run.range.begin),
                             durationText(evidence.range.end - run.range.begin)));
    return parts.join(QStringLiteral(" · "));
}

Evidence evidenceOf(const Run& run, const analysis::Evidence& evidence) {
    Evidence place{run.id, std::nullopt, std::nullopt, evidence.metric};
    if (evidence.rank >= 0)
        place.rank = evidence.rank;
    if (!evidence.range.isEmpty())
        place.range = evidence.range;
    return place;
}

} // namespace

FindingListModel::FindingListModel(QObject* parent)
    : RowListModel(
        {{"text", &FindingRow::text}, {"run", &FindingRow::run}, {"rule", &FindingRow::rule},
            {"denominator", &FindingRow::denominator}, {"place", &FindingRow::place},
            {"severity", &FindingRow::severity}, {"severityText", &FindingRow::severityText},
            {"labels", &FindingRow::labels}, {"values", &FindingRow::values}},
        parent) { }

QString FindingListModel::textOf(int row) const {
    if (!isThere(row))
        return {};
    const FindingRow& finding = rows()[static_cast<std::size_t>(row)];
    QStringList lines{QStringLiteral("%1 (%2)").arg(finding.text, finding.severityText)};
    lines.append(finding.place.isEmpty()
            ? finding.run
            : QStringLiteral("%1 · %2").arg(finding.run, finding.place));
    for (qsizetype i = 0; i < finding.labels.size() && i < finding.values.size(); ++i)
        lines.append(QStringLiteral("%1\t%2").arg(finding.labels[i], finding.values[i]));
    lines.append(QStringLiteral("Threshold: %1").arg(finding.rule));
    if (!finding.denominator.isEmpty())
        lines.append(QStringLiteral("Basis: %1").arg(finding.denominator));
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

QString FindingListModel::text() const {
    QStringList all;
    for (int row = 0; row < count(); ++row)
        all.append(textOf(row));
    return all.join(QLatin1Char('\n'));
}

FindingRow findingRow(const Run& run, const analysis::Finding& finding) {
    FindingRow row;
    row.run = QString::fromStdString(run.name);
    row.text = QString::fromStdString(finding.text);
    row.rule = QString::fromStdString(finding.threshold);
    row.denominator = QString::fromStdString(finding.denominator);
    row.place = placeOf(run, finding.evidence);
    row.severity = static_cast<int>(finding.severity);
    row.severityText = textOf(titleOf(finding.severity));
    for (const auto& [name, value] : finding.values) {
        // Most of the causes that a straggler may have cost nothing.
        if (value != 0.0 || !name.ends_with("_s"))
            addValue(row, name, value, finding.evidence.metric);
    }
    row.numbers = finding.values;
    row.evidence = evidenceOf(run, finding.evidence);
    return row;
}

Result<std::vector<FindingRow>> findingRows(const analysis::RunStudy& study) {
    ASSIGN_OR_RETURN(const auto findings, analysis::findingsOf(study));
    std::vector<FindingRow> rows;
    for (const auto& finding : findings)
        rows.push_back(findingRow(study.run, finding));
    return rows;
}

} // namespace trainscope::app
