// Writes the built-in sample while Trainscope is built: trainscope-make-sample FILE.

#include "app/sample/Sample.h"

#include <sqlite3.h>

#include <cstdio>

namespace {

// What says which file it is and when it was written is the sample's own: the same sources make the
// same bytes, and what is remembered of the sample stays with the next one.
constexpr const char* kIdentity = R"sql(
UPDATE meta SET value = '486fcc26-4549-460b-b7bc-00f0ea371496' WHERE key = 'uuid';
UPDATE source SET imported_ns = (SELECT min(begin_ns) FROM run);
VACUUM;
)sql";

bool giveIdentity(const char* path) {
    sqlite3* database = nullptr;
    const bool isDone = sqlite3_open(path, &database) == SQLITE_OK
        && sqlite3_exec(database, kIdentity, nullptr, nullptr, nullptr) == SQLITE_OK;
    if (!isDone)
        std::fprintf(stderr, "%s: %s\n", path, sqlite3_errmsg(database));
    sqlite3_close(database);
    return isDone;
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: trainscope-make-sample FILE\n", stderr);
        return 2;
    }
    const auto status = trainscope::app::writeSample(argv[1]);
    if (status.hasValue())
        return giveIdentity(argv[1]) ? 0 : 3;
    std::fprintf(stderr, "%s\n", status.error().describe().c_str());
    return 3;
}
