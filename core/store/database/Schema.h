#pragma once
// The tables of a run database and how an older file becomes a newer one. The header of the file
// says whose it is: application_id "TRSC", user_version the schema's version.
//
// Tables for SQL: meta, run, launch, cluster, gpu, series, track, iteration, source, source_run,
// name, note, summary (kept figures of runs) with summary_basis, comparison, run_layout, run_tag,
// run_note, track_name (the names on a track, with the number of their spans and the sum of their
// durations). Chunks: sample_chunk (ValueCodec.h, TimeCodec.h) and
// bucket_page (Pyramid.h), whose bytes lie in sample_data (SampleReader.h); span_chunk
// (SpanCodec.h), group_page (LodPage.h), source_name (StringTable.h). Derived, and computed again
// where it is missing: trace_sum with trace_sum_basis (KeptSums.h).

#include "core/store/database/Database.h"

struct sqlite3;

namespace trainscope::store {

inline constexpr std::int32_t kApplicationId = 0x54525343; // "TRSC"

// One step: the script that brings a file of version index to index + 1.
using Migrations = std::span<const std::string_view>;

// The tables of a run database, and those that queries have besides.
std::span<const std::string_view> ownTables();

Migrations migrations();
int schemaVersion(); // this program's: the number of migrations
int oldestSchemaVersion(); // the first one brought up
Result<int> userVersion(Database& database); // the file's

// Questions of a Watch while a schema is loaded, of 2,000 steps of SQLite's machine each, 8 steps
// an entry: ours has 60 entries, and loading takes the square of their number.
inline constexpr int kMostSchemaQuestions = 20;

// Against a schema that a stranger wrote: nothing of it is run, functions with effects cannot be
// reached from it, and no value is longer than so many bytes, whatever a few bytes ask for. To be
// called before the schema is loaded.
void confine(sqlite3* connection, int longestValue);

// Loads the schema. The file may be forged: its header says that it is ours, its schema says
// anything. Refused where it holds thousands of entries (which would take minutes), a view or a
// virtual table in the place of one of our tables (which would run what a stranger wrote), or in
// one of them a column that is computed or has a long default (gigabytes out of a few KiB).
Status guardSchema(Database& database);

// Brings the file to the last version in one transaction; nothing happens when it is there already.
// A newer file is refused.
Status migrate(Database& database, Migrations steps);
// The steps that the file lacks, within the caller's transaction.
Status applySteps(Database& database, Migrations steps);

// The messages for a file of a version before oldestSchemaVersion(), and for one of a newer
// version.
Error tooOldVersion(const std::string& path);
Error newerVersion(const std::string& path, int found, int known);

} // namespace trainscope::store
