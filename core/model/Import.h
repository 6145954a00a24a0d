#pragma once
// The words between importers, the store and the user: the sink that takes model values, the report
// of one source, and progress with cancellation.

#include "core/model/Capture.h"
#include "core/model/Result.h"
#include "core/model/Run.h"
#include "core/model/Series.h"
#include "core/model/Span.h"

#include <map>
#include <span>

namespace trainscope {

// The weight of a warning, the heaviest first.
enum class Severity {
    Failed, // nothing of the source is there
    Lost, // a part of it was left out
    Doubtful, // numbers that may be wrong, or were assumed
    Remark, // good to know
};
constexpr auto namesOf(Severity) {
    return enumNames("failed", "lost", "doubtful", "remark");
}

// One thing the user should know about a source. line 0: the whole file.
struct ImportWarning {
    std::string file;
    std::int64_t line = 0;
    std::string text;
    std::int64_t files = 1; // files with the same warning; `file` is the first
    Severity severity = Severity::Doubtful;
};

// The report of one source, kept in the database beside it and shown on request.
struct ImportReport {
    std::string importer; // id, with its version: "kineto 1"
    std::uint64_t bytes = 0; // read, uncompressed
    std::int64_t rows = 0; // lines or events understood
    std::int64_t skipped = 0; // lines or events that could not be understood
    std::int64_t samples = 0;
    std::int64_t missing = 0;
    std::int64_t spans = 0;
    std::int64_t counterFalls = 0; // wraps or resets seen in counters
    std::int64_t gaps = 0; // holes longer than 10 median periods
    int ranksExpected = 0; // 0: the source does not say
    std::vector<int> ranksFound;
    std::map<std::string, std::int64_t> counts; // by name: events by category, files by metric
    std::map<std::string, std::string> facts; // sensor period, power kind, clock, device names
    std::vector<ImportWarning> warnings; // the first kMaxWarnings of warningCount
    std::int64_t warningCount = 0;

    static constexpr std::size_t kMaxWarnings = 50;
    // The same on several whole files becomes one warning with their number.
    void warn(std::string file, std::int64_t line, std::string text,
        Severity severity = Severity::Doubtful);
    void lost(std::string file, std::int64_t line, std::string text) {
        warn(std::move(file), line, std::move(text), Severity::Lost);
    }
    void remark(std::string file, std::int64_t line, std::string text) {
        warn(std::move(file), line, std::move(text), Severity::Remark);
    }
    // Adds counts, facts and warnings of a part of the import; the importer's name stays.
    void add(const ImportReport& part);
};

// The sink that importers write to. Calls belong to one source and one thread; the first failing
// Status ends the import. Unless finished, everything written through a sink is undone.
class Sink {
public:
    Sink() = default;
    Sink(const Sink&) = delete;
    Sink& operator=(const Sink&) = delete;
    virtual ~Sink() = default;

    // The run of that name, created when it does not exist. Fields set in `run` fill what is not
    // yet known; id, range and counts are ignored.
    virtual Result<RunId> run(const Run& run) = 0;
    // Adds or updates the GPU of that rank.
    virtual Status gpu(RunId run, const Gpu& gpu) = 0;
    virtual Result<SeriesId> series(RunId run, const SeriesDescription& description) = 0;
    // Source numbers (see Series), NaN for missing; same length; any number of calls per series.
    // Times should not decrease; where they do the store sorts the series, stable.
    virtual Status samples(
        SeriesId series, std::span<const TimeNs> times, std::span<const double> values)
        = 0;
    // Sets the width of a counter that shows only in its samples; any time after series(). Sinks
    // that do not look at widths need not take it.
    virtual Status counterBits(SeriesId, int) { return {}; }
    virtual Result<TrackId> track(RunId run, const TrackDescription& description) = 0;
    // Spans come in any order; the store sorts with bounded memory and computes the depth.
    virtual Status spans(TrackId track, std::span<const Span> spans) = 0;
    // The id of that text, the same for equal texts. Invalid UTF-8 is replaced by U+FFFD.
    virtual Result<NameId> intern(std::string_view text) = 0;
    virtual Status iteration(RunId run, const Iteration& iteration) = 0;
    // Sinks that do not look at captures need not take it.
    virtual Status capture(RunId, const Capture&) { return {}; }
};

// Handed to long work. `report` is called often and cheaply; when it returns false the work stops
// within 200 ms with ErrorCode::Cancelled.
struct ProgressState {
    std::string_view phase; // "Reading rank 3", "Sorting kernels"
    std::uint64_t bytesDone = 0; // as stored on disk, so that gz progress is true
    std::uint64_t bytesTotal = 0; // 0: unknown
};
using Progress = std::function<bool(const ProgressState&)>;

Error cancelled();

} // namespace trainscope
