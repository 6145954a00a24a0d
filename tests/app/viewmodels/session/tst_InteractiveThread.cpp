// The thread that draws the window neither reads nor writes files nor waits: debug builds end the
// program where it does, so that these flows pass only where none of them does it.

#include "app/engine/FakeServer.h"
#include "app/viewmodels/session/Session.h"
#include "app/viewmodels/support/TimelineDatabase.h"
#include "app/viewmodels/text/Texts.h"
#include "app/viewmodels/timeline/TimelineController.h"
#include "app/viewmodels/workspace/FigureExporter.h"
#include "app/viewmodels/workspace/Task.h"
#include "core/figures/runs/RunFigures.h"
#include "core/model/InteractiveThread.h"
#include "core/plot/figures/support/DemoFigures.h"
#include "support/SimulatedEngine.h"
#include "support/TestProgram.h"

#include <sys/resource.h>
#include <unistd.h>

#include <future>
#include <thread>

using namespace trainscope;
using namespace trainscope::app;
using Stage = ImportController::Stage;

namespace {

// Bars, lines and markers of Qt Charts.
class Charts : public Exportable {
public:
    [[nodiscard]] ExportJob exportJob() const override {
        return exportJobOf(QStringLiteral("charts"),
            figures::runFigure(std::make_shared<const plot::FigureData>(test::demoSweep(3, 8))));
    }
};

} // namespace

