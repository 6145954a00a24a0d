// The built-in sample is what it says: two simulated runs of 32 and 64 GPUs over two minutes at 10
// Hz, and a recorded one, whose figures were computed from its files with Python.

#include "app/sample/Sample.h"
#include "core/analysis/findings/RunFacts.h"
#include "core/analysis/replay/Replay.h"
#include "core/store/Store.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

using namespace trainscope;

class tst_Sample : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    std::filesystem::path path() const {
        return m_folder.filePath(QStringLiteral("sample.trainscope")).toStdString();
    }

    static store::WindowStatistics statisticsOf(
        const store::Store& store, RunId run, const char* metric, int rank) {
        const auto series = store.series(run);
        for (const auto& one : series.value()) {
            if (one.description.metric.name == metric && one.description.subject.rank == rank)
                return store.statistics(one.id, kAllTime).value();
        }
        return {};
    }

    // Spans of the tensor-parallel stream of that rank.
    static std::vector<Span> allReduces(const store::Store& store, RunId run, int rank) {
        std::vector<Span> spans;
        const auto tracks = store.tracks(run);
        for (const auto& track : tracks.value()) {
            if (track.description.rank != rank || track.description.thread != "20")
                continue;
            const auto read
                = store.forEachSpan(track.id, kAllTime, [&spans](std::span<const Span> block) {
                      spans.insert(spans.end(), block.begin(), block.end());
                      return true;
                  });
            Q_ASSERT(read.hasValue());
        }
        return spans;
    }

