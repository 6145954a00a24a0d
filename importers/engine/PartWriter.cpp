#include "importers/engine/PartWriter.h"

#include "core/model/SortByTime.h"
#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "core/text/Times.h"
#include "importers/engine/Moments.h"

namespace trainscope::importers::engine {

namespace {

constexpr std::int64_t kMs = text::kMillisecond;
constexpr std::int64_t kShortestSlice = 1000; // ms
constexpr std::int64_t kLongestSlice = 32LL * 24 * 3600 * 1000;
constexpr std::int64_t kMostPoints = 10'000; // a series has in an answer of query_range
constexpr double kFirstGuess = 1.0 / 1000; // samples per ms: one a second
constexpr double kLargestStep = 8.0; // from one guess to the next

// Samples outside go: engines differ in which ends of a range they count in.
void keepInside(AnsweredSeries& series, TimeRange range) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < series.times.size(); ++i) {
        if (!range.contains(series.times[i]))
            continue;
        series.times[kept] = series.times[i];
        series.values[kept++] = series.values[i];
    }
    series.times.resize(kept);
    series.values.resize(kept);
}

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

std::int64_t medianPeriod(const std::vector<TimeNs>& times) {
    std::vector<std::int64_t> periods;
    for (std::size_t i = 1; i < times.size(); ++i)
        periods.push_back(times[i].ns - times[i - 1].ns);
    return medianOf(std::move(periods)).value_or(0);
}

bool hasOrder(const std::vector<TimeNs>& times) {
    return std::is_sorted(times.begin(), times.end());
}

// Distance of `time` to the nearest of `times`, which ascend.
std::int64_t distance(const std::vector<TimeNs>& times, TimeNs time) {
    const auto behind = std::lower_bound(times.begin(), times.end(), time);
    std::int64_t nearest = std::numeric_limits<std::int64_t>::max();
    if (behind != times.end())
        nearest = behind->ns - time.ns;
    if (behind != times.begin())
        nearest = std::min(nearest, time.ns - std::prev(behind)->ns);
    return nearest;
}

} // namespace

SliceFeed::SliceFeed(Fetcher& fetcher, const CopyRequest& request, const std::vector<Part>& parts)
    : m_fetcher(fetcher)
    , m_request(request)
    , m_parts(parts)
    , m_from(request.range.begin)
    , m_samplesPerMs(kFirstGuess) { }

SliceFeed::~SliceFeed() = default;

std::int64_t SliceFeed::lengthFor(std::size_t part) const {
    const auto series
        = static_cast<double>(std::max<std::size_t>(1, m_parts[part].channels.size()));
    if (m_request.step) {
        const std::int64_t step = std::max<std::int64_t>(1, m_request.step->ns / kMs);
        const auto points
            = static_cast<std::int64_t>(static_cast<double>(m_request.samplesPerAnswer) / series);
        return step * std::clamp<std::int64_t>(points, 1, kMostPoints);
    }
    const double length
        = static_cast<double>(m_request.samplesPerAnswer) / (m_samplesPerMs * series);
    return std::clamp(nearestWhole<std::int64_t>(length), kShortestSlice, kLongestSlice);
}

HttpRequest SliceFeed::requestOf(const Asked& asked) const {
    const std::string selected
        = m_request.selector.with(asked.names, m_parts[asked.part].condition);
    const std::int64_t begin = asked.range.begin.ns / kMs;
    const std::int64_t end = asked.range.end.ns / kMs;
    if (!m_request.step) {
        return {"api/v1/query",
            {{"query", selected + "[" + engineDuration(end - begin) + "]"},
                {"time", apiSeconds(end - 1)}}};
    }
    // Each point is of the step that ends 1 ms behind it.
    const std::int64_t step = std::max<std::int64_t>(1, m_request.step->ns / kMs);
    return {"api/v1/query_range",
        {{"query", "last_over_time(" + selected + "[" + engineDuration(step) + "])"},
            {"start", apiSeconds(std::min(begin + step, end) - 1)}, {"end", apiSeconds(end - 1)},
            {"step", apiSeconds(step)}, {"nocache", "1"}}};
}

void SliceFeed::plan() {
    const auto atOnce = static_cast<std::size_t>(std::max(1, m_request.questionsAtOnce));
    while (m_part < m_parts.size() && m_asked.size() < atOnce) {
        Asked asked;
        asked.part = m_part;
        asked.names = m_parts[m_part].engineNames;
        const TimeNs end
            = std::min(m_from + DurationNs{lengthFor(m_part) * kMs}, m_request.range.end);
        asked.range = {m_from, end};
        asked.endsPart = end >= m_request.range.end;
        m_from = asked.endsPart ? m_request.range.begin : end;
        m_part += asked.endsPart ? 1 : 0;
        asked.question = std::make_unique<Question>(m_fetcher, requestOf(asked));
        m_asked.push_back(std::move(asked));
    }
}

