#include "importers/trace/ProfileWriter.h"

namespace trainscope::importers {
namespace {

constexpr std::uint32_t kMostCallsOfGroup = 256;

bool isNumberOfLaunch(std::int64_t correlation) {
    return correlation > 0 && correlation <= std::numeric_limits<std::uint32_t>::max();
}

constexpr int kSpansBetweenFlushes = 4096;
constexpr std::size_t kMostLaunches = 4'000'000; // until the ranges are known
constexpr std::int64_t kLastCorrelation = 0xFFFFFFFF;

// True for a time of a span: within 30 years of the times' origin, or of the epoch.
bool isMoment(std::int64_t ns) {
    constexpr std::int64_t kFarthest = 4'000'000'000'000'000'000;
    return ns > -kFarthest && ns < kFarthest;
}

} // namespace

void HostRanges::add(HostRange range, const NcclCall* call) {
    if (m_ranges.size() >= kMost) {
        m_isFull = true;
        return;
    }
    m_isFull = m_isFull || (call != nullptr && m_calls.size() >= kMostCalls);
    if (call != nullptr && m_calls.size() < kMostCalls) {
        range.call = static_cast<std::uint32_t>(m_calls.size());
        m_calls.push_back(*call);
    }
    m_ranges.push_back(range);
}

void HostRanges::nest() {
    std::sort(m_ranges.begin(), m_ranges.end(), [](const HostRange& a, const HostRange& b) {
        return std::tuple(a.thread, a.start, -a.end, a.name.value, a.call)
            < std::tuple(b.thread, b.start, -b.end, b.name.value, b.call);
    });
    std::vector<std::uint32_t> open;
    for (std::uint32_t index = 0; index < m_ranges.size(); ++index) {
        HostRange& range = m_ranges[index];
        const auto [found, isNew]
            = m_threads.try_emplace(range.thread, Thread{index, index, index});
        if (isNew)
            open.clear();
        while (!open.empty() && m_ranges[open.back()].end <= range.start)
            open.pop_back();
        range.parent = open.empty() ? HostRange::kNone : open.back();
        open.push_back(index);
        found->second.end = index + 1;
    }
    m_firstExtents.assign(m_ranges.size(), HostRange::kNone);
}

// The last range that began by then, or the nearest one around it that had not ended.
std::uint32_t HostRanges::openAt(Thread& thread, std::int64_t time) const {
    const auto begin = m_ranges.begin();
    constexpr std::uint32_t kMostSteps = 8;
    std::uint32_t at = thread.at;
    const bool isLater = at < thread.end && m_ranges[at].start <= time;
    for (std::uint32_t steps = 0; isLater && at + 1 < thread.end && steps < kMostSteps; ++steps) {
        if (m_ranges[at + 1].start > time)
            break;
        ++at;
    }
    const bool isFound = isLater && (at + 1 == thread.end || m_ranges[at + 1].start > time);
    if (!isFound) {
        const auto next = std::upper_bound(begin + thread.begin, begin + thread.end, time,
            [](std::int64_t moment, const HostRange& range) { return moment < range.start; });
        if (next == begin + thread.begin)
            return HostRange::kNone;
        at = static_cast<std::uint32_t>(next - begin) - 1;
    }
    thread.at = at;
    while (at != HostRange::kNone && m_ranges[at].end < time)
        at = m_ranges[at].parent;
    return at;
}

void HostRanges::launch(
    std::int64_t process, std::int64_t thread, std::int64_t time, std::int64_t correlation) {
    const auto found = m_threads.find(thread);
    if (found == m_threads.end() || !isNumberOfLaunch(correlation))
        return;
    const std::uint32_t range = openAt(found->second, time);
    if (range == HostRange::kNone)
        return;
    if (m_launchCount >= kMostLaunches) {
        m_isFull = true;
        return;
    }
    ++m_launchCount;
    m_launches[process].push_back({static_cast<std::uint32_t>(correlation), range});
}

void HostRanges::sortLaunches() {
    for (auto& [process, launches] : m_launches) {
        const auto isBefore
            = [](const Launch& a, const Launch& b) { return a.correlation < b.correlation; };
        if (!std::is_sorted(launches.begin(), launches.end(), isBefore))
            std::stable_sort(launches.begin(), launches.end(), isBefore);
    }
}

std::uint32_t HostRanges::work(std::int64_t process, std::int64_t correlation) {
    const auto found = m_launches.find(process);
    if (found == m_launches.end() || !isNumberOfLaunch(correlation))
        return HostRange::kNone;
    const auto launch = std::lower_bound(found->second.begin(), found->second.end(), correlation,
        [](const Launch& one, std::int64_t number) { return one.correlation < number; });
    return launch != found->second.end() && launch->correlation == correlation ? launch->range
                                                                               : HostRange::kNone;
}

void HostRanges::extend(
    std::uint32_t range, std::uint32_t stream, std::int64_t start, std::int64_t end) {
    std::uint32_t at = m_firstExtents[range];
    while (at != HostRange::kNone && m_extents[at].stream != stream)
        at = m_extents[at].next;
    if (at != HostRange::kNone) {
        m_extents[at].start = std::min(m_extents[at].start, start);
        m_extents[at].end = std::max(m_extents[at].end, end);
        return;
    }
    if (m_extents.size() >= kMostProjections) {
        m_isFull = true;
        return;
    }
    m_extents.push_back({stream, m_firstExtents[range], start, end});
    m_firstExtents[range] = static_cast<std::uint32_t>(m_extents.size() - 1);
}

void HostRanges::widenParent(std::uint32_t range) {
    const std::uint32_t parent = m_ranges[range].parent;
    if (parent == HostRange::kNone)
        return;
    for (std::uint32_t at = m_firstExtents[range]; at != HostRange::kNone;
         at = m_extents[at].next) {
        const Extent extent = m_extents[at];
        extend(parent, extent.stream, extent.start, extent.end);
    }
}

std::optional<NcclCall> HostRanges::callOf(std::uint32_t range) const {
    bool hasGroup = false;
    for (std::uint32_t at = range; at != HostRange::kNone; at = m_ranges[at].parent) {
        if (m_ranges[at].call == HostRange::kNone)
            continue;
        const NcclCall& call = m_calls[m_ranges[at].call];
        if (!call.collective.empty())
            return call;
        hasGroup = true;
        range = at;
    }
    if (!hasGroup)
        return std::nullopt;
    // The end of a group launches what was called since its start.
    std::optional<NcclCall> sum;
    for (std::uint32_t at = range, steps = 0; at > 0 && steps < kMostCallsOfGroup; ++steps) {
        const HostRange& before = m_ranges[--at];
        if (before.thread != m_ranges[range].thread)
            break;
        if (before.call == HostRange::kNone)
            continue;
        const NcclCall& call = m_calls[before.call];
        if (call.collective.empty())
            break;
        if (!sum) {
            sum = call;
            continue;
        }
        if (sum->collective != call.collective
            || sum->payload.communicator != call.payload.communicator)
            return std::nullopt;
        ++sum->merged;
        if (sum->payload.bytes && call.payload.bytes)
            *sum->payload.bytes += *call.payload.bytes;
    }
    return sum;
}

ProcessOutputs::ProcessOutputs(
    Sink& sink, int firstRank, const std::vector<std::int64_t>& processes)
    : m_sink(sink)
    , m_firstRank(firstRank) {
    for (const std::int64_t process : processes) {
        if (m_index.try_emplace(process, m_outputs.size()).second)
            grow();
    }
    if (m_outputs.empty())
        grow();
}

TraceOutput& ProcessOutputs::grow() {
    const int rank = m_firstRank + static_cast<int>(m_outputs.size());
    return *m_outputs.emplace_back(std::make_unique<TraceOutput>(m_sink, rank));
}

TraceOutput& ProcessOutputs::onGpu(std::optional<std::int64_t> process) {
    if (!process)
        return *m_outputs.front();
    if (const auto found = m_index.find(*process); found != m_index.end())
        return *m_outputs[found->second];
    if (m_index.empty()) { // the first, which was not known by name
        m_index.emplace(*process, 0);
        return *m_outputs.front();
    }
    constexpr std::size_t kMostRanks = 4096;
    if (m_outputs.size() >= kMostRanks)
        return *m_outputs.front();
    m_index.emplace(*process, m_outputs.size());
    return grow();
}

TraceOutput& ProcessOutputs::onHost(std::int64_t process) {
    const auto found = m_index.find(process);
    return *m_outputs[found == m_index.end() ? 0 : found->second];
}

int ProcessOutputs::rankOf(std::int64_t process) const {
    const auto found = m_index.find(process);
    return m_firstRank + (found == m_index.end() ? 0 : static_cast<int>(found->second));
}

std::optional<std::int64_t> ProcessOutputs::processOfRank(int rank) const {
    const auto found = std::find_if(m_index.begin(), m_index.end(),
        [&](const auto& entry) { return m_firstRank + static_cast<int>(entry.second) == rank; });
    return found == m_index.end() ? std::nullopt : std::optional(found->first);
}

Status ProcessOutputs::flush(RunId run, DurationNs base, bool isAll) {
    for (const auto& output : m_outputs) {
        if (isAll || output->isFull(true))
            RETURN_IF_ERROR(output->flush(run, base));
    }
    return {};
}

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
    if (--m_untilFlush > 0)
        return {};
    m_untilFlush = kSpansBetweenFlushes;
    return m_outputs.flush(m_run, m_base, false);
}

