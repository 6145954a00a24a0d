// `export` and `query`: the numbers come out as they went in, and nothing is overwritten unasked.

#include "core/store/Writing.h"
#include "support/CharllmTree.h"
#include "support/RunCli.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

QList<QByteArrayList> readCsv(const QString& path) {
    QFile file(path);
    QList<QByteArrayList> rows;
    if (!file.open(QIODevice::ReadOnly))
        return rows;
    while (!file.atEnd()) {
        const QByteArrayList cells = file.readLine().trimmed().split(',');
        rows << cells;
    }
    return rows;
}

} // namespace

class tst_ExportQuery : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        const QString run = m_folder.filePath(QStringLiteral("run"));
        m_tree = CharllmTree::write(run, 5);
        m_database = pathIn(m_folder, "db.trainscope");
        QVERIFY(succeeds({"import", run.toStdString(), "--into", m_database}));
    }

    void everySampleComesOut() {
        const QString out = m_folder.filePath(QStringLiteral("all"));
        QVERIFY(succeeds({"export", m_database, "--out", out.toStdString()}));
        const auto rows = readCsv(out + QStringLiteral("/gpu_power.csv"));
        QCOMPARE(rows.front().join(','), QByteArray("time_ns,unix_s,rank,node,local,device,value"));
        qsizetype row = 1;
        for (const auto& [rank, samples] : m_tree.gpus["gpu_power"]) {
            for (const auto& sample : samples) {
                const auto& cells = rows.at(row++);
                QCOMPARE(cells.at(0).toLongLong(), sample.ns);
                QCOMPARE(cells.at(2).toInt(), rank);
                QCOMPARE(cells.at(3).toInt(), rank / CharllmTree::kGpusPerNode);
                QCOMPARE(cells.at(6).isEmpty(), sample.missing);
                if (!sample.missing)
                    QVERIFY(std::abs(cells.at(6).toDouble() - static_cast<double>(sample.value))
                        < 1e-9);
            }
        }
        QCOMPARE(row, rows.size());
        QVERIFY(QFile::exists(out + QStringLiteral("/ib_rx.csv")));
        QVERIFY(QFile::exists(out + QStringLiteral("/metrics.csv")));
    }

    // An export is read back: the same figures of the same GPUs, from their own files.
    void anExportIsReadBack() {
        const QString out = m_folder.filePath(QStringLiteral("again"));
        QVERIFY(succeeds({"export", m_database, "--out", out.toStdString()}));
        const auto second = pathIn(m_folder, "again.trainscope");
        QVERIFY(succeeds({"import", out.toStdString(), "--into", second}));
        const auto before = jsonOf({"summary", m_database})["runs"][0];
        const auto after = jsonOf({"summary", second})["runs"][0];
        QCOMPARE(after["name"], "again");
        QVERIFY(before["metrics"] == after["metrics"]);
        QVERIFY(before["gpus"] == after["gpus"]);
        QVERIFY(before["energy_j"] == after["energy_j"]);
    }

    // A switch is of no rank, node or place in a node.
    void whatDoesNotApplyIsEmpty() {
        using namespace trainscope;
        const auto database = pathIn(m_folder, "switch.trainscope");
        {
            auto store = store::Store::openOrCreate(database).value();
            auto session = store::beginImport(store, {"meter", 1, "meter", "job"}).value();
            Run run;
            run.name = "job";
            run.simulated = true;
            const RunId id = session->run(run).value();
            SeriesDescription power;
            power.metric = *findMetric(metric::kSwitchPower);
            power.subject = {SubjectKind::Switch, -1, -1, "sw0"};
            const SeriesId series = session->series(id, power).value();
            const std::vector<TimeNs> times{{1'000'000'000}, {2'000'000'000}};
            const std::vector<double> watts{685.0, 686.0};
            QVERIFY(session->samples(series, times, watts).hasValue());
            QVERIFY(session->finish({}, "job", 1, {}).hasValue());
        }
        const QString out = m_folder.filePath(QStringLiteral("switch"));
        QVERIFY(succeeds({"export", database, "--out", out.toStdString()}));
        const auto rows = readCsv(out + QStringLiteral("/switch_power.csv"));
        QCOMPARE(rows.size(), qsizetype{3});
        QCOMPARE(rows[1].join(','), QByteArray("1000000000,1.000000000,,,,sw0,685"));
        // Nor is what a generator made called measured.
        QVERIFY(runCli({"summary", database}).out.starts_with("job  (simulated, ok)"));
        QVERIFY(jsonOf({"summary", database})["runs"][0]["simulated"].get<bool>());
    }

    void onlyTheMetricsAskedFor() {
        const QString out = m_folder.filePath(QStringLiteral("some"));
        QVERIFY(succeeds({"export", m_database, "--metric", "sm_clock", "--metric", "gpu_power",
            "--out", out.toStdString()}));
        QCOMPARE(QDir(out).entryList(QDir::Files),
            texts("gpu_power.csv", "metrics.csv", "sm_clock.csv"));
    }

    void unknownMetricNamesTheKnown() {
        const auto ran
            = runCli({"export", m_database, "--metric", "volts", "--out", pathIn(m_folder, "no")});
        QCOMPARE(ran.status, 2);
        VERIFY_SAYS(ran.err, "gpu_power");
        QVERIFY(!QFile::exists(m_folder.filePath(QStringLiteral("no"))));
    }

    void aFolderWithFilesIsNotTouchedUnasked() {
        const QString out = m_folder.filePath(QStringLiteral("used"));
        QDir().mkpath(out);
        QFile keep(out + QStringLiteral("/mine.txt"));
        QVERIFY(keep.open(QIODevice::WriteOnly));
        keep.write("mine");
        keep.close();
        QCOMPARE(runCli({"export", m_database, "--out", out.toStdString()}).status, 2);
        QCOMPARE(QDir(out).entryList(QDir::Files).size(), qsizetype{1});
        QVERIFY(succeeds({"export", m_database, "--out", out.toStdString(), "--force"}));
        QVERIFY(keep.open(QIODevice::ReadOnly));
        QCOMPARE(keep.readAll(), QByteArray("mine"));
    }

    void samplesAreVisibleToSql() {
        std::int64_t present = 0;
        double largest = 0;
        const auto& samples = m_tree.gpus["gpu_power"][3];
        for (const auto& sample : samples) {
            present += sample.missing ? 0 : 1;
            largest = std::max(largest, sample.missing ? 0.0 : static_cast<double>(sample.value));
        }
        const auto row = jsonOf({"query", m_database,
            "SELECT count(*), count(value), max(value) FROM samples WHERE metric = 'gpu_power' AND "
            "rank = 3"})["rows"][0];
        QCOMPARE(row[0].get<std::size_t>(), samples.size());
        QCOMPARE(row[1].get<std::int64_t>(), present);
        QVERIFY(std::abs(row[2].get<double>() - largest) < 1e-9);
    }

    void queryKeepsTypesAndColumns() {
        const auto json = jsonOf(
            {"query", m_database, "SELECT 1 AS i, 0.5 AS r, 'x' AS t, NULL AS n, x'0aff' AS b"});
        QCOMPARE(json.dump(),
            std::string(R"({"columns":["i","r","t","n","b"],"rows":[[1,0.5,"x",null,"0aff"]]})"));
        const auto empty = jsonOf({"query", m_database, "SELECT 1 AS i WHERE 0"});
        QCOMPARE(empty.dump(), std::string(R"({"columns":["i"],"rows":[]})"));
    }

    void queryAsText() {
        const auto ran = runCli({"query", m_database, "SELECT 7 AS seven, 'text' AS word"});
        QCOMPARE(ran.out, std::string("seven  word\n7      text\n"));
    }

    void eachStatementHasATableOfItsOwn() {
        const auto ran = runCli({"query", m_database,
            "SELECT 7 AS seven; SELECT 1 AS none WHERE 0; SELECT 'text' AS word, 2 AS two"});
        QCOMPARE(ran.status, 0);
        QCOMPARE(ran.out, std::string("seven\n7\n\nnone\n\nword  two\ntext  2\n"));
    }

    void wrongOrWritingSqlIsRefused_data() {
        const auto row = columns<QString>("sql");
        row("syntax", "SELEC 1");
        row("unknown table", "SELECT * FROM nothing");
        row("delete", "DELETE FROM run");
        row("drop", "DROP TABLE run");
        row("attach", "ATTACH 'x.db' AS x");
    }

    void wrongOrWritingSqlIsRefused() {
        QFETCH(QString, sql);
        const auto ran = runCli({"query", m_database, sql.toStdString(), "--json"});
        QCOMPARE(ran.status, 2);
        QVERIFY(ran.out.empty());
        QVERIFY(!ran.err.empty());
        QCOMPARE(
            jsonOf({"query", m_database, "SELECT count(*) AS n FROM run"})["rows"][0][0].get<int>(),
            1);
    }

private:
    QTemporaryDir m_folder;
    CharllmTree m_tree;
    std::string m_database;
};

TRAINSCOPE_TEST(tst_ExportQuery)
#include "tst_ExportQuery.moc"
