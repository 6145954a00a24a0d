#include "app/viewmodels/importing/SaidStart.h"

#include <QDateTime>

#include <optional>

namespace trainscope::app {

static std::optional<TimeNs> momentOf(const QString& text) {
    QString iso = text.trimmed();
    iso.replace(QLatin1Char(' '), QLatin1Char('T'));
    auto moment = QDateTime::fromString(iso, Qt::ISODateWithMs);
    if (!moment.isValid())
        return std::nullopt;
    if (moment.timeSpec() == Qt::LocalTime)
        moment.setTimeSpec(Qt::UTC);
    return TimeNs{moment.toMSecsSinceEpoch() * 1'000'000};
}

bool setSaidStart(ImportRow& row, const QString& text, bool isOnly) {
    const bool isEmpty = text.trimmed().isEmpty();
    const auto start = isEmpty ? std::nullopt : momentOf(text);
    if (!start && !isEmpty && !isOnly)
        return false;
    row.offset = isEmpty ? QString() : text;
    row.offsetFaulty = !isEmpty && !start;
    row.unit.saidStart = start;
    return true;
}

} // namespace trainscope::app