std::uint32_t ProfileWriter::threadOf(const ProfiledCall& call) {
    if (m_lastThread < m_threads.size() && m_threads[m_lastThread].process == call.process
        && m_threads[m_lastThread].thread == call.thread)
        return m_lastThread;
    const auto [known, isNew] = m_threadIndex.try_emplace(
        std::pair(call.process, call.thread), static_cast<std::uint32_t>(m_threads.size()));
    if (isNew) {
        TrackLabel label;
        label.kind = TrackKind::Thread;
        label.process = std::to_string(call.process);
        label.thread = std::to_string(call.thread);
        TraceOutput& output = m_outputs.onHost(call.process);
        m_threads.push_back({call.process, call.thread, &output, output.track(label)});
    }
    return m_lastThread = known->second;
}

Status ProfileWriter::call(const ProfiledCall& call) {
    Span span;
    span.start = call.range.begin;
    span.duration = call.range.length();
    span.kind = call.kind;
    span.correlation = call.kind == SpanKind::Runtime ? call.correlation : 0;
    span.name = call.id;
    span.detail = call.detail;
    if (!call.id.isValid()) {
        ASSIGN_OR_RETURN(span.name, m_sink.intern(call.name));
    }
    const std::uint32_t number = threadOf(call);
    const Thread thread = m_threads[number];
    const bool isNccl = call.nccl != nullptr || call.name.starts_with("nccl");
    const bool isRange = call.kind == SpanKind::Annotation || isNccl;
    const auto keep = [this, number, name = span.name](TimeRange range, const NcclCall* nccl) {
        HostRange kept;
        kept.thread = number;
        kept.start = range.begin.ns;
        kept.end = range.end.ns;
        kept.name = name;
        m_ranges.add(kept, nccl);
    };
    const auto iteration = isRange && m_takesIterations ? iterationNameOf(call.name) : std::nullopt;
    if (iteration) {
        m_iterations.add(m_outputs.rankOf(call.process), *iteration, call.range);
        if (call.isNested) {
            m_held.add(number, *iteration, call.range, [thread, span, keep](TimeRange closed) {
                Span cut = span;
                cut.duration = closed.length();
                thread.output->add(thread.track, cut);
                keep(closed, nullptr);
            });
            return {};
        }
    }
    thread.output->add(thread.track, span);
    if (isRange && call.isNested) {
        const NcclCall nccl{
            collectiveOf(call.name), call.nccl == nullptr ? NcclPayload{} : *call.nccl};
        if (isNccl)
            m_communicators[call.process].add(nccl.payload);
        keep(call.range, isNccl ? &nccl : nullptr);
    } else if (span.correlation > 0 && call.correlation <= kLastCorrelation) {
        const std::int64_t time = call.range.begin.ns;
        m_isSorted = false;
        if (m_isNested && !m_ranges.isEmpty())
            m_ranges.launch(call.process, number, time, call.correlation);
        else if (!m_isNested && m_launches.size() < kMostLaunches)
            m_launches.push_back({time, static_cast<std::uint32_t>(call.correlation), number});
        else
            m_isFull = m_isFull || !m_isNested;
    }
    return flushSometimes();
}

