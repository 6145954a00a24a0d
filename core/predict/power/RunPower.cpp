#include "core/predict/power/RunPower.h"

#include "core/analysis/energy/PowerFit.h"
#include "core/analysis/machine/RunLayout.h"
#include "core/analysis/statistics/Means.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/telemetry/UniformSeries.h"
#include "core/analysis/traces/DevicePass.h"
#include "core/predict/power/PowerModel.h"

#include <iterator>

namespace trainscope::predict {
namespace {

// ActivityPowers of a run's traced GPUs (RunPower.h). Any thread that owns the store.

constexpr double kFittedPart = 0.6; // share of the readings
constexpr double kLeastShare = 0.005; // share of the time; a rarer activity is not told
constexpr double kAroundNs = 3e9; // readings so far outside of the trace still tell of it
constexpr double kMemoryNs = 1e8; // work so long before a reading may be in it

Activity activityOf(const std::string& category) {
    if (category == "gemm")
        return Activity::Gemm;
    return category == "attention" ? Activity::Attention : Activity::Memory;
}

// Measures how long each activity held; compute kernels that run at once share the time.
class ActivityMeter : public analysis::DeviceVisitor {
public:
    explicit ActivityMeter(TimeRange extent)
        : m_times(extent) { }

    Status piece(TimeRange range, const analysis::Running& running) override {
        const std::int64_t compute = running.countOf(false);
        for (const analysis::ActiveKernels& kernel : running.kernels) {
            if (!kernel.isCommunication && kernel.category != nullptr)
                add(range, activityOf(*kernel.category),
                    static_cast<double>(kernel.count) / static_cast<double>(compute));
        }
        if (compute == 0)
            add(range, withoutCompute(running), 1.0);
        return {};
    }

    const analysis::ClassTimes& finish() {
        m_times.finish(kActivities);
        return m_times;
    }
    [[nodiscard]] double shareOf(Activity activity) const {
        double all = 0.0;
        for (const Activity one : kAllActivities)
            all += m_seconds[one];
        return all > 0.0 ? m_seconds[activity] / all : 0.0;
    }

private:
    static Activity withoutCompute(const analysis::Running& running) {
        if (!running.kernels.empty())
            return Activity::Communication;
        return running.isCopying ? Activity::Memory : Activity::Waiting;
    }
    void add(TimeRange range, Activity activity, double share) {
        m_times.add(range, static_cast<std::size_t>(activity), share);
        m_seconds[activity] += share * range.length().seconds();
    }

    analysis::ClassTimes m_times;
    ByActivity<double> m_seconds;
};

// Sums over GPUs, each as much as it has of an activity.
struct ActivitySums {
    ByActivity<double> watts;
    ByActivity<double> weights;
    ResidualSum residual; // on the readings that were not fitted
    int gpus = 0;

