#include "core/store/tables/SourceTables.h"

#include "core/model/HarmlessText.h"
#include "core/store/codec/SpanCodec.h"
#include "core/store/tables/StoredJson.h"

namespace trainscope::store {
namespace {

constexpr std::array<std::string_view, 11> kDeleteSource{
    "DELETE FROM bucket_page WHERE series IN (SELECT id FROM series WHERE source=?)",
    "DELETE FROM sample_chunk WHERE series IN (SELECT id FROM series WHERE source=?)",
    "DELETE FROM series WHERE source=?",
    "DELETE FROM track WHERE source=?",
    "DELETE FROM iteration WHERE source=?",
    "DELETE FROM capture WHERE source=?",
    "DELETE FROM source_gpu WHERE source=?",
    "DELETE FROM source_name WHERE source=?",
    "DELETE FROM run_link WHERE source=?",
    "DELETE FROM source_run WHERE source=?",
    "DELETE FROM source WHERE id=?",
};

// Computed from its sources.
constexpr std::array<std::string_view, 4> kDeleteDerived{
    "DELETE FROM summary WHERE run=?",
    "DELETE FROM summary_basis WHERE run=?",
    "DELETE FROM trace_sum WHERE run=?",
    "DELETE FROM trace_sum_basis WHERE run=?",
};

constexpr std::array<std::string_view, 8> kDeleteRun{
    "DELETE FROM gpu WHERE run=?",
    "DELETE FROM launch WHERE run=?",
    "DELETE FROM cluster WHERE run=?",
    "DELETE FROM note WHERE run=?",
    "DELETE FROM run_tag WHERE run=?",
    "DELETE FROM run_note WHERE run=?",
    "DELETE FROM run_layout WHERE run=?",
    "DELETE FROM run WHERE id=?",
};

template <std::size_t N>
Status executeAll(
    Database& database, const std::array<std::string_view, N>& statements, std::int64_t id) {
    for (const std::string_view sql : statements)
        RETURN_IF_ERROR(database.execute(sql, id));
    return {};
}

Status deleteRunRows(Database& database, RunId run) {
    RETURN_IF_ERROR(executeAll(database, kDeleteDerived, run.value));
    return executeAll(database, kDeleteRun, run.value);
}

// Sources agree on a GPU by its rank; what the first of them does not know comes from the next.
Status refreshGpus(Database& database, RunId run) {
    RETURN_IF_ERROR(database.execute("DELETE FROM gpu WHERE run=?", run.value));
    return database.execute(
        "INSERT INTO gpu(run, rank, node, local, model, uuid) SELECT run, rank, node, local, "
        "model, uuid FROM"
        " source_gpu WHERE run=? ORDER BY source ON CONFLICT(run, rank) DO UPDATE SET"
        " model=iif(gpu.model='', excluded.model, gpu.model), uuid=iif(gpu.uuid='', excluded.uuid, "
        "gpu.uuid)",
        run.value);
}

// In several statements each: as long as one takes is how long nobody is told. The bytes of all
// series of a source lie in rows of one size.
Status deleteAllSamples(Database& database, SourceId source, const Removed& removed) {
    constexpr std::int64_t rowsPerPiece = 1024; // 16 MB
    ASSIGN_OR_RETURN(auto samples,
        database.number("SELECT sum(count) FROM series WHERE source=?", source.value));
    ASSIGN_OR_RETURN(const auto rows,
        database.number("SELECT count(*) FROM sample_data WHERE source=?", source.value));
    const std::int64_t perPiece = rows > rowsPerPiece ? samples / (rows / rowsPerPiece) : samples;
    for (std::int64_t left = rows; left > 0; left -= rowsPerPiece) {
        RETURN_IF_ERROR(database.execute("DELETE FROM sample_data WHERE id IN (SELECT id FROM "
                                         "sample_data WHERE source=? LIMIT ?)",
            source.value, rowsPerPiece));
        const std::int64_t gone = left > rowsPerPiece ? std::min(perPiece, samples) : samples;
        samples -= gone;
        if (removed && !removed(gone))
            return cancelled();
    }
    return {};
}

Status deleteAllSpans(Database& database, SourceId source, const Removed& removed) {
    constexpr std::int64_t chunksPerPiece = 512;
    constexpr auto spansPerPiece = chunksPerPiece * static_cast<std::int64_t>(kChunkSpans);
    ASSIGN_OR_RETURN(const auto tracks,
        database.rows(
            "SELECT id, count FROM track WHERE source=?",
            [](const Row& row) { return std::pair(row.integer(0), row.integer(1)); },
            source.value));
    for (const auto& [track, count] : tracks) {
        RETURN_IF_ERROR(database.execute("DELETE FROM group_page WHERE track=?", track));
        RETURN_IF_ERROR(database.execute("DELETE FROM track_name WHERE track=?", track));
        std::int64_t first = 0; // chunk
        for (std::int64_t left = count; left > 0; left -= spansPerPiece) {
            RETURN_IF_ERROR(database.execute(
                "DELETE FROM span_chunk WHERE track=? AND sequence>=? AND sequence<?", track, first,
                first + chunksPerPiece));
            first += chunksPerPiece;
            if (removed && !removed(std::min(left, spansPerPiece)))
                return cancelled();
        }
    }
    return {};
}

std::optional<std::int64_t> asColumn(const std::optional<bool>& value) {
    return value ? std::optional<std::int64_t>(*value ? 1 : 0) : std::nullopt;
}
std::optional<std::string_view> asColumn(const std::optional<Workload>& value) {
    return value ? std::optional(toString(*value)) : std::nullopt;
}
template <typename T>
const std::optional<T>& asColumn(const std::optional<T>& value) {
    return value;
}

Status writeLaunch(Database& database, RunId run, const LaunchConfig& launch) {
    Status status = database.execute(
        "INSERT OR REPLACE INTO launch(run, origin) VALUES(?, ?)", run.value, launch.origin);
    forEachLaunchField([&](const char* name, auto member) {
        if (status.hasValue() && launch.*member)
            status = database.execute(std::string("UPDATE launch SET ") + name + "=?2 WHERE run=?1",
                run.value, asColumn(launch.*member));
    });
    return status;
}

// From the first to the last sample or span of run ?1. Those that count from an unknown moment
// (text::isDated) say nothing of it where others have dates.
std::string rangeColumns() {
    const std::string ranges
        = " FROM (SELECT begin_ns, end_ns FROM series WHERE run=?1 AND count>0 UNION ALL"
          " SELECT begin_ns, end_ns FROM track WHERE run=?1 AND count>0)";
    const std::string dated = ranges + " WHERE begin_ns>=631152000000000000";
    return "begin_ns=coalesce((SELECT min(begin_ns)" + dated + "), (SELECT min(begin_ns)" + ranges
        + "), 0), end_ns=coalesce((SELECT max(end_ns)" + dated + "), (SELECT max(end_ns)" + ranges
        + "), 0)";
}

Status writeRun(Database& database, RunId run, const Run& facts) {
    constexpr std::string_view model
        = "coalesce((SELECT model FROM gpu WHERE run=?1 AND model<>'' ORDER BY rank LIMIT 1), '')";
    const std::string sql
        = "UPDATE run SET kind=?2, status=?3, simulated=?4, gpu_model=iif(?5<>'', ?5, "
        + std::string(model) + "), world_size=?6,"
        + " gpu_count=(SELECT count(*) FROM gpu WHERE run=?1),"
        + " node_count=(SELECT count(*) FROM (SELECT node FROM gpu WHERE run=?1"
          " UNION SELECT node FROM series WHERE run=?1 AND subject='node')),"
        + rangeColumns() + " WHERE id=?1";
    RETURN_IF_ERROR(database.execute(sql, run.value, toString(facts.kind), toString(facts.status),
        std::int64_t{facts.simulated ? 1 : 0}, facts.gpuModel, facts.worldSize));
    return database.execute(
        "INSERT INTO cluster(run, gpu_model, nodes, gpus_per_node) SELECT id, gpu_model,"
        " max(node_count, coalesce(?2, 0)), coalesce(?3, (SELECT max(n) FROM (SELECT count(*) AS n "
        "FROM gpu"
        " WHERE gpu.run=?1 GROUP BY node)), 0) FROM run WHERE id=?1"
        // The user's facts of the machine stay.
        " ON CONFLICT(run) DO UPDATE SET gpu_model=excluded.gpu_model, nodes=excluded.nodes,"
        " gpus_per_node=excluded.gpus_per_node",
        run.value, facts.launch.nodes, facts.launch.gpusPerNode);
}

SourceId sourceIdFrom(const Row& row) {
    return {row.integer(0)};
}

} // namespace

Result<SourceId> addSource(Database& database, const SourceDescription& source) {
    RETURN_IF_ERROR(
        database.execute("INSERT INTO source(path, size, hash, imported_ns) VALUES(?,?,?,?)",
            source.path, static_cast<std::int64_t>(source.size), source.hash, wallClock().ns));
    return SourceId{database.lastRowId()};
}

Status writeReport(Database& database, SourceId source, const ImportReport& report,
    const std::string& hash, std::uint64_t size) {
    return database.execute("UPDATE source SET size=?, hash=?, importer=?, report=? WHERE id=?",
        static_cast<std::int64_t>(size), hash, harmless(report.importer), reportToJson(report),
        source.value);
}

Status writeFacts(Database& database, SourceId source, RunId run, const Run& facts) {
    return database.execute("INSERT OR REPLACE INTO source_run(source, run, facts) VALUES(?,?,?)",
        source.value, run.value, factsToJson(facts));
}

Result<std::optional<Run>> readFacts(Database& database, SourceId source, RunId run) {
    return database.single(
        "SELECT facts FROM source_run WHERE source=? AND run=?",
        [](const Row& row) { return factsFromJson(row.text(0)); }, source.value, run.value);
}

Status addGpu(Database& database, SourceId source, RunId run, const Gpu& gpu) {
    return database.execute(
        "INSERT OR REPLACE INTO source_gpu(source, run, rank, node, local, model, uuid)"
        " VALUES(?,?,?,?,?,?,?)",
        source.value, run.value, gpu.rank, gpu.node, gpu.local, harmless(gpu.model),
        harmless(gpu.uuid));
}

Result<SeriesId> addSeries(
    Database& database, SourceId source, RunId run, const SeriesDescription& description) {
    const Metric& metric = description.metric;
    const Subject& subject = description.subject;
    RETURN_IF_ERROR(
        database.execute("INSERT INTO series(run, source, metric, unit, kind, label, subject, "
                         "rank, node, device, scale, counter_bits, sensor) "
                         "VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)",
            run.value, source.value, harmless(metric.name), harmless(metric.unit),
            toString(metricKindOf(metric.name, metric.kind)), harmless(metric.label),
            toString(subject.kind), subject.rank, subject.node, harmless(subject.device),
            description.scale, description.counterBits, toString(description.sensor)));
    return SeriesId{database.lastRowId()};
}

Result<TrackId> addTrack(
    Database& database, SourceId source, RunId run, const TrackDescription& track) {
    RETURN_IF_ERROR(database.execute("INSERT INTO track(run, source, kind, rank, device, process,"
                                     " thread, name) VALUES(?,?,?,?,?,?,?,?)",
        run.value, source.value, toString(track.kind), track.rank, track.device,
        harmless(track.process), harmless(track.thread), harmless(track.name)));
    return TrackId{database.lastRowId()};
}

Status addIteration(Database& database, SourceId source, RunId run, const Iteration& iteration) {
    return database.execute("INSERT INTO iteration(run, source, number, rank, begin_ns, "
                            "end_ns, warmup) VALUES(?,?,?,?,?,?,?)",
        run.value, source.value, iteration.index, iteration.rank, iteration.range.begin.ns,
        iteration.range.end.ns, std::int64_t{iteration.warmup ? 1 : 0});
}

Status addCapture(Database& database, SourceId source, RunId run, const Capture& capture) {
    return database.execute("INSERT INTO capture(run, source, name, rank, begin_ns, end_ns) "
                            "VALUES(?,?,?,?,?,?)",
        run.value, source.value, harmless(capture.name), capture.rank, capture.range.begin.ns,
        capture.range.end.ns);
}

Result<std::vector<RunId>> deleteSource(
    Database& database, SourceId source, IdSet& names, const Removed& removed) {
    ASSIGN_OR_RETURN(auto runs,
        database.rows(
            "SELECT run FROM source_run WHERE source=?",
            [](const Row& row) { return RunId{row.integer(0)}; }, source.value));
    RETURN_IF_ERROR(readSourceNames(database, source, names));
    RETURN_IF_ERROR(deleteAllSamples(database, source, removed));
    RETURN_IF_ERROR(deleteAllSpans(database, source, removed));
    RETURN_IF_ERROR(executeAll(database, kDeleteSource, source.value));
    for (const RunId run : runs)
        RETURN_IF_ERROR(executeAll(database, kDeleteDerived, run.value));
    return runs;
}

Status refreshRun(Database& database, RunId run) {
    std::optional<Run> facts;
    RETURN_IF_ERROR(database.forEach(
        "SELECT facts FROM source_run WHERE run=? ORDER BY source",
        [&facts](const Row& row) {
            Run said = factsFromJson(row.text(0));
            if (facts)
                fillRun(*facts, said);
            else
                facts = std::move(said);
        },
        run.value));
    if (!facts)
        return deleteRunRows(database, run);
    RETURN_IF_ERROR(refreshGpus(database, run));
    RETURN_IF_ERROR(writeLaunch(database, run, facts->launch));
    RETURN_IF_ERROR(writeRun(database, run, *facts));
    return executeAll(database, kDeleteDerived, run.value);
}

Status refreshRange(Database& database, RunId run) {
    RETURN_IF_ERROR(
        database.execute("UPDATE run SET " + rangeColumns() + " WHERE id=?1", run.value));
    return executeAll(database, kDeleteDerived, run.value);
}

Result<RunId> findRunNamed(Database& database, const std::string& name) {
    ASSIGN_OR_RETURN(const auto id,
        database.number("SELECT id FROM run WHERE imported_name=?1 OR name=?1 ORDER BY "
                        "imported_name<>?1 LIMIT 1",
            name));
    return RunId{id};
}

Result<RunId> findOrAddRun(Database& database, const std::string& name) {
    ASSIGN_OR_RETURN(const auto known, findRunNamed(database, name));
    if (known.isValid())
        return known;
    RETURN_IF_ERROR(database.execute("INSERT INTO run(name, imported_name) VALUES(?1, ?1)", name));
    return RunId{database.lastRowId()};
}

Status deleteRun(Database& database, RunId run, IdSet& names, const Removed& removed) {
    ASSIGN_OR_RETURN(const auto sources,
        database.rows("SELECT source FROM source_run WHERE run=?", sourceIdFrom, run.value));
    for (const SourceId source : sources) {
        ASSIGN_OR_RETURN(const auto others, deleteSource(database, source, names, removed));
        for (const RunId other : others)
            RETURN_IF_ERROR(refreshRun(database, other));
    }
    return deleteRunRows(database, run);
}

Result<std::vector<SourceId>> sourcesAt(
    Database& database, const std::string& path, SourceId except) {
    return database.rows(
        "SELECT id FROM source WHERE path=? AND id<>?", sourceIdFrom, path, except.value);
}

Result<std::vector<SourceId>> sourcesLike(
    Database& database, const std::string& hash, RunId run, SourceId except) {
    return database.rows("SELECT id FROM source WHERE hash=? AND hash<>'' AND id<>? AND EXISTS"
                         " (SELECT 1 FROM source_run WHERE source=source.id AND run=?)",
        sourceIdFrom, hash, except.value, run.value);
}

} // namespace trainscope::store
