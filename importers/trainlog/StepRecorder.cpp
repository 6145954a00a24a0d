#include "importers/trainlog/StepRecorder.h"

#include "core/model/Try.h"
#include "core/text/Times.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trainscope::importers::trainlog {

namespace {

constexpr std::size_t kValuesHeld = 4096; // values of a series
constexpr std::size_t kMostColumns = 256;

bool isSkipped(const StepLine& line) {
    return std::ranges::any_of(line.values, [](const LoggedValue& value) {
        const KnownKey* known = findKey(value.key);
        if (known == nullptr || known->role != KeyRole::Skipped)
            return false;
        const auto count = measured(value.text);
        return count && count->number > 0.0;
    });
}

} // namespace

Status StepRecorder::step(const LoggedStep& step, const StepTimes& times) {
    RETURN_IF_ERROR(writeIterations(step, times));
    m_globalBatch.reset();
    RETURN_IF_ERROR(values(step, times.range.end));
    return addComputed(times);
}

// One by one, evenly: where the log speaks of several at once their mean is all that is known.
Status StepRecorder::writeIterations(const LoggedStep& step, const StepTimes& times) {
    if (times.range.isEmpty() || !m_facts.hasTimes)
        return {};
    const std::int64_t length = times.range.length().ns;
    for (std::int64_t i = 0; i < times.count; ++i) {
        const auto at = [&](std::int64_t k) {
            const double share = static_cast<double>(k) / static_cast<double>(times.count);
            return k == times.count
                ? times.range.end
                : times.range.begin + DurationNs{std::llround(share * static_cast<double>(length))};
        };
        Iteration iteration;
        iteration.index = step.line.index - times.count + 1 + i;
        iteration.range = {at(i), at(i + 1)};
        iteration.warmup = times.isRestart && i == 0; // a process of its own
        RETURN_IF_ERROR(m_sink.iteration(m_run, iteration));
        ++m_iterations;
    }
    return {};
}

Status StepRecorder::values(const LoggedStep& step, TimeNs time) {
    m_next = 0;
    m_seen.clear();
    const bool wasSkipped = isSkipped(step.line);
    for (const LoggedValue& value : step.line.values)
        RETURN_IF_ERROR(addValue(value, time, wasSkipped));
    return {};
}

Status StepRecorder::addValue(const LoggedValue& value, TimeNs time, bool isSkipped) {
    const auto number = measured(value.text);
    Column& column = columnOf(value, number ? number->unit : std::string_view());
    const KeyMeaning& meaning = column.meaning;
    if (!number) {
        ++m_report.missing;
        return {};
    }
    if (meaning.role == KeyRole::GlobalBatch) {
        m_globalBatch = number->number;
        m_batchChanges = m_batchChanges || number->number != m_firstBatch.value_or(number->number);
        m_firstBatch = m_firstBatch.value_or(number->number);
    }
    double si = number->number;
    if (number->unit != column.unit)
        si *= meaningOf(value.key, number->unit).scale / meaning.scale;
    if (meaning.role == KeyRole::TokenRatePerGpu && m_facts.gpus)
        si *= *m_facts.gpus;
    const bool isStored = meaning.role == KeyRole::Value || meaning.role == KeyRole::TokenRatePerGpu
        || meaning.role == KeyRole::Skipped;
    if (!isStored)
        return {};
    // An iteration without an update prints a loss of nothing.
    if (meaning.metric.name == metric::kLoss && isSkipped && si == 0.0)
        return {};
    m_seen.insert(meaning.metric.name);
    if (meaning.metric.name == metric::kTokenRate)
        m_loggedTokenRate = si * meaning.scale;
    if (meaning.metric.name == metric::kReportedMfu)
        m_highestMfu = std::max(m_highestMfu.value_or(0.0), si * meaning.scale);
    // nanoGPT's MFU is -100 % until there is one.
    if (!std::isfinite(si) || (si < 0.0 && isMfu(value.key))) { // no mean is one with it
        ++m_report.missing;
        si = std::numeric_limits<double>::quiet_NaN();
    }
    return add(column, time, si);
}

// Adds values that a log states in other words, or not at all.
Status StepRecorder::addComputed(const StepTimes& times) {
    if (times.range.isEmpty() || !m_facts.hasTimes)
        return {};
    const double seconds = times.range.length().seconds() / static_cast<double>(times.count);
    const TimeNs end = times.range.end;
    RETURN_IF_ERROR(add(computed(metric::kStepTime), end, seconds));
    const auto samples = m_globalBatch ? m_globalBatch : m_facts.samplesPerStep;
    if (samples && !m_seen.contains(metric::kSampleRate))
        RETURN_IF_ERROR(add(computed(metric::kSampleRate), end, *samples / seconds));
    auto tokens = m_facts.tokensPerStep;
    if (samples && m_facts.tokensPerSample)
        tokens = *samples * *m_facts.tokensPerSample;
    if (!tokens)
        return {};
    if (!m_seen.contains(metric::kTokenRate))
        return add(computed(metric::kTokenRate), end, *tokens / seconds);
    m_loggedTokens += m_loggedTokenRate * times.range.length().seconds();
    m_knownTokens += *tokens * static_cast<double>(times.count);
    return {};
}

