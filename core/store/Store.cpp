#include "core/store/Store.h"

#include "core/store/database/OpenFile.h"
#include "core/store/database/ReadSnapshot.h"
#include "core/store/maintenance/Check.h"
#include "core/store/maintenance/Removal.h"
#include "core/store/maintenance/Vacuum.h"
#include "core/store/samples/Statistics.h"
#include "core/store/spans/SpanReader.h"
#include "core/store/spans/SpanSearch.h"
#include "core/store/spans/SpanStream.h"
#include "core/store/sql/SqlQuery.h"
#include "core/store/tables/Catalogue.h"
#include "core/store/tables/Session.h"
#include "core/store/tables/SourceTables.h"
#include "core/store/tables/UserTables.h"

#include <exception>

namespace trainscope::store {

struct Store::Impl {
    std::filesystem::path path;
    Database database;
    OpenMode mode;
    std::string uuid;
    bool importing = false;
};

namespace {

// No exception leaves the store: what can still throw is memory that a damaged or huge file asks
// for.
template <typename Work>
auto fenced(const std::filesystem::path& path, Work&& work) -> decltype(work()) {
    try {
        return work();
    } catch (const std::exception& exception) {
        return Error{ErrorCode::Internal,
            std::string("Memory or another resource ran out (") + exception.what() + ").",
            path.string()};
    }
}

// The uuid is read here, so that a file whose pages cannot be read is refused at once.
Result<std::string> readUuid(Database& database) {
    std::string uuid;
    Status status = database.forEach("SELECT value FROM meta WHERE key='uuid'",
        [&uuid](const Row& row) { uuid = row.string(0); });
    if (!status.hasValue())
        return status.error();
    if (uuid.empty())
        return Error{ErrorCode::Unreadable,
            "The database is damaged: it has lost its identity. Import the sources into a new one.",
            database.shownPath()};
    return uuid;
}

// Runs `work` as one transaction.
template <typename Work>
Status transaction(Database& database, Work&& work) {
    if (Status status = database.script("BEGIN IMMEDIATE"); !status.hasValue())
        return status;
    Status status = work();
    if (status.hasValue())
        status = database.script("COMMIT");
    if (!status.hasValue())
        (void)database.script("ROLLBACK");
    return status;
}

} // namespace

Store::Store(std::unique_ptr<Impl> impl)
    : m_impl(std::move(impl)) { }
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Result<Store> Store::adopt(
    Result<Database> database, const std::filesystem::path& path, OpenMode mode) {
    if (!database.hasValue())
        return database.error();
    Result<std::string> uuid = readUuid(database.value());
    if (!uuid.hasValue())
        return uuid.error();
    return Store(std::make_unique<Impl>(
        Impl{path, std::move(database.value()), mode, std::move(uuid.value()), false}));
}

Result<Store> Store::open(const std::filesystem::path& path, OpenMode mode) {
    return fenced(path, [&] { return adopt(openFile(path, mode), path, mode); });
}

Result<Store> Store::openOrCreate(const std::filesystem::path& path) {
    return fenced(path, [&] { return adopt(openOrCreateFile(path), path, OpenMode::ReadWrite); });
}

const std::filesystem::path& Store::path() const {
    return m_impl->path;
}
std::string Store::uuid() const {
    return m_impl->uuid;
}

Result<std::vector<Run>> Store::runs() const {
    return fenced(path(), [&] { return readRuns(m_impl->database); });
}

Result<Run> Store::findRun(std::string_view name) const {
    Result<std::vector<Run>> all = runs();
    if (!all.hasValue())
        return all.error();
    std::string known;
    for (Run& run : all.value()) {
        if (run.name == name)
            return std::move(run);
        known += (known.empty() ? "" : ", ") + run.name;
    }
    return Error{ErrorCode::NotFound,
        "There is no run named \"" + std::string(name) + "\". "
            + (known.empty() ? "The database has no runs." : "The runs are: " + known + "."),
        path().string()};
}

Result<std::vector<Gpu>> Store::gpus(RunId run) const {
    return fenced(path(), [&] { return readGpus(m_impl->database, run); });
}
Result<std::vector<Series>> Store::series(RunId run) const {
    return fenced(path(), [&] { return readSeries(m_impl->database, run); });
}
Result<std::vector<Track>> Store::tracks(RunId run) const {
    return fenced(path(), [&] { return readTracks(m_impl->database, run); });
}
Result<std::vector<Iteration>> Store::iterations(RunId run) const {
    return fenced(path(), [&] { return readIterations(m_impl->database, run); });
}
Result<std::vector<int>> Store::airflow(RunId run) const {
    return fenced(path(), [&] { return readAirflow(m_impl->database, run); });
}
Result<std::vector<SavedComparison>> Store::comparisons() const {
    return fenced(path(), [&] { return readComparisons(m_impl->database); });
}
Result<std::optional<std::string>> Store::enteredLayout(RunId run) const {
    return fenced(path(), [&] { return readEnteredLayout(m_impl->database, run); });
}
Result<std::optional<std::string>> Store::machine(RunId run) const {
    return fenced(path(), [&] { return readMachine(m_impl->database, run); });
}
Result<std::vector<Source>> Store::sources() const {
    return fenced(path(), [&] { return readSources(m_impl->database); });
}
Result<std::string> Store::name(NameId id) const {
    return fenced(path(), [&] { return readName(m_impl->database, id); });
}
Result<std::vector<std::pair<NameId, std::string>>> Store::names(RunId run) const {
    return fenced(path(), [&] { return readNames(m_impl->database, run); });
}

// Finds the series' shape and hands it to `work`.
template <typename Work>
auto Store::withShape(SeriesId series, Work&& work) const
    -> decltype(work(std::declval<SeriesShape&>())) {
    return fenced(path(), [&]() -> decltype(work(std::declval<SeriesShape&>())) {
        const ReadSnapshot snapshot(m_impl->database);
        Result<SeriesShape> shape = readShape(m_impl->database, series);
        if (!shape.hasValue())
            return shape.error();
        return work(shape.value());
    });
}

Result<std::vector<Bucket>> Store::buckets(SeriesId series, TimeRange window, int columns) const {
    return withShape(series, [&](SeriesShape& shape) {
        return queryBuckets(m_impl->database, shape, PyramidKind::Value, window, columns);
    });
}

Result<std::vector<Bucket>> Store::rateBuckets(
    SeriesId series, TimeRange window, int columns) const {
    return withShape(series, [&](SeriesShape& shape) -> Result<std::vector<Bucket>> {
        if (shape.counterBits <= 0)
            return Error{ErrorCode::Usage, "Only a counter has a rate; this series is not one.",
                path().string()};
        return queryBuckets(m_impl->database, shape, PyramidKind::Rate, window, columns);
    });
}

Result<std::optional<double>> Store::valueAt(SeriesId series, TimeNs t) const {
    return withShape(
        series, [&](SeriesShape& shape) { return queryValueAt(m_impl->database, shape, t); });
}

Result<std::optional<Store::Sample>> Store::lastBefore(SeriesId series, TimeNs t) const {
    return withShape(
        series, [&](SeriesShape& shape) { return queryLastBefore(m_impl->database, shape, t); });
}

Result<WindowStatistics> Store::statistics(SeriesId series, TimeRange window) const {
    return withShape(series,
        [&](SeriesShape& shape) { return queryStatistics(m_impl->database, shape, window); });
}

Status Store::forEachSample(SeriesId series, TimeRange window, const SampleVisitor& visit) const {
    return withShape(series,
        [&](SeriesShape& shape) { return visitSamples(m_impl->database, shape, window, visit); });
}

Result<std::vector<SpanGroup>> Store::spanGroups(
    TrackId track, TimeRange window, DurationNs minWidth) const {
    return fenced(
        path(), [&] { return querySpanGroups(m_impl->database, track, window, minWidth); });
}
Status Store::forEachSpan(TrackId track, TimeRange window, const SpanVisitor& visit) const {
    return fenced(path(), [&] { return visitSpans(m_impl->database, track, window, visit); });
}
Store::SpanSource Store::spanSource(TrackId track, TimeRange window) const {
    auto stream = std::make_shared<SpanStream>(m_impl->database, track, window);
    return [stream, this] { return fenced(path(), [&stream] { return stream->next(); }); };
}
Status Store::forEachSpanNamed(TrackId track, NameId name, const SpanVisitor& visit) const {
    return fenced(path(), [&] { return visitSpansNamed(m_impl->database, track, name, visit); });
}
Result<std::optional<Span>> Store::spanAt(TrackId track, TimeNs t, int depth) const {
    return fenced(path(), [&] { return querySpanAt(m_impl->database, track, t, depth); });
}
Result<std::vector<Store::FoundSpan>> Store::findSpans(
    RunId run, std::string_view text, std::size_t limit) const {
    return fenced(path(), [&] { return queryFindSpans(m_impl->database, run, text, limit); });
}
Result<std::vector<Store::FoundSpan>> Store::correlated(
    RunId run, int rank, std::int64_t correlation) const {
    return fenced(
        path(), [&] { return queryCorrelated(m_impl->database, run, rank, correlation); });
}

Status Store::requireWritable() const {
    if (m_impl->mode == OpenMode::ReadOnly)
        return Error{
            ErrorCode::Refused, "The database was opened for reading only.", path().string()};
    if (m_impl->importing)
        return Error{ErrorCode::Refused,
            "An import into this database is under way; wait until it has ended.", path().string()};
    return {};
}

Result<std::unique_ptr<ImportSession>> Store::beginImport(const SourceDescription& source) {
    return fenced(path(), [&]() -> Result<std::unique_ptr<ImportSession>> {
        if (Status status = requireWritable(); !status.hasValue())
            return status.error();
        Impl* impl = m_impl.get();
        impl->importing = true;
        auto session = std::make_unique<Session>(
            impl->database, source, [impl] { impl->importing = false; });
        if (Status status = session->begin(); !status.hasValue())
            return status.error();
        return std::unique_ptr<ImportSession>(std::move(session));
    });
}

template <typename Work>
Status Store::writing(Work&& work) {
    return fenced(path(), [&]() -> Status {
        if (Status status = requireWritable(); !status.hasValue())
            return status;
        return work(m_impl->database);
    });
}

Status Store::setAirflow(RunId run, std::span<const int> order) {
    return writing([&](Database& database) { return writeAirflow(database, run, order); });
}

Status Store::saveComparison(std::string_view name, std::string_view spec) {
    return writing([&](Database& database) { return store::saveComparison(database, name, spec); });
}

Status Store::renameComparison(std::string_view name, std::string_view wanted) {
    return writing([&](Database& database) {
        return transaction(
            database, [&] { return store::renameComparison(database, name, wanted); });
    });
}

Status Store::removeComparison(std::string_view name) {
    return writing([&](Database& database) { return store::removeComparison(database, name); });
}

Status Store::setEnteredLayout(RunId run, const std::optional<std::string>& spec) {
    return writing([&](Database& database) { return writeEnteredLayout(database, run, spec); });
}

Status Store::setMachine(RunId run, const std::optional<std::string>& facts) {
    return fenced(path(), [&]() -> Status {
        // Sources tell of machines as well, and then it is a part of their import.
        if (m_impl->mode == OpenMode::ReadOnly)
            return requireWritable();
        return writeMachine(m_impl->database, run, facts);
    });
}

Status Store::renameRun(RunId run, std::string_view name) {
    return fenced(path(), [&]() -> Status {
        if (Status status = requireWritable(); !status.hasValue())
            return status;
        const std::string wanted = validUtf8(name);
        if (wanted.empty())
            return Error{ErrorCode::Usage, "A run needs a name.", path().string()};
        bool taken = false;
        Status status = m_impl->database.forEach(
            "SELECT 1 FROM run WHERE name=? AND id<>?", [&taken](const Row&) { taken = true; },
            wanted, run.value);
        if (status.hasValue() && taken)
            return Error{ErrorCode::Usage, "Another run is already named \"" + wanted + "\".",
                path().string()};
        if (status.hasValue())
            status
                = m_impl->database.execute("UPDATE run SET name=? WHERE id=?", wanted, run.value);
        if (status.hasValue() && m_impl->database.changes() == 0)
            return Error{ErrorCode::NotFound, "The run to rename does not exist.", path().string()};
        return status;
    });
}

Status Store::removeRun(RunId run, const Progress& progress) {
    return fenced(path(), [&]() -> Status {
        if (Status status = requireWritable(); !status.hasValue())
            return status;
        Database& database = m_impl->database;
        return transaction(database, [&] { return store::removeRun(database, run, progress); });
    });
}

Result<VacuumOutcome> Store::vacuum(const Progress& progress) {
    return fenced(path(), [&]() -> Result<VacuumOutcome> {
        if (Status status = requireWritable(); !status.hasValue())
            return status.error();
        return vacuumDatabase(m_impl->database, path(), progress);
    });
}

Result<CheckReport> Store::check(const Progress& progress) const {
    return fenced(path(), [&] { return checkDatabase(m_impl->database, progress); });
}

Status Store::query(std::string_view sql, const SqlHeader& header, const SqlRow& row) const {
    return fenced(path(), [&] { return runQuery(path(), sql, header, row); });
}

} // namespace trainscope::store
