#pragma once
// While it lives, SQLite asks it now and then, within a statement too, whether to go on; after a no
// the statement fails with ErrorCode::Cancelled.

#include "core/store/database/Database.h"

#include <functional>

namespace trainscope::store {

class Watch {
public:
    // `proceed` must not use the database. An empty one never stops anything.
    Watch(Database& database, std::function<bool()> proceed);
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    ~Watch();

private:
    Database& m_database;
    std::function<bool()> m_proceed;
};

} // namespace trainscope::store
