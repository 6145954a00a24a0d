#include "core/store/maintenance/Watch.h"

#include <sqlite3.h>

namespace trainscope::store {
namespace {

constexpr int kSteps = 2000; // of SQLite's machine, a few milliseconds

int ask(void* proceed) {
    return (*static_cast<const std::function<bool()>*>(proceed))() ? 0 : 1;
}

} // namespace

Watch::Watch(Database& database, std::function<bool()> proceed)
    : m_database(database)
    , m_proceed(std::move(proceed)) {
    if (m_proceed)
        sqlite3_progress_handler(m_database.handle(), kSteps, ask, &m_proceed);
}

Watch::~Watch() {
    sqlite3_progress_handler(m_database.handle(), 0, nullptr, nullptr);
}

} // namespace trainscope::store
