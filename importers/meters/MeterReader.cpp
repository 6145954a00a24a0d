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

std::optional<double> numberIn(const SeriesDescription& what, const CellValue& value) {
    const std::string& own = what.metric.unit;
    if (isFahrenheit(value.unit) && own == "°C")
        return celsiusOf(value.number) / what.scale;
    const auto unit = findUnit(value.unit);
    if (unit && unit->si == own)
        return value.number * (unit->scale / what.scale);
    const bool isCount = own == "1" && what.scale == 1.0; // any word may stand behind it
    return value.unit.empty() || value.unit == own || isCount ? std::optional(value.number)
                                                              : std::nullopt;
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
    if (!value)
        return kMissing;
    const auto number = numberIn(what, *value);
    if (!number)
        log.warn("\"" + meterExcerpt(value->unit) + "\" is no unit of " + what.metric.name
            + "; taken as missing.");
    return number.value_or(kMissing);
}

Who meterSubject(std::string_view text, SubjectKind usual) {
    text = trimmed(text);
    const auto number = [text](std::string_view word) {
        return text.size() > word.size() && equalsIgnoringCase(text.substr(0, word.size()), word)
            ? std::string(trimmed(text.substr(word.size())))
            : std::string();
    };
    constexpr std::size_t kLongestName = 200;
    Who who;
    who.kind = usual;
    if (const std::string node = number("node "); !node.empty()) {
        who.kind = SubjectKind::Node;
        who.host = node;
    } else if (const std::string chip = number("switch "); !chip.empty()) {
        who.kind = SubjectKind::Switch;
        who.device = "sw" + chip;
    } else if (text.starts_with("GPU-I ") || text.starts_with("GPU-CI ")) {
        who.kind = SubjectKind::Link; // no GPU is said
        who.device = text;
    } else if (text == "this node") {
        who.kind = SubjectKind::Node;
    } else if (text == "run") {
        who.kind = SubjectKind::Run;
    } else if (text.starts_with("CPU ") || text.starts_with("part ")) {
        who.kind = SubjectKind::Link;
        who.device = text.starts_with("part ") ? text.substr(5) : text;
    } else if (const auto parts = words(text, "/"); text.starts_with('/') && parts.size() > 1) {
        // "/gpu-nvidia/0/power/0": a sensor's path, by LibreHardwareMonitor
        who.id = std::string(parts[0]) + "/" + std::string(parts[1]);
    } else if (usual == SubjectKind::Gpu) {
        who.id = text.substr(0, kLongestName);
    }
    return who;
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
