// View settings that are remembered per database.
#include "app/viewmodels/workspace/ViewFile.h"
#include "support/TestProgram.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace trainscope;
using app::SavedTimeline;

class tst_ViewFile : public QObject {
    Q_OBJECT

private:
    static SavedTimeline full() {
        SavedTimeline view;
        view.arrangement = plot::Arrangement{{{plot::LaneStyle::Heat, "gpu_power", {}, 77.0},
            {plot::LaneStyle::Thread, "", 3, 200.0}}};
        // Not a multiple of 2^8: a double would lose it.
        view.marks = {{"a/b run", {{1'700'000'000'123'456'789}, {1'700'000'000'123'456'790}},
            QStringLiteral("Spike ↑")}};
        view.display = plot::TimeDisplay::Utc;
        return view;
    }

private Q_SLOTS:
    void comesBackAsItWas() {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("deep/er"));
        QVERIFY(app::writeTimeline(path, "uuid-1", full()).hasValue());
        QVERIFY(app::readTimeline(path, "uuid-1") == full());
        QVERIFY(app::readTimeline(path, "uuid-2") == SavedTimeline{});
    }
    void nonsenseIsLeftOut() {
        QVERIFY(app::decodeTimeline("not json") == SavedTimeline{});
        const SavedTimeline view = app::decodeTimeline(
            R"({"lanes":[{"style":"pie"},{"style":"heat","metric":"m","height":-5}],"time":7,"marks":[{"begin_ns":"x"}]})");
        QVERIFY(view.arrangement.has_value());
        QCOMPARE(view.arrangement->lanes.size(), std::size_t{1});
        QVERIFY(view.arrangement->lanes.front().height > 0.0);
        QVERIFY(view.marks.empty());
    }
    void aFolderThatCannotBeMadeIsAnError() {
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("file")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        const Status written
            = app::writeTimeline(folder.filePath(QStringLiteral("file/below")), "u", full());
        QVERIFY(!written.hasValue());
        QVERIFY(written.error().code == ErrorCode::Io);
    }
};

TRAINSCOPE_TEST(tst_ViewFile)
#include "tst_ViewFile.moc"