    void add(const ActivityMeter& meter, const std::vector<double>& fitted) {
        ++gpus;
        for (const Activity activity : kAllActivities) {
            const double share = meter.shareOf(activity);
            if (share < kLeastShare)
                continue;
            watts[activity] += share * fitted[static_cast<std::size_t>(activity)];
            weights[activity] += share;
        }
    }
    [[nodiscard]] ActivityPowers result() const {
        ActivityPowers out;
        out.gpus = gpus;
        for (const Activity activity : kAllActivities) {
            if (weights[activity] > 0.0)
                out.watts[activity] = watts[activity] / weights[activity];
        }
        out.residual = residual.residual();
        return out;
    }
};

Result<std::vector<analysis::PowerReading>> readingsOf(
    const store::Store& store, const Series& series, const analysis::DeviceTracks& device) {
    const TimeRange extent = device.extent;
    // The work between two captures is not known, and a sensor remembers it for a while.
    const auto isTraced = [&](TimeNs time) {
        for (std::size_t i = 1; i < device.captures.size(); ++i) {
            const TimeNs from
                = device.captures[i].begin + DurationNs{static_cast<std::int64_t>(kMemoryNs)};
            if (device.captures[i - 1].end < time && time < from)
                return false;
        }
        return true;
    };
    std::vector<analysis::PowerReading> readings;
    const DurationNs around{static_cast<std::int64_t>(kAroundNs)};
    RETURN_IF_ERROR(store.forEachSample(
        series.id, {extent.begin - around, extent.end + around}, [&](auto times, auto values) {
            for (std::size_t i = 0; i < times.size(); ++i) {
                if (!std::isnan(values[i]) && isTraced(times[i]))
                    readings.push_back(
                        {static_cast<double>((times[i] - extent.begin).ns), values[i]});
            }
            return true;
        }));
    return readings;
}

void fitGpu(ActivityMeter& meter, std::span<const analysis::PowerReading> readings, double highestW,
    ActivitySums& sums) {
    const analysis::ClassTimes& times = meter.finish();
    const auto split = static_cast<std::size_t>(kFittedPart * static_cast<double>(readings.size()));
    const analysis::SensorFacts facts{
        0.0, false, highestW, static_cast<std::size_t>(Activity::Waiting)};
    const auto responses = analysis::findResponses(times, readings.first(split), facts);
    const auto fit = analysis::PowerFit::of(times, readings.first(split), responses.front(), facts);
    if (!fit.isUsable())
        return;
    sums.add(meter, fit.watts());
    std::array<double, kActivities> shares{};
    for (const analysis::PowerReading& reading : readings.subspan(split)) {
        if (!analysis::windowShares(times, responses.front(), reading.atNs, shares))
            continue;
        double predicted = 0.0;
        for (std::size_t i = 0; i < kActivities; ++i)
            predicted += shares[i] * fit.watts()[i];
        sums.residual.add(predicted, reading.watts);
    }
}

using SeriesOfGpus = std::map<int, analysis::GpuSeries>; // by rank

// nullptr where the GPU lacks it.
const Series* seriesOf(const SeriesOfGpus& all, int rank, const char* name) {
    const auto gpu = all.find(rank);
    if (gpu == all.end())
        return nullptr;
    const auto found = gpu->second.find(name);
    return found == gpu->second.end() ? nullptr : &found->second;
}

// Absent where no GPU has trace and power at the same time with readings enough. The clock is left
// at 1.
Result<std::optional<ActivityPowers>> activityPowers(
    const analysis::RunStudy& study, const SeriesOfGpus& gpus, double highestW) {
    ASSIGN_OR_RETURN(const auto devices, analysis::tracedDevices(study));
    const auto powerOf = [&gpus](const analysis::DeviceTracks& device) -> const Series* {
        const Series* power = seriesOf(gpus, device.rank, metric::kGpuPower);
        return power != nullptr && power->range.overlaps(device.extent) ? power : nullptr;
    };
    ActivitySums sums;
    using Meter = Result<std::shared_ptr<ActivityMeter>>;
    const auto measure = [&](const analysis::DeviceReading& reading) -> Meter {
        if (powerOf(reading.device) == nullptr)
            return Meter(nullptr);
        const auto meter = std::make_shared<ActivityMeter>(reading.device.extent);
        RETURN_IF_ERROR(reading.walk(kAllTime, *meter));
        return meter;
    };
    const auto fit = [&](const analysis::DeviceTracks& device,
                         const std::shared_ptr<ActivityMeter>& meter) -> Status {
        if (!meter)
            return {};
        ASSIGN_OR_RETURN(const auto readings, readingsOf(study.store, *powerOf(device), device));
        fitGpu(*meter, readings, highestW, sums);
        return {};
    };
    RETURN_IF_ERROR(analysis::forEachDevice(study, devices, measure, fit));
    return sums.gpus > 0 ? std::optional(sums.result()) : std::nullopt;
}

constexpr std::size_t kMostSteps = 4096;
constexpr std::size_t kMostNodes = 16; // more tell no more of a kind of node
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Every series of a node on one grid.
class NodeReader {
public:
    NodeReader(
        const store::Store& store, const SeriesOfGpus& series, const layout::ClusterNode& node)
        : m_store(store)
        , m_series(series)
        , m_node(node) { }

    // Without steps where a GPU of the node has no power.
    Status open() {
        std::vector<Series> powers;
        for (const layout::ClusterGpu& gpu : m_node.gpus) {
            if (const Series* one = seriesOf(m_series, gpu.rank, metric::kGpuPower))
                powers.push_back(*one);
        }
        if (!powers.empty() && powers.size() == m_node.gpus.size())
            m_grid = analysis::gridOf(powers, kMostSteps);
        return {};
    }
    [[nodiscard]] bool isEmpty() const { return m_grid.values.empty(); }
    [[nodiscard]] double stepSeconds() const { return m_grid.step.seconds(); }

