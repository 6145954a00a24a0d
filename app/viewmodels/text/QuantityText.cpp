#include "app/viewmodels/text/QuantityText.h"

#include "core/plot/Ticks.h"
#include "core/plot/timeline/TimeTicks.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>

#include <array>
#include <cmath>

namespace trainscope::app {
namespace {

struct Unit {
    std::int64_t size;
    int digits;
    const char* symbol;
};
constexpr std::array<Unit, 3> kUnits{
    {{1'000'000'000, 9, "s"}, {1'000'000, 6, "ms"}, {1'000, 3, "µs"}}};

} // namespace

QString noDataText() {
    return QCoreApplication::translate("QuantityText", "no data");
}

QString metricText(std::string_view metric, double si, std::string_view unit) {
    if (!std::isfinite(si))
        return noDataText();
    return QString::fromStdString(plot::quantityText(metric, unit, si));
}

QString durationText(DurationNs duration) {
    return QString::fromStdString(plot::durationText(duration));
}

QString exactDurationText(DurationNs duration) {
    const std::int64_t magnitude = duration.ns < 0 ? -duration.ns : duration.ns;
    const QString sign = duration.ns < 0 ? QString(QChar(0x2212)) : QString();
    for (const auto& unit : kUnits) {
        if (magnitude < unit.size)
            continue;
        const QString fraction
            = QStringLiteral("%1").arg(magnitude % unit.size, unit.digits, 10, QLatin1Char('0'));
        return sign + QString::number(magnitude / unit.size) + QLatin1Char('.') + fraction
            + QLatin1Char(' ') + QString::fromUtf8(unit.symbol);
    }
    return sign + QString::number(magnitude) + QStringLiteral(" ns");
}

QString countText(std::int64_t count) {
    return QLocale().toString(static_cast<qlonglong>(count));
}

std::int64_t localUtcOffsetSeconds(TimeNs time) {
    return QDateTime::fromMSecsSinceEpoch(time.ns / 1'000'000).offsetFromUtc();
}

} // namespace trainscope::app
