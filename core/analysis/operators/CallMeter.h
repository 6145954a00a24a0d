#pragma once
// Sums of calls and of the work that they launch in a part of a rank's time. Sums of parts that
// follow each other add up to those of the whole: times of work are cut at the edges of the part,
// and work counts where it begins. One thread.

#include "core/analysis/operators/CallFrames.h"
#include "core/analysis/operators/CallPaths.h"
#include "core/model/SpanFacts.h"
#include "core/model/Try.h"

#include <deque>

namespace trainscope::analysis {

class CallMeter {
public:
    static constexpr std::size_t kMostLaunches = std::size_t{1} << 17U;
    static constexpr std::size_t kMostForward = std::size_t{1} << 18U;

    // Work that begins before `begin` only leads up to the first part. `forward`: of calls before.
    CallMeter(const store::Store& store, CallPaths& paths, TimeNs begin,
        const std::map<std::int64_t, ForwardCall>& forward = {})
        : m_paths(paths)
        , m_begin(begin)
        , m_frames(store, paths) {
        for (const auto& [sequence, call] : forward) {
            m_forward.emplace(sequence, call);
            m_forwardOrder.push_back(sequence);
        }
    }

    // Counts the self time of calls as work, of a device for each thread: for traces without any.
    void countSelfTime() {
        m_countsSelfTime = true;
        m_paths.tellSelfTime();
    }

    // Adds a span of a host thread; each thread's in order of start.
    Status addHost(std::uint32_t thread, const Span& span) {
        const bool isCall = span.kind == SpanKind::CpuOp || span.kind == SpanKind::Annotation
            || span.kind == SpanKind::Python;
        const bool isLaunch = span.kind == SpanKind::Runtime && launchOf(span) != 0;
        if (!isCall && !isLaunch)
            return {};
        if (thread >= m_threads.size())
            m_threads.resize(thread + 1);
        if (m_countsSelfTime)
            settle(thread, span.start);
        auto& open = m_threads[thread];
        const TimeNs end = span.start + span.duration;
        while (!open.empty() && isBeside(open.back().end, span.start, end)) {
            release(open.back().call);
            open.pop_back();
        }
        if (isLaunch) {
            ASSIGN_OR_RETURN(const auto known, m_frames.of(span));
            if (!open.empty())
                remember(span.correlation, open.back().call, known.isGraphLaunch);
            return {};
        }
        m_paths.tellHost();
        ASSIGN_OR_RETURN(const auto known, m_frames.of(span));
        const std::uint32_t number = newCall();
        Call call;
        call.references = 1;
        call.start = span.start;
        hangBelow(thread, span, known.frame, call);
        const auto& path = m_paths[call.path];
        if (path.kind == FrameKind::Operator && span.kind == SpanKind::CpuOp)
            call.nearestOperator = number;
        else if (call.nearestOperator != kNoPath)
            ++m_calls[call.nearestOperator].references;
        m_calls[number] = call;
        open.push_back({end, number});
        m_begun.push_back({span.start, span.duration, call.path});
        // It counts where it begins, whether it does anything itself or not.
        if (m_countsSelfTime)
            addSelf(thread, {span.start, span.start});
        const auto link = autogradLinkOf(span.correlation);
        if (span.kind == SpanKind::CpuOp && link && !link->isBackward) {
            const ForwardCall made{call.path, thread};
            if (m_forward.insert_or_assign(link->sequence, made).second)
                m_forwardOrder.push_back(link->sequence);
            if (m_forwardOrder.size() > kMostForward) {
                m_forward.erase(m_forwardOrder.front());
                m_forwardOrder.pop_front();
            }
        }
        return {};
    }

    // A kernel, copy or set, in order of start; its launch was added. `device`: of the rank's, by
    // number from 0 on.
    Status addWork(const Span& span, std::uint32_t device = 0) {
        ASSIGN_OR_RETURN(const auto known, m_frames.of(span));
        Work work;
        work.start = span.start;
        work.end = span.start + span.duration;
        work.since = span.start;
        work.device = device;
        std::uint32_t parent = 0;
        const auto launch
            = launchOf(span) == 0 ? m_launches.end() : m_launches.find(span.correlation);
        if (launch != m_launches.end()) {
            const std::uint32_t number = launch->second.call;
            parent = m_calls[number].path;
            setFirst(work, number);
            if (!launch->second.isGraph) {
                m_launches.erase(launch);
                release(number);
            }
        }
        if (known.ownOperator) {
            m_paths.tellHost();
            parent = m_paths.below(parent, *known.ownOperator);
            work.isFirstOfCall = true;
            work.isFirstOfOperator = true;
        }
        work.path = m_paths.below(parent, known.frame);
        m_works.push_back(work);
        return {};
    }

