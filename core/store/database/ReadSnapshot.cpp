#include "core/store/database/ReadSnapshot.h"

#include <sqlite3.h>

namespace trainscope::store {

// Where BEGIN fails the statements lock for themselves, as without a snapshot.
ReadSnapshot::ReadSnapshot(Database& database)
    : m_database(database)
    , m_isOpen(sqlite3_get_autocommit(database.handle()) != 0
          && database.execute("BEGIN").hasValue()) { }

ReadSnapshot::~ReadSnapshot() {
    // The end of a transaction that only read cannot lose anything.
    if (m_isOpen)
        (void)m_database.execute("COMMIT");
}

} // namespace trainscope::store
