#include "core/store/tables/Catalogue.h"

#include "core/catalogue/GpuGuess.h"
#include "core/model/WholeNumber.h"
#include "core/store/Connection.h"
#include "core/store/RunNotes.h"
#include "core/store/Store.h"
#include "core/store/tables/StoredJson.h"
#include "core/text/Names.h"

namespace trainscope::store {
namespace {

// The GPUs of runs whose sources name none, from what was recorded of them. See
// catalogue/GpuGuess.h.

constexpr int kNamedFolders = 2; // above a file; those further up are of the computer

using TracesByRun = std::map<std::int64_t, catalogue::GpuTraces>;

std::string listOf(const TracesByRun& traces) {
    std::string list;
    for (const auto& [run, unused] : traces)
        list += (list.empty() ? "" : ",") + std::to_string(run);
    return list;
}

// Boards that say what is free and used say their size, too: what was free at most beside what was
// used at least.
constexpr std::string_view kMemFree = "mem_free";
struct MemoryReached {
    std::optional<double> freeBytes; // most
    double usedBytes = 0.0; // least
};

Status readReached(Database& database, TracesByRun& traces) {
    std::map<std::int64_t, MemoryReached> memory;
    RETURN_IF_ERROR(database.forEach(
        "SELECT run, metric, max(max), min(min) FROM series WHERE subject='gpu' AND count>missing"
        " AND metric IN ('mem_total', 'mem_used', 'mem_free', 'sm_clock', 'gpu_power')"
        " AND run IN ("
            + listOf(traces) + ") GROUP BY run, metric",
        [&](const Row& row) {
            const auto found = traces.find(row.integer(0));
            if (found == traces.end())
                return;
            const std::string_view name = row.text(1);
            if (name == kMemFree) {
                memory[row.integer(0)].freeBytes = row.real(2);
                return;
            }
            if (name == metric::kMemUsed)
                memory[row.integer(0)].usedBytes = row.real(3);
            auto& into = name == metric::kMemTotal ? found->second.memoryTotalBytes
                : name == metric::kMemUsed         ? found->second.memoryUsedBytes
                : name == metric::kSmClock         ? found->second.topClockHz
                                                   : found->second.peakPowerW;
            into = row.real(2);
        }));
    for (const auto& [run, reached] : memory) {
        auto& total = traces.at(run).memoryTotalBytes;
        if (!total && reached.freeBytes)
            total = *reached.freeBytes + reached.usedBytes;
    }
    return {};
}

struct SourceOfRun {
    std::int64_t run = 0;
    std::filesystem::path path;
    std::string recorded; // model of the run
};

void takePath(const std::filesystem::path& path, catalogue::GpuTraces& traces) {
    std::filesystem::path part = path;
    for (int i = 0; i <= kNamedFolders && part.has_filename(); ++i) {
        traces.names.push_back(part.filename().string());
        part = part.parent_path();
    }
}

Status readNamed(Database& database, TracesByRun& traces) {
    std::vector<SourceOfRun> sources;
    RETURN_IF_ERROR(database.forEach(
        "SELECT source_run.run, source.path, run.gpu_model FROM source_run"
        " JOIN source ON source.id=source_run.source JOIN run ON run.id=source_run.run",
        [&sources](const Row& row) {
            sources.push_back({row.integer(0), row.string(1), row.string(2)});
        }));
    std::map<std::filesystem::path, std::string> recorded; // by folder; empty: of several models
    for (const SourceOfRun& one : sources) {
        if (one.recorded.empty())
            continue;
        const auto [entry, isNew] = recorded.emplace(one.path.parent_path(), one.recorded);
        if (!isNew && entry->second != one.recorded)
            entry->second.clear();
    }
    for (const SourceOfRun& one : sources) {
        const auto found = traces.find(one.run);
        if (found == traces.end())
            continue;
        takePath(one.path, found->second);
        const auto beside = recorded.find(one.path.parent_path());
        if (beside != recorded.end() && !beside->second.empty())
            found->second.neighbours.push_back(beside->second);
    }
    return {};
}

catalogue::GpuTraces tracesOfName(const Run& run) {
    catalogue::GpuTraces traces;
    traces.names.push_back(run.name);
    return traces;
}

Status readTraces(Database& database, TracesByRun& traces) {
    if (traces.empty())
        return {};
    RETURN_IF_ERROR(readReached(database, traces));
    return readNamed(database, traces);
}

// Measured runs without a model get the guessed one, marked as such. Only as read: what is stored
// stays as recorded.
Status inferGpuModels(Database& database, std::vector<Run>& runs) {
    TracesByRun traces;
    for (const Run& run : runs) {
        if (run.gpuModel.empty() && run.kind == RunKind::Measured && run.gpuCount > 0)
            traces.emplace(run.id.value, tracesOfName(run));
    }
    RETURN_IF_ERROR(readTraces(database, traces));
    for (Run& run : runs) {
        const auto found = traces.find(run.id.value);
        if (found == traces.end())
            continue;
        if (const auto guess = catalogue::guessGpuModel(found->second))
            run.gpuModel = catalogue::inferredName(*guess->model);
    }
    return {};
}

// Even where a model was recorded; absent where nothing tells.
Result<std::optional<catalogue::GpuGuess>> guessGpuModel(Database& database, const Run& run) {
    TracesByRun traces{{run.id.value, tracesOfName(run)}};
    RETURN_IF_ERROR(readTraces(database, traces));
    return catalogue::guessGpuModel(traces.begin()->second);
}

// Columns of the launch table, one for each field; the first is `at`.
class LaunchColumns {
public:
    LaunchColumns(const Row& row, int at)
        : m_row(row)
        , m_at(at) { }

