// Logs and journals that a program left when it was ended, beside the file that they belong to,
// beside another one, and beside none.

#include "core/store/Contents.h"
#include "support/TestProgram.h"

#include <sys/wait.h>
#include <unistd.h>

using namespace trainscope::store;
using namespace trainscope::test;

namespace {

namespace fs = std::filesystem;

fs::path beside(const fs::path& path, const char* suffix) {
    return path.string() + suffix;
}

// Another program that does it and ends at once, without closing anything.
template <typename Work>
void inProgramThatEnds(Work&& work) {
    const pid_t child = ::fork();
    if (child == 0) {
        work();
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    QVERIFY(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

constexpr int kCommits = 6;

// A database with one run, and a log of further ones.
void makeLeftLog(const Fixture& fixture) {
    fixture.filled([&](Store& store) { addSeries(store, gauge("m", 0), {1, 2}, {3, 4}); });
    inProgramThatEnds([&fixture] {
        auto* store = new Store(fixture.create()); // never closed
        for (int i = 0; i < kCommits; ++i)
            addSeries(*store, gauge("m", 0), {1, 2}, {3, 4}, "/data/" + std::to_string(i),
                "run " + std::to_string(i));
    });
    QVERIFY(fs::file_size(beside(fixture.path, "-wal")) > 0);
}

// A database with one run, and a journal of a change that was begun.
void makeLeftJournal(const Fixture& fixture) {
    fixture.filled([&](Store& store) { addSeries(store, gauge("m", 0), {1, 2}, {3, 4}); });
    inProgramThatEnds([&fixture] {
        const std::string path = fixture.path.string();
        auto* database = new Database(got(Database::open(StoreFile(path), SQLITE_OPEN_READWRITE)));
        ok(database->script(
            "PRAGMA cache_size=1; PRAGMA cache_spill=1; BEGIN;"
            "INSERT INTO meta(key, value) WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 "
            "FROM n WHERE i < 500) SELECT 'k' || i, hex(randomblob(1000)) FROM n"));
    });
    QVERIFY(fs::file_size(beside(fixture.path, "-journal")) > 0);
}

// Files by their bytes.
struct Kept {
    explicit Kept(std::vector<fs::path> files)
        : paths(std::move(files)) {
        for (const fs::path& path : paths)
            bytes.push_back(bytesOf(path));
    }
    [[nodiscard]] bool areAsBefore() const {
        for (std::size_t i = 0; i < paths.size(); ++i) {
            if (!fs::exists(paths[i]) || bytesOf(paths[i]) != bytes[i])
                return false;
        }
        return true;
    }
    std::vector<fs::path> paths;
    std::vector<QByteArray> bytes;
};

void verifyRefused(const fs::path& path, ErrorCode code, const char* says) {
    for (const OpenMode mode : {OpenMode::ReadOnly, OpenMode::ReadWrite}) {
        const auto opened = Store::open(path, mode);
        QVERIFY(!opened.hasValue());
        QVERIFY(opened.error().code == code);
        QVERIFY2(QString::fromStdString(opened.error().message).contains(QLatin1String(says)),
            opened.error().message.c_str());
    }
}

} // namespace

class tst_Logs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatWasCommittedIsBroughtHome() {
        const Fixture fixture;
        makeLeftLog(fixture);
        QCOMPARE(got(fixture.view().runs()).size(), std::size_t{kCommits + 1});
        QVERIFY(!fs::exists(beside(fixture.path, "-wal")));
    }

    void whatWasBegunIsUndone() {
        const Fixture fixture;
        makeLeftJournal(fixture);
        const Store view = fixture.view();
        QCOMPARE(got(view.runs()).size(), std::size_t{1});
        QVERIFY(!fs::exists(beside(fixture.path, "-journal")));
    }

    // Also where the log was brought home in part before: its first page is then that of the file.
    void aLogThatIsHomeInPart() {
        const Fixture fixture;
        { const Store store = fixture.create(); }
        inProgramThatEnds([&fixture] {
            auto* store = new Store(fixture.create()); // never closed
            addSeries(*store, gauge("m", 0), {1, 2}, {3, 4}, "/data/a", "a");
            const std::string path = fixture.path.string();
            auto* other = new Database(got(Database::open(StoreFile(path), SQLITE_OPEN_READWRITE)));
            ok(other->script("PRAGMA wal_checkpoint(PASSIVE)"));
            addSeries(*store, gauge("m", 0), {1, 2}, {3, 4}, "/data/b", "b");
            ok(other->script("PRAGMA wal_checkpoint(PASSIVE)"));
            addSeries(*store, gauge("m", 0), {1, 2}, {3, 4}, "/data/c", "c");
        });
        QCOMPARE(got(fixture.view().runs()).size(), std::size_t{3});
    }

    void anotherFileInItsPlace_data() {
        // isBackup: the same database, written over the file
        const auto row = columns<bool>("isBackup");
        row("backup", true);
        row("another database", false);
    }
    void anotherFileInItsPlace() {
        QFETCH(bool, isBackup);
        const Fixture fixture;
        const Fixture other;
        { const Store store = (isBackup ? fixture : other).create(); }
        const fs::path instead = other.path.string() + ".instead";
        fs::copy_file(isBackup ? fixture.path : other.path, instead);
        makeLeftLog(fixture);
        const fs::path log = beside(fixture.path, "-wal");
        if (isBackup)
            fs::copy_file(instead, fixture.path, fs::copy_options::overwrite_existing);
        else
            fs::rename(instead, fixture.path);
        const Kept kept({fixture.path, log});
        verifyRefused(fixture.path, ErrorCode::Refused, "goes on from another file");
        QVERIFY(kept.areAsBefore());
        fs::rename(log, log.string() + ".away");
        QCOMPARE(got(fixture.view().runs()).size(), std::size_t{0});
    }

    void anotherFileWhileOpen() {
        const Fixture fixture;
        const Fixture other;
        { const Store store = other.create(); }
        {
            Store store = fixture.create();
            addSeries(store, gauge("m", 0), {1, 2}, {3, 4});
            const Store view = fixture.view();
            QCOMPARE(got(view.runs()).size(), std::size_t{1});
            fs::rename(other.path, fixture.path);
            const Kept kept({fixture.path});
            verifyRefused(fixture.path, ErrorCode::Refused, "goes on from another file");
            QVERIFY(kept.areAsBefore());
        }
        const QByteArray bytes = bytesOf(fixture.path);
        QCOMPARE(got(fixture.view().runs()).size(), std::size_t{0});
        QCOMPARE(bytesOf(fixture.path), bytes);
    }

    void aLogWithoutItsFile() {
        const Fixture fixture;
        makeLeftLog(fixture);
        const fs::path away = beside(fixture.path, ".away");
        fs::rename(fixture.path, away);
        const Kept kept({beside(fixture.path, "-wal")});
        const auto made = Store::openOrCreate(fixture.path);
        QVERIFY(!made.hasValue() && made.error().code == ErrorCode::Refused);
        QVERIFY(!fs::exists(fixture.path));
        QVERIFY(kept.areAsBefore());
        fs::rename(away, fixture.path);
        QCOMPARE(got(fixture.view().runs()).size(), std::size_t{kCommits + 1});
    }

    // As a loss of power may leave it: it was brought home and removed, and is there again.
    void aLogThatIsHomeAlready() {
        const Fixture fixture;
        makeLeftLog(fixture);
        const fs::path log = beside(fixture.path, "-wal");
        const QByteArray bytes = bytesOf(log);
        QCOMPARE(got(fixture.view().runs()).size(), std::size_t{kCommits + 1});
        QVERIFY(!fs::exists(log));
        write(log, bytes);
        QCOMPARE(got(fixture.view().runs()).size(), std::size_t{kCommits + 1});
    }

    // As the power leaves it that goes while the log is written.
    void aLogThatEndsEarly() {
        const Fixture fixture;
        makeLeftLog(fixture);
        const fs::path log = beside(fixture.path, "-wal");
        fs::resize_file(log, fs::file_size(log) - 100);
        QCOMPARE(got(fixture.view().runs()).size(), std::size_t{kCommits});
    }
};

TRAINSCOPE_TEST(tst_Logs)
#include "tst_Logs.moc"
