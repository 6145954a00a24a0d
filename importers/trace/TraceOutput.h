#pragma once
// Collects what one trace gives and hands it to a sink. Times are the trace's own until the base
// time is known, which may stand at the very end of the file: up to kMaxHeld spans and samples are
// held back for it.

#include "core/analysis/findings/KernelRules.h"
#include "core/model/Import.h"
#include "importers/trace/StringTable.h"

namespace trainscope::importers {

// Label of a span's track in a trace, without the rank.

struct TrackLabel {
    TrackKind kind = TrackKind::Other;
    int device = -1;
    std::string process;
    std::string thread;
};

// Kernels and iterations of one trace that cannot be as they stand
// (analysis/findings/KernelRules.h has the rules), told as it is imported. Memory is bounded: of
// more than kMost kernels nothing is told here; the findings of the run judge more of them.

class KernelDoubts {
public:
    static constexpr std::size_t kMost = 200'000;

    // In any order. `stream`: a small number for each.
    void add(std::size_t stream, TimeNs start, DurationNs duration);

    // "the kernel time of 500 ms is doubtful: 2 kernels of a stream begin and end inside one before
    // them; where each ends when the next begins it is 50 µs", "4 of 6 iterations start no kernel:
    // …", analysis::earlyWorkText(). `iterations` are of the clock of the kernels.
    [[nodiscard]] std::vector<std::string> texts(std::vector<TimeRange> iterations) const;

private:
    using Kernel = analysis::StreamKernel;
    using Kernels = std::vector<Kernel>;
    // By stream, then by begin, the longer one first.
    [[nodiscard]] Kernels inOrder() const;
    [[nodiscard]] static std::string overrunText(const Kernels& kernels);
    [[nodiscard]] static std::string earlyText(
        const Kernels& kernels, const std::vector<TimeRange>& iterations);
    [[nodiscard]] static std::string emptyText(
        const Kernels& kernels, std::vector<TimeRange> iterations);

    Kernels m_kernels;
    bool m_areTooMany = false;
};

class TraceOutput {
public:
    static constexpr std::size_t kMaxHeld = 1'000'000;
    static constexpr std::size_t kUsualHeld = 64'000; // if the base time is known

    TraceOutput(Sink& sink, int rank)
        : m_sink(sink)
        , m_rank(rank) { }

    [[nodiscard]] int rank() const { return m_rank; }
    // An index for add(); the same for equal identities.
    std::size_t track(const TrackLabel& label);
    // Times relative to the base.
    void add(std::size_t track, const Span& span);
    // A gauge of the rank's GPU under the source's own name.
    void addSample(std::string_view metric, std::string_view unit, TimeNs time, double value);
    // An index for addSample(), a new one each time.
    std::size_t series(SeriesDescription description);
    void addSample(std::size_t series, TimeNs time, double value);
    void addIteration(std::int64_t index, TimeRange range, bool isOnDevice);
    // From the trace's metadata; used for tracks that have not been written yet.
    void nameThread(std::string_view process, std::string_view thread, std::string_view name);

    // True when held data should be written with flush() before more is added.
    [[nodiscard]] bool isFull(bool isBaseKnown) const {
        const bool isUsual = (isBaseKnown || m_hasFlushed) && m_processes.size() < 2;
        return m_held >= (isUsual ? kUsualHeld : kMaxHeld);
    }
    // Hands everything held to the sink, shifted by `base`.
    Status flush(RunId run, DurationNs base);
    // Everything that was flushed, as one stretch of the rank; nothing where nothing was.
    Status flushCapture(RunId run, const std::string& name);
    // Iterations: the host's marks, else their projections on the device.
    Status flushIterations(RunId run, DurationNs base);
    // Sentences on what of its kernels cannot be, with its own iterations or others.
    [[nodiscard]] std::vector<std::string> doubts() const;
    [[nodiscard]] std::vector<std::string> doubts(const std::vector<TimeRange>& iterations) const;

    [[nodiscard]] std::int64_t spanCount() const { return m_spanCount; }
    [[nodiscard]] std::int64_t sampleCount() const { return m_sampleCount; }
    // Device of the stream track that came first, -1: no device work.
    [[nodiscard]] int firstDevice() const { return m_firstDevice; }
    [[nodiscard]] std::vector<int> devices() const;

private:
    struct TrackBuffer {
        TrackDescription description;
        TrackId id;
        std::vector<Span> spans;
    };
    struct SeriesBuffer {
        SeriesDescription description;
        SeriesId id;
        std::vector<TimeNs> times;
        std::vector<double> values;
    };
    struct Process {
        std::string name;
        std::int64_t first = std::numeric_limits<std::int64_t>::max(); // number of a launch
        std::int64_t last = 0;
    };
    struct Mark {
        std::int64_t index = 0;
        TimeRange range;
    };

    void separateProcesses();
    Status flushTrack(RunId run, TrackBuffer& track, DurationNs base);
    Status flushSeries(RunId run, SeriesBuffer& series, DurationNs base);
    [[nodiscard]] std::string trackName(const TrackDescription& track) const;

    Sink& m_sink;
    int m_rank;
    TextMap<std::size_t> m_trackIndex;
    std::string m_key;
    std::vector<TrackBuffer> m_tracks;
    std::vector<Process> m_processes; // on the host
    bool m_isMerged = false; // several processes number their launches alike
    std::vector<SeriesBuffer> m_series;
    TextMap<std::size_t> m_ownSeries; // by name
    std::map<std::pair<std::string, std::string>, std::string> m_threadNames;
    std::vector<Mark> m_hostMarks;
    std::vector<Mark> m_deviceMarks;
    KernelDoubts m_kernels;
    std::optional<TimeRange> m_extent; // over all that was flushed
    std::size_t m_held = 0;
    bool m_hasFlushed = false;
    std::int64_t m_spanCount = 0;
    std::int64_t m_sampleCount = 0;
    int m_firstDevice = -1;
};

} // namespace trainscope::importers
