#include "core/store/database/Schema.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace trainscope::store {
namespace {

// The first version that is still read; its files are the first with checksums of their pages.
constexpr std::string_view kVersion9 = R"sql(
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE run(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, imported_name TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL DEFAULT 'measured', status TEXT NOT NULL DEFAULT 'ok', simulated INTEGER NOT NULL DEFAULT 0,
  gpu_model TEXT NOT NULL DEFAULT '', begin_ns INTEGER NOT NULL DEFAULT 0, end_ns INTEGER NOT NULL DEFAULT 0,
  gpu_count INTEGER NOT NULL DEFAULT 0, node_count INTEGER NOT NULL DEFAULT 0, world_size INTEGER NOT NULL DEFAULT 0);
CREATE TABLE launch(
  run INTEGER PRIMARY KEY, model TEXT, precision TEXT, nodes INTEGER, gpus_per_node INTEGER,
  tensor_parallel INTEGER, pipeline_parallel INTEGER, virtual_pipeline INTEGER, context_parallel INTEGER,
  expert_parallel INTEGER, data_parallel INTEGER, micro_batch INTEGER, global_batch INTEGER,
  sequence_length INTEGER, layers INTEGER, hidden_size INTEGER, recompute INTEGER, overlap INTEGER,
  origin TEXT NOT NULL DEFAULT '', workload TEXT, attention_heads INTEGER, kv_heads INTEGER, head_size INTEGER,
  ffn_size INTEGER, gated_mlp INTEGER, vocabulary INTEGER, tied_embeddings INTEGER, experts INTEGER,
  experts_per_token INTEGER, expert_tensor_parallel INTEGER, rank_order TEXT, stage_layers TEXT, zero_stage INTEGER,
  fsdp INTEGER, sequence_parallel INTEGER, gradient_accumulation INTEGER, recompute_granularity TEXT,
  optimizer TEXT, max_steps INTEGER, generated_tokens INTEGER);
CREATE TABLE cluster(
  run INTEGER PRIMARY KEY, gpu_model TEXT NOT NULL DEFAULT '', nodes INTEGER NOT NULL DEFAULT 0,
  gpus_per_node INTEGER NOT NULL DEFAULT 0, airflow TEXT NOT NULL DEFAULT '', machine TEXT NOT NULL DEFAULT '');
CREATE TABLE gpu(
  run INTEGER NOT NULL, rank INTEGER NOT NULL, node INTEGER NOT NULL, local INTEGER NOT NULL,
  model TEXT NOT NULL, uuid TEXT NOT NULL, PRIMARY KEY(run, rank)) WITHOUT ROWID;
CREATE TABLE source(
  id INTEGER PRIMARY KEY, path TEXT NOT NULL, size INTEGER NOT NULL, hash TEXT NOT NULL,
  imported_ns INTEGER NOT NULL, importer TEXT NOT NULL DEFAULT '', report TEXT NOT NULL DEFAULT '{}');
CREATE INDEX source_path ON source(path);
CREATE INDEX source_hash ON source(hash);
CREATE TABLE source_run(
  source INTEGER NOT NULL, run INTEGER NOT NULL, facts TEXT NOT NULL, PRIMARY KEY(source, run)) WITHOUT ROWID;
CREATE INDEX source_run_run ON source_run(run);
CREATE TABLE source_gpu(
  source INTEGER NOT NULL, run INTEGER NOT NULL, rank INTEGER NOT NULL, node INTEGER NOT NULL,
  local INTEGER NOT NULL, model TEXT NOT NULL, uuid TEXT NOT NULL, PRIMARY KEY(source, run, rank)) WITHOUT ROWID;
CREATE TABLE series(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL, source INTEGER NOT NULL, metric TEXT NOT NULL, unit TEXT NOT NULL,
  kind TEXT NOT NULL, label TEXT NOT NULL, subject TEXT NOT NULL, rank INTEGER NOT NULL, node INTEGER NOT NULL,
  device TEXT NOT NULL, scale REAL NOT NULL, counter_bits INTEGER NOT NULL, sensor TEXT NOT NULL,
  begin_ns INTEGER NOT NULL DEFAULT 0, end_ns INTEGER NOT NULL DEFAULT 0, period_ns INTEGER NOT NULL DEFAULT 0,
  count INTEGER NOT NULL DEFAULT 0, missing INTEGER NOT NULL DEFAULT 0,
  first REAL, last REAL, min REAL, max REAL, mean REAL);
CREATE INDEX series_run ON series(run, metric);
CREATE INDEX series_source ON series(source);
CREATE TABLE track(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL, source INTEGER NOT NULL, kind TEXT NOT NULL, rank INTEGER NOT NULL,
  device INTEGER NOT NULL, process TEXT NOT NULL, thread TEXT NOT NULL, name TEXT NOT NULL,
  begin_ns INTEGER NOT NULL DEFAULT 0, end_ns INTEGER NOT NULL DEFAULT 0, count INTEGER NOT NULL DEFAULT 0,
  depth INTEGER NOT NULL DEFAULT 0);
CREATE INDEX track_run ON track(run, rank);
CREATE INDEX track_source ON track(source);
CREATE TABLE iteration(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL, source INTEGER NOT NULL, number INTEGER NOT NULL,
  rank INTEGER NOT NULL, begin_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL, warmup INTEGER NOT NULL);
CREATE INDEX iteration_run ON iteration(run, begin_ns);
CREATE INDEX iteration_source ON iteration(source);
CREATE TABLE note(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL, begin_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL,
  text TEXT NOT NULL);
CREATE INDEX note_run ON note(run, begin_ns);
CREATE TABLE summary(
  run INTEGER NOT NULL, key TEXT NOT NULL, value REAL, absent_why TEXT NOT NULL DEFAULT '',
  PRIMARY KEY(run, key)) WITHOUT ROWID;
CREATE TABLE summary_basis(run INTEGER PRIMARY KEY, basis TEXT NOT NULL);
CREATE TABLE name(id INTEGER PRIMARY KEY, hash INTEGER NOT NULL, text TEXT NOT NULL);
CREATE INDEX name_hash ON name(hash);

CREATE TABLE source_name(source INTEGER PRIMARY KEY, data BLOB NOT NULL);

CREATE TABLE sample_data(id INTEGER PRIMARY KEY, source INTEGER NOT NULL, data BLOB NOT NULL);
CREATE INDEX sample_data_source ON sample_data(source);
CREATE TABLE sample_chunk(
  series INTEGER NOT NULL, first_index INTEGER NOT NULL, count INTEGER NOT NULL,
  begin_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL, missing INTEGER NOT NULL, min REAL, max REAL,
  last REAL, weighted_sum REAL, weight_ns INTEGER NOT NULL, values_at INTEGER NOT NULL, values_size INTEGER NOT NULL,
  times_at INTEGER NOT NULL, times_size INTEGER NOT NULL, base_at INTEGER, base_size INTEGER,
  PRIMARY KEY(series, first_index)) WITHOUT ROWID;
CREATE INDEX sample_chunk_time ON sample_chunk(series, begin_ns, first_index);
CREATE TABLE bucket_page(
  series INTEGER NOT NULL, kind INTEGER NOT NULL, level INTEGER NOT NULL, first_index INTEGER NOT NULL,
  count INTEGER NOT NULL, data_at INTEGER NOT NULL, data_size INTEGER NOT NULL,
  PRIMARY KEY(series, kind, level, first_index)) WITHOUT ROWID;

CREATE TABLE span_chunk(
  id INTEGER PRIMARY KEY, track INTEGER NOT NULL, sequence INTEGER NOT NULL, count INTEGER NOT NULL,
  begin_ns INTEGER NOT NULL, correlation_min INTEGER NOT NULL, correlation_max INTEGER NOT NULL,
  data BLOB NOT NULL);
CREATE UNIQUE INDEX span_chunk_sequence ON span_chunk(track, sequence);
CREATE INDEX span_chunk_time ON span_chunk(track, begin_ns, sequence);
CREATE INDEX span_chunk_correlation ON span_chunk(track, correlation_min, correlation_max, sequence);
CREATE TABLE group_page(
  id INTEGER PRIMARY KEY, track INTEGER NOT NULL, level INTEGER NOT NULL, sequence INTEGER NOT NULL,
  begin_ns INTEGER NOT NULL, width_ns INTEGER NOT NULL, names BLOB NOT NULL, data BLOB NOT NULL);
CREATE UNIQUE INDEX group_page_place ON group_page(track, level, sequence, begin_ns, width_ns);
CREATE TABLE track_name(
  track INTEGER NOT NULL, name INTEGER NOT NULL, count INTEGER NOT NULL, total_ns INTEGER NOT NULL,
  PRIMARY KEY(track, name)) WITHOUT ROWID;
CREATE INDEX track_name_name ON track_name(name, track);

CREATE TABLE comparison(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, spec TEXT NOT NULL,
  created_ns INTEGER NOT NULL, changed_ns INTEGER NOT NULL);
CREATE TABLE run_layout(run INTEGER PRIMARY KEY, spec TEXT NOT NULL);
CREATE TABLE run_tag(run INTEGER NOT NULL, tag TEXT NOT NULL, PRIMARY KEY(run, tag)) WITHOUT ROWID;
CREATE TABLE run_note(run INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE trace_sum(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL, kind INTEGER NOT NULL, rank INTEGER NOT NULL,
  place INTEGER NOT NULL, sequence INTEGER NOT NULL, begin_ns INTEGER NOT NULL, since_ns INTEGER NOT NULL,
  sums BLOB NOT NULL, detail BLOB NOT NULL);
CREATE UNIQUE INDEX trace_sum_place ON trace_sum(run, kind, rank, place, sequence, begin_ns, since_ns);
CREATE TABLE trace_sum_basis(run INTEGER PRIMARY KEY, basis INTEGER NOT NULL, names BLOB NOT NULL);
CREATE TABLE run_link(
  source INTEGER PRIMARY KEY, run INTEGER NOT NULL, location TEXT NOT NULL, spec TEXT NOT NULL);
CREATE INDEX run_link_run ON run_link(run);
)sql";

// Further inputs of a prediction: the schedule, hybrid sharding, recomputation of some layers,
// adapters, power limit and clock.
constexpr std::string_view kVersion10 = R"sql(
ALTER TABLE launch ADD COLUMN pipeline_schedule TEXT;
ALTER TABLE launch ADD COLUMN shard_group INTEGER;
ALTER TABLE launch ADD COLUMN recomputed_layers INTEGER;
ALTER TABLE launch ADD COLUMN adapters TEXT;
ALTER TABLE launch ADD COLUMN power_limit_w INTEGER;
ALTER TABLE launch ADD COLUMN locked_clock_mhz INTEGER;
)sql";

