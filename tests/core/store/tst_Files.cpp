// Owners of files: foreign, newer, damaged, empty and unreadable files are refused, each with its
// own message, and stay as they are; a database of ours opens from a folder that cannot be written,
// too.

#include "core/store/Contents.h"
#include "core/store/Fixture.h"
#include "core/store/Writing.h"
#include "core/store/database/Database.h"
#include "core/store/database/Schema.h"
#include "core/store/database/StoreFile.h"
#include "support/TestProgram.h"

#include <QObject>
#include <atomic>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace trainscope::store;
using namespace trainscope::test;

namespace {

QByteArray sqliteFile(const std::filesystem::path& path, const std::string& sql) {
    {
        Database other
            = got(Database::open(StoreFile(path), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
        ok(other.script(sql));
    }
    return bytesOf(path);
}

std::string refusalOf(const std::filesystem::path& path) {
    const Status status = checkWritable(path);
    return status.hasValue() ? std::string() : status.error().message;
}

bool says(const std::filesystem::path& path, std::string_view words) {
    return refusalOf(path).find(words) != std::string::npos;
}

QStringList filesOf(const Fixture& fixture) {
    return QDir(fixture.folder.path()).entryList(QDir::Files, QDir::Name);
}

std::vector<Span> kernels(std::int64_t count, NameId name, NameId detail) {
    std::vector<Span> spans;
    for (std::int64_t i = 0; i < count; ++i) {
        Span span;
        span.start = {i * 1000 + i * 7919 % 501};
        span.duration = {500 + i * 104729 % 400};
        span.name = name;
        span.detail = detail;
        span.correlation = i * 7 % 1009;
        spans.push_back(span);
    }
    return spans;
}

// A run with samples and spans; `names` beside one that all runs share.
void addRun(Store& store, const std::string& name, const std::vector<std::string>& names) {
    auto session = got(store::beginImport(store, {"/data/" + name, 1, "", name}));
    const RunId run = got(session->run(runNamed(name)));
    const SeriesId series = got(session->series(run, gauge("gpu_power", 0)));
    std::vector<TimeNs> times;
    std::vector<double> values;
    for (int i = 0; i < 40'000; ++i) {
        times.push_back({i * 1'000'000LL + i * 31LL % 1009});
        values.push_back(i * 37 % 500);
    }
    ok(session->samples(series, times, values));
    const NameId shared = got(session->intern("shared kernel"));
    for (const std::string& text : names) {
        TrackDescription description;
        description.kind = TrackKind::Stream;
        description.rank = 3;
        description.name = "stream " + text;
        const TrackId track = got(session->track(run, description));
        const NameId detail = got(session->intern("detail of " + text));
        ok(session->spans(track, kernels(50'000, got(session->intern(text)), detail)));
        ok(session->spans(track, kernels(10, shared, {})));
    }
    ok(session->finish({}, "", 0, {}));
}

Database raw(const std::filesystem::path& path, int flags = SQLITE_OPEN_READONLY) {
    return got(Database::open(StoreFile(path), flags));
}

std::int64_t number(const std::filesystem::path& path, const std::string& sql) {
    Database database = raw(path);
    std::int64_t value = -1;
    ok(database.forEach(sql, [&value](const Row& row) { value = row.integer(0); }));
    return value;
}

// Everything in every table but what only says when.
std::map<std::string, std::int64_t> rowsOf(const std::filesystem::path& path) {
    Database database = raw(path);
    std::vector<std::string> tables;
    ok(database.forEach("SELECT name FROM sqlite_master WHERE type='table'",
        [&tables](const Row& row) { tables.push_back(row.string(0)); }));
    std::map<std::string, std::int64_t> rows;
    for (const std::string& table : tables)
        ok(database.forEach("SELECT count(*) FROM " + table,
            [&](const Row& row) { rows[table] = row.integer(0); }));
    return rows;
}

void damage(const std::filesystem::path& path, const std::string& sql) {
    Database database = raw(path, SQLITE_OPEN_READWRITE);
    ok(database.script(sql));
    QVERIFY(database.changes() > 0);
}

RunId runOf(const Store& store, const std::string& name) {
    return got(store.findRun(name)).id;
}

// Answers "stop" at the given call.
Progress stopAt(int& calls, int last) {
    return [&calls, last](const ProgressState&) { return ++calls < last; };
}

} // namespace

class tst_Files : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void refused_data() {
        const auto row = columns<QByteArray, QString>("bytes", "word");
        Fixture other;
        row("jpeg",
            QByteArray("\xFF\xD8\xFF\xE0"
                       "0123456789abcdef",
                20),
            "JPEG");
        row("gzip", QByteArray("\x1F\x8B\x08\x00\x00\x00\x00\x00", 8), "gzip");
        row("text", "1712345678.5,300\n", "another kind of file");
        row("one byte", "S", "another kind of file");
        row("cut header", QByteArray("SQLite format 3\0abc", 19), "cut short");
        row("foreign sqlite", sqliteFile(other.path.string() + "1", "CREATE TABLE t(a)"),
            "another program");
        row("newer",
            sqliteFile(other.path.string() + "2",
                "PRAGMA application_id=" + std::to_string(kApplicationId)
                    + ";PRAGMA user_version=99; CREATE TABLE t(a)"),
            "newer Trainscope");
    }
    void refused() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, word);
        Fixture fixture;
        write(fixture.path, bytes);
        for (const auto& opened : {Store::open(fixture.path, OpenMode::ReadOnly).error(),
                 Store::open(fixture.path, OpenMode::ReadWrite).error(),
                 Store::openOrCreate(fixture.path).error()}) {
            QVERIFY2(QString::fromStdString(opened.message).contains(word), opened.message.c_str());
            QCOMPARE(opened.where, fixture.path.string());
            QVERIFY(opened.code == ErrorCode::Refused || opened.code == ErrorCode::Unreadable);
        }
        QCOMPARE(bytesOf(fixture.path), bytes);
        const QDir folder(fixture.folder.path());
        QCOMPARE(folder.entryList(QDir::Files | QDir::Hidden).size(), 1);
    }

    void emptyFileMissingFileFolder() {
        Fixture fixture;
        QVERIFY(Store::open(fixture.path, OpenMode::ReadOnly).error().code == ErrorCode::NotFound);
        write(fixture.path, {});
        QVERIFY(Store::open(fixture.path, OpenMode::ReadOnly).error().code == ErrorCode::Refused);
        QCOMPARE(bytesOf(fixture.path).size(), 0);
        const std::string uuid = fixture.create().uuid(); // nothing to lose in it
        QCOMPARE(uuid.size(), std::size_t{36});
        QCOMPARE(fixture.view().uuid(), uuid);
        QVERIFY(Store::openOrCreate(fixture.folder.path().toStdString()).error().code
            == ErrorCode::Refused);
        const auto nowhere
            = Store::openOrCreate(fixture.path.parent_path() / "no" / "where.trainscope");
        QVERIFY(nowhere.error().code == ErrorCode::Io);
    }

    void withoutPermission() {
        if (::getuid() != 0)
            QSKIP("SKIPPED: needs root to become another user");
        Fixture fixture;
        fixture.filled([&](Store& store) { addSeries(store, gauge("m", 0), {1, 2}, {3, 4}); });
        ::chmod(fixture.folder.path().toUtf8().constData(), 0555);
        ::chmod(fixture.path.c_str(), 0444);
        const auto asNobody = [](auto&& work) {
            const pid_t child = ::fork();
            if (child == 0)
                ::_exit(::setuid(65534) == 0 ? work() : 99);
            int status = 0;
            ::waitpid(child, &status, 0);
            return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        };
        QCOMPARE(asNobody([&] {
            const auto opened = Store::open(fixture.path, OpenMode::ReadOnly);
            if (!opened.hasValue())
                return 1;
            if (opened.value().runs().valueOr({}).size() != 1)
                return 2;
            int rows = 0;
            const Status asked = opened.value().query(
                "SELECT * FROM samples", {}, [&rows](const auto&) { return ++rows > 0; });
            return asked.hasValue() && rows == 2 ? 0 : 3;
        }),
            0);
        QCOMPARE(asNobody([&] {
            const auto opened = Store::openOrCreate(fixture.path);
            return !opened.hasValue() && opened.error().code == ErrorCode::Refused ? 0 : 1;
        }),
            0);
        // Data that a writer left half written is not read as if it were whole.
        write(fixture.path.string() + "-journal", QByteArray(4096, 'x'));
        QCOMPARE(asNobody([&] {
            return Store::open(fixture.path, OpenMode::ReadOnly).hasValue() ? 1 : 0;
        }),
            0);
        std::filesystem::remove(fixture.path.string() + "-journal");
        ::chmod(fixture.path.c_str(), 0);
        QCOMPARE(asNobody([&] {
            const auto opened = Store::open(fixture.path, OpenMode::ReadOnly);
            return !opened.hasValue() && opened.error().code == ErrorCode::Unreadable ? 0 : 1;
        }),
            0);
        ::chmod(fixture.folder.path().toUtf8().constData(), 0755);
    }

    void aBurstOfReadingsGivesWay() {
        Fixture fixture;
        { Store store = fixture.create(); }
        Store reader = got(Store::open(fixture.path, OpenMode::ReadOnly));
        reader.readInBursts();
        QVERIFY(got(reader.runs()).empty());
        QVERIFY(got(reader.runs()).empty());
        // The reader goes on reading while another thread's import waits for it.
        std::atomic<bool> isDone = false;
        std::thread writing([&] {
            Store writer = fixture.create();
            addSeries(writer, gauge("gpu_power", 0), {0, 1000}, {1.0, 2.0});
            isDone = true;
        });
        bool couldRead = true;
        while (!isDone)
            couldRead = reader.runs().hasValue() && couldRead;
        writing.join();
        QVERIFY(couldRead);
        QTRY_COMPARE(got(reader.runs()).size(), std::size_t{1}); // once the burst is over
    }

    void whatAKilledWriterHalfWroteIsUndone() {
        Fixture fixture;
        { Store store = fixture.create(); }
        const std::filesystem::path killed = fixture.path.string() + ".killed";
        {
            Database writer = got(openRaw(fixture.path, SQLITE_OPEN_READWRITE));
            // Pages go to the file before the end of the transaction.
            ok(writer.script(
                "PRAGMA cache_size=1; BEGIN IMMEDIATE; DELETE FROM meta;"
                "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)"
                "INSERT INTO meta(key, value) SELECT 'k' || i, hex(randomblob(200)) FROM n"));
            std::filesystem::copy_file(fixture.path, killed);
            std::filesystem::copy_file(
                fixture.path.string() + "-journal", killed.string() + "-journal");
        }
        QCOMPARE(got(Store::open(killed, OpenMode::ReadOnly)).uuid(), fixture.view().uuid());
        QVERIFY(!std::filesystem::exists(killed.string() + "-journal"));
    }

    // A copy, mail or archive of a database needs one file.
    void atRestADatabaseIsOneFile() {
        const auto isAlone = [](const std::filesystem::path& path) {
            const auto exists = [&](const char* suffix) {
                return std::filesystem::exists(path.string() + suffix);
            };
            return !exists("-wal") && !exists("-shm") && !exists("-journal");
        };
        Fixture fixture;
        { Store store = fixture.create(); }
        QVERIFY(isAlone(fixture.path));
        const std::filesystem::path killed = fixture.path.string() + ".killed";
        {
            const Store early = fixture.view();
            {
                Store writer = fixture.create();
                addSeries(writer, gauge("gpu_power", 0), {0, 1000}, {1.0, 2.0});
                QVERIFY(!isAlone(fixture.path));
                std::filesystem::copy_file(fixture.path, killed);
                std::filesystem::copy_file(
                    fixture.path.string() + "-wal", killed.string() + "-wal");
                QCOMPARE(got(early.runs()).size(), std::size_t{1});
            }
            QCOMPARE(got(early.runs()).size(), std::size_t{1});
        }
        QVERIFY(isAlone(fixture.path));
        QCOMPARE(got(fixture.view().runs()).size(), std::size_t{1});
        QVERIFY(isAlone(fixture.path));
        // Data that a killed writer left is read, and then in the one file.
        {
            const Store left = got(Store::open(killed, OpenMode::ReadOnly));
            QCOMPARE(got(left.runs()).size(), std::size_t{1});
        }
        QVERIFY(isAlone(killed));
        QCOMPARE(got(got(Store::open(killed, OpenMode::ReadOnly)).runs()).size(), std::size_t{1});
    }

    // Version 1 had other chunks and was never released.
    void whatCannotBeBroughtUpIsRefusedAndLeft() {
        Fixture fixture;
        { const Store store = fixture.create(); }
        {
            Database database = got(Database::open(StoreFile(fixture.path), SQLITE_OPEN_READWRITE));
            ok(database.script("PRAGMA user_version=1; PRAGMA wal_checkpoint(TRUNCATE)"));
        }
        for (const auto& opened : {Store::open(fixture.path, OpenMode::ReadOnly),
                 Store::open(fixture.path, OpenMode::ReadWrite),
                 Store::openOrCreate(fixture.path)}) {
            QVERIFY(!opened.hasValue() && opened.error().code == ErrorCode::Refused);
            VERIFY_SAYS(opened.error().message, "Import its sources");
        }
    }

    void olderFilesAreMigratedInOneStep() {
        Fixture fixture;
        constexpr std::array<std::string_view, 1> old{
            "CREATE TABLE first(a); INSERT INTO first VALUES(5);"};
        constexpr std::array<std::string_view, 3> steps{old[0],
            "CREATE TABLE second(b); INSERT INTO second SELECT a+1 FROM first;",
            "DROP TABLE first;"};
        constexpr std::array<std::string_view, 3> broken{
            old[0], "CREATE TABLE second(b);", "DROP TABLE nothing;"};
        Database database = got(
            Database::open(StoreFile(fixture.path), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
        const auto number = [&database](const char* sql) {
            std::int64_t value = -1;
            (void)database.forEach(sql, [&value](const Row& row) { value = row.integer(0); });
            return value;
        };
        ok(migrate(database, old));
        QCOMPARE(number("PRAGMA user_version"), 1);
        QVERIFY(!migrate(database, broken).hasValue());
        QCOMPARE(number("PRAGMA user_version"), 1);
        QCOMPARE(number("SELECT count(*) FROM sqlite_master WHERE name='second'"), 0);
        ok(migrate(database, steps));
        QCOMPARE(number("PRAGMA user_version"), 3);
        QCOMPARE(number("SELECT b FROM second"), 6);
        QCOMPARE(number("SELECT count(*) FROM sqlite_master WHERE name='first'"), 0);
        const Status back = migrate(database, old);
        QVERIFY(!back.hasValue() && back.error().code == ErrorCode::Refused);
    }

    // A database's being writable is told before anything is written: by folder, file and lock.
    void newAndExisting() {
        Fixture fixture;
        QCOMPARE(refusalOf(fixture.path), std::string());
        QVERIFY(filesOf(fixture).isEmpty());
        (void)fixture.create();
        const QStringList before = filesOf(fixture);
        QCOMPARE(refusalOf(fixture.path), std::string());
        QCOMPARE(filesOf(fixture), before);
    }

    void folders() {
        const Fixture fixture;
        const auto root = fixture.path.parent_path();
        QVERIFY(says(root / "no" / "where.trainscope", "There is no folder"));
        QVERIFY(
            checkWritable(root / "no" / "where.trainscope").error().code == ErrorCode::NotFound);
        QVERIFY(says(root, "This is a folder"));
    }

    void otherFiles() {
        const Fixture fixture;
        QFile picture(QString::fromStdString(fixture.path.string()));
        QVERIFY(picture.open(QIODevice::WriteOnly));
        picture.write(QByteArray("\xff\xd8\xff\xe0 JFIF", 9));
        picture.close();
        QVERIFY(says(fixture.path, "a JPEG picture"));
        QVERIFY(says(fixture.path / "below.trainscope", "cannot be reached")
            || says(fixture.path / "below.trainscope", "a file, not a folder"));
    }

    void newerVersion() {
        Fixture fixture;
        (void)fixture.create();
        {
            Database raw = got(Database::open(StoreFile(fixture.path), SQLITE_OPEN_READWRITE));
            ok(raw.script("PRAGMA user_version=" + std::to_string(schemaVersion() + 1)));
        }
        QVERIFY(says(fixture.path, "newer"));
    }

    // Whoever reads is in nobody's way; whoever writes is.
    void locked() {
        Fixture fixture;
        (void)fixture.create();
        const Store reader = fixture.view();
        QCOMPARE(refusalOf(fixture.path), std::string());
        Database writer = got(Database::open(StoreFile(fixture.path), SQLITE_OPEN_READWRITE));
        ok(writer.script("BEGIN IMMEDIATE"));
        QVERIFY(says(fixture.path, "Another program is writing"));
        ok(writer.script("ROLLBACK"));
        QCOMPARE(refusalOf(fixture.path), std::string());
    }

    void withoutPermissionOfWriteCheck() {
        if (::getuid() != 0)
            QSKIP("SKIPPED: needs root to become another user");
        Fixture fixture;
        (void)fixture.create();
        ::chmod(fixture.path.c_str(), 0444);
        const auto asNobody = [](auto&& work) {
            const pid_t child = ::fork();
            if (child == 0)
                ::_exit(::setuid(65534) == 0 && work() ? 0 : 1);
            int status = 0;
            ::waitpid(child, &status, 0);
            return WIFEXITED(status) && WEXITSTATUS(status) == 0;
        };
        ::chmod(fixture.folder.path().toUtf8().constData(), 0777);
        QVERIFY(asNobody([&] {
            return says(fixture.path, "The database is read-only: you may not write there.");
        }));
        ::chmod(fixture.folder.path().toUtf8().constData(), 0555);
        QVERIFY(asNobody([&] {
            return says(fixture.path.parent_path() / "new.trainscope",
                "takes no files: you may not write there.");
        }));
        ::chmod(fixture.folder.path().toUtf8().constData(), 0777);
    }

    // Removing a run, compacting and checking a database: all or nothing, with a progress that
    // grows, and damage is found where it was done.

    void removalTakesWhatOnlyTheRunUsed() {
        const Fixture fixture;
        Store store = fixture.create();
        addRun(store, "kept", {"gemm"});
        const auto before = rowsOf(fixture.path);
        addRun(store, "gone", {"softmax", "gemm", "nccl"});
        QCOMPARE(number(fixture.path, "SELECT count(*) FROM name"), 7);
        std::uint64_t last = 0;
        std::uint64_t total = 0;
        int calls = 0;
        ok(store::removeRun(store, runOf(store, "gone"), [&](const ProgressState& state) {
            if (state.bytesDone < last || state.bytesDone > state.bytesTotal)
                return false;
            last = state.bytesDone;
            total = state.bytesTotal;
            ++calls;
            return true;
        }));
        QVERIFY(calls > 3);
        QCOMPARE(last, total);
        QVERIFY(total > 100'000);
        QCOMPARE(rowsOf(fixture.path), before);
        QVERIFY(foundSpans(store, runOf(store, "kept"), {"gemm", {}}).size() >= std::size_t{10});
        QCOMPARE(got(store.check()).damageCount, 0);
    }

    void importingAgainDropsNamesThatWentOutOfUse() {
        const Fixture fixture;
        Store store = fixture.create();
        addRun(store, "run", {"old", "both"});
        addRun(store, "run", {"both", "new"});
        std::vector<std::string> names;
        Database database = raw(fixture.path);
        ok(database.forEach("SELECT text FROM name ORDER BY text",
            [&names](const Row& row) { names.push_back(row.string(0)); }));
        const std::vector<std::string> expected{
            "both", "detail of both", "detail of new", "new", "shared kernel"};
        QCOMPARE(names, expected);
    }

    void stoppedWorkChangesNothing() {
        const Fixture fixture;
        Store store = fixture.create();
        addRun(store, "a", {"gemm", "softmax"});
        addRun(store, "b", {"gemm"});
        const auto before = rowsOf(fixture.path);
        for (const int last : {1, 2, 3}) {
            int calls = 0;
            const Status removed = store::removeRun(store, runOf(store, "a"), stopAt(calls, last));
            QVERIFY(!removed.hasValue() && removed.error().code == ErrorCode::Cancelled);
            QCOMPARE(calls, last);
            QCOMPARE(rowsOf(fixture.path), before);
            calls = 0;
            const auto vacuumed = store::vacuum(store, stopAt(calls, 1));
            QVERIFY(!vacuumed.hasValue() && vacuumed.error().code == ErrorCode::Cancelled);
            QCOMPARE(rowsOf(fixture.path), before);
            calls = 0;
            QCOMPARE(got(store.runs()).size(), std::size_t{2});
            QCOMPARE(store.check(stopAt(calls, last)).error().code, ErrorCode::Cancelled);
        }
        QCOMPARE(got(store.check()).damageCount, 0);
    }

    void vacuumGivesTheSpaceBack() {
        const Fixture fixture;
        Store store = fixture.create();
        addRun(store, "kept", {"gemm"});
        const auto rows = rowsOf(fixture.path);
        addRun(store, "gone", {"softmax", "gemm", "nccl"});
        const Store viewer = fixture.view();
        ok(store::removeRun(store, runOf(store, "gone")));
        const VacuumOutcome outcome = got(store::vacuum(store));
        QVERIFY(outcome.after < outcome.before);
        QCOMPARE(std::filesystem::file_size(fixture.path), outcome.after);
        QCOMPARE(rowsOf(fixture.path), rows);
        QCOMPARE(number(fixture.path, "SELECT freelist_count FROM pragma_freelist_count"), 0);
        QCOMPARE(got(viewer.runs()).size(), std::size_t{1});
        QCOMPARE(got(store.check()).damageCount, 0);
        Store reader = fixture.view();
        QVERIFY(!store::vacuum(reader).hasValue());
    }

    // Whoever reads over it is told, instead of getting less.
    void readingDoesNotEndAtAHole_data() {
        const auto row = columns<QByteArray>("chunk");
        row("first", "0");
        row("in the midst", "16384");
        row("last", "32768");
    }
    void readingDoesNotEndAtAHole() {
        QFETCH(QByteArray, chunk);
        const Fixture fixture;
        Store store = fixture.create();
        addRun(store, "run", {}); // 40,000 samples in chunks of 16,384
        const SeriesId series = got(store.series(runOf(store, "run"))).front().id;
        QCOMPARE(got(store.statistics(series, kAllTime)).count, 40'000);
        damage(fixture.path, "DELETE FROM sample_chunk WHERE first_index=" + chunk.toStdString());
        const auto visit = [](auto, auto) { return true; };
        const Status read = store.forEachSample(series, kAllTime, visit);
        QVERIFY(!read.hasValue() && read.error().code == ErrorCode::Unreadable);
        QVERIFY(!store.statistics(series, kAllTime).hasValue());
        if (chunk == "16384") {
            const Status asked
                = store.query("SELECT count(*) FROM samples", {}, [](const auto&) { return true; });
            QVERIFY(!asked.hasValue() && asked.error().code == ErrorCode::Unreadable);
            QVERIFY(asked.error().message.find("damaged") != std::string::npos);
        }
        // Samples before the hole and behind it are there.
        const std::int64_t ms = 1'000'000;
        const TimeRange early{{1000 * ms}, {2000 * ms}};
        const TimeRange late{{39'000 * ms}, {39'900 * ms}};
        ok(store.forEachSample(series, chunk == "0" ? late : early, visit));
        QVERIFY(store.statistics(series, chunk == "0" ? late : early).hasValue());
    }

    void aQueryDoesNotEndAtAHoleOfSpans() {
        const Fixture fixture;
        Store store = fixture.create();
        addRun(store, "run", {"gemm"}); // 50,010 spans in chunks of 4,096
        damage(fixture.path, "DELETE FROM span_chunk WHERE sequence=1");
        const auto visit = [](const auto&) { return true; };
        for (const char* sql :
            {"SELECT count(*) FROM spans", "SELECT count(*) FROM spans WHERE name='gemm'"}) {
            const Status asked = store.query(sql, {}, visit);
            QVERIFY2(!asked.hasValue(), sql);
            QCOMPARE(asked.error().code, ErrorCode::Unreadable);
        }
        // The first 4,096 lie 1 µs from each other.
        ok(store.query("SELECT count(*) FROM spans WHERE start_ns<1000000", {}, visit));
        // No part holds this name, so none is read.
        ok(store.query("SELECT count(*) FROM spans WHERE name='softmax'", {}, visit));
    }

    void damageIsFound_data() {
        const auto row = columns<QByteArray, QByteArray>("sql", "says");
        row("spans",
            "UPDATE span_chunk SET data=substr(data, 1, length(data) - 5) WHERE sequence=3",
            "\"stream gemm\" of rank 3 in the run \"run\"");
        row("missing spans", "DELETE FROM span_chunk WHERE sequence=2",
            "spans of the track \"stream gemm\" of rank 3");
        row("missing spans at the end",
            "DELETE FROM span_chunk WHERE sequence=(SELECT max(sequence) FROM span_chunk)",
            "spans of the track \"stream gemm\" of rank 3");
        row("overview", "UPDATE group_page SET data=x'05'", "may still be whole");
        row("samples", "UPDATE sample_chunk SET values_size=3 WHERE first_index=0",
            "gpu_power of rank 0 in the run \"run\"");
        row("missing samples", "DELETE FROM sample_chunk WHERE first_index=0", "missing");
        row("names", "UPDATE source_name SET data=x'FF'", "/data/run");
    }

    void damageIsFound() {
        QFETCH(QByteArray, sql);
        QFETCH(QByteArray, says);
        const Fixture fixture;
        Store store = fixture.create();
        addRun(store, "run", {"gemm"});
        QCOMPARE(got(store.check()).damageCount, 0);
        damage(fixture.path, sql.toStdString());
        const CheckReport report = got(store.check());
        QVERIFY(report.damageCount > 0);
        QVERIFY2(QByteArray::fromStdString(report.damage.front()).contains(says),
            report.damage.front().c_str());
    }
};

TRAINSCOPE_TEST(tst_Files)
#include "tst_Files.moc"
