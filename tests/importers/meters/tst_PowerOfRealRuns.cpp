// Power and heat of recorded GPUs: what is fitted on the first part of a run is met on the rest.

#include "core/analysis/telemetry/Airflow.h"
#include "core/model/Metric.h"
#include "core/predict/power/PowerModel.h"
#include "core/predict/power/RunPower.h"
#include "core/store/Writing.h"
#include "importers/common/Formats.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

using namespace trainscope::predict;

namespace {

// The run's name; fails the program where the file cannot be read.
std::string importLog(store::Store& store, const std::string& path) {
    const auto tree = importers::openDiskTree(path);
    if (!tree.hasValue())
        qFatal("%s", tree.error().describe().c_str());
    const importers::Importer& importer = importers::meters::kLogImporter;
    const auto units = importer.plan(*tree.value(), tree.value()->files());
    auto session
        = store::beginImport(store, {path, units.front().bytes, {}, units.front().runName});
    const auto report = importer.import(*tree.value(), units.front(), *session.value(), {});
    if (!report.hasValue()
        || !session.value()->finish(report.value(), "hash", units.front().bytes, {}).hasValue())
        qFatal("cannot import %s", path.c_str());
    return units.front().runName;
}

class Recorded {
public:
    explicit Recorded(const std::string& file) {
        auto opened = store::Store::openOrCreate(
            m_folder.filePath(QStringLiteral("run.trainscope")).toStdString());
        m_store.emplace(std::move(opened).value());
        const std::string name
            = importLog(*m_store, test::realFiles() + "/data/nvidia_smi/" + file);
        m_run = m_store->findRun(name).value();
    }
    [[nodiscard]] const store::Store& store() const { return *m_store; }
    [[nodiscard]] const Run& run() const { return m_run; }

private:
    QTemporaryDir m_folder;
    std::optional<store::Store> m_store;
    Run m_run;
};

// Errors over the last 40 % of the record, at the moments at 75 % of the limit or more.
struct TrainingErrors {
    double power = 0.0; // mean |predicted/measured − 1|
    double clock = 0.0;
    std::size_t moments = 0;
};

std::vector<double> samplesOf(const Recorded& recorded, const char* name, int rank) {
    std::vector<double> out;
    const auto all = recorded.store().series(recorded.run().id);
    for (const Series& series : all.value()) {
        if (series.description.metric.name != name || series.description.subject.rank != rank)
            continue;
        const auto read = recorded.store().forEachSample(
            series.id, kAllTime, [&](std::span<const TimeNs>, std::span<const double> values) {
                out.insert(out.end(), values.begin(), values.end());
                return true;
            });
        if (!read.hasValue())
            qFatal("%s", read.error().describe().c_str());
    }
    return out;
}

// Powers and temperatures of the node's GPUs, sample by sample.
HeatRecord recordOf(const Recorded& recorded, const NodeHeat& node) {
    HeatRecord record;
    for (std::size_t slot = 0; slot < node.ranks.size(); ++slot) {
        record.rows.push_back(node.fit.node.slots[slot].row);
        record.watts.push_back(samplesOf(recorded, metric::kGpuPower, node.ranks[slot]));
        record.celsius.push_back(samplesOf(recorded, metric::kGpuTemperature, node.ranks[slot]));
    }
    record.stepSeconds = recorded.run().range.length().seconds()
        / (static_cast<double>(record.watts.front().size()) - 1.0);
    return record;
}

TrainingErrors trainingErrors(const Recorded& recorded, const SteadyPower& steady) {
    TrainingErrors out;
    for (int rank = 0; rank < recorded.run().gpuCount; ++rank) {
        const auto watts = samplesOf(recorded, "gpu_power", rank);
        const auto clocks = samplesOf(recorded, "sm_clock", rank);
        for (std::size_t i = watts.size() * 6 / 10; i < watts.size(); ++i) {
            if (!(watts[i] > 0.75 * 700.0))
                continue;
            out.power += std::abs(steady.watts / watts[i] - 1.0);
            out.clock += std::abs(steady.clockHz / clocks[i] - 1.0);
            ++out.moments;
        }
    }
    out.power /= static_cast<double>(out.moments);
    out.clock /= static_cast<double>(out.moments);
    return out;
}

void tell(const RunPower& power) {
    const auto watts = [](const std::optional<double>& value) { return value.value_or(-1.0); };
    qInfo("idle %.1f W, parked %.1f W, busy %.1f W at the highest clock, limit %.1f W",
        watts(power.states.idleW), watts(power.states.parkedW), watts(power.states.busyW),
        watts(power.states.limitW));
    if (power.states.residual)
        qInfo("power %.1f W, %.1f %% of %zu moments", power.states.residual->mean,
            100 * power.states.residual->relative, power.states.residual->moments);
    for (const NodeHeat& node : power.nodes)
        qInfo("inlet %.1f C, rise %.5f K/W, %.4f K/W, %.1f s; error %.2f C fitted, %.2f C of %zu "
              "held out",
            node.fit.node.air.inletC, node.fit.node.air.risePerW, node.fit.medianResistance,
            node.fit.node.slots.front().thermal.seconds, node.fit.errorC, node.fit.heldOutErrorC,
            node.fit.heldOutMoments);
}

} // namespace

