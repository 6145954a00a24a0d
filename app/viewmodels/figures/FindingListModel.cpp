#include "app/viewmodels/figures/FindingListModel.h"

namespace trainscope::app {

bool FindingRow::operator==(const FindingRow& other) const {
    return run == other.run && text == other.text && rule == other.rule && place == other.place
        && values == other.values && severity == other.severity && denominator == other.denominator;
}

QVariant FindingListModel::value(const FindingRow& row, int role) const {
    switch (role) {
    case Run:
        return row.run;
    case Qt::DisplayRole:
    case Text:
        return row.text;
    case Rule:
        return row.rule;
    case Denominator:
        return row.denominator;
    case Place:
        return row.place;
    case Severity:
        return row.severity;
    case SeverityText:
        return row.severityText;
    case Labels:
        return row.labels;
    case Values:
        return row.values;
    default:
        return {};
    }
}

QHash<int, QByteArray> FindingListModel::roleNames() const {
    return {{Run, "run"}, {Text, "text"}, {Rule, "rule"}, {Denominator, "denominator"},
        {Place, "place"}, {Severity, "severity"}, {SeverityText, "severityText"},
        {Labels, "labels"}, {Values, "values"}};
}

QString FindingListModel::textOf(int row) const {
    if (row < 0 || row >= count())
        return {};
    const FindingRow& finding = rows()[static_cast<std::size_t>(row)];
    QStringList lines{tr("%1 (%2)").arg(finding.text, finding.severityText)};
    lines.append(finding.place.isEmpty()
            ? finding.run
            : QStringLiteral("%1 · %2").arg(finding.run, finding.place));
    for (qsizetype i = 0; i < finding.labels.size() && i < finding.values.size(); ++i)
        lines.append(QStringLiteral("%1\t%2").arg(finding.labels[i], finding.values[i]));
    lines.append(tr("Rule: %1").arg(finding.rule));
    if (!finding.denominator.isEmpty())
        lines.append(tr("Of: %1").arg(finding.denominator));
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

QString FindingListModel::text() const {
    QStringList all;
    for (int row = 0; row < count(); ++row)
        all.append(textOf(row));
    return all.join(QLatin1Char('\n'));
}

} // namespace trainscope::app