// Stretches of ranks that a profiler recorded (Capture.h).
constexpr std::string_view kVersion11 = R"sql(
CREATE TABLE capture(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL, source INTEGER NOT NULL, name TEXT NOT NULL,
  rank INTEGER NOT NULL, begin_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL);
CREATE INDEX capture_run ON capture(run, rank, begin_ns);
CREATE INDEX capture_source ON capture(source);
)sql";

// The rest of what a prediction takes from a run.
constexpr std::string_view kVersion12 = R"sql(
ALTER TABLE launch ADD COLUMN context_exchange TEXT;
ALTER TABLE launch ADD COLUMN cuda_graphs INTEGER;
ALTER TABLE launch ADD COLUMN offload TEXT;
)sql";

constexpr int kOldest = 9;
constexpr std::array<std::string_view, 12> kMigrations{
    "", "", "", "", "", "", "", "", kVersion9, kVersion10, kVersion11, kVersion12};

constexpr std::array<std::string_view, 33> kOwnTables{"meta", "run", "launch", "cluster", "gpu",
    "source", "source_run", "source_gpu", "series", "track", "iteration", "capture", "note",
    "summary", "summary_basis", "name", "source_name", "sample_data", "sample_chunk", "bucket_page",
    "span_chunk", "group_page", "track_name", "comparison", "run_layout", "run_tag", "run_note",
    "trace_sum", "trace_sum_basis", "run_link", "samples", "spans", "sample_statistics"};

