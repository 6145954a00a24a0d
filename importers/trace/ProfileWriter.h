#pragma once
// Turns what a profiler's table says, row by row, into the tracks, spans and annotations that all
// traces give. Calls of threads come before the GPUs' work, so that ranges can be projected and
// the kernels of NCCL and RCCL get their call.

#include "core/model/Try.h"
#include "importers/trace/DetailText.h"
#include "importers/trace/IterationNames.h"
#include "importers/trace/TraceOutput.h"

#include <deque>
#include <memory>

namespace trainscope::importers {

// The ranges that threads have pushed and popped, nested as they are, and which of them stood
// open when something was launched. From the work of their launches they are projected onto the
// GPU as profilers do it: from the first start to the last end, stream by stream.

struct HostRange {
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    std::int64_t thread = 0;
    std::int64_t start = 0;
    std::int64_t end = 0;
    NameId name;
    std::uint32_t parent = kNone; // on the same thread
    std::uint32_t call = kNone; // NCCL's
};

// Memory is bounded by 48 bytes a range, 8 a launch and 32 a projection; what lies beyond the most
// of each is not projected.
class HostRanges {
public:
    static constexpr std::size_t kMost = 1'000'000;
    static constexpr std::size_t kMostLaunches = 8'000'000;
    static constexpr std::size_t kMostProjections = 2'000'000;
    static constexpr std::size_t kMostCalls = 300'000; // by NCCL

    // In any order; threads have numbers that no other thread has. `call`: of NCCL's domain.
    void add(HostRange range, const NcclCall* call);
    // After the last range.
    void nest();
    [[nodiscard]] bool isEmpty() const { return m_ranges.empty(); }
    [[nodiscard]] bool isFull() const { return m_isFull; }

    // A call at that moment gets the range that stood open.
    void launch(
        std::int64_t process, std::int64_t thread, std::int64_t time, std::int64_t correlation);
    // After the last launch.
    void sortLaunches();
    // Work on the GPU that was launched under that number. The range, or kNone.
    std::uint32_t work(std::int64_t process, std::int64_t correlation);
    // Widens the range's projection on a stream, which has a number of the caller's.
    void extend(std::uint32_t range, std::uint32_t stream, std::int64_t start, std::int64_t end);
    // The call of NCCL that a kernel in this range did: of the range or of one around it, or, where
    // calls are grouped, those before its end. Absent: it cannot be told.
    [[nodiscard]] std::optional<NcclCall> callOf(std::uint32_t range) const;

    // Every range on every stream that it has work on: Status visit(range, stream, start, end).
    template <typename Visit>
    Status forEachProjection(Visit&& visit) {
        for (std::size_t i = m_firstExtents.size(); i > 0; --i)
            widenParent(static_cast<std::uint32_t>(i - 1));
        for (std::size_t i = 0; i < m_firstExtents.size(); ++i) {
            for (std::uint32_t at = m_firstExtents[i]; at != HostRange::kNone;
                 at = m_extents[at].next)
                RETURN_IF_ERROR(visit(
                    m_ranges[i], m_extents[at].stream, m_extents[at].start, m_extents[at].end));
        }
        return {};
    }

private:
    struct Extent {
        std::uint32_t stream = 0;
        std::uint32_t next = HostRange::kNone; // in the same range
        std::int64_t start = 0;
        std::int64_t end = 0;
    };
    struct Launch {
        std::uint32_t correlation = 0;
        std::uint32_t range = 0;
    };
    struct Thread {
        std::uint32_t begin = 0; // its ranges, by start, outer ones first
        std::uint32_t end = 0;
        std::uint32_t at = 0; // the last launch's, which mostly comes later than the one before
    };

    [[nodiscard]] std::uint32_t openAt(Thread& thread, std::int64_t time) const;
    void widenParent(std::uint32_t range);

    // Deques grow without a second copy of what they hold.
    std::deque<HostRange> m_ranges; // thread by thread after nest()
    std::map<std::int64_t, Thread> m_threads;
    std::deque<NcclCall> m_calls;
    std::unordered_map<std::int64_t, std::deque<Launch>> m_launches; // by process
    std::size_t m_launchCount = 0;
    std::deque<Extent> m_extents;
    std::vector<std::uint32_t> m_firstExtents; // by range
    bool m_isFull = false;
};

struct ProfiledCall {
    std::int64_t process = 0;
    std::int64_t thread = 0;
    TimeRange range;
    std::int64_t correlation = 0;
    std::string_view name;
    SpanKind kind = SpanKind::Runtime; // Annotation: a range
    NameId id = {}; // the name's, if it is known
    NameId detail = {};
    bool isNested = true; // a range that was pushed and popped, which is projected onto the GPU
    const NcclPayload* nccl = nullptr; // for a range of NCCL's domain
};

struct ProfiledWork {
    std::optional<std::int64_t> process; // absent: it is not told
    int device = 0;
    std::string_view stream;
    TimeRange range;
    std::int64_t correlation = 0;
    std::string_view name;
    SpanKind kind = SpanKind::Kernel; // Sync: of the host with the stream
    NameId id = {}; // the name's, if it is known
    NameId detail = {}; // in place of the text
};

struct TracedMachine {
    std::vector<std::string> models; // its GPUs' in their order, as far as the trace lists them
    std::optional<int> node; // as the job was launched; absent: by the rank
    std::string model = {}; // if GPUs are not listed
    std::function<void(Gpu& gpu, int device)> tell = {}; // adds all else that is known of one
};

// The outputs of a trace that holds several processes: each that uses a GPU is a rank, and what the
// others do on the host is kept with the first.
class ProcessOutputs {
public:
    // `processes`: those of the ranks, in their order, as far as they are known before.
    ProcessOutputs(Sink& sink, int firstRank, const std::vector<std::int64_t>& processes);

