#pragma once
// Everything that changes a run database: imports, what users say of runs, removal and compaction.
// The store was opened for writing, else the answer is Refused.

#include "core/store/Store.h"

namespace trainscope::store {

// Free space below which nothing can be written to a disk, B.
inline constexpr std::uint64_t kLeastFreeSpace = std::uint64_t{1} << 20;

// Succeeds where runs could be written now: the file is a run database or not there yet, file and
// folder may be written, the disk has room, and no other program writes. Nothing is created or
// changed. NotFound: there is no such folder. Refused: all else; the message says which.
Status checkWritable(const std::filesystem::path& database);

// Bytes that are free for this user on the disk of a folder; absent where that is not known.
std::optional<std::uint64_t> freeSpaceAt(const std::filesystem::path& folder);

// A source as a session knows it before it writes. The same source (equal path, or equal hash
// within runName) imported again replaces what it had written.
struct SourceDescription {
    std::string path;
    std::uint64_t size = 0;
    std::string hash;
    std::string runName;
};

// The sink of one source: a transaction that ends with finish() or is undone.
class ImportSession : public Sink {
public:
    // Sorts, indexes and commits; `hash` and `size` as known at the end of reading (empty: as given
    // before).
    virtual Status finish(const ImportReport& report, const std::string& hash, std::uint64_t size,
        const Progress& progress)
        = 0;
};

// One session at a time; nothing of it is visible to others before finish().
Result<std::unique_ptr<ImportSession>> beginImport(Store& store, const SourceDescription& source);

Status renameRun(Store& store, RunId run, std::string_view name);
// The order is written as it stands, so check it before (analysis/telemetry/Temperature.h);
// empty: as assumed. Stays when the run's sources are imported again.
Status setAirflow(Store& store, RunId run, std::span<const int> order);
// Absent takes it back. Stays when the run's sources are imported again; NotFound without run.
Status setEnteredLayout(Store& store, RunId run, const std::optional<std::string>& spec);
// The same; also while a session is open, as a part of it: sources tell of machines as well.
Status setMachine(Store& store, RunId run, const std::optional<std::string>& facts);

// Replaces the one of that name; Usage without a name.
Status saveComparison(Store& store, std::string_view name, std::string_view spec);
// NotFound where there is none of that name, Usage where the other is taken.
Status renameComparison(Store& store, std::string_view name, std::string_view wanted);
Status removeComparison(Store& store, std::string_view name);

// Its samples and spans go, and what only it used. All or nothing; the file keeps its size until
// vacuum().
Status removeRun(Store& store, RunId run, const Progress& progress = {});

// Gives unused space back to the file system, in one transaction: others may read meanwhile. Needs
// as much space as is in use beside the file, and once more where the system keeps temporary files.
Result<VacuumOutcome> vacuum(Store& store, const Progress& progress = {});

// To be made before the database is opened. Removes at the end of its life an empty database that
// nobody has open, where no file was before.
class NewDatabase {
public:
    explicit NewDatabase(std::filesystem::path path);
    NewDatabase(const NewDatabase&) = delete;
    NewDatabase& operator=(const NewDatabase&) = delete;
    ~NewDatabase();

private:
    std::filesystem::path m_path;
    bool m_isNew;
};

} // namespace trainscope::store
