// Texts of strangers in the models of the window: controls and bidirectional overrides come as
// signs, and what is copied for a spreadsheet computes nothing.

#include "app/viewmodels/importing/ImportController.h"
#include "app/viewmodels/importing/ImportGroupModel.h"
#include "app/viewmodels/importing/ImportReportModel.h"
#include "app/viewmodels/session/Session.h"
#include "app/viewmodels/support/OpenWorkspace.h"
#include "app/viewmodels/text/Texts.h"
#include "app/viewmodels/window/NoticeModel.h"
#include "app/viewmodels/workspace/TableModel.h"
#include "core/store/Store.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::app;

namespace {

const std::string kPath = "rank0\u202Egnp\x1b[2J\n.csv";
const QString kShown = QStringLiteral("rank0\uFFFDgnp\u241B[2J .csv");

importers::ImportUnit hostileUnit() {
    importers::ImportUnit unit;
    unit.importer = "nvsmi";
    unit.path = unit.runName = unit.summary = unit.gpuModel = kPath;
    unit.files = {kPath};
    unit.notes = {kPath};
    return unit;
}

// Every role of every row, in one text.
QString shownBy(const ListModel& model) {
    QStringList texts;
    for (int row = 0; row < model.count(); ++row) {
        for (const auto& name : model.roleNames()) {
            const QVariant value = model.at(row, name.constData());
            texts << value.toString() << value.toStringList();
        }
    }
    return texts.join(QLatin1Char(' '));
}

bool isHarmless(const QString& text) {
    return !text.isEmpty() && text == shownText(text.toStdString());
}

} // namespace

class tst_StrangersTexts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void importSheet() {
        ImportPlanModel plan;
        ImportGroupModel groups(plan);
        plan.setUnits({hostileUnit(), hostileUnit()});
        groups.toggle(0);
        QVERIFY2(isHarmless(shownBy(plan)), qPrintable(shownBy(plan)));
        QVERIFY(shownBy(groups).contains(kShown));
        QVERIFY2(isHarmless(shownBy(groups)), qPrintable(shownBy(groups)));
        QVERIFY(isHarmless(groups.runChoices().join(QLatin1Char(' '))));
        plan.setRunName({0}, QString());
        QVERIFY(plan.problem().contains(kShown));
        // The import reads the file itself.
        QCOMPARE(plan.units()[1].path, kPath);
        const auto unrecognised = unrecognisedRows({{kPath, kPath}});
        QCOMPARE(unrecognised.front().path, kShown);
        QVERIFY(isHarmless(unrecognised.front().brief + unrecognised.front().reason));
    }

    void importReport() {
        UnitOutcome outcome;
        outcome.unit = hostileUnit();
        outcome.error = Error{ErrorCode::Unreadable, kPath, kPath};
        outcome.report.emplace();
        outcome.report->warn(kPath, 3, kPath);
        outcome.report->facts["a_" + kPath] = kPath;
        ImportReportModel model;
        model.setEntries({ImportReportModel::entryOf(outcome, QString::fromStdString(kPath))});
        QVERIFY2(isHarmless(model.text()), qPrintable(model.text()));
        QVERIFY(isHarmless(warningTexts(outcome.report->warnings).join(QLatin1Char(' '))));
    }

    void notices() {
        NoticeModel model;
        model.error({ErrorCode::Unreadable, kPath, kPath});
        model.inform(QString::fromStdString(kPath));
        QVERIFY2(isHarmless(shownBy(model)), qPrintable(shownBy(model)));
        QVERIFY(isHarmless(model.textOf(0)));
    }

    void namesOfDatabases() {
        const QTemporaryDir folder;
        const std::filesystem::path path
            = std::filesystem::path(folder.path().toStdString()) / (kPath + ".trainscope");
        QVERIFY(store::Store::openOrCreate(path).hasValue());
        Workspace workspace;
        QVERIFY(test::opens(workspace, path));
        QCOMPARE(workspace.databaseName(), kShown + QStringLiteral(".trainscope"));
        // The path is what is opened.
        QCOMPARE(workspace.databasePath().toStdString(), path.string());
        RecentFiles recent;
        recent.clear();
        recent.add(workspace.databasePath());
        QCOMPARE(recent.at(0, "name").toString(), workspace.databaseName());
        recent.clear();
    }

    void progressAndNotes() {
        QVERIFY(isHarmless(linesOf({kPath, kPath})));
        const QTemporaryDir folder;
        const std::string name = folder.path().toStdString() + "/" + kPath;
        std::ofstream(name) << "timestamp, index, power.draw [W]\n"
                               "2026/04/22 00:00:00.000, 0, 70 W\n";
        ImportController sheet;
        QStringList told;
        connect(&sheet, &ImportController::progressChanged, this, [&] {
            told << sheet.sourceText();
            for (const QVariant& text : sheet.progress())
                told << text.toString();
        });
        QVERIFY(sheet.begin({QString::fromStdString(name)}));
        QTRY_COMPARE(sheet.stage(), ImportController::Stage::Review);
        sheet.start();
        QTRY_COMPARE(sheet.stage(), ImportController::Stage::Finished);
        QVERIFY(told.size() > 3);
        QVERIFY(isHarmless(told.join(QLatin1Char(' '))));
    }

    void copiesComputeNothing_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("copied");
        const auto add = [](const char* name, const char* copied) {
            QTest::newRow(name) << QString::fromUtf8(name) << QString::fromUtf8(copied);
        };
        add("=HYPERLINK(\"http://x\")", "'=HYPERLINK(\"http://x\")");
        add("+1+1", "'+1+1");
        add("-1+cmd|' /C calc'!A0", "'-1+cmd|' /C calc'!A0");
        add("@SUM(A1)", "'@SUM(A1)");
        add("\t=1", "' =1");
        add("\r=1", "' =1");
        add("a\t=1\r\nb", "a =1  b");
        add("x;=1+1", "x;'=1+1");
        add("-5", "-5");
        add("void f<int, -1>(float*)", "void f<int, -1>(float*)");
    }
    void copiesComputeNothing() {
        QFETCH(QString, name);
        QFETCH(QString, copied);
        text::Table table{"Kernels", {{"name", text::Align::Left}, text::inUnit("change", "W")}};
        table.add({name.toStdString(), -3.5});
        TableModel model;
        model.setTable(table);
        QCOMPARE(model.text(), QStringLiteral("Kernels\nname\tchange\n%1\t-3.5 W\n").arg(copied));
        FactListModel facts;
        facts.setFacts({{name, QStringLiteral("1"), false, {}}});
        QCOMPARE(facts.text(), copied + QStringLiteral("\t1\n"));
    }
};

TRAINSCOPE_GUI_TEST(tst_StrangersTexts)
#include "tst_StrangersTexts.moc"
