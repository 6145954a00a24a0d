#include "core/predict/power/ActivityPowers.h"

#include "core/analysis/RunStudy.h"
#include "core/analysis/energy/PowerFit.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/traces/DeviceWalk.h"
#include "core/model/Metric.h"
#include "core/model/Try.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

namespace trainscope::predict {

namespace {

constexpr double kFittedPart = 0.6; // of the readings
constexpr double kLeastShare = 0.005; // of the time; a rarer activity is not told
constexpr double kAroundNs = 3e9; // readings so far outside of the trace still tell of it
constexpr double kMemoryNs = 1e8; // what ran so long before a reading may be in it

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
        const auto compute = std::count_if(running.kernels.begin(), running.kernels.end(),
            [](const analysis::ActiveKernel& kernel) { return !kernel.isCommunication; });
        for (const analysis::ActiveKernel& kernel : running.kernels) {
            if (!kernel.isCommunication && kernel.category != nullptr)
                add(range, activityOf(*kernel.category), 1.0 / static_cast<double>(compute));
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
    Residual residual;
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
    void add(double predicted, double measured) {
        if (measured <= 0.0)
            return;
        residual.mean += std::abs(predicted - measured);
        residual.relative += std::abs(predicted / measured - 1.0);
        ++residual.moments;
    }
    [[nodiscard]] ActivityPowers result() const {
        ActivityPowers out;
        out.gpus = gpus;
        for (const Activity activity : kAllActivities) {
            if (weights[activity] > 0.0)
                out.watts[activity] = watts[activity] / weights[activity];
        }
        if (residual.moments > 0) {
            const auto count = static_cast<double>(residual.moments);
            out.residual = {residual.mean / count, residual.relative / count, residual.moments};
        }
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
        sums.add(predicted, reading.watts);
    }
}

} // namespace

Result<std::optional<ActivityPowers>> activityPowers(
    const analysis::RunStudy& study, double highestW) {
    ASSIGN_OR_RETURN(const auto series, study.store.series(study.run.id));
    const auto gpus = analysis::gpuSeriesByRank(series);
    ASSIGN_OR_RETURN(const auto devices, analysis::tracedDevices(study));
    ActivitySums sums;
    for (const analysis::DeviceTracks& device : devices) {
        const auto gpu = gpus.find(device.rank);
        if (gpu == gpus.end())
            continue;
        const auto power = gpu->second.find(metric::kGpuPower);
        if (power == gpu->second.end() || !power->second.range.overlaps(device.extent))
            continue;
        ActivityMeter meter(device.extent);
        const std::array<analysis::DeviceVisitor*, 1> visitors{&meter};
        RETURN_IF_ERROR(
            analysis::walkDevice(study.store, device, kAllTime, visitors, study.progress));
        ASSIGN_OR_RETURN(const auto readings, readingsOf(study.store, power->second, device));
        fitGpu(meter, readings, highestW, sums);
    }
    return sums.gpus > 0 ? std::optional(sums.result()) : std::nullopt;
}

} // namespace trainscope::predict
