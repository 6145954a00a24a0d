// Series in which most samples are missing, or several are of one moment: what a period is, and so
// what is bridged of them in a window.

#include "core/store/Fixture.h"

#include "core/analysis/iterations/IterationFigures.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/statistics/SeriesStatistics.h"
#include "core/analysis/statistics/Summary.h"
#include "support/TestProgram.h"

#include <QObject>

using namespace trainscope;
using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

constexpr std::int64_t kRowNs = 1'000'000'000;
constexpr TimeRange kFrom30To70{{30 * kRowNs}, {70 * kRowNs}};

// Rows each second from 0 to 80 s, of which each twentieth has a value: t at t.
void addSparse(Store& store, const SeriesDescription& description) {
    std::vector<std::int64_t> at;
    std::vector<double> values;
    for (int t = 0; t <= 80; ++t) {
        at.push_back(t * kRowNs);
        values.push_back(t % 20 == 0 ? t : test::kMissing);
    }
    addSeries(store, description, at, values, description.metric.name);
}

Series onlySeries(const Store& store) {
    return got(store.series(got(store.findRun("run")).id)).at(0);
}

} // namespace

class tst_SparseSamples : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // A period is the 20 s between values: all is bridged, (70² − 30²)/2 J and 70 − 30 B.
    void aWindow() {
        const Fixture fixture;
        auto store = fixture.create();
        addSparse(store, gauge("gpu_power", 0));
        addSparse(store, counter("pcie_rx", 0, 64));
        const auto summary = got(summarise({store, got(store.findRun("run"))}, kFrom30To70));
        QCOMPARE(summary.energy->joules, 2000.0);
        QCOMPARE(summary.energy->coverage, 1.0);
        QCOMPARE(*summary.metrics.at("pcie_rx").all.total, 40.0);
    }

    void anIteration() {
        const Fixture fixture;
        auto store = fixture.create();
        addSparse(store, gauge("gpu_power", 0));
        const auto gpus = gpuSeriesByRank({onlySeries(store)});
        const auto figures
            = got(iterationFigures(store, {{0, kFrom30To70, -1, false}}, gpus, {}, nullptr, false));
        QCOMPARE(*figures.at(0).energyJ, 2000.0);
        QCOMPARE(figures.at(0).energyCoverage, 1.0);
    }

    // Ten times 20 s; where one of seven is missing, ten times the second between most.
    void gapLimits() {
        const Fixture fixture;
        auto sparse = fixture.create();
        addSparse(sparse, gauge("gpu_power", 0));
        QCOMPARE(got(gapLimitOf(sparse, onlySeries(sparse))).ns, 200 * kRowNs);
        const Fixture other;
        auto dense = other.create();
        addSeries(dense, gauge("gpu_power", 0),
            {0, kRowNs, 2 * kRowNs, 3 * kRowNs, 4 * kRowNs, 5 * kRowNs, 6 * kRowNs},
            {1, 1, 1, test::kMissing, 1, 1, 1});
        QCOMPARE(got(gapLimitOf(dense, onlySeries(dense))).ns, 10 * kRowNs);
    }

    // Each moment thrice: the median distance of the samples is 0, but a period is the second
    // between the moments. From 0.5 s to 2.5 s at 100 W.
    void repeatedMoments() {
        const Fixture fixture;
        auto store = fixture.create();
        std::vector<std::int64_t> at;
        for (int i = 0; i < 12; ++i)
            at.push_back(i / 3 * kRowNs);
        addSeries(store, gauge("gpu_power", 0), at, std::vector<double>(at.size(), 100.0));
        const TimeRange window{{kRowNs / 2}, {5 * kRowNs / 2}};
        const auto summary = got(summarise({store, got(store.findRun("run"))}, window));
        QCOMPARE(summary.energy->joules, 200.0);
        QCOMPARE(summary.energy->coverage, 1.0);
    }
};

TRAINSCOPE_TEST(tst_SparseSamples)
#include "tst_SparseSamples.moc"
