#pragma once
// Turns what a profiler's table says, row by row, into the tracks, spans and annotations that all
// traces give. What threads did comes before what the GPUs did, so that ranges can be projected and
// the kernels of NCCL and RCCL get their call.

#include "importers/trace/DetailText.h"
#include "importers/trace/HostRanges.h"
#include "importers/trace/IterationNames.h"
#include "importers/trace/ProcessOutputs.h"

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainscope::importers {

struct ProfiledCall {
    std::int64_t process = 0;
    std::int64_t thread = 0;
    TimeRange range;
    std::int64_t correlation = 0;
    std::string_view name;
    SpanKind kind = SpanKind::Runtime; // Annotation: a range that was pushed and popped
};

struct ProfiledWork {
    std::int64_t process = 0;
    int device = 0;
    std::string_view stream;
    TimeRange range;
    std::int64_t correlation = 0;
    std::string_view name;
    SpanKind kind = SpanKind::Kernel;
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
    // Between the last call and the first work.
    void nest();
    // `detail`: what is known besides; taken.
    Status work(const ProfiledWork& work, DetailText& detail);
    // Projections and iterations, and what is held.
    Status finish();

    // Remarks on kernels and iterations of a rank that cannot be.
    void tellDoubts(int rank, const std::vector<TimeRange>& iterations);

    // Start and end where they are times in order; counted and told where not.
    std::optional<TimeRange> rangeOf(
        std::optional<std::int64_t> start, std::optional<std::int64_t> end);

    [[nodiscard]] ProcessOutputs& outputs() { return m_outputs; }
    [[nodiscard]] RunId run() const { return m_run; }
    [[nodiscard]] std::int64_t kernels() const { return m_kernels; }
    [[nodiscard]] std::int64_t spans() const { return m_spans; }

private:
    struct Stream {
        TraceOutput* output = nullptr;
        std::size_t track = 0;
        int device = 0;
        std::string name;
    };

    Status flushSometimes();
    std::uint32_t streamOf(const ProfiledWork& work);

    Sink& m_sink;
    ImportReport& m_report;
    std::string m_file;
    DurationNs m_base;
    ProcessOutputs m_outputs;
    RunId m_run;
    HostRanges m_ranges;
    IterationMarks m_iterations;
    HeldIterations m_held;
    Communicators m_communicators;
    struct Launch {
        std::int64_t time = 0;
        std::uint32_t correlation = 0;
        std::uint32_t thread = 0;
    };
    std::deque<Launch> m_launches; // until the ranges are nested
    std::vector<std::int64_t> m_processOfThread;
    std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> m_threadNumbers;
    std::vector<Stream> m_streams;
    std::map<std::pair<std::pair<std::int64_t, int>, std::string>, std::uint32_t> m_streamIndex;
    bool m_takesIterations = true;
    bool m_isFull = false; // some launches were not kept
    std::int64_t m_kernels = 0;
    std::int64_t m_spans = 0;
    int m_untilFlush = 0;
};

} // namespace trainscope::importers
