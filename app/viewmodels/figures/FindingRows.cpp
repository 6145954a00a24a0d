#include "app/viewmodels/figures/FindingRows.h"

#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/text/Translated.h"
#include "core/analysis/findings/Findings.h"
#include "core/model/Try.h"

#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

namespace trainscope::app {
namespace {

// The names of values end in their unit.
struct Ending {
    const char* ending;
    const char* unit;
};
constexpr std::array kEndings{Ending{"_b_per_s", "B/s"}, Ending{"_gpu_s", "s"}, Ending{"_c", "°C"},
    Ending{"_w", "W"}, Ending{"_j", "J"}, Ending{"_hz", "Hz"}, Ending{"_s", "s"}};
constexpr std::array<std::string_view, 10> kShares{"fraction", "share", "utilisation", "coverage",
    "throttled", "communication", "bound", "excess", "worst", "imbalance"};

bool isShare(std::string_view name) {
    for (const auto share : kShares) {
        if (name.ends_with(share))
            return true;
    }
    return false;
}

// "lost_gpu_s" → "lost gpu".
QString labelOf(std::string_view name) {
    return textOf(name).replace(QLatin1Char('_'), QLatin1Char(' '));
}

void addValue(FindingRow& row, std::string_view name, double value) {
    for (const auto& known : kEndings) {
        if (!name.ends_with(known.ending))
            continue;
        row.labels.append(
            labelOf(name.substr(0, name.size() - std::string_view(known.ending).size())));
        const bool time = std::string_view(known.unit) == "s";
        row.values.append(time
                ? durationText(DurationNs{static_cast<std::int64_t>(std::llround(value * 1e9))})
                : metricText({}, value, known.unit));
        return;
    }
    row.labels.append(labelOf(name));
    if (isShare(name))
        row.values.append(
            QStringLiteral("%1 %").arg(decimalText(value * 100.0, 'g', value < 0.1 ? 2 : 3)));
    else if (name == "bytes")
        row.values.append(bytesText(static_cast<std::uint64_t>(std::max(value, 0.0))));
    else
        row.values.append(value == std::round(value) ? wholeText(std::llround(value))
                                                     : decimalText(value, 'g', 4));
}

QString severityText(analysis::Severity severity) {
    switch (severity) {
    case analysis::Severity::Note:
        return FindingListModel::tr("to know");
    case analysis::Severity::Attention:
        return FindingListModel::tr("needs attention");
    case analysis::Severity::Serious:
        break;
    }
    return FindingListModel::tr("serious");
}

QString placeOf(const Run& run, const analysis::Evidence& evidence) {
    QStringList parts;
    if (evidence.rank >= 0)
        parts.append(FindingListModel::tr("rank %1").arg(evidence.rank));
    const bool whole = evidence.range.isEmpty()
        || (evidence.range.begin <= run.range.begin && run.range.end <= evidence.range.end);
    if (!whole)
        parts.append(FindingListModel::tr("%1 to %2")
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

FindingRow rowOf(const Run& run, const analysis::Finding& finding) {
    FindingRow row;
    row.run = QString::fromStdString(run.name);
    row.text = QString::fromStdString(finding.text);
    row.rule = QString::fromStdString(finding.threshold);
    row.denominator = QString::fromStdString(finding.denominator);
    row.place = placeOf(run, finding.evidence);
    row.severity = static_cast<int>(finding.severity);
    row.severityText = severityText(finding.severity);
    for (const auto& [name, value] : finding.values) {
        // Most of the causes that a straggler may have cost nothing.
        if (value != 0.0 || !name.ends_with("_s"))
            addValue(row, name, value);
    }
    row.evidence = evidenceOf(run, finding.evidence);
    return row;
}

} // namespace

Result<std::vector<FindingRow>> findingRows(
    const store::Store& store, const Run& run, const Progress& progress) {
    ASSIGN_OR_RETURN(const auto findings, analysis::findingsOf(store, run, progress));
    std::vector<FindingRow> rows;
    for (const auto& finding : findings)
        rows.push_back(rowOf(run, finding));
    return rows;
}

QStringList rulesLookedAt() {
    return {FindingListModel::tr("heat from front to rear"), FindingListModel::tr("throttling"),
        FindingListModel::tr("swings of power"), FindingListModel::tr("stages"),
        FindingListModel::tr("GPUs and nodes that differ"),
        FindingListModel::tr("exposed communication"), FindingListModel::tr("idle time"),
        FindingListModel::tr("bubbles"), FindingListModel::tr("stragglers"),
        FindingListModel::tr("use of the links"), FindingListModel::tr("clocks of the ranks"),
        FindingListModel::tr("missing data")};
}

} // namespace trainscope::app