    // Ends the part here: all that begins before was added. The next part follows.
    CallPart close(TimeNs end) {
        for (std::uint32_t thread = 0; m_countsSelfTime && thread < m_threads.size(); ++thread)
            settle(thread, end);
        const TimeRange part{m_begin, end};
        CallPart result;
        result.since = end;
        std::vector<Work> later;
        for (const Work& work : m_works) {
            if (work.start >= end) {
                later.push_back(work);
                continue;
            }
            const bool begins = work.start >= part.begin;
            const TimeRange inside{std::max(work.start, part.begin), std::min(work.end, end)};
            if (begins || inside.begin < inside.end) {
                apply(work, {inside.begin, std::max(inside.begin, inside.end)}, begins);
                result.since = std::min(result.since, work.since);
                if (const auto used = m_forward.find(work.forward); used != m_forward.end())
                    result.forward.insert(*used);
            }
            if (work.end > end)
                later.push_back(work);
        }
        m_works.swap(later);
        std::erase_if(m_begun, [&](const Begun& begun) {
            if (begun.start >= end)
                return false;
            if (begun.start >= part.begin) {
                FrameState& state = frameState(begun.path);
                ++state.sums.begun;
                state.sums.hostTime = state.sums.hostTime + begun.duration;
                const auto& path = m_paths[begun.path];
                if (path.kind == FrameKind::Module || path.kind == FrameKind::Annotation) {
                    TotalState& total = touch(m_totalStates, m_touchedTotals, path.total);
                    total.sums.total = path.total;
                    ++total.sums.calls;
                }
            }
            return true;
        });
        result.frames = take<CallPart::Frame>(m_frameStates, m_touchedFrames);
        result.works = take<CallPart::Work>(m_workStates, m_touchedWorks);
        result.totals = take<CallPart::Total>(m_totalStates, m_touchedTotals);
        m_begin = end;
        return result;
    }

    [[nodiscard]] std::size_t held() const { return m_works.size() + m_begun.size(); }

private:
    struct Call {
        std::uint32_t path = 0;
        std::uint32_t nearestOperator = kNoPath; // call, may be itself
        std::uint32_t references = 0;
        std::uint32_t around = 0; // path that the forward thread is in meanwhile
        TimeNs start;
        std::int64_t forward = -1; // sequence number of the forward operator that it hangs under
        bool hasLaunched = false;
        bool hasLaunchedAsOperator = false;
    };
    struct Open {
        TimeNs end;
        std::uint32_t call = 0;
    };
    struct Launch {
        std::uint32_t call = 0;
        bool isGraph = false;
    };
    struct Work {
        TimeNs start;
        TimeNs end;
        TimeNs since; // begin of the first call that identifies it
        std::int64_t forward = -1; // as of the call
        std::uint32_t path = 0;
        std::uint32_t around = 0;
        std::uint32_t device = 0;
        bool isFirstOfCall = false;
        bool isFirstOfOperator = false;
        bool isMore = false; // part of work that counts already
    };
    struct Begun {
        TimeNs start;
        DurationNs duration;
        std::uint32_t path = 0;
    };
    // A union of the work of each device, which are summed.
    class Busy {
    public:
        // Adds what of the range was not covered yet.
        void cover(TimeRange range, std::uint32_t device, DurationNs& busy) {
            if (device > m_others.size())
                m_others.resize(device, kAllTime.begin);
            TimeNs& until = device == 0 ? m_until : m_others[device - 1];
            const TimeNs from = std::max(range.begin, until);
            if (from >= range.end)
                return;
            busy = busy + (range.end - from);
            until = range.end;
        }

    private:
        TimeNs m_until = kAllTime.begin; // on the first device, which most ranks have alone
        std::vector<TimeNs> m_others;
    };
    // Sums of the part so far, and until when all of it is covered.
    struct FrameState {
        CallPart::Frame sums;
        Busy busy;
        Busy ownBusy;
        bool isTouched = false;
    };
    struct WorkState {
        CallPart::Work sums;
        Busy busy;
        bool isTouched = false;
    };
    struct TotalState {
        CallPart::Total sums;
        Busy busy;
        std::uint64_t lastWork = 0;
        bool isTouched = false;
    };

    // True for a call that comes after one that ends at `open` rather than inside it. Steps that
    // follow each other overlap by the rounding of their times, and so do the ends of calls in
    // calls.
    static bool isBeside(TimeNs open, TimeNs begin, TimeNs end) {
        return open <= begin || (open < end && open - begin < end - open);
    }

