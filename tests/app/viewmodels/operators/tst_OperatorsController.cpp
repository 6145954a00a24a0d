// The view Kernels on real traces of one model on two GPUs: its tree against the spans
// themselves, what selects what, and two runs beside each other.

#include "app/importing/ImportRunner.h"
#include "app/painting/ScenePainter.h"
#include "app/viewmodels/operators/OperatorsController.h"
#include "app/viewmodels/support/OpenDatabase.h"
#include "core/text/Numbers.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

using namespace trainscope;
using app::OperatorsController;
using app::Views;

class tst_OperatorsController : public QObject {
    Q_OBJECT

    test::OpenDatabase m_database;
    std::unique_ptr<OperatorsController> m_controller;

    static std::filesystem::path written(const std::filesystem::path& folder) {
        const auto path = folder / "traces.trainscope";
        for (const char* name : {"tracelens_h100_bert_small", "tracelens_mi300_bert_small"}) {
            const std::string trace = test::realFiles() + "/data/kineto/" + name + ".json.gz";
            const auto tree = importers::openDiskTree(trace).value();
            auto plan = importers::planImport(*tree, {}).value();
            for (auto& unit : plan.units)
                unit.runName = name;
            if (!app::runImport(*tree, plan, path, {}).hasValue())
                return {};
        }
        return path;
    }
    bool isAnswered() {
        return QTest::qWaitFor(
            [this] { return m_controller->isReady() && !m_controller->isLoading(); });
    }
    bool choose(const char* key, int choice) {
        m_controller->choose(QLatin1String(key), choice);
        return isAnswered();
    }
    int rowCalled(const char* name) const {
        for (int row = 0; row < m_controller->rows()->count(); ++row) {
            if (m_controller->rows()->at(row, "name").toString() == QLatin1String(name))
                return row;
        }
        return -1;
    }

private Q_SLOTS:
    void initTestCase() {
        if (test::realFiles().empty())
            QSKIP("The real traces are not beside the checkout: nothing is checked");
        QVERIFY(m_database.make(written));
    }
    void init() {
        if (test::realFiles().empty())
            QSKIP("The real traces are not beside the checkout: nothing is checked");
        QVERIFY(m_database.open());
        for (const Run& run : m_database.workspace().runs()) {
            if (run.name == "tracelens_h100_bert_small")
                m_database.workspace().setShown({run.id});
        }
        m_controller = std::make_unique<OperatorsController>();
        m_controller->setViews(&m_database.views());
        m_controller->setActive(true);
        QVERIFY(isAnswered());
    }
    void cleanup() {
        m_controller.reset();
        m_database.close();
    }

    // The inspector asks for its texts again with each signal, also with the first of a closing
    // one.
    void whatListensMayAskWhileTheDatabaseCloses() {
        QVERIFY(choose("by", 2));
        m_controller->selectRow(0);
        QVERIFY(m_controller->isOpenable());
        int asked = 0;
        const auto ask = [&] {
            QVERIFY(!m_controller->isOpenable());
            QCOMPARE(m_controller->timelineText(), QStringLiteral("Show on the timeline"));
            ++asked;
        };
        connect(m_controller.get(), &OperatorsController::rowChanged, this, ask);
        connect(m_controller->rows(), &QAbstractItemModel::modelReset, this, ask);
        m_database.views().setWorkspace(nullptr);
        QVERIFY(asked > 1);
    }

