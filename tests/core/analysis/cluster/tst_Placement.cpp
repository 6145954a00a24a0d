// Placements from what runs recorded: telemetry with planted heat and throttling.

#include "core/analysis/cluster/Placement.h"
#include "core/analysis/cluster/PlacementModel.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "core/store/Writing.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;

namespace {

constexpr std::int64_t kIterationNs = 10'000'000'000;
const std::string kNetwork = R"({"network_b_per_s":50e9})";

struct Plant {
    int tensor = 4;
    int pipeline = 8;
    int layers = 96;
    std::optional<std::string> model;
    std::optional<std::string> stageLayers;
    double hotClock = 1980e6 * 11.0 / 13.0; // rear GPUs
    double gap = 16.0;
    std::vector<int> airflow; // empty: as assumed
    bool hasClocks = true;
    bool hasNetwork = false; // then it has iterations, too
};

// 32 GPUs for 400 s: idle for 20 s, then busy; temperatures follow power with R = 0.05 °C/W.
class PlantedRun {
public:
    explicit PlantedRun(const Plant& plant) {
        Run& run = m_trace.run;
        run.gpuModel = "NVIDIA H200";
        run.worldSize = 32;
        run.launch.tensorParallel = plant.tensor;
        run.launch.pipelineParallel = plant.pipeline;
        run.launch.layers = plant.layers;
        run.launch.model = plant.model;
        run.launch.stageLayers = plant.stageLayers;
        run.launch.gpusPerNode = 8;
        run.launch.nodes = 4;
        run.launch.microBatch = 1;
        run.launch.sequenceLength = 4096;
        run.launch.globalBatch = 64;
        run.launch.origin = "launch.yaml";
        for (int rank = 0; rank < 32; ++rank)
            addGpu(plant, rank);
        for (std::int64_t i = 0; i < 36 && plant.hasNetwork; ++i)
            m_trace.iteration(-1, i, (i + 2) * kIterationNs, (i + 3) * kIterationNs);
        m_store.emplace(m_trace.store());
        if (plant.hasNetwork)
            QVERIFY(store::setMachine(*m_store, m_store->findRun("run").value().id, kNetwork)
                        .hasValue());
        if (!plant.airflow.empty())
            QVERIFY(store::setAirflow(*m_store, m_store->findRun("run").value().id, plant.airflow)
                        .hasValue());
    }
    Result<Placement> propose() { return proposePlacement(test::studyOf(*m_store)); }

private:
    static bool isRear(const Plant& plant, int local) {
        if (plant.airflow.empty())
            return local >= 4;
        const auto at = std::find(plant.airflow.begin(), plant.airflow.end(), local);
        return at - plant.airflow.begin() >= 4;
    }

    void addGpu(const Plant& plant, int rank) {
        m_trace.gpus.push_back({rank, rank / 8, rank % 8, "NVIDIA H200", {}});
        std::vector<double> watts;
        std::vector<double> celsius;
        std::vector<double> clocks;
        std::vector<double> busy;
        const bool rear = isRear(plant, rank % 8);
        double temperature = 30.0;
        for (int i = 0; i < 800; ++i) {
            const bool isBusy = i >= 40;
            const double power = isBusy ? 600.0 : 100.0;
            const double settled = 35.0 + 0.05 * power + (rear && isBusy ? plant.gap : 0.0);
            temperature += (settled - temperature) * 0.5 / 8.0;
            watts.push_back(power + (i * 7 + rank) % 11);
            celsius.push_back(temperature);
            clocks.push_back(rear && isBusy ? plant.hotClock : 1980e6);
            busy.push_back(isBusy ? 1.0 : 0.0);
        }
        constexpr std::int64_t kPeriod = 500'000'000;
        m_trace.series("gpu_power", rank, 0, kPeriod, watts);
        m_trace.series("gpu_temperature", rank, 0, kPeriod, celsius);
        if (plant.hasClocks)
            m_trace.series("sm_clock", rank, 0, kPeriod, clocks);
        m_trace.series("gpu_utilization", rank, 0, kPeriod, busy);
    }

