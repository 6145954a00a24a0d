#pragma once
// Sums of calls and of the work that they launch in a part of a rank's time. Sums of parts that
// follow each other add up to those of the whole: times of work are cut at the edges of the part,
// and work counts where it begins. One thread.

#include "core/analysis/operators/CallFrames.h"
#include "core/analysis/operators/CallPart.h"
#include "core/analysis/operators/CallPaths.h"
#include "core/model/Span.h"
#include "core/store/Store.h"

#include <cstdint>
#include <deque>
#include <map>
#include <unordered_map>
#include <vector>

namespace trainscope::analysis {

class CallMeter {
public:
    static constexpr std::size_t kMostLaunches = std::size_t{1} << 17U;
    static constexpr std::size_t kMostForward = std::size_t{1} << 18U;

    // Work that begins before `begin` only leads up to the first part. `forward`: of calls before.
    CallMeter(const store::Store& store, CallPaths& paths, TimeNs begin,
        const std::map<std::int64_t, ForwardCall>& forward = {});

    // Counts the self time of calls as work, of a device for each thread: for traces without any.
    void countSelfTime();
    // Adds a span of a host thread; each thread's in order of start.
    Status addHost(std::uint32_t thread, const Span& span);
    // A kernel, copy or set, in order of start; its launch was added. `device`: of the rank's, by
    // number from 0 on.
    Status addWork(const Span& span, std::uint32_t device = 0);
    // Ends the part here: all that begins before was added. The next part follows.
    CallPart close(TimeNs end);

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
        void cover(TimeRange range, std::uint32_t device, DurationNs& busy);

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

    std::uint32_t newCall();
    void release(std::uint32_t call);
    void addSelf(std::uint32_t thread, TimeRange piece);
    void settle(std::uint32_t thread, TimeNs moment);
    void setFirst(Work& work, std::uint32_t number);
    void remember(std::int64_t correlation, std::uint32_t call, bool isGraph);
    void hangBelow(std::uint32_t thread, const Span& span, std::uint32_t frame, Call& call);
    [[nodiscard]] std::uint32_t pathOf(std::uint32_t thread, TimeNs moment) const;

    FrameState& frameState(std::uint32_t path);
    void apply(const Work& work, TimeRange inside, bool begins);
    void applyTotal(
        std::uint32_t total, const Work& work, TimeRange inside, bool begins, bool isCall);

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
