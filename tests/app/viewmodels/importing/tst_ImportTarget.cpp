// Targets of an import, which are told before it begins.

#include "app/viewmodels/importing/ImportController.h"
#include "core/store/Store.h"
#include "core/store/database/PageSums.h"
#include "support/TestProgram.h"

#include <sqlite3.h>

using namespace trainscope;
using namespace trainscope::app;

class tst_ImportTarget : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void saysWhatIsWrong() {
        QCOMPARE(checkTarget(path("new.trainscope"), 0).problem, QString());
        QVERIFY(checkTarget(path("no/new.trainscope"), 0)
                    .problem.startsWith(QStringLiteral("There is no folder")));
        QVERIFY(checkTarget(m_folder->path(), 0).problem.contains(QStringLiteral("a folder")));
        QVERIFY(checkTarget({}, 0).problem.contains(QStringLiteral("which database")));
        QVERIFY(checkTarget(QStringLiteral("new.trainscope"), 0)
                    .problem.contains(QStringLiteral("whole path")));
        write("notes.trainscope", "just words, and nothing that SQLite would write");
        QVERIFY(checkTarget(path("notes.trainscope"), 0)
                    .problem.contains(QStringLiteral("not a Trainscope")));
        QVERIFY(!QFile::exists(path("new.trainscope")));
    }

    // No disk has room for what 2⁶² bytes become.
    void littleSpaceIsARemark() {
        const auto checked = checkTarget(path("new.trainscope"), std::uint64_t{1} << 62);
        QCOMPARE(checked.problem, QString());
        QVERIFY(checked.remark.contains(QStringLiteral("are free")));
    }

    void theSheetAsksAtOnceAndOnEdits() {
        write("log.csv", kLog);
        ImportController sheet;
        QVERIFY(sheet.begin({path("log.csv")}));
        QTRY_COMPARE(sheet.stage(), ImportController::Stage::Review);
        QCOMPARE(sheet.problem(), QString());
        sheet.setTargetText(path("no/where"));
        QTRY_VERIFY(sheet.targetProblem().contains(QStringLiteral("There is no folder")));
        QCOMPARE(sheet.problem(), sheet.targetProblem());
        sheet.start();
        QCOMPARE(sheet.stage(), ImportController::Stage::Review);
        sheet.setTargetText(path("out"));
        QTRY_COMPARE(sheet.problem(), QString());
        QCOMPARE(sheet.stage(), ImportController::Stage::Review);
        sheet.settleTarget();
        QCOMPARE(sheet.targetPath(), path("out.trainscope"));
        sheet.plan()->selectAll(false);
        QCOMPARE(sheet.problem(), sheet.plan()->problem());
    }

    // Two logs begun together, side by side.
    void suggestedRunsAreJoined() {
        QDir(m_folder->path()).mkpath(QStringLiteral("in/alpha"));
        QDir(m_folder->path()).mkpath(QStringLiteral("in/beta"));
        write("in/alpha/smi.csv", kLog);
        write("in/beta/smi.csv", QByteArray(kLog) + "\n");
        ImportController sheet;
        QVERIFY(sheet.begin({path("in")}));
        QTRY_COMPARE(sheet.stage(), ImportController::Stage::Review);
        QCOMPARE(sheet.suggestions().size(), 1);
        QVERIFY(sheet.suggestions().front().contains(QStringLiteral("could be one run")));
        sheet.setTargetText(path("out"));
        sheet.joinSuggested(0);
        QTRY_VERIFY(sheet.suggestions().isEmpty());
        const auto units = sheet.plan()->units();
        QCOMPARE(units.size(), std::size_t{2});
        QCOMPARE(units[0].runName, units[1].runName);
        QCOMPARE(units[1].place.node, 1);
    }

    // It tells the folder of attempts and what became of them.
    void attemptsAreTold() {
        write("log.csv", kLog);
        QDir(m_folder->path()).mkpath(QStringLiteral("node1"));
        write("node1/run_1.log",
            "launching 8 processes\nloading weights\nTraceback (most recent call last):\n"
            "  File \"/w/train.py\", line 12, in <module>\n    main()\n"
            "torch.OutOfMemoryError: CUDA out of memory.\n");
        ImportController sheet;
        QVERIFY(sheet.begin({m_folder->path()}));
        QTRY_COMPARE(sheet.stage(), ImportController::Stage::Review);
        QCOMPARE(sheet.unrecognised()->rowCount(), 1);
        const QString reason = sheet.unrecognised()->at(0, "reason").toString();
        QVERIFY2(
            reason.startsWith(QStringLiteral("1 attempt recorded nothing")), qPrintable(reason));
    }

    // A lock that another program holds goes away while the sheet is open.
    void locksAreNoticed() {
        QVERIFY(store::Store::openOrCreate(path("runs.trainscope").toStdString()).hasValue());
        write("log.csv", kLog);
        ImportController sheet;
        QVERIFY(sheet.begin({path("log.csv")}));
        QTRY_COMPARE(sheet.stage(), ImportController::Stage::Review);
        sqlite3* writer = nullptr;
        QCOMPARE(sqlite3_open_v2(path("runs.trainscope").toUtf8().constData(), &writer,
                     SQLITE_OPEN_READWRITE, store::summingVfs()),
            SQLITE_OK);
        QCOMPARE(sqlite3_exec(writer, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
        sheet.setTarget(QUrl::fromLocalFile(path("runs.trainscope")));
        QTRY_VERIFY(sheet.targetProblem().contains(QStringLiteral("Another program is writing")));
        const QSignalSpy changes(&sheet, &ImportController::targetChanged);
        sheet.checkTargetAgain();
        sqlite3_close(writer);
        sheet.checkTargetAgain();
        QTRY_COMPARE(sheet.problem(), QString());
        QCOMPARE(changes.count(), 1);
    }

    // The last of several quick questions is answered.
    void theNewestEditCounts() {
        write("log.csv", kLog);
        ImportController sheet;
        QVERIFY(sheet.begin({path("log.csv")}));
        QTRY_COMPARE(sheet.stage(), ImportController::Stage::Review);
        for (int edit = 0; edit < 20; ++edit)
            sheet.setTargetText(path(edit % 2 == 0 ? "no/where" : "out"));
        sheet.start();
        QTRY_COMPARE(sheet.stage(), ImportController::Stage::Finished);
        QVERIFY(QFile::exists(path("out.trainscope")));
    }

private:
    static constexpr const char* kLog
        = "timestamp, index, power.draw [W]\n2024/05/01 12:00:10.000, 0, 300.00 W\n";

    [[nodiscard]] QString path(const char* name) const {
        return m_folder->filePath(QString::fromUtf8(name));
    }
    void write(const char* name, const QByteArray& content) const {
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

TRAINSCOPE_TEST(tst_ImportTarget)
#include "tst_ImportTarget.moc"
