// The window's flow from end to end without a window: drop, review, import, report, runs, rename,
// remove, recent files, refusals.

#include "app/viewmodels/session/RunListModel.h"
#include "app/viewmodels/session/Session.h"
#include "app/viewmodels/support/OpenWorkspace.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::app;
using Stage = ImportController::Stage;

class tst_Session : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void importsWhatIsDropped();
    void refusesWhatIsNoDatabase();
    void whatIsTakenAwayCanComeBack();
    void nothingRecognised();
    void cancelledReviewWritesNothing();
    void runsAreFilteredAndChosen();
    void renameAndRemove();
    void checkAndCompact();
    void stoppingLeavesTheDatabase();
    void tellsOfADatabaseThatIsTakenAway();
    void coloursStay();
    void theLastOneIsOpened();
    void runsAreNamedBelowTheirFolders();
    void aRecentFileThatComesBack();
    void databasesAreMerged();
    void theOpenDatabaseIsNotMergedIntoItself();

private:
    [[nodiscard]] QString path(const QString& name) const { return m_folder->filePath(name); }
    void write(const QString& name, const QByteArray& content) const;
    // Two logs of one GPU each, 4 samples.
    void writeLogs() const;
    void importLogs(Session& session) const;
    std::unique_ptr<QTemporaryDir> m_folder;
};

static bool waitFor(Session& session, Stage stage) {
    return QTest::qWaitFor([&] { return session.importing()->stage() == stage; }, 20000);
}

void tst_Session::initTestCase() {
    QCoreApplication::setOrganizationName(QStringLiteral("TrainscopeTest"));
    QCoreApplication::setApplicationName(QStringLiteral("tst_Session"));
}

void tst_Session::init() {
    QSettings().clear();
    m_folder = std::make_unique<QTemporaryDir>();
}

