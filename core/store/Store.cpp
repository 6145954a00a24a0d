#include "core/store/Store.h"

#include "core/store/Connection.h"
#include "core/store/Query.h"
#include "core/store/database/OpenFile.h"
#include "core/store/maintenance/Maintenance.h"
#include "core/store/samples/WindowFigures.h"
#include "core/store/spans/SpanReader.h"
#include "core/store/tables/Catalogue.h"

namespace trainscope::store {
namespace {

// The uuid is read here, so that a file whose pages cannot be read is refused at once.
Result<std::unique_ptr<Connection>> connected(
    Result<Database> opened, const std::filesystem::path& path, OpenMode mode) {
    if (!opened.hasValue())
        return opened.error();
    Database& database = opened.value();
    const auto uuid = database.single(
        "SELECT value FROM meta WHERE key='uuid'", [](const Row& row) { return row.string(0); });
    if (!uuid.hasValue())
        return uuid.error();
    if (uuid.value().value_or("").empty())
        return Error{ErrorCode::Unreadable,
            "The database is damaged: it has lost its identity; import the sources into a new one.",
            database.shownPath()};
    return std::make_unique<Connection>(Connection{path, std::move(database), mode, *uuid.value()});
}

// function(database, shape of the series, args...), of one moment of the file.
template <typename Function, typename... Args>
auto ofSeries(Connection& connection, SeriesId series, Function&& function, const Args&... args) {
    using Answer = std::invoke_result_t<Function&, Database&, const SeriesShape&, const Args&...>;
    return connection.call([&](Database& database) -> Answer {
        const ReadSnapshot snapshot(database);
        ASSIGN_OR_RETURN(const auto shape, readShape(database, series));
        return function(database, shape, args...);
    });
}

} // namespace

Status requireWritable(const Connection& connection) {
    if (connection.mode == OpenMode::ReadOnly)
        return Error{ErrorCode::Refused, "The database was opened for reading only.",
            connection.path.string()};
    if (connection.importing)
        return Error{ErrorCode::Refused,
            "An import into this database is under way; wait until it has ended.",
            connection.path.string()};
    return {};
}

Store::Store(std::unique_ptr<Connection> connection)
    : m_connection(std::move(connection)) { }
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Result<Store> Store::open(const std::filesystem::path& named, OpenMode mode) {
    auto opened = fenced(named, [&] {
        const StoreFile file(named);
        return connected(openFile(file, mode), file.path(), mode);
    });
    if (!opened.hasValue())
        return opened.error();
    return Store(std::move(opened.value()));
}

Result<Store> Store::openOrCreate(const std::filesystem::path& named) {
    auto opened = fenced(named, [&] {
        const StoreFile file(named);
        return connected(openOrCreateFile(file), file.path(), OpenMode::ReadWrite);
    });
    if (!opened.hasValue())
        return opened.error();
    return Store(std::move(opened.value()));
}

void Store::readInBursts() {
    m_connection->readsInBursts = m_connection->mode == OpenMode::ReadOnly;
}

Result<Store> Store::another() const {
    ASSIGN_OR_RETURN(auto store, open(path(), OpenMode::ReadOnly));
    store.m_connection->readsInBursts = m_connection->readsInBursts;
    return store;
}

bool Store::isReadOnly() const {
    return m_connection->mode == OpenMode::ReadOnly;
}

const std::filesystem::path& Store::path() const {
    return m_connection->path;
}
std::string Store::uuid() const {
    return m_connection->uuid;
}

Result<std::vector<Run>> Store::runs() const {
    return m_connection->call(readRuns, std::string_view());
}

Result<Run> Store::findRun(std::string_view name) const {
    ASSIGN_OR_RETURN(const auto found, m_connection->call(readRuns, name));
    if (!found.empty())
        return found.front();
    std::string known;
    RETURN_IF_ERROR(m_connection->database.forEach("SELECT name FROM run ORDER BY name",
        [&known](const Row& row) { known += (known.empty() ? "" : ", ") + row.string(0); }));
    return Error{ErrorCode::NotFound,
        "There is no run named \"" + std::string(name) + "\". "
            + (known.empty() ? "The database has no runs." : "The runs are: " + known + "."),
        path().string()};
}

Result<std::vector<Gpu>> Store::gpus(RunId run) const {
    return m_connection->call(readGpus, run, SourceId());
}
Result<std::vector<Series>> Store::series(RunId run) const {
    return m_connection->call(readSeries, run, SourceId());
}
Result<std::vector<Track>> Store::tracks(RunId run) const {
    return m_connection->call(readTracks, run, SourceId());
}
Result<std::vector<Iteration>> Store::iterations(RunId run) const {
    return m_connection->call(readIterations, run, SourceId());
}
Result<std::vector<Capture>> Store::captures(RunId run) const {
    return m_connection->call(readCaptures, run, SourceId());
}
Result<std::string> Store::name(NameId id) const {
    return m_connection->call(readName, id);
}

Result<std::vector<Bucket>> Store::buckets(SeriesId series, TimeRange window, int columns) const {
    return ofSeries(*m_connection, series, queryBuckets, PyramidKind::Value, window, columns);
}
Result<std::vector<Bucket>> Store::rateBuckets(
    SeriesId series, TimeRange window, int columns) const {
    return ofSeries(*m_connection, series, queryBuckets, PyramidKind::Rate, window, columns);
}
Result<std::optional<double>> Store::valueAt(SeriesId series, TimeNs t) const {
    return ofSeries(*m_connection, series, queryValueAt, t);
}
Result<std::optional<Sample>> Store::lastBefore(SeriesId series, TimeNs t) const {
    return ofSeries(*m_connection, series, queryLastBefore, t);
}
Result<WindowStatistics> Store::statistics(SeriesId series, TimeRange window) const {
    return ofSeries(*m_connection, series, queryStatistics, window);
}
Status Store::forEachSample(SeriesId series, TimeRange window, const SampleVisitor& visit) const {
    return ofSeries(*m_connection, series, visitSamples, window, visit);
}
SampleSource Store::sampleSource(SeriesId series, TimeRange window) const {
    const auto next
        = [this, series, window](std::optional<SampleStream>& stream) -> Result<SampleView> {
        if (!stream) {
            ASSIGN_OR_RETURN(const auto shape, readShape(m_connection->database, series));
            stream.emplace(m_connection->database, shape, window);
        }
        return stream->next();
    };
    const auto stream = std::make_shared<std::optional<SampleStream>>();
    return [next, stream, this] { return fenced(path(), [&] { return next(*stream); }); };
}

Result<std::vector<LodNode>> Store::lodNodes(
    TrackId track, TimeRange window, DurationNs minWidth) const {
    return m_connection->call(queryLodNodes, track, window, minWidth);
}
Status Store::forEachSpan(TrackId track, TimeRange window, const SpanVisitor& visit) const {
    return m_connection->call(visitSpans, track, window, visit, SpanFields::All);
}
SpanSource Store::spanSource(TrackId track, TimeRange window) const {
    auto stream = std::make_shared<SpanStream>(m_connection->database, track, window);
    return [stream, this] { return fenced(path(), [&stream] { return stream->next(); }); };
}
Status Store::forEachSpanNamed(TrackId track, NameId name, const SpanVisitor& visit) const {
    return m_connection->call(visitSpansNamed, track, name, visit);
}
Result<std::optional<Span>> Store::spanAt(TrackId track, TimeNs t, int depth) const {
    return m_connection->call(querySpanAt, track, t, depth);
}
Status Store::forEachFound(RunId run, const SpanWish& wanted, const FoundVisitor& visit) const {
    return m_connection->call(visitFoundSpans, run, wanted, visit);
}
Result<std::vector<FoundSpan>> Store::correlated(
    RunId run, int rank, std::int64_t correlation) const {
    return m_connection->call(queryCorrelated, run, rank, correlation);
}

Result<CheckReport> Store::check(const Progress& progress) const {
    return m_connection->call(checkDatabase, progress);
}

Status Store::query(std::string_view sql, const SqlHeader& header, const SqlRow& row) const {
    return store::query(*this, sql, header, row, {});
}
} // namespace trainscope::store
