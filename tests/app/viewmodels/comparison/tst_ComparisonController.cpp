// The Compare view of a small database: what is read, pointed at, chosen, and kept by name.

#include "app/viewmodels/comparison/ComparisonController.h"
#include "app/viewmodels/support/OpenWorkspace.h"
#include "app/viewmodels/support/TimelineDatabase.h"
#include "app/viewmodels/window/Theme.h"

#include "app/painting/ScenePainter.h"
#include "core/store/Writing.h"
#include "support/TestProgram.h"

using namespace trainscope;
using app::Views;
using plot::ComparisonPanel;

class tst_ComparisonController : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<QTemporaryDir> m_database; // each test has its own
    std::filesystem::path m_path;
    std::unique_ptr<app::Workspace> m_workspace;
    std::unique_ptr<Views> m_views;
    std::unique_ptr<app::ComparisonController> m_controller;
    QString m_notice; // the last one of the window
    std::function<void()> m_undo;

    void showBoth() {
        std::vector<RunId> all;
        for (const auto& run : m_workspace->runs())
            all.push_back(run.id);
        m_workspace->setShown(all);
    }
    [[nodiscard]] RunId idOf(const std::string& name) const {
        for (const auto& run : m_workspace->runs()) {
            if (run.name == name)
                return run.id;
        }
        return {};
    }
    // Waits for the board and lays it out.
    void readBoth() {
        showBoth();
        m_controller->setActive(true);
        QTRY_VERIFY(m_controller->isReady() && !m_controller->isLoading());
        layOut();
    }
    void layOut() {
        const auto& theme = plot::lightTheme();
        m_controller->draw(theme, app::measureWith(theme), 900.0, 500.0);
    }
    [[nodiscard]] QVariantList offered(const char* role) const {
        QVariantList values;
        for (int row = 0; row < m_controller->offers()->count(); ++row)
            values.append(m_controller->offers()->at(row, role));
        return values;
    }
    [[nodiscard]] int rowOf(const char* key) const {
        const auto& rows = m_controller->settings()->rows();
        const auto found = std::find_if(rows.begin(), rows.end(),
            [key](const app::SettingRow& row) { return row.key == QLatin1String(key); });
        return found == rows.end() ? -1 : found->current;
    }

