// Run databases of strangers: forged schemas, side files and names. Nothing of theirs is run, no
// file but the database is touched, and what cannot be read is refused in a sentence.

#include "core/store/Fixture.h"
#include "core/store/Query.h"
#include "core/store/Writing.h"
#include "core/store/database/PageSums.h"
#include "core/store/database/Schema.h"
#include "support/TestProgram.h"

#include <sqlite3.h>
#include <unistd.h>

using namespace trainscope::store;
using namespace trainscope::test;

namespace {

// The connection of a program that may do anything, and knows of the sums of pages.
void forge(const std::filesystem::path& path, const std::string& sql) {
    sqlite3* handle = nullptr;
    QCOMPARE(
        sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE, summingVfs()), SQLITE_OK);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
    char* problem = nullptr;
    sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, &problem);
    QVERIFY2(problem == nullptr, problem);
    sqlite3_close(handle);
}

QByteArray readAll(const std::filesystem::path& path) {
    QFile file(QString::fromStdString(path.string()));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void writeAll(const std::filesystem::path& path, const std::string& bytes) {
    QFile file(QString::fromStdString(path.string()));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(bytes.data(), static_cast<qint64>(bytes.size())),
        static_cast<qint64>(bytes.size()));
}

std::string big(std::uint32_t value) {
    std::string text;
    for (int shift = 24; shift >= 0; shift -= 8)
        text += static_cast<char>(value >> static_cast<unsigned>(shift) & 0xFFU);
    return text;
}

// A journal left by a transaction over several files, by section 3 of SQLite's file format: a
// header without records of pages, and the name of the file that tells of all journals.
std::string journalNaming(const std::string& victim, std::uint32_t pages) {
    const std::string magic("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8);
    std::string journal = magic + big(0) + big(0) + big(pages) + big(512) + big(4096);
    journal.resize(512, '\0');
    std::uint32_t sum = 0;
    for (const char c : victim)
        sum += static_cast<std::uint32_t>(c);
    constexpr std::uint32_t lockPage = 0x40000000 / 4096 + 1;
    return journal + big(lockPage) + victim + big(static_cast<std::uint32_t>(victim.size()))
        + big(sum) + magic;
}

struct Forged : Fixture {
    Forged() {
        Store store = create();
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {3, 4});
    }
    void refusesAll(const char* what) const {
        const QByteArray before = readAll(path);
        for (const OpenMode mode : {OpenMode::ReadOnly, OpenMode::ReadWrite}) {
            const auto opened = Store::open(path, mode);
            QVERIFY2(!opened.hasValue(), what);
            const std::string said = opened.error().describe();
            QVERIFY2(opened.error().code == ErrorCode::Refused, said.c_str());
            VERIFY_SAYS(said, what);
        }
        QCOMPARE(readAll(path), before);
    }
};

} // namespace

