#include "core/analysis/replay/RankGraph.h"

#include "core/analysis/statistics/Means.h"

#include <algorithm>
#include <span>
#include <utility>

namespace trainscope::analysis {

namespace {

constexpr DurationNs kUsualLaunch{5'000}; // where no stream was idle
constexpr DurationNs kLittleOverlap{20'000}; // of works of one stream
constexpr DurationNs kUnexplained{10'000}; // work that starts so late waited for something
constexpr DurationNs kAtOnce{10'000}; // so soon behind what it waited for
constexpr DurationNs kIdleThread{50'000};
constexpr DurationNs kLongCall{50'000}; // launches at its end
constexpr DurationNs kBlockedLaunch{100'000};
constexpr std::size_t kFullQueue = 900; // CUDA blocks beyond 1,022 launches
constexpr std::size_t kFewWorks = 64; // looked at, of those that overlap or were recorded
constexpr double kBusyShare = 0.5;
constexpr double kUsualShare = 0.25; // of gaps that are shorter: longer ones have other causes

class RankEdges {
public:
    explicit RankEdges(const RankTrace& trace)
        : m_trace(trace)
        , m_worksOf(trace.calls.size() + 1, 0)
        , m_ahead(trace.works.size(), kNone32)
        , m_ready(trace.works.size(), kAllTime.begin)
        , m_ofStream(trace.streams.size())
        , m_streams(trace.streams.size())
        , m_threads(trace.threads.size()) { }

    RankGraph run() {
        addOperations();
        orderStreams();
        orderLaunches();
        findUsual();
        addGraphEdges();
        addStreamEdges();
        findRecorded();
        for (std::uint32_t call = 0; call < m_trace.calls.size(); ++call)
            follow(call);
        addMissingLaunches();
        explainStarts();
        return std::move(m_graph);
    }

private:
    struct Source {
        std::uint32_t work = kNone32;
        EdgeBasis basis = EdgeBasis::Inferred;
    };
    struct StreamState {
        std::uint32_t last = kNone32; // work, by the order of launches
        std::uint32_t call = kNone32; // of its latest work
        std::vector<std::uint32_t> recorded; // works, the latest record's last
        std::vector<Source> waits; // recorded ones
    };
    struct PendingWait {
        std::uint32_t work = kNone32; // of the record right before it
        std::uint32_t stream = kNone32; // of that
    };
    struct ThreadState {
        std::uint32_t last = kNone32; // operation
        std::uint32_t stream = kNone32; // it launched to last
        std::uint32_t otherStream = kNone32; // and before that
        PendingWait record; // since the last launch
        bool isRecorded = false;
        std::vector<PendingWait> waits;
        std::vector<std::uint32_t> calls;
    };

    [[nodiscard]] std::uint32_t operationOf(std::uint32_t work) const {
        return static_cast<std::uint32_t>(m_trace.calls.size()) + work;
    }
    // Of a work, as cut.
    [[nodiscard]] TimeNs endOf(std::uint32_t work) const {
        const StepOperation& one = m_graph.operations[operationOf(work)];
        return one.start + one.duration;
    }
    // Of two works the one that ends later; either may be none.
    [[nodiscard]] std::uint32_t later(std::uint32_t a, std::uint32_t b) const {
        return a == kNone32 || (b != kNone32 && endOf(b) > endOf(a)) ? b : a;
    }
    [[nodiscard]] TimeNs lastEnd(const ThreadState& thread) const {
        if (thread.last == kNone32)
            return m_trace.calls.front().begin;
        const StepOperation& one = m_graph.operations[thread.last];
        return one.start + one.duration;
    }

    void addOperations() {
        m_graph.operations.reserve(m_trace.calls.size() + m_trace.works.size());
        m_graph.edges.reserve(m_trace.calls.size() + 2 * m_trace.works.size());
        for (const TracedCall& call : m_trace.calls) {
            StepOperation made{.start = call.begin, .duration = call.end - call.begin};
            made.track = call.thread;
            made.name = static_cast<std::uint32_t>(call.name.value);
            made.operatorName = nameOr(call.operatorName);
            m_graph.operations.push_back(made);
        }
        const auto threads = static_cast<std::uint32_t>(m_trace.threads.size());
        for (const TracedWork& work : m_trace.works) {
            StepOperation made{.start = work.begin, .duration = work.end - work.begin};
            made.track = threads + work.stream;
            made.name = static_cast<std::uint32_t>(work.name.value);
            if (work.call != kNone32)
                made.operatorName = nameOr(m_trace.calls[work.call].operatorName);
            made.microBatch = work.microBatch;
            made.kind = work.kind;
            made.phase = work.phase;
            made.category = work.category;
            m_graph.operations.push_back(made);
        }
    }

    static std::uint32_t nameOr(NameId name) {
        return name.isValid() ? static_cast<std::uint32_t>(name.value) : kNone32;
    }

    // Cuts works short that reach into the next a little, and finds what is ahead of each.
    void orderStreams() {
        for (std::uint32_t work = 0; work < m_trace.works.size(); ++work) {
            auto& own = m_ofStream[m_trace.works[work].stream];
            if (!own.empty())
                m_ahead[work] = cutAhead(own.back(), m_trace.works[work].begin);
            own.push_back(work);
        }
    }

    std::uint32_t cutAhead(std::uint32_t ahead, TimeNs begin) {
        for (std::size_t i = 0; ahead != kNone32 && endOf(ahead) > begin; ++i) {
            if (i == kFewWorks)
                return kNone32;
            StepOperation& one = m_graph.operations[operationOf(ahead)];
            const DurationNs overlap = endOf(ahead) - begin;
            if (overlap <= kLittleOverlap && overlap.ns * 2 <= one.duration.ns) {
                one.duration = one.duration - overlap;
                return ahead;
            }
            ahead = m_ahead[ahead];
        }
        return ahead;
    }

    // The works of each call, and the stretch of m_launched that is a call's.
    void orderLaunches() {
        for (const TracedWork& work : m_trace.works) {
            if (work.call != kNone32)
                ++m_worksOf[work.call + 1];
        }
        for (std::size_t i = 1; i < m_worksOf.size(); ++i)
            m_worksOf[i] += m_worksOf[i - 1];
        m_launched.resize(m_worksOf.back());
        std::vector<std::uint32_t> next(m_worksOf.begin(), m_worksOf.end() - 1);
        for (std::uint32_t work = 0; work < m_trace.works.size(); ++work) {
            if (m_trace.works[work].call != kNone32)
                m_launched[next[m_trace.works[work].call]++] = work;
        }
    }
    [[nodiscard]] std::span<const std::uint32_t> worksOf(std::uint32_t call) const {
        return std::span(m_launched)
            .subspan(m_worksOf[call], m_worksOf[call + 1] - m_worksOf[call]);
    }

    void findUsual() {
        std::vector<std::int64_t> launches;
        std::vector<std::int64_t> gaps;
        for (std::uint32_t work = 0; work < m_trace.works.size(); ++work) {
            const TracedWork& one = m_trace.works[work];
            if (one.call == kNone32)
                continue;
            const TracedCall& call = m_trace.calls[one.call];
            const TimeNs free = m_ahead[work] == kNone32 ? call.begin : endOf(m_ahead[work]);
            if (free <= call.begin && one.begin >= call.begin)
                launches.push_back((one.begin - call.begin).ns);
            else if (free > call.begin + kUnexplained)
                gaps.push_back((one.begin - free).ns);
        }
        m_usualLaunch
            = launches.empty() ? kUsualLaunch : DurationNs{nearestQuantile(launches, kUsualShare)};
        m_usualGap = gaps.empty() ? DurationNs{} : DurationNs{nearestQuantile(gaps, kUsualShare)};
    }

    // No more than was measured.
    void add(std::uint32_t from, std::uint32_t to, DurationNs lag, EdgeKind kind, EdgeBasis basis,
        bool fromStart = false) {
        const StepOperation& source = m_graph.operations[from];
        const TimeNs since = fromStart ? source.start : source.start + source.duration;
        const StepOperation& target = m_graph.operations[to];
        lag = std::clamp(target.start - since, DurationNs{}, lag);
        m_graph.edges.push_back(
            {from, to, static_cast<std::int32_t>(lag.ns), kind, basis, fromStart, false});
        if (to < m_trace.calls.size())
            return;
        TimeNs& ready = m_ready[to - m_trace.calls.size()];
        ready = std::max(ready, since + lag);
    }
    void addBetweenWorks(std::uint32_t from, std::uint32_t to, EdgeKind kind, EdgeBasis basis) {
        add(operationOf(from), operationOf(to), m_usualGap, kind, basis);
    }

    [[nodiscard]] bool areOfOneGraph(std::uint32_t a, std::uint32_t b) const {
        return m_trace.works[a].call != kNone32 && m_trace.works[a].call == m_trace.works[b].call;
    }

    void addStreamEdges() {
        for (std::uint32_t work = 0; work < m_ahead.size(); ++work) {
            const std::uint32_t ahead = m_ahead[work];
            if (ahead == kNone32)
                continue;
            if (!areOfOneGraph(ahead, work))
                addBetweenWorks(ahead, work, EdgeKind::Stream, EdgeBasis::Assumed);
            else if (!m_hasGraphEdge[work])
                addBetweenWorks(ahead, work, EdgeKind::Graph, EdgeBasis::Inferred);
        }
    }

    // The work of a stream that begins at that moment.
    [[nodiscard]] std::uint32_t beginningAt(std::uint32_t stream, TimeNs moment) const {
        const auto& own = m_ofStream[stream];
        const auto found = std::ranges::lower_bound(
            own, moment, {}, [&](std::uint32_t work) { return m_trace.works[work].begin; });
        return found != own.end() && m_trace.works[*found].begin == moment ? *found : kNone32;
    }
    // The last work of a stream that ends by that moment.
    [[nodiscard]] std::uint32_t endingBy(std::uint32_t stream, TimeNs moment) const {
        const auto& own = m_ofStream[stream];
        auto found = std::ranges::upper_bound(
            own, moment, {}, [&](std::uint32_t work) { return m_trace.works[work].begin; });
        for (std::size_t i = 0; i < kFewWorks && found != own.begin(); ++i) {
            if (endOf(*--found) <= moment)
                return *found;
        }
        return kNone32;
    }

    void addGraphEdges() {
        m_hasGraphEdge.assign(m_trace.works.size(), false);
        for (const TracedRecord& record : m_trace.records) {
            if (record.kind != RecordKind::GraphEdge || record.stream == kNone32
                || record.from == kNone32)
                continue;
            const std::uint32_t to = beginningAt(record.stream, record.when.end);
            const std::uint32_t from = endingBy(record.from, record.when.begin);
            if (to == kNone32 || from == kNone32 || from == to)
                continue;
            addBetweenWorks(from, to, EdgeKind::Graph, EdgeBasis::Recorded);
            m_hasGraphEdge[to] = true;
        }
    }

    // Which records say what they waited for.
    void findRecorded() {
        for (std::uint32_t i = 0; i < m_trace.records.size(); ++i) {
            const TracedRecord& one = m_trace.records[i];
            if (one.record >= 0)
                m_awaited.emplace_back(one.record, i);
            m_saysWaits
                |= one.kind == RecordKind::StreamWait && (one.record >= 0 || one.from != kNone32);
        }
        std::ranges::sort(m_awaited);
        m_recordedWork.assign(m_trace.records.size(), kNone32);
    }
    [[nodiscard]] std::uint32_t recordOf(const TracedCall& call, RecordKind kind) const {
        auto found = std::ranges::lower_bound(
            m_trace.records, call.correlation, {}, &TracedRecord::correlation);
        for (; call.correlation != 0 && found != m_trace.records.end()
             && found->correlation == call.correlation;
             ++found) {
            if (found->kind == kind)
                return static_cast<std::uint32_t>(found - m_trace.records.begin());
        }
        return kNone32;
    }

    // Work whose call was not recorded was launched behind the one before it in its stream.
    void addMissingLaunches() {
        for (std::uint32_t work = 0; work < m_trace.works.size(); ++work) {
            std::uint32_t& last = m_streams[m_trace.works[work].stream].call;
            if (m_trace.works[work].call != kNone32)
                last = m_trace.works[work].call;
            else if (last != kNone32)
                add(last, operationOf(work), m_usualLaunch, EdgeKind::Launch, EdgeBasis::Inferred,
                    true);
        }
    }

    // The calls, in order of their begin.
    void follow(std::uint32_t call) {
        const TracedCall& one = m_trace.calls[call];
        ThreadState& thread = m_threads[one.thread];
        addHandover(call);
        if (thread.last != kNone32)
            add(thread.last, call, {}, EdgeKind::Thread, EdgeBasis::Recorded);
        thread.last = call;
        thread.calls.push_back(call);
        if (one.kind == CallKind::Record)
            record(one);
        else if (one.kind == CallKind::StreamWait)
            letWait(one);
        else if (!worksOf(call).empty())
            launch(call);
        wait(call);
    }

    void record(const TracedCall& call) {
        ThreadState& thread = m_threads[call.thread];
        std::uint32_t stream = thread.stream;
        auto wanted
            = std::ranges::lower_bound(m_awaited, std::pair{call.correlation, std::uint32_t{0}});
        for (; wanted != m_awaited.end() && wanted->first == call.correlation; ++wanted) {
            const std::uint32_t from = m_trace.records[wanted->second].from;
            stream = from == kNone32 ? stream : from;
            if (stream != kNone32)
                m_recordedWork[wanted->second] = m_streams[stream].last;
        }
        if (stream == kNone32)
            return;
        thread.record = {m_streams[stream].last, stream};
        thread.isRecorded = true;
        if (m_streams[stream].last != kNone32)
            m_streams[stream].recorded.push_back(m_streams[stream].last);
    }

    void letWait(const TracedCall& call) {
        const std::uint32_t known = recordOf(call, RecordKind::StreamWait);
        ThreadState& thread = m_threads[call.thread];
        if (known != kNone32 && m_trace.records[known].stream != kNone32) {
            const TracedRecord& record = m_trace.records[known];
            std::uint32_t work = m_recordedWork[known];
            if (work == kNone32 && record.from != kNone32)
                work = m_streams[record.from].last;
            if (work != kNone32)
                m_streams[record.stream].waits.push_back({work, EdgeBasis::Recorded});
            if (work != kNone32 || m_saysWaits)
                return;
        }
        if (!m_saysWaits)
            thread.waits.push_back(thread.isRecorded ? thread.record : PendingWait{});
        thread.isRecorded = false;
    }

    void launch(std::uint32_t call) {
        const TracedCall& one = m_trace.calls[call];
        ThreadState& thread = m_threads[one.thread];
        for (const std::uint32_t work : worksOf(call)) {
            const std::uint32_t stream = m_trace.works[work].stream;
            const bool isLate
                = one.end - one.begin > kLongCall && m_trace.works[work].begin >= one.end;
            add(call, operationOf(work), isLate ? DurationNs{} : m_usualLaunch, EdgeKind::Launch,
                EdgeBasis::Recorded, !isLate);
            for (const Source& source : m_streams[stream].waits)
                addEvent(source.work, work, source.basis);
            m_streams[stream].waits.clear();
            takeWaits(thread, work);
            if (thread.stream != stream)
                thread.otherStream = std::exchange(thread.stream, stream);
        }
        for (const std::uint32_t work : worksOf(call))
            m_streams[m_trace.works[work].stream].last = work;
        thread.isRecorded = false;
    }

    // Waits behind a record go to this launch, else all do.
    void takeWaits(ThreadState& thread, std::uint32_t work) {
        const auto hasRecord = [](const PendingWait& wait) { return wait.stream != kNone32; };
        const bool isPaired = std::ranges::any_of(thread.waits, hasRecord);
        for (const PendingWait& wait : thread.waits) {
            if (hasRecord(wait) == isPaired)
                addEvent(sourceOf(thread, wait, work), work, EdgeBasis::Inferred);
        }
        std::erase_if(
            thread.waits, [&](const PendingWait& wait) { return hasRecord(wait) == isPaired; });
    }

    [[nodiscard]] std::uint32_t sourceOf(
        const ThreadState& thread, const PendingWait& wait, std::uint32_t work) const {
        const std::uint32_t own = m_trace.works[work].stream;
        if (wait.stream != kNone32 && wait.stream != own)
            return wait.work;
        if (wait.stream == kNone32)
            return latestRecorded(own, m_trace.works[work].begin);
        return thread.otherStream == kNone32 ? kNone32 : m_streams[thread.otherStream].last;
    }

    // Of the latest work that had ended of those recorded in each stream but one, the last to end.
    [[nodiscard]] std::uint32_t latestRecorded(std::uint32_t except, TimeNs moment) const {
        std::uint32_t latest = kNone32;
        for (std::uint32_t stream = 0; stream < m_streams.size(); ++stream) {
            const auto& all = m_streams[stream].recorded;
            const auto recent = std::span(all).last(std::min(all.size(), kFewWorks));
            const auto found = std::find_if(recent.rbegin(), recent.rend(),
                [&](std::uint32_t work) { return endOf(work) <= moment; });
            if (stream != except && found != recent.rend())
                latest = later(latest, *found);
        }
        return latest;
    }

    void addEvent(std::uint32_t from, std::uint32_t to, EdgeBasis basis) {
        if (from == kNone32 || from == to || endOf(from) > m_trace.works[to].begin)
            return;
        if (m_trace.works[from].stream != m_trace.works[to].stream)
            addBetweenWorks(from, to, EdgeKind::Event, basis);
    }

    // Work behind which the call returned.
    void wait(std::uint32_t call) {
        const TimeNs end = m_trace.calls[call].end;
        for (const Source& source : sourcesOf(call)) {
            if (source.work != kNone32 && endOf(source.work) <= end)
                m_graph.edges.push_back(
                    {operationOf(source.work), call, 0, EdgeKind::Wait, source.basis, false, true});
        }
    }

    [[nodiscard]] std::vector<Source> sourcesOf(std::uint32_t call) const {
        const TracedCall& one = m_trace.calls[call];
        switch (one.kind) {
        case CallKind::BlockingCopy:
            return ofWorks(call, EdgeBasis::Recorded);
        case CallKind::Copy:
            return toHost(call);
        case CallKind::DeviceSync:
            return ofAllStreams(one);
        case CallKind::StreamSync:
            return ofStream(one);
        case CallKind::EventSync:
            return ofEvent(one);
        default:
            return ofFullQueue(call);
        }
    }

    [[nodiscard]] std::vector<Source> ofWorks(std::uint32_t call, EdgeBasis basis) const {
        std::vector<Source> sources;
        for (const std::uint32_t work : worksOf(call))
            sources.push_back({work, basis});
        return sources;
    }
    [[nodiscard]] std::vector<Source> toHost(std::uint32_t call) const {
        const auto isToHost = [&](std::uint32_t work) { return m_trace.works[work].isToHost; };
        return std::ranges::any_of(worksOf(call), isToHost) ? ofWorks(call, EdgeBasis::Inferred)
                                                            : std::vector<Source>();
    }
    [[nodiscard]] std::vector<Source> ofAllStreams(const TracedCall& call) const {
        const bool isRecorded = recordOf(call, RecordKind::DeviceSync) != kNone32;
        const EdgeBasis basis = isRecorded ? EdgeBasis::Recorded : EdgeBasis::Inferred;
        std::vector<Source> sources;
        for (std::uint32_t stream = 0; stream < m_streams.size(); ++stream) {
            const std::uint32_t last = m_streams[stream].last;
            sources.push_back({last == kNone32 ? endingBy(stream, call.end) : last, basis});
        }
        return sources;
    }
    // The stream is the one to which the thread launched last, else the one that ended last.
    [[nodiscard]] std::vector<Source> ofStream(const TracedCall& call) const {
        const std::uint32_t record = recordOf(call, RecordKind::StreamSync);
        if (record != kNone32 && m_trace.records[record].stream != kNone32)
            return {{m_streams[m_trace.records[record].stream].last, EdgeBasis::Recorded}};
        const std::uint32_t own = m_threads[call.thread].stream;
        if (own != kNone32 && m_streams[own].last != kNone32
            && endOf(m_streams[own].last) <= call.end)
            return {{m_streams[own].last}};
        std::uint32_t latest = kNone32;
        for (const StreamState& stream : m_streams) {
            if (stream.last != kNone32 && endOf(stream.last) <= call.end)
                latest = later(latest, stream.last);
        }
        return {{latest}};
    }
    [[nodiscard]] std::vector<Source> ofEvent(const TracedCall& call) const {
        const std::uint32_t record = recordOf(call, RecordKind::EventSync);
        if (record != kNone32 && m_recordedWork[record] != kNone32)
            return {{m_recordedWork[record], EdgeBasis::Recorded}};
        return {{latestRecorded(kNone32, call.end)}};
    }
    // CUDA takes no more launches before work that was launched long before has begun.
    [[nodiscard]] std::vector<Source> ofFullQueue(std::uint32_t call) const {
        const TracedCall& one = m_trace.calls[call];
        const auto works = worksOf(call);
        if (works.empty() || one.end - one.begin < kBlockedLaunch)
            return {};
        const std::uint32_t stream = m_trace.works[works.front()].stream;
        const std::uint32_t running = endingBy(stream, one.end);
        if (running == kNone32 || endOf(running) <= one.begin)
            return {};
        const auto& own = m_ofStream[stream];
        const auto queued
            = std::ranges::lower_bound(own, works.front()) - std::ranges::lower_bound(own, running);
        return queued >= static_cast<std::ptrdiff_t>(kFullQueue) ? std::vector<Source>{{running}}
                                                                 : std::vector<Source>();
    }

    void addHandover(std::uint32_t call) {
        const TracedCall& one = m_trace.calls[call];
        const TimeNs idleFrom = lastEnd(m_threads[one.thread]);
        if (one.begin - idleFrom < kIdleThread)
            return;
        const ThreadState* giver = nullptr;
        for (std::uint32_t thread = 0; thread < m_threads.size(); ++thread) {
            const ThreadState& other = m_threads[thread];
            if (thread == one.thread || other.last == kNone32 || lastEnd(other) > one.begin
                || lastEnd(other) <= idleFrom
                || !hasReason(one.thread, thread, idleFrom, one.begin))
                continue;
            giver = giver == nullptr || lastEnd(other) > lastEnd(*giver) ? &other : giver;
        }
        if (giver != nullptr)
            add(giver->last, call, {}, EdgeKind::Handover, EdgeBasis::Inferred);
    }

    [[nodiscard]] bool hasReason(
        std::uint32_t to, std::uint32_t from, TimeNs idleFrom, TimeNs begin) const {
        if (m_trace.threads[to].isAutograd || m_trace.threads[from].isAutograd)
            return true;
        const auto& calls = m_threads[from].calls;
        const auto first = std::ranges::lower_bound(
            calls, idleFrom, {}, [&](std::uint32_t call) { return m_trace.calls[call].begin; });
        if (first == calls.end())
            return false;
        const DurationNs busy = lastEnd(m_threads[from]) - m_trace.calls[*first].begin;
        return busy.seconds() >= kBusyShare * (begin - idleFrom).seconds();
    }

    void explainStarts() {
        for (std::uint32_t work = 0; work < m_trace.works.size(); ++work) {
            const TracedWork& one = m_trace.works[work];
            if (m_ready[work] == kAllTime.begin || one.begin - m_ready[work] < kUnexplained)
                continue;
            const std::uint32_t cause = endingJustBefore(one);
            if (cause == kNone32)
                continue;
            const bool isGraph = areOfOneGraph(cause, work);
            addBetweenWorks(
                cause, work, isGraph ? EdgeKind::Graph : EdgeKind::Event, EdgeBasis::Inferred);
        }
    }

    [[nodiscard]] std::uint32_t endingJustBefore(const TracedWork& work) const {
        std::uint32_t cause = kNone32;
        for (std::uint32_t stream = 0; stream < m_ofStream.size(); ++stream) {
            if (stream == work.stream
                || m_trace.streams[stream].description.device
                    != m_trace.streams[work.stream].description.device)
                continue;
            const std::uint32_t other = endingBy(stream, work.begin);
            if (other != kNone32 && work.begin - endOf(other) <= kAtOnce)
                cause = later(cause, other);
        }
        return cause;
    }

    const RankTrace& m_trace;
    RankGraph m_graph;
    std::vector<std::uint32_t> m_worksOf; // by call: the first of its works in m_launched
    std::vector<std::uint32_t> m_launched;
    std::vector<std::uint32_t> m_ahead; // by work: the one of its stream that it follows
    std::vector<TimeNs> m_ready; // by work: the latest moment of its edges
    std::vector<bool> m_hasGraphEdge; // by work: a recorded one
    std::vector<std::vector<std::uint32_t>> m_ofStream; // works, by begin
    std::vector<StreamState> m_streams;
    std::vector<ThreadState> m_threads;
    std::vector<std::pair<std::int64_t, std::uint32_t>> m_awaited; // call that recorded, record
    std::vector<std::uint32_t> m_recordedWork; // by record
    bool m_saysWaits = false;
    DurationNs m_usualLaunch;
    DurationNs m_usualGap;
};

} // namespace

RankGraph rankGraphOf(const RankTrace& trace) {
    return RankEdges(trace).run();
}

} // namespace trainscope::analysis
