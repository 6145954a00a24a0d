// Lanes of 1,024 GPUs, of values and of rates: all of them, by connections of several threads.

#include "core/figures/support/SweepDatabase.h"
#include "core/figures/timeline/TimelineLoad.h"
#include "core/parallel/WorkerPool.h"
#include "support/TestProgram.h"

using namespace trainscope::figures;
using namespace trainscope::plot;

namespace {

constexpr int kGpus = 1024;
constexpr unsigned kThreads = 4;

} // namespace

class tst_ManyGpus : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        WorkerPool::askFor(kThreads);
        test::SweepRun run{"large", RunStatus::Ok, {}, kGpus, 8, {}, {}};
        for (int rank = 0; rank < kGpus; ++rank) {
            run.series.push_back({"gpu_power", rank, {100.0, 100.0 + rank, 200.0}});
            // Bytes: a second at that rate, then a second without.
            run.series.push_back({"nvlink_tx", rank, {0.0, 1e9 + rank * 1e6, 1e9 + rank * 1e6}});
        }
        m_database.add(run);
    }

    void allByAllThreads_data() {
        const auto row = test::columns<QString, double>("metric", "highest");
        row("values", "gpu_power", 1123.0);
        row("rates", "nvlink_tx", 2.023e9);
    }
    void allByAllThreads() {
        QFETCH(QString, metric);
        QFETCH(double, highest);
        // Others read along where nothing can be written.
        const auto store
            = store::Store::open(m_database.store().path(), store::OpenMode::ReadOnly).value();
        const auto runs = store.runs().value();
        const std::vector<ShownRun> shown{{runs.front().id, "large", runs.front().range.begin}};
        const auto catalogue = readCatalogue(store, shown).value();
        const plot::Arrangement one{{{plot::LaneStyle::Heat, metric.toStdString(), {}, 120.0}}};
        const auto data
            = loadTimeline(store, catalogue, shown, one, {{0}, {2 * test::kSecond}}, 2, {}).value();
        QCOMPARE(data.lanes.size(), std::size_t{1});
        const auto& lane = data.lanes.front();
        QCOMPARE(lane.series.size(), std::size_t{kGpus});
        QVERIFY(lane.high >= highest && lane.high < 1.5 * highest);
    }

private:
    test::SweepDatabase m_database;
};

TRAINSCOPE_TEST(tst_ManyGpus)
#include "tst_ManyGpus.moc"
