#pragma once
// The run database (*.trainscope): one SQLite file with many runs, design section 3. A Store is
// used by one thread at a time; open one per thread (WAL: readers never wait for the importer). All
// query results are SI and absolute time. Chunk format: see ChunkCodec.h; schema: Schema.h.

#include "core/model/Import.h"
#include "core/model/Result.h"
#include "core/model/Run.h"
#include "core/model/Series.h"
#include "core/model/Span.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::store {

// One imported source as the catalogue lists it.
struct Source {
    SourceId id;
    std::vector<RunId> runs; // runs it contributes to
    std::string path;
    std::uint64_t size = 0;
    std::string hash; // content hash, hex
    TimeNs importedAt;
    ImportReport report;
};

// What a session needs to know before it writes. The same source (equal path, or equal hash within
// runName) imported again replaces what it had written.
struct SourceDescription {
    std::string path;
    std::uint64_t size = 0;
    std::string hash;
    std::string runName;
};

// A group of spans that a view draws as one: a single span, or neighbours narrower than a pixel.
struct SpanGroup {
    TimeRange range;
    std::uint32_t count = 1;
    float busyFraction = 1.0F; // of range, by the union of its spans at that depth
    NameId name; // of the longest span in it
    SpanKind kind = SpanKind::Other; // of the longest span in it
    std::uint16_t depth = 0;
};

// Exact statistics of a series in a window, SI, by design section 5. A sample before the window
// counts for what it holds inside; mean is NaN where nothing holds, min and max where no sample
// lies.
struct WindowStatistics {
    std::int64_t count = 0; // all samples in the window
    std::int64_t missing = 0;
    double mean = 0.0; // time-weighted
    double min = 0.0;
    double max = 0.0;
    double integral = 0.0; // Σ value·dt, SI·s (joules for a power)
    double coveredSeconds = 0.0;
};

// One SQL value as a row delivers it.
struct SqlValue {
    enum class Type { Null, Integer, Real, Text, Blob } type = Type::Null;
    std::int64_t integer = 0;
    double real = 0.0;
    std::string text; // Text, or the bytes of a Blob
};

// Size of the file in bytes.
struct VacuumOutcome {
    std::uint64_t before = 0;
    std::uint64_t after = 0;
};

// What Store::check found; each text says for a human what is lost.
struct CheckReport {
    static constexpr std::size_t kMaxListed = 100;
    std::vector<std::string> damage; // the first kMaxListed of damageCount
    std::int64_t damageCount = 0;
    std::int64_t pieces = 0; // chunks and pages that were read
    std::uint64_t bytes = 0; // of these
};

// What a user keeps of a comparison: the specification is JSON, for whoever wrote it.
struct SavedComparison {
    std::string name;
    std::string spec;
    TimeNs createdAt;
    TimeNs changedAt;
};

enum class OpenMode { ReadOnly, ReadWrite };

class ImportSession;
class Database;
struct SeriesShape;

class Store {
public:
    Store(Store&&) noexcept;
    Store& operator=(Store&&) noexcept;
    ~Store();

    // Refused: foreign file, newer version, or locked; the message says which.
    static Result<Store> open(const std::filesystem::path& path, OpenMode mode);
    // Opens for writing. Where there is no file, or one of 0 bytes, an empty database appears,
    // whole or not at all; anything that is not one of ours is refused and left as it is.
    static Result<Store> openOrCreate(const std::filesystem::path& path);

    [[nodiscard]] const std::filesystem::path& path() const;
    [[nodiscard]] std::string uuid() const; // stays with the file wherever it is moved

    // Catalogue. Ordered by name, rank, then id.
    Result<std::vector<Run>> runs() const;
    Result<Run> findRun(std::string_view name) const; // NotFound names the runs there are
    Result<std::vector<Gpu>> gpus(RunId run) const;
    Result<std::vector<Series>> series(RunId run) const;
    Result<std::vector<Track>> tracks(RunId run) const;
    Result<std::vector<Iteration>> iterations(RunId run) const;
    Result<std::vector<Source>> sources() const;
    Result<std::string> name(NameId id) const;
    // Names of all ids that occur in the run's tracks.
    Result<std::vector<std::pair<NameId, std::string>>> names(RunId run) const;

    // Local indices of a node's GPUs from front (fresh air) to rear, as the user said; empty: not
    // said.
    Result<std::vector<int>> airflow(RunId run) const;

    // By name.
    Result<std::vector<SavedComparison>> comparisons() const;
    // The layout that the user entered for a run, JSON; absent: none.
    Result<std::optional<std::string>> enteredLayout(RunId run) const;
    // What the user said of a run's machine, JSON (core/layout/MachineFacts.h); absent: nothing.
    Result<std::optional<std::string>> machine(RunId run) const;

