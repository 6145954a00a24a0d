// Writes the built-in sample while Trainscope is built: trainscope-make-sample FILE RECORDING, the
// folder of the recorded run.

#include "app/sample/Sample.h"
#include "core/store/database/Database.h"
#include "core/store/database/StoreFile.h"

#include <sqlite3.h>

#include <cstdio>

using namespace trainscope;

namespace {

// The sample has an identity and a date of its own: the same sources make the same bytes, and views
// that are remembered of one sample stay with the next one.
constexpr const char* kIdentity = R"sql(
PRAGMA schema_version = 1;
UPDATE meta SET value = '486fcc26-4549-460b-b7bc-00f0ea371496' WHERE key = 'uuid';
UPDATE source SET imported_ns = (SELECT min(begin_ns) FROM run);
VACUUM;
)sql";

Status giveIdentity(const char* path) {
    ASSIGN_OR_RETURN(
        auto database, store::Database::open(store::StoreFile(path), SQLITE_OPEN_READWRITE));
    sqlite3_db_config(database.handle(), SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
    return database.script(kIdentity);
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 3 || argv[1][0] == '-') {
        std::fputs("usage: trainscope-make-sample FILE RECORDING\n", stderr);
        return 2;
    }
    Status status = app::writeSample(argv[1]);
    if (status.hasValue())
        status = app::addRecording(argv[1], argv[2]);
    if (status.hasValue())
        status = giveIdentity(argv[1]);
    if (status.hasValue())
        return 0;
    std::fprintf(stderr, "%s\n", status.error().describe().c_str());
    return 3;
}