private Q_SLOTS:
    void initTestCase() {
        QVERIFY(m_folder.isValid());
        qputenv("XDG_STATE_HOME", m_folder.path().toLocal8Bit());
    }
    void init() {
        QDir(app::viewFolder()).removeRecursively();
        m_database = std::make_unique<QTemporaryDir>();
        m_path = test::writeTimelineDatabase(m_database->path().toStdString());
        QVERIFY(!m_path.empty());
        m_workspace = std::make_unique<app::Workspace>();
        QVERIFY(test::opens(*m_workspace, m_path));
        m_views = std::make_unique<Views>();
        m_views->setWorkspace(m_workspace.get());
        m_controller = std::make_unique<app::ComparisonController>();
        m_controller->setViews(m_views.get());
        m_notice.clear();
        m_undo = {};
        connect(m_views.get(), &Views::informed, this,
            [this](const QString& text) { m_notice = text; });
        connect(m_views.get(), &Views::failed, this,
            [this](const Error& error) { m_notice = QString::fromStdString(error.message); });
        connect(m_views.get(), &Views::undoOffered, this,
            [this](const QString& text, const std::function<void()>& undo) {
                m_notice = text;
                m_undo = undo;
            });
    }
    void cleanup() {
        m_controller.reset();
        m_views.reset();
        m_workspace.reset();
    }

    void saysWhatIsMissing() {
        m_controller->setActive(true);
        QTRY_VERIFY(m_controller->emptyText().contains(QStringLiteral("second run")));
        m_workspace->setShown({});
        QVERIFY(m_controller->emptyText().contains(QStringLiteral("two runs")));
        QVERIFY(!m_controller->isReady());
        QVERIFY(!m_controller->exportJob().figure);
    }

    void comparesTheShownRuns() {
        QAbstractItemModelTester tester(
            m_controller->settings(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        readBoth();
        QCOMPARE(m_controller->runLabels().size(), 2);
        QVERIFY(m_controller->data()->verdict.has_value());
        QVERIFY(!m_controller->title().isEmpty());
        QVERIFY(m_controller->text().contains(m_controller->title()));
        QVERIFY(m_controller->contentHeight() >= 500.0);
        QVERIFY(m_controller->exportJob().figure != nullptr);
        // One board for the same question.
        const auto first = m_controller->data();
        m_controller->readAgain();
        QCOMPARE(m_controller->data().get(), first.get());
    }

    void anotherBase() {
        readBoth();
        const QStringList before = m_controller->runLabels();
        m_controller->makeFirst(1);
        QTRY_VERIFY(!m_controller->isLoading());
        const QStringList after = m_controller->runLabels();
        QCOMPARE(after[0].mid(4), before[1].mid(4));
        QCOMPARE(QString::fromStdString(m_controller->data()->runs[0].named.name), after[0].mid(4));
        // Colours are those of the run list, whoever is first.
        const auto& shown = m_workspace->shownRuns();
        for (const auto& run : m_controller->data()->runs) {
            const auto listed = std::find_if(shown.begin(), shown.end(),
                [&run](const auto& one) { return one.id == run.named.id; });
            QVERIFY(listed != shown.end());
            QCOMPARE(run.color, listed->color);
        }
        QVERIFY(m_controller->data()->runs[0].color != m_controller->data()->runs[1].color);
    }

    void choicesAreKept() {
        readBoth();
        m_controller->choose(QStringLiteral("normalise"), 1);
        m_controller->choose(QStringLiteral("window"), 1);
        m_controller->choose(QStringLiteral("stacked"), 1);
        m_controller->choose(QStringLiteral("panel-kernels"), 0);
        m_controller->choose(QStringLiteral("nothing"), 3);
        QCOMPARE(rowOf("normalise"), 1);
        QVERIFY(m_controller->chosen().stacked);
        QVERIFY(!m_controller->chosen().shows(ComparisonPanel::Kernels));
        app::ComparisonController other;
        other.setViews(m_views.get());
        QCOMPARE(other.chosen(), m_controller->chosen());
        QVERIFY(other.chosen().query.wholeRun);
        QVERIFY(!other.chosen().shows(ComparisonPanel::Kernels));
    }

    void onePanelStays() {
        std::size_t panels = 0;
        int shown = 0;
        for (const auto& look : std::vector(m_controller->looks()->rows())) {
            if (!look.key.startsWith(QLatin1String("panel-")))
                continue;
            ++panels;
            m_controller->choose(look.key, 0);
        }
        for (const auto& look : m_controller->looks()->rows())
            shown += look.key.startsWith(QLatin1String("panel-")) ? look.current : 0;
        QCOMPARE(panels, plot::kComparisonPanels.size());
        QCOMPARE(shown, 1);
    }

    // Iterations 5 to 7 of one run, 6 of the other: 6 is offered.
    void alignedAtAnIteration() {
        m_controller->choose(QStringLiteral("window"), 1);
        readBoth();
        const auto& rows = m_controller->settings()->rows();
        QCOMPARE(rows[2].choices.size(), 3);
        QCOMPARE(rows[2].choices[2], QStringLiteral("Iteration 6"));
        m_controller->choose(QStringLiteral("align"), 2);
        QTRY_VERIFY(!m_controller->isLoading());
        QVERIFY(m_controller->data()->curves.has_value());
        QVERIFY(m_controller->data()->curves->alignment == plot::ComparisonAlignment::Iteration);
        m_controller->moveBySeconds(1, -0.5);
        QTRY_VERIFY(!m_controller->isLoading());
        QCOMPARE(m_controller->movedSeconds(1), -0.5);
        QCOMPARE(m_controller->data()->curves->from, -0.5);
    }

    // A GPU that is selected elsewhere is one of its run's, whose chip stands for it; a click on a
    // chip is a selection in all views.
    void selection() {
        readBoth();
        QSignalSpy selected(m_views.get(), &Views::selected);
        const auto& runs = m_controller->data()->runs;
        const auto titleOf = [&](std::size_t run) {
            return QStringLiteral("%1 · %2").arg(QString::fromStdString(runs[run].mark),
                QString::fromStdString(runs[run].named.name));
        };
        m_views->select({runs[1].named.id, 0, std::nullopt, {}});
        QCOMPARE(m_controller->selectedTitle(), titleOf(1));
        QVERIFY(m_controller->selectedFacts()->rowCount() > 0);
        const QRectF chip = m_controller->selected();
        m_views->select({runs[0].named.id, 0, std::nullopt, {}});
        QCOMPARE(m_controller->selectedTitle(), titleOf(0));
        selected.clear();
        m_controller->clickAt(chip.center().x(), chip.center().y());
        QCOMPARE(selected.count(), 1);
        QCOMPARE(selected[0][0].value<app::Evidence>().run, runs[1].named.id);
        QCOMPARE(m_controller->selectedTitle(), titleOf(1));
        // The keys lead from part to part.
        QVERIFY(m_controller->step(0, -1));
        QCOMPARE(m_controller->selectedTitle(), titleOf(0));
        m_controller->openSelected();
        QCOMPARE(m_views->view(), Views::Timeline);
    }

    void keptByName() {
        readBoth();
        QSignalSpy changed(m_controller.get(), &app::ComparisonController::savedChanged);
        m_controller->choose(QStringLiteral("normalise"), 2);
        m_controller->makeFirst(1);
        m_controller->saveAs(QStringLiteral("  power per node "));
        QTRY_COMPARE(m_controller->savedName(), QStringLiteral("power per node"));
        QCOMPARE(m_controller->savedNames(), test::texts("power per node"));
        QVERIFY(!m_controller->isModified());
        const auto saved = m_controller->chosen();
        m_controller->choose(QStringLiteral("normalise"), 0);
        m_controller->makeFirst(1);
        QVERIFY(m_controller->isModified());
        m_workspace->setShown({m_workspace->runs().front().id});
        m_controller->openSaved(QStringLiteral("power per node"));
        QVERIFY(!m_controller->isModified());
        QCOMPARE(rowOf("normalise"), 2);
        QCOMPARE(m_workspace->shownRuns().size(), std::size_t{2});
        QCOMPARE(m_controller->chosen().runs, saved.runs);
        // The notice tells that the change was not saved, and takes it back.
        QVERIFY(m_notice.contains(QStringLiteral("were not saved")));
        m_undo();
        QCOMPARE(rowOf("normalise"), 0);
        QVERIFY(m_controller->isModified());
        QCOMPARE(m_controller->savedName(), QStringLiteral("power per node"));
    }

    // With the very signal that tells of it.
    void openedAsSoonAsSaved() {
        readBoth();
        const QString name = QStringLiteral("one");
        bool opened = false;
        const QObject untilTheEnd;
        connect(m_controller.get(), &app::ComparisonController::savedChanged, &untilTheEnd, [&] {
            if (opened || m_controller->savedName() != name)
                return;
            opened = true;
            m_controller->openSaved(name);
            QCOMPARE(m_workspace->shownRuns().size(), std::size_t{2});
            QVERIFY(!m_controller->isModified());
        });
        m_controller->saveAs(name);
        QTRY_VERIFY(opened);
    }

    void renamedAndRemovedAndBack() {
        readBoth();
        m_controller->saveAs(QStringLiteral("one"));
        QTRY_COMPARE(m_controller->savedName(), QStringLiteral("one"));
        m_controller->renameSaved(QStringLiteral("two"));
        QTRY_COMPARE(m_controller->savedName(), QStringLiteral("two"));
        QVERIFY(m_controller->isTaken(QStringLiteral("two")));
        m_controller->removeSaved();
        QTRY_VERIFY(m_controller->savedNames().isEmpty());
        QCOMPARE(m_controller->savedName(), QString());
        QVERIFY(m_undo);
        m_undo();
        QTRY_COMPARE(m_controller->savedNames(), test::texts("two"));
    }

    // As it was kept: with the name of a run that is gone, and what its data was.
    void removedAndBackWithARunThatIsGone() {
        readBoth();
        m_controller->saveAs(QStringLiteral("both"));
        QTRY_COMPARE(m_controller->savedName(), QStringLiteral("both"));
        std::string kept;
        {
            auto store = store::Store::open(m_path, store::OpenMode::ReadWrite);
            QVERIFY(store.hasValue());
            kept = store.value().comparisons().value().front().spec;
            VERIFY_SAYS(kept, "\"later\"");
            const auto later = store.value().findRun("later").value().id;
            QVERIFY(store::removeRun(store.value(), later).hasValue());
        }
        QVERIFY(test::reloads(*m_workspace));
        QTRY_COMPARE(m_controller->savedNames().size(), 1);
        m_controller->removeSaved();
        QTRY_VERIFY(m_controller->savedNames().isEmpty());
        m_undo();
        QTRY_COMPARE(m_controller->savedName(), QStringLiteral("both"));
        const auto store = store::Store::open(m_path, store::OpenMode::ReadOnly);
        QCOMPARE(store.value().comparisons().value().front().spec, kept);
    }

    void theThemeIsPartOfIt() {
        auto* theme = app::Theme::instance();
        theme->setPreference(app::Theme::Preference::Dark);
        readBoth();
        m_controller->saveAs(QStringLiteral("at night"));
        QTRY_COMPARE(m_controller->savedName(), QStringLiteral("at night"));
        theme->setPreference(app::Theme::Preference::Light);
        QVERIFY(m_controller->isModified());
        m_controller->openSaved(QStringLiteral("at night"));
        QCOMPARE(theme->preference(), app::Theme::Preference::Dark);
        theme->setPreference(app::Theme::Preference::System);
    }

    // A run that is gone is said, the rest opens; one that is named anew is found by its data.
    void aRunIsMissing_data() {
        const auto row = test::columns<bool, int>("renamed", "shown");
        row("renamed", true, 2);
        row("removed", false, 1);
    }
    void aRunIsMissing() {
        QFETCH(bool, renamed);
        QFETCH(int, shown);
        readBoth();
        m_controller->saveAs(QStringLiteral("both"));
        QTRY_COMPARE(m_controller->savedName(), QStringLiteral("both"));
        {
            auto store = store::Store::open(m_path, store::OpenMode::ReadWrite);
            QVERIFY(store.hasValue());
            const auto later = store.value().findRun("later").value().id;
            QVERIFY((renamed ? store::renameRun(store.value(), later, "elsewhere")
                             : store::removeRun(store.value(), later))
                        .hasValue());
        }
        QVERIFY(test::reloads(*m_workspace));
        QTRY_COMPARE(m_controller->savedNames().size(), 1);
        m_controller->openSaved(QStringLiteral("both"));
        VERIFY_SAYS(m_notice, "later");
        QCOMPARE(static_cast<int>(m_workspace->shownRuns().size()), shown);
    }

    void aFileThatCannotBeWrittenIsSaid() {
        readBoth();
        // As another program would that writes to it.
        auto busy = store::Store::open(m_path, store::OpenMode::ReadWrite);
        QVERIFY(busy.hasValue());
        auto session = store::beginImport(busy.value(), {"busy", 1, "busy", "busy"});
        QVERIFY(session.hasValue());
        m_controller->saveAs(QStringLiteral("never"));
        QTRY_VERIFY_WITH_TIMEOUT(!m_notice.isEmpty(), 20'000);
        QVERIFY(m_controller->savedNames().isEmpty());
        QCOMPARE(m_controller->savedName(), QString());
    }

    // As they were kept before there were captures.
    void settingsOfWholeRuns() {
        const auto settings = app::decodeComparison(app::comparisonJson(
            R"({"runs":["b","a"],"moved_ns":{"a":1500000000},"whole_run":true})"));
        QCOMPARE(settings.runs, (std::vector<app::ComparedName>{{"b"}, {"a"}}));
        QCOMPARE(settings.moved.at({"a"}).ns, 1'500'000'000);
        QVERIFY(settings.query.wholeRun);
    }

    // Run "small" alone, whose captures are chosen below it: two of them, then with the run.
    void capturesOfARun() {
        {
            auto store = store::Store::open(m_path, store::OpenMode::ReadWrite);
            QVERIFY(store.hasValue());
            QVERIFY(test::addCaptures(store.value()));
        }
        QVERIFY(test::reloads(*m_workspace));
        m_workspace->setShown({idOf("small")});
        m_controller->setActive(true);
        QTRY_VERIFY(m_controller->hasCaptures());
        // A run by itself opens with its captures.
        QTRY_COMPARE(
            m_controller->runLabels(), test::texts("A · small · early", "B · small · late"));
        QCOMPARE(offered("title"),
            (QVariantList{
                QStringLiteral("small"), QStringLiteral("early"), QStringLiteral("late")}));
        QCOMPARE(offered("capture"), (QVariantList{false, true, true}));
        QCOMPARE(offered("place"), (QVariantList{-1, 0, 1}));
        m_controller->makeFirst(1);
        QCOMPARE(offered("place"), (QVariantList{-1, 1, 0}));
        QCOMPARE(m_controller->runLabels(), test::texts("A · small · late", "B · small · early"));
        QTRY_VERIFY(m_controller->isReady() && !m_controller->isLoading());
        const auto data = m_controller->data();
        QCOMPARE(data->runs[0].capture, std::string("late"));
        QVERIFY(data->runs[0].color != data->runs[1].color);
        QVERIFY(m_controller->text().contains(QStringLiteral("A: small · late")));
        layOut();
        m_controller->makeFirst(1);
        QCOMPARE(m_controller->runLabels().front(), QStringLiteral("A · small · early"));
        // A single one would be no comparison.
        m_controller->toggleOffer(2);
        QCOMPARE(offered("place"), (QVariantList{-1, 0, 1}));
        m_controller->toggleOffer(0);
        QCOMPARE(offered("place"), (QVariantList{2, 0, 1}));
        QCOMPARE(m_workspace->shownRuns().size(), std::size_t{1});
    }

    void capturesAreKeptByName() {
        {
            auto store = store::Store::open(m_path, store::OpenMode::ReadWrite);
            QVERIFY(store.hasValue());
            QVERIFY(test::addCaptures(store.value()));
        }
        QVERIFY(test::reloads(*m_workspace));
        m_controller->setActive(true);
        const RunId small = idOf("small");
        m_views->compare({small, {"early", "late"}});
        QCOMPARE(m_views->view(), Views::Compare);
        QCOMPARE(m_controller->runLabels().back(), QStringLiteral("B · small · late"));
        QTRY_VERIFY(m_controller->isReady() && !m_controller->isLoading());
        m_controller->moveBySeconds(1, 0.5);
        m_controller->saveAs(QStringLiteral("two"));
        QTRY_COMPARE(m_controller->savedName(), QStringLiteral("two"));
        m_views->compare({small, {"late", "early"}});
        QVERIFY(m_controller->isModified());
        m_controller->openSaved(QStringLiteral("two"));
        QVERIFY(!m_controller->isModified());
        QCOMPARE(m_controller->runLabels().front(), QStringLiteral("A · small · early"));
        QCOMPARE(m_controller->movedSeconds(1), 0.5);
    }

    void settingsAsJson() {
        app::ComparisonSettings settings;
        settings.runs = {{"b"}, {"a", "eager"}, {"a"}};
        settings.moved = {{{"a"}, DurationNs{1'500'000'000}}, {{"a", "eager"}, DurationNs{-2'000}}};
        settings.query.normalisation = analysis::Normalisation::PerToken;
        settings.query.alignment = plot::ComparisonAlignment::Iteration;
        settings.query.iteration = 7;
        settings.query.curveMetric = "nvlink_rx";
        settings.query.wholeRun = true;
        settings.panels = {ComparisonPanel::Cards, ComparisonPanel::Curves};
        settings.stacked = true;
        settings.perStage = true;
        settings.theme = QStringLiteral("dark");
        settings.query.stretched = true;
        settings.query.sortedBy = "step_time_s";
        settings.scroll = 0.25;
        // As databases have kept it since there are captures.
        const std::string kept
            = R"({"alignment":"iteration","curve_metric":"nvlink_rx",)"
              R"("iteration":7,"moved_captures":[{"capture":"eager","ns":-2000,"run":"a"}],)"
              R"("moved_ns":{"a":1500000000},"normalisation":"per-token",)"
              R"("panels":["cards","curves"],"per_stage":true,)"
              R"("runs":["b",{"capture":"eager","run":"a"},"a"],"scroll":0.25,)"
              R"("sorted_by":"step_time_s","stacked":true,"stretched":true,)"
              R"("theme":"dark","whole_run":true})";
        QCOMPARE(app::comparisonText(app::encodeComparison(settings)), kept);
        QVERIFY(app::decodeComparison(app::comparisonJson(kept)) == settings);
        QVERIFY(app::decodeComparison({}) == app::ComparisonSettings());
        QVERIFY(app::decodeComparison({{QStringLiteral("panels"), 7},
                    {QStringLiteral("theme"), QStringLiteral("pink")}})
            == app::ComparisonSettings());
    }
};

TRAINSCOPE_GUI_TEST(tst_ComparisonController)
#include "tst_ComparisonController.moc"