    template <typename State>
    static State& touch(
        std::vector<State>& states, std::vector<std::uint32_t>& touched, std::uint32_t at) {
        if (at >= states.size())
            states.resize(std::max<std::size_t>(at + 1, states.size() * 2));
        State& state = states[at];
        if (!state.isTouched) {
            state.isTouched = true;
            touched.push_back(at);
        }
        return state;
    }

    // Takes the sums of what was touched, by number.
    template <typename Sums, typename State>
    static std::vector<Sums> take(std::vector<State>& states, std::vector<std::uint32_t>& touched) {
        std::ranges::sort(touched);
        std::vector<Sums> result;
        result.reserve(touched.size());
        for (const std::uint32_t at : touched) {
            result.push_back(states[at].sums);
            states[at].sums = {};
            states[at].isTouched = false;
        }
        touched.clear();
        return result;
    }

    std::uint32_t newCall() {
        if (m_freeCalls.empty()) {
            m_calls.emplace_back();
            return static_cast<std::uint32_t>(m_calls.size() - 1);
        }
        const std::uint32_t call = m_freeCalls.back();
        m_freeCalls.pop_back();
        m_calls[call] = {};
        return call;
    }

    void release(std::uint32_t call) {
        while (--m_calls[call].references == 0) {
            m_freeCalls.push_back(call);
            const std::uint32_t nearest = m_calls[call].nearestOperator;
            if (nearest == kNoPath || nearest == call)
                return;
            call = nearest;
        }
    }

    // The piece is self time of the innermost call of the thread.
    void addSelf(std::uint32_t thread, TimeRange piece) {
        const std::uint32_t number = m_threads[thread].back().call;
        Work work;
        work.start = piece.begin;
        work.end = piece.end;
        work.since = piece.begin;
        work.device = thread;
        work.isMore = m_calls[number].hasLaunched;
        setFirst(work, number);
        work.path = m_paths.selfOf(m_calls[number].path);
        m_works.push_back(work);
    }

    // Counts the self time of a thread until the moment; what has ended by then is open no longer.
    void settle(std::uint32_t thread, TimeNs moment) {
        if (thread >= m_settled.size())
            m_settled.resize(thread + 1, kAllTime.begin);
        TimeNs& settled = m_settled[thread];
        auto& open = m_threads[thread];
        while (!open.empty()) {
            const TimeNs until = std::min(open.back().end, moment);
            if (settled < until) {
                addSelf(thread, {settled, until});
                settled = until;
            }
            if (open.back().end > moment)
                return;
            release(open.back().call);
            open.pop_back();
        }
        settled = std::max(settled, moment);
    }

    // The work is of that call.
    void setFirst(Work& work, std::uint32_t number) {
        Call& call = m_calls[number];
        work.around = call.around;
        work.isFirstOfCall = !std::exchange(call.hasLaunched, true);
        work.since = std::min(work.since, call.start);
        work.forward = call.forward;
        if (call.nearestOperator == kNoPath)
            return;
        Call& caller = m_calls[call.nearestOperator];
        work.isFirstOfOperator = !std::exchange(caller.hasLaunchedAsOperator, true);
        work.since = std::min(work.since, caller.start);
    }

    void remember(std::int64_t correlation, std::uint32_t call, bool isGraph) {
        // A runtime call may make a driver call of the same correlation; the outer one counts.
        if (!m_launches.emplace(correlation, Launch{call, isGraph}).second)
            return;
        ++m_calls[call].references;
        m_launchOrder.push_back(correlation);
        while (m_launchOrder.size() > kMostLaunches) {
            const auto oldest = m_launches.find(m_launchOrder.front());
            m_launchOrder.pop_front();
            if (oldest == m_launches.end())
                continue;
            const std::uint32_t held = oldest->second.call;
            m_launches.erase(oldest);
            release(held);
        }
    }

    // Hangs the call under its forward operator, unless its caller hangs there already; else under
    // its caller.
    void hangBelow(std::uint32_t thread, const Span& span, std::uint32_t frame, Call& call) {
        std::uint32_t parent = 0;
        if (!m_threads[thread].empty()) {
            const std::uint32_t callerNumber = m_threads[thread].back().call;
            const Call& caller = m_calls[callerNumber];
            parent = caller.path;
            call.around = caller.around;
            call.forward = caller.forward;
            call.nearestOperator = caller.nearestOperator;
        }
        const auto link = autogradLinkOf(span.correlation);
        if (link && link->isBackward && link->sequence != call.forward) {
            if (const auto found = m_forward.find(link->sequence); found != m_forward.end()) {
                parent = found->second.path;
                call.forward = link->sequence;
                if (found->second.thread != thread)
                    call.around = pathOf(found->second.thread, span.start);
            }
        }
        call.path = m_paths.below(parent, frame);
    }

