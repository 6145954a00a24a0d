// The lanes that suit what runs have: temperatures by their number, kinds, what is missing,
// presets.
#include "core/figures/timeline/TimelineLoad.h"
#include "core/model/Metric.h"
#include "support/TestProgram.h"

#include <QTest>

#include <algorithm>

using namespace trainscope;
using namespace trainscope::figures;
using namespace trainscope::plot;

namespace {

Series gpuSeries(const char* metric, int rank) {
    Series series;
    series.description.metric = *findMetric(metric);
    series.description.subject = {SubjectKind::Gpu, rank, 0, {}};
    series.count = 10;
    return series;
}

// Each of those metrics of each GPU.
Catalogue gpuRun(int gpus, const std::vector<const char*>& metrics) {
    Catalogue catalogue;
    auto& run = catalogue.runs.emplace_back();
    for (const char* metric : metrics) {
        for (int rank = 0; rank < gpus; ++rank)
            run.series.push_back(gpuSeries(metric, rank));
    }
    return catalogue;
}

Track trackOf(TrackKind kind, int rank) {
    Track track;
    track.description.kind = kind;
    track.description.rank = rank;
    track.count = 5;
    return track;
}

std::vector<std::string> metricsOf(const Arrangement& arrangement) {
    std::vector<std::string> all;
    for (const auto& lane : arrangement.lanes)
        all.push_back(!lane.metric.empty()         ? lane.metric
                : lane.style == LaneStyle::Kernels ? "kernels"
                                                   : "threads");
    return all;
}

} // namespace

class tst_LaneDefaults : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void oneGpusTemperatureIsALine() {
        const auto style = [](int gpus) {
            return defaultArrangement(gpuRun(gpus, {"gpu_temperature"})).lanes.front().style;
        };
        QVERIFY(style(1) == LaneStyle::Lines);
        QVERIFY(style(2) == LaneStyle::Heat);
        QVERIFY(style(8) == LaneStyle::Heat);
        // Two runs of one GPU each are two lines.
        Catalogue two = gpuRun(1, {"gpu_temperature"});
        two.runs.push_back(two.runs.front());
        QVERIFY(defaultArrangement(two).lanes.front().style == LaneStyle::Lines);
    }
    // A GPU that two sources recorded is one.
    void theReasonIsTheNumber() {
        Catalogue twins = gpuRun(1, {"gpu_temperature", "gpu_temperature"});
        QCOMPARE(defaultStyle(twins, "gpu_temperature").of, std::string("1 GPU"));
        QVERIFY(defaultStyle(twins, "gpu_temperature").style == LaneStyle::Lines);
        const auto eight = gpuRun(8, {"gpu_temperature", "gpu_power"});
        QCOMPARE(defaultStyle(eight, "gpu_temperature").of, std::string("8 GPUs"));
        QVERIFY(defaultStyle(eight, "gpu_temperature").style == LaneStyle::Heat);
        QVERIFY(defaultStyle(eight, "gpu_power").style == LaneStyle::Lines);
        QVERIFY(defaultStyle(eight, "sm_clock").of.empty());
    }
    void kinds() {
        const auto choices = laneChoices(gpuRun(1,
            {"gpu_power", "gpu_energy", "gpu_temperature", "fan_speed", "sm_clock",
                "throttle_reasons", "gpu_utilization", "tensor_active", "mem_used",
                "torch_mem_allocated", "nvlink_rx", "pcie_rx_rate", "cpu_utilization", "xid"}));
        std::vector<std::string> told;
        for (const auto& choice : choices)
            told.push_back(choice.lane.metric + " " + std::string(nameOf(choice.group)));
        std::sort(told.begin(), told.end());
        QCOMPARE(told,
            (std::vector<std::string>{"cpu_utilization Host", "fan_speed Heat", "gpu_energy Power",
                "gpu_power Power", "gpu_temperature Heat", "gpu_utilization Utilisation",
                "mem_used Memory", "nvlink_rx Links", "pcie_rx_rate Links", "sm_clock Clocks",
                "tensor_active Utilisation", "throttle_reasons Clocks",
                "torch_mem_allocated Memory", "xid Other"}));
    }
    void everyMetricIsThereOrMissing() {
        const auto catalogue = gpuRun(2, {"gpu_power", "sm_clock"});
        const auto missing = missingLanes(catalogue);
        // And kernels and threads.
        QCOMPARE(missing.size(), metricRegistry().size() - 2 + 2);
        QVERIFY(std::none_of(missing.begin(), missing.end(),
            [](const auto& choice) { return choice.lane.metric == "sm_clock"; }));
        // Two metrics of both GPUs together, and of each.
        QCOMPARE(laneChoices(catalogue).size(), std::size_t{2 + 4});
        QCOMPARE(laneChoices(gpuRun(1, {"gpu_power"})).size(), std::size_t{1});
    }
    void presets() {
        Catalogue run = gpuRun(1,
            {"gpu_power_average", "gpu_power", "gpu_temperature", "sm_clock", "pcie_rx_rate",
                "cpu_utilization"});
        const auto presetsOf = [&run] {
            std::vector<std::vector<std::string>> all;
            for (const auto& preset : lanePresets(run))
                all.push_back(metricsOf(preset.arrangement));
            return all;
        };
        using Lanes = std::vector<std::string>;
        QCOMPARE(presetsOf(),
            (std::vector<Lanes>{{"gpu_power", "gpu_temperature", "sm_clock"}, {"pcie_rx_rate"},
                {"cpu_utilization"}}));
        run = {};
        run.runs.emplace_back();
        run.runs.back().tracks = {trackOf(TrackKind::Stream, 0), trackOf(TrackKind::Thread, 0)};
        QCOMPARE(presetsOf(), (std::vector<Lanes>{{}, {"kernels"}, {"threads"}}));
    }
};

TRAINSCOPE_TEST(tst_LaneDefaults)
#include "tst_LaneDefaults.moc"