    test::PlantedTrace m_trace;
    std::optional<store::Store> m_store;
};

QString failure(const Result<Placement>& made) {
    return made.hasValue() ? QString::fromStdString(made.value().reason)
                           : QString::fromStdString(made.error().describe());
}

struct Machine {
    int nodes = 4;
    int tensor = 4;
    int pipeline = 8;
    int layers = 96;
    double gap = 15.0; // °C
    double rearLost = 2.0 / 13.0;
    std::string order; // order of ranks
};

PlacementInput inputOf(const Machine& machine) {
    layout::LayoutRequest request;
    request.nodes = machine.nodes;
    request.gpusPerNode = 8;
    request.tensor = machine.tensor;
    request.pipeline = machine.pipeline;
    request.layers = machine.layers;
    request.microbatches = 64;
    if (!machine.order.empty())
        request.order = layout::rankOrderFromString(machine.order).value();
    PlacementInput input{
        layout::makeLayout(request).value(), {}, machine.layers, {}, {}, {}, std::nullopt, true};
    for (int rank = 0; rank < 8 * machine.nodes; ++rank) {
        GpuPlace gpu;
        gpu.node = rank / 8;
        gpu.local = gpu.slot = rank % 8;
        gpu.isRear = gpu.slot >= 4;
        gpu.temperatureC = 66.0 + (gpu.isRear ? machine.gap : 0.0) + 1.0 * (rank % 3);
        gpu.watts = 600.0;
        gpu.lost = gpu.isRear
            ? machine.rearLost + (machine.rearLost > 0.0 ? 0.004 : 0.0) * (rank % 3)
            : 0.0;
        gpu.rankBefore = rank;
        input.gpus.push_back(gpu);
    }
    const auto stages = static_cast<std::size_t>(machine.pipeline);
    input.layersBefore.assign(stages, machine.layers / machine.pipeline);
    input.extra.assign(stages, 0.0);
    input.mostLayers.assign(stages, machine.layers);
    ThermalFacts thermal{0.05, 0.045, 0.055, 100.0, std::nullopt, 0.0};
    fitLoss(input.gpus, thermal);
    input.thermal = thermal;
    return input;
}

} // namespace

