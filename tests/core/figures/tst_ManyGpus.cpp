// Lanes of 1,024 GPUs, of values and of rates: all of them, read by several threads at once.

#include "core/figures/support/SweepDatabase.h"
#include "core/figures/timeline/TimelineLoad.h"
#include "core/parallel/WorkerPool.h"
#include "support/TestProgram.h"

#include <QDeadlineTimer>
#include <QtTest>

#include <chrono>
#include <filesystem>

using namespace trainscope;
using namespace trainscope::figures;

namespace {

constexpr int kGpus = 1024;
constexpr unsigned kThreads = 4;

// How often this process has the file open.
int timesOpen(const std::filesystem::path& path) {
    int times = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code ignored; // closed meanwhile
        times += std::filesystem::read_symlink(entry, ignored) == path ? 1 : 0;
    }
    return times;
}

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
        QTest::addColumn<QString>("metric");
        QTest::addColumn<double>("highest");
        QTest::newRow("values") << "gpu_power" << 1123.0;
        QTest::newRow("rates") << "nvlink_tx" << 2.023e9;
    }
    void allByAllThreads() {
        QFETCH(QString, metric);
        QFETCH(double, highest);
        const auto runs = m_database.store().runs().value();
        const std::vector<ShownRun> shown{{runs.front().id, "large", runs.front().range.begin}};
        const auto catalogue = readCatalogue(m_database.store(), shown).value();
        int most = 0;
        int times = 0;
        QDeadlineTimer patience(QDeadlineTimer::Forever);
        const auto asked = [&] {
            if (++times == kGpus / 2)
                patience.setRemainingTime(std::chrono::seconds(20));
            // On a busy machine the others may begin when this thread would have ended.
            do
                most = std::max(most, timesOpen(m_database.store().path()));
            while (times >= kGpus / 2 && most < 2 && !patience.hasExpired());
            return false;
        };
        const plot::Arrangement one{{{plot::LaneStyle::Heat, metric.toStdString(), {}, 120.0}}};
        const auto data = loadTimeline(
            m_database.store(), catalogue, shown, one, {{0}, {2 * test::kSecond}}, 2, asked);
        QVERIFY2(data.hasValue(), data.hasValue() ? "" : data.error().message.c_str());
        QCOMPARE(data.value().lanes.size(), std::size_t{1});
        const auto& lane = data.value().lanes.front();
        QCOMPARE(lane.series.size(), std::size_t{kGpus});
        QVERIFY(lane.high >= highest && lane.high < 1.5 * highest);
        QVERIFY2(most >= 2, qPrintable(QString::number(most)));
    }

private:
    test::SweepDatabase m_database;
};

TRAINSCOPE_TEST(tst_ManyGpus)
#include "tst_ManyGpus.moc"
