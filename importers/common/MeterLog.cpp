#include "importers/common/MeterLog.h"

#include "core/model/Try.h"
#include "importers/common/Cells.h"

#include <cmath>

namespace trainscope::importers {

void ClockFalls::row(std::size_t slot, TimeNs time, std::int64_t line) {
    if (slot >= m_gpus.size())
        m_gpus.resize(slot + 1);
    GpuClock& gpu = m_gpus[slot];
    const DurationNs step = time - gpu.last.value_or(time);
    gpu.last = time;
    if (step.ns > 0)
        gpu.period = step;
    if (step.ns >= -std::max(gpu.period.ns, m_jitter.ns))
        return;
    m_count = std::max(m_count, ++gpu.falls);
    if (!m_first)
        m_first = {line, {-step.ns}};
}

std::string ClockFalls::inWords(std::optional<StampKind> stamps) const {
    std::string words = stepBackText(m_first->size, stamps);
    if (m_count > 1)
        words += " In all it goes back " + std::to_string(m_count) + " times.";
    return words;
}

void MeterLog::skip(std::string text) {
    ++m_report.skipped;
    warn(std::move(text), Severity::Lost);
}

void MeterLog::warn(std::string text, Severity severity) {
    m_report.warn(m_file, m_line, std::move(text), severity);
}

void MeterLog::breakOff(const Error& error) {
    m_isCutShort = true;
    warn("The file breaks off here: " + error.message + " What came before is kept.",
        Severity::Lost);
}

TimeNs MeterLog::at(const Stamp& stamp) {
    const bool isDated = stamp.kind != StampKind::TimeOfDay;
    if (isDated && m_stamp != stamp.time)
        enter(stamp);
    m_stamp = isDated ? std::optional(stamp.time) : std::nullopt;
    m_isWaiting = m_isWaiting && isDated;
    return m_isWaiting ? m_moments.back().time : timeOf(stamp);
}

// Rows that wait have the time that their stamp says until the turns of the clock before are known.
void MeterLog::enter(const Stamp& stamp) {
    const bool waits = m_gate.take(stamp.time);
    m_isWaiting = waits;
    if (!waits && m_moments.empty())
        return;
    m_moments.push_back({stamp, stamp.time, m_line, 0, {}, {}});
    if (!waits && m_status.hasValue())
        m_status = release(m_gate.takeWaiting());
}

TimeNs MeterLog::timeOf(const Stamp& stamp) {
    if (!m_kind) {
        m_kind = stamp.kind;
        m_first = stamp.time;
    }
    m_last = stamp.time;
    if (stamp.kind == StampKind::Local) {
        const TimeNs time = m_wall.unfold(stamp.time);
        if (m_wall.turn() != WallClock::Turn::None)
            warn(std::string(turnText(m_wall.turn())));
        return time - m_clock.utcOffset - m_shift;
    }
    if (stamp.kind == StampKind::TimeOfDay)
        return m_wall.ofDay(stamp.time, start() + m_clock.utcOffset) - m_clock.utcOffset - m_shift;
    return stamp.kind == StampKind::Relative ? TimeNs{start().ns + stamp.time.ns}
                                             : stamp.time - m_shift;
}

Status MeterLog::release(const std::vector<bool>& areDamaged) {
    const std::int64_t line = m_line;
    const auto moments = std::exchange(m_moments, {});
    m_isWaiting = false;
    for (std::size_t i = 0; i < moments.size(); ++i) {
        m_line = moments[i].line;
        if (i < areDamaged.size() && areDamaged[i])
            skip(m_gate.damageText(moments[i].stamp.time));
        else
            RETURN_IF_ERROR(release(moments[i]));
    }
    m_line = line;
    return {};
}

Status MeterLog::release(const Moment& moment) {
    m_report.rows += moment.rows;
    const DurationNs behind = timeOf(moment.stamp) - moment.time;
    for (const Reading& reading : moment.readings)
        RETURN_IF_ERROR(
            take({reading.channel, reading.time + behind, reading.value, reading.once}));
    for (const WholeRow& row : moment.wholeRows)
        RETURN_IF_ERROR(takeRow(row.subject, row.time + behind, row.values));
    return {};
}

Status MeterLog::restart() {
    RETURN_IF_ERROR(finish());
    m_gate = {};
    m_falls.restart();
    m_stamp.reset();
    return {};
}

Status MeterLog::finish() {
    RETURN_IF_ERROR(std::exchange(m_status, {}));
    return release(m_gate.finish());
}

TimeNs MeterLog::at(std::int64_t reading) {
    m_stamp.reset();
    m_isWaiting = false;
    constexpr DurationNs kAssumed{1'000'000'000};
    m_isPeriodAssumed = m_isPeriodAssumed || (reading > 0 && !m_clock.period);
    return {start().ns + reading * m_clock.period.value_or(kAssumed).ns};
}

Status MeterLog::add(const Who& who, const SeriesDescription& what, TimeNs time, double value) {
    const auto subject = m_table.subject(who);
    if (!subject.hasValue()) {
        skip(subject.error().message);
        return {};
    }
    const std::size_t channel = m_table.channel(subject.value(), what);
    return add(channel, time, checked(m_table.description(channel), what, value), false);
}

Status MeterLog::add(std::size_t channel, TimeNs time, double value, bool once) {
    if (!m_status.hasValue())
        return std::exchange(m_status, {});
    const Reading reading{channel, time, value, once};
    if (!m_isWaiting)
        return take(reading);
    m_moments.back().readings.push_back(reading);
    return {};
}

Status MeterLog::take(const Reading& reading) {
    if (reading.once && m_table.lastTime(reading.channel) == reading.time) {
        duplicate();
        return {};
    }
    m_falls.row(reading.channel, reading.time, m_line);
    return m_table.add(reading.channel, reading.time, reading.value);
}

Status MeterLog::addRow(std::size_t subject, TimeNs time, std::span<const double> values) {
    if (!m_status.hasValue())
        return std::exchange(m_status, {});
    if (!m_isWaiting)
        return takeRow(subject, time, values);
    m_moments.back().wholeRows.push_back({subject, time, {values.begin(), values.end()}});
    return {};
}

Status MeterLog::takeRow(std::size_t subject, TimeNs time, std::span<const double> values) {
    m_falls.row(subject, time, m_line);
    return m_table.addRow(subject, time, values);
}

Status MeterLog::know(const Who& who) {
    if (const auto subject = m_table.subject(who); !subject.hasValue())
        skip(subject.error().message);
    return {};
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
    if (const auto& fall = m_falls.first())
        m_report.warn(m_file, fall->line, m_falls.inWords(m_kind));
    if (m_isPeriodAssumed) {
        m_report.facts["assumed_period"] = "1 s";
        m_report.warn(m_file, 0,
            "The file has no time stamps: 1 s between readings was assumed, and energy and "
            "duration rest on it. Say --period.");
    }
    if (m_own.empty())
        return;
    std::string& names = m_report.facts["own_columns"];
    for (const std::string& name : m_own) {
        constexpr std::size_t kLongest = 1000;
        if (names.find(name) == std::string::npos && names.size() < kLongest)
            names += (names.empty() ? "" : ", ") + name;
    }
}

std::string meterExcerpt(std::string_view text) {
    constexpr std::size_t kLongest = 80;
    std::string result(text.substr(0, kLongest));
    for (char& c : result)
        c = static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    return text.size() > kLongest ? result + "…" : result;
}

} // namespace trainscope::importers
