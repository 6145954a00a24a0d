// The findings of a database with a planted one: what is listed, said, copied and jumped to.

#include "app/painting/FigureExport.h"
#include "app/viewmodels/figures/FindingsController.h"
#include "app/viewmodels/support/OpenDatabase.h"
#include "app/viewmodels/support/TimelineDatabase.h"
#include "support/TestProgram.h"

#include <fmt/format.h>

using namespace trainscope;
using app::FindingListModel;
using app::Views;

class tst_FindingsController : public QObject, test::OpenDatabase {
    Q_OBJECT

    std::unique_ptr<app::FindingsController> m_controller;

    [[nodiscard]] QVariant cell(int row, const char* role) const {
        return m_controller->findings()->at(row, role);
    }

private Q_SLOTS:
    void initTestCase() { QVERIFY(make(&test::writeTimelineDatabase)); }
    void init() {
        QVERIFY(open());
        m_controller = std::make_unique<app::FindingsController>();
        m_controller->setViews(m_views.get());
    }
    void cleanup() {
        m_controller.reset();
        close();
    }

    void readsTheShownRunsWhenSeen() {
        QAbstractItemModelTester tester(
            m_controller->findings(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QVERIFY(test::settles(*m_workspace));
        QCOMPARE(m_controller->headline(), QString());
        m_controller->setActive(true);
        QTRY_VERIFY(!m_controller->isLoading());
        QCOMPARE(m_controller->errorText(), QString());
        QVERIFY2(m_controller->headline().endsWith(QStringLiteral("in 1 run")),
            qPrintable(m_controller->headline()));
        m_controller->setAllRuns(true);
        QTRY_VERIFY(!m_controller->isLoading());
        QVERIFY(m_controller->headline().endsWith(QStringLiteral("in 2 runs")));
        // One GPU draws 100 W, the other 50 W on average: nobody can miss it.
        QVERIFY(m_controller->findings()->count() > 0);
        QCOMPARE(m_controller->emptyTitle(), QString());
        // Known runs are not read again.
        m_controller->setAllRuns(false);
        QVERIFY(!m_controller->isLoading());
    }

    void everyFindingSaysAll() {
        m_controller->setAllRuns(true);
        m_controller->setActive(true);
        QTRY_VERIFY(!m_controller->isLoading());
        for (int row = 0; row < m_controller->findings()->count(); ++row) {
            for (const char* role : {"text", "rule", "denominator", "run", "severityText"})
                QVERIFY2(!cell(row, role).toString().isEmpty(),
                    qPrintable(cell(row, "text").toString()));
            QCOMPARE(cell(row, "labels").toStringList().size(),
                cell(row, "values").toStringList().size());
            const QString text = m_controller->findings()->textOf(row);
            QVERIFY(text.contains(cell(row, "text").toString()));
            QVERIFY(m_controller->findings()->text().contains(text));
        }
        QCOMPARE(m_controller->findings()->textOf(-1), QString());
        QCOMPARE(m_controller->findings()->rowCount(m_controller->findings()->index(0)), 0);
    }

    void openJumpsToTheEvidence() {
        m_views->setView(Views::Findings);
        m_controller->setAllRuns(true);
        m_controller->setActive(true);
        QTRY_VERIFY(!m_controller->isLoading());
        std::vector<app::Evidence> wanted;
        connect(m_views.get(), &Views::timelineWanted, this,
            [&wanted](const app::Evidence& evidence) { wanted.push_back(evidence); });
        m_controller->open(m_controller->findings()->count());
        QVERIFY(wanted.empty());
        m_controller->open(0);
        QCOMPARE(wanted.size(), std::size_t{1});
        QCOMPARE(m_views->view(), Views::Timeline);
        QVERIFY(wanted[0].run == m_controller->findings()->rows()[0].evidence.run);
    }

    void cancelAndReadAgain() {
        m_controller->setActive(true);
        m_controller->cancel();
        QVERIFY(m_controller->isStopped());
        QCOMPARE(m_controller->emptyTitle(), QString()); // not "nothing stands out"
        m_controller->readAgain();
        QTRY_VERIFY(!m_controller->isLoading() && !m_controller->headline().isEmpty());
    }

    void withoutARunItSaysSo() {
        m_controller->setActive(true);
        m_workspace->setShown({});
        QCOMPARE(m_controller->emptyTitle(), QStringLiteral("Choose a run on the left."));
        QCOMPARE(m_controller->emptyText(), QString());
    }

    void writesAsCsv() {
        m_controller->setAllRuns(true);
        m_controller->setActive(true);
        QTRY_VERIFY(!m_controller->isLoading());
        const QString path = m_folder.filePath(QStringLiteral("findings.csv"));
        const auto figure = m_controller->exportJob().figure({}, {});
        QVERIFY(figure.hasValue() && !figure.value().draw);
        QVERIFY(app::writeNumbers(figure.value(), path).hasValue());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray csv = file.readAll();
        QCOMPARE(csv.count('\n'), m_controller->findings()->count() + 1);
        // In SI at full precision, under the names of findings --json.
        std::size_t numbers = 0;
        for (const auto& row : m_controller->findings()->rows()) {
            numbers += row.numbers.size();
            for (const auto& [name, value] : row.numbers)
                QVERIFY(
                    csv.contains(QByteArray::fromStdString(fmt::format("{}: {}", name, value))));
        }
        QVERIFY(numbers > 0);
    }
};

TRAINSCOPE_GUI_TEST(tst_FindingsController)
#include "tst_FindingsController.moc"
