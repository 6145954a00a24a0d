// The table of all runs: figures measured once and kept, rows that are filtered, sorted, chosen and
// described.

#include "app/viewmodels/runs/RunsController.h"
#include "app/viewmodels/support/OpenWorkspace.h"
#include "app/viewmodels/support/SweepFiles.h"
#include "app/viewmodels/workspace/Setting.h"
#include "core/store/database/Database.h"
#include "core/store/database/StoreFile.h"
#include "support/TestProgram.h"

#include <sqlite3.h>
#include <unistd.h>

using namespace trainscope;
using namespace trainscope::app;

class tst_RunsController : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::filesystem::path m_path;
    std::unique_ptr<Workspace> m_workspace;
    std::unique_ptr<Views> m_views;
    std::unique_ptr<RunsController> m_controller;

    void openAll() {
        m_workspace = std::make_unique<Workspace>();
        QVERIFY(test::opens(*m_workspace, m_path));
        m_views = std::make_unique<Views>();
        m_views->setWorkspace(m_workspace.get());
        m_controller = std::make_unique<RunsController>();
        m_controller->setViews(m_views.get());
    }
    void closeAll() {
        m_controller.reset();
        m_views.reset();
        m_workspace.reset();
    }
    void measure() {
        m_controller->setActive(true);
        QTRY_VERIFY(isMeasured());
    }
    [[nodiscard]] bool isMeasured() const {
        return !m_controller->isLoading() && cell(0, "mean_gpu_power_w") != QStringLiteral("…");
    }
    [[nodiscard]] int columnOf(const char* key) const {
        for (int head = 0; head < m_controller->table()->heads()->count(); ++head) {
            if (m_controller->table()->heads()->at(head, "key").toString() == QLatin1String(key))
                return head;
        }
        return -1;
    }
    [[nodiscard]] QString cell(int row, const char* key) const {
        return m_controller->table()->at(row, "cells").toStringList().value(columnOf(key));
    }
    // Empty where the text fits.
    [[nodiscard]] QString tip(int row, const char* key) const {
        const double left = m_controller->table()->heads()->leftOf(QLatin1String(key));
        return m_controller->table()->tipAt(row, left + 1, 0, true);
    }
    [[nodiscard]] QString listed() const {
        QStringList names;
        for (int row = 0; row < m_controller->table()->count(); ++row)
            names.append(m_controller->table()->at(row, "name").toString());
        return names.join(QLatin1Char(' '));
    }
    [[nodiscard]] QString chosen() const {
        QStringList names;
        for (const auto& run : m_workspace->shownRuns())
            names.append(QString::fromStdString(run.name));
        return names.join(QLatin1Char(' '));
    }
    [[nodiscard]] std::size_t keptRuns() const {
        const auto store = store::Store::open(m_path, store::OpenMode::ReadOnly);
        return store::keptFigures(store.value()).value().size();
    }

