// The view Operators on ranks whose clocks differ, and beside a second run: what of either is read,
// and where its kernels are to be seen.

#include "app/importing/ImportRunner.h"
#include "app/viewmodels/operators/OperatorsController.h"
#include "app/viewmodels/support/OpenDatabase.h"
#include "core/analysis/traces/TraceWindow.h"
#include "support/StepTrace.h"
#include "support/TestProgram.h"

using namespace trainscope;
using app::Evidence;
using app::OperatorsController;
using app::Views;

namespace {

constexpr std::int64_t kMicro = 1'000; // ns

// Rank 1's clock is 5 ms ahead. The second run has steps of twice the length, and rank 0 alone.
const test::StepTrace kRank0{0, 2, 0, 10, 1'000, 100};
const test::StepTrace kRank1{1, 2, 5'000, 10, 1'000, 200};
const test::StepTrace kOther{0, 1, 0, 10, 2'000, 300, "other_gemm"};

bool import(const std::filesystem::path& folder, const char* run,
    const std::vector<test::StepTrace>& traces, const std::filesystem::path& database) {
    const auto place = folder / run;
    if (!std::filesystem::create_directory(place))
        return false;
    for (const auto& trace : traces) {
        if (!trace.write(place / fmt::format("rank_{}.json", trace.rank)))
            return false;
    }
    const auto tree = importers::openDiskTree(place).value();
    auto plan = importers::planImport(*tree, {}).value();
    for (auto& unit : plan.units)
        unit.runName = run;
    return app::runImport(*tree, plan, database, {}).hasValue();
}

} // namespace

class tst_OperatorsOfRanks : public QObject {
    Q_OBJECT

    test::OpenDatabase m_database;
    std::unique_ptr<OperatorsController> m_controller;
    Run m_run;

    bool isAnswered() {
        return QTest::qWaitFor(
            [this] { return m_controller->isReady() && !m_controller->isLoading(); });
    }
    bool choose(const char* key, int choice) {
        m_controller->choose(QLatin1String(key), choice);
        return isAnswered();
    }
    // From 1.9 to 3.9 ms lie the steps 2 and 3 of all ranks.
    void showSteps() {
        const auto store = store::Store::open(m_database.path(), store::OpenMode::ReadOnly);
        const auto clocks = analysis::differingClocks({store.value(), m_run});
        QVERIFY(clocks.hasValue() && clocks.value());
        const TimeRange window{m_run.range.begin + DurationNs{1'900 * kMicro},
            m_run.range.begin + DurationNs{3'900 * kMicro}};
        m_database.views().setStretches({{m_run.id, window, std::nullopt, clocks.value()}});
    }
    const app::OutlineNode* products() const {
        for (const auto& node : m_controller->answer()->outline.nodes()) {
            if (node.name == "aten::mm")
                return &node;
        }
        return nullptr;
    }
    void selectProducts() {
        for (int row = 0; row < m_controller->rows()->count(); ++row) {
            if (m_controller->rows()->at(row, "name").toString() == QLatin1String("aten::mm"))
                m_controller->selectRow(row);
        }
        QCOMPARE(m_controller->rowTitle(), QStringLiteral("aten::mm"));
    }
    // True where a column in seconds has that number of microseconds.
    static bool isMicroseconds(const app::OutlineNode* node, std::size_t column, double expected) {
        return node != nullptr && node->values[column]
            && std::abs(*node->values[column] * 1e6 - expected) < 1e-6;
    }

private Q_SLOTS:
    void initTestCase() {
        QVERIFY(m_database.make([](const std::filesystem::path& folder) {
            const auto path = folder / "traces.trainscope";
            const bool isMade = import(folder, "first", {kRank0, kRank1}, path)
                && import(folder, "second", {kOther}, path);
            return isMade ? path : std::filesystem::path();
        }));
    }
    void init() {
        QVERIFY(m_database.open());
        for (const Run& run : m_database.workspace().runs()) {
            if (run.name == "first")
                m_run = run;
        }
        m_database.workspace().setShown({m_run.id});
        m_controller = std::make_unique<OperatorsController>();
        m_controller->setViews(&m_database.views());
        m_controller->setActive(true);
        QVERIFY(isAnswered());
        QVERIFY(choose("by", 3));
    }
    void cleanup() {
        m_controller.reset();
        m_database.close();
    }

    void theWindowOnEveryClock() {
        showSteps();
        QVERIFY(choose("of", 1));
        const auto steps = [](const test::StepTrace& trace) {
            return static_cast<double>(trace.productUs(2, 3));
        };
        QVERIFY(isMicroseconds(products(), 2, steps(kRank0) + steps(kRank1)));
        QVERIFY(m_controller->caption().contains(
            QStringLiteral("from 1.9 ms to 3.9 ms of the run on the clock of rank 0")));
        QVERIFY(choose("rank", 2));
        QVERIFY(isMicroseconds(products(), 2, steps(kRank1)));
        QVERIFY(choose("rank", 1));
        QVERIFY(isMicroseconds(products(), 2, steps(kRank0)));
    }

    // The longest product is that of step 9 on rank 1, 9.1 ms from the start.
    void theRankOfTheLongestKernel() {
        showSteps();
        selectProducts();
        QCOMPARE(m_controller->timelineText(), QStringLiteral("Show rank 1 on the timeline"));
        QSignalSpy wanted(&m_database.views(), &Views::timelineWanted);
        m_controller->openSelected();
        QCOMPARE(wanted.size(), 1);
        const auto evidence = wanted.front().front().value<Evidence>();
        QCOMPARE(evidence.rank.value_or(-1), 1);
        const auto since = evidence.range->begin - m_run.range.begin;
        QVERIFY(std::abs(since.ns - 9'100 * kMicro) < 100 * kMicro);
    }

    // One step has 610 µs in two steps of two ranks, 605 µs in two steps.
    void theSameIterationsOfTheSecondRun() {
        showSteps();
        QVERIFY(choose("of", 1));
        QVERIFY(choose("against", 1));
        QVERIFY(isMicroseconds(products(), 0, 610.0 / 4.0));
        QVERIFY(isMicroseconds(products(), 1, 605.0 / 2.0));
        QVERIFY(m_controller->caption().contains(QStringLiteral("B: iterations 2 to 3")));
        selectProducts();
        const auto& own = m_controller->kernels()->table();
        const auto& other = m_controller->otherKernels()->table();
        QCOMPARE(own.rows.size(), std::size_t{1});
        QCOMPARE(other.rows.size(), std::size_t{1});
        const auto under = app::otherKernelsUnder(*m_controller->answer(), 0);
        QCOMPARE(under.size(), std::size_t{1});
        QCOMPARE(under.front().name, std::string("other_gemm"));
        QCOMPARE(under.front().count, std::int64_t{2});
        QCOMPARE(under.front().total.ns, 605 * kMicro);
        // Its kernel is the longer one: it is shown, and the first run stays.
        QSignalSpy wanted(&m_database.views(), &Views::timelineWanted);
        m_controller->openSelected();
        QCOMPARE(wanted.size(), 1);
        QVERIFY(wanted.front().front().value<Evidence>().run != m_run.id);
        QCOMPARE(m_database.workspace().shownRuns().size(), std::size_t{2});
        QVERIFY(isAnswered());
        QCOMPARE(m_controller->answer()->question.query.run.value, m_run.id.value);
    }

    // Numbered annotations are one row, called as in the tree, with the products of all steps: 10
    // on each rank.
    void theKernelsOfAnAnnotation() {
        QVERIFY(choose("by", 6));
        const auto& answer = *m_controller->answer();
        QCOMPARE(answer.outline.nodes().size(), std::size_t{1});
        QCOMPARE(answer.outline.nodes().front().name, std::string("ProfilerStep"));
        const auto under = app::kernelsUnder(answer, 0);
        QCOMPARE(under.size(), std::size_t{1});
        QCOMPARE(under.front().name, std::string("gemm"));
        QCOMPARE(under.front().count, std::int64_t{20});
        QCOMPARE(
            under.front().total.ns, (kRank0.productUs(0, 9) + kRank1.productUs(0, 9)) * kMicro);
        m_controller->selectRow(0);
        QVERIFY(m_controller->isOpenable() && m_controller->isZoomable());
    }

    // Found rows are told anew with the rows: "mm" is in aten::mm and in no annotation.
    void whatIsFoundInOtherRows() {
        m_controller->setSearch(QStringLiteral("mm"));
        QCOMPARE(m_controller->foundText(), QStringLiteral("1 found"));
        QSignalSpy told(m_controller.get(), &OperatorsController::searchChanged);
        QVERIFY(choose("by", 6));
        QVERIFY(!told.isEmpty());
        QCOMPARE(m_controller->foundText(), QStringLiteral("0 found"));
    }

    void theSameRankOfTheSecondRun() {
        QVERIFY(choose("against", 1));
        QVERIFY(choose("rank", 1));
        QCOMPARE(m_controller->answer()->other->query.rank.value_or(-1), 0);
        QVERIFY(isMicroseconds(products(), 0, static_cast<double>(kRank0.productUs(0, 9)) / 10.0));
        QVERIFY(choose("rank", 2));
        QVERIFY(!m_controller->answer()->other->query.rank);
        QVERIFY(m_controller->caption().contains(QStringLiteral("since it has no rank 1")));
    }
};

TRAINSCOPE_GUI_TEST(tst_OperatorsOfRanks)
#include "tst_OperatorsOfRanks.moc"
