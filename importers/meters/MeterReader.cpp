#include "importers/meters/MeterReader.h"

#include "core/model/AsciiText.h"

#include <cmath>
#include <cstdlib>

namespace trainscope::importers::meters {

namespace {

constexpr std::int64_t kJitterNs = 1'000'000'000; // of loggers that write beside one another

} // namespace

void MeterLog::skip(std::string text) {
    ++m_report.skipped;
    warn(std::move(text));
}

void MeterLog::warn(std::string text) {
    m_report.warn(m_file, m_line, std::move(text));
}

TimeNs MeterLog::at(const Stamp& stamp) {
    if (!m_kind) {
        m_kind = stamp.kind;
        m_first = stamp.time;
    }
    if (stamp.kind == StampKind::Local) {
        const TimeNs time = m_wall.unfold(stamp.time);
        if (m_wall.turn() != WallClock::Turn::None)
            warn(std::string(turnText(m_wall.turn())));
        return time - m_clock.utcOffset - m_shift;
    }
    if (stamp.kind == StampKind::TimeOfDay)
        return m_wall.ofDay(stamp.time, m_clock.start + m_clock.utcOffset) - m_clock.utcOffset
            - m_shift;
    return stamp.kind == StampKind::Relative ? TimeNs{m_clock.start.ns + stamp.time.ns}
                                             : stamp.time - m_shift;
}

TimeNs MeterLog::at(std::int64_t reading) {
    m_untimed = true;
    return {m_clock.start.ns + reading * m_clock.period.ns};
}

Status MeterLog::add(const Who& who, const SeriesDescription& what, TimeNs time, double value) {
    const auto subject = m_table.subject(who);
    if (!subject.hasValue()) {
        skip(subject.error().message);
        return {};
    }
    const std::size_t channel = m_table.channel(subject.value(), what);
    if (const auto before = m_table.lastTime(channel))
        noteStepBack(*before, time);
    return m_table.add(channel, time, checked(m_table.description(channel), what, value));
}

Status MeterLog::know(const Who& who) {
    if (const auto subject = m_table.subject(who); !subject.hasValue())
        skip(subject.error().message);
    return {};
}

// All GPUs and metrics of a file step together: of like steps one is told.
void MeterLog::noteStepBack(TimeNs before, TimeNs time) {
    const DurationNs back = before - time;
    if (back.ns <= kJitterNs || back.ns / 2 <= m_stepBack.ns)
        return;
    m_stepBack = back;
    warn(stepBackText(back, m_kind));
}

double MeterLog::checked(
    const SeriesDescription& known, const SeriesDescription& what, double value) {
    if (value < 0.0 && what.metric.unit == "W") {
        warn("A " + what.metric.name + " below zero is no measurement; taken as missing.");
        return kMissing;
    }
    if (known.metric.unit == what.metric.unit)
        return value * (what.scale / known.scale);
    if (!std::isnan(value))
        warn("\"" + what.metric.name + "\" comes in " + what.metric.unit + " here and in "
            + known.metric.unit + " before; taken as missing.");
    return kMissing;
}

void MeterLog::completeFacts() {
    if (m_own.empty())
        return;
    std::string& names = m_report.facts["own_columns"];
    for (const std::string& name : m_own) {
        constexpr std::size_t kLongest = 1000;
        if (names.find(name) == std::string::npos && names.size() < kLongest)
            names += (names.empty() ? "" : ", ") + name;
    }
}

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

SeriesDescription ownMeterSeries(std::string_view name, std::string_view unit) {
    std::string own;
    for (const std::string_view part : words(name, " ._-/:()[]#%")) {
        if (own.size() < 100)
            own += (own.empty() ? "" : "_") + lowered(part);
    }
    return meterSeries(own.empty() ? "value" : own, unit);
}

std::string meterExcerpt(std::string_view text) {
    constexpr std::size_t kLongest = 80;
    std::string result(text.substr(0, kLongest));
    for (char& c : result)
        c = static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    return text.size() > kLongest ? result + "…" : result;
}

} // namespace trainscope::importers::meters