bool isOwnTable(std::string_view name) {
    return std::any_of(kOwnTables.begin(), kOwnTables.end(),
        [name](std::string_view own) { return equalsIgnoringCase(own, name); });
}

Error forged(const Database& database, const std::string& what) {
    return {ErrorCode::Refused, what + ", which no Trainscope makes; it was left untouched.",
        database.shownPath()};
}

// Ours are numbers and short words, and computed nowhere.
constexpr std::string_view kColumnsThatFillThemselves
    = "SELECT count(*) FROM pragma_table_xinfo(?) WHERE hidden IN (2, 3) OR "
      "length(dflt_value) > 32 OR instr(dflt_value, '(') > 0";

Status guardColumns(Database& database) {
    for (const std::string_view table : kOwnTables) {
        ASSIGN_OR_RETURN(const auto found, database.number(kColumnsThatFillThemselves, table));
        if (found > 0)
            return forged(database,
                "In this database the table \"" + std::string(table)
                    + "\" has columns that fill themselves");
    }
    return {};
}

} // namespace

std::span<const std::string_view> ownTables() {
    return kOwnTables;
}

void confine(sqlite3* connection, int longestValue) {
    sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    // Takes an address to jump to; some distributions leave it on.
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, nullptr);
    sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, longestValue);
}