    // The innermost call of a thread at a moment, as a path.
    [[nodiscard]] std::uint32_t pathOf(std::uint32_t thread, TimeNs moment) const {
        if (thread >= m_threads.size())
            return 0;
        const auto& open = m_threads[thread];
        const auto found = std::find_if(
            open.rbegin(), open.rend(), [&](const Open& one) { return one.end > moment; });
        return found == open.rend() ? 0 : m_calls[found->call].path;
    }

    FrameState& frameState(std::uint32_t path) {
        FrameState& state = touch(m_frameStates, m_touchedFrames, path);
        state.sums.path = path;
        return state;
    }

    void apply(const Work& work, TimeRange inside, bool begins) {
        ++m_workNumber;
        WorkState& leaf = touch(m_workStates, m_touchedWorks, work.path);
        CallPart::Work& sums = leaf.sums;
        const DurationNs whole = work.end - work.start;
        const bool isFirst = sums.count + sums.carried == 0;
        sums.path = work.path;
        (begins ? sums.count : sums.carried) += work.isMore ? 0 : 1;
        sums.time = sums.time + inside.length();
        leaf.busy.cover(inside, work.device, sums.busy);
        sums.shortest = isFirst ? whole : std::min(sums.shortest, whole);
        if (isFirst || whole > sums.longest) {
            sums.longest = whole;
            sums.longestAt = work.start;
        }
        const std::uint32_t launcher = m_paths[work.path].parent;
        FrameState& own = frameState(launcher);
        own.ownBusy.cover(inside, work.device, own.sums.ownBusy);
        own.sums.launching += begins && work.isFirstOfCall ? 1 : 0;
        for (std::uint32_t path = launcher; path != kNoPath; path = m_paths[path].parent) {
            FrameState& state = frameState(path);
            state.busy.cover(inside, work.device, state.sums.busy);
            const bool isCounted = m_paths[path].kind == FrameKind::Module
                || m_paths[path].kind == FrameKind::Annotation;
            if (isCounted)
                applyTotal(m_paths[path].total, work, inside, begins, false);
        }
        for (std::uint32_t path = work.around; path != kNoPath; path = m_paths[path].parent) {
            if (m_paths[path].kind == FrameKind::Annotation)
                applyTotal(m_paths[path].total, work, inside, begins, false);
        }
        if (const std::uint32_t caller = m_paths[launcher].nearestOperator; caller != kNoPath) {
            const bool isCall = begins && work.isFirstOfOperator;
            applyTotal(m_paths[caller].total, work, inside, begins, isCall);
            applyTotal(m_paths[caller].shapeTotal, work, inside, begins, isCall);
        }
        applyTotal(CallPaths::totalOf(m_paths[launcher].pass), work, inside, begins,
            begins && work.isFirstOfCall);
    }

    void applyTotal(
        std::uint32_t total, const Work& work, TimeRange inside, bool begins, bool isCall) {
        TotalState& state = touch(m_totalStates, m_touchedTotals, total);
        state.sums.total = total;
        if (state.lastWork == m_workNumber)
            return;
        state.lastWork = m_workNumber;
        state.sums.calls += isCall ? 1 : 0;
        (begins ? state.sums.works : state.sums.carried) += work.isMore ? 0 : 1;
        state.sums.time = state.sums.time + inside.length();
        state.busy.cover(inside, work.device, state.sums.busy);
    }

    CallPaths& m_paths;
    TimeNs m_begin;
    CallFrames m_frames;
    std::vector<Call> m_calls;
    std::vector<std::uint32_t> m_freeCalls;
    std::vector<std::vector<Open>> m_threads; // open calls, outermost first
    bool m_countsSelfTime = false;
    std::vector<TimeNs> m_settled; // until when self time of each thread is counted
    std::unordered_map<std::int64_t, Launch> m_launches; // by correlation
    std::deque<std::int64_t> m_launchOrder;
    std::unordered_map<std::int64_t, ForwardCall> m_forward; // by sequence number
    std::deque<std::int64_t> m_forwardOrder;

    std::vector<Work> m_works; // works that touch the part
    std::vector<Begun> m_begun;

    std::vector<FrameState> m_frameStates; // by path
    std::vector<WorkState> m_workStates;
    std::vector<TotalState> m_totalStates;
    std::vector<std::uint32_t> m_touchedFrames;
    std::vector<std::uint32_t> m_touchedWorks;
    std::vector<std::uint32_t> m_touchedTotals;
    std::uint64_t m_workNumber = 0;
};

} // namespace trainscope::analysis