Result<std::optional<Slice>> SliceFeed::next(const IsCancelled& isCancelled) {
    while (true) {
        plan();
        if (m_asked.empty())
            return std::optional<Slice>();
        Asked asked = std::move(m_asked.front());
        m_asked.pop_front();
        ASSIGN_OR_RETURN(const auto reply, asked.question->wait(isCancelled));
        if (reply.trouble == Trouble::TooMuch) {
            RETURN_IF_ERROR(split(std::move(asked), reply));
            continue;
        }
        if (reply.trouble != Trouble::None)
            return reply.error;
        ASSIGN_OR_RETURN(auto slice, read(asked, reply));
        adapt(slice);
        return std::optional(std::move(slice));
    }
}

Status SliceFeed::split(Asked asked, const Reply& reply) {
    const std::int64_t unit = m_request.step ? std::max(m_request.step->ns, kMs) : kMs;
    const std::int64_t half = asked.range.length().ns / 2 / unit * unit;
    Asked first;
    Asked second;
    first.part = second.part = asked.part;
    first.names = second.names = asked.names;
    first.range = second.range = asked.range;
    second.endsPart = asked.endsPart;
    if (half >= kShortestSlice * kMs && half >= unit) {
        first.range.end = second.range.begin = asked.range.begin + DurationNs{half};
        m_samplesPerMs *= 2.0; // later slices are shorter too
    } else if (asked.names.size() > 1) {
        const auto middle
            = asked.names.begin() + static_cast<std::ptrdiff_t>(asked.names.size() / 2);
        first.names.assign(asked.names.begin(), middle);
        second.names.assign(middle, asked.names.end());
    } else {
        return reply.error;
    }
    for (Asked* piece : {&second, &first}) {
        piece->question = std::make_unique<Question>(m_fetcher, requestOf(*piece));
        m_asked.push_front(std::move(*piece));
    }
    return {};
}

Result<Slice> SliceFeed::read(const Asked& asked, const Reply& reply) {
    Slice slice;
    slice.part = asked.part;
    slice.range = asked.range;
    slice.endsPart = asked.endsPart;
    slice.wireBytes = reply.wireBytes;
    ASSIGN_OR_RETURN(
        slice.facts, readSamples(reply.body, [&slice](AnsweredSeries& series) -> Status {
            keepInside(series, slice.range);
            if (!series.times.empty())
                slice.series.push_back(std::move(series));
            return {};
        }));
    return slice;
}

void SliceFeed::adapt(const Slice& slice) {
    std::size_t samples = 0;
    for (const AnsweredSeries& series : slice.series)
        samples += series.times.size();
    const double length = static_cast<double>(slice.range.length().ns) / kMs;
    const auto series
        = static_cast<double>(std::max<std::size_t>(1, m_parts[slice.part].channels.size()));
    const double met = static_cast<double>(samples) / (length * series);
    m_samplesPerMs = std::clamp(met, m_samplesPerMs / kLargestStep, m_samplesPerMs * kLargestStep);
}

PartWriter::PartWriter(
    const Catalogue& catalogue, const Mapping& mapping, const Part& part, Sink& sink, RunId run)
    : m_catalogue(catalogue)
    , m_mapping(mapping)
    , m_part(part)
    , m_sink(sink)
    , m_run(run) { }

Status PartWriter::add(const Slice& slice) {
    m_notNumbers += slice.facts.notNumbers;
    m_unordered += slice.facts.unordered;
    m_wireBytes += slice.wireBytes;
    for (const std::string& warning : slice.facts.warnings) {
        if (std::find(m_warnings.begin(), m_warnings.end(), warning) == m_warnings.end())
            m_warnings.push_back(warning);
    }
    std::map<std::size_t, std::vector<const AnsweredSeries*>> byChannel;
    for (const AnsweredSeries& series : slice.series) {
        const auto [at, isNew] = m_channels.try_emplace(series.labels.text());
        if (isNew)
            at->second = m_catalogue.channelOf(series.labels, m_mapping);
        const bool isOfPart = at->second
            && std::binary_search(m_part.channels.begin(), m_part.channels.end(), *at->second);
        if (isOfPart)
            byChannel[*at->second].push_back(&series);
    }
    for (auto& [channel, series] : byChannel) {
        const auto written = m_written.find(channel);
        const std::string taken
            = written == m_written.end() ? std::string() : written->second.labels;
        RETURN_IF_ERROR(write(channel, join(std::move(series), taken)));
    }
    return {};
}

