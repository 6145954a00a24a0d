// SQL in the window: answers, errors with their place, refusals, stopping, sorting, copying,
// exporting, and what is remembered.

#include "app/viewmodels/query/QueryController.h"
#include "app/viewmodels/support/OpenDatabase.h"
#include "app/viewmodels/support/TimelineDatabase.h"
#include "support/TestProgram.h"

using namespace trainscope;
using app::QueryController;
using app::Views;

class tst_QueryController : public QObject {
    Q_OBJECT

    test::OpenDatabase m_database;
    std::unique_ptr<QueryController> m_controller;

    void makeController() {
        m_controller = std::make_unique<QueryController>();
        m_controller->setViews(&m_database.views());
        m_controller->setActive(true);
    }
    bool answers(const char* sql) {
        m_controller->run(QString::fromUtf8(sql));
        return QTest::qWaitFor([this] { return !m_controller->isLoading(); }, 60'000)
            && m_controller->errorText().isEmpty();
    }
    // A thread reads for it: a job of a lower urgency, posted now, begins after it.
    bool isUnderWay() {
        auto& readers = m_database.workspace().readers();
        const auto begun = std::make_shared<bool>(false);
        readers.post(app::Urgency::Background, readers.database(),
            [&readers, begun](const auto&) { readers.reply([begun] { *begun = true; }); });
        return QTest::qWaitFor([begun] { return *begun; });
    }
    [[nodiscard]] QString text() const { return m_controller->textOf(0, 100); }

private Q_SLOTS:
    void initTestCase() { QVERIFY(m_database.make(test::writeTimelineDatabase)); }
    void init() {
        QVERIFY(m_database.open());
        makeController();
    }
    void cleanup() {
        m_controller.reset();
        m_database.close();
    }

    void answersWithATable() {
        QVERIFY(!m_controller->isAnswered());
        QVERIFY(answers("SELECT rank, avg(value) AS mean FROM samples WHERE metric='gpu_power' AND "
                        "run='small' GROUP BY rank"));
        QCOMPARE(text(), QStringLiteral("rank\tmean\n0\t100\n1\t50\n"));
        QVERIFY(m_controller->outcome().startsWith(QStringLiteral("2 rows · ")));
        QCOMPARE(m_controller->cutText(), QString());
        QVERIFY(answers("SELECT 1 AS one"));
        QVERIFY(m_controller->outcome().startsWith(QStringLiteral("1 row · ")));
    }

    // gemm twice and one all-reduce on stream 7, in the iterations 5 and 6.
    void knowsTheComputedColumns() {
        QVERIFY(
            answers("SELECT stream, category, iteration FROM spans WHERE kind='kernel' ORDER BY "
                    "start_ns"));
        QCOMPARE(text(),
            QStringLiteral(
                "stream\tcategory\titeration\n7\tgemm\t5\n7\tall_reduce\t5\n7\tgemm\t6\n"));
    }

    void errorsNameTheirPlace() {
        m_controller->run(QStringLiteral("SELECT 1,\n  nowhere FROM run"));
        QTRY_VERIFY(!m_controller->isLoading());
        QCOMPARE(m_controller->errorText(),
            QStringLiteral("line 2, column 3: SQL: no such column: nowhere."));
        // The last answer stays to be seen, and the next one takes the error away.
        QVERIFY(answers("SELECT 1"));
        QCOMPARE(m_controller->errorText(), QString());
    }

    void writingIsRefused() {
        for (const char* sql : {"DELETE FROM run", "CREATE TABLE t(a)", "PRAGMA user_version=9"}) {
            m_controller->run(QString::fromUtf8(sql));
            QTRY_VERIFY(!m_controller->isLoading());
            VERIFY_SAYS(m_controller->errorText(), "may only read");
        }
        QVERIFY(answers("SELECT count(*) FROM run"));
        QCOMPARE(text(), QStringLiteral("count(*)\n2\n"));
    }

    void stopEndsTheQuery() {
        QVERIFY(answers("SELECT 7 AS seven"));
        m_controller->run(QStringLiteral("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 "
                                         "FROM n) SELECT sum(i) FROM n"));
        QVERIFY(isUnderWay());
        QVERIFY(m_controller->isLoading());
        m_controller->stop();
        QVERIFY(!m_controller->isLoading() && m_controller->isStopped());
        QCOMPARE(text(), QStringLiteral("seven\n7\n")); // the last answer stays
        // The thread is free again: as many as there are would wait else.
        for (int i = 0; i < app::ReaderPool::kThreads + 1; ++i) {
            m_controller->run(QStringLiteral("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT "
                                             "i+1 FROM n) SELECT sum(i) FROM n"));
            QVERIFY(isUnderWay());
        }
        QVERIFY(answers("SELECT 8 AS eight"));
        QCOMPARE(text(), QStringLiteral("eight\n8\n"));
    }

    void keepsTheFirstRowsOfMany() {
        QVERIFY(answers("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE "
                        "i<1000100) SELECT i FROM n"));
        QCOMPARE(m_controller->table()->count(), 1'000'000);
        QVERIFY(m_controller->cutText().contains(QStringLiteral("1,000,000")));
        // The whole of it is written all the same; the dialog of figures says that it cannot.
        const QString file = m_database.folder().filePath(QStringLiteral("many.csv"));
        m_controller->exportCsv(QUrl::fromLocalFile(file));
        QVERIFY(m_controller->isExporting());
        QTRY_VERIFY_WITH_TIMEOUT(!m_controller->isExporting(), 60'000);
        QFile written(file);
        QVERIFY(written.open(QIODevice::ReadOnly));
        QCOMPARE(written.readAll().count('\n'), 1'000'101);
        figures::Request request;
        request.numbers = true;
        QVERIFY(!m_controller->exportJob().figure(request, {}).hasValue());
    }

    void sortsByAColumn() {
        QVERIFY(answers("SELECT * FROM (VALUES (2,'b'),(1,'a'),(3,'c'))"));
        auto* table = m_controller->table();
        const auto sorts = [&](int column, bool descending) {
            table->sortBy(0);
            return QTest::qWaitFor([&] {
                return table->sortColumn() == column && table->isDescending() == descending;
            });
        };
        QVERIFY(sorts(0, false));
        QCOMPARE(text().section(QLatin1Char('\n'), 1), QStringLiteral("1\ta\n2\tb\n3\tc\n"));
        QVERIFY(sorts(0, true));
        QCOMPARE(text().section(QLatin1Char('\n'), 1), QStringLiteral("3\tc\n2\tb\n1\ta\n"));
        QVERIFY(sorts(-1, false));
        QCOMPARE(text().section(QLatin1Char('\n'), 1), QStringLiteral("2\tb\n1\ta\n3\tc\n"));
    }

    void exportsAsTheCommandLineDoes() {
        QVERIFY(answers("SELECT 1 AS i, 0.5 AS r, 'a,\"b' AS t, NULL AS n, x'0aff' AS b"));
        const QString path = m_database.folder().filePath(QStringLiteral("one.csv"));
        m_controller->exportCsv(QUrl::fromLocalFile(path));
        QTRY_VERIFY(!m_controller->isExporting());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("i,r,t,n,b\n1,0.5,\"a,\"\"b\",,0aff\n"));
        QVERIFY(m_controller->outcome().contains(QStringLiteral("one.csv")));
        figures::Request request;
        const auto figure = m_controller->exportJob().figure(request, {});
        QVERIFY(figure.hasValue());
        QCOMPARE(QByteArray::fromStdString(figure.value().csv()),
            QByteArray("i,r,t,n,b\n1,0.5,\"a,\"\"b\",,0aff\n"));
    }

    void asksBeforeItReplaces() {
        QVERIFY(answers("SELECT 1 AS one"));
        const QString path = m_database.folder().filePath(QStringLiteral("mine.csv"));
        QFile mine(path);
        QVERIFY(mine.open(QIODevice::WriteOnly));
        mine.write("mine");
        mine.close();
        QSignalSpy asked(m_controller.get(), &QueryController::replaceWanted);
        m_controller->exportCsv(QUrl::fromLocalFile(path));
        QTRY_COMPARE(asked.count(), 1);
        QCOMPARE(asked.first().at(1).toString(), QStringLiteral("mine.csv"));
        QVERIFY(mine.open(QIODevice::ReadOnly));
        QCOMPARE(mine.readAll(), QByteArray("mine"));
        mine.close();
        m_controller->exportCsv(asked.first().first().toUrl(), true);
        QTRY_VERIFY(!m_controller->isExporting());
        QVERIFY(mine.open(QIODevice::ReadOnly));
        QCOMPARE(mine.readAll(), QByteArray("one\n1\n"));
    }

    void exportsThatFailSaySo() {
        QVERIFY(answers("SELECT 1"));
        QSignalSpy failed(&m_database.views(), &Views::failed);
        m_controller->exportCsv(QUrl::fromLocalFile(QStringLiteral("/nowhere/at/all.csv")));
        QTRY_VERIFY(!m_controller->isExporting());
        QCOMPARE(failed.count(), 1);
    }

    void chartOfTheColumnsOfNumbers() {
        QVERIFY(
            answers("SELECT metric, time_ns, value FROM samples WHERE run='small' AND rank=1 AND "
                    "metric='gpu_power' ORDER BY time_ns"));
        QVERIFY(!m_controller->isReady());
        m_controller->setChartShown(true);
        QVERIFY(m_controller->isReady());
        const auto& settings = m_controller->settings()->rows(); // across, up, line
        QCOMPARE(settings[0].choices, test::texts("time_ns", "value"));
        QCOMPARE(settings[0].current, 0);
        QCOMPARE(settings[1].current, 1);
        QCOMPARE(settings[2].current, 1);
        QCOMPARE(m_controller->title(), QStringLiteral("value against time_ns"));
        m_controller->choose(QStringLiteral("chartX"), 1);
        m_controller->choose(QStringLiteral("chartY"), 0);
        QCOMPARE(m_controller->title(), QStringLiteral("time_ns against value"));
        // Another answer with these columns keeps the choice.
        QVERIFY(answers("SELECT metric, time_ns, value FROM samples WHERE run='small' AND rank=0"));
        QCOMPARE(m_controller->title(), QStringLiteral("time_ns against value"));
        QVERIFY(answers("SELECT metric FROM samples LIMIT 1"));
        QVERIFY(!m_controller->isReady());
        QVERIFY(!m_controller->emptyText().isEmpty());
    }

    // Asked of temperatures: in the run "small" rank 0 has 10 samples of 50 °C and one that is
    // missing, rank 1 has 11 of 60 °C. All are above 90 % of their own GPU's peak.
    void anExampleCountsByTheGpusOwnPeak() {
        const auto* examples = m_controller->examples();
        QString sql;
        for (int row = 0; row < examples->count(); ++row) {
            if (examples->at(row, "title").toString().contains(QStringLiteral("90 %")))
                sql = examples->at(row, "sql").toString();
        }
        sql.replace(QStringLiteral("gpu_power"), QStringLiteral("gpu_temperature"));
        QVERIFY(answers(qPrintable(sql)));
        QCOMPARE(text(), QStringLiteral("run\trank\tsamples_above\nsmall\t1\t11\nsmall\t0\t10\n"));
    }

    void everyExampleIsAnswered() {
        for (int row = 0; row < m_controller->examples()->count(); ++row) {
            const auto sql = m_controller->examples()->at(row, "sql").toString();
            QVERIFY2(answers(qPrintable(sql)), qPrintable(m_controller->errorText()));
        }
    }

    void listsTheTables() {
        auto* schema = m_controller->schema();
        QTRY_VERIFY(schema->count() > 0);
        QCOMPARE(schema->at(0, "name").toString(), QStringLiteral("samples"));
        QCOMPARE(schema->at(1, "name").toString(), QStringLiteral("run"));
        const int open = schema->count();
        schema->toggle(1); // a column closes its table
        QCOMPARE(schema->count(), open - 8);
        QCOMPARE(schema->at(1, "name").toString(), QStringLiteral("spans"));
        schema->toggle(0);
        QCOMPARE(schema->count(), open);
        schema->toggle(-1);
        QCOMPARE(schema->count(), open);
    }

    void remembersTextAndHistory() {
        m_controller->setSql(QStringLiteral("SELECT 5"));
        QVERIFY(answers("SELECT 5"));
        QVERIFY(answers("SELECT 6"));
        QVERIFY(answers("SELECT 5"));
        m_controller->setChartShown(true);
        const auto past = [this] {
            QStringList lines;
            for (int row = 0; row < m_controller->history()->count(); ++row)
                lines.append(m_controller->history()->at(row, "line").toString());
            return lines.join(QLatin1Char('|'));
        };
        QCOMPARE(past(), QStringLiteral("SELECT 5|SELECT 6"));
        m_controller.reset();
        makeController();
        QCOMPARE(m_controller->sql(), QStringLiteral("SELECT 5"));
        QCOMPARE(past(), QStringLiteral("SELECT 5|SELECT 6"));
        QVERIFY(m_controller->isChartShown());
        std::function<void()> undo;
        connect(&m_database.views(), &Views::undoOffered, this,
            [&undo](const QString&, const std::function<void()>& offered) { undo = offered; });
        m_controller->clearHistory();
        QCOMPARE(m_controller->history()->count(), 0);
        QVERIFY(undo);
        undo();
        QCOMPARE(past(), QStringLiteral("SELECT 5|SELECT 6"));
        m_controller->clearHistory();
        QVERIFY(m_database.views()
                    .settings(QStringLiteral("query"))
                    .value(QStringLiteral("history"))
                    .toArray()
                    .isEmpty());
    }
    // Controls in cells and in SQL's names of columns are shown as signs; a copy has what the
    // database has.
    void controlsAreShownAsSigns() {
        QVERIFY(answers("SELECT char(8238)||'x', char(27)||char(9)||'y'||char(10), 1 AS "
                        "\"a\u202E\x1b\", 2 AS \"b\nc\""));
        auto* table = m_controller->table();
        const auto cell
            = [table](int column) { return table->at(0, "cells").toStringList().value(column); };
        QCOMPARE(cell(0), QStringLiteral("\uFFFDx"));
        QCOMPARE(cell(1), QStringLiteral("\u241B y "));
        QCOMPARE(table->heads()->titles().mid(2), test::texts("a\uFFFD\u241B", "b c"));
        QVERIFY(text().contains(QStringLiteral("\u202Ex\t\x1b y")));
        m_controller->setChartShown(true);
        QCOMPARE(m_controller->settings()->rows()[0].choices, table->heads()->titles().mid(2));
        QCOMPARE(m_controller->title(), QStringLiteral("b c against a\uFFFD\u241B"));
        m_controller->run(QStringLiteral("SELECT \"\u202E\x1b\".a"));
        QTRY_VERIFY(!m_controller->isLoading());
        QVERIFY(m_controller->errorText().contains(QStringLiteral("\uFFFD\u241B")));
    }

    void aCopyOfManyRowsSaysThatItIsCut() {
        QVERIFY(answers("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE "
                        "i<100001) SELECT i FROM n"));
        QCOMPARE(m_controller->text().count(QLatin1Char('\n')), 1 + QueryController::kMostCopied);
        QVERIFY(m_controller->outcome().contains(QStringLiteral("only the first 100,000 copied")));
        QVERIFY(answers("SELECT 8 AS eight"));
        QCOMPARE(m_controller->text(), QStringLiteral("eight\n8\n"));
        QVERIFY(!m_controller->outcome().contains(QStringLiteral("copied")));
    }
};

TRAINSCOPE_GUI_TEST(tst_QueryController)
#include "tst_QueryController.moc"
