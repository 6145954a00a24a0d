#include "app/viewmodels/importing/SaidStart.h"

#include "app/viewmodels/text/HumanText.h"
#include "importers/common/Cells.h"
#include "importers/registry/Registry.h"

#include <QDateTime>

#include <optional>

namespace trainscope::app {

static std::optional<TimeNs> momentOf(const QString& text) {
    QString iso = text.trimmed();
    iso.replace(QLatin1Char(' '), QLatin1Char('T'));
    // As UTC first: clocks here may leave it out.
    auto moment = QDateTime::fromString(iso + QLatin1Char('Z'), Qt::ISODateWithMs);
    if (!moment.isValid())
        moment = QDateTime::fromString(iso, Qt::ISODateWithMs);
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

bool setSaidPeriod(ImportRow& row, const QString& text) {
    if (!row.unit.hasNoStamps || row.period == text)
        return false;
    const bool isEmpty = text.trimmed().isEmpty();
    const auto period
        = isEmpty ? std::nullopt : importers::parsePeriod(text.trimmed().toStdString());
    row.period = isEmpty ? QString() : text;
    row.periodFaulty = !isEmpty && !period;
    row.unit.saidPeriod = period;
    return true;
}

void setSaidZone(ImportRow& row, const QString& text) {
    const bool isEmpty = text.trimmed().isEmpty();
    const auto seconds
        = isEmpty ? std::optional<std::int64_t>(0) : utcOffsetOf(text, row.unit.start);
    row.offsetFaulty = !seconds;
    row.offset = isEmpty ? QString() : seconds ? utcOffsetText(*seconds) : text;
    if (isEmpty && isToldByPower(row))
        row.unit.utcOffsetSeconds.reset();
    else if (seconds)
        row.unit.utcOffsetSeconds = seconds;
}

bool isToldByPower(const ImportRow& row) {
    const auto* importer = importers::findImporter(row.unit.importer);
    return importer != nullptr && importer->work != nullptr;
}

} // namespace trainscope::app