    // `columns` equal buckets over `window`; cost does not grow with the samples beneath. The
    // envelope contains every sample of the column; it may also contain samples of the neighbouring
    // columns.
    Result<std::vector<Bucket>> buckets(SeriesId series, TimeRange window, int columns) const;
    // The same of a counter's rate of change, SI/s, wraps and resets handled. Between two samples
    // the rate is constant and belongs to the interval.
    Result<std::vector<Bucket>> rateBuckets(SeriesId series, TimeRange window, int columns) const;
    // The last non-missing sample at or before t, as held there (absent in a gap). For readouts.
    Result<std::optional<double>> valueAt(SeriesId series, TimeNs t) const;
    // The last sample before t, whatever lies between; value NaN where it is missing.
    struct Sample {
        TimeNs time;
        double value = 0.0;
    };
    Result<std::optional<Sample>> lastBefore(SeriesId series, TimeNs t) const;
    Result<WindowStatistics> statistics(SeriesId series, TimeRange window) const;
    // Streams the samples of a window in time order, in blocks; SI values, NaN where missing. The
    // visitor returns false to stop.
    using SampleVisitor = std::function<bool(std::span<const TimeNs>, std::span<const double>)>;
    Status forEachSample(SeriesId series, TimeRange window, const SampleVisitor& visit) const;

    // Spans that touch the window, those shorter than minWidth merged with their neighbours.
    Result<std::vector<SpanGroup>> spanGroups(
        TrackId track, TimeRange window, DurationNs minWidth) const;
    // Streams the spans that touch the window, in order of start.
    using SpanVisitor = std::function<bool(std::span<const Span>)>;
    Status forEachSpan(TrackId track, TimeRange window, const SpanVisitor& visit) const;
    // The same, pulled: each call gives the next spans, valid until the one after, and none at the
    // end. To be called by the store's thread while the store lives.
    using SpanSource = std::function<Result<std::span<const Span>>()>;
    SpanSource spanSource(TrackId track, TimeRange window) const;
    // The spans of that name on a track, in order of start; the rest of the track is not read.
    Status forEachSpanNamed(TrackId track, NameId name, const SpanVisitor& visit) const;
    // The span at t on that depth of a track, if any.
    Result<std::optional<Span>> spanAt(TrackId track, TimeNs t, int depth) const;
    // Spans of a run whose name contains `text` (case-insensitive), the first `limit` by time.
    struct FoundSpan {
        TrackId track;
        Span span;
    };
    Result<std::vector<FoundSpan>> findSpans(
        RunId run, std::string_view text, std::size_t limit) const;
    // Spans of that rank with that correlation (a launch and what it launched).
    Result<std::vector<FoundSpan>> correlated(RunId run, int rank, std::int64_t correlation) const;

    // Writing. One session at a time; nothing of it is visible to others before finish().
    Result<std::unique_ptr<ImportSession>> beginImport(const SourceDescription& source);
    Status renameRun(RunId run, std::string_view name);
    // As it stands, so check it before (analysis/telemetry/AirflowGradient.h); empty: as assumed.
    // Stays when the run's sources are imported again.
    Status setAirflow(RunId run, std::span<const int> order);
    // Replaces the one of that name; Usage without a name.
    Status saveComparison(std::string_view name, std::string_view spec);
    // NotFound where there is none of that name, Usage where the other is taken.
    Status renameComparison(std::string_view name, std::string_view wanted);
    Status removeComparison(std::string_view name);
    // Absent takes it back. Stays when the run's sources are imported again; NotFound without run.
    Status setEnteredLayout(RunId run, const std::optional<std::string>& spec);
    Status setMachine(RunId run, const std::optional<std::string>& facts); // the same
    // With its samples and spans and what only it used. All or nothing; the file keeps its size
    // until vacuum().
    Status removeRun(RunId run, const Progress& progress = {});
    // Gives unused space back to the file system; see Vacuum.h for what it needs. Others may read
    // meanwhile.
    Result<VacuumOutcome> vacuum(const Progress& progress = {});
    // Reads everything once and lists what is damaged.
    Result<CheckReport> check(const Progress& progress = {}) const;

    // SQL for `trainscope-cli query`: read-only; views `samples(run, metric, rank, node, device,
    // time_ns, value)` and `spans(run, rank, device, track, name, kind, start_ns, duration_ns,
    // ...)` among the tables. `header` gets the column names once, `row` each row until it returns
    // false.
    using SqlHeader = std::function<void(const std::vector<std::string>&)>;
    using SqlRow = std::function<bool(const std::vector<SqlValue>&)>;
    Status query(std::string_view sql, const SqlHeader& header, const SqlRow& row) const;

private:
    friend class ImportSession;
    struct Impl;
    explicit Store(std::unique_ptr<Impl> impl);
    static Result<Store> adopt(
        Result<Database> database, const std::filesystem::path& path, OpenMode mode);
    [[nodiscard]] Status requireWritable() const;
    template <typename Work>
    Status writing(Work&& work);
    template <typename Work>
    auto withShape(SeriesId series, Work&& work) const
        -> decltype(work(std::declval<SeriesShape&>()));
    std::unique_ptr<Impl> m_impl;
};

// The sink of one source: a transaction that ends with finish() or is undone.
class ImportSession : public Sink {
public:
    // Sorts, indexes and commits; `hash` and `size` as known at the end of reading (empty: as given
    // before).
    virtual Status finish(const ImportReport& report, const std::string& hash, std::uint64_t size,
        const Progress& progress)
        = 0;
};

} // namespace trainscope::store