    void read(std::optional<int>& into) {
        into = m_row.optionalInteger(m_at++);
        if (into && (*into > kMostOfJob || *into < -kMostOfJob))
            into.reset();
    }
    void read(std::optional<bool>& into) {
        const auto value = m_row.optionalInteger(m_at++);
        into = value ? std::optional<bool>(*value != 0) : std::nullopt;
    }
    void read(std::optional<std::string>& into) {
        if (!m_row.isNull(m_at))
            into = m_row.string(m_at);
        ++m_at;
    }
    void read(std::optional<Workload>& into) { into = fromString<Workload>(m_row.text(m_at++)); }

private:
    const Row& m_row;
    int m_at;
};

LaunchConfig launchFrom(const Row& row, int at) {
    LaunchConfig launch;
    launch.origin = row.string(at);
    LaunchColumns columns(row, at + 1);
    forEachLaunchField([&](const char*, auto member) { columns.read(launch.*member); });
    return launch;
}

Run runFrom(const Row& row) {
    Run run;
    run.id.value = row.integer(0);
    run.name = row.string(1);
    run.kind = fromString(row.text(2), RunKind::Measured);
    run.status = fromString(row.text(3), RunStatus::Ok);
    run.simulated = row.integer(4) != 0;
    run.gpuModel = row.string(5);
    run.range = {{row.integer(6)}, {row.integer(7)}};
    run.gpuCount = believableGpus(row.integer(8));
    run.nodeCount = believableGpus(row.integer(9));
    run.worldSize = believableGpus(row.integer(10));
    run.launch = launchFrom(row, 11);
    return run;
}

Series seriesFrom(const Row& row) {
    Series series;
    series.id.value = row.integer(0);
    series.run.value = row.integer(1);
    series.source.value = row.integer(2);
    SeriesDescription& description = series.description;
    description.metric
        = {row.string(3), row.string(4), fromString(row.text(5), MetricKind::Gauge), row.string(6)};
    description.metric.kind = metricKindOf(description.metric.name, description.metric.kind);
    description.subject = {
        fromString(row.text(7), SubjectKind::Gpu), row.ordinal(8), row.ordinal(9), row.string(10)};
    description.scale = row.real(11);
    description.counterBits = row.smallInteger(12);
    description.sensor = fromString(row.text(13), SensorKind::Unknown);
    series.range = {{row.integer(14)}, {row.integer(15)}};
    series.count = row.integer(16);
    series.missing = row.integer(17);
    series.first = row.real(18);
    series.last = row.real(19);
    series.min = row.real(20);
    series.max = row.real(21);
    series.mean = row.real(22);
    series.period = {row.integer(23)};
    return series;
}

Track trackFrom(const Row& row) {
    Track track;
    track.id.value = row.integer(0);
    track.run.value = row.integer(1);
    track.source.value = row.integer(2);
    track.description = {fromString(row.text(3), TrackKind::Other), row.ordinal(4),
        row.smallInteger(5), row.string(6), row.string(7), row.string(8)};
    track.range = {{row.integer(9)}, {row.integer(10)}};
    track.count = row.integer(11);
    track.depth = row.smallInteger(12);
    return track;
}

// The row, or that there is none.
template <typename T>
Result<T> found(
    const Database& database, Result<std::optional<T>> row, const char* what, std::int64_t id) {
    if (!row.hasValue())
        return row.error();
    if (row.value())
        return std::move(*row.value());
    return Error{ErrorCode::NotFound,
        std::string("There is no ") + what + " with the number " + std::to_string(id) + ".",
        database.shownPath()};
}

// The condition on the rows of run ?1: all, or those of source ?2.
std::string ofRun(SourceId source) {
    return source.isValid() ? "source=?2 AND +run=?1" : "run=?1 AND ?2=0";
}

Gpu gpuFrom(const Row& row) {
    return {row.ordinal(0), row.ordinal(1), row.ordinal(2), row.string(3), row.string(4)};
}

Iteration iterationFrom(const Row& row) {
    return {
        row.integer(0), {{row.integer(1)}, {row.integer(2)}}, row.ordinal(3), row.integer(4) != 0};
}

Capture captureFrom(const Row& row) {
    return {row.string(0), row.ordinal(1), {{row.integer(2)}, {row.integer(3)}}};
}

} // namespace

Error linkedError(const std::string& location, const std::string& path) {
    return {ErrorCode::Unreadable,
        "The run is linked: its samples are in the engine at " + location
            + ", and only the timeline asks there. Copy them for this (Connect…, or trainscope-cli "
              "import without --link).",
        path};
}

Result<std::vector<Run>> readRuns(Database& database, std::string_view name) {
    // GPUs that the user named go before those that their source recorded.
    std::string sql = "SELECT id, name, kind, status, simulated,"
                      " coalesce((SELECT json_extract(machine, '$.gpu_model') FROM cluster"
                      "  WHERE cluster.run=run.id AND json_valid(machine)), gpu_model),"
                      " begin_ns, end_ns,"
                      " gpu_count, node_count, world_size, coalesce(launch.origin, '')";
    forEachLaunchField(
        [&sql](const char* column, auto) { sql += std::string(", launch.") + column; });
    sql += " FROM run LEFT JOIN launch ON launch.run=run.id WHERE ?1='' OR name=?1"
           " ORDER BY name, id";
    ASSIGN_OR_RETURN(auto runs, database.rows(sql, runFrom, name));
    std::stable_sort(runs.begin(), runs.end(),
        [](const Run& a, const Run& b) { return text::naturalOrder(a.name, b.name) < 0; });
    RETURN_IF_ERROR(inferGpuModels(database, runs));
    return runs;
}

Result<std::vector<Gpu>> readGpus(Database& database, RunId run, SourceId source) {
    const std::string from = source.isValid() ? "source_gpu" : "gpu";
    return database.rows("SELECT rank, node, local, model, uuid FROM " + from + " WHERE "
            + ofRun(source) + " ORDER BY rank",
        gpuFrom, run.value, source.value);
}

Result<std::vector<Series>> readSeries(Database& database, RunId run, SourceId source) {
    return database.rows("SELECT id, run, source, metric, unit, kind, label, subject, rank, node, "
                         "device, scale, counter_bits, sensor, begin_ns, end_ns, count, missing, "
                         "first, last, min, max, mean, period_ns FROM series WHERE "
            + ofRun(source) + " ORDER BY metric, rank, node, device, id",
        seriesFrom, run.value, source.value);
}

Result<std::vector<Track>> readTracks(Database& database, RunId run, SourceId source) {
    return database.rows("SELECT id, run, source, kind, rank, device, process, thread, name, "
                         "begin_ns, end_ns, count, depth FROM track WHERE "
            + ofRun(source) + " ORDER BY rank, name, id",
        trackFrom, run.value, source.value);
}

Result<std::vector<Iteration>> readIterations(Database& database, RunId run, SourceId source) {
    return database.rows("SELECT number, begin_ns, end_ns, rank, warmup FROM iteration WHERE "
            + ofRun(source) + " ORDER BY begin_ns, rank, id",
        iterationFrom, run.value, source.value);
}

Result<std::vector<Capture>> readCaptures(Database& database, RunId run, SourceId source) {
    return database.rows("SELECT name, rank, begin_ns, end_ns FROM capture WHERE " + ofRun(source)
            + " ORDER BY rank, begin_ns, id",
        captureFrom, run.value, source.value);
}

Result<std::vector<Source>> Store::sources() const {
    return m_connection->call([](Database& database) -> Result<std::vector<Source>> {
        ASSIGN_OR_RETURN(auto sources,
            database.rows(
                "SELECT id, path, size, hash, imported_ns, report FROM source ORDER BY path, id",
                [](const Row& row) {
                    return Source{{row.integer(0)}, {}, row.string(1),
                        static_cast<std::uint64_t>(row.integer(2)), row.string(3), {row.integer(4)},
                        reportFromJson(row.text(5))};
                }));
        for (Source& source : sources) {
            RETURN_IF_ERROR(
                assign(database.rows(
                           "SELECT run FROM source_run WHERE source=? ORDER BY run",
                           [](const Row& row) { return RunId{row.integer(0)}; }, source.id.value),
                    source.runs));
        }
        return sources;
    });
}

Result<std::vector<SavedComparison>> Store::comparisons() const {
    return m_connection->call([](Database& database) {
        return database.rows(
            "SELECT name, spec, created_ns, changed_ns FROM comparison ORDER BY name",
            [](const Row& row) {
                return SavedComparison{
                    row.string(0), row.string(1), {row.integer(2)}, {row.integer(3)}};
            });
    });
}

Result<std::optional<std::string>> Store::enteredLayout(RunId run) const {
    return m_connection->call([run](Database& database) {
        return database.single(
            "SELECT spec FROM run_layout WHERE run=?", [](const Row& row) { return row.string(0); },
            run.value);
    });
}

Result<std::optional<std::string>> Store::machine(RunId run) const {
    return m_connection->call([run](Database& database) {
        return database.single(
            "SELECT machine FROM cluster WHERE run=? AND machine<>''",
            [](const Row& row) { return row.string(0); }, run.value);
    });
}

Result<std::vector<int>> Store::airflow(RunId run) const {
    std::vector<int> order;
    const auto read = [&order](const Row& row) {
        for (const std::string_view word : words(row.text(0), ","))
            order.push_back(wholeNumber<int>(word).value_or(-1));
    };
    RETURN_IF_ERROR(m_connection->call([&](Database& database) {
        return database.forEach("SELECT airflow FROM cluster WHERE run=?", read, run.value);
    }));
    return order;
}

Result<std::string> readName(Database& database, NameId id) {
    auto text = database.single(
        "SELECT text FROM name WHERE id=?", [](const Row& row) { return row.string(0); }, id.value);
    return found(database, std::move(text), "name", id.value);
}

Result<std::vector<std::pair<NameId, std::string>>> Store::names(RunId run) const {
    return m_connection->call([run](Database& database) {
        return database.rows(
            "SELECT id, text FROM name WHERE id IN (SELECT name FROM track_name WHERE track IN "
            "(SELECT id FROM track WHERE run=?)) ORDER BY id",
            [](const Row& row) {
                return std::pair{NameId{row.integer(0)}, row.string(1)};
            },
            run.value);
    });
}

Result<SeriesShape> readShape(Database& database, SeriesId series) {
    std::string elsewhere;
    auto shape = database.single(
        "SELECT scale, counter_bits, count, period_ns, location, metric, unit FROM series"
        " LEFT JOIN run_link ON run_link.source=series.source WHERE id=?",
        [&](const Row& row) {
            elsewhere = row.string(4);
            return SeriesShape{series, row.real(0), row.smallInteger(1), row.integer(2),
                row.integer(3), peakRate({row.string(5), row.string(6), MetricKind::Counter, {}})};
        },
        series.value);
    if (!elsewhere.empty())
        return linkedError(elsewhere, database.shownPath());
    return found(database, std::move(shape), "series", series.value);
}

Result<std::optional<catalogue::GpuGuess>> gpuGuessOf(const Store& store, const Run& run) {
    if (!catalogue::isInferredName(run.gpuModel))
        return std::optional<catalogue::GpuGuess>();
    return store.connection().call(guessGpuModel, run);
}

} // namespace trainscope::store
