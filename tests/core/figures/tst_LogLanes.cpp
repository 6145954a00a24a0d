// Lanes of a training log: by default, in the menu, and as slopes with points.
#include "core/figures/timeline/LaneLoad.h"
#include "core/model/Metric.h"
#include "core/plot/timeline/LanePrepare.h"
#include "support/TestProgram.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace trainscope;
using namespace trainscope::figures;
using namespace trainscope::plot;

namespace {

Series seriesOf(const char* metric, SubjectKind kind) {
    Series series;
    series.description.metric = *findMetric(metric);
    series.description.subject.kind = kind;
    if (kind == SubjectKind::Gpu)
        series.description.subject.rank = 0;
    series.count = 10;
    return series;
}

plot::Catalogue catalogueOf(std::vector<Series> series) {
    plot::Catalogue catalogue;
    catalogue.runs.emplace_back();
    catalogue.runs.back().series = std::move(series);
    return catalogue;
}

bool hasLane(const plot::Arrangement& arrangement, const char* metric) {
    return std::any_of(arrangement.lanes.begin(), arrangement.lanes.end(),
        [metric](const plot::LaneSpec& lane) { return lane.metric == metric; });
}

Bucket valueAt(float value) {
    return {value, value, value, value, value, 1, false};
}
Bucket heldFrom(float value) {
    return {value, value, value, value, value, 0, false};
}

} // namespace

class tst_LogLanes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void byDefault() {
        const auto arrangement
            = defaultArrangement(catalogueOf({seriesOf("gpu_power", SubjectKind::Gpu),
                seriesOf("loss", SubjectKind::Run), seriesOf("token_rate", SubjectKind::Run),
                seriesOf("grad_norm", SubjectKind::Run)}));
        QVERIFY(hasLane(arrangement, "gpu_power"));
        QVERIFY(hasLane(arrangement, "loss"));
        QVERIFY(hasLane(arrangement, "token_rate"));
        QVERIFY(!hasLane(arrangement, "grad_norm"));
        // Without tokens the samples, without samples what was reported.
        QVERIFY(
            hasLane(defaultArrangement(catalogueOf({seriesOf("reported_flops", SubjectKind::Run)})),
                "reported_flops"));
        // Metrics that only nodes and switches have are power all the same.
        const auto ofNodes = defaultArrangement(catalogueOf(
            {seriesOf("node_power", SubjectKind::Node), seriesOf("loss", SubjectKind::Run),
                seriesOf("switch_power", SubjectKind::Switch)}));
        QVERIFY(hasLane(ofNodes, "node_power"));
        QVERIFY(hasLane(ofNodes, "switch_power"));
    }
    // Each metric once.
    void inTheList() {
        const auto choices = laneChoices(catalogueOf(
            {seriesOf("gpu_power", SubjectKind::Gpu), seriesOf("loss", SubjectKind::Run)}));
        std::vector<std::string> titles;
        for (const auto& choice : choices)
            titles.push_back(choice.title);
        QCOMPARE(titles, (std::vector<std::string>{"GPU power", "Loss"}));
    }
    // From 2 in the first column to 4 in the fifth, and held behind it.
    void slopes() {
        plot::LaneData lane;
        lane.spec.style = plot::LaneStyle::Lines;
        plot::LanePreparation preparation(lane, 6, 1, plot::LoadDetail::Drawn);
        plot::LaneSeries series;
        series.subject.kind = SubjectKind::Run;
        series.buckets
            = {valueAt(2), heldFrom(2), heldFrom(2), heldFrom(2), valueAt(4), heldFrom(4)};
        preparation.add(series);
        const plot::Trace& trace = lane.series.front().trace;
        for (std::size_t i = 1; i <= 4; ++i) {
            const float end = 2.0F + 0.5F * static_cast<float>(i);
            QCOMPARE(trace.high[i], end);
            QCOMPARE(trace.low[i], end - 0.5F);
        }
        QCOMPARE(trace.high[5], 4.0F);
        QCOMPARE(trace.low[5], 4.0F);
    }
};

TRAINSCOPE_TEST(tst_LogLanes)
#include "tst_LogLanes.moc"