    // NaN throughout where the GPU lacks it.
    [[nodiscard]] Result<std::vector<double>> values(int rank, const char* name) const {
        const Series* series = seriesOf(m_series, rank, name);
        if (series == nullptr)
            return std::vector<double>(m_grid.values.size(), kUnknown);
        ASSIGN_OR_RETURN(auto read, analysis::resample(m_store, *series, m_grid));
        return std::move(read.values);
    }

private:
    const store::Store& m_store;
    const SeriesOfGpus& m_series;
    const layout::ClusterNode& m_node;
    analysis::UniformSeries m_grid;
};

struct NodeValues {
    HeatRecord heat;
    std::vector<int> ranks;
    std::vector<std::vector<PowerMoment>> moments; // by slot
};

Result<NodeValues> readNode(const NodeReader& reader, const layout::ClusterNode& node) {
    NodeValues out;
    out.heat.stepSeconds = reader.stepSeconds();
    for (const layout::ClusterGpu& gpu : node.gpus) {
        ASSIGN_OR_RETURN(const auto watts, reader.values(gpu.rank, metric::kGpuPower));
        ASSIGN_OR_RETURN(const auto celsius, reader.values(gpu.rank, metric::kGpuTemperature));
        ASSIGN_OR_RETURN(const auto clocks, reader.values(gpu.rank, metric::kSmClock));
        ASSIGN_OR_RETURN(const auto busy, reader.values(gpu.rank, metric::kGpuUtilization));
        out.ranks.push_back(gpu.rank);
        out.heat.rows.push_back(gpu.isRear ? 1 : 0);
        out.heat.watts.push_back(watts);
        out.heat.celsius.push_back(celsius);
        std::vector<PowerMoment>& moments = out.moments.emplace_back();
        for (std::size_t i = 0; i < watts.size(); ++i)
            moments.push_back({watts[i], clocks[i], busy[i], celsius[i]});
    }
    return out;
}

void takeMedians(RunPower& out) {
    std::vector<double> resistances;
    std::vector<double> seconds;
    std::vector<double> inlets;
    std::vector<double> rises;
    Residual residual;
    for (const NodeHeat& node : out.nodes) {
        resistances.push_back(node.fit.medianResistance);
        seconds.push_back(node.fit.node.slots.front().thermal.seconds);
        inlets.push_back(node.fit.node.air.inletC);
        rises.push_back(node.fit.node.air.risePerW);
        residual.mean += node.fit.heldOutErrorC * static_cast<double>(node.fit.heldOutMoments);
        residual.moments += node.fit.heldOutMoments;
    }
    if (out.nodes.empty())
        return;
    out.thermal = GpuThermal{analysis::medianOf(resistances), analysis::medianOf(seconds)};
    out.air = NodeAir{analysis::medianOf(inlets), analysis::medianOf(rises)};
    residual.mean /= static_cast<double>(std::max<std::size_t>(residual.moments, 1));
    out.temperature = residual;
}

double busyClock(const std::vector<std::vector<PowerMoment>>& byGpu, double highestHz) {
    std::vector<double> clocks;
    for (const auto& moments : byGpu) {
        for (const PowerMoment& moment : moments) {
            if (moment.utilization >= 0.5 && moment.clockHz > 0.0)
                clocks.push_back(moment.clockHz);
        }
    }
    return clocks.empty() || highestHz <= 0.0 ? 1.0 : analysis::medianOf(clocks) / highestHz;
}

} // namespace

Result<RunPower> powerOfRun(const analysis::RunStudy& study) {
    ASSIGN_OR_RETURN(const auto cluster, analysis::clusterOf(study, nullptr));
    ASSIGN_OR_RETURN(const auto all, study.store.series(study.run.id));
    const SeriesOfGpus series = analysis::gpuSeriesByRank(all);
    const catalogue::GpuModel* model = catalogue::findGpuModel(cluster.gpuModel);
    const GpuPower gpu = model == nullptr ? GpuPower{} : gpuPowerOf(*model);
    RunPower out;
    std::vector<std::vector<PowerMoment>> moments;
    for (std::size_t i = 0; i < std::min(kMostNodes, cluster.nodes.size()); ++i) {
        if (study.progress && !study.progress({"Fitting power and heat", 0, 0}))
            return cancelled();
        const layout::ClusterNode& node = cluster.nodes[i];
        NodeReader reader(study.store, series, node);
        RETURN_IF_ERROR(reader.open());
        if (reader.isEmpty())
            continue;
        ASSIGN_OR_RETURN(auto values, readNode(reader, node));
        if (model != nullptr)
            values.heat.usualResistance = gpu.thermal.resistance;
        if (auto fit = fitHeat(values.heat))
            out.nodes.push_back({node.node, values.ranks, std::move(*fit)});
        std::move(values.moments.begin(), values.moments.end(), std::back_inserter(moments));
    }
    takeMedians(out);
    out.states = statePowers(gpu, moments);
    ASSIGN_OR_RETURN(out.activities, activityPowers(study, series, gpu.limitW));
    if (out.activities)
        out.activities->clock = busyClock(moments, out.states.highestHz);
    return out;
}

GpuPower calibrated(const GpuPower& gpu, const RunPower& run) {
    GpuPower out = gpu;
    out.idleW = run.states.idleW.value_or(gpu.idleW);
    out.parkedW = std::min(run.states.parkedW.value_or(gpu.parkedW), out.idleW);
    out.limitW = run.states.limitW.value_or(gpu.limitW);
    out.thermal = run.thermal.value_or(gpu.thermal);
    if (!run.activities)
        return out;
    const double clock = run.activities->clock;
    const double voltage = out.voltage.at(clock);
    for (const Activity activity : kAllActivities) {
        const auto& watts = run.activities->watts[activity];
        const double done = rateAt(out.clockBound[activity], clock) * voltage * voltage;
        if (watts)
            out.activeW[activity]
                = std::max(0.0, *watts - idlePower(out, clock, kReferenceC)) / done;
    }
    return out;
}

} // namespace trainscope::predict
