// Values of all ranks at moments: held, missing, rates of counters, and frames for playback.

#include "core/analysis/cluster/ClusterDatabase.h"
#include "core/analysis/cluster/RankValues.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;
using test::atSecond;
using test::ClusterDatabase;
using test::PlantedCluster;

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

Subject gpu(int rank) {
    return {SubjectKind::Gpu, rank, -1, {}};
}

// Rank 0 rises from 50 by one a second for ten seconds, rank 2 is constant and misses second 4.
PlantedCluster warm() {
    PlantedCluster planted;
    planted.gpus = 3;
    planted.series.push_back({"gpu_temperature", gpu(0), {50, 51, 52, 53, 54, 55, 56, 57, 58, 59}});
    planted.series.push_back(
        {"gpu_temperature", gpu(2), {70, 70, 70, 70, kMissing, 70, 70, 70, 70, 80}});
    planted.series.push_back({"nvlink_tx", gpu(1), {0, 10, 20, 30, 40, 50, 150, 250, 350, 450}});
    return planted;
}

} // namespace

class tst_RankValues : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void valuesHoldUntilTheNextSample() {
        ClusterDatabase database(warm());
        const auto series
            = RankSeries::open({database.store(), database.run()}, "gpu_temperature").value();
        QCOMPARE(series.ranks(), 3);
        auto values = series.at(database.store(), atSecond(3.9)).value();
        QCOMPARE(values, (RankValues{53.0, std::nullopt, 70.0}));
        values = series.at(database.store(), atSecond(4.5)).value();
        QCOMPARE(values, (RankValues{54.0, std::nullopt, std::nullopt}));
        // The last sample for a period, a second.
        values = series.at(database.store(), atSecond(9.9)).value();
        QCOMPARE(values, (RankValues{59.0, std::nullopt, 80.0}));
        // Neither before the recording nor after it.
        values = series.at(database.store(), atSecond(-1.0)).value();
        QCOMPARE(values, (RankValues{std::nullopt, std::nullopt, std::nullopt}));
        values = series.at(database.store(), atSecond(20.0)).value();
        QCOMPARE(values, (RankValues{std::nullopt, std::nullopt, std::nullopt}));
    }

    void boundsAreThoseOfTheRun() {
        ClusterDatabase database(warm());
        const auto bounds = RankSeries::open({database.store(), database.run()}, "gpu_temperature")
                                .value()
                                .bounds(database.store())
                                .value();
        QCOMPARE(bounds->low, 50.0);
        QCOMPARE(bounds->high, 80.0);
    }

    // 10 B/s for five seconds, then 100.
    void countersGiveRates() {
        ClusterDatabase database(warm());
        const auto series
            = RankSeries::open({database.store(), database.run()}, "nvlink_tx").value();
        QCOMPARE(series.ranks(), 2);
        QCOMPARE(series.at(database.store(), atSecond(2.5)).value()[1].value_or(0.0), 10.0);
        QCOMPARE(series.at(database.store(), atSecond(7.5)).value()[1].value_or(0.0), 100.0);
        QCOMPARE(series.at(database.store(), atSecond(9.5)).value()[1].value_or(0.0), 100.0);
        const auto bounds = series.bounds(database.store()).value();
        QCOMPARE(bounds->low, 10.0);
        QCOMPARE(bounds->high, 100.0);
    }

    void framesAreMeansOfTheirParts() {
        ClusterDatabase database(warm());
        const auto series
            = RankSeries::open({database.store(), database.run()}, "gpu_temperature").value();
        const auto frames = series.frames(database.store(), {atSecond(0), atSecond(8)}, 4).value();
        QCOMPARE(frames.count, 4);
        QCOMPARE(frames.ranks, 3);
        QCOMPARE(frames.at(0), (RankValues{50.5, std::nullopt, 70.0}));
        QCOMPARE(frames.at(3), (RankValues{56.5, std::nullopt, 70.0}));
        QCOMPARE(frames.frameAt(atSecond(0)), 0);
        QCOMPARE(frames.frameAt(atSecond(3.9)), 1);
        QCOMPARE(frames.frameAt(atSecond(4)), 2);
        QCOMPARE(frames.frameAt(atSecond(-5)), 0);
        QCOMPARE(frames.frameAt(atSecond(99)), 3);
    }

    // Frames of one sample each are what is held at that moment.
    void framesAgreeWithMoments() {
        std::mt19937 random(3);
        PlantedCluster planted;
        planted.gpus = 16;
        for (int rank = 0; rank < 16; ++rank) {
            std::vector<double> values;
            for (int i = 0; i < 200; ++i)
                values.push_back(std::uniform_int_distribution<int>(30, 95)(random));
            planted.series.push_back({"gpu_temperature", gpu(rank), values});
        }
        ClusterDatabase database(planted);
        const auto series
            = RankSeries::open({database.store(), database.run()}, "gpu_temperature").value();
        const auto frames
            = series.frames(database.store(), {atSecond(20), atSecond(120)}, 100).value();
        for (int frame = 0; frame < 100; frame += 7) {
            const auto at = series.at(database.store(), atSecond(20.5 + frame)).value();
            QCOMPARE(frames.at(frame), at);
        }
    }

    void whatThereIsNot() {
        ClusterDatabase database(warm());
        const auto none = RankSeries::open({database.store(), database.run()}, "fan_speed");
        QVERIFY(!none.hasValue());
        QVERIFY(none.error().code == ErrorCode::NotFound);
        VERIFY_SAYS(none.error().message, "gpu_temperature, nvlink_tx");
    }

    void canBeStopped() {
        ClusterDatabase database(warm());
        const auto series
            = RankSeries::open({database.store(), database.run()}, "gpu_temperature").value();
        const auto frames = series.frames(database.store(), {atSecond(0), atSecond(8)}, 4,
            [](const ProgressState&) { return false; });
        QVERIFY(!frames.hasValue() && frames.error().code == ErrorCode::Cancelled);
    }
};

TRAINSCOPE_TEST(tst_RankValues)
#include "tst_RankValues.moc"