private Q_SLOTS:
    void init() {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(m_folder->isValid());
        qputenv("XDG_STATE_HOME", m_folder->path().toLocal8Bit());
        m_path = test::writeSweeps(m_folder->path().toStdString());
        QVERIFY(!m_path.empty());
        openAll();
    }
    void cleanup() { closeAll(); }

    void measuresOnceAndKeeps() {
        QAbstractItemModelTester tester(
            m_controller->table(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(m_controller->table()->count(), 5);
        QCOMPARE(cell(0, "mean_gpu_power_w"), QStringLiteral("…"));
        QCOMPARE(keptRuns(), 0U);
        measure();
        QCOMPARE(m_controller->errorText(), QString());
        QCOMPARE(listed(), QStringLiteral("gpt_base_1 gpt_base_2 gpt_base_10 llama_1 llama_2"));
        // k · 100 W and 50 + k °C.
        QCOMPARE(cell(2, "mean_gpu_power_w"), QStringLiteral("300"));
        QCOMPARE(cell(3, "peak_gpu_power_w"), QStringLiteral("400"));
        QCOMPARE(cell(3, "peak_temperature_c"), QStringLiteral("54"));
        QCOMPARE(cell(0, "model"), QStringLiteral("gpt"));
        QCOMPARE(cell(4, "status"), QStringLiteral("oom"));
        QCOMPARE(
            m_controller->table()->heads()->at(columnOf("mean_gpu_power_w"), "unit").toString(),
            QStringLiteral("W"));
        // A cell without a value says why.
        QCOMPARE(cell(0, "step_time_s"), QStringLiteral("—"));
        QVERIFY(!tip(0, "step_time_s").isEmpty());
        QTRY_COMPARE(keptRuns(), 5U);
        // Another opening reads what was kept and measures nothing.
        closeAll();
        openAll();
        m_controller->setActive(true);
        QTRY_COMPARE(cell(2, "mean_gpu_power_w"), QStringLiteral("300"));
        QVERIFY(!m_controller->isLoading());
    }

    void measuresAgainWhatHasChanged() {
        measure();
        QTRY_COMPARE(keptRuns(), 5U);
        {
            auto store = store::Store::open(m_path, store::OpenMode::ReadWrite);
            QVERIFY(store.hasValue());
            test::addSweepRun(store.value(), "/sweeps/gpt", "gpt_base_2", 7);
        }
        QCOMPARE(keptRuns(), 4U);
        QVERIFY(test::reloads(*m_workspace));
        QTRY_COMPARE(cell(1, "mean_gpu_power_w"), QStringLiteral("700"));
        QTRY_COMPARE(keptRuns(), 5U);
        QCOMPARE(cell(0, "mean_gpu_power_w"), QStringLiteral("100"));
    }

    // A run that cannot be measured says why where figures should stand, and nowhere else.
    void whatCannotBeMeasuredSaysWhy() {
        {
            auto raw = store::Database::open(store::StoreFile(m_path), SQLITE_OPEN_READWRITE);
            QVERIFY(raw.hasValue());
            QVERIFY(raw.value()
                        .script("DELETE FROM sample_chunk WHERE series IN (SELECT s.id FROM series "
                                "s JOIN run r ON r.id = s.run WHERE r.name = 'gpt_base_2')")
                        .hasValue());
        }
        measure();
        QTRY_VERIFY(m_controller->notes().startsWith(QStringLiteral("1 run could not")));
        QCOMPARE(cell(1, "mean_gpu_power_w"), QStringLiteral("—"));
        QVERIFY(tip(1, "mean_gpu_power_w").size() > 1);
        QCOMPARE(tip(1, "model"), QStringLiteral("gpt"));
        QCOMPARE(cell(2, "mean_gpu_power_w"), QStringLiteral("300"));
    }

    void worksWhereNothingCanBeKept() {
        closeAll();
        QFile file(QString::fromStdString(m_path.string()));
        QVERIFY(file.setPermissions(QFileDevice::ReadOwner));
        if (::access(m_path.c_str(), W_OK) == 0)
            QSKIP("this user may write everything");
        openAll();
        measure();
        QCOMPARE(cell(2, "mean_gpu_power_w"), QStringLiteral("300"));
        QTRY_VERIFY(m_controller->notes().contains(QStringLiteral("read-only")));
        QVERIFY(file.setPermissions(QFileDevice::ReadOwner | QFileDevice::WriteOwner));
    }

    void filters() {
        measure();
        m_controller->setExpression(QStringLiteral("power > 150 and model ~ GPT"));
        QCOMPARE(m_controller->expressionError(), QString());
        QCOMPARE(listed(), QStringLiteral("gpt_base_2 gpt_base_10"));
        QCOMPARE(m_controller->headline(), QStringLiteral("2 of 5 runs"));
        // A wrong one changes nothing.
        m_controller->setExpression(QStringLiteral("power > 150 and mod"));
        QVERIFY(!m_controller->expressionError().isEmpty());
        QCOMPARE(listed(), QStringLiteral("gpt_base_2 gpt_base_10"));
        m_controller->setExpression(QStringLiteral("tp = 99"));
        QVERIFY(!m_controller->emptyTitle().isEmpty());
        m_controller->setExpression({});
        QCOMPARE(m_controller->table()->count(), 5);
        QCOMPARE(m_controller->emptyTitle(), QString());
    }

    void sorts() {
        measure();
        m_controller->table()->sortBy(columnOf("mean_gpu_power_w")); // figures: largest first
        QCOMPARE(listed(), QStringLiteral("llama_2 llama_1 gpt_base_10 gpt_base_2 gpt_base_1"));
        QCOMPARE(
            m_controller->table()->heads()->at(columnOf("mean_gpu_power_w"), "order").toInt(), -1);
        m_controller->table()->sortBy(columnOf("mean_gpu_power_w"));
        QCOMPARE(listed(), QStringLiteral("gpt_base_1 gpt_base_2 gpt_base_10 llama_1 llama_2"));
        m_controller->table()->sortBy(columnOf("status"));
        QCOMPARE(listed(), QStringLiteral("gpt_base_1 gpt_base_2 gpt_base_10 llama_1 llama_2"));
        m_controller->table()->sortBy(columnOf("status"));
        QCOMPARE(m_controller->table()->at(0, "name").toString(), QStringLiteral("llama_2"));
    }

    void columnsAreChosenAndRemembered() {
        const int before = m_controller->table()->heads()->count();
        const auto energy = static_cast<int>(report::runColumnIndex("energy_j").value());
        QVERIFY(!m_controller->columnsShown().at(energy));
        m_controller->toggleColumn(energy);
        QCOMPARE(m_controller->table()->heads()->count(), before + 1);
        m_controller->toggleColumn(0); // the name stays
        QCOMPARE(m_controller->table()->heads()->count(), before + 1);
        m_controller->setExpression(QStringLiteral("tp > 1"));
        closeAll(); // writes the choice
        openAll();
        QTRY_COMPARE(m_controller->table()->heads()->count(), before + 1);
        QCOMPARE(m_controller->expression(), QStringLiteral("tp > 1"));
        m_controller->showUsualColumns();
        QCOMPARE(m_controller->table()->heads()->count(), before);
    }

    void chosenRowsGoToOtherViews() {
        m_controller->chooseOnly(1);
        m_controller->chooseRange(3);
        QCOMPARE(chosen(), QStringLiteral("gpt_base_2 gpt_base_10 llama_1"));
        QCOMPARE(m_controller->chosenText(), QStringLiteral("3 chosen"));
        m_controller->toggle(2);
        m_controller->chooseRange(4, true);
        // In the order in which they were chosen.
        QCOMPARE(chosen(), QStringLiteral("gpt_base_2 llama_1 gpt_base_10 llama_2"));
        m_controller->setExpression(QStringLiteral("model = gpt"));
        QCOMPARE(m_controller->chosenText(), QStringLiteral("4 chosen, 2 of them not listed"));
        m_controller->chooseAll();
        QCOMPARE(chosen(), QStringLiteral("gpt_base_1 gpt_base_2 gpt_base_10"));
        m_controller->open(Views::Heatmap);
        QVERIFY(m_views->view() == Views::Heatmap);
        QVERIFY(restoredSettings(Views::Heatmap, m_views->settings(QStringLiteral("heatmap")))
                    .shownRunsOnly);
        m_controller->open(Views::Compare);
        QVERIFY(m_views->view() == Views::Compare);
    }

    // Rows move while figures come.
    void aLabelGoesToTheRunThatWasEdited() {
        const auto run = m_controller->runIdAt(0);
        const int name = columnOf("name");
        m_controller->table()->sortBy(name);
        if (m_controller->runIdAt(0) == run)
            m_controller->table()->sortBy(name);
        const int row = m_controller->rowOf(run);
        QVERIFY(row > 0);
        QSignalSpy changed(m_workspace.get(), &Workspace::labelsChanged);
        m_controller->setLabel(run, QStringLiteral("note"), QStringLiteral("fan 3"));
        QVERIFY(changed.wait());
        QCOMPARE(cell(row, "note"), QStringLiteral("fan 3"));
        QCOMPARE(cell(0, "note"), QString());
        QCOMPARE(m_controller->rowOf(0), -1);
    }

    void labelsAreUndone() {
        QSignalSpy changed(m_workspace.get(), &Workspace::labelsChanged);
        m_controller->setLabel(
            m_controller->runIdAt(0), QStringLiteral("tags"), QStringLiteral(" slow,paper , slow"));
        QVERIFY(changed.wait());
        QCOMPARE(cell(0, "tags"), QStringLiteral("paper, slow"));
        m_controller->setLabel(
            m_controller->runIdAt(0), QStringLiteral("note"), QStringLiteral("fan 3"));
        QVERIFY(changed.wait());
        m_controller->chooseAll();
        m_controller->tagChosen(QStringLiteral("sweep"));
        QVERIFY(changed.wait());
        QCOMPARE(cell(0, "tags"), QStringLiteral("paper, slow, sweep"));
        QCOMPARE(cell(4, "tags"), QStringLiteral("sweep"));
        m_controller->undo();
        QVERIFY(changed.wait());
        QCOMPARE(cell(4, "tags"), QString());
        m_controller->undo();
        QVERIFY(changed.wait());
        QCOMPARE(cell(0, "note"), QString());
        QCOMPARE(cell(0, "tags"), QStringLiteral("paper, slow"));
        m_controller->redo();
        QVERIFY(changed.wait());
        QCOMPARE(cell(0, "note"), QStringLiteral("fan 3"));
        QVERIFY(m_controller->canRedo() && m_controller->canUndo());
        // The same text again is no change.
        m_controller->setLabel(
            m_controller->runIdAt(0), QStringLiteral("note"), QStringLiteral(" fan 3 "));
        QVERIFY(m_controller->canRedo());
    }

    void editsInQuickSuccession() {
        const auto run = m_controller->runIdAt(0);
        m_controller->setLabel(run, QStringLiteral("tags"), QStringLiteral("keep"));
        m_controller->setLabel(run, QStringLiteral("note"), QStringLiteral("fan 3"));
        QTRY_COMPARE(cell(0, "note"), QStringLiteral("fan 3"));
        QCOMPARE(cell(0, "tags"), QStringLiteral("keep"));
        // Back to what is still shown while the first is being written.
        m_controller->setLabel(run, QStringLiteral("note"), QStringLiteral("fan 4"));
        m_controller->setLabel(run, QStringLiteral("note"), QStringLiteral("fan 3"));
        m_controller->setLabel(run, QStringLiteral("tags"), QStringLiteral("last"));
        QTRY_COMPARE(cell(0, "tags"), QStringLiteral("last"));
        QCOMPARE(cell(0, "note"), QStringLiteral("fan 3"));
        m_controller->undo();
        m_controller->undo();
        QTRY_COMPARE(cell(0, "note"), QStringLiteral("fan 4"));
        QCOMPARE(cell(0, "tags"), QStringLiteral("keep"));
    }

    void whatAnotherWindowSaidStays() {
        const RunId run{m_controller->runIdAt(0)};
        const auto elsewhere = [&](const char* tag, const char* note) {
            auto store = store::Store::open(m_path, store::OpenMode::ReadWrite);
            QVERIFY(store::setTags(store.value(), run, std::vector<std::string>{tag}).hasValue());
            QVERIFY(store::setNote(store.value(), run, note).hasValue());
        };
        QSignalSpy changed(m_workspace.get(), &Workspace::labelsChanged);
        QSignalSpy failed(m_views.get(), &Views::failed);
        m_controller->setLabel(run.value, QStringLiteral("note"), QStringLiteral("fan 3"));
        QVERIFY(changed.wait());
        elsewhere("theirs", "fan 3");
        m_controller->undo();
        QVERIFY(changed.wait());
        QCOMPARE(cell(0, "note"), QString());
        QCOMPARE(cell(0, "tags"), QStringLiteral("theirs"));
        m_controller->redo();
        QVERIFY(changed.wait());
        QCOMPARE(cell(0, "note"), QStringLiteral("fan 3"));
        // The same field: nothing is taken back, and that is told.
        elsewhere("theirs", "their note");
        m_controller->undo();
        QVERIFY(changed.wait());
        QCOMPARE(cell(0, "note"), QStringLiteral("their note"));
        QCOMPARE(cell(0, "tags"), QStringLiteral("theirs"));
        QCOMPARE(failed.count(), 1);
        QVERIFY(!m_controller->canUndo() && !m_controller->canRedo());
    }

    // Stored figures of hundreds of runs fill the table without a reading of the runs.
    void hundredsOfRuns() {
        closeAll();
        constexpr int runs = 386;
        {
            auto store = store::Store::open(m_path, store::OpenMode::ReadWrite);
            QVERIFY(store.hasValue());
            for (int i = 6; i <= runs; ++i)
                test::addSweepRun(
                    store.value(), "/sweeps/many", "sweep_run_" + std::to_string(i) + "_tp8", i);
            const auto all = store.value().runs().value();
            const auto known = analysis::knownQuantities(store.value(), all).value();
            std::vector<store::KeptFigures> kept;
            for (const auto& one : known.unknown)
                kept.push_back(
                    {one.run.id, one.basis, {{"mean_gpu_power_w", double(one.run.id.value), ""}}});
            QVERIFY(store::keepFigures(store.value(), kept).hasValue());
        }
        openAll();
        QElapsedTimer clock;
        clock.start();
        m_controller->setActive(true);
        QTRY_VERIFY(isMeasured());
        qInfo("the table of %d runs was filled %lld ms after it was opened", runs,
            static_cast<long long>(clock.elapsed()));
        QCOMPARE(m_controller->table()->count(), runs);
        QVERIFY(!m_controller->isLoading());
        m_controller->setExpression(QStringLiteral("name ~ run_100_"));
        QCOMPARE(listed(), QStringLiteral("sweep_run_100_tp8"));
        m_controller->setExpression({});
        m_controller->chooseAll();
        QCOMPARE(m_controller->chosenCount(), runs);
    }

    void writtenOut() {
        measure();
        m_controller->setExpression(QStringLiteral("model = gpt"));
        const QString csv = m_controller->csv();
        QCOMPARE(csv.count(QLatin1Char('\n')), 4);
        QVERIFY2(csv.startsWith(QStringLiteral("Run,Model,Cluster,Layout,Optimisation,Status,Step "
                                               "time (s),Goodput,Tokens / s / GPU")),
            qPrintable(csv));
        QVERIFY(csv.contains(QStringLiteral("gpt_base_10,gpt,1 × H200,")));
        m_controller->chooseOnly(2);
        const QString text = m_controller->chosenRowsText();
        QCOMPARE(text.count(QLatin1Char('\n')), 2);
        QVERIFY(text.contains(QStringLiteral("300 W")));
        QVERIFY(m_controller->exportJob().figure != nullptr);
    }
};

TRAINSCOPE_GUI_TEST(tst_RunsController)
#include "tst_RunsController.moc"
