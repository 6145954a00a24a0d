#pragma once
// The rows that belong to a source, and the runs as the sum of what their sources say. Every
// function is part of the caller's transaction.

#include "core/store/Writing.h"
#include "core/store/database/Database.h"
#include "core/store/tables/StringTable.h"

namespace trainscope::store {

// Told how many samples or spans have just gone; false stops with Cancelled.
using Removed = std::function<bool(std::int64_t)>;

// The row of a source that is about to be read.
Result<SourceId> addSource(Database& database, const SourceDescription& source);
// Writes the import report; any number of times.
Status writeReport(Database& database, SourceId source, const ImportReport& report,
    const std::string& hash, std::uint64_t size);
// Writes the facts that the source states of a run; any number of times.
Status writeFacts(Database& database, SourceId source, RunId run, const Run& facts);
Result<std::optional<Run>> readFacts(Database& database, SourceId source, RunId run);
Status addGpu(Database& database, SourceId source, RunId run, const Gpu& gpu);
Result<SeriesId> addSeries(
    Database& database, SourceId source, RunId run, const SeriesDescription& description);
Result<TrackId> addTrack(
    Database& database, SourceId source, RunId run, const TrackDescription& track);
Status addIteration(Database& database, SourceId source, RunId run, const Iteration& iteration);
Status addCapture(Database& database, SourceId source, RunId run, const Capture& capture);

// Deletes everything that the source had written, and adds the names it used, which may now be
// unused (StringTable.h), to `names`; returns the runs it belonged to, which need refreshRun().
Result<std::vector<RunId>> deleteSource(
    Database& database, SourceId source, IdSet& names, const Removed& removed = {});

// Computes the run's row, launch, cluster and GPUs from its sources; a run without sources goes,
// with all of it.
Status refreshRun(Database& database, RunId run);
// Renews begin and end of a run that only grew.
Status refreshRange(Database& database, RunId run);

// The run whose imported name this is, else whose shown name; not valid where there is none.
Result<RunId> findRunNamed(Database& database, const std::string& name);
// The same, created when there is none.
Result<RunId> findOrAddRun(Database& database, const std::string& name);

// Its sources go too.
Status deleteRun(Database& database, RunId run, IdSet& names, const Removed& removed);

// Gives nodes and ranks of their own to recordings of that run that claim the same ranks on other
// hosts, or with other GPUs of one host: ordered by the number that each has, by host, then by its
// first GPU. A part of the caller's transaction, any number of times. The answer says which host
// became which node; empty: nothing claims the same.
Result<std::string> orderRecordedNodes(Database& database, RunId run);

// Sources with that path, or with that hash in that run; `except` is left out.
Result<std::vector<SourceId>> sourcesAt(
    Database& database, const std::string& path, SourceId except);
Result<std::vector<SourceId>> sourcesLike(
    Database& database, const std::string& hash, RunId run, SourceId except);

} // namespace trainscope::store