class tst_Placement : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void hotRearStagesGetFewerLayers() {
        PlantedRun run({});
        const auto made = run.propose();
        QVERIFY2(made.hasValue(), qPrintable(failure(made)));
        const Placement& placement = made.value();
        QVERIFY2(placement.helps, qPrintable(failure(made)));
        QCOMPARE(placement.layersAfter(), (std::vector<int>{13, 11, 13, 11, 13, 11, 13, 11}));
        QVERIFY(std::abs(*placement.gradientC - 16.0) < 0.5);
        for (std::size_t stage = 0; stage < 8; ++stage)
            VERIFY_NEAR(
                placement.stages[stage].speedBefore, (stage % 2 == 0 ? 1.0 : 11.0 / 13.0), 0.02);
        QVERIFY(placement.stepTime->value < -0.05);
        QVERIFY(placement.gradientChangeC.has_value());
    }

    // The same machine with the air from the other side.
    void theOrderOfTheAirCounts() {
        Plant plant;
        plant.airflow = {4, 5, 6, 7, 0, 1, 2, 3};
        PlantedRun run(plant);
        const auto made = run.propose();
        QVERIFY2(made.hasValue() && made.value().helps, qPrintable(failure(made)));
        QCOMPARE(made.value().layersAfter(), (std::vector<int>{11, 13, 11, 13, 11, 13, 11, 13}));
        QCOMPARE(made.value().gpus.front().local, 4);
    }

    void coolMachinesNeedNone() {
        Plant plant;
        plant.hotClock = 1980e6;
        PlantedRun run(plant);
        const auto made = run.propose().value();
        QVERIFY(!made.helps);
        VERIFY_SAYS(made.reason, "No GPU loses clock");
    }

    // DeepSeek-V3: 7168 · 129280 weights make the logits; a layer with experts has 187.1 M in its
    // projections through narrow ranks, and 9 · 3 · 7168 · 2048 in the experts that a token meets,
    // the shared one among them: 926.7 / (187.1 + 396.4).
    void theLossInLayers() {
        Plant plant;
        plant.model = "deepseek-v3";
        plant.layers = 61;
        plant.pipeline = 2;
        plant.stageLayers = "30,31";
        PlantedRun run(plant);
        const auto made = run.propose().value();
        VERIFY_SAYS(made.assumptions, "as much as 1.59 layers");
    }

    void saysWhatIsMissing() {
        Plant plant;
        plant.hasClocks = false;
        PlantedRun blind(plant);
        const auto none = blind.propose();
        VERIFY_FAILS(none, "clocks");
        Plant flat;
        flat.pipeline = 1;
        flat.tensor = 8;
        PlantedRun single(flat);
        VERIFY_SAYS(single.propose().error().message, "no pipeline");
        Plant unknown;
        unknown.layers = 0;
        PlantedRun without(unknown);
        QVERIFY(!without.propose().hasValue());
    }

    // Placements of planted machines: what helps, what does not, and what is written of it.

    // TP 4: stages alternate between front and rear halves. GPT3-175B's 96 layers on 8 stages.
    void frontAndRearStages() {
        const auto placement = placeStages(inputOf({}));
        QVERIFY(placement.helps);
        QVERIFY(!placement.movesRanks);
        QCOMPARE(placement.layersAfter(), (std::vector<int>{13, 11, 13, 11, 13, 11, 13, 11}));
        QVERIFY(std::abs(*placement.gradientC - 15.0) < 0.5);
        // Slowest stage: 12 / (11/13) before, 13 after: −8.3 %, about as the step of 64
        // micro-batches.
        QVERIFY(placement.stepTime->high < -0.05);
        QVERIFY(placement.stepTime->low <= placement.stepTime->value);
        QVERIFY(placement.stepTime->value <= placement.stepTime->high);
        QVERIFY(placement.gradientChangeC->value < 0.0);
        // The front GPUs do more and warm the rear ones: these may throttle more, not less.
        QVERIFY(placement.lostChange);
        QVERIFY(placement.lostChange->low <= placement.lostChange->value);
        QVERIFY(placement.lostChange->value <= placement.lostChange->high);
        VERIFY_SAYS(placement.headline, "13 · 11");
        VERIFY_SAYS(placement.headline, "estimated");
        const std::string text = launchArguments(placement);
        VERIFY_SAYS(text,
            "--pipeline-model-parallel-layout \"Et*13|t*11|t*13|t*11|t*13|t*11|t*13|t*11,L\"");
        VERIFY_SAYS(text, "Ranks stay");
    }

    // Llama3-70B's 80 layers on 4 stages, two of them in the rear.
    void llamaOnFourStages() {
        auto input = inputOf({2, 4, 4, 80, 12.0, 2.0 / 21.0 - 0.008, ""});
        const auto placement = placeStages(input);
        QVERIFY(placement.helps);
        QCOMPARE(placement.layersAfter(), (std::vector<int>{21, 19, 21, 19}));
    }

    // TP 4 × DP 2: every stage has a front and a rear group until they are regrouped.
    void stagesAreRegroupedByHeat() {
        const auto placement = placeStages(inputOf({4, 4, 4, 80, 15.0, 0.1, ""}));
        QVERIFY(placement.helps);
        QVERIFY(placement.movesRanks);
        std::set<int> ranks;
        for (const GpuPlace& gpu : placement.gpus) {
            ranks.insert(gpu.rankAfter);
            const int stage = gpu.rankAfter / 8;
            const auto& one = placement.stages[static_cast<std::size_t>(stage)];
            QCOMPARE(one.layersAfter > 20, !gpu.isRear);
        }
        QCOMPARE(ranks.size(), placement.gpus.size());
        QCOMPARE(*ranks.rbegin(), 31);
        VERIFY_SAYS(launchArguments(placement), "# rank node gpu");
        VERIFY_SAYS(placement.notes, "data-parallel");
    }

    // As they move, gradients cross nodes. The time for it is weighed if a step's time is known.
    void movedRanksExchangeMore() {
        Plant plant;
        plant.pipeline = 4;
        plant.layers = 80;
        plant.model = "llama3-70b";
        plant.hasNetwork = true;
        PlantedRun run(plant);
        const auto made = run.propose().value();
        QVERIFY(made.movesRanks);
        VERIFY_SAYS(made.notes, "more of a step");
    }

    void wholeNodesDifferToo() {
        auto input = inputOf({4, 8, 4, 96, 15.0, 0.0, ""});
        for (auto& gpu : input.gpus)
            gpu.lost = gpu.node == 2 ? 0.1 : 0.0;
        const auto placement = placeStages(input);
        QVERIFY(placement.helps);
        QVERIFY(placement.stages[2].layersAfter < 24);
        VERIFY_SAYS(placement.notes, "Tensor groups of 8");
        const auto layers = placement.layersAfter();
        QCOMPARE(std::accumulate(layers.begin(), layers.end(), 0), 96);
    }

    void nothingHelpsWithoutThrottling() {
        for (const double gap : {0.0, 15.0}) {
            Machine machine;
            machine.gap = gap;
            machine.rearLost = 0.0;
            const auto placement = placeStages(inputOf(machine));
            QVERIFY(!placement.helps);
            QCOMPARE(placement.headline, std::string("No placement would help"));
            QCOMPARE(placement.layersAfter(), placement.layersBefore());
            QVERIFY(!placement.stepTime);
            VERIFY_SAYS(placement.reason, "No GPU loses clock");
            QCOMPARE(
                placement.reason.find("no more than the noise") != std::string::npos, gap == 0.0);
            VERIFY_SAYS(launchArguments(placement), "as before");
        }
    }

    // One layer of six is more than the 3 % by which the stages differ.
    void wholeLayersMayBeTooCoarse() {
        const auto placement = placeStages(inputOf({4, 2, 16, 96, 8.0, 0.03, ""}));
        QVERIFY(!placement.helps);
        VERIFY_SAYS(placement.reason, "a layer is 16.7 %");
    }

    void memoryIsRespected() {
        auto input = inputOf({});
        input.mostLayers.assign(8, 12);
        const auto placement = placeStages(input);
        QVERIFY(!placement.helps);
        QCOMPARE(placement.layersAfter(), placement.layersBefore());
        input.mostLayers[0] = 14;
        const auto some = placeStages(input);
        for (const StagePlacement& stage : some.stages)
            QVERIFY(stage.layersAfter <= stage.mostLayers);
    }

    void hotterStagesNeverGetMore() {
        std::mt19937 dice(21);
        std::uniform_real_distribution<double> lost(0.0, 0.3);
        for (int i = 0; i < 100; ++i) {
            auto input = inputOf({4, 8, 4, 80, 10.0, 0.0, ""});
            std::vector<double> ofNode{lost(dice), lost(dice), lost(dice), lost(dice)};
            for (auto& gpu : input.gpus)
                gpu.lost = ofNode[static_cast<std::size_t>(gpu.node)];
            const auto placement = placeStages(input);
            const auto layers = placement.layersAfter();
            QCOMPARE(std::accumulate(layers.begin(), layers.end(), 0), 80);
            if (!placement.helps)
                continue;
            for (std::size_t a = 0; a < 4; ++a) {
                for (std::size_t b = 0; b < 4; ++b) {
                    const auto& x = placement.stages[a];
                    const auto& y = placement.stages[b];
                    // A stage's place in the pipeline counts for a layer.
                    QVERIFY(
                        x.speedAfter < y.speedAfter ? x.layersAfter <= y.layersAfter + 1 : true);
                    QVERIFY(x.layersAfter >= 1);
                }
            }
        }
    }

    void argumentsOfTwoEnds() {
        auto input = inputOf({4, 8, 4, 80, 10.0, 0.0, ""});
        for (auto& gpu : input.gpus)
            gpu.lost = gpu.node == 0 || gpu.node == 3 ? 2.0 / 21.0 : 0.0;
        const auto placement = placeStages(input);
        QCOMPARE(placement.layersAfter(), (std::vector<int>{19, 21, 21, 19}));
        const std::string text = launchArguments(placement);
        VERIFY_SAYS(
            text, "--decoder-first-pipeline-num-layers 19 --decoder-last-pipeline-num-layers 19");
        VERIFY_SAYS(text, "num_layers_in_first_pipeline_stage=19");
        VERIFY_SAYS(text, "\"Et*19|t*21|t*21|t*19,L\"");
    }
};

TRAINSCOPE_TEST(tst_Placement)
#include "tst_Placement.moc"
