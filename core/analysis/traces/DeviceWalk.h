#pragma once
// One pass over all that a trace says about a device, for any number of visitors.

#include "core/analysis/traces/EarlyWork.h"
#include "core/analysis/traces/KernelCategory.h"
#include "core/analysis/traces/Phase.h"
#include "core/analysis/traces/TraceWindow.h"

#include <queue>

namespace trainscope::analysis {

// Kernels that run and are alike.
struct ActiveKernels {
    const std::string* category = nullptr; // the built-in table's
    NameId detail; // communication's
    Mark mark = Mark::None; // compute's
    bool isCommunication = false;
    bool isPipelineTransfer = false;
    NameId name = {}; // if a visitor asks for it
    std::int64_t count = 1;

    [[nodiscard]] bool isLike(const ActiveKernels& other) const {
        return category == other.category && detail == other.detail && mark == other.mark
            && isCommunication == other.isCommunication
            && isPipelineTransfer == other.isPipelineTransfer && name == other.name;
    }
};

// The work of a device throughout a piece of its time.
struct Running {
    std::span<const ActiveKernels> kernels;
    bool isCopying = false; // a copy or a memory set

    [[nodiscard]] bool isNothing() const { return kernels.empty() && !isCopying; }
    [[nodiscard]] std::int64_t countOf(bool isCommunication) const {
        std::int64_t count = 0;
        for (const ActiveKernels& one : kernels)
            count += one.isCommunication == isCommunication ? one.count : 0;
        return count;
    }
};

// Cuts time into pieces in which the same kinds of work run, from work that arrives in order of its
// start. A kind counts how many of it run and says whether another is alike. Memory grows with what
// runs at once; the cost of a piece with how many kinds of it.
template <typename Kind>
class WorkSweep {
public:
    // Pieces before `begin` are not told.
    explicit WorkSweep(TimeNs begin)
        : m_now(begin) { }

    // tell(range, kinds that run throughout, whether copies do): up to the start of this work.
    template <typename Tell>
    void add(TimeRange range, const Kind& work, Tell&& tell) {
        advance(range.begin, tell);
        if (range.end <= m_now)
            return;
        const auto alike
            = std::ranges::find_if(m_active, [&](const Kind& one) { return one.isLike(work); });
        const auto kind = static_cast<std::size_t>(alike - m_active.begin());
        if (alike != m_active.end()) {
            ++alike->count;
        } else {
            m_active.push_back(work);
            m_numbers.push_back(m_nextNumber++);
        }
        m_ends.emplace(range.end, m_numbers[kind]);
    }
    // A copy or a memory set that counts as no kind.
    template <typename Tell>
    void addCopy(TimeRange range, Tell&& tell) {
        advance(range.begin, tell);
        m_copyUntil = std::max(m_copyUntil, range.end);
    }
    template <typename Tell>
    void advance(TimeNs until, Tell&& tell) {
        while (m_now < until) {
            TimeNs next = m_ends.empty() ? until : std::min(until, m_ends.top().first);
            const bool isCopying = m_copyUntil > m_now;
            if (isCopying)
                next = std::min(next, m_copyUntil);
            tell(TimeRange{m_now, next}, std::span<const Kind>(m_active), isCopying);
            m_now = next;
            for (; !m_ends.empty() && m_ends.top().first <= m_now; m_ends.pop())
                end(m_ends.top().second);
        }
    }

private:
    void end(std::size_t number) {
        const auto kind = std::ranges::find(m_numbers, number);
        const auto active = m_active.begin() + (kind - m_numbers.begin());
        if (--active->count > 0)
            return;
        m_active.erase(active);
        m_numbers.erase(kind);
    }

    using End = std::pair<TimeNs, std::size_t>; // and the number of its kind

