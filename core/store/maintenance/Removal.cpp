#include "core/store/maintenance/Maintenance.h"

#include "core/model/Try.h"
#include "core/store/tables/SourceTables.h"
#include "core/store/tables/StringTable.h"

#include <algorithm>

namespace trainscope::store {

// Shows samples and spans, each as the bytes that it takes in memory.
Status removeRun(Database& database, RunId run, const Progress& progress) {
    constexpr std::int64_t each = 16;
    ASSIGN_OR_RETURN(const auto total,
        database.number(
            "SELECT (SELECT coalesce(sum(count), 0) FROM series WHERE source IN (SELECT "
            "source FROM source_run WHERE run=?1)) + (SELECT coalesce(sum(count), 0) "
            "FROM track WHERE source IN (SELECT source FROM source_run WHERE run=?1))",
            run.value));
    std::int64_t done = 0;
    const auto proceed = [&] {
        return !progress
            || progress({"Removing", static_cast<std::uint64_t>(std::min(done, total) * each),
                static_cast<std::uint64_t>(total * each)});
    };
    const Watch watch(database, progress ? std::function<bool()>(proceed) : nullptr);
    IdSet names;
    RETURN_IF_ERROR(deleteRun(database, run, names, [&](std::int64_t count) {
        done += count;
        return proceed();
    }));
    return deleteUnusedNames(database, std::move(names), proceed);
}

Result<VacuumOutcome> vacuumDatabase(Database& database, const Progress& progress) {
    ASSIGN_OR_RETURN(const auto before, database.bytes());
    const auto proceed = [&] { return !progress || progress({"Compacting", 0, 0}); };
    // The compact copy is as large as the database: it belongs on the disk.
    RETURN_IF_ERROR(database.script("PRAGMA temp_store=FILE"));
    Status status;
    {
        const Watch watch(database, proceed);
        status = proceed() ? database.script("VACUUM") : Status(cancelled());
    }
    RETURN_IF_ERROR(database.script("PRAGMA temp_store=MEMORY"));
    RETURN_IF_ERROR(std::move(status));
    // Moves what was written into the file, as far as its readers allow.
    RETURN_IF_ERROR(database.script("PRAGMA wal_checkpoint(TRUNCATE)"));
    ASSIGN_OR_RETURN(const auto after, database.bytes());
    return VacuumOutcome{before, after};
}

} // namespace trainscope::store
