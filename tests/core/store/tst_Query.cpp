// SQL over the tables, samples and spans; nothing can be written.

#include "core/store/Fixture.h"
#include "core/store/Query.h"
#include "core/store/RunLinks.h"
#include "core/store/RunNotes.h"
#include "core/store/Writing.h"
#include "support/TestProgram.h"

using namespace trainscope::store;
using namespace trainscope::test;

namespace {

struct Answer {
    std::vector<std::string> header;
    std::vector<std::vector<std::string>> rows;
    Status status;
};

std::string plain(const SqlValue& value) {
    switch (value.type) {
    case SqlValue::Type::Null:
        return "NULL";
    case SqlValue::Type::Integer:
        return std::to_string(value.integer);
    case SqlValue::Type::Real:
        return QString::number(value.real).toStdString();
    default:
        return value.text;
    }
}

Answer ask(const Store& store, std::string_view sql) {
    Answer answer;
    answer.status = store.query(
        sql, [&answer](const auto& header) { answer.header = header; },
        [&answer](const std::vector<SqlValue>& row) {
            answer.rows.emplace_back();
            for (const SqlValue& value : row)
                answer.rows.back().push_back(plain(value));
            return true;
        });
    return answer;
}

void fill(Store& store) {
    addSeries(store, gauge("gpu_power", 0, 0.5), {10, 20, 30}, {100, kMissing, 300}, "/a", "first");
    addSeries(store, gauge("gpu_power", 1), {10, 20}, {7, 8}, "/b", "first");
    addSeries(store, gauge("sm_clock", 1), {15}, {9}, "/c", "second");
    auto session = got(store::beginImport(store, {"/t", 1, "", "first"}));
    const RunId run = got(session->run(runNamed("first")));
    const TrackId track = got(session->track(run, {TrackKind::Stream, 2, 0, "", "7", "stream 7"}));
    std::vector<Span> spans;
    for (int i = 0; i < 10'000; ++i) {
        Span span;
        span.start = {i * 10};
        span.duration = {i == 0 ? 1'000'000 : 5};
        span.name = got(session->intern(i % 2 == 0 ? "even" : "odd"));
        span.kind = SpanKind::Kernel;
        spans.push_back(span);
    }
    ok(session->spans(track, spans));
    ok(session->finish({}, "", 0, {}));
}

// Questions of a statement whether to go on, one every so many steps of SQLite's and one for each
// chunk, over a run of so many GPUs with a track and a series each.
int questionsOf(int gpus, std::string_view sql) {
    FreshStore store;
    auto session = got(store::beginImport(store, {"/job", 1, "", "job"}));
    const RunId run = got(session->run(runNamed("job")));
    std::vector<Span> spans(2);
    for (int rank = 0; rank < gpus; ++rank) {
        ok(session->gpu(run, {rank, rank / 8, rank % 8, "", ""}));
        ok(session->samples(got(session->series(run, gauge("gpu_power", rank))), times({1, 2}),
            std::vector<double>{1, 2}));
        TrackDescription description;
        description.rank = rank;
        ok(session->spans(got(session->track(run, description)), spans));
    }
    ok(session->finish({}, "", 0, {}));
    int questions = 0;
    QueryOptions options;
    options.proceed = [&questions] {
        ++questions;
        return true;
    };
    std::string counted;
    ok(query(
        store, sql, [](const auto&) {},
        [&counted](const std::vector<SqlValue>& row) {
            counted = plain(row.front());
            return true;
        },
        options));
    return counted == std::to_string(2 * gpus) ? questions : -1;
}

ErrorCode codeOf(const Status& status) {
    return status.hasValue() ? ErrorCode::Internal : status.error().code;
}

std::vector<std::string> namesOf(const Store& store) {
    std::vector<std::string> names;
    for (const SavedComparison& one : got(store.comparisons()))
        names.push_back(one.name);
    return names;
}

} // namespace

