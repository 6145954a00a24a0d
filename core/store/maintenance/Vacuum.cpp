#include "core/store/maintenance/Maintenance.h"

#include "core/model/Try.h"

namespace trainscope::store {
namespace {

Result<std::uint64_t> sizeOf(Database& database) {
    ASSIGN_OR_RETURN(const auto bytes,
        database.number("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"));
    return static_cast<std::uint64_t>(bytes);
}

} // namespace

Result<VacuumOutcome> vacuumDatabase(Database& database, const Progress& progress) {
    ASSIGN_OR_RETURN(const auto before, sizeOf(database));
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
    ASSIGN_OR_RETURN(const auto after, sizeOf(database));
    return VacuumOutcome{before, after};
}

} // namespace trainscope::store
