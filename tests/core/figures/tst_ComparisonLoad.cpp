// Readings of a comparison from a database: iterations laid over each other,
// what is left out, and what is taken over from before.

#include "core/analysis/traces/PlantedTrace.h"
#include "core/figures/comparison/ComparisonFigure.h"
#include "core/plot/comparison/Comparison.h"
#include "core/plot/comparison/ComparisonText.h"
#include "core/plot/comparison/support/DemoComparison.h"
#include "core/plot/timeline/support/PlotFixture.h"
#include "support/TestProgram.h"

using namespace trainscope::figures;
using namespace trainscope::plot;
using namespace trainscope::test;

namespace {

constexpr std::int64_t kBegin = 1'735'689'600'000'000'000;
constexpr std::int64_t kTenth = 100'000'000;

// Four GPUs of two nodes; iterations of `tenths` tenths of a second, of which the first half draws
// `high` watts and the second 100 W, each GPU one watt more than the one before it, and each
// iteration two more than the one before it. Temperatures: 50 °C and ten more for each local index.
struct PlantedRun {
    std::string name;
    int tenths = 0;
    int iterations = 0;
    double high = 0.0;
    std::optional<std::string> model = {};
};

class Database {
public:
    Database()
        : m_store(store::Store::openOrCreate(
            m_folder.filePath(QStringLiteral("c.trainscope")).toStdString())
                      .value()) { }
    store::Store& store() { return m_store; }
    RunId idOf(const std::string& name) { return m_store.findRun(name).value().id; }

    void add(const PlantedRun& planted) {
        const std::int64_t length = planted.tenths * kTenth;
        test::PlantedTrace trace;
        trace.run.name = planted.name;
        trace.run.launch.model = planted.model;
        for (int rank = 0; rank < 4; ++rank) {
            trace.gpus.push_back({rank, rank / 2, rank % 2, {}, {}});
            std::vector<double> power;
            for (int i = 0; i <= planted.iterations * planted.tenths; ++i) {
                const int within = i % planted.tenths;
                const double level = 2 * within < planted.tenths ? planted.high : 100.0;
                power.push_back(level + rank + 2.0 * (i / planted.tenths));
            }
            const std::vector<double> heat(power.size(), 50.0 + 10.0 * (rank % 2));
            trace.series("gpu_power", rank, kBegin, kTenth, power);
            trace.series("gpu_temperature", rank, kBegin, kTenth, heat);
        }
        for (int k = 0; k < planted.iterations; ++k)
            trace.iteration(-1, k, kBegin + k * length, kBegin + (k + 1) * length);
        // The first two iterations, and the last.
        const auto begin = [&](int k) { return TimeNs{kBegin + k * length}; };
        trace.captures.push_back({"early", 0, {begin(0), begin(2)}});
        trace.captures.push_back({"late", 0, {begin(planted.iterations - 1), begin(6)}});
        (void)trace.addTo(m_store, planted.name);
    }

private:
    QTemporaryDir m_folder;
    store::Store m_store;
};

FigureStyle pageOf(double height) {
    return styleWith(fixedPitch, paperTheme(), 510.0, height);
}

} // namespace