void tst_Session::write(const QString& name, const QByteArray& content) const {
    QFile file(path(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(content);
}

void tst_Session::writeLogs() const {
    QByteArray log("timestamp, index, name, power.draw [W]\n");
    for (int second = 10; second < 14; ++second)
        log += "2024/05/01 12:00:" + QByteArray::number(second)
            + ".000, 0, NVIDIA H100, 300.00 W\n";
    write(QStringLiteral("one log.csv"), log);
    write(QStringLiteral("two.csv"), log.replace("300.00", "400.00"));
    write(QStringLiteral("picture.jpg"), QByteArray("\xff\xd8\xff\xe0 JFIF", 9));
}

void tst_Session::importLogs(Session& session) const {
    writeLogs();
    session.openUrls({QUrl::fromLocalFile(m_folder->path())});
    QVERIFY(waitFor(session, Stage::Review));
    session.importing()->setTarget(QUrl::fromLocalFile(path(QStringLiteral("out"))));
    session.importing()->start();
    QVERIFY(waitFor(session, Stage::Finished));
    session.importing()->cancel();
    QTRY_COMPARE(session.workspace()->runs().size(), std::size_t(2));
}

void tst_Session::importsWhatIsDropped() {
    writeLogs();
    Session session;
    // As a file manager writes it, with a blank in the name.
    const auto encoded
        = QUrl::fromEncoded(QUrl::fromLocalFile(path(QStringLiteral("one log.csv"))).toEncoded());
    session.openUrls({encoded, QUrl::fromLocalFile(path(QStringLiteral("two.csv"))),
        QUrl::fromLocalFile(path(QStringLiteral("picture.jpg")))});
    QCOMPARE(session.importing()->stage(), Stage::Planning);
    // A dialog that tells its choice twice is no other import.
    session.openUrls({encoded, QUrl::fromLocalFile(path(QStringLiteral("two.csv"))),
        QUrl::fromLocalFile(path(QStringLiteral("picture.jpg")))});
    QCOMPARE(session.notices()->count(), 0);
    QVERIFY(waitFor(session, Stage::Review));
    QCOMPARE(session.importing()->plan()->count(), 2);
    QCOMPARE(session.importing()->unrecognised()->count(), 1);
    // Nothing is written before the import is started.
    const auto target = session.importing()->targetPath();
    QCOMPARE(target, path(QStringLiteral("one log.trainscope")));
    QVERIFY(!QFile::exists(target));
    session.importing()->plan()->set({0, 1}, QStringLiteral("zone"), QStringLiteral("+2"));
    session.importing()->start();
    QVERIFY(waitFor(session, Stage::Finished));

    QTRY_COMPARE(session.workspace()->databasePath(), target);
    QCOMPARE(session.workspace()->runs().size(), std::size_t(2));
    // 12:00:10 at UTC+2 is 10:00:10 UTC.
    const auto begin = session.workspace()->runs().front().range.begin;
    QCOMPARE(begin.ns, 1714557610LL * 1'000'000'000LL);
    QCOMPARE(session.importing()->report()->count(), 2);
    QCOMPARE(session.recent()->paths(), QStringList{target});
    // The report can be read again from the database.
    session.readReports();
    QTRY_COMPARE(session.reports()->count(), 2);
    QVERIFY(session.reports()->text().contains(QStringLiteral("Rows read: 4")));
}

void tst_Session::refusesWhatIsNoDatabase() {
    write(QStringLiteral("photo.trainscope"), QByteArray("\xff\xd8\xff\xe0 JFIF", 9));
    Session session;
    QSignalSpy notices(session.notices(), &NoticeModel::countChanged);
    session.openPaths({path(QStringLiteral("photo.trainscope"))});
    QTRY_COMPARE(session.notices()->count(), 1);
    QVERIFY(session.notices()->textOf(0).contains(QStringLiteral("photo.trainscope")));
    QVERIFY(!session.workspace()->isOpen());
    QCOMPARE(session.recent()->count(), 0);
    session.notices()->dismiss(0);
    QCOMPARE(session.notices()->count(), 0);
    session.openUrls({QUrl(QStringLiteral("https://example.org/run.trainscope"))});
    QCOMPARE(session.notices()->count(), 1);
}

void tst_Session::whatIsTakenAwayCanComeBack() {
    Session session;
    int back = 0;
    QObject view;
    session.views()->offerUndo(QStringLiteral("Gone."), &view, [&back] { ++back; });
    session.notices()->inform(QStringLiteral("Copied."));
    QVERIFY(session.notices()->at(0, "undoable").toBool());
    QVERIFY(!session.notices()->at(1, "undoable").toBool());
    session.notices()->undo(0);
    QCOMPARE(back, 1);
    QCOMPARE(session.notices()->count(), 1);
    session.notices()->undo(0);
    QCOMPARE(back, 1);
    // Not into a view that has gone, nor into another database.
    {
        QObject gone;
        session.views()->offerUndo(QStringLiteral("Gone."), &gone, [&back] { ++back; });
    }
    session.notices()->undo(session.notices()->count() - 1);
    QCOMPARE(back, 1);
    session.views()->offerUndo(QStringLiteral("Gone."), &view, [&back] { ++back; });
    const int before = session.notices()->count();
    session.notices()->withdrawUndo();
    QCOMPARE(session.notices()->count(), before - 1);
}

void tst_Session::nothingRecognised() {
    write(QStringLiteral("notes.txt"), "just words\n");
    Session session;
    session.openPaths({path(QStringLiteral("notes.txt"))});
    QVERIFY(waitFor(session, Stage::Review));
    QCOMPARE(session.importing()->plan()->count(), 0);
    QCOMPARE(session.importing()->unrecognised()->count(), 1);
    QVERIFY(!session.importing()->plan()->valid());
    session.openPaths({path(QStringLiteral("gone"))});
    QVERIFY(QTest::qWaitFor([&] { return session.notices()->count() == 1; }));
    QCOMPARE(session.importing()->stage(), Stage::Idle);
}

void tst_Session::cancelledReviewWritesNothing() {
    writeLogs();
    Session session;
    session.openPaths({m_folder->path()});
    QVERIFY(waitFor(session, Stage::Review));
    const auto target = session.importing()->targetPath();
    session.importing()->cancel();
    QCOMPARE(session.importing()->stage(), Stage::Idle);
    QVERIFY(!QFile::exists(target));
}

void tst_Session::runsAreFilteredAndChosen() {
    Session session;
    importLogs(session);
    RunListModel runs;
    QAbstractItemModelTester tester(&runs, QAbstractItemModelTester::FailureReportingMode::QtTest);
    runs.setWorkspace(session.workspace());
    QCOMPARE(runs.count(), 2);
    runs.setFilter(QStringLiteral("TWO h100"));
    QCOMPARE(runs.count(), 1);
    QCOMPARE(runs.nameAt(0), QStringLiteral("two"));
    QCOMPARE(runs.countText(), QStringLiteral("1 of 2 runs"));
    runs.showOnly(0);
    QCOMPARE(session.workspace()->shownRuns().size(), std::size_t(1));
    QCOMPARE(session.workspace()->shownRuns().front().name, std::string("two"));
    runs.setFilter({});
    runs.toggle(0);
    QCOMPARE(session.workspace()->shownRuns().size(), std::size_t(2));
    runs.toggle(0);
    runs.toggle(1); // the last one stays
    QCOMPARE(session.workspace()->shownRuns().size(), std::size_t(1));
}

void tst_Session::renameAndRemove() {
    Session session;
    importLogs(session);
    session.maintenance()->renameRun(QStringLiteral("two"), QStringLiteral(" deux "));
    QVERIFY(QTest::qWaitFor([&] { return session.workspace()->runs().front().name == "deux"; }));
    session.maintenance()->renameRun(QStringLiteral("deux"), QStringLiteral("one log"));
    QVERIFY(QTest::qWaitFor([&] { return !session.maintenance()->working(); }));
    QCOMPARE(session.workspace()->runs().size(), std::size_t(2));
    session.maintenance()->removeRuns({QStringLiteral("one log")});
    QVERIFY(session.maintenance()->working());
    QVERIFY(QTest::qWaitFor([&] { return session.workspace()->runs().size() == 1; }));
    QVERIFY(!session.maintenance()->showing());
    QVERIFY(session.notices()->count() > 0);
}

void tst_Session::checkAndCompact() {
    Session session;
    importLogs(session);
    MaintenanceController& maintenance = *session.maintenance();
    maintenance.check();
    QVERIFY(QTest::qWaitFor([&] { return !maintenance.working(); }));
    QTRY_VERIFY(maintenance.showing());
    QVERIFY2(maintenance.headline().startsWith(QStringLiteral("The database is whole.")),
        qPrintable(maintenance.headline()));
    QVERIFY(maintenance.details().isEmpty());
    maintenance.dismiss();
    QVERIFY(!maintenance.showing());
    const int before = session.notices()->count();
    maintenance.vacuum();
    QTRY_COMPARE(session.notices()->count(), before + 1);
    QCOMPARE(session.workspace()->runs().size(), std::size_t(2));
}

void tst_Session::tellsOfADatabaseThatIsTakenAway() {
    Session session;
    importLogs(session);
    const int before = session.notices()->count();
    const QString database = session.workspace()->databasePath();
    QVERIFY(QFile::rename(database, database + QStringLiteral(".away")));
    QTRY_VERIFY(session.notices()->count() > before);
}

// Asked to stop at once, the work either ends before it hears of it or leaves everything.
void tst_Session::stoppingLeavesTheDatabase() {
    Session session;
    importLogs(session);
    const QString name = QString::fromStdString(session.workspace()->runs().front().name);
    session.maintenance()->removeRuns({name});
    session.maintenance()->stop();
    QVERIFY(QTest::qWaitFor([&] { return !session.maintenance()->working(); }));
    QTRY_VERIFY(session.notices()->count() > 0);
    const std::size_t left = session.workspace()->runs().size();
    QVERIFY(left == 1 || left == 2);
}

void tst_Session::coloursStay() {
    Session session;
    importLogs(session);
    auto* workspace = session.workspace();
    const auto first = workspace->runs()[0].id;
    const auto second = workspace->runs()[1].id;
    workspace->setShown({second});
    QCOMPARE(workspace->shownRuns()[0].color, std::size_t(0));
    workspace->setShown({first, second});
    QCOMPARE(workspace->shownRuns()[0].id, first);
    QCOMPARE(workspace->shownRuns()[0].color, std::size_t(1));
    QCOMPARE(workspace->shownRuns()[1].color, std::size_t(0));
}

// A path that has to be looked at first is known later than the one asked for after it.
void tst_Session::theLastOneIsOpened() {
    const QString first = path(QStringLiteral("first.trainscope"));
    const QString second = path(QStringLiteral("second.trainscope"));
    for (const QString& file : {first, second})
        QVERIFY(store::Store::openOrCreate(file.toStdString()).hasValue());
    Session session;
    session.openPaths({first});
    session.openRecent(second);
    QTRY_COMPARE(session.workspace()->databasePath(), second);
    QVERIFY(test::settles(*session.workspace()));
    QCOMPARE(session.workspace()->databasePath(), second);
    session.openPaths({first});
    session.closeDatabase();
    QVERIFY(test::settles(*session.workspace()));
    QVERIFY(!session.workspace()->isOpen());
    session.openPaths({first});
    QTRY_COMPARE(session.workspace()->databasePath(), first);
}

// Also where the folders are given with a slash behind them, as a shell completes them.
void tst_Session::runsAreNamedBelowTheirFolders() {
    QByteArray power;
    for (int second = 0; second < 20; ++second)
        power += QByteArray::number(1'714'564'800 + second) + ",300.0\n";
    for (const QString& run : {QStringLiteral("north/m_1_00"), QStringLiteral("south/m_2_00")}) {
        QVERIFY(QDir(m_folder->path()).mkpath(run));
        write(run + QStringLiteral("/gpu_power_0.csv"), power);
    }
    Session session;
    session.openPaths({path(QStringLiteral("north/")), path(QStringLiteral("south/"))});
    QVERIFY(waitFor(session, Stage::Review));
    QStringList names;
    for (int row = 0; row < session.importing()->plan()->count(); ++row)
        names.append(session.importing()->plan()->at(row, "runName").toString());
    QCOMPARE(names, test::texts("m_1_00", "m_2_00"));
}

void tst_Session::aRecentFileThatComesBack() {
    const QString file = path(QStringLiteral("first.trainscope"));
    RecentFiles recent;
    recent.add(file);
    QTRY_VERIFY(recent.at(0, "missing").toBool());
    write(QStringLiteral("first.trainscope"), {});
    recent.add(file); // it was opened again
    QTRY_VERIFY(!recent.at(0, "missing").toBool());
}

// Two run databases that are dropped with a folder become runs of one.
void tst_Session::databasesAreMerged() {
    Session session;
    const auto importAlone = [&](const QString& run) {
        writeLogs();
        QVERIFY(QFile::rename(path(QStringLiteral("two.csv")), path(run + QStringLiteral(".csv"))));
        session.openPaths({path(run + QStringLiteral(".csv"))});
        QVERIFY(waitFor(session, Stage::Review));
        session.importing()->setTarget(QUrl::fromLocalFile(path(run)));
        session.importing()->start();
        QVERIFY(waitFor(session, Stage::Finished));
        session.importing()->cancel();
        QTRY_COMPARE(
            session.workspace()->databasePath(), path(run + QStringLiteral(".trainscope")));
        session.closeDatabase();
        QTRY_VERIFY(!session.workspace()->isOpen());
    };
    importAlone(QStringLiteral("a"));
    importAlone(QStringLiteral("b"));
    QVERIFY(QDir(m_folder->path()).mkdir(QStringLiteral("more")));
    QVERIFY(QFile::rename(
        path(QStringLiteral("one log.csv")), path(QStringLiteral("more/one log.csv"))));
    session.openPaths({path(QStringLiteral("a.trainscope")), path(QStringLiteral("more")),
        path(QStringLiteral("b.trainscope"))});
    QVERIFY(waitFor(session, Stage::Review));
    ImportController& sheet = *session.importing();
    QCOMPARE(sheet.plan()->count(), 3);
    QCOMPARE(sheet.unrecognised()->count(), 0);
    QCOMPARE(sheet.problem(), QString());
    QCOMPARE(sheet.targetPath(), path(QStringLiteral("merged.trainscope")));
    ImportGroupModel& groups = *sheet.groups();
    QCOMPARE(groups.count(), 3);
    QCOMPARE(groups.at(1, "title").toString(), QStringLiteral("a.trainscope"));
    QCOMPARE(groups.at(1, "detail").toString(), QStringLiteral("1 run database"));
    QCOMPARE(groups.at(1, "result").toString(), QStringLiteral("1 run: a"));
    QVERIFY(groups.at(1, "database").toBool());
    // Its runs keep their names.
    groups.setRunName(1, QStringLiteral("c"));
    QCOMPARE(groups.at(1, "title").toString(), QStringLiteral("a.trainscope"));
    groups.setSelected(2, false);
    sheet.start();
    QVERIFY(waitFor(session, Stage::Finished));
    QCOMPARE(sheet.report()->count(), 2);
    QTRY_COMPARE(session.workspace()->runs().size(), std::size_t(2));
    QStringList names;
    for (const auto& run : session.workspace()->runs())
        names.append(QString::fromStdString(run.name));
    names.sort();
    QCOMPARE(names, test::texts("a", "one log"));
}

void tst_Session::theOpenDatabaseIsNotMergedIntoItself() {
    Session session;
    importLogs(session);
    const QString other = path(QStringLiteral("other.trainscope"));
    QVERIFY(QFile::copy(session.workspace()->databasePath(), other));
    session.openPaths({session.workspace()->databasePath(), other});
    QVERIFY(waitFor(session, Stage::Review));
    ImportPlanModel& plan = *session.importing()->plan();
    QCOMPARE(plan.count(), 2);
    QVERIFY(!plan.rows()[0].unit.enabled);
    QCOMPARE(plan.rows()[0].unit.notes,
        std::vector<std::string>{"It is the database that takes the runs."});
    QVERIFY(plan.rows()[1].unit.enabled);
}

TRAINSCOPE_GUI_TEST(tst_Session)
#include "tst_Session.moc"