    // Each kernel as often and as long as its spans; what is left of the traced time is idle.
    void everyKernelHasItsRow() {
        const auto store = store::Store::open(m_database.path(), store::OpenMode::ReadOnly);
        const auto run = m_database.workspace().shownRuns().front().id;
        std::map<std::string, std::pair<std::int64_t, std::int64_t>> kernels; // count, ns
        std::vector<TimeRange> ranges;
        for (const Track& track : store.value().tracks(run).value()) {
            if (track.description.kind != TrackKind::Stream)
                continue;
            const auto visited
                = store.value().forEachSpan(track.id, kAllTime, [&](std::span<const Span> spans) {
                      for (const Span& span : spans) {
                          const bool isWork = span.kind == SpanKind::Kernel
                              || span.kind == SpanKind::Copy || span.kind == SpanKind::Set;
                          if (!isWork)
                              continue;
                          auto& [count, ns] = kernels[store.value().name(span.name).value()];
                          ++count;
                          ns += span.duration.ns;
                          ranges.push_back({span.start, span.start + span.duration});
                      }
                      return true;
                  });
            QVERIFY(visited.hasValue());
        }
        std::ranges::sort(ranges, {}, &TimeRange::begin);
        std::int64_t idle = 0;
        TimeNs end = ranges.front().begin;
        for (const TimeRange& range : ranges) {
            idle += std::max<std::int64_t>(0, (range.begin - end).ns);
            end = std::max(end, range.end);
        }
        const auto& answer = *m_controller->answer();
        QTRY_VERIFY(answer.extras != nullptr);
        QCOMPARE(answer.outline.nodes().size(), kernels.size() + 1);
        for (const auto& node : answer.outline.nodes()) {
            if (node.name == "Idle") {
                QCOMPARE(*node.values[2], static_cast<double>(idle) * 1e-9);
                continue;
            }
            const auto& [count, ns] = kernels.at(answer.table->operators[node.source].kernel);
            QCOMPARE(*node.values[1], static_cast<double>(count));
            QCOMPARE(*node.values[2], static_cast<double>(ns) * 1e-9);
        }
        // By category: the same, and a frame leads to its longest kernel.
        QCOMPARE(m_controller->rows()->heads()->titles().first(), QStringLiteral("Kernel"));
        QVERIFY(app::rowOfTreeNode(answer, 0) != app::OutlineNode::kNone);
    }

