#include "importers/trace/ProfileWriter.h"

#include "core/model/Try.h"

#include <algorithm>

namespace trainscope::importers {

namespace {

constexpr int kSpansBetweenFlushes = 4096;
constexpr std::size_t kMostLaunches = 4'000'000; // until the ranges are known
constexpr std::int64_t kLastCorrelation = 0xFFFFFFFF;

// True for a time of a span: within 30 years of the times' origin, or of the epoch.
bool isMoment(std::int64_t ns) {
    constexpr std::int64_t kFarthest = 4'000'000'000'000'000'000;
    return ns > -kFarthest && ns < kFarthest;
}

} // namespace

ProfileWriter::ProfileWriter(Sink& sink, ImportReport& report, std::string file, int firstRank,
    const std::vector<std::int64_t>& processes, DurationNs base)
    : m_sink(sink)
    , m_report(report)
    , m_file(std::move(file))
    , m_base(base)
    , m_outputs(sink, firstRank, processes)
    , m_untilFlush(kSpansBetweenFlushes) { }

Status ProfileWriter::begin(const Run& run) {
    ASSIGN_OR_RETURN(m_run, m_sink.run(run));
    return {};
}

std::optional<TimeRange> ProfileWriter::rangeOf(
    std::optional<std::int64_t> start, std::optional<std::int64_t> end) {
    if (!start || !end || !isMoment(*start) || !isMoment(*end)) {
        if (m_report.skipped++ == 0)
            m_report.lost(m_file, 0, "a row has no times that are numbers; such are left out");
        return std::nullopt;
    }
    if (*end < *start) {
        if (m_report.counts["negative durations"]++ == 0)
            m_report.warn(m_file, 0, "a row ends before it starts; such are taken to last no time");
        return TimeRange{{*start}, {*start}};
    }
    return TimeRange{{*start}, {*end}};
}

Status ProfileWriter::flushSometimes() {
    ++m_spans;
    if (--m_untilFlush > 0)
        return {};
    m_untilFlush = kSpansBetweenFlushes;
    return m_outputs.flush(m_run, m_base, false);
}

Status ProfileWriter::call(const ProfiledCall& call) {
    Span span;
    span.start = call.range.begin;
    span.duration = call.range.length();
    span.kind = call.kind;
    span.correlation = call.kind == SpanKind::Runtime ? call.correlation : 0;
    ASSIGN_OR_RETURN(span.name, m_sink.intern(call.name));
    TrackLabel label;
    label.kind = TrackKind::Thread;
    label.process = std::to_string(call.process);
    label.thread = std::to_string(call.thread);
    TraceOutput& output = m_outputs.onHost(call.process);
    const auto track = output.track(label);
    const auto number = static_cast<std::uint32_t>(m_processOfThread.size());
    const auto [known, isNew]
        = m_threadNumbers.try_emplace(std::pair(call.process, call.thread), number);
    if (isNew)
        m_processOfThread.push_back(call.process);
    const std::uint32_t thread = known->second;
    const bool isNccl = call.name.starts_with("nccl");
    const bool isRange = call.kind == SpanKind::Annotation || isNccl;
    if (const auto name = iterationNameOf(call.name); name && isRange && m_takesIterations) {
        m_iterations.add(m_outputs.rankOf(call.process), *name, call.range);
        m_held.add(
            thread, *name, call.range, [this, &output, track, span, thread](TimeRange closed) {
                Span cut = span;
                cut.duration = closed.length();
                output.add(track, cut);
                HostRange range;
                range.thread = thread;
                range.start = closed.begin.ns;
                range.end = closed.end.ns;
                range.name = span.name;
                m_ranges.add(range, nullptr);
            });
        return {};
    }
    output.add(track, span);
    if (isRange) {
        HostRange range;
        range.thread = thread;
        range.start = call.range.begin.ns;
        range.end = call.range.end.ns;
        range.name = span.name;
        const NcclCall nccl{collectiveOf(call.name), {}};
        m_ranges.add(range, isNccl ? &nccl : nullptr);
    } else if (call.correlation > 0 && call.correlation <= kLastCorrelation) {
        if (m_launches.size() < kMostLaunches)
            m_launches.push_back(
                {call.range.begin.ns, static_cast<std::uint32_t>(call.correlation), thread});
        else
            m_isFull = true;
    }
    return flushSometimes();
}

void ProfileWriter::nest() {
    if (const std::int64_t leftOut = m_held.writeAll(); leftOut > 0)
        m_report.counts["ranges of iterations that were never closed, left out"] = leftOut;
    m_ranges.nest();
    if (!m_ranges.isEmpty()) {
        for (const Launch& launch : m_launches)
            m_ranges.launch(
                m_processOfThread[launch.thread], launch.thread, launch.time, launch.correlation);
    }
    m_launches = {};
    m_ranges.sortLaunches();
}

std::uint32_t ProfileWriter::streamOf(const ProfiledWork& work) {
    const std::pair key{std::pair(work.process, work.device), std::string(work.stream)};
    const auto [found, isNew]
        = m_streamIndex.try_emplace(key, static_cast<std::uint32_t>(m_streams.size()));
    if (!isNew)
        return found->second;
    Stream stream;
    stream.device = work.device;
    stream.name = work.stream;
    stream.output = &m_outputs.onGpu(work.process);
    TrackLabel label;
    label.kind = TrackKind::Stream;
    label.device = work.device;
    label.process = std::to_string(work.process);
    label.thread = work.stream;
    stream.track = stream.output->track(label);
    m_streams.push_back(std::move(stream));
    return found->second;
}

Status ProfileWriter::work(const ProfiledWork& work, DetailText& detail) {
    const std::uint32_t at = streamOf(work);
    const std::uint32_t range = m_ranges.work(work.process, work.correlation);
    if (range != HostRange::kNone)
        m_ranges.extend(range, at, work.range.begin.ns, work.range.end.ns);
    Span span;
    span.start = work.range.begin;
    span.duration = work.range.length();
    span.kind = work.kind;
    span.correlation = work.correlation;
    ASSIGN_OR_RETURN(span.name, m_sink.intern(work.name));
    if (work.kind == SpanKind::Kernel) {
        ++m_kernels;
        if (isNcclKernel(work.name)) {
            ++m_report.counts["kernels of NCCL or RCCL"];
            const auto call = range == HostRange::kNone ? std::nullopt : m_ranges.callOf(range);
            if (call)
                appendCollective(*call, work.name, m_communicators, detail);
        }
    }
    if (const std::string text = detail.take(); !text.empty()) {
        ASSIGN_OR_RETURN(span.detail, m_sink.intern(text));
    }
    m_streams[at].output->add(m_streams[at].track, span);
    return flushSometimes();
}

void ProfileWriter::tellDoubts(int rank, const std::vector<TimeRange>& iterations) {
    const int index = rank - m_outputs.firstRank();
    if (index < 0 || index >= m_outputs.rankCount())
        return;
    for (const std::string& doubt : m_outputs.output(index).doubts(iterations))
        m_report.warn(m_file, 0, "rank " + std::to_string(rank) + ": " + doubt);
}

Status ProfileWriter::finish() {
    std::int64_t projected = 0;
    RETURN_IF_ERROR(m_ranges.forEachProjection([&](const HostRange& range, std::uint32_t at,
                                                   std::int64_t start, std::int64_t end) -> Status {
        const Stream& stream = m_streams[at];
        TrackLabel label;
        label.kind = TrackKind::StreamAnnotation;
        label.device = stream.device;
        label.thread = stream.name;
        Span span;
        span.start = {start};
        span.duration = {end - start};
        span.kind = SpanKind::GpuAnnotation;
        span.name = range.name;
        stream.output->add(stream.output->track(label), span);
        if (++projected % kSpansBetweenFlushes == 0)
            return m_outputs.flush(m_run, m_base, false);
        return {};
    }));
    if (projected > 0)
        m_report.counts["projections of ranges onto streams"] = projected;
    RETURN_IF_ERROR(m_outputs.flush(m_run, m_base, true));
    const auto marks = m_iterations.take();
    for (const MarkedIteration& mark : marks) {
        const Iteration iteration{
            mark.index, {mark.range.begin + m_base, mark.range.end + m_base}, mark.rank, false};
        RETURN_IF_ERROR(m_sink.iteration(m_run, iteration));
    }
    std::map<int, std::vector<TimeRange>> byRank;
    for (const MarkedIteration& mark : marks)
        byRank[mark.rank].push_back(mark.range);
    for (const auto& [rank, ranges] : byRank)
        tellDoubts(rank, ranges);
    if (!marks.empty())
        m_report.counts["iterations"] = static_cast<std::int64_t>(marks.size());
    if (m_iterations.wereOpen())
        m_report.remark(m_file, 0,
            "ranges of iterations begin inside one another: each is taken to end where the next "
            "begins");
    if (m_isFull || m_ranges.isFull())
        m_report.lost(m_file, 0,
            "there are more ranges or launches than are kept: some of the ranges are not projected "
            "onto the GPU");
    m_report.counts["kernels"] = m_kernels;
    for (int i = 0; i < m_outputs.rankCount(); ++i) {
        m_report.spans += m_outputs.output(i).spanCount();
        m_report.ranksFound.push_back(m_outputs.firstRank() + i);
    }
    return {};
}

} // namespace trainscope::importers
