#include "app/viewmodels/figures/FindingListModel.h"

namespace trainscope::app {

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

} // namespace trainscope::app
