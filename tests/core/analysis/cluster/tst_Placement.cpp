// Placements from what runs recorded: telemetry with planted heat and throttling.

#include "core/analysis/cluster/Placement.h"
#include "core/store/Writing.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;

namespace {

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
};

// 32 GPUs for 400 s: idle for 20 s, then busy; temperatures follow power with R = 0.05 °C/W.
class PlantedRun {
public:
    explicit PlantedRun(const Plant& plant) {
        auto made = store::Store::openOrCreate(
            m_folder.filePath(QStringLiteral("run.trainscope")).toStdString());
        if (!made.hasValue() || !write(made.value(), plant).hasValue())
            qFatal("The planted run cannot be written.");
        m_store.emplace(std::move(made).value());
    }
    Result<Placement> propose() {
        return proposePlacement({*m_store, m_store->findRun("run").value()});
    }

private:
    static Status write(store::Store& store, const Plant& plant) {
        auto session = store::beginImport(store, {"source", 1, "hash", "run"});
        if (!session.hasValue())
            return session.error();
        Sink& sink = *session.value();
        Run run;
        run.name = "run";
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
        run.launch.globalBatch = 64;
        run.launch.origin = "launch.yaml";
        const auto id = sink.run(run);
        if (!id.hasValue())
            return id.error();
        for (int rank = 0; rank < 32; ++rank) {
            if (auto status = writeGpu(sink, id.value(), plant, rank); !status.hasValue())
                return status;
        }
        auto status = session.value()->finish({}, "hash", 1, {});
        session.value().reset();
        if (status.hasValue() && !plant.airflow.empty())
            status = store::setAirflow(store, id.value(), plant.airflow);
        return status;
    }

    static bool isRear(const Plant& plant, int local) {
        if (plant.airflow.empty())
            return local >= 4;
        const auto at = std::find(plant.airflow.begin(), plant.airflow.end(), local);
        return at - plant.airflow.begin() >= 4;
    }

    static Status writeGpu(Sink& sink, RunId run, const Plant& plant, int rank) {
        if (auto status = sink.gpu(run, {rank, rank / 8, rank % 8, "NVIDIA H200", {}});
            !status.hasValue())
            return status;
        std::vector<TimeNs> times;
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
            times.push_back({i * std::int64_t{500'000'000}});
            watts.push_back(power + (i * 7 + rank) % 11);
            celsius.push_back(temperature);
            clocks.push_back(rear && isBusy ? plant.hotClock : 1980e6);
            busy.push_back(isBusy ? 1.0 : 0.0);
        }
        const auto put = [&](const char* metric, const char* unit,
                             const std::vector<double>& values) -> Status {
            SeriesDescription description;
            description.metric = {metric, unit, MetricKind::Gauge, metric};
            description.subject.rank = rank;
            const auto series = sink.series(run, description);
            return series.hasValue() ? sink.samples(series.value(), times, values) : series.error();
        };
        Status status = put("gpu_power", "W", watts);
        if (status.hasValue())
            status = put("gpu_temperature", "°C", celsius);
        if (status.hasValue() && plant.hasClocks)
            status = put("sm_clock", "Hz", clocks);
        if (status.hasValue())
            status = put("gpu_utilization", "1", busy);
        return status;
    }

    QTemporaryDir m_folder;
    std::optional<store::Store> m_store;
};

QString failure(const Result<Placement>& made) {
    return made.hasValue() ? QString::fromStdString(made.value().reason)
                           : QString::fromStdString(made.error().describe());
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
            QVERIFY(
                std::abs(placement.stages[stage].speedBefore - (stage % 2 == 0 ? 1.0 : 11.0 / 13.0))
                < 0.02);
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
        const auto made = run.propose();
        QVERIFY2(made.hasValue(), qPrintable(failure(made)));
        QVERIFY(!made.value().helps);
        VERIFY_SAYS(made.value().reason, "No GPU loses clock");
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
        const auto made = run.propose();
        QVERIFY2(made.hasValue(), qPrintable(failure(made)));
        const auto& assumptions = made.value().assumptions;
        QVERIFY(std::any_of(assumptions.begin(), assumptions.end(), [](const std::string& one) {
            return one.find("as much as 1.59 layers") != std::string::npos;
        }));
    }

    void saysWhatIsMissing() {
        Plant plant;
        plant.hasClocks = false;
        PlantedRun blind(plant);
        const auto none = blind.propose();
        QVERIFY(!none.hasValue());
        VERIFY_SAYS(none.error().message, "clocks");
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
};

TRAINSCOPE_TEST(tst_Placement)
#include "tst_Placement.moc"
