#include "importers/trainlog/StepRecorder.h"

#include "core/model/StepFacts.h"
#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "core/text/Times.h"

namespace trainscope::importers::trainlog {

namespace {

constexpr DurationNs kNearby{250'000'000}; // between a stamped line and that of its step
constexpr DurationNs kBarResolution{1'000'000'000};
constexpr DurationNs kOrderStep{1'000'000'000};
constexpr std::int64_t kMostBetween = 100'000; // iterations between two lines
constexpr double kMostSeconds = 1e9;

DurationNs durationOf(double seconds) {
    return {nearestWhole<std::int64_t>(std::clamp(seconds, 0.0, kMostSeconds) * 1e9)};
}

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

TimeNs StepClock::absolute(const LogStamp& stamp) const {
    return stamp.isUtc ? stamp.time : stamp.time - m_settings.utcOffset;
}

std::optional<StepClock::Moment> StepClock::momentOf(const LoggedStep& step) const {
    if (m_settings.isDated && step.line.stamp)
        return Moment{absolute(*step.line.stamp), step.line.stamp->resolution};
    if (m_settings.isDated && step.nearby)
        return Moment{absolute(*step.nearby), std::max(kNearby, step.nearby->resolution)};
    if (!step.line.elapsedS || m_settings.isDated)
        return std::nullopt;
    const double seconds = m_elapsedBefore + *step.line.elapsedS;
    // Beside a duration it is a bar's, in whole seconds.
    return Moment{m_settings.start + m_shift + durationOf(seconds),
        step.line.secondsEach ? kBarResolution : DurationNs{}};
}

std::int64_t StepClock::countOf(std::int64_t index) const {
    if (m_lastIndex && index > *m_lastIndex)
        return index - *m_lastIndex <= kMostBetween ? index - *m_lastIndex : 1;
    const std::int64_t interval = m_settings.logInterval;
    return interval > 1 && index > 0 && index % interval == 0 ? std::min(interval, index) : 1;
}

StepTimes StepClock::step(const LoggedStep& step) {
    StepTimes times;
    const StepLine& line = step.line;
    Seen seen{line.index, line.elapsedS};
    if (const auto moment = momentOf(step); moment && !seen.seconds)
        seen.seconds = (moment->time - TimeNs{}).seconds();
    if (m_lastIndex && (line.index == *m_lastIndex || isCopy(seen)))
        return times;
    m_recent[m_nextRecent++ % m_recent.size()] = seen;
    times.isRestart = m_lastIndex && line.index < *m_lastIndex;
    times.isAfterPause = m_isPaused && !m_settings.isDated;
    times.count = countOf(line.index);
    if (times.isAfterPause)
        endPause();
    m_isPaused = false;
    times.isNewProcess = noteElapsed(line);
    if (!m_lastEnd && !m_settings.isDated)
        m_lastEnd = m_settings.start;
    times.range = rangeOf(step, times);
    // As many iterations lie before the first line as between it and the second.
    if (m_isFirstAlone && line.index == 2 * *m_lastIndex) {
        times.count = line.index;
        times.range.begin = m_settings.start;
    }
    m_isFirstAlone = !m_lastIndex && line.elapsedS && times.range.isEmpty() && !m_settings.isDated;
    m_lastIndex = line.index;
    m_lastEnd = times.range.end;
    return times;
}

// Two processes of a job that write to one log say each iteration twice, the second a moment later.
// One that starts again needs longer to come back to the same iteration.
bool StepClock::isCopy(const Seen& line) {
    constexpr double kSameS = 2.0;
    const auto seen = std::ranges::find(m_recent, line.index, &Seen::index);
    if (seen == m_recent.end() || !seen->seconds || !line.seconds)
        return false;
    const double lag = *line.seconds - *seen->seconds;
    if (std::abs(lag - m_copyLagS) > kSameS)
        return false;
    m_copyLagS = lag;
    return true;
}

// Later times move by the length of the pause, where that is known.
void StepClock::endPause() {
    const auto place = static_cast<std::size_t>(m_pauses);
    const DurationNs lasted
        = place < m_settings.pauses.size() ? m_settings.pauses[place] : DurationNs{};
    m_shift = m_shift + lasted;
    if (m_lastEnd)
        m_lastEnd = *m_lastEnd + lasted;
    ++m_pauses;
}

// Returns true where the time began anew.
bool StepClock::noteElapsed(const StepLine& line) {
    if (!line.elapsedS)
        return false;
    const bool beganAnew = *line.elapsedS + 1.0 < m_lastElapsed;
    if (beganAnew)
        m_elapsedBefore += m_lastElapsed;
    m_lastElapsed = *line.elapsedS;
    return beganAnew;
}

TimeRange StepClock::rangeOf(const LoggedStep& step, const StepTimes& times) const {
    const auto moment = momentOf(step);
    TimeNs end = moment ? moment->time : m_lastEnd.value_or(m_settings.start);
    if (!step.line.secondsEach) {
        // Without any time the order is all there is: a second stands for an iteration.
        if (!moment && !m_settings.isDated)
            end = end + DurationNs{times.count * kOrderStep.ns};
        // The number of iterations before a process's first line is not known.
        const bool isFirst = !m_lastIndex && times.count == 1 && step.line.index > 1;
        const bool hasBegin = moment && m_lastEnd && !times.isRestart && !isFirst;
        return {hasBegin ? std::min(*m_lastEnd, end) : end, end};
    }
    const DurationNs length = durationOf(*step.line.secondsEach * static_cast<double>(times.count));
    if (m_lastEnd && !(times.isRestart && m_settings.isDated)) {
        const TimeNs expected = *m_lastEnd + length;
        end = moment ? std::clamp(expected, moment->time, moment->time + moment->tolerance)
                     : expected;
    }
    TimeNs begin = end - length;
    if (m_lastEnd && !times.isRestart)
        begin = std::max(begin, *m_lastEnd);
    return {std::min(begin, end), end};
}

void StepClock::pause() {
    m_isPaused = m_lastIndex.has_value();
}

void StepClock::resume(const LoggedStep& step) {
    m_isPaused = false;
    m_lastIndex = step.line.index;
    if (const auto moment = momentOf(step))
        m_lastEnd = moment->time;
}

TimeNs StepClock::timeOf(const LoggedStep& step) const {
    const TimeNs last = m_lastEnd.value_or(m_settings.start);
    if (!m_settings.isDated)
        return last;
    const auto moment = momentOf(step);
    return moment ? moment->time : last;
}

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
    ASSIGN_OR_RETURN(const auto track, m_sink.track(m_run, intervalTrack()));
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
