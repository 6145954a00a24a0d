#pragma once
// Events that are no whole spans: flow arrows (ph s, t, f), begins and ends (B, E; asynchronous: b,
// e and S, F), counters (C), memory (i), and names of threads (M).

#include "core/analysis/machine/AllocatorMemory.h"
#include "core/analysis/traces/CollectiveKind.h"
#include "core/store/codec/Bytes.h"
#include "importers/kineto/EventFacts.h"
#include "importers/trace/StringTable.h"
#include "importers/trace/TraceOutput.h"

#include <set>

namespace trainscope::importers::kineto {

// Gives spans that lack a number the id of the flow arrow that begins or ends at them (same pid,
// tid and time), as old and foreign writers have it: launches and device work their correlation,
// operators their autograd link. Bounded: what waits too long goes on without. A place is placeOf()
// an event.
class FlowJoin {
public:
    struct Waiting {
        std::size_t track = 0;
        Span span;
        std::int64_t external = 0; // the number of the operator that launched it; 0: not said
    };

    // False when there is no more room.
    bool wait(std::uint64_t place, const Waiting& waiting);
    [[nodiscard]] bool isWaiting() const { return !m_waiting.empty(); }
    // All spans that stand where the arrow does, with its id as their correlation.
    std::vector<Waiting> take(std::uint64_t place, TimeNs time, std::int64_t id);
    // The others, as they are.
    std::vector<Waiting> takeRest();

private:
    std::unordered_multimap<std::uint64_t, Waiting> m_waiting;
};

// Joins device work that has no correlation to the operator whose number it has. A launch in the
// operator stands for the call that the trace lacks. Bounded: operators beyond kMost launch
// nothing.
class ExternalJoin {
public:
    static constexpr std::size_t kMost = 1'000'000;

    void operatorAt(std::int64_t external, std::size_t track, TimeNs start);
    // The launch of that work, whose correlation is set; absent where its operator is not known.
    std::optional<FlowJoin::Waiting> launch(FlowJoin::Waiting& work);
    [[nodiscard]] std::int64_t count() const { return m_launches; }

private:
    struct Operator {
        std::int64_t external = 0;
        std::size_t track = 0;
        TimeNs start;
    };
    void unpack();

    // Hardly any trace asks for them: as they came, in a few bytes each, until the first work does.
    store::Bytes m_packed;
    Operator m_last; // among those packed; each is written as its difference to the one before
    std::size_t m_count = 0;
    std::vector<Operator> m_operators; // by number
    std::int64_t m_launches = 0;
};

// Tells collectives whose kernel does not say what they do (NCCL's SendRecv, RCCL's Generic, before
// PyTorch 2.2) by the range around their launch: "nccl:all_to_all", "c10d::alltoall_base_". Ranges
// come before the launches in them, kernels before or behind theirs. Bounded as ExternalJoin.
class CollectiveJoin {
public:
    void rangeAt(std::size_t thread, TimeRange range, analysis::CollectiveKind kind);
    void launch(std::size_t thread, TimeNs moment, std::int64_t correlation);
    // `detail`: the text of the span's; false when there is no more room.
    bool wait(const FlowJoin::Waiting& kernel, std::string_view detail);
    // With the detail that it should have, which is empty where no range tells.
    void takeAll(const std::function<void(FlowJoin::Waiting, const std::string&)>& visit);

private:
    struct Range {
        TimeNs end;
        analysis::CollectiveKind kind = analysis::CollectiveKind::Other;
    };
    std::unordered_map<std::size_t, std::map<TimeNs, Range>> m_ranges; // by thread and begin
    std::size_t m_rangeCount = 0;
    std::unordered_map<std::int64_t, analysis::CollectiveKind> m_launches; // by correlation
    std::vector<FlowJoin::Waiting> m_kernels;
    std::unordered_map<NameId, std::string> m_details;
};

// Allocations of a device by the memory events of a profiler: what lived when most was allocated,
// by size. Bounded: behind kMost events nothing is kept. Times count from the trace's base.
class LiveMemory {
public:
    static constexpr std::size_t kMost = 2'000'000;

    struct Event {
        TimeNs time;
        std::int64_t address = 0;
        std::int64_t bytes = 0; // negative: freed
        std::int64_t allocated = 0; // behind it, on the device
        std::int64_t reserved = 0;
    };
    void add(const Event& event);
    // Memory from before the recording is one allocation of its own. Absent without events.
    [[nodiscard]] std::optional<analysis::MemoryPeak> peak();
    [[nodiscard]] std::int64_t events() const { return static_cast<std::int64_t>(m_events.size()); }

private:
    std::vector<Event> m_events;
};

// Pairs begins with ends, and takes counters, memory and names. Bounded: begins beyond kMaxBegun
// are counted as unpaired.
class SideEvents {
public:
    static constexpr std::size_t kMaxBegun = 100'000;

    // A span whose begin and end were both there; its name and detail are still texts.
    struct Ended {
        Span span;
        std::string name;
        std::string detail; // empty: none
        TrackLabel track;
        bool mayWaitForArrow = false;
    };

    explicit SideEvents(TraceOutput& output)
        : m_output(output) { }

    // Counters, memory and names.
    void take(const TraceEvent& event);
    // Both have a time that is a number.
    void begin(const TraceEvent& event);
    std::optional<Ended> end(const TraceEvent& event);
    // Live memory at the peaks of the devices whose memory events have addresses, in a form to be
    // kept; times are shifted by `base`.
    [[nodiscard]] std::vector<analysis::AllocatorRecord> memoryRecords(DurationNs base);
    // Begins and ends without their other half, so far.
    [[nodiscard]] std::int64_t unpaired() const {
        return m_unpaired + static_cast<std::int64_t>(m_begunCount);
    }

private:
    struct Begun {
        std::int64_t start = 0;
        EventKind kind;
        std::string name;
        std::string detail;
    };

    void counter(const TraceEvent& event);
    std::size_t gpuSeries(int device, std::string_view process, std::string_view name);
    struct MemorySeries {
        std::size_t allocated = 0;
        std::size_t reserved = 0;
        std::size_t unallocated = 0;
    };
    void memory(const TraceEvent& event);
    const MemorySeries& memoryOf(std::int64_t device);
    void threadName(const TraceEvent& event);
    static bool isAsynchronous(const TraceEvent& event);
    std::string threadOf(const TraceEvent& event);
    TrackLabel asynchronousTrack(const TraceEvent& event, const std::string& name);

    TraceOutput& m_output;
    TextMap<std::size_t> m_gpuSeries; // by process and name
    std::map<std::int64_t, MemorySeries> m_memory; // by device
    std::map<std::int64_t, LiveMemory> m_live; // likewise
    TextMap<std::vector<Begun>> m_begun; // by thread
    std::size_t m_begunCount = 0;
    std::int64_t m_unpaired = 0;
    std::set<std::string> m_asynchronous; // names that have a track
    std::string m_text;
};

} // namespace trainscope::importers::kineto