    // A process that is not known becomes one more rank, unless it is absent.
    TraceOutput& onGpu(std::optional<std::int64_t> process);
    TraceOutput& onHost(std::int64_t process);
    [[nodiscard]] int rankOf(std::int64_t process) const; // the host's is the first: not a rank
    [[nodiscard]] std::optional<std::int64_t> processOfRank(int rank) const;
    // The first and those behind it, at least one.
    [[nodiscard]] int rankCount() const { return static_cast<int>(m_outputs.size()); }
    [[nodiscard]] int firstRank() const { return m_firstRank; }
    [[nodiscard]] TraceOutput& output(int index) {
        return *m_outputs[static_cast<std::size_t>(index)];
    }

    // Hands over what is full, or all.
    Status flush(RunId run, DurationNs base, bool isAll);

private:
    TraceOutput& grow();

    Sink& m_sink;
    int m_firstRank;
    std::map<std::int64_t, std::size_t> m_index; // by process
    std::vector<std::unique_ptr<TraceOutput>> m_outputs;
};

class ProfileWriter {
public:
    // Times are given relative to `base`.
    ProfileWriter(Sink& sink, ImportReport& report, std::string file, int firstRank,
        const std::vector<std::int64_t>& processes, DurationNs base);

    // Names of ranges tell no iterations: the profile says itself what they are.
    void leaveIterationsOut() { m_takesIterations = false; }
    Status begin(const Run& run);
    Status call(const ProfiledCall& call);
    // Behind the last range, before the first work.
    void nest();
    // `detail`: what is known besides; taken.
    Status work(const ProfiledWork& work, DetailText& detail);
    // A range of the profiler's own on a stream.
    Status annotate(
        std::int64_t process, int device, std::string_view stream, NameId name, TimeRange range);
    // Projections and iterations, and what is held.
    Status finish();
    // Behind finish().
    Status describeGpus(const TracedMachine& machine);

    // Remarks on kernels and iterations of a rank that cannot be.
    void tellDoubts(int rank, const std::vector<TimeRange>& iterations);

    // Start and end where they are times in order; counted and told where not.
    std::optional<TimeRange> rangeOf(
        std::optional<std::int64_t> start, std::optional<std::int64_t> end);

    [[nodiscard]] ProcessOutputs& outputs() { return m_outputs; }
    [[nodiscard]] RunId run() const { return m_run; }
    [[nodiscard]] DurationNs base() const { return m_base; }
    [[nodiscard]] std::int64_t kernels() const { return m_kernels; }
    // Communicators of NCCL by process, as their creation tells them.
    [[nodiscard]] const std::map<std::int64_t, Communicators>& communicators() const {
        return m_communicators;
    }

private:
    struct Thread {
        std::int64_t process = 0;
        std::int64_t thread = 0;
        TraceOutput* output = nullptr;
        std::size_t track = 0;
    };
    struct Stream {
        std::optional<std::int64_t> process;
        int device = 0;
        bool isSync = false;
        std::string name;
        TraceOutput* output = nullptr;
        std::size_t track = 0;
    };

    Status flushSometimes();
    std::uint32_t threadOf(const ProfiledCall& call);
    std::uint32_t streamOf(const ProfiledWork& work);
    bool isNccl(NameId id, std::string_view name);
    void addAnnotation(
        TraceOutput& output, int device, std::string_view stream, NameId name, TimeRange range);

    Sink& m_sink;
    ImportReport& m_report;
    std::string m_file;
    DurationNs m_base;
    ProcessOutputs m_outputs;
    RunId m_run;
    HostRanges m_ranges;
    IterationMarks m_iterations;
    HeldIterations m_held;
    std::map<std::int64_t, Communicators> m_communicators;
    std::unordered_map<std::int64_t, bool> m_isNccl; // for kernels, by name
    struct Launch {
        std::int64_t time = 0;
        std::uint32_t correlation = 0;
        std::uint32_t thread = 0;
    };
    std::deque<Launch> m_launches; // until the ranges are nested
    std::vector<Thread> m_threads;
    std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> m_threadIndex;
    std::uint32_t m_lastThread = 0;
    std::vector<Stream> m_streams;
    std::map<std::tuple<std::optional<std::int64_t>, int, bool, std::string>, std::uint32_t>
        m_streamIndex;
    std::uint32_t m_lastStream = 0;
    bool m_takesIterations = true;
    bool m_isNested = false;
    bool m_isSorted = false; // all launches are
    bool m_isFull = false; // some launches were not kept
    std::int64_t m_kernels = 0;
    std::int64_t m_collectives = 0; // among them
    std::int64_t m_describedCollectives = 0; // among these, with a call that is known
    int m_untilFlush = 0;
};

} // namespace trainscope::importers
