#pragma once
// Reading a run database (*.trainscope): one SQLite file with many runs. A Store is used by one
// thread at a time; open one per thread (WAL: readers never wait for the importer). All that
// changes a database is in Writing.h; the tables in database/Schema.h.

#include "core/store/Values.h"

#include <filesystem>
#include <memory>

namespace trainscope::store {

struct Connection;

class Store {
public:
    Store(Store&&) noexcept;
    Store& operator=(Store&&) noexcept;
    ~Store();

    // Refused: foreign file, newer version, or locked; the message says which.
    static Result<Store> open(const std::filesystem::path& path, OpenMode mode);
    // Opens for writing. An empty database appears where there is no file, or one of 0 bytes,
    // whole or not at all; anything that is not one of ours is refused and left as it is.
    static Result<Store> openOrCreate(const std::filesystem::path& path);

    // For a program that reads without a pause until it ends: SQLite locks the file for a while
    // instead of for each of the many small readings, which takes half of their time. Whoever
    // writes meanwhile may wait until the next reading. Nothing for a store that may be written.
    void readInBursts();

    // For another thread: a store of the same database that reads as this one does, but sees only
    // what is committed.
    [[nodiscard]] Result<Store> another() const;

    [[nodiscard]] bool isReadOnly() const;
    [[nodiscard]] const std::filesystem::path& path() const;
    [[nodiscard]] std::string uuid() const; // stays with the file wherever it is moved

    // Ordered by name, rank, then id.
    Result<std::vector<Run>> runs() const;
    Result<Run> findRun(std::string_view name) const; // NotFound names the runs there are
    Result<std::vector<Gpu>> gpus(RunId run) const;
    Result<std::vector<Series>> series(RunId run) const;
    Result<std::vector<Track>> tracks(RunId run) const;
    Result<std::vector<Iteration>> iterations(RunId run) const;
    // By rank, then begin. A rank that has traces but none here was recorded in one stretch.
    Result<std::vector<Capture>> captures(RunId run) const;
    Result<std::vector<Source>> sources() const;
    Result<std::string> name(NameId id) const;
    // Names of all ids that occur in the run's tracks.
    Result<std::vector<std::pair<NameId, std::string>>> names(RunId run) const;

    // The following is what users said; empty or absent: nothing.
    // Local indices of a node's GPUs from front (fresh air) to rear.
    Result<std::vector<int>> airflow(RunId run) const;
    Result<std::vector<SavedComparison>> comparisons() const; // by name
    Result<std::optional<std::string>> enteredLayout(RunId run) const; // JSON
    Result<std::optional<std::string>> machine(RunId run) const; // see layout/Topology.h

    // `columns` equal buckets over `window`; cost does not grow with the samples beneath. The
    // envelope contains every sample of the column; it may also contain samples of the neighbouring
    // columns.
    Result<std::vector<Bucket>> buckets(SeriesId series, TimeRange window, int columns) const;
    // The same of a counter's rate of change, SI/s, wraps and resets handled. Between two samples
    // the rate is constant and belongs to the interval.
    Result<std::vector<Bucket>> rateBuckets(SeriesId series, TimeRange window, int columns) const;
    // The last non-missing sample at or before t, as held there (absent in a gap). For readouts.
    Result<std::optional<double>> valueAt(SeriesId series, TimeNs t) const;
    // The last sample before t, whatever lies between.
    Result<std::optional<Sample>> lastBefore(SeriesId series, TimeNs t) const;
    Result<WindowStatistics> statistics(SeriesId series, TimeRange window) const;
    Status forEachSample(SeriesId series, TimeRange window, const SampleVisitor& visit) const;
    // The same, pulled by the store's thread while the store lives; without samples that are added
    // after the first call.
    SampleSource sampleSource(SeriesId series, TimeRange window) const;

    // Spans that touch the window, those shorter than minWidth merged with their neighbours.
    Result<std::vector<LodNode>> lodNodes(
        TrackId track, TimeRange window, DurationNs minWidth) const;
    // The spans that touch the window, in order of start.
    Status forEachSpan(TrackId track, TimeRange window, const SpanVisitor& visit) const;
    // The same, pulled by the store's thread while the store lives.
    SpanSource spanSource(TrackId track, TimeRange window) const;
    // The spans of that name on a track, in order of start; the rest of the track is not read.
    Status forEachSpanNamed(TrackId track, NameId name, const SpanVisitor& visit) const;
    // The span at t on that depth of a track, if any.
    Result<std::optional<Span>> spanAt(TrackId track, TimeNs t, int depth) const;
    // All wanted spans of a run, track by track, with start, duration, name, kind and depth. Memory
    // does not grow with their number.
    Status forEachFound(RunId run, const SpanWish& wanted, const FoundVisitor& visit) const;
    // Spans of that rank with that correlation (a launch and what it launched).
    Result<std::vector<FoundSpan>> correlated(RunId run, int rank, std::int64_t correlation) const;

    // Reads everything once and lists what is damaged.
    Result<CheckReport> check(const Progress& progress = {}) const;

    // SQL for `trainscope-cli query`: read-only; views `samples(run, metric, rank, node, device,
    // time_ns, value)` and `spans(run, rank, device, track, name, kind, start_ns, duration_ns,
    // ...)` among the tables. `header` gets the column names once, `row` each row.
    Status query(std::string_view sql, const SqlHeader& header, const SqlRow& row) const;

    [[nodiscard]] Connection& connection() const { return *m_connection; } // for Writing.h

private:
    explicit Store(std::unique_ptr<Connection> connection);
    std::unique_ptr<Connection> m_connection;
};

} // namespace trainscope::store