class tst_HostileFiles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ownTablesAreAll() {
        Fixture fixture;
        (void)fixture.create();
        std::set<std::string> made{"samples", "spans", "sample_statistics"};
        sqlite3* handle = nullptr;
        sqlite3_open(fixture.path.c_str(), &handle);
        sqlite3_exec(
            handle, "SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite%'",
            [](void* to, int, char** cells, char**) {
                static_cast<std::set<std::string>*>(to)->insert(cells[0]);
                return 0;
            },
            &made, nullptr);
        sqlite3_close(handle);
        const auto own = ownTables();
        QVERIFY((made == std::set<std::string>(own.begin(), own.end())));
    }

    void triggersDoNotRun() {
        const Forged forged;
        std::string all;
        for (const char* table : {"run", "series", "source", "sample_chunk", "gpu", "name"}) {
            for (const char* when : {"INSERT", "UPDATE", "DELETE"})
                all += std::string("CREATE TRIGGER on_") + table + when + " AFTER " + when + " ON "
                    + table + " BEGIN DELETE FROM meta; UPDATE run SET gpu_model='hijacked'; END;";
        }
        forge(forged.path, all);
        Store store = got(Store::open(forged.path, OpenMode::ReadWrite));
        addSeries(store, gauge("gpu_power", 1), {1, 2}, {5, 6}, "/data/b.csv", "another");
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {7, 8}); // replaces
        const auto runs = got(store.runs());
        QCOMPARE(runs.size(), std::size_t{2});
        for (const Run& run : runs)
            QCOMPARE(run.gpuModel, std::string());
        QVERIFY(!store.uuid().empty());
    }

    void viewsInThePlaceOfTables_data() {
        const auto row = columns<QString, QString>("sql", "said");
        row("view", "ALTER TABLE run RENAME TO other; CREATE VIEW run AS SELECT * FROM other",
            "the table \"run\"");
        row("in capitals", "DROP TABLE note; CREATE VIEW NOTE AS SELECT randomblob(1000000000)",
            "the table \"NOTE\"");
        row("of samples", "CREATE VIEW samples AS SELECT 1 AS value", "the table \"samples\"");
        row("virtual table", "DROP TABLE gpu; CREATE VIRTUAL TABLE gpu USING rtree(a, b, c)",
            "the table \"gpu\"");
        row("oversized schema",
            "PRAGMA writable_schema=1; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM "
            "n WHERE i < 60000) INSERT INTO sqlite_schema SELECT 'view', 'v'||i, 'v'||i, 0, "
            "'CREATE VIEW v'||i||' AS SELECT 1' FROM n",
            "thousands of tables");
    }
    void viewsInThePlaceOfTables() {
        QFETCH(QString, sql);
        QFETCH(QString, said);
        const Forged forged;
        forge(forged.path, sql.toStdString());
        forged.refusesAll(said.toUtf8().constData());
    }

    // A hundred million letters a row, from a few bytes of the schema.
    void columnsThatFillThemselves_data() {
        const auto row = columns<QString, QString>("sql", "table");
        row("computed", "ALTER TABLE run ADD COLUMN extra TEXT AS (printf('%.*c', 100000000, 'x'))",
            "run");
        row("computed and stored",
            "DROP TABLE note; CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT AS "
            "(printf('%.*c', 100000000, 'x')) STORED)",
            "note");
        row("a long default",
            QStringLiteral("ALTER TABLE run ADD COLUMN extra TEXT NOT NULL DEFAULT '%1'")
                .arg(QString(100000, u'x')),
            "run");
        row("a computed default",
            "DROP TABLE note; CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT DEFAULT "
            "(printf('%.*c', 100000000, 'x')))",
            "note");
    }
    void columnsThatFillThemselves() {
        QFETCH(QString, sql);
        QFETCH(QString, table);
        const Forged forged;
        forge(forged.path, sql.toStdString());
        forged.refusesAll(
            qPrintable(QStringLiteral("the table \"%1\" has columns that fill").arg(table)));
    }

    // Each names the one before twice: written out, the last would be 2^40 selects; and two that
    // name each other.
    void viewsBesideAreNotRun() {
        const Forged forged;
        std::string all = "CREATE VIEW v0 AS SELECT 1 AS a;";
        for (int i = 1; i <= 40; ++i)
            all += "CREATE VIEW v" + std::to_string(i) + " AS SELECT * FROM v"
                + std::to_string(i - 1) + " UNION ALL SELECT * FROM v" + std::to_string(i - 1)
                + ";";
        forge(forged.path,
            all + "CREATE VIEW a AS SELECT * FROM b; CREATE VIEW b AS SELECT * FROM a");
        const Store store = forged.view();
        QElapsedTimer timer;
        timer.start();
        for (const char* view : {"v40", "a"}) {
            const Status asked = store.query(
                "SELECT * FROM " + std::string(view), {}, [](const auto&) { return true; });
            QVERIFY(!asked.hasValue());
            const std::string& said = asked.error().message;
            QVERIFY2(said.find("are not run") != std::string::npos
                    || said.find("circularly defined") != std::string::npos,
                said.c_str());
        }
        QVERIFY(timer.elapsed() < 2000);
        QCOMPARE(got(store.runs()).size(), std::size_t{1});
    }

    // SQLite itself, when it undoes what such a journal says, deletes the file that it names.
    void journalsDoNotDelete() {
        const Forged forged;
        const auto victim = forged.path.parent_path() / "letters.txt";
        const auto journal = forged.path.string() + "-journal";
        const auto pages
            = static_cast<std::uint32_t>(std::filesystem::file_size(forged.path) / 4096);
        writeAll(victim, "dear");
        writeAll(journal, journalNaming(victim.string(), pages));
        forged.refusesAll("names another file");
        QVERIFY(!checkWritable(forged.path).hasValue());
        QVERIFY(std::filesystem::exists(victim));
        QVERIFY(std::filesystem::exists(journal));
        forge(forged.path, "SELECT count(*) FROM run");
        QVERIFY2(!std::filesystem::exists(victim), "the forged journal was harmless by itself");
    }

    void sideFilesThatAreLinksAreRefused() {
        for (const char* suffix : {"-wal", "-journal", "-shm"}) {
            const Forged forged;
            const auto victim = forged.path.parent_path() / "letters.txt";
            writeAll(victim, "dear");
            QCOMPARE(::symlink(victim.c_str(), (forged.path.string() + suffix).c_str()), 0);
            forged.refusesAll("no plain file");
            QCOMPARE(readAll(victim), QByteArray("dear"));
        }
    }

    void forgedNamesAreShownHarmless() {
        const Forged forged;
        forge(forged.path,
            "UPDATE run SET name = char(27) || ']0;owned' || char(7) || char(8238) || 'x', "
            "gpu_model = char(155) || '<b>' ; UPDATE source SET report = "
            "'{\"warnings\":[{\"text\":\"\\u001b[2J\"}]}'");
        const Store store = forged.view();
        const Run run = got(store.runs()).front();
        QCOMPARE(run.name, std::string("\u241B]0;owned\u2407\uFFFDx"));
        QCOMPARE(run.gpuModel, std::string("\uFFFD<b>"));
        QCOMPARE(
            got(store.sources()).front().report.warnings.front().text, std::string("\u241B[2J"));
        std::string raw;
        ok(store.query("SELECT name FROM run", {}, [&raw](const std::vector<SqlValue>& row) {
            raw = row.front().text;
            return true;
        }));
        QCOMPARE(raw, std::string("\x1b]0;owned\x07\u202Ex")); // data is as it is
    }

    void importedNamesAreKeptHarmless() {
        FreshStore store;
        addSeries(store, gauge("gpu\x1b[31m_power", 0), {1, 2}, {3, 4}, "/data/a.csv", "a\rb\x7f");
        QCOMPARE(got(store.runs()).front().name, std::string("a\u240Db\u2421"));
        addSeries(store, gauge("gpu_power", 1), {1, 2}, {3, 4}, "/data/b.csv", "a\rb\x7f");
        QCOMPARE(got(store.runs()).size(), std::size_t{1}); // the same run
    }

    // Ranks and counts become sizes of lists.
    void forgedRanksAreThoseOfAClusterAtMost() {
        const Forged forged;
        forge(forged.path,
            "UPDATE run SET world_size=2000000000, gpu_count=-5, node_count=9223372036854775807;"
            "UPDATE series SET rank=2147483647, node=-2147483648");
        const Store store = forged.view();
        const Run run = got(store.runs()).front();
        QCOMPARE(run.worldSize, 0);
        QCOMPARE(run.gpuCount, 0);
        QCOMPARE(run.nodeCount, 0);
        const auto subject = got(store.series(run.id)).front().description.subject;
        QCOMPARE(subject.rank, kMostGpus - 1);
        QCOMPARE(subject.node, -1);
    }

    // Samples that no file holds, and holes as wide.
    void forgedNumbersOfSamplesEnd_data() {
        const auto row = columns<QString, bool>("sql", "isRefused");
        row("of a series", "UPDATE series SET count=4611686018427387904", false);
        row("of a chunk", "UPDATE sample_chunk SET count=9223372036854775807", true);
        row("before a chunk", "UPDATE sample_chunk SET first_index=-9223372036854775808", true);
        row("a hole",
            "INSERT INTO sample_chunk SELECT series, 1125899906842624, count, begin_ns + 1000, "
            "end_ns + 1000, missing, min, max, last, weighted_sum, weight_ns, values_at, "
            "values_size, times_at, times_size, base_at, base_size FROM sample_chunk; UPDATE "
            "series SET count=1125899906842627",
            true);
    }
    void forgedNumbersOfSamplesEnd() {
        QFETCH(QString, sql);
        QFETCH(bool, isRefused);
        Fixture fixture;
        SeriesId series;
        fixture.filled([&](Store& store) {
            series = addSeries(store, counter("ib_rx", 0, 32), {1, 11, 21}, {5, 6, 8});
        });
        forge(fixture.path, sql.toStdString());
        const Store store = fixture.view();
        QElapsedTimer timer;
        timer.start();
        const TimeRange window{{0}, {5000}};
        for (const auto& drawn :
            {store.buckets(series, window, 1), store.rateBuckets(series, window, 1)}) {
            QVERIFY(!isRefused || !drawn.hasValue());
            QVERIFY(drawn.hasValue() || drawn.error().code == ErrorCode::Unreadable);
        }
        QVERIFY(timer.elapsed() < 5000);
    }

    void forgedNumbersOfChunks() {
        Fixture fixture;
        {
            Store store = fixture.create();
            addSeries(store, gauge("gpu_power", 0), {1, 2}, {3, 4});
            Span span;
            span.start = {1};
            span.duration = {2};
            addTrack(store, {span});
        }
        forge(fixture.path, "UPDATE span_chunk SET sequence=9223372036854775807");
        QCOMPARE(got(fixture.view().check()).damageCount, 1); // spans are missing before
        for (const char* missing : {"-9223372036854775808", "-1", "3", "9223372036854775807"}) {
            forge(fixture.path, std::string("UPDATE sample_chunk SET missing=") + missing);
            std::int64_t counted = 0;
            ok(fixture.view().query("SELECT count(value) FROM samples", {},
                [&counted](const std::vector<SqlValue>& row) {
                    counted = row.front().integer;
                    return true;
                }));
            QCOMPARE(counted, 2);
        }
    }

    // A report of 10^5 levels, which copying or writing out would follow level by level.
    void deeplyNestedFactsAreRead() {
        const Forged forged;
        const std::string deep = "'[' || replace(hex(zeroblob(100000)), '00', '[')";
        forge(forged.path,
            "UPDATE source SET report = '{\"warnings\":' || " + deep + " || '1'"
                + " || replace(hex(zeroblob(100001)), '00', ']') || '}'; UPDATE source_run SET "
                  "facts = (SELECT report FROM source)");
        const Store store = forged.view();
        QVERIFY(got(store.sources()).front().report.warnings.empty());
        Store writing = got(Store::open(forged.path, OpenMode::ReadWrite));
        addSeries(
            writing, gauge("gpu_power", 1), {1, 2}, {3, 4}, "/data/b.csv"); // facts are joined
    }

    // Values are bounded, and a recursion that never ends can be stopped.
    void queriesAreBounded() {
        const Forged forged;
        const Store store = forged.view();
        const auto anything = [](const auto&) { return true; };
        QVERIFY(!store.query("SELECT length(zeroblob(900000000))", {}, anything).hasValue());
        int questions = 0;
        QueryOptions options;
        options.proceed = [&questions] { return ++questions < 5; };
        for (const char* endless :
            {"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT count(*) FROM n",
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i+1 FROM n) SELECT i FROM n ORDER "
                "BY -i"}) {
            questions = 0;
            const Status asked = query(store, endless, {}, anything, options);
            QVERIFY(!asked.hasValue() && asked.error().code == ErrorCode::Cancelled);
        }
    }
};

TRAINSCOPE_TEST(tst_HostileFiles)
#include "tst_HostileFiles.moc"
