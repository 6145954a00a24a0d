#pragma once
// While it lives, everything that the connection reads is of one moment, and SQLite takes its lock
// once instead of for each statement. Inside a transaction it does nothing. Only for reading: on
// the same connection nothing may be written meanwhile.

#include "core/store/database/Database.h"

namespace trainscope::store {

class ReadSnapshot {
public:
    explicit ReadSnapshot(Database& database);
    ReadSnapshot(const ReadSnapshot&) = delete;
    ReadSnapshot& operator=(const ReadSnapshot&) = delete;
    ~ReadSnapshot();

private:
    Database& m_database;
    bool m_isOpen;
};

} // namespace trainscope::store