private Q_SLOTS:
    void initTestCase() {
        const auto written = app::writeSample(path());
        QVERIFY2(written.hasValue(), written.error().describe().c_str());
    }

    void hasTheTwoRuns() {
        const auto store = store::Store::open(path(), store::OpenMode::ReadOnly);
        QVERIFY(store.hasValue());
        const auto runs = store.value().runs().value();
        QCOMPARE(runs.size(), std::size_t{2});
        for (const auto& run : runs) {
            QVERIFY(run.simulated);
            QCOMPARE(run.gpuCount, run.gpuModel == "NVIDIA H200" ? 32 : 64);
            QVERIFY(run.range.length().seconds() > 119.0 && run.range.length().seconds() < 121.0);
            QVERIFY(store.value().iterations(run.id).value().size() >= 5);
        }
    }

    // Every GPU was read 1,200 times; rank 13 lost three seconds.
    void samplesTenTimesASecond() {
        const auto store = store::Store::open(path(), store::OpenMode::ReadOnly);
        const auto run = store.value().runs().value().front();
        QCOMPARE(statisticsOf(store.value(), run.id, "sm_clock", 0).count, std::int64_t{1200});
        QCOMPARE(statisticsOf(store.value(), run.id, "sm_clock", 13).count, std::int64_t{1170});
    }

    // Rank 13's hole of three seconds, of thirty periods, is in each of its 13 series.
    void itsHoleIsCounted() {
        const auto store = store::Store::open(path(), store::OpenMode::ReadOnly);
        const auto sources = store.value().sources().value();
        QCOMPARE(sources.size(), std::size_t{2});
        for (const auto& source : sources)
            QCOMPARE(source.report.gaps, std::int64_t{13});
    }

    void rearGpusAreHotterAndThrottle() {
        const auto store = store::Store::open(path(), store::OpenMode::ReadOnly);
        const auto runs = store.value().runs().value();
        for (const auto& run : runs) {
            const auto front = statisticsOf(store.value(), run.id, "gpu_temperature", 1);
            const auto rear = statisticsOf(store.value(), run.id, "gpu_temperature", 6);
            QVERIFY(rear.mean > front.mean + 8.0);
            QVERIFY(rear.max < 95.0);
            const bool isH200 = run.gpuModel == "NVIDIA H200";
            const int hotRank = isH200 ? 2 * 8 + 6 : 5 * 8 + 6;
            QVERIFY(statisticsOf(store.value(), run.id, "sm_clock", hotRank).min < 0.97 * 1980e6);
            QCOMPARE(statisticsOf(store.value(), run.id, "sm_clock", 1).max, 1980e6);
        }
    }

    // The front GPU reaches every all-reduce first and waits for the rear one; all end together.
    void frontGpusWaitForRearOnes() {
        const auto store = store::Store::open(path(), store::OpenMode::ReadOnly);
        const auto run = store.value().runs().value().front();
        const auto front = allReduces(store.value(), run.id, 0);
        const auto rear = allReduces(store.value(), run.id, 7);
        QVERIFY(front.size() > 100);
        QCOMPARE(front.size(), rear.size());
        std::size_t waited = 0;
        for (std::size_t i = 0; i < front.size(); ++i) {
            const auto end = [](const Span& span) { return span.start.ns + span.duration.ns; };
            QVERIFY(std::abs(end(front[i]) - end(rear[i])) <= 1'000);
            if (front[i].start < rear[i].start)
                ++waited;
        }
        // A backward layer begins with one, which all reach at once.
        QVERIFY(waited > front.size() / 2);
    }

    // From the last GPU's start on it sends 2 · 7/8 of 2 × 2048 × 12288 × 2 B at 450 GB/s at most,
    // which takes 391.5 µs. The last one is that of the gradients' norm, of 4 B.
    void noAllReduceIsFasterThanItsLinks() {
        const auto store = store::Store::open(path(), store::OpenMode::ReadOnly);
        const auto runs = store.value().runs().value();
        for (const auto& run : runs) {
            const auto front = allReduces(store.value(), run.id, 0);
            const auto rear = allReduces(store.value(), run.id, 7);
            for (std::size_t i = 0; i + 1 < front.size(); ++i)
                QVERIFY(std::min(front[i].duration, rear[i].duration).ns > 391'480);
        }
    }

    void theSameEveryTime() {
        const std::filesystem::path again
            = m_folder.filePath(QStringLiteral("again.trainscope")).toStdString();
        QVERIFY(app::writeSample(again).hasValue());
        const auto a = store::Store::open(path(), store::OpenMode::ReadOnly);
        const auto b = store::Store::open(again, store::OpenMode::ReadOnly);
        const auto run = a.value().runs().value().front();
        const auto left = statisticsOf(a.value(), run.id, "gpu_power", 5);
        const auto right = statisticsOf(b.value(), run.id, "gpu_power", 5);
        QCOMPARE(left.integral, right.integral);
        QCOMPARE(left.max, right.max);
    }

    // 7,632 readings of one GPU, at most 888.667 W, 173 steps; nothing tells where it was built.
    void hasTheRecordedRun() {
        const std::filesystem::path whole
            = m_folder.filePath(QStringLiteral("whole.trainscope")).toStdString();
        const auto written = app::addRecording(
            whole, test::folderFrom("TRAINSCOPE_SOURCE") + "/resources/recording");
        QVERIFY2(written.hasValue(), written.error().describe().c_str());
        const auto store = store::Store::open(whole, store::OpenMode::ReadOnly);
        const auto runs = store.value().runs().value();
        QCOMPARE(runs.size(), std::size_t{1});
        QCOMPARE(runs[0].name, std::string(app::kRecordedRun));
        QVERIFY(!runs[0].simulated);
        QCOMPARE(runs[0].gpuCount, 1);
        QCOMPARE(runs[0].launch.layers.value_or(0), 12);
        QCOMPARE(store.value().captures(runs[0].id).value().size(), std::size_t{3});
        QCOMPARE(store.value().iterations(runs[0].id).value().size(), std::size_t{173});
        const auto power = statisticsOf(store.value(), runs[0].id, "gpu_power", 0);
        QCOMPARE(power.count, std::int64_t{7632});
        QCOMPARE(power.max, 888.667);
        for (const auto& source : store.value().sources().value())
            QVERIFY(source.path.starts_with("resources/recording"));
    }

    // Hosts of the simulated runs launch each kernel 180 µs ahead, so that the path of a step leads
    // through nothing but launches; GPUs wait for 0.6 % of the time. It is no fact of the run.
    void aPathThroughAHostThatNoGpuWaitsForIsNotTold() {
        const auto store = store::Store::open(path(), store::OpenMode::ReadOnly);
        const auto run = store.value().runs().value().front();
        const analysis::RunStudy study{store.value(), run};
        const auto replay = analysis::replayOf(study, {});
        QVERIFY(replay.hasValue());
        QVERIFY(replay.value().path.hostS > 0.99 * replay.value().path.seconds);
        const auto facts = analysis::factsOf(study);
        QVERIFY(facts.hasValue());
        QVERIFY(!facts.value().replay);
    }

    void isSmall() { QVERIFY(std::filesystem::file_size(path()) < 12U << 20U); }
};

TRAINSCOPE_TEST(tst_Sample)
#include "tst_Sample.moc"
