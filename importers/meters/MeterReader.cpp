#include "importers/meters/MeterReader.h"

#include "core/model/AsciiText.h"
#include "importers/common/Cells.h"

namespace trainscope::importers::meters {

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
    if (stamp.kind == StampKind::Local)
        return stamp.time - m_clock.utcOffset - m_shift;
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
    return m_table.add(m_table.channel(subject.value(), what), time, value);
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