Migrations migrations() {
    return kMigrations;
}
int schemaVersion() {
    return static_cast<int>(kMigrations.size());
}

int oldestSchemaVersion() {
    return kOldest;
}

Result<int> userVersion(Database& database) {
    ASSIGN_OR_RETURN(const auto version, database.number("PRAGMA user_version"));
    return static_cast<int>(version);
}

Status guardSchema(Database& database) {
    std::string foreign;
    int questions = 0;
    Status read;
    {
        const Watch watch(database, [&questions] { return ++questions < kMostSchemaQuestions; });
        read = database.forEach(
            "SELECT name, type FROM sqlite_schema WHERE type = 'view' OR (type = 'table' AND "
            "rootpage = 0)",
            [&foreign](const Row& row) {
                if (foreign.empty() && isOwnTable(row.text(0)))
                    foreign = row.string(0);
            });
        if (read.hasValue() && foreign.empty())
            read = guardColumns(database);
    }
    if (!read.hasValue() && read.error().code == ErrorCode::Cancelled)
        return forged(database, "This database has thousands of tables");
    RETURN_IF_ERROR(std::move(read));
    if (!foreign.empty())
        return forged(database,
            "In this database a view or a virtual table stands in the place of the table \""
                + foreign + "\"");
    return {};
}

Error tooOldVersion(const std::string& path) {
    return {ErrorCode::Refused,
        "This database was written by a Trainscope from before the first release, in a format that "
        "is no longer read; it was left untouched. Import its sources into a new one.",
        path};
}

Error newerVersion(const std::string& path, int found, int known) {
    return {ErrorCode::Refused,
        "This database was written by a newer Trainscope (format " + std::to_string(found)
            + ", this program knows up to " + std::to_string(known)
            + "). Update Trainscope to open it.",
        path};
}

Status applySteps(Database& database, Migrations steps) {
    // Read again inside the transaction: another program may have been first.
    ASSIGN_OR_RETURN(const auto version, userVersion(database));
    for (auto i = static_cast<std::size_t>(version); i < steps.size(); ++i)
        RETURN_IF_ERROR(database.script(std::string(steps[i])));
    return database.script("PRAGMA user_version = " + std::to_string(steps.size()));
}

Status migrate(Database& database, Migrations steps) {
    ASSIGN_OR_RETURN(const auto version, userVersion(database));
    const int known = static_cast<int>(steps.size());
    if (version == known)
        return {};
    if (version > known || version < 0)
        return newerVersion(database.shownPath(), version, known);
    return database.transaction([&] { return applySteps(database, steps); });
}

} // namespace trainscope::store