    // A step that the replay answers for a row, asked when the slider rests.
    void aSliderAsksTheReplay() {
        QVERIFY(!m_controller->isChangeable());
        QTRY_VERIFY(m_controller->answer()->extras != nullptr); // the idle time has its row
        m_controller->selectRow(2);
        QVERIFY(m_controller->isChangeable());
        m_controller->setFactor(2.0);
        QTRY_VERIFY_WITH_TIMEOUT(
            m_controller->changeText().startsWith(QStringLiteral("In 2.00 × its time: a step of ")),
            30'000);
        m_controller->selectRow(1);
        QCOMPARE(m_controller->factor(), 1.0);
        QCOMPARE(m_controller->changeText(), QString());
        // Rows of the tree are not told apart by the replay.
        QVERIFY(choose("by", 2));
        m_controller->selectRow(0);
        QVERIFY(!m_controller->isChangeable());
    }

    void twoRunsByKernel() {
        QVERIFY(choose("against", 1));
        const auto& answer = *m_controller->answer();
        double seconds = 0.0;
        for (const auto& node : answer.outline.nodes())
            seconds += node.values[0].value_or(0.0);
        const auto& difference = answer.difference->difference;
        const auto steps = difference.isPerStep() ? difference.stepsA : 1;
        const double all = answer.reading->work->tree.nodes.front().sums.time.seconds();
        QVERIFY(std::abs(seconds - all / static_cast<double>(steps)) < 1e-9);
    }

    void theRootHasAllWork() {
        QVERIFY(choose("by", 2));
        const auto store = store::Store::open(m_database.path(), store::OpenMode::ReadOnly);
        const auto& tree = m_controller->answer()->work->tree;
        const auto run = m_database.workspace().shownRuns().front().id;
        std::int64_t time = 0;
        std::int64_t count = 0;
        for (const Track& track : store.value().tracks(run).value()) {
            if (track.description.kind != TrackKind::Stream)
                continue;
            const auto visited
                = store.value().forEachSpan(track.id, kAllTime, [&](std::span<const Span> spans) {
                      for (const Span& span : spans) {
                          const bool isWork = span.kind == SpanKind::Kernel
                              || span.kind == SpanKind::Copy || span.kind == SpanKind::Set;
                          time += isWork ? span.duration.ns : 0;
                          count += isWork ? 1 : 0;
                      }
                      return true;
                  });
            QVERIFY(visited.hasValue());
        }
        QVERIFY(count > 0);
        QCOMPARE(tree.nodes.front().sums.time.ns, time);
        QCOMPARE(tree.nodes.front().sums.works, count);
        // All of it stands under the root's row.
        m_controller->selectRow(0);
        std::int64_t under = 0;
        for (const auto& kernels : app::kernelsUnder(*m_controller->answer(), 0))
            under += kernels.total.ns;
        QCOMPARE(under, time);
        QVERIFY(m_controller->kernels()->count() > 0 && m_controller->isOpenable());
    }

    // Rows by operator have kernels of their own each: the path's seconds are all told.
    void theCriticalPathHasAColumn() {
        QVERIFY(choose("by", 3) && choose("path", 1));
        const auto& outline = m_controller->answer()->outline;
        const auto& columns = outline.columns();
        const auto column = std::ranges::find(columns, "On the path", &app::OutlineColumn::title)
            - columns.begin();
        QVERIFY(column < std::ssize(columns));
        double told = 0.0;
        for (const auto& row : outline.nodes())
            told += row.values[std::size_t(column)].value_or(0.0);
        double all = 0.0;
        for (const auto& [key, seconds] : m_controller->answer()->path->seconds)
            all += seconds;
        QVERIFY(all > 0.0);
        QVERIFY(std::abs(told - all) < 1e-9);
        // Kernels have it all, and the tree's root has it too.
        QVERIFY(choose("by", 0));
        const auto& kernels = m_controller->answer()->outline;
        const auto ofKernels
            = std::ranges::find(kernels.columns(), "On the path", &app::OutlineColumn::title)
            - kernels.columns().begin();
        told = 0.0;
        for (const auto& row : kernels.nodes())
            told += row.values[std::size_t(ofKernels)].value_or(0.0);
        QVERIFY(std::abs(told - all) < 1e-9);
        QVERIFY(choose("by", 2));
        const auto& root = m_controller->answer()->outline.nodes().front();
        QVERIFY(std::abs(root.values.back().value_or(0.0) - all) < 1e-9);
        QVERIFY(choose("path", 0));
        QVERIFY(!m_controller->answer()->path);
    }

    void pictureAndRowsSelectEachOther() {
        QVERIFY(choose("by", 2));
        const auto& theme = plot::lightTheme();
        const auto scene = m_controller->draw(theme, app::measureWith(theme), 900.0, 400.0);
        QVERIFY(scene != nullptr);
        // The second row of frames is of what hangs under the root.
        m_controller->clickAt(20.0, 36.0);
        QVERIFY(m_controller->row() > 0);
        const QString title = m_controller->rowTitle();
        QCOMPARE(m_controller->selectedTitle(), title);
        m_controller->selectRow(0);
        QCOMPARE(m_controller->selectedTitle(), m_controller->rowTitle());
        QVERIFY(m_controller->rowTitle() != title);
        m_controller->selectRow(1);
        m_controller->zoom();
        QVERIFY(m_controller->isZoomed());
        m_controller->showWhole();
        QSignalSpy wanted(&m_database.views(), &Views::timelineWanted);
        m_controller->openSelected();
        QCOMPARE(wanted.size(), 1);
    }

    void everyGroupingHasTheSameWork() {
        const double all = m_controller->answer()->work->tree.nodes.front().sums.time.seconds();
        for (const int by : {0, 1, 3, 4, 7}) {
            QVERIFY(choose("by", by));
            double time = 0.0;
            for (const auto& node : m_controller->answer()->outline.nodes())
                time += node.name == "Idle" ? 0.0 : node.values[2].value_or(0.0);
            QVERIFY2(std::abs(time - all) < 1e-9 + 0.05 * all, qPrintable(QString::number(by)));
        }
        QVERIFY(choose("by", 3));
        const int row = rowCalled("aten::addmm");
        QVERIFY(row >= 0);
        m_controller->setSearch(QStringLiteral("addmm"));
        QVERIFY(rowCalled("aten::addmm") >= 0 && m_controller->rows()->count() < row + 5);
        QVERIFY(m_controller->foundText().contains(QLatin1Char('1')));
        QCOMPARE(m_controller->figures().size(), 5);
        QVERIFY(m_controller->exportJob().name.startsWith(QStringLiteral("operators-")));
    }

    // addmm: 198 µs of kernels on the H100, 174 µs on the MI300X.
    void twoRunsBesideEachOther() {
        QVERIFY(choose("against", 1));
        QVERIFY(choose("by", 2));
        const int row = rowCalled("aten::addmm");
        QVERIFY(row >= 0);
        const auto cells = m_controller->rows()->at(row, "cells").toStringList();
        QCOMPARE(cells.at(1), QStringLiteral("198 µs"));
        QCOMPARE(cells.at(2), QStringLiteral("174 µs"));
        QCOMPARE(cells.at(5), QStringLiteral("faster"));
        m_controller->selectRow(row);
        QCOMPARE(m_controller->rowTitle(), QStringLiteral("aten::addmm"));
        // Its kernels of both, as long as its row says.
        const auto sum = [](const std::vector<app::KernelsUnder>& kernels) {
            std::int64_t ns = 0;
            for (const auto& one : kernels)
                ns += one.total.ns;
            return static_cast<double>(ns) * 1e-9;
        };
        QVERIFY(m_controller->isOpenable());
        const auto& answer = *m_controller->answer();
        const auto at = static_cast<std::uint32_t>(*m_controller->rows()->rowAt(row));
        const auto& node = answer.outline.nodes()[at];
        QVERIFY(std::abs(sum(app::kernelsUnder(answer, at)) - *node.values[0]) < 1e-12);
        QVERIFY(std::abs(sum(app::otherKernelsUnder(answer, at)) - *node.values[1]) < 1e-12);
    }

    // Columns give way as the room gets less, the least important first; what is sorted by stays.
    void columnsFitTheRoom() {
        QVERIFY(choose("by", 2));
        auto& rows = *m_controller->rows();
        const auto heads = [&rows] { return rows.heads()->titles(); };
        const auto all = heads();
        QVERIFY(all.contains(QStringLiteral("FLOP")) && all.contains(QStringLiteral("Savable")));
        qsizetype shown = all.size();
        for (const double room : {1'100.0, 850.0, 600.0, 420.0}) {
            rows.look(0.0, room);
            QVERIFY(rows.nameWidth() >= 240.0 && rows.tableWidth() <= room);
            QVERIFY(heads().size() <= shown);
            shown = heads().size();
            QCOMPARE(rows.widths().size(), shown);
            QCOMPARE(rows.at(0, "cells").toStringList().size(), shown);
            QCOMPARE(
                rows.text(0, 1).section(QLatin1Char('\n'), 0, 0).split(QLatin1Char('\t')), all);
            QVERIFY(heads().contains(QStringLiteral("Time")));
        }
        rows.look(0.0, 850.0);
        for (const char* head : {"Speed", "Memory", "Of roofline", "Savable"})
            QVERIFY2(heads().contains(QLatin1String(head)), head);
        rows.look(0.0, 0.0);
        rows.sortBy(static_cast<int>(all.indexOf(QStringLiteral("FLOP"))));
        rows.look(0.0, 500.0);
        QVERIFY(heads().contains(QStringLiteral("FLOP")));
        QCOMPARE(
            rows.heads()->at(static_cast<int>(heads().indexOf(QStringLiteral("FLOP"))), "order"),
            QVariant(-1));
        QVERIFY(!heads().contains(QStringLiteral("Bytes")));
    }

    void theWindowOfTheTimeline() {
        const auto run = m_database.workspace().shownRuns().front().id;
        const TimeRange range = m_database.workspace().findRun(run)->range;
        const TimeRange first{range.begin, range.begin + DurationNs{range.length().ns / 2}};
        m_database.views().setStretches({{run, first, std::nullopt}});
        const auto whole = m_controller->answer()->work->tree.nodes.front().sums.works;
        QVERIFY(choose("of", 1));
        const auto part = m_controller->answer()->work->tree.nodes.front().sums.works;
        QVERIFY(part > 0 && part < whole);
    }
};

TRAINSCOPE_GUI_TEST(tst_OperatorsController)
#include "tst_OperatorsController.moc"
