// SQL over the tables, samples and spans; nothing can be written.

#include "core/store/Fixture.h"
#include "core/store/Query.h"
#include "core/store/RunLinks.h"
#include "core/store/Writing.h"
#include "support/TestProgram.h"

using namespace trainscope;
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
    const Fixture fixture;
    Store store = fixture.create();
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
        QTest::addColumn<QString>("sql");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* sql, const char* expected) {
            QTest::newRow(sql) << QString::fromUtf8(sql) << QString::fromUtf8(expected);
        };
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
        Fixture fixture;
        Store store = fixture.create();
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
        Fixture fixture;
        Store store = fixture.create();
        const Answer answer = ask(store, sql.toStdString());
        QVERIFY(!answer.status.hasValue());
        QVERIFY(!answer.status.error().message.empty());
        QVERIFY(answer.status.error().code == ErrorCode::Usage);
    }

    // Samples that are elsewhere are not "none".
    void samplesOfALinkedRun() {
        Fixture fixture;
        Store store = fixture.create();
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
        Fixture fixture;
        Store store = fixture.create();
        fill(store);
        int rows = 0;
        ok(store.query("SELECT * FROM spans", {}, [&rows](const auto&) { return ++rows < 3; }));
        QCOMPARE(rows, 3);
    }
};

TRAINSCOPE_TEST(tst_Query)
#include "tst_Query.moc"