PartWriter::Joined PartWriter::join(
    std::vector<const AnsweredSeries*> series, const std::string& taken) {
    // The one that was taken before goes on, unless another has much more to say.
    const auto weight = [&taken](const AnsweredSeries* one) {
        return one->times.size() * (one->labels.text() == taken ? 2 : 1);
    };
    std::stable_sort(series.begin(), series.end(),
        [&weight](const auto* a, const auto* b) { return weight(a) > weight(b); });
    Joined joined{series.front()->times, series.front()->values, series.front()->labels.text()};
    if (!hasOrder(joined.times))
        sortByTime(joined.times, joined.values);
    for (std::size_t i = 1; i < series.size(); ++i) {
        const AnsweredSeries& other = *series[i];
        const std::int64_t period = medianPeriod(joined.times);
        const auto known = joined.times;
        const TimeNs first = known.front();
        const TimeNs last = known.back();
        std::size_t added = 0;
        for (std::size_t k = 0; k < other.times.size(); ++k) {
            const TimeNs time = other.times[k];
            const bool isOutside = time < first || last < time;
            // In parts of the period, so that jobs that scrape at other moments do not add up.
            const std::int64_t least = isOutside ? period * 3 / 4 : period * 3 / 2;
            if (distance(known, time) <= least) {
                ++m_doubled;
                continue;
            }
            joined.times.push_back(time);
            joined.values.push_back(other.values[k]);
            if (last < time)
                joined.labels = other.labels.text();
            ++added;
        }
        m_relabelled += added > 0 ? 1 : 0;
        sortByTime(joined.times, joined.values);
    }
    return joined;
}

Status PartWriter::write(std::size_t channel, Joined joined) {
    const Channel& one = m_catalogue.channels[channel];
    auto written = m_written.find(channel);
    if (written == m_written.end()) {
        ASSIGN_OR_RETURN(const auto id, m_sink.series(m_run, one.description));
        written = m_written.emplace(channel, Written{id, {}, {}}).first;
    }
    const auto blanks = blanksOf(one.engineName, one.description);
    for (double& value : joined.values) {
        const bool isBlank = std::ranges::any_of(
            blanks, [value](const NumberRange& blank) { return blank.contains(value); });
        m_blanks += isBlank ? 1 : 0;
        value = isBlank ? kNoValue : value;
    }
    written->second.labels = std::move(joined.labels);
    written->second.statistics.append(
        SampleStatistics::of(joined.times, joined.values), joined.times);
    return m_sink.samples(written->second.id, joined.times, joined.values);
}

ImportReport PartWriter::report(const std::string& source) const {
    ImportReport report;
    report.bytes = m_wireBytes;
    for (const auto& [channel, written] : m_written) {
        const Channel& one = m_catalogue.channels[channel];
        const SampleStatistics& statistics = written.statistics;
        report.samples += statistics.rows();
        report.missing += statistics.missing();
        report.gaps += statistics.gaps();
        if (one.description.metric.kind == MetricKind::Counter)
            report.counterFalls += statistics.falls();
        report.counts["samples:" + one.description.metric.name] += statistics.rows();
        if (one.description.subject.kind == SubjectKind::Gpu)
            report.ranksFound.push_back(one.description.subject.rank);
    }
    std::sort(report.ranksFound.begin(), report.ranksFound.end());
    report.ranksFound.erase(
        std::unique(report.ranksFound.begin(), report.ranksFound.end()), report.ranksFound.end());
    report.rows = report.samples;
    const auto remark
        = [&](std::int64_t count, const char* what, const char* several, const char* rest) {
              if (count > 0)
                  report.lost(source, 0, text::counted(count, what, several) + rest);
          };
    report.counts["doubled_samples"] = m_doubled;
    report.counts["joined_series"] = m_relabelled;
    remark(
        m_notNumbers, "value is", "values are", " no number (NaN or infinite) and missing here.");
    remark(m_blanks, "value cannot be", "values cannot be",
        ": exporters write such numbers where they do not know the value. Missing here.");
    remark(m_unordered, "sample comes", "samples come", " out of order.");
    for (const std::string& warning : m_warnings)
        report.warn(source, 0, "The engine says: " + warning);
    return report;
}

} // namespace trainscope::importers::engine
