#include "importers/meters/MeterReader.h"

#include "core/model/AsciiText.h"

namespace trainscope::importers::meters {

SeriesDescription meterSeries(std::string_view metric, std::string_view unit, SensorKind sensor) {
    SeriesDescription what;
    what.metric = meterMetric(metric, "1");
    if (const auto known = findUnit(unit)) {
        what.scale = known->scale;
        what.metric.unit = known->si;
    } else if (unit == "V" || unit == "A" || unit == "1/min") {
        what.metric.unit = unit;
    }
    what.counterBits = what.metric.kind == MetricKind::Counter ? 64 : 0;
    what.sensor = sensor;
    return what;
}

double numberIn(const SeriesDescription& what, const CellValue& value, MeterLog& log) {
    const std::string& own = what.metric.unit;
    if (isFahrenheit(value.unit) && own == "°C")
        return celsiusOf(value.number) / what.scale;
    const auto unit = findUnit(value.unit);
    if (unit && unit->si == own)
        return value.number * (unit->scale / what.scale);
    const bool isCount = own == "1" && what.scale == 1.0; // any word may stand behind it
    if (value.unit.empty() || value.unit == own || isCount)
        return value.number;
    log.warn("\"" + meterExcerpt(value.unit) + "\" is no unit of " + what.metric.name
        + "; taken as missing.");
    return kMissing;
}

double numberOf(
    std::string_view text, const SeriesDescription& what, MeterLog& log, std::string_view unit) {
    if (isMissingCell(text))
        return kMissing;
    if (text.starts_with('(') && text.ends_with(')'))
        text = text.substr(1, text.size() - 2);
    auto value = parseCell(text, CellForm::Number);
    if (value && value->unit.empty())
        value->unit = unit;
    return value ? numberIn(what, *value, log) : kMissing;
}

SeriesDescription ownMeterSeries(std::string_view name, std::string_view unit) {
    std::string own;
    for (const std::string_view part : words(name, " ._-/:()[]#%")) {
        if (own.size() < 100)
            own += (own.empty() ? "" : "_") + lowered(part);
    }
    return meterSeries(own.empty() ? "value" : own, unit);
}

} // namespace trainscope::importers::meters
