#include "core/store/NewDatabase.h"

#include "core/store/database/Database.h"
#include "core/store/database/StoreFile.h"

#include <sqlite3.h>

#include <system_error>
#include <utility>

namespace trainscope::store {

namespace {

bool isThere(const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
}

// Whoever opens a database keeps it with a log until the last one closes it.
bool isOpenElsewhere(Database& database) {
    const auto mode
        = database.single("PRAGMA journal_mode", [](const Row& row) { return row.string(0); });
    return !mode.hasValue() || mode.value() != "delete";
}

bool isEmpty(Database& database) {
    const auto holds = database.number("SELECT EXISTS(SELECT 1 FROM run) OR "
                                       "EXISTS(SELECT 1 FROM source) OR "
                                       "EXISTS(SELECT 1 FROM comparison)");
    return holds.hasValue() && holds.value() == 0;
}

void removeUnused(const std::filesystem::path& path) {
    const StoreFile file(path);
    if (file.state().valueOr(FileState::Absent) != FileState::Present)
        return;
    auto opened = Database::open(file, SQLITE_OPEN_READWRITE);
    if (!opened.hasValue())
        return;
    // Locked, so that nobody writes something between the look and the removal.
    Database& database = opened.value();
    if (!database.script("PRAGMA busy_timeout=0; BEGIN EXCLUSIVE").hasValue())
        return;
    std::error_code ignored; // an empty database left behind does no harm
    if (!isOpenElsewhere(database) && isEmpty(database))
        std::filesystem::remove(path, ignored);
    (void)database.script("ROLLBACK");
}

} // namespace

NewDatabase::NewDatabase(std::filesystem::path path)
    : m_path(std::move(path))
    , m_isNew(!isThere(m_path)) { }

NewDatabase::~NewDatabase() {
    if (m_isNew)
        removeUnused(m_path);
}

} // namespace trainscope::store
