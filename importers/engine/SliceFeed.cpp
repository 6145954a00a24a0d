#include "importers/engine/SliceFeed.h"

#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "core/text/Times.h"
#include "importers/engine/Moments.h"

#include <algorithm>
#include <utility>

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

} // namespace trainscope::importers::engine