void ProfileWriter::nest() {
    if (const std::int64_t leftOut = m_held.writeAll(); leftOut > 0)
        m_report.counts["ranges of iterations that were never closed, left out"] = leftOut;
    m_ranges.nest();
    m_isNested = true;
    if (!m_ranges.isEmpty()) {
        for (const Launch& launch : m_launches)
            m_ranges.launch(
                m_threads[launch.thread].process, launch.thread, launch.time, launch.correlation);
    }
    m_launches = {};
}

std::uint32_t ProfileWriter::streamOf(const ProfiledWork& work) {
    const bool isSync = work.kind == SpanKind::Sync;
    const auto isIt = [&](const Stream& one) {
        return one.process == work.process && one.device == work.device && one.isSync == isSync
            && one.name == work.stream;
    };
    if (m_lastStream < m_streams.size() && isIt(m_streams[m_lastStream]))
        return m_lastStream;
    const auto [found, isNew] = m_streamIndex.try_emplace(
        std::tuple(work.process, work.device, isSync, std::string(work.stream)),
        static_cast<std::uint32_t>(m_streams.size()));
    if (isNew) {
        TrackLabel label;
        label.kind = isSync ? TrackKind::Other : TrackKind::Stream;
        label.device = work.device;
        label.process = std::to_string(work.process.value_or(0));
        label.thread = work.stream;
        TraceOutput& output = m_outputs.onGpu(work.process);
        m_streams.push_back({work.process, work.device, isSync, std::string(work.stream), &output,
            output.track(label)});
    }
    return m_lastStream = found->second;
}

