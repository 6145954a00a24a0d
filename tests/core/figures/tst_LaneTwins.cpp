// Lanes of GPUs that two sources recorded: each GPU once.
#include "core/figures/timeline/LaneLoad.h"
#include "core/model/Metric.h"
#include "support/TestProgram.h"

#include <QTest>

using namespace trainscope;
using namespace trainscope::figures;
using namespace trainscope::plot;

namespace {

Series powerOf(std::int64_t id, int rank, std::int64_t count, std::int64_t missing) {
    Series series;
    series.id = {id};
    series.description.metric = *findMetric(metric::kGpuPower);
    series.description.subject = {SubjectKind::Gpu, rank, -1, {}};
    series.count = count;
    series.missing = missing;
    return series;
}

std::vector<std::int64_t> idsOf(const plot::Catalogue& catalogue) {
    plot::LaneSpec lane;
    lane.metric = metric::kGpuPower;
    std::vector<std::int64_t> ids;
    for (const SelectedSeries& one : selectSeries(catalogue, lane))
        ids.push_back(one.series->id.value);
    return ids;
}

} // namespace

class tst_LaneTwins : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Rank 0 has 9 values in the first series and 10 in the second; rank 1 has 10 in both, so the
    // first stands.
    void theOneWithMoreValues() {
        plot::Catalogue catalogue;
        catalogue.runs.emplace_back();
        catalogue.runs.back().series = {powerOf(1, 0, 20, 11), powerOf(2, 1, 10, 0),
            powerOf(3, 0, 10, 0), powerOf(4, 1, 10, 0)};
        QCOMPARE(idsOf(catalogue), (std::vector<std::int64_t>{3, 2}));
    }

    // The same ranks of two runs are no twins.
    void twoRuns() {
        plot::Catalogue catalogue;
        catalogue.runs.resize(2);
        catalogue.runs[0].series = {powerOf(1, 0, 10, 0)};
        catalogue.runs[1].series = {powerOf(2, 0, 20, 0)};
        QCOMPARE(idsOf(catalogue), (std::vector<std::int64_t>{1, 2}));
    }
};

TRAINSCOPE_TEST(tst_LaneTwins)
#include "tst_LaneTwins.moc"