class tst_InteractiveThread : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_database;

    [[nodiscard]] QString at(const char* name) const {
        return m_folder->filePath(QString::fromUtf8(name));
    }
    void write(const char* name, const QByteArray& content) const {
        QFile file(at(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
    }
    void open(Session& session) const {
        session.openUrl(QUrl::fromLocalFile(m_database));
        QTRY_VERIFY(session.workspace()->isOpen());
    }

private Q_SLOTS:
    void initTestCase() {
        QCoreApplication::setOrganizationName(QStringLiteral("TrainscopeTest"));
        QCoreApplication::setApplicationName(QStringLiteral("tst_InteractiveThread"));
        markInteractiveThread();
    }
    void init() {
        QSettings().clear();
        m_folder = std::make_unique<QTemporaryDir>();
        const auto made = std::async(std::launch::async, [this] {
            return test::writeTimelineDatabase(m_folder->path().toStdString());
        }).get();
        QVERIFY(!made.empty());
        m_database = QString::fromStdString(made.string());
        write(
            "log.csv", "timestamp, index, power.draw [W]\n2024/05/01 12:00:10.000, 0, 300.00 W\n");
    }

    void readersGiveWay() {
        const auto niceness = [] { return getpriority(PRIO_PROCESS, static_cast<id_t>(gettid())); };
        std::promise<int> reader;
        ReaderPool pool;
        pool.post(Urgency::View, {}, [&](const Result<store::Store>&) {
            std::thread([&] {
                giveWayToInteractiveThread(); // its maker's blocking does not add up
                reader.set_value(niceness());
            }).join();
        });
        QCOMPARE(reader.get_future().get(), std::min(niceness() + 10, 19));
    }

    void logsGoIntoTheOpenDatabase() {
        Session session;
        open(session);
        auto& sheet = *session.importing();
        session.openUrl(QUrl::fromLocalFile(at("log.csv")));
        QTRY_COMPARE(sheet.stage(), Stage::Review);
        QVERIFY(sheet.useOpen());
        QCOMPARE(sheet.targetPath(), m_database);
        sheet.start();
        QTRY_COMPARE(sheet.stage(), Stage::Finished);
        QTRY_COMPARE(session.workspace()->runs().size(), std::size_t{3});
    }

    void targetsAreCheckedWhileTheyAreTyped() {
        Session session;
        auto& sheet = *session.importing();
        session.openUrl(QUrl::fromLocalFile(at("log.csv")));
        QTRY_COMPARE(sheet.stage(), Stage::Review);
        QVERIFY(sheet.targetNote().contains(QStringLiteral("new database")));
        sheet.setTargetText(m_database);
        QTRY_VERIFY(sheet.targetNote().contains(QStringLiteral("exists")));
        sheet.checkTargetAgain();
        sheet.start();
        QTRY_COMPARE(sheet.stage(), Stage::Finished);
        QTRY_COMPARE(session.workspace()->databasePath(), m_database);
    }

    void reportsAreWritten_data() {
        const auto row = test::columns<QString>("name");
        row("paper", "r.pdf");
        row("page", "r.html");
    }
    void reportsAreWritten() {
        QFETCH(QString, name);
        Session session;
        open(session);
        const QString path = m_folder->filePath(name);
        const QSignalSpy told(session.maintenance(), &MaintenanceController::informed);
        session.maintenance()->writeReport(QUrl::fromLocalFile(path), 0);
        QTRY_COMPARE_WITH_TIMEOUT(told.count(), 1, 60'000);
        QVERIFY(QFile::exists(path));
    }

    // The form is chosen in the dialog, whose name keeps the suffix that it came with.
    void pagesAreNoPdf() {
        Session session;
        open(session);
        const QSignalSpy told(session.maintenance(), &MaintenanceController::informed);
        session.maintenance()->writeReport(QUrl::fromLocalFile(at("page.pdf")), 2);
        QTRY_COMPARE_WITH_TIMEOUT(told.count(), 1, 60'000);
        QVERIFY(QFile::exists(at("page.html")));
        QVERIFY(!QFile::exists(at("page.pdf")));
    }

    void reportsAskBeforeTheyReplace() {
        Session session;
        open(session);
        const QString path = at("mine.html");
        QFile mine(path);
        QVERIFY(mine.open(QIODevice::WriteOnly));
        mine.write("mine");
        mine.close();
        QSignalSpy asked(session.maintenance(), &MaintenanceController::replaceWanted);
        session.maintenance()->writeReport(QUrl::fromLocalFile(path), 2);
        QTRY_COMPARE_WITH_TIMEOUT(asked.count(), 1, 60'000);
        QCOMPARE(asked.first().at(1).toString(), QStringLiteral("mine.html"));
        QVERIFY(mine.open(QIODevice::ReadOnly));
        QCOMPARE(mine.readAll(), QByteArray("mine"));
        mine.close();
        const QSignalSpy told(session.maintenance(), &MaintenanceController::informed);
        session.maintenance()->writeReport(
            asked.first().at(0).toUrl(), asked.first().at(2).toInt(), true);
        QTRY_COMPARE_WITH_TIMEOUT(told.count(), 1, 60'000);
        QVERIFY(mine.open(QIODevice::ReadOnly));
        QVERIFY(mine.readAll() != QByteArray("mine"));
    }

    // Their program is built for tests where its compiler is installed.
    void webPagesAreWritten() {
        Session session;
        open(session);
        MaintenanceController& work = *session.maintenance();
        QVERIFY(work.pageFile().fileName().startsWith(QStringLiteral("page-")));
        const QString path = at("of it.html");
        const QSignalSpy told(&work, &MaintenanceController::informed);
        const QSignalSpy failed(&work, &MaintenanceController::failed);
        work.writePage(QUrl::fromLocalFile(path));
        QTRY_COMPARE_WITH_TIMEOUT(told.count() + failed.count(), 1, 120'000);
        if (!failed.isEmpty()) {
            const auto error = failed.first().first().value<Error>();
            QVERIFY2(error.message.find("trainscope_page") != std::string::npos,
                error.describe().c_str());
            QSKIP("The program of pages is not built here.");
        }
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray page = file.readAll();
        QCOMPARE(told.first().first().toString(),
            QStringLiteral("The web page was saved as %1: %2.")
                .arg(path, bytesText(static_cast<std::uint64_t>(page.size()))));
        for (const char* part : {"d-program", "d-tables", "d-summary-0", "d-figure-0"})
            QVERIFY2(page.contains(QByteArray("id=\"") + part + '"'), part);

        QSignalSpy asked(&work, &MaintenanceController::replaceWanted);
        work.writePage(QUrl::fromLocalFile(path));
        QTRY_COMPARE_WITH_TIMEOUT(asked.count(), 1, 60'000);
        QVERIFY(file.remove());
        work.writeReport(asked.first().at(0).toUrl(), asked.first().at(2).toInt(), true);
        QTRY_COMPARE_WITH_TIMEOUT(told.count(), 2, 120'000);
        QVERIFY(file.exists());
    }

    void stoppedWebPagesAreNotThere() {
        Session session;
        open(session);
        MaintenanceController& work = *session.maintenance();
        const QSignalSpy told(&work, &MaintenanceController::informed);
        work.writePage(QUrl::fromLocalFile(at("stopped.html")));
        work.stop();
        QTRY_VERIFY_WITH_TIMEOUT(!work.working(), 60'000);
        QCOMPARE(told.count(), 1);
        QVERIFY(!QFile::exists(at("stopped.html")));
    }

    // Whoever leaves while charts are painted does not wait for ever.
    void reportsEndWithTheSession() {
        Session session;
        open(session);
        session.maintenance()->writeReport(QUrl::fromLocalFile(at("r.html")), 0);
    }

    void chartsAreExported_data() {
        const auto row = test::columns<QString>("name");
        for (const char* name : {"x.pdf", "x.svg", "x.png", "x.csv"})
            row(name, QString::fromLatin1(name));
    }
    void chartsAreExported() {
        QFETCH(QString, name);
        Charts charts;
        FigureExporter exporter;
        exporter.setSource(&charts);
        exporter.prepare();
        QTRY_VERIFY(!exporter.path().isEmpty());
        const QSignalSpy done(&exporter, &FigureExporter::finished);
        exporter.setPath(m_folder->filePath(name));
        exporter.exportOrAsk();
        QTRY_COMPARE_WITH_TIMEOUT(done.count(), 1, 60'000);
        QCOMPARE(exporter.lastError(), QString());
        QTRY_VERIFY(exporter.overwrites());
    }

    void exportsEndWithTheirDialog() {
        Charts charts;
        FigureExporter exporter;
        exporter.setSource(&charts);
        exporter.exportTo(at("x.pdf"));
    }

    void enginesAreLetGo() {
        test::SimulatedEngine engine;
        engine.add({{"__name__", "DCGM_FI_DEV_POWER_USAGE"}, {"Hostname", "n1"}, {"gpu", "0"},
                       {"UUID", "GPU-0"}, {"job", "dcgm"}},
            1'795'341'600'000, 1000, 60, [](int i) { return 100 + i; });
        test::FakeServer server([&engine](const test::Asked& asked) -> test::Answered {
            auto answer = engine.ask(asked.path, asked.parameters);
            return {answer.status, QByteArray::fromStdString(answer.body), {}, 0, -1};
        });
        Session session;
        TimelineController timeline;
        timeline.setWorkspace(session.workspace());
        timeline.setViewSize(800, 600, 1.0);
        auto& connecting = *session.connecting();
        connecting.say(QStringLiteral("address"), QString::fromStdString(server.url()));
        connecting.say(QStringLiteral("from"), QStringLiteral("1795341600"));
        connecting.say(QStringLiteral("to"), QStringLiteral("1795341660"));
        connecting.say(QStringLiteral("target"), at("linked.trainscope"));
        connecting.start();
        QTRY_VERIFY(timeline.isReady());
        QTRY_VERIFY(!timeline.isAsking());
        session.closeDatabase();
        QVERIFY(!timeline.isReady());
    }

    void viewsAreRemembered() {
        Session session;
        open(session);
        session.views()->setView(Views::Query);
        TimelineController timeline;
        timeline.setWorkspace(session.workspace());
        QTRY_VERIFY(timeline.isReady());
        timeline.navigation()->setTimeDisplay(static_cast<int>(plot::TimeDisplay::Utc));
    }
};

TRAINSCOPE_GUI_TEST(tst_InteractiveThread)
#include "tst_InteractiveThread.moc"