class tst_PowerOfRealRuns : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        if (test::realFiles().empty())
            QSKIP("SKIPPED: the shared real files are not there (TRAINSCOPE_SHARED)");
    }

    // Eight H100 at their limit of 700 W, and at rest in between (nvidia-smi at 1 Hz).
    void trainingAtTheLimit() {
        const Recorded recorded("pgolf_8xH100_019b_diag_nvsmi.csv");
        const auto found = powerOfRun({recorded.store(), recorded.run()});
        QVERIFY2(found.hasValue(), found.hasValue() ? "" : found.error().message.c_str());
        const RunPower& power = found.value();
        tell(power);
        QVERIFY(std::abs(*power.states.idleW - 117.0) < 3.0);
        QVERIFY(std::abs(*power.states.limitW / 700.0 - 1.0) < 0.02);
        QVERIFY(*power.states.busyW > 700.0);
        QVERIFY(power.temperature->mean < 2.0);
        QVERIFY(power.thermal->resistance > 0.035 && power.thermal->resistance < 0.052);

        // The model is fitted to one figure: the clock that the limit leaves busy GPUs.
        const GpuPower gpu = calibrated(gpuPowerOf(*catalogue::findGpuModel("H100 SXM5")), power);
        const std::vector<TimedLoad> loads{{1.0, *power.states.busyW - gpu.idleW, 1.0}};
        const SteadyPower steady = steadyPower(gpu, loads, {{}, {}, power.air->inletC + 5.0});
        qInfo(
            "clock %.0f MHz, %.1f W, %.1f C", steady.clockHz * 1e-6, steady.watts, steady.celsius);
        const TrainingErrors errors = trainingErrors(recorded, steady);
        qInfo("in training: power %.1f %%, clock %.1f %% of %zu moments", 100 * errors.power,
            100 * errors.clock, errors.moments);
        QVERIFY(errors.moments > 1000);
        QVERIFY(errors.power < 0.09); // the end of the record is other work, at 600 W
        QVERIFY(errors.clock < 0.05);
    }

    // The catalogue's constants alone, nothing fitted but the inlet: the order of the air is
    // inferred.
    void theCatalogueAlone() {
        const Recorded recorded("pgolf_8xH100_019b_diag_nvsmi.csv");
        const auto found = powerOfRun({recorded.store(), recorded.run()});
        const NodeHeat& node = found.value().nodes.front();
        const GpuPower gpu = gpuPowerOf(*catalogue::findGpuModel("H100 SXM5"));
        ThermalNode plain = node.fit.node;
        for (ThermalSlot& slot : plain.slots)
            slot.thermal = gpu.thermal;
        plain.air = NodeAir{};
        const HeatError error = heatError(plain, recordOf(recorded, node));
        qInfo("catalogue: %.2f C of %zu", error.celsius, error.moments);
        QVERIFY(error.celsius < 3.0);
    }

    // Eight H100 in light training that hardly changes, 2.6 minutes: nothing is told of heat.
    void lightTraining() {
        const Recorded recorded("nanogpt_8xH100_gpu_metrics.csv");
        const auto found = powerOfRun({recorded.store(), recorded.run()});
        QVERIFY(found.hasValue());
        tell(found.value());
        QVERIFY(found.value().nodes.empty());
        QVERIFY(found.value().states.residual->relative < 0.05);
    }

    void oneSmallGpu() {
        const Recorded recorded("plato_noheader_gpu_log.csv");
        const auto found = powerOfRun({recorded.store(), recorded.run()});
        QVERIFY(found.hasValue());
        tell(found.value());
        QVERIFY(std::abs(*found.value().states.idleW - 11.4) < 3.0);
    }
};

TRAINSCOPE_TEST(tst_PowerOfRealRuns)
#include "tst_PowerOfRealRuns.moc"