class tst_Query : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // A join asks for the rows of one GPU after the other: what it reads is these, and not the list
    // of all of them each time.
    void joinsReadEachRowOnce_data() {
        const auto row = columns<std::string>("sql");

        row("spans by rank", "SELECT count(*) FROM gpu CROSS JOIN spans ON spans.rank=gpu.rank");
        row("spans by track",
            "SELECT count(*) FROM track CROSS JOIN spans ON spans.track_id=track.id");
        row("samples by rank",
            "SELECT count(*) FROM gpu CROSS JOIN samples ON samples.rank=gpu.rank");
        row("samples by series",
            "SELECT count(*) FROM series CROSS JOIN samples ON samples.series=series.id");
        row("as SQLite orders them", "SELECT count(*) FROM gpu JOIN spans USING (rank)");
    }
    void joinsReadEachRowOnce() {
        QFETCH(std::string, sql);
        const int few = questionsOf(64, sql);
        const int many = questionsOf(1024, sql);
        QVERIFY(few > 0);
        QVERIFY2(many > 0 && many < 16 * 2 * few,
            qPrintable(QStringLiteral("%1 and %2").arg(few).arg(many)));
    }

    void answers_data() {
        const auto row = keyed<QString, QString>("sql", "expected");
        row("SELECT name FROM run ORDER BY name", "first;second");
        row("SELECT count(*) FROM samples", "6");
        row("SELECT count(*), count(value), sum(value) FROM samples WHERE metric='gpu_power' AND "
            "rank=0",
            "3,2,200");
        row("SELECT time_ns, value FROM samples WHERE run='first' AND rank=0 ORDER BY time_ns",
            "10,50;20,NULL;30,150");
        row("SELECT time_ns FROM samples WHERE time_ns>10 AND time_ns<=20 AND run='first'",
            "20;20");
        row("SELECT value FROM samples WHERE time_ns=15", "9");
        row("SELECT count(*) FROM samples WHERE run='FIRST' COLLATE NOCASE", "5");
        row("SELECT count(*) FROM samples WHERE rank='1'", "3");
        row("SELECT count(*) FROM samples WHERE run IS NULL", "0");
        row("SELECT run.name, max(value) FROM run JOIN samples ON samples.run=run.name GROUP BY 1 "
            "ORDER BY 1",
            "first,150;second,9");
        row("SELECT count(*), min(start_ns), max(start_ns) FROM spans", "10000,0,99990");
        row("SELECT count(*) FROM spans WHERE start_ns>=50000 AND start_ns<50100", "10");
        row("SELECT count(*) FROM spans WHERE name='odd' AND rank=2", "5000");
        row("SELECT name, kind, duration_ns, depth, correlation, detail, track, run, device FROM "
            "spans LIMIT 1",
            "even,kernel,1000000,0,NULL,NULL,stream 7,first,0");
        // Two passes, of which each begins with other rows: 3 samples and 1.
        row("SELECT count(*) FROM samples WHERE (metric='gpu_power' AND rank=0) OR "
            "(metric='sm_clock' AND rank=1)",
            "4");
        // The third of the three samples is in both.
        row("SELECT time_ns FROM samples WHERE (rank=0 AND node=-1) OR (metric='gpu_power' AND "
            "value=150) ORDER BY 1",
            "10;20;30");
        row("SELECT start_ns FROM spans WHERE (rank=2 AND start_ns<20) OR (device=0 AND "
            "start_ns>=10 AND start_ns<40) OR (depth=0 AND start_ns=99990) ORDER BY 1",
            "0;10;20;30");
        row("SELECT count(*) FROM spans WHERE (rank=2 AND start_ns=50000) OR (device=0 AND "
            "start_ns=90000)",
            "2");
        // Three samples of rank 1, and three that nothing joins.
        row("SELECT count(*), count(r), sum(rank) FROM (SELECT 1 AS r) a RIGHT JOIN samples s ON "
            "s.rank=a.r",
            "6,3,3");
        row("SELECT max(rowid)>min(rowid) FROM samples WHERE run='first' AND rank=0", "1");
        row("SELECT 1 AS a; SELECT 2 AS b;", "1;2");
        row("SELECT x'00ff' IS NOT NULL", "1");
        row("SELECT name FROM pragma_table_info('meta')", "key;value");
        row("SELECT count(*) FROM pragma_table_list WHERE name='run'", "1");
    }
    void answers() {
        static Fixture fixture;
        static bool filled = false;
        Store store = fixture.create();
        if (!filled)
            fill(store);
        filled = true;
        QFETCH(QString, sql);
        QFETCH(QString, expected);
        const Answer answer = ask(store, sql.toStdString());
        ok(answer.status);
        QStringList rows;
        for (const auto& row : answer.rows) {
            QStringList cells;
            for (const std::string& cell : row)
                cells += QString::fromStdString(cell);
            rows += cells.join(QLatin1Char(','));
        }
        QCOMPARE(rows.join(QLatin1Char(';')), expected);
    }

    // Moments of our days are beyond 2^53, where the next real is 256 ns away.
    void momentsAsReals_data() {
        const auto row = columns<QString, int>("where", "samples");
        row("equal", "time_ns=1.7e18", 1);
        row("in", "time_ns IN (1.7e18, 5)", 1);
        row("to", "time_ns<=1.7e18", 2);
        row("before", "time_ns<1.7e18", 1);
        row("from", "time_ns>=1700000000*1e9", 2);
        row("behind", "time_ns>1700000000*1e9", 1);
        row("between", "time_ns BETWEEN 1.7e18 AND 1.7e18", 1);
    }
    void momentsAsReals() {
        QFETCH(QString, where);
        QFETCH(int, samples);
        constexpr std::int64_t moment = 1'700'000'000'000'000'000;
        FreshStore store;
        addSeries(store, gauge("gpu_power", 0), {moment - 1, moment, moment + 1}, {1, 2, 3});
        const Answer answer
            = ask(store, "SELECT time_ns FROM samples WHERE " + where.toStdString());
        ok(answer.status);
        QCOMPARE(answer.rows.size(), static_cast<std::size_t>(samples));
    }

    void refusals_data() {
        const auto row = columns<QString>("sql");
        for (const char* sql : {"DELETE FROM run", "UPDATE run SET name='x'",
                 "INSERT INTO meta VALUES('a','b')", "DROP TABLE run", "CREATE TABLE t(a)",
                 "CREATE TEMP TABLE t(a)", "ATTACH '/tmp/x.db' AS y", "PRAGMA user_version=7",
                 "PRAGMA journal_mode=DELETE", "PRAGMA writable_schema=1", "VACUUM",
                 "VACUUM INTO '/tmp/x.db'", "BEGIN", "SELECT * FROM nothing", "SELEC 1",
                 "SELECT load_extension('x')", "DELETE FROM samples",
                 "SELECT writefile('/tmp/x', 'y')", "SELECT readfile('/x')", "SELECT edit('x')",
                 "SELECT fts3_tokenizer('a', x'0102030405060708')", "DETACH main", "REINDEX",
                 "ANALYZE", "SAVEPOINT a", "PRAGMA trusted_schema=1", "PRAGMA query_only=0",
                 "PRAGMA temp_store_directory='/tmp'", "PRAGMA mmap_size=1000000",
                 "CREATE VIRTUAL TABLE t USING fts4(a)", "CREATE TEMP VIEW v AS SELECT 1",
                 "CREATE TEMP TRIGGER t AFTER INSERT ON run BEGIN SELECT 1; END",
                 "INSERT INTO sqlite_schema VALUES('view','v','v',0,'CREATE VIEW v AS SELECT 1')",
                 "SELECT 1; DROP TABLE run", "WITH a AS (SELECT 1) DELETE FROM run",
                 "EXPLAIN DELETE FROM run", "ALTER TABLE run RENAME TO x"})
            row(sql, QString::fromUtf8(sql));
    }
    void refusals() {
        QFETCH(QString, sql);
        FreshStore store;
        const Answer answer = ask(store, sql.toStdString());
        QVERIFY(!answer.status.hasValue());
        QVERIFY(!answer.status.error().message.empty());
        QVERIFY(answer.status.error().code == ErrorCode::Usage);
    }

    // Samples that are elsewhere are not "none".
    void samplesOfALinkedRun() {
        FreshStore store;
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {3, 4}, "/a", "near");
        auto session = got(store::beginImport(store, {"/far", 1, "", "far"}));
        const RunId run = got(session->run(runNamed("far")));
        const std::vector<SeriesDescription> series{gauge("gpu_power", 0)};
        ok(writeLink(store, "/far", {{}, run, "http://engine:9090", "{}"}, series, {{1}, {9}}));
        ok(session->finish({}, "", 0, {}));
        for (const char* sql : {"SELECT avg(value) FROM samples WHERE run='far'",
                 "SELECT value FROM samples WHERE run='far'"}) {
            const Answer answer = ask(store, sql);
            QVERIFY2(!answer.status.hasValue(), sql);
            const std::string& told = answer.status.error().message;
            VERIFY_SAYS(told, "http://engine:9090");
        }
        const Answer all = ask(store, "SELECT run, count(*) FROM samples GROUP BY run");
        ok(all.status);
        QVERIFY(all.rows == (std::vector<std::vector<std::string>>{{"near", "2"}}));
    }

    void stopsWhenToldTo() {
        FreshStore store;
        fill(store);
        int rows = 0;
        ok(store.query("SELECT * FROM spans", {}, [&rows](const auto&) { return ++rows < 3; }));
        QCOMPARE(rows, 3);
    }

    // Entries of users in a database: saved comparisons, layouts entered by hand, tags and notes;
    // and the figures that it keeps.

    void comparisonsAreKeptByName() {
        Fixture fixture;
        {
            Store store = fixture.create();
            QVERIFY(got(store.comparisons()).empty());
            ok(store::saveComparison(store, "b", R"({"runs":["x"]})"));
            ok(store::saveComparison(store, "a", "{}"));
            ok(store::saveComparison(store, "b", R"({"runs":["y"]})"));
        }
        const auto saved = got(fixture.view().comparisons());
        QCOMPARE(saved.size(), 2U);
        QCOMPARE(saved[0].name, std::string("a"));
        QCOMPARE(saved[1].spec, std::string(R"({"runs":["y"]})"));
        QVERIFY(saved[1].createdAt.ns > 0);
        QVERIFY(saved[1].changedAt > saved[1].createdAt);
    }

    void renamingAndRemoving() {
        FreshStore store;
        ok(store::saveComparison(store, "a", "1"));
        ok(store::saveComparison(store, "b", "2"));
        QVERIFY(codeOf(store::renameComparison(store, "a", "b")) == ErrorCode::Usage);
        QVERIFY(codeOf(store::renameComparison(store, "a", "")) == ErrorCode::Usage);
        QVERIFY(codeOf(store::renameComparison(store, "c", "d")) == ErrorCode::NotFound);
        ok(store::renameComparison(store, "a", "a"));
        ok(store::renameComparison(store, "a", "c"));
        QCOMPARE(namesOf(store), (std::vector<std::string>{"b", "c"}));
        QCOMPARE(got(store.comparisons()).back().spec, std::string("1"));
        ok(store::removeComparison(store, "b"));
        QVERIFY(codeOf(store::removeComparison(store, "b")) == ErrorCode::NotFound);
        QVERIFY(codeOf(store::saveComparison(store, "", "{}")) == ErrorCode::Usage);
        QCOMPARE(namesOf(store), (std::vector<std::string>{"c"}));
    }

    void viewersMayNotWrite() {
        Fixture fixture;
        { const Store store = fixture.create(); }
        Store store = fixture.view();
        QVERIFY(codeOf(store::saveComparison(store, "a", "{}")) == ErrorCode::Refused);
        QVERIFY(codeOf(store::setEnteredLayout(store, {1}, "{}")) == ErrorCode::Refused);
    }

    void anEnteredLayoutStaysWithItsRun() {
        FreshStore store;
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {3.0, 4.0});
        const RunId run = got(store.findRun("run")).id;
        QVERIFY(!got(store.enteredLayout(run)));
        ok(store::setEnteredLayout(store, run, R"({"tp":8})"));
        ok(store::setEnteredLayout(store, run, R"({"tp":4})"));
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {5.0, 6.0});
        QCOMPARE(got(store.findRun("run")).id.value, run.value);
        QCOMPARE(got(store.enteredLayout(run)).value(), std::string(R"({"tp":4})"));
        QVERIFY(
            codeOf(store::setEnteredLayout(store, {run.value + 1}, "{}")) == ErrorCode::NotFound);
        ok(store::removeRun(store, run));
        QVERIFY(!got(store.enteredLayout(run)));
        // A new run may get the number of the old one.
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {5.0, 6.0}, "/data/b.csv", "new");
        QVERIFY(!got(store.enteredLayout(got(store.findRun("new")).id)));
    }

    void takingALayoutBack() {
        FreshStore store;
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {3.0, 4.0});
        const RunId run = got(store.findRun("run")).id;
        ok(store::setEnteredLayout(store, run, "{}"));
        ok(store::setEnteredLayout(store, run, std::nullopt));
        QVERIFY(!got(store.enteredLayout(run)));
    }

    void theMachineStaysWithItsRun() {
        FreshStore store;
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {3.0, 4.0});
        const RunId run = got(store.findRun("run")).id;
        QVERIFY(!got(store.machine(run)));
        ok(store::setMachine(store, run, R"({"nodes_per_rack":4})"));
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {5.0, 6.0});
        QCOMPARE(got(store.machine(run)).value(), std::string(R"({"nodes_per_rack":4})"));
        QVERIFY(codeOf(store::setMachine(store, {run.value + 1}, "{}")) == ErrorCode::NotFound);
        ok(store::setMachine(store, run, std::nullopt));
        QVERIFY(!got(store.machine(run)));
    }

    void runsGoByTheirNumbers() {
        FreshStore store;
        for (const char* name : {"r10", "r1", "r2", "r11"})
            addSeries(
                store, gauge("gpu_power", 0), {1, 2}, {3.0, 4.0}, std::string("/d/") + name, name);
        std::vector<std::string> names;
        for (const Run& run : got(store.runs()))
            names.push_back(run.name);
        QCOMPARE(names, (std::vector<std::string>{"r1", "r2", "r10", "r11"}));
        const auto paths = got(store::sourcePaths(store));
        QCOMPARE(paths.size(), 4U);
        QCOMPARE(paths.front().second, std::string("/d/r10")); // the first that was imported
    }

    void labelsOfSomeRunsChangeTogether() {
        FreshStore store;
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {3.0, 4.0}, "/data/a.csv", "a");
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {3.0, 4.0}, "/data/b.csv", "b");
        const RunId a = got(store.findRun("a")).id;
        const RunId b = got(store.findRun("b")).id;
        ok(store::setNote(store, b, "fan 3"));
        ok(store::changeLabels(store, std::vector{a, b}, [](RunLabels& labels) {
            labels.tags.emplace_back("paper");
            labels.note += "!";
            return Status();
        }));
        const std::vector<RunLabels> both{{a, {"paper"}, "!"}, {b, {"paper"}, "fan 3!"}};
        QVERIFY(got(store::runLabels(store)) == both);
        const auto refused
            = store::changeLabels(store, std::vector{a, b}, [b](RunLabels& labels) -> Status {
                  if (labels.run == b)
                      return Error{ErrorCode::Refused, "not this one", {}};
                  labels.note = "another";
                  return {};
              });
        QVERIFY(codeOf(refused) == ErrorCode::Refused);
        QVERIFY(got(store::runLabels(store)) == both);
    }

    void labelsStayWithTheirRun() {
        FreshStore store;
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {3.0, 4.0});
        const RunId run = got(store.findRun("run")).id;
        QVERIFY(got(store::runLabels(store)).empty());
        ok(store::setTags(store, run, std::vector<std::string>{" slow ", "", "paper", "slow"}));
        ok(store::setNote(store, run, " fan 3 was broken\n"));
        const std::vector<RunLabels> wanted{{run, {"paper", "slow"}, "fan 3 was broken"}};
        QVERIFY(got(store::runLabels(store)) == wanted);
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {5.0, 6.0}); // imported again
        QVERIFY(got(store::runLabels(store)) == wanted);
        ok(store::setTags(store, run, {}));
        QVERIFY(got(store::runLabels(store))
            == (std::vector<RunLabels>{{run, {}, "fan 3 was broken"}}));
        ok(store::setNote(store, run, "  "));
        QVERIFY(got(store::runLabels(store)).empty());
        QVERIFY(codeOf(store::setNote(store, {run.value + 1}, "x")) == ErrorCode::NotFound);
        QVERIFY(codeOf(store::setTags(store, {run.value + 1}, {})) == ErrorCode::NotFound);
        ok(store::setNote(store, run, "goes with its run"));
        ok(store::removeRun(store, run));
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {5.0, 6.0}, "/data/b.csv", "new");
        QVERIFY(got(store::runLabels(store)).empty());
    }

    void figuresAreKeptUntilTheirRunChanges() {
        Fixture fixture;
        Store store = fixture.create();
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {3.0, 4.0});
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {3.0, 4.0}, "/data/b.csv", "other");
        const RunId run = got(store.findRun("run")).id;
        const RunId other = got(store.findRun("other")).id;
        const KeptFigures kept{
            run, "v1", {{"a", 1.5, ""}, {"b", std::nullopt, "was not recorded"}}};
        ok(store::keepFigures(store,
            std::vector<KeptFigures>{
                kept, {other, "v1", {{"a", 2.0, ""}}}, {{run.value + 7}, "v1", {}}}));
        const auto read = got(store::keptFigures(fixture.view()));
        QCOMPARE(read.size(), 2U);
        QCOMPARE(read[0].run.value, run.value);
        QCOMPARE(read[0].basis, std::string("v1"));
        QCOMPARE(read[0].figures.size(), 2U);
        QCOMPARE(read[0].figures[0].value, std::optional(1.5));
        QVERIFY(!read[0].figures[1].value);
        QCOMPARE(read[0].figures[1].absentWhy, std::string("was not recorded"));
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {5.0, 6.0}); // imported again
        const auto left = got(store::keptFigures(store));
        QCOMPARE(left.size(), 1U);
        QCOMPARE(left[0].run.value, other.value);
        ok(store::removeRun(store, other));
        QVERIFY(got(store::keptFigures(store)).empty());
    }

    void whatFiguresDependOn() {
        FreshStore store;
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {3.0, 4.0});
        const RunId run = got(store.findRun("run")).id;
        const auto basis = [&store] { return got(store::figureBases(store)).front().second; };
        std::string before = basis();
        QCOMPARE(basis(), before);
        ok(store::setTags(store, run, std::vector<std::string>{"slow"})); // changes no figure
        QCOMPARE(basis(), before);
        const auto hasChanged = [&] { return std::exchange(before, basis()) != before; };
        ok(store::setEnteredLayout(store, run, R"({"tp":8})"));
        QVERIFY(hasChanged());
        ok(store::setMachine(store, run, R"({"gpu_model":"NVIDIA H200"})"));
        QVERIFY(hasChanged());
        ok(store::setAirflow(store, run, std::vector<int>{1, 0}));
        QVERIFY(hasChanged());
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {3.0, 4.0}); // imported again
        QVERIFY(hasChanged());
    }
};

TRAINSCOPE_TEST(tst_Query)
#include "tst_Query.moc"
