#include "importers/trace/TraceOutput.h"

#include "core/analysis/traces/EarlyWork.h"
#include "core/model/Try.h"
#include "core/text/Times.h"

#include <iterator>
#include <numeric>

namespace trainscope::importers {

void KernelDoubts::add(std::size_t stream, TimeNs start, DurationNs duration) {
    if (m_areTooMany || duration.ns < 0)
        return;
    if (m_kernels.size() == kMost) {
        m_areTooMany = true;
        m_kernels = {};
        return;
    }
    m_kernels.push_back({stream, {start, {clampedSum(start.ns, duration.ns)}}});
}

// Writers have the kernels of a stream in order, but streams between each other: they are dealt out
// to their streams, and only those out of order sorted.
KernelDoubts::Kernels KernelDoubts::inOrder() const {
    std::vector<std::size_t> places(1, 0); // the first kernel of each stream
    for (const Kernel& kernel : m_kernels) {
        if (kernel.stream + 2 > places.size())
            places.resize(kernel.stream + 2, 0);
        ++places[kernel.stream + 1];
    }
    std::partial_sum(places.begin(), places.end(), places.begin());
    Kernels kernels(m_kernels.size());
    std::vector<std::size_t> next(places);
    for (const Kernel& kernel : m_kernels)
        kernels[next[kernel.stream]++] = kernel;
    const auto isBefore = [](const Kernel& a, const Kernel& b) {
        return std::pair(a.range.begin.ns, -a.range.end.ns)
            < std::pair(b.range.begin.ns, -b.range.end.ns);
    };
    for (std::size_t stream = 0; stream + 1 < places.size(); ++stream) {
        const auto begin = kernels.begin() + static_cast<std::ptrdiff_t>(places[stream]);
        const auto end = kernels.begin() + static_cast<std::ptrdiff_t>(places[stream + 1]);
        if (!std::is_sorted(begin, end, isBefore))
            std::sort(begin, end, isBefore);
    }
    return kernels;
}

std::vector<std::string> KernelDoubts::texts(std::vector<TimeRange> iterations) const {
    const Kernels kernels = inOrder();
    std::vector<std::string> all;
    std::string early = earlyText(kernels, iterations);
    for (std::string text :
        {overrunText(kernels), emptyText(kernels, std::move(iterations)), std::move(early)}) {
        if (!text.empty())
            all.push_back(std::move(text));
    }
    return all;
}

std::string KernelDoubts::overrunText(const Kernels& kernels) {
    analysis::OverrunScan scan;
    for (const Kernel& kernel : kernels)
        scan.add(kernel);
    const auto found = scan.found();
    if (!found)
        return {};
    const bool isOne = found->behind == 1;
    return "the kernel time of " + text::seconds(found->writtenS)
        + " is doubtful: " + text::counted(found->behind, "kernel") + " of a stream "
        + (isOne ? "begins" : "begin") + " and " + (isOne ? "ends" : "end")
        + " inside one before; where each ends when the next begins, it is "
        + text::seconds(found->clippedS);
}

std::string KernelDoubts::earlyText(
    const Kernels& kernels, const std::vector<TimeRange>& iterations) {
    const auto limit = analysis::earlyLimitOf(iterations);
    analysis::EarlyWork early;
    TimeNs end{std::numeric_limits<std::int64_t>::min()};
    for (const Kernel& kernel : kernels) {
        if (!limit || kernel.range.end >= limit->before)
            continue;
        ++early.kernels;
        early.time = early.time + kernel.range.length();
        end = std::max(end, kernel.range.end);
    }
    early.gap = early.kernels == 0 ? DurationNs{} : limit->first - end;
    return early.kernels == 0 ? std::string() : analysis::earlyWorkText(early);
}

std::string KernelDoubts::emptyText(const Kernels& kernels, std::vector<TimeRange> iterations) {
    std::ranges::sort(iterations, {}, &TimeRange::begin);
    analysis::EmptyStepScan scan(std::move(iterations));
    for (const Kernel& kernel : kernels)
        scan.add(kernel.range.begin);
    const auto areEmpty = scan.found();
    const auto empty = std::count(areEmpty.begin(), areEmpty.end(), true);
    if (empty == 0)
        return {};
    return std::to_string(empty) + " of " + text::counted(std::ssize(areEmpty), "iteration") + " "
        + (empty == 1 ? "starts" : "start")
        + " no kernel: either the trace lost them, or the marks are not of iterations";
}

std::size_t TraceOutput::track(const TrackLabel& label) {
    m_key.assign(1, static_cast<char>('0' + static_cast<int>(label.kind)));
    m_key.append(std::to_string(label.device)).append(1, '\0');
    // A stream belongs to its device, whatever process label an event carries.
    if (label.kind == TrackKind::Thread || label.kind == TrackKind::Other)
        m_key.append(label.process).append(1, '\0');
    m_key.append(label.thread);
    if (const auto found = m_trackIndex.find(m_key); found != m_trackIndex.end())
        return found->second;
    const std::size_t index = m_tracks.size();
    m_trackIndex.emplace(m_key, index);
    TrackBuffer& buffer = m_tracks.emplace_back();
    buffer.description = {label.kind, m_rank, label.device, label.process, label.thread, {}};
    if (label.kind == TrackKind::Stream && m_firstDevice < 0)
        m_firstDevice = label.device;
    if (label.kind == TrackKind::Thread
        && std::ranges::find(m_processes, label.process, &Process::name) == m_processes.end())
        m_processes.push_back({label.process});
    return index;
}

void TraceOutput::add(std::size_t track, const Span& span) {
    TrackBuffer& buffer = m_tracks[track];
    if (span.kind == SpanKind::Kernel && buffer.description.kind == TrackKind::Stream)
        m_kernels.add(track, span.start, span.duration);
    buffer.spans.push_back(span);
    ++m_held;
    ++m_spanCount;
}

std::size_t TraceOutput::series(SeriesDescription description) {
    m_series.emplace_back().description = std::move(description);
    return m_series.size() - 1;
}

void TraceOutput::addSample(std::size_t series, TimeNs time, double value) {
    m_series[series].times.push_back(time);
    m_series[series].values.push_back(value);
    ++m_held;
    ++m_sampleCount;
}

void TraceOutput::addSample(
    std::string_view metric, std::string_view unit, TimeNs time, double value) {
    auto found = m_ownSeries.find(metric);
    if (found == m_ownSeries.end()) {
        SeriesDescription description;
        const KnownMetric* known = findMetric(metric);
        description.metric = {std::string(metric), std::string(unit), MetricKind::Gauge,
            known == nullptr ? std::string(metric) : known->label};
        description.subject.kind = SubjectKind::Gpu;
        description.subject.rank = m_rank;
        found = m_ownSeries.emplace(std::string(metric), series(std::move(description))).first;
    }
    addSample(found->second, time, value);
}

void TraceOutput::addIteration(std::int64_t index, TimeRange range, bool isOnDevice) {
    (isOnDevice ? m_deviceMarks : m_hostMarks).push_back({index, range});
}

void TraceOutput::nameThread(
    std::string_view process, std::string_view thread, std::string_view name) {
    constexpr std::size_t kMaxNames = 100'000;
    if (m_threadNames.size() >= kMaxNames)
        return;
    // Some threads are named twice; the choice must not depend on the order of events.
    name = trimmed(name);
    const auto [found, isNew]
        = m_threadNames.try_emplace({std::string(process), std::string(thread)}, name);
    if (!isNew && name < found->second)
        found->second = name;
}

std::string TraceOutput::trackName(const TrackDescription& track) const {
    if (track.kind == TrackKind::Stream) // one that has a name goes by it
        return (isDigit(track.thread.empty() ? '0' : track.thread.front()) ? "stream " : "")
            + track.thread;
    if (track.kind == TrackKind::StreamAnnotation)
        return "stream " + track.thread + " annotations";
    if (track.device >= 0)
        return "stream " + track.thread + " other";
    const auto found = m_threadNames.find({track.process, track.thread});
    if (found != m_threadNames.end() && !found->second.empty())
        return found->second;
    if (track.kind == TrackKind::Other)
        return track.thread.empty() ? track.process : track.thread;
    return "thread " + track.thread;
}

Status TraceOutput::flushTrack(RunId run, TrackBuffer& track, DurationNs base) {
    if (track.spans.empty())
        return {};
    if (!track.id.isValid()) {
        track.description.name = trackName(track.description);
        ASSIGN_OR_RETURN(const auto id, m_sink.track(run, track.description));
        track.id = id;
    }
    TimeRange extent = m_extent.value_or(TimeRange{kAllTime.end, kAllTime.begin});
    for (Span& span : track.spans) {
        span.start = span.start + base;
        extent.begin = std::min(extent.begin, span.start);
        extent.end = std::max(extent.end, span.start + span.duration);
    }
    m_extent = extent;
    RETURN_IF_ERROR(m_sink.spans(track.id, track.spans));
    track.spans.clear();
    if (track.spans.capacity() > kUsualHeld)
        track.spans.shrink_to_fit();
    return {};
}

Status TraceOutput::flushSeries(RunId run, SeriesBuffer& series, DurationNs base) {
    if (series.times.empty())
        return {};
    if (!series.id.isValid()) {
        ASSIGN_OR_RETURN(const auto id, m_sink.series(run, series.description));
        series.id = id;
    }
    for (TimeNs& time : series.times)
        time = time + base;
    RETURN_IF_ERROR(m_sink.samples(series.id, series.times, series.values));
    series.times.clear();
    series.values.clear();
    return {};
}

// A file merged of several processes may have each launch number once for each of them. Then the
// k-th process that launches is that of the k-th GPU, and its numbers are made its own.
void TraceOutput::separateProcesses() {
    if (m_processes.size() < 2)
        return;
    std::vector<int> devices; // as they come in the file
    for (const TrackBuffer& track : m_tracks) {
        const TrackDescription& place = track.description;
        if (place.kind == TrackKind::Stream
            && std::ranges::find(devices, place.device) == devices.end())
            devices.push_back(place.device);
        if (place.kind != TrackKind::Thread)
            continue;
        Process& process = *std::ranges::find(m_processes, place.process, &Process::name);
        for (const Span& span : track.spans) {
            if (span.kind != SpanKind::Runtime || span.correlation <= 0)
                continue;
            process.first = std::min(process.first, span.correlation);
            process.last = std::max(process.last, span.correlation);
        }
    }
    std::vector<Process> launching;
    std::ranges::copy_if(m_processes, std::back_inserter(launching),
        [](const Process& process) { return process.last > 0; });
    for (std::size_t i = 1; i < launching.size() && launching.size() == devices.size(); ++i)
        m_isMerged = m_isMerged
            || (launching[i].first <= launching[i - 1].last
                && launching[i - 1].first <= launching[i].last);
    for (TrackBuffer& track : m_tracks) {
        const TrackDescription& place = track.description;
        const std::ptrdiff_t at = place.device >= 0
            ? std::ranges::find(devices, place.device) - devices.begin()
            : std::ranges::find(launching, place.process, &Process::name) - launching.begin();
        constexpr int kBits = 40;
        for (Span& span : track.spans) {
            if (m_isMerged && span.kind != SpanKind::CpuOp && span.correlation > 0
                && span.correlation >> kBits == 0)
                span.correlation += static_cast<std::int64_t>(at) << kBits;
        }
    }
}

Status TraceOutput::flush(RunId run, DurationNs base) {
    separateProcesses();
    for (TrackBuffer& track : m_tracks)
        RETURN_IF_ERROR(flushTrack(run, track, base));
    for (SeriesBuffer& series : m_series)
        RETURN_IF_ERROR(flushSeries(run, series, base));
    m_held = 0;
    m_hasFlushed = true;
    return {};
}

Status TraceOutput::flushCapture(RunId run, const std::string& name) {
    return m_extent ? m_sink.capture(run, {name, m_rank, *m_extent}) : Status();
}

Status TraceOutput::flushIterations(RunId run, DurationNs base) {
    for (const Mark& mark : m_hostMarks.empty() ? m_deviceMarks : m_hostMarks) {
        const Iteration iteration{
            mark.index, {mark.range.begin + base, mark.range.end + base}, m_rank, false};
        RETURN_IF_ERROR(m_sink.iteration(run, iteration));
    }
    return {};
}

std::vector<std::string> TraceOutput::doubts() const {
    std::vector<TimeRange> ranges;
    for (const Mark& mark : m_hostMarks.empty() ? m_deviceMarks : m_hostMarks)
        ranges.push_back(mark.range);
    return doubts(ranges);
}

std::vector<std::string> TraceOutput::doubts(const std::vector<TimeRange>& iterations) const {
    std::vector<std::string> texts = m_kernels.texts(iterations);
    if (m_isMerged)
        texts.push_back("the file was merged of "
            + text::counted(static_cast<std::int64_t>(m_processes.size()), "process", "processes")
            + " that number their launches alike: their GPUs are taken in the same order");
    return texts;
}

std::vector<int> TraceOutput::devices() const {
    std::set<int> devices;
    for (const TrackBuffer& track : m_tracks) {
        if (track.description.kind == TrackKind::Stream)
            devices.insert(track.description.device);
    }
    return {devices.begin(), devices.end()};
}

} // namespace trainscope::importers