class tst_ComparisonLoad : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        m_database = std::make_unique<Database>();
        m_database->add({"slow", 100, 6, 500.0});
        m_database->add({"fast", 50, 6, 500.0});
        m_database->add({"hungry", 100, 6, 600.0});
        auto data = demoComparison();
        data.title = "A and B";
        m_data = std::make_shared<const ComparisonData>(std::move(data));
    }

    // Two captures of one run stand beside each other, and beside it: each with its own name and
    // iterations. Power rises by 2 W from one iteration to the next.
    void capturesOfOneRun() {
        auto asked = query({"slow", "slow", "slow"});
        asked.captures = {"early", "late"};
        const auto data = load(asked);
        QCOMPARE(data.runs.size(), std::size_t{3});
        QCOMPARE(data.runs[0].named.name, std::string("slow · early"));
        QCOMPARE(data.runs[1].named.name, std::string("slow · late"));
        QCOMPARE(data.runs[2].named.name, std::string("slow"));
        QCOMPARE(data.runs[1].stretch.value().begin.ns, kBegin + 500 * kTenth);
        QCOMPARE(data.measured[0]->iterations.size(), std::size_t{2});
        QCOMPARE(data.measured[1]->iterations.size(), std::size_t{1});
        QVERIFY(data.curves.has_value());
        QCOMPARE(data.curves->curves[0].iterations, std::int64_t{2});
        QCOMPARE(data.curves->curves[1].iterations, std::int64_t{1});
        // In the first half 500 W, 1.5 W above it in the mean over GPUs; 1 and 10 W by iteration.
        QCOMPARE(data.curves->curves[0].mean[10], 502.5F);
        QCOMPARE(data.curves->curves[1].mean[10], 511.5F);
        // Measures are taken over from before, by run and capture.
        auto other = asked;
        other.captures = {"late", "early"};
        const auto turned = load(other, &data);
        QCOMPARE(turned.measured[0].get(), data.measured[1].get());
        QCOMPARE(turned.measured[1].get(), data.measured[0].get());
        QCOMPARE(turned.curves->curves[0].iterations, std::int64_t{1});
        asked.captures = {"late", "late"};
        QCOMPARE(load(asked).runs.size(), std::size_t{2});
    }

    // Means over 4 GPUs (0, 1, 2, 3 W) and 6 iterations (0, 2, …, 10 W): 1.5 + 5 W above the level.
    void curvesAreFolded() {
        const auto data = load(query({"slow", "fast"}));
        QVERIFY(data.curves.has_value());
        const auto& curves = *data.curves;
        QCOMPARE(curves.curves.size(), std::size_t{2});
        QVERIFY(std::abs(curves.step * curves.columns - 10.0) < 1e-9);
        const auto& slow = curves.curves[0];
        QCOMPARE(slow.iterations, std::int64_t{6});
        QCOMPARE(slow.subjects, 4);
        // 240 columns of 10 s: a quarter of the way in it is high, three quarters in low.
        QVERIFY(std::abs(slow.mean[60] - 506.5F) < 0.01F);
        QVERIFY(std::abs(slow.mean[180] - 106.5F) < 0.01F);
        // 24 values from 0 to 13 W above the level: the 2nd and the 23rd of them.
        QVERIFY(std::abs(slow.low[60] - 501.0F) < 0.01F);
        QVERIFY(std::abs(slow.high[60] - 512.0F) < 0.01F);
        const auto& fast = curves.curves[1];
        QVERIFY(std::abs(fast.mean[30] - 506.5F) < 0.01F);
        QVERIFY(std::abs(fast.mean[90] - 106.5F) < 0.01F);
        QVERIFY(!std::isnan(fast.mean[119]) && std::isnan(fast.mean[121]));
        // Both run here: the fast one is low already while the slow one is high.
        const auto& difference = curves.differences.front();
        QVERIFY(std::abs(difference.values[90] + 400.0F) < 0.01F);
        QCOMPARE(int(difference.beyond[90]), 1);
        QVERIFY(std::abs(difference.values[30]) < 0.01F);
        QCOMPARE(int(difference.beyond[30]), 0);
        QVERIFY(std::isnan(difference.values[130]));
    }

    // One iteration has no spread: nothing is said to exceed it.
    void oneIteration() {
        auto asked = query({"slow", "hungry"});
        asked.alignment = ComparisonAlignment::Iteration;
        asked.iteration = 2;
        const auto data = load(asked);
        const auto& curves = *data.curves;
        QVERIFY(!curves.isFolded);
        QVERIFY(std::abs(curves.curves[0].mean[60] - 505.5F) < 0.01F);
        QVERIFY(std::abs(curves.differences[0].values[60] - 100.0F) < 0.01F);
        QCOMPARE(int(curves.differences[0].beyond[60]), 0);
        QCOMPARE(curves.curves[0].range.begin.ns, kBegin + 200 * kTenth);
        asked.iteration = 77;
        const auto none = load(asked);
        QVERIFY(none.curves->alignment == ComparisonAlignment::Start);
        QVERIFY(!none.curves->notes.empty());
    }

    // Moved by hand: the later run begins 5 s further right, and the axis covers both.
    void movedByHand() {
        auto asked = query({"slow", "fast"});
        asked.moved = {{0}, {5'000'000'000}};
        const auto data = load(asked);
        const auto& fast = data.curves->curves[1];
        QVERIFY(std::isnan(fast.mean[60]));
        QVERIFY(std::abs(fast.mean[150] - 506.5F) < 0.01F);
        QVERIFY(std::abs(data.curves->differences[0].values[150] - 400.0F) < 0.01F);
    }

    void quantities() {
        const auto data = load(query({"slow", "fast"}));
        const auto step = std::find_if(
            data.quantities.begin(), data.quantities.end(), [](const ComparisonQuantity& quantity) {
                return quantity.info().key == "step_time_s";
            });
        QVERIFY(step != data.quantities.end());
        QVERIFY(step->isCard);
        QVERIFY(std::abs(step->changes[1].ratio.value() - 0.5) < 1e-9);
        QVERIFY(step->axis.range.low == 0.0 && step->axis.range.high >= 10.0);
        QVERIFY(data.verdict.has_value());
        QVERIFY(data.stacks.empty());
    }

    // Two iterations tell no spread, neither to the card nor to the bar; six tell one to both.
    void oneSpreadOfAQuantity() {
        m_database->add({"brief", 60, 2, 300.0});
        const auto data = load(query({"slow", "brief"}));
        int judged = 0;
        for (const ComparisonQuantity& quantity : data.quantities) {
            QVERIFY(!quantity.spread(1));
            if (quantity.spread(0) && quantity.value(1)) {
                QCOMPARE(weightText(data, quantity, 1), std::string("spread of B unknown"));
                ++judged;
            }
        }
        QVERIFY(judged > 2);
        for (const ComparisonQuantity& quantity : load(query({"slow", "fast"})).quantities) {
            if (quantity.spread(0) && quantity.spread(1))
                QVERIFY(quantity.changes[1].weight != analysis::Difference::Weight::Unknown);
        }
    }

    // Any number; the first stays first, the others by a quantity, the best first.
    void manyRunsInOrder() {
        for (int i = 0; i < 5; ++i)
            m_database->add({"more-" + std::to_string(i), 60 + 10 * i, 3, 300.0});
        auto asked
            = query({"slow", "more-3", "fast", "hungry", "more-0", "more-1", "more-2", "more-4"});
        QCOMPARE(load(asked).runs[1].named.name, std::string("more-3"));
        asked.sortedBy = "step_time_s";
        const auto data = load(asked);
        QCOMPARE(data.runs.size(), std::size_t{8});
        QVERIFY(data.isMany());
        // Steps of 10 s; then 5, 6, 7, 8, 9, 10 and 10 s.
        const std::vector<std::string> order{
            "slow", "fast", "more-0", "more-1", "more-2", "more-3", "hungry", "more-4"};
        for (std::size_t i = 0; i < order.size(); ++i)
            QCOMPARE(data.runs[i].named.name, order[i]);
        QCOMPARE(data.runs[7].mark, std::string("H"));
        const auto step = std::find_if(
            data.quantities.begin(), data.quantities.end(), [](const ComparisonQuantity& quantity) {
                return quantity.info().key == "step_time_s";
            });
        for (std::size_t i = 2; i < order.size(); ++i)
            QVERIFY(*step->value(i) >= *step->value(i - 1));
        QVERIFY(data.verdict->headline.starts_with("7 runs beside A"));
    }

    // The fastest of all leads nobody, since it ran another model.
    void otherModelsLeadNobody() {
        m_database->add({"base", 100, 3, 300.0, "llama3-8b"});
        m_database->add({"half", 50, 3, 300.0, "llama3-8b"});
        m_database->add({"tiny", 20, 3, 300.0, "gpt2-xl"});
        const auto verdict = *load(query({"base", "half", "tiny"})).verdict;
        QCOMPARE(verdict.statements.front(),
            std::string("C ran another model than A, so that its figures do not compare."));
        for (const std::string& statement : verdict.statements)
            QVERIFY2(statement.find("C leads") == std::string::npos, statement.c_str());
        QVERIFY(std::any_of(verdict.statements.begin(), verdict.statements.end(),
            [](const std::string& one) { return one.starts_with("Step time: B leads"); }));
    }

    // Steps of 10, 5 and 20 s.
    void standingsNameTheRuns() {
        m_database->add({"ten", 100, 3, 300.0});
        m_database->add({"five", 50, 3, 300.0});
        m_database->add({"twenty", 200, 3, 300.0});
        const auto verdict = *load(query({"ten", "five", "twenty"})).verdict;
        QVERIFY(std::any_of(
            verdict.statements.begin(), verdict.statements.end(), [](const std::string& one) {
                return one
                    == "Step time: B leads with 5 s (0.50 × A); beyond the spread, B is better "
                       "than A and C is worse.";
            }));
    }

    // Half of the iteration is half of the axis, whatever it took.
    void stretchedToOneLength() {
        auto asked = query({"slow", "fast"});
        asked.stretched = true;
        const auto data = load(asked);
        const auto& curves = *data.curves;
        QVERIFY(curves.stretched);
        QCOMPARE(curves.from, 0.0);
        QVERIFY(std::abs(curves.step * curves.columns - 1.0) < 1e-12);
        // Both are high in their first half and low in the second.
        for (const auto& curve : curves.curves) {
            QVERIFY(curve.mean[60] > 490.0F && curve.mean[180] < 120.0F);
            QVERIFY(!std::isnan(curve.mean[239]));
        }
        QVERIFY(std::abs(curves.differences[0].values[60]) < 2.0F);
    }

    void theSameRunTwiceIsOne() {
        const auto data = load(query({"slow", "fast", "slow"}));
        QCOMPARE(data.runs.size(), std::size_t{2});
        QVERIFY(std::any_of(data.notes.begin(), data.notes.end(),
            [](const auto& note) { return note.starts_with("A: given more than once"); }));
        QVERIFY(load(query({"slow", "slow"})).isEmpty());
    }

    void oneRunIsNone() {
        const auto data = load(query({"slow"}));
        QVERIFY(data.isEmpty());
    }

    // Runs that were measured before are not read again.
    void takesOver() {
        const auto before = load(query({"slow", "fast"}));
        auto asked = query({"fast", "slow"});
        asked.normalisation = analysis::Normalisation::PerGpu;
        const auto swapped = load(asked, &before);
        QCOMPARE(swapped.measured[0].get(), before.measured[1].get());
        QCOMPARE(swapped.measured[1].get(), before.measured[0].get());
        asked.wholeRun = false;
        QVERIFY(load(asked, &before).measured[0] != before.measured[1]);
    }

    void stops() {
        const auto data
            = loadComparison({m_database->store(), [](const ProgressState&) { return false; }},
                query({"slow", "fast"}));
        QVERIFY(!data.hasValue() && data.error().code == ErrorCode::Cancelled);
    }

    // The board of a comparison on pages: broken between panels, all of them once and in order.

    void panelsBreakBetweenPages() {
        const auto panels = shownPanels(*m_data, {});
        QVERIFY(panels.size() > 3);
        const auto figure = figures::comparisonFigure(m_data, {});
        const Picture whole = figure.draw(pageOf(0.0));
        // The highest panel decides how low a page can be; half of the board is more than that.
        const double height = 0.5 * whole.preferredHeight;
        const auto pages = figure.pages(pageOf(height));
        QVERIFY(pages.size() >= 2);
        std::size_t count = 0;
        for (std::size_t i = 0; i < pages.size(); ++i) {
            QVERIFY(pages[i].scene.height <= height + 0.5);
            QVERIFY(pages[i].warnings.empty());
            QCOMPARE(hasLabel(pages[i].scene, "A and B"), i == 0);
            count += pages[i].areas.size();
        }
        QCOMPARE(count, panels.size());
    }

    void oneThatFitsIsOnePage() {
        const auto figure = figures::comparisonFigure(m_data, {});
        const Picture whole = figure.draw(pageOf(0.0));
        const auto pages = figure.pages(pageOf(whole.preferredHeight + 1.0));
        QCOMPARE(pages.size(), std::size_t{1});
        QCOMPARE(pages[0].areas.size(), whole.areas.size());
        QVERIFY(std::abs(pages[0].scene.height - whole.preferredHeight) < 1e-6);
    }

    // Nothing can be broken: each row has a page, higher than asked where it must be, and says so.
    void aPanelThatIsHigherThanAPage() {
        const auto figure = figures::comparisonFigure(m_data, {});
        const auto pages = figure.pages(pageOf(20.0));
        QVERIFY(pages.size() > 2);
        for (const auto& page : pages)
            QCOMPARE(page.warnings.size(), std::size_t{1});
    }

    void onlyThePanelsThatAreChosen() {
        const auto figure = figures::comparisonFigure(
            m_data, {{ComparisonPanel::Bars, ComparisonPanel::Verdict}});
        const auto pages = figure.pages(pageOf(2000.0));
        QCOMPARE(pages.size(), std::size_t{1});
        QCOMPARE(pages[0].areas.size(), std::size_t{2});
    }

private:
    std::unique_ptr<Database> m_database;

    ComparisonQuery query(std::vector<std::string> names) const {
        ComparisonQuery query;
        for (const auto& name : names)
            query.runs.push_back(m_database->idOf(name));
        query.wholeRun = true;
        return query;
    }
    ComparisonData load(const ComparisonQuery& query, const ComparisonData* before = nullptr) {
        auto data = loadComparison(m_database->store(), query, before);
        if (!data.hasValue())
            qWarning("%s", data.error().describe().c_str());
        return std::move(data).value();
    }

    std::shared_ptr<const ComparisonData> m_data;
};

TRAINSCOPE_TEST(tst_ComparisonLoad)
#include "tst_ComparisonLoad.moc"
