#include "core/store/SourceTables.h"

#include "core/store/Json.h"

#include <array>

namespace trainscope::store {
namespace {

constexpr std::array<std::string_view, 13> kDeleteSource{
    "DELETE FROM bucket_page WHERE series IN (SELECT id FROM series WHERE source=?)",
    "DELETE FROM sample_chunk WHERE series IN (SELECT id FROM series WHERE source=?)",
    "DELETE FROM sample_data WHERE source=?",
    "DELETE FROM series WHERE source=?",
    "DELETE FROM group_page WHERE track IN (SELECT id FROM track WHERE source=?)",
    "DELETE FROM span_chunk WHERE track IN (SELECT id FROM track WHERE source=?)",
    "DELETE FROM track_name WHERE track IN (SELECT id FROM track WHERE source=?)",
    "DELETE FROM track WHERE source=?",
    "DELETE FROM iteration WHERE source=?",
    "DELETE FROM source_gpu WHERE source=?",
    "DELETE FROM summary WHERE run IN (SELECT run FROM source_run WHERE source=?)",
    "DELETE FROM source_run WHERE source=?",
    "DELETE FROM source WHERE id=?",
};

constexpr std::array<std::string_view, 6> kDeleteRun{
    "DELETE FROM gpu WHERE run=?",
    "DELETE FROM launch WHERE run=?",
    "DELETE FROM cluster WHERE run=?",
    "DELETE FROM note WHERE run=?",
    "DELETE FROM summary WHERE run=?",
    "DELETE FROM run WHERE id=?",
};

template <std::size_t N>
Status executeAll(
    Database& database, const std::array<std::string_view, N>& statements, std::int64_t id) {
    for (const std::string_view sql : statements) {
        if (Status status = database.execute(sql, id); !status.hasValue())
            return status;
    }
    return {};
}

// Sources agree on a GPU by its rank; what the first of them does not know comes from the next.
Status refreshGpus(Database& database, RunId run) {
    Status status = database.execute("DELETE FROM gpu WHERE run=?", run.value);
    if (!status.hasValue())
        return status;
    return database.execute(
        "INSERT INTO gpu(run, rank, node, local, model, uuid) SELECT run, rank, node, local, "
        "model, uuid FROM"
        " source_gpu WHERE run=? ORDER BY source ON CONFLICT(run, rank) DO UPDATE SET"
        " model=iif(gpu.model='', excluded.model, gpu.model), uuid=iif(gpu.uuid='', excluded.uuid, "
        "gpu.uuid)",
        run.value);
}

std::optional<std::int64_t> flag(const std::optional<bool>& value) {
    return value ? std::optional<std::int64_t>(*value ? 1 : 0) : std::nullopt;
}

Status writeLaunch(Database& database, RunId run, const LaunchConfig& launch) {
    return database.execute(
        "INSERT OR REPLACE INTO launch VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", run.value,
        launch.model, launch.precision, launch.nodes, launch.gpusPerNode, launch.tensorParallel,
        launch.pipelineParallel, launch.virtualPipeline, launch.contextParallel,
        launch.expertParallel, launch.dataParallel, launch.microBatch, launch.globalBatch,
        launch.sequenceLength, launch.layers, launch.hiddenSize, flag(launch.recompute),
        flag(launch.overlap), launch.origin);
}

Status writeRun(Database& database, RunId run, const Run& facts) {
    constexpr std::string_view model
        = "coalesce((SELECT model FROM gpu WHERE run=?1 AND model<>'' ORDER BY rank LIMIT 1), '')";
    constexpr std::string_view ranges
        = "(SELECT begin_ns, end_ns FROM series WHERE run=?1 AND count>0 UNION ALL"
          " SELECT begin_ns, end_ns FROM track WHERE run=?1 AND count>0)";
    const std::string sql
        = "UPDATE run SET kind=?2, status=?3, simulated=?4, gpu_model=iif(?5<>'', ?5, "
        + std::string(model) + "), world_size=?6,"
        + " gpu_count=(SELECT count(*) FROM gpu WHERE run=?1),"
        + " node_count=(SELECT count(DISTINCT node) FROM gpu WHERE run=?1),"
        + " begin_ns=coalesce((SELECT min(begin_ns) FROM " + std::string(ranges) + "), 0),"
        + " end_ns=coalesce((SELECT max(end_ns) FROM " + std::string(ranges) + "), 0) WHERE id=?1";
    Status status = database.execute(sql, run.value, toString(facts.kind), toString(facts.status),
        std::int64_t{facts.simulated ? 1 : 0}, facts.gpuModel, facts.worldSize);
    if (!status.hasValue())
        return status;
    return database.execute(
        "INSERT OR REPLACE INTO cluster(run, gpu_model, nodes, gpus_per_node) SELECT id, gpu_model,"
        " max(node_count, coalesce(?2, 0)), coalesce(?3, (SELECT max(n) FROM (SELECT count(*) AS n "
        "FROM gpu"
        " WHERE gpu.run=?1 GROUP BY node)), 0) FROM run WHERE id=?1",
        run.value, facts.launch.nodes, facts.launch.gpusPerNode);
}

template <typename... Args>
Result<std::vector<SourceId>> sourceIds(
    Database& database, std::string_view sql, const Args&... args) {
    std::vector<SourceId> ids;
    Status status = database.forEach(
        sql, [&ids](const Row& row) { ids.push_back({row.integer(0)}); }, args...);
    if (!status.hasValue())
        return status.error();
    return ids;
}

} // namespace

Result<std::vector<RunId>> deleteSource(Database& database, SourceId source) {
    std::vector<RunId> runs;
    Status status = database.forEach(
        "SELECT run FROM source_run WHERE source=?",
        [&runs](const Row& row) { runs.push_back({row.integer(0)}); }, source.value);
    if (status.hasValue())
        status = executeAll(database, kDeleteSource, source.value);
    if (!status.hasValue())
        return status.error();
    return runs;
}

Status refreshRun(Database& database, RunId run) {
    std::optional<Run> facts;
    Status status = database.forEach(
        "SELECT facts FROM source_run WHERE run=? ORDER BY source",
        [&facts](const Row& row) {
            Run said = factsFromJson(row.text(0));
            if (facts)
                fillRun(*facts, said);
            else
                facts = std::move(said);
        },
        run.value);
    if (!status.hasValue())
        return status;
    if (!facts)
        return executeAll(database, kDeleteRun, run.value);
    status = refreshGpus(database, run);
    if (status.hasValue())
        status = writeLaunch(database, run, facts->launch);
    if (status.hasValue())
        status = writeRun(database, run, *facts);
    if (status.hasValue())
        status = database.execute("DELETE FROM summary WHERE run=?", run.value);
    return status;
}

Result<RunId> findOrAddRun(Database& database, const std::string& name) {
    RunId run;
    Status status = database.forEach(
        "SELECT id FROM run WHERE imported_name=?1 OR name=?1 ORDER BY imported_name<>?1 LIMIT 1",
        [&run](const Row& row) { run.value = row.integer(0); }, name);
    if (status.hasValue() && !run.isValid()) {
        status = database.execute("INSERT INTO run(name, imported_name) VALUES(?1, ?1)", name);
        run.value = database.lastRowId();
    }
    if (!status.hasValue())
        return status.error();
    return run;
}

Status deleteRun(Database& database, RunId run) {
    const auto sources
        = sourceIds(database, "SELECT source FROM source_run WHERE run=?", run.value);
    if (!sources.hasValue())
        return sources.error();
    for (const SourceId source : sources.value()) {
        const Result<std::vector<RunId>> others = deleteSource(database, source);
        if (!others.hasValue())
            return others.error();
        for (const RunId other : others.value()) {
            if (Status status = refreshRun(database, other); !status.hasValue())
                return status;
        }
    }
    return executeAll(database, kDeleteRun, run.value);
}

Result<std::vector<SourceId>> sourcesAt(
    Database& database, const std::string& path, SourceId except) {
    return sourceIds(database, "SELECT id FROM source WHERE path=? AND id<>?", path, except.value);
}

Result<std::vector<SourceId>> sourcesLike(
    Database& database, const std::string& hash, RunId run, SourceId except) {
    return sourceIds(database,
        "SELECT id FROM source WHERE hash=? AND hash<>'' AND id<>? AND id IN"
        " (SELECT source FROM source_run WHERE run=?)",
        hash, except.value, run.value);
}

} // namespace trainscope::store
