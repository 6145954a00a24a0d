#include "core/analysis/replay/RankTrace.h"

#include "core/analysis/statistics/Means.h"

namespace trainscope::analysis {

namespace {

constexpr DurationNs kUsualLaunch{5'000}; // without an idle stream
constexpr DurationNs kUsualGap{1'000}; // without launches ahead
constexpr DurationNs kMostLag{1'000'000};
constexpr DurationNs kLittleOverlap{20'000}; // between works of one stream
constexpr DurationNs kLateStart{10'000}; // work that starts so late waited for something
constexpr DurationNs kAtOnce{10'000}; // so soon behind what it waited for
constexpr DurationNs kIdleThread{50'000};
constexpr DurationNs kLongCall{50'000}; // launches at its end
constexpr std::ptrdiff_t kFullQueue = 900; // CUDA blocks beyond 1,022 launches
constexpr std::size_t kFewWorks = 64; // looked at, of those that overlap or were recorded
constexpr double kBusyShare = 0.5;
constexpr double kUsualShare = 0.25; // shorter gaps: longer ones have other causes

// Works and calls are told by their operations, kNone32 is none.
class RankEdges {
public:
    explicit RankEdges(RankTrace& trace)
        : m_trace(trace)
        , m_worksOf(trace.calls.size() + 1, 0)
        , m_ahead(trace.operations.size(), kNone32)
        , m_ready(trace.operations.size(), kAllTime.begin)
        , m_hasGraphEdge(trace.operations.size(), false)
        , m_recordedWork(trace.records.size(), kNone32)
        , m_streams(trace.streams.size())
        , m_threads(trace.threads.size()) { }

    void run() {
        m_trace.edges.reserve(2 * m_trace.operations.size());
        orderStreams();
        orderLaunches();
        findUsual();
        findRecords();
        addStreamEdges();
        for (std::uint32_t call = 0; call < m_trace.firstWork(); ++call)
            follow(call);
        explainStarts();
    }

private:
    struct StreamState {
        std::vector<std::uint32_t> works; // by begin
        std::uint32_t last = kNone32; // work, by the order of launches
        std::vector<std::uint32_t> recorded; // works, the latest record's last
        std::vector<std::uint32_t> waits; // works that its next one waits for, as recorded
    };
    struct ThreadState {
        std::vector<std::uint32_t> calls;
        std::uint32_t stream = kNone32; // it launched to last
        std::uint32_t otherStream = kNone32; // and before that
        std::uint32_t record = kNone32; // work of an event recorded since the last launch
        std::vector<std::uint32_t> waits; // the same of each wait since; none: another event
    };
    using Sources = std::pair<std::vector<std::uint32_t>, EdgeBasis>;

    [[nodiscard]] TimeNs beginOf(std::uint32_t operation) const {
        return m_trace.operations[operation].start;
    }
    [[nodiscard]] TimeNs endOf(std::uint32_t operation) const { return m_trace.endOf(operation); }
    [[nodiscard]] std::uint32_t streamOf(std::uint32_t work) const {
        return m_trace.operations[work].track - static_cast<std::uint32_t>(m_threads.size());
    }
    [[nodiscard]] std::uint32_t callOf(std::uint32_t work) const {
        return m_trace.works[work - m_trace.firstWork()].call;
    }
    [[nodiscard]] std::uint32_t lastOf(std::uint32_t stream) const {
        return stream == kNone32 ? kNone32 : m_streams[stream].last;
    }
    // The one of two works that ends later.
    [[nodiscard]] std::uint32_t later(std::uint32_t a, std::uint32_t b) const {
        return a == kNone32 || (b != kNone32 && endOf(b) > endOf(a)) ? b : a;
    }
    [[nodiscard]] bool hasEnded(std::uint32_t work, TimeNs moment) const {
        return work != kNone32 && endOf(work) <= moment;
    }

    // Cuts works short that reach into the next a little, and finds what is ahead of each.
    void orderStreams() {
        for (std::uint32_t work = m_trace.firstWork(); work < m_trace.operations.size(); ++work) {
            auto& own = m_streams[streamOf(work)].works;
            if (!own.empty())
                m_ahead[work] = cutAhead(own.back(), beginOf(work));
            own.push_back(work);
        }
    }
    std::uint32_t cutAhead(std::uint32_t ahead, TimeNs begin) {
        for (std::size_t i = 0; ahead != kNone32 && endOf(ahead) > begin; ++i) {
            if (i == kFewWorks)
                return kNone32;
            DurationNs& duration = m_trace.operations[ahead].duration;
            const DurationNs overlap = endOf(ahead) - begin;
            if (overlap <= kLittleOverlap && overlap.ns * 2 <= duration.ns)
                duration = duration - overlap;
            else
                ahead = m_ahead[ahead];
        }
        return ahead;
    }

    void orderLaunches() {
        for (const LaunchedWork& work : m_trace.works) {
            if (work.call != kNone32)
                ++m_worksOf[work.call + 1];
        }
        for (std::size_t i = 1; i < m_worksOf.size(); ++i)
            m_worksOf[i] += m_worksOf[i - 1];
        m_launched.resize(m_worksOf.back());
        std::vector<std::uint32_t> next(m_worksOf.begin(), m_worksOf.end() - 1);
        for (std::uint32_t work = m_trace.firstWork(); work < m_trace.operations.size(); ++work) {
            if (callOf(work) != kNone32)
                m_launched[next[callOf(work)]++] = work;
        }
    }
    [[nodiscard]] std::span<const std::uint32_t> worksOf(std::uint32_t call) const {
        return std::span(m_launched)
            .subspan(m_worksOf[call], m_worksOf[call + 1] - m_worksOf[call]);
    }

    void findUsual() {
        std::vector<std::int64_t> launches;
        std::vector<std::int64_t> gaps;
        for (const std::uint32_t work : m_launched) {
            const TimeNs call = beginOf(callOf(work));
            const TimeNs free = m_ahead[work] == kNone32 ? call : endOf(m_ahead[work]);
            if (free <= call && beginOf(work) >= call)
                launches.push_back((beginOf(work) - call).ns);
            else if (free > call + kLateStart)
                gaps.push_back((beginOf(work) - free).ns);
        }
        const auto usual = [](std::vector<std::int64_t>& all, DurationNs none) {
            return all.empty() ? none
                               : std::min(DurationNs{nearestQuantile(all, kUsualShare)}, kMostLag);
        };
        m_usualLaunch = usual(launches, kUsualLaunch);
        m_usualGap = usual(gaps, kUsualGap);
    }

    // No more than was measured.
    void add(std::uint32_t from, std::uint32_t to, DurationNs lag, EdgeKind kind, EdgeBasis basis,
        bool fromStart = false) {
        const TimeNs since = fromStart ? beginOf(from) : endOf(from);
        lag = std::clamp(beginOf(to) - since, DurationNs{}, lag);
        m_trace.edges.push_back(
            {from, to, static_cast<std::int32_t>(lag.ns), kind, basis, fromStart, false});
        m_ready[to] = std::max(m_ready[to], since + lag);
    }
    // Between works that may follow each other.
    void addBehind(std::uint32_t from, std::uint32_t to, EdgeKind kind, EdgeBasis basis) {
        if (from != to && hasEnded(from, beginOf(to)))
            add(from, to, m_usualGap, kind, basis);
    }
    void addEvent(std::uint32_t from, std::uint32_t to, EdgeBasis basis) {
        if (from != kNone32 && streamOf(from) != streamOf(to))
            addBehind(from, to, EdgeKind::Event, basis);
    }

    [[nodiscard]] bool areOfOneGraph(std::uint32_t a, std::uint32_t b) const {
        return callOf(a) != kNone32 && callOf(a) == callOf(b);
    }

    // Work whose call was not recorded was launched behind the one before it.
    void addStreamEdges() {
        std::vector<std::uint32_t> calls(m_streams.size(), kNone32);
        for (std::uint32_t work = m_trace.firstWork(); work < m_trace.operations.size(); ++work) {
            const std::uint32_t ahead = m_ahead[work];
            std::uint32_t& call = calls[streamOf(work)];
            if (callOf(work) != kNone32)
                call = callOf(work);
            else if (call != kNone32)
                add(call, work, m_usualLaunch, EdgeKind::Launch, EdgeBasis::Inferred, true);
            if (ahead == kNone32)
                continue;
            if (!areOfOneGraph(ahead, work))
                addBehind(ahead, work, EdgeKind::Stream, EdgeBasis::Assumed);
            else if (!m_hasGraphEdge[work])
                addBehind(ahead, work, EdgeKind::Graph, EdgeBasis::Inferred);
        }
    }

    // The last work of a stream that ends by that moment.
    [[nodiscard]] std::uint32_t endingBy(std::uint32_t stream, TimeNs moment) const {
        const auto& own = m_streams[stream].works;
        auto found = std::ranges::upper_bound(
            own, moment, {}, [&](std::uint32_t work) { return beginOf(work); });
        for (std::size_t i = 0; i < kFewWorks && found != own.begin(); ++i) {
            if (hasEnded(*--found, moment))
                return *found;
        }
        return kNone32;
    }

    void addGraphEdge(const TracedRecord& record) {
        const auto& own = m_streams[record.stream].works;
        const auto to = std::ranges::lower_bound(
            own, record.when.end, {}, [&](std::uint32_t work) { return beginOf(work); });
        const std::uint32_t from = endingBy(record.from, record.when.begin);
        if (to == own.end() || beginOf(*to) != record.when.end || from == kNone32)
            return;
        addBehind(from, *to, EdgeKind::Graph, EdgeBasis::Recorded);
        m_hasGraphEdge[*to] = true;
    }
    void findRecords() {
        for (std::uint32_t i = 0; i < m_trace.records.size(); ++i) {
            const TracedRecord& one = m_trace.records[i];
            const bool isWhole = one.stream != kNone32 && one.from != kNone32;
            if (one.kind == RecordKind::GraphEdge && isWhole)
                addGraphEdge(one);
            if (one.record >= 0)
                m_awaited.emplace_back(one.record, i);
            m_saysWaits |= one.kind == RecordKind::StreamWait && (one.record >= 0 || isWhole);
        }
        std::ranges::sort(m_awaited);
    }
    // Its number, of a call.
    [[nodiscard]] std::uint32_t recordOf(std::uint32_t call, RecordKind kind) const {
        const std::int64_t correlation = m_trace.calls[call].correlation;
        auto one = std::ranges::lower_bound(
            m_trace.records, correlation, {}, &TracedRecord::correlation);
        for (; one != m_trace.records.end() && one->correlation == correlation; ++one) {
            if (correlation != 0 && one->kind == kind)
                return static_cast<std::uint32_t>(one - m_trace.records.begin());
        }
        return kNone32;
    }

    // The calls, in order of their begin.
    void follow(std::uint32_t call) {
        ThreadState& thread = m_threads[m_trace.operations[call].track];
        addHandover(call);
        if (!thread.calls.empty())
            add(thread.calls.back(), call, {}, EdgeKind::Thread, EdgeBasis::Recorded);
        thread.calls.push_back(call);
        const CallKind kind = m_trace.calls[call].kind;
        if (kind == CallKind::Record)
            record(call, thread);
        else if (kind == CallKind::StreamWait)
            letWait(call, thread);
        else if (!worksOf(call).empty())
            launch(call, thread);
        const Sources sources = sourcesOf(call, thread);
        for (const std::uint32_t work : sources.first) {
            if (hasEnded(work, endOf(call)))
                m_trace.edges.push_back(
                    {work, call, 0, EdgeKind::Wait, sources.second, false, true});
        }
    }

    void record(std::uint32_t call, ThreadState& thread) {
        std::uint32_t stream = thread.stream;
        const std::int64_t correlation = m_trace.calls[call].correlation;
        auto wanted = std::ranges::lower_bound(m_awaited, std::pair{correlation, 0U});
        for (; wanted != m_awaited.end() && wanted->first == correlation; ++wanted) {
            const std::uint32_t from = m_trace.records[wanted->second].from;
            stream = from == kNone32 ? stream : from;
            m_recordedWork[wanted->second] = lastOf(stream);
        }
        thread.record = lastOf(stream);
        if (thread.record != kNone32)
            m_streams[stream].recorded.push_back(thread.record);
    }

    void letWait(std::uint32_t call, ThreadState& thread) {
        const std::uint32_t number = recordOf(call, RecordKind::StreamWait);
        if (number != kNone32 && m_trace.records[number].stream != kNone32) {
            const TracedRecord& known = m_trace.records[number];
            std::uint32_t work = m_recordedWork[number];
            work = work == kNone32 ? lastOf(known.from) : work;
            if (work != kNone32)
                return m_streams[known.stream].waits.push_back(work);
        }
        if (!m_saysWaits)
            thread.waits.push_back(std::exchange(thread.record, kNone32));
    }

    void launch(std::uint32_t call, ThreadState& thread) {
        const TimeNs end = endOf(call);
        for (const std::uint32_t work : worksOf(call)) {
            StreamState& stream = m_streams[streamOf(work)];
            const bool isLate = end - beginOf(call) > kLongCall && beginOf(work) >= end;
            add(call, work, isLate ? DurationNs{} : m_usualLaunch, EdgeKind::Launch,
                EdgeBasis::Recorded, !isLate);
            for (const std::uint32_t awaited : std::exchange(stream.waits, {}))
                addEvent(awaited, work, EdgeBasis::Recorded);
            takeWaits(thread, work);
            if (thread.stream != streamOf(work))
                thread.otherStream = std::exchange(thread.stream, streamOf(work));
        }
        for (const std::uint32_t work : worksOf(call))
            m_streams[streamOf(work)].last = work;
        thread.record = kNone32;
    }

    // Waits behind a record go to this launch, else all do.
    void takeWaits(ThreadState& thread, std::uint32_t work) {
        const bool isPaired = std::ranges::any_of(
            thread.waits, [](std::uint32_t recorded) { return recorded != kNone32; });
        std::erase_if(thread.waits, [&](std::uint32_t recorded) {
            if ((recorded != kNone32) != isPaired)
                return false;
            if (!isPaired)
                recorded = latestRecorded(streamOf(work), beginOf(work));
            else if (streamOf(recorded) == streamOf(work))
                recorded = lastOf(thread.otherStream);
            addEvent(recorded, work, EdgeBasis::Inferred);
            return true;
        });
    }

    // Each stream but one has a latest recorded work that had ended: the last of these to end.
    [[nodiscard]] std::uint32_t latestRecorded(std::uint32_t except, TimeNs moment) const {
        std::uint32_t latest = kNone32;
        for (std::uint32_t stream = 0; stream < m_streams.size(); ++stream) {
            const auto& all = m_streams[stream].recorded;
            const auto recent = std::span(all).last(std::min(all.size(), kFewWorks));
            const auto found = std::find_if(recent.rbegin(), recent.rend(),
                [&](std::uint32_t work) { return hasEnded(work, moment); });
            if (stream != except && found != recent.rend())
                latest = later(latest, *found);
        }
        return latest;
    }

    // Works behind which a call returned.
    [[nodiscard]] Sources sourcesOf(std::uint32_t call, const ThreadState& thread) const {
        const auto works = worksOf(call);
        const Sources own{{works.begin(), works.end()}, EdgeBasis::Inferred};
        switch (m_trace.calls[call].kind) {
        case CallKind::BlockingCopy:
            return {own.first, EdgeBasis::Recorded};
        case CallKind::Copy:
            return !works.empty() && m_trace.works[works.front() - m_trace.firstWork()].isToHost
                ? own
                : Sources();
        case CallKind::DeviceSync:
            return ofAllStreams(call);
        case CallKind::StreamSync:
            return ofStream(call, thread);
        case CallKind::EventSync:
            return ofEvent(call);
        default:
            return works.empty() ? Sources() : ofFullQueue(call, works.front());
        }
    }

    // The last that was launched to a stream before a call; where that is not known, that ended.
    [[nodiscard]] std::uint32_t workBefore(std::uint32_t stream, std::uint32_t call) const {
        const std::uint32_t last = lastOf(stream);
        return last == kNone32 ? endingBy(stream, endOf(call)) : last;
    }
    [[nodiscard]] Sources ofAllStreams(std::uint32_t call) const {
        const bool isRecorded = recordOf(call, RecordKind::DeviceSync) != kNone32;
        Sources sources{{}, isRecorded ? EdgeBasis::Recorded : EdgeBasis::Inferred};
        for (std::uint32_t stream = 0; stream < m_streams.size(); ++stream)
            sources.first.push_back(workBefore(stream, call));
        return sources;
    }
    // The stream is the one to which the thread launched last, else the one that ended last.
    [[nodiscard]] Sources ofStream(std::uint32_t call, const ThreadState& thread) const {
        const std::uint32_t number = recordOf(call, RecordKind::StreamSync);
        if (number != kNone32 && m_trace.records[number].stream != kNone32)
            return {{lastOf(m_trace.records[number].stream)}, EdgeBasis::Recorded};
        std::uint32_t latest = lastOf(thread.stream);
        if (!hasEnded(latest, endOf(call))) {
            latest = kNone32;
            for (std::uint32_t stream = 0; stream < m_streams.size(); ++stream) {
                const std::uint32_t last = workBefore(stream, call);
                latest = hasEnded(last, endOf(call)) ? later(latest, last) : latest;
            }
        }
        return {{latest}, EdgeBasis::Inferred};
    }
    [[nodiscard]] Sources ofEvent(std::uint32_t call) const {
        const std::uint32_t number = recordOf(call, RecordKind::EventSync);
        if (number != kNone32 && m_recordedWork[number] != kNone32)
            return {{m_recordedWork[number]}, EdgeBasis::Recorded};
        return {{latestRecorded(kNone32, endOf(call))}, EdgeBasis::Inferred};
    }
    // CUDA takes no more launches before work that was launched long before has begun.
    [[nodiscard]] Sources ofFullQueue(std::uint32_t call, std::uint32_t work) const {
        const std::uint32_t running = endingBy(streamOf(work), endOf(call));
        if (endOf(call) - beginOf(call) < kLongCall || running == kNone32
            || endOf(running) <= beginOf(call))
            return {};
        const auto& own = m_streams[streamOf(work)].works;
        const auto queued
            = std::ranges::lower_bound(own, work) - std::ranges::lower_bound(own, running);
        return queued < kFullQueue ? Sources() : Sources{{running}, EdgeBasis::Inferred};
    }

    // The thread that ended last among those that were busy while this one was idle.
    void addHandover(std::uint32_t call) {
        const std::uint32_t own = m_trace.operations[call].track;
        const auto& before = m_threads[own].calls;
        const TimeNs idleFrom = before.empty() ? beginOf(0) : endOf(before.back());
        if (beginOf(call) - idleFrom < kIdleThread)
            return;
        std::uint32_t giver = kNone32;
        for (std::uint32_t thread = 0; thread < m_threads.size(); ++thread) {
            const auto& calls = m_threads[thread].calls;
            if (thread != own && !calls.empty() && hasEnded(calls.back(), beginOf(call))
                && endOf(calls.back()) > idleFrom
                && (m_trace.threads[own].isAutograd || m_trace.threads[thread].isAutograd
                    || isBusyIn(calls, {idleFrom, beginOf(call)})))
                giver = later(giver, calls.back());
        }
        if (giver != kNone32)
            add(giver, call, {}, EdgeKind::Handover, EdgeBasis::Inferred);
    }
    [[nodiscard]] bool isBusyIn(const std::vector<std::uint32_t>& calls, TimeRange range) const {
        const auto first = std::ranges::lower_bound(
            calls, range.begin, {}, [&](std::uint32_t call) { return beginOf(call); });
        return first != calls.end()
            && (endOf(calls.back()) - beginOf(*first)).seconds()
            >= kBusyShare * range.length().seconds();
    }

    void explainStarts() {
        for (std::uint32_t work = m_trace.firstWork(); work < m_trace.operations.size(); ++work) {
            if (m_ready[work] == kAllTime.begin || beginOf(work) - m_ready[work] < kLateStart)
                continue;
            std::uint32_t cause = kNone32;
            const auto deviceOf
                = [&](std::uint32_t stream) { return m_trace.streams[stream].description.device; };
            for (std::uint32_t stream = 0; stream < m_streams.size(); ++stream) {
                if (stream == streamOf(work) || deviceOf(stream) != deviceOf(streamOf(work)))
                    continue;
                const std::uint32_t other = endingBy(stream, beginOf(work));
                if (other != kNone32 && beginOf(work) - endOf(other) <= kAtOnce)
                    cause = later(cause, other);
            }
            if (cause != kNone32)
                addBehind(cause, work,
                    areOfOneGraph(cause, work) ? EdgeKind::Graph : EdgeKind::Event,
                    EdgeBasis::Inferred);
        }
    }

    RankTrace& m_trace;
    std::vector<std::uint32_t> m_worksOf; // by call: the first of its works in m_launched
    std::vector<std::uint32_t> m_launched;
    std::vector<std::uint32_t> m_ahead; // by work: the one of its stream that it follows
    std::vector<TimeNs> m_ready; // the latest moment of the edges of a start
    std::vector<bool> m_hasGraphEdge; // a recorded one
    std::vector<std::uint32_t> m_recordedWork; // by record
    std::vector<std::pair<std::int64_t, std::uint32_t>> m_awaited; // call that recorded, record
    bool m_saysWaits = false;
    std::vector<StreamState> m_streams;
    std::vector<ThreadState> m_threads;
    DurationNs m_usualLaunch;
    DurationNs m_usualGap;
};

} // namespace

void addRankEdges(RankTrace& trace) {
    RankEdges(trace).run();
}

} // namespace trainscope::analysis
