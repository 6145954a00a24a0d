// Removing a run, compacting and checking a database: all or nothing, with a progress that grows,
// and damage is found where it was done.

#include "core/store/Fixture.h"
#include "core/store/Writing.h"
#include "core/store/database/Database.h"
#include "core/store/database/StoreFile.h"
#include "support/TestProgram.h"

#include <QObject>

#include <sqlite3.h>

#include <filesystem>

using namespace trainscope;
using namespace trainscope::store;
using namespace trainscope::test;

namespace {

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

class tst_Maintenance : public QObject {
    Q_OBJECT

private Q_SLOTS:
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
            QVERIFY(!removed.hasValue());
            QCOMPARE(removed.error().code, ErrorCode::Cancelled);
            QCOMPARE(calls, last);
            QCOMPARE(rowsOf(fixture.path), before);
            calls = 0;
            const auto vacuumed = store::vacuum(store, stopAt(calls, 1));
            QVERIFY(!vacuumed.hasValue());
            QCOMPARE(vacuumed.error().code, ErrorCode::Cancelled);
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
        QTest::addColumn<QByteArray>("chunk");
        QTest::newRow("first") << QByteArray("0");
        QTest::newRow("in the midst") << QByteArray("16384");
        QTest::newRow("last") << QByteArray("32768");
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
        QVERIFY(!read.hasValue());
        QCOMPARE(read.error().code, ErrorCode::Unreadable);
        QVERIFY(!store.statistics(series, kAllTime).hasValue());
        if (chunk == "16384") {
            const Status asked
                = store.query("SELECT count(*) FROM samples", {}, [](const auto&) { return true; });
            QVERIFY(!asked.hasValue());
            QCOMPARE(asked.error().code, ErrorCode::Unreadable);
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
    }

    void damageIsFound_data() {
        QTest::addColumn<QByteArray>("sql");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("spans") << QByteArray("UPDATE span_chunk SET data=substr(data, 1, "
                                             "length(data) - 5) WHERE sequence=3")
                               << QByteArray("\"stream gemm\" of rank 3 in the run \"run\"");
        QTest::newRow("missing spans")
            << QByteArray("DELETE FROM span_chunk WHERE sequence=2")
            << QByteArray("spans of the track \"stream gemm\" of rank 3");
        QTest::newRow("missing spans at the end")
            << QByteArray(
                   "DELETE FROM span_chunk WHERE sequence=(SELECT max(sequence) FROM span_chunk)")
            << QByteArray("spans of the track \"stream gemm\" of rank 3");
        QTest::newRow("overview") << QByteArray("UPDATE group_page SET data=x'05'")
                                  << QByteArray("may still be whole");
        QTest::newRow("samples") << QByteArray("UPDATE sample_chunk SET values_size=3 WHERE "
                                               "first_index=0")
                                 << QByteArray("gpu_power of rank 0 in the run \"run\"");
        QTest::newRow("missing samples")
            << QByteArray("DELETE FROM sample_chunk WHERE first_index=0") << QByteArray("missing");
        QTest::newRow("names") << QByteArray("UPDATE source_name SET data=x'FF'")
                               << QByteArray("/data/run");
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

TRAINSCOPE_TEST(tst_Maintenance)
#include "tst_Maintenance.moc"