bool ProfileWriter::isNccl(NameId id, std::string_view name) {
    const auto [known, isNew] = m_isNccl.try_emplace(id.value, false);
    if (isNew)
        known->second = isNcclKernel(name);
    return known->second;
}

Status ProfileWriter::work(const ProfiledWork& work, DetailText& detail) {
    if (!std::exchange(m_isSorted, true))
        m_ranges.sortLaunches();
    const std::uint32_t at = streamOf(work);
    const std::uint32_t range = work.process && work.kind != SpanKind::Sync
        ? m_ranges.work(*work.process, work.correlation)
        : HostRange::kNone;
    if (range != HostRange::kNone)
        m_ranges.extend(range, at, work.range.begin.ns, work.range.end.ns);
    Span span;
    span.start = work.range.begin;
    span.duration = work.range.length();
    span.kind = work.kind;
    span.correlation = work.correlation;
    span.name = work.id;
    if (!work.id.isValid()) {
        ASSIGN_OR_RETURN(span.name, m_sink.intern(work.name));
    }
    if (work.kind == SpanKind::Kernel) {
        ++m_kernels;
        if (isNccl(span.name, work.name)) {
            ++m_collectives;
            const auto call = range == HostRange::kNone ? std::nullopt : m_ranges.callOf(range);
            if (call) {
                ++m_describedCollectives;
                appendCollective(*call, work.name, m_communicators[*work.process], detail);
            }
        }
    }
    span.detail = work.detail;
    if (const std::string text = detail.take(); !text.empty()) {
        ASSIGN_OR_RETURN(span.detail, m_sink.intern(text));
    }
    m_streams[at].output->add(m_streams[at].track, span);
    return flushSometimes();
}

void ProfileWriter::addAnnotation(
    TraceOutput& output, int device, std::string_view stream, NameId name, TimeRange range) {
    TrackLabel label;
    label.kind = TrackKind::StreamAnnotation;
    label.device = device;
    label.thread = stream;
    Span span;
    span.start = range.begin;
    span.duration = range.length();
    span.kind = SpanKind::GpuAnnotation;
    span.name = name;
    output.add(output.track(label), span);
}

Status ProfileWriter::annotate(
    std::int64_t process, int device, std::string_view stream, NameId name, TimeRange range) {
    addAnnotation(m_outputs.onGpu(process), device, stream, name, range);
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
    RETURN_IF_ERROR(m_ranges.forEachProjection(
        [&](const HostRange& range, std::uint32_t at, std::int64_t start, std::int64_t end) {
            const Stream& stream = m_streams[at];
            addAnnotation(*stream.output, stream.device, stream.name, range.name, {{start}, {end}});
            ++projected;
            return flushSometimes();
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
    if (m_collectives > 0)
        m_report.counts["kernels of NCCL or RCCL"] = m_collectives;
    if (m_describedCollectives > 0)
        m_report.counts["kernels of NCCL or RCCL with their call"] = m_describedCollectives;
    for (int i = 0; i < m_outputs.rankCount(); ++i) {
        m_report.spans += m_outputs.output(i).spanCount();
        m_report.samples += m_outputs.output(i).sampleCount();
        m_report.ranksFound.push_back(m_outputs.firstRank() + i);
    }
    return {};
}

Status ProfileWriter::describeGpus(const TracedMachine& machine) {
    constexpr int kUsualNode = 8; // GPUs, where none are listed
    const auto& models = machine.models;
    const int perNode = models.size() > 1 ? static_cast<int>(models.size())
                                          : std::max(kUsualNode, m_outputs.rankCount());
    for (int i = 0; i < m_outputs.rankCount(); ++i) {
        const int device = m_outputs.output(i).firstDevice();
        if (device < 0)
            continue;
        Gpu gpu;
        gpu.rank = m_outputs.firstRank() + i;
        gpu.node = machine.node.value_or(gpu.rank / perNode);
        gpu.local = models.size() > 1 ? device : gpu.rank % perNode;
        const auto at = static_cast<std::size_t>(device);
        gpu.model = at < models.size() ? models[at] : machine.model;
        if (machine.tell)
            machine.tell(gpu, device);
        RETURN_IF_ERROR(m_sink.gpu(m_run, gpu));
    }
    return {};
}

} // namespace trainscope::importers