StepRecorder::Column& StepRecorder::columnOf(const LoggedValue& value, std::string_view unit) {
    if (m_next < m_order.size() && m_order[m_next]->key == value.key)
        return *m_order[m_next++];
    auto found = m_columns.find(value.key);
    if (found == m_columns.end()) {
        Column column;
        column.key = value.key;
        column.unit = unit;
        column.meaning = meaningOf(value.key, unit);
        KeyMeaning& meaning = column.meaning;
        // The second of two keys for one metric is kept under its own name.
        const bool isTaken
            = !meaning.metric.name.empty() && !m_taken.insert(meaning.metric.name).second;
        if (meaning.role == KeyRole::TokenRatePerGpu && !m_facts.gpus)
            meaning.metric = {
                "tokens_per_second_per_gpu", "1/s", MetricKind::Rate, "Tokens per second and GPU"};
        else if (isTaken)
            meaning.metric = {"logged_" + meaning.metric.name, meaning.metric.unit,
                meaning.metric.kind, meaning.metric.label + ", as logged"};
        if (meaning.metric.name.empty())
            meaning.metric = {"skipped_iterations", "1", MetricKind::Gauge, "Skipped iterations"};
        if (!meaning.isKnown)
            m_own.insert(meaning.metric.name);
        if (m_columns.size() >= kMostColumns)
            meaning.role = KeyRole::Ignored;
        found = m_columns.emplace(column.key, std::move(column)).first;
    }
    if (m_next == m_order.size())
        m_order.push_back(&found->second);
    else
        m_order[m_next] = &found->second;
    ++m_next;
    return found->second;
}

StepRecorder::Column& StepRecorder::computed(std::string_view metric) {
    const std::string key = " " + std::string(metric);
    auto found = m_columns.find(key);
    if (found == m_columns.end()) {
        Column column;
        column.key = key;
        column.meaning.metric = *findMetric(metric);
        if (!m_taken.insert(column.meaning.metric.name).second)
            column.meaning.metric.name = "computed_" + column.meaning.metric.name;
        found = m_columns.emplace(key, std::move(column)).first;
    }
    return found->second;
}

Status StepRecorder::add(Column& column, TimeNs time, double number) {
    column.times.push_back(time);
    column.numbers.push_back(number);
    return column.times.size() >= kValuesHeld ? flush(column) : Status();
}

// A MFU without a unit is in percent, unless no more than 1 is ever said of it.
bool StepRecorder::saysFractions(const Column& column) {
    return isMfu(column.key) && column.unit.empty()
        && std::ranges::none_of(column.numbers, [](double number) { return number > 1.0; });
}

Status StepRecorder::flush(Column& column) {
    if (column.times.empty())
        return {};
    if (!column.series) {
        if (saysFractions(column))
            column.meaning.scale = 1.0;
        SeriesDescription description;
        description.metric = column.meaning.metric;
        description.subject.kind = SubjectKind::Run;
        description.scale = column.meaning.scale;
        ASSIGN_OR_RETURN(const auto id, m_sink.series(m_run, description));
        column.series = id;
    }
    m_report.samples += static_cast<std::int64_t>(column.times.size());
    RETURN_IF_ERROR(m_sink.samples(*column.series, column.times, column.numbers));
    column.times.clear();
    column.numbers.clear();
    return {};
}

Status StepRecorder::finish() {
    for (auto& [key, column] : m_columns)
        RETURN_IF_ERROR(flush(column));
    return writeIntervals();
}

void StepRecorder::interval(const StepLine& line, TimeNs time) {
    constexpr std::size_t kMostIntervals = 100'000;
    if (!line.opens.empty() && m_open.size() < kMostIntervals)
        m_open.insert_or_assign({std::string(line.opens), std::string(line.interval)}, time);
    if (line.closes.empty())
        return;
    auto open = m_open.find({std::string(line.closes), std::string(line.interval)});
    // Some number the end by what comes next.
    for (auto other = m_open.begin(); open == m_open.end() && other != m_open.end(); ++other) {
        if (other->first.first == line.closes)
            open = other;
    }
    if (open == m_open.end())
        return;
    if (m_intervals.size() < kMostIntervals && time >= open->second)
        m_intervals.push_back({open->first.first, {open->second, time}});
    m_open.erase(open);
}

Status StepRecorder::writeIntervals() {
    if (m_intervals.empty())
        return {};
    std::ranges::sort(m_intervals, [](const Interval& a, const Interval& b) {
        return a.range.begin != b.range.begin ? a.range.begin < b.range.begin
                                              : a.range.end > b.range.end;
    });
    TrackDescription description;
    description.name = "training";
    ASSIGN_OR_RETURN(const auto track, m_sink.track(m_run, description));
    std::vector<Span> spans;
    for (const Interval& interval : m_intervals) {
        ASSIGN_OR_RETURN(const auto name, m_sink.intern(interval.name));
        spans.push_back(
            {interval.range.begin, interval.range.length(), name, SpanKind::Annotation, 0, {}, 0});
        m_report.facts["interval of " + interval.name]
            = text::decimal(interval.range.length().ns, text::kSecond, 1) + " s";
    }
    m_report.counts["intervals"] = static_cast<std::int64_t>(spans.size());
    return m_sink.spans(track, spans);
}

} // namespace trainscope::importers::trainlog