    TimeNs m_now;
    TimeNs m_copyUntil = kAllTime.begin;
    std::vector<Kind> m_active;
    std::vector<std::size_t> m_numbers; // their kinds'
    std::size_t m_nextNumber = 0;
    std::priority_queue<End, std::vector<End>, std::greater<>> m_ends;
};

// The phase of a piece; compute whose mark is not known is Compute.
inline Phase phaseOf(const Running& running) {
    bool communication = false;
    bool compute = false;
    Mark mark = Mark::None;
    for (const ActiveKernels& kernel : running.kernels) {
        (kernel.isCommunication ? communication : compute) = true;
        if (!kernel.isCommunication)
            mark = std::max(mark, kernel.mark);
    }
    if (compute && communication)
        return Phase::CommunicationHidden;
    if (communication)
        return Phase::CommunicationExposed;
    if (!compute)
        return running.isCopying ? Phase::Copy : Phase::Idle;
    return phaseOf(mark).value_or(Phase::Compute);
}

// One pass over all that a rank's trace says about a device: its streams, their annotations and the
// rank's host threads, merged by time. Visitors are told each piece of work with what launched it,
// and the pieces of time in which the same work runs. Memory does not grow with the spans.

// The tracks that concern one device of one rank.
struct DeviceTracks {
    int rank = -1;
    int device = -1;
    TimeRange extent; // first start to last end of what ran on it
    // The stretches in which a profiler recorded it, in order: each from the first begin to the
    // last end of its work. Between them nothing is known; one at least.
    std::vector<TimeRange> captures;
    std::vector<Track> streams;
    std::vector<Track> annotations; // the streams'
    std::vector<Track> threads; // the rank's
    // Kernels, copies and memory sets long before the rank's first iteration; all of the trace
    // counts from here on, behind them.
    std::optional<EarlyWork> early;
    TimeNs countedFrom = kAllTime.begin;
};
// By rank, then device.
Result<std::vector<DeviceTracks>> tracedDevices(const RunStudy& study);
// As the function of TraceWindow.h; of a window that holds all of the trace, what counts of it.
std::optional<TraceWindow> traceWindow(
    const DeviceTracks& device, TimeRange window, const IterationChoice& choice = {});
// The early work of all devices.
Result<std::optional<EarlyWork>> earlyWork(const RunStudy& study);
// Time in which any of them was traced, in order.
std::vector<TimeRange> tracedOf(std::span<const DeviceTracks> devices);

constexpr bool isDeviceWork(SpanKind kind) {
    return kind == SpanKind::Kernel || kind == SpanKind::Copy || kind == SpanKind::Set;
}

struct DeviceWork {
    const Span& span; // kernel, copy or set
    std::size_t stream; // index in DeviceTracks::streams
    const KernelNames::Kernel* kernel = nullptr; // kernels alone
    std::optional<Launch> launch;
    Telling telling = {}; // kernels', those of communication too
    bool isPipelineTransfer = false;
};

class DeviceVisitor {
public:
    DeviceVisitor() = default;
    DeviceVisitor(const DeviceVisitor&) = delete;
    DeviceVisitor& operator=(const DeviceVisitor&) = delete;
    virtual ~DeviceVisitor() = default;

    // In order of start.
    virtual Status work(const DeviceWork&) { return {}; }
    // In order, from the start of the first work to the last end (or to the edges of the walk's
    // range, where it has one); without gaps but those between captures.
    virtual Status piece(TimeRange, const Running&) { return {}; }
    // True to have kernels of other names apart in pieces.
    [[nodiscard]] virtual bool asksForNames() const { return false; }

    // True to have later() called, which takes another look at streams and host.
    [[nodiscard]] virtual bool asksForLater() const { return false; }
    // After all else, of a walk with a range: what begins behind it and was launched before its
    // end, of each stream in order of start; and, whenever it was launched, the next work of the
    // device. Without kernel and telling.
    virtual Status later(const DeviceWork&, bool /*isNext*/) { return {}; }
};

// Numbers of kernels by the evidence that gave them their mark (see Phase.h).
struct MarkEvidence {
    std::int64_t launches = 0;
    std::int64_t streamAnnotations = 0;
    std::int64_t hostAnnotations = 0;
    std::int64_t names = 0;
    std::int64_t none = 0;
    bool tellsDirections = false; // unmarked compute is forward

    [[nodiscard]] Phase unmarked() const {
        return tellsDirections ? Phase::Forward : Phase::Compute;
    }
};

// range: kAllTime, or the part of the trace to look at; work that reaches over its edges is told
// whole, pieces end there. hostFrom: where the host is read from, if it is known when the first
// call of that work began; else well before the range.
Result<MarkEvidence> walkDevice(const store::Store& store, const DeviceTracks& device,
    TimeRange range, std::span<DeviceVisitor* const> visitors, const Progress& progress = {},
    std::optional<TimeNs> hostFrom = {});

} // namespace trainscope::analysis
