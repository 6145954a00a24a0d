#include "core/analysis/iterations/IterationFigures.h"

#include "core/analysis/statistics/MeasuredEnergy.h"
#include "core/analysis/statistics/SampleWalk.h"
#include "core/analysis/statistics/SeriesStatistics.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/model/Try.h"

namespace trainscope::analysis {

namespace {

// Clocks of ranks differ, so that one iteration may begin a little before the last has ended.
std::vector<TimeRange> windowsOf(const std::vector<Iteration>& iterations) {
    std::vector<TimeRange> out;
    for (const Iteration& one : iterations) {
        TimeRange range = one.range;
        if (!out.empty())
            range.begin = std::max(range.begin, out.back().end);
        range.end = std::max(range.end, range.begin);
        out.push_back(range);
    }
    return out;
}

// Means over the GPUs.
struct GpuMean {
    CompensatedSum sum;
    int count = 0;

    void add(const std::optional<double>& value) {
        if (!value)
            return;
        sum.add(*value);
        ++count;
    }
    [[nodiscard]] std::optional<double> mean() const {
        return count > 0 ? std::optional(sum.value() / count) : std::nullopt;
    }
    [[nodiscard]] std::optional<double> total() const {
        return count > 0 ? std::optional(sum.value()) : std::nullopt;
    }
};

// A stretch of a GPU begins, or ends.
struct StretchEdge {
    TimeNs time;
    int change = 0; // GPUs
};

// By time.
std::vector<StretchEdge> edgesOf(std::span<const TimeRange> stretches) {
    std::vector<StretchEdge> edges;
    for (const TimeRange& one : stretches) {
        if (one.isEmpty())
            continue;
        edges.push_back({one.begin, 1});
        edges.push_back({one.end, -1});
    }
    std::ranges::sort(edges, {}, &StretchEdge::time);
    return edges;
}

class FiguresBuilder {
public:
    FiguresBuilder(const store::Store& store, const std::vector<Iteration>& iterations,
        bool withGpus, const Progress& progress)
        : m_store(store)
        , m_progress(progress)
        , m_withGpus(withGpus)
        , m_windows(windowsOf(iterations))
        , m_sums(iterations.size()) {
        for (const Iteration& one : iterations) {
            m_out.emplace_back();
            m_out.back().iteration = one;
        }
    }

    Status addGpu(int rank, const GpuSeries& gpu) {
        if (const auto power = gpu.find(metric::kGpuPower); power != gpu.end()) {
            ASSIGN_OR_RETURN(const auto sums, sumsOf(power->second));
            ASSIGN_OR_RETURN(const auto counted, countedOf(energySeriesOf(gpu)));
            ++m_powers;
            for (std::size_t i = 0; i < m_out.size(); ++i)
                takePower(rank, i, sums[i], counted[i]);
        }
        if (const auto temperature = gpu.find(metric::kGpuTemperature); temperature != gpu.end()) {
            ASSIGN_OR_RETURN(const auto sums, sumsOf(temperature->second));
            for (std::size_t i = 0; i < m_out.size(); ++i)
                takeTemperature(i, sums[i]);
        }
        if (const auto clock = gpu.find(metric::kSmClock); clock != gpu.end()) {
            ASSIGN_OR_RETURN(const auto sums, sumsOf(clock->second));
            for (std::size_t i = 0; i < m_out.size(); ++i)
                m_sums[i].clock.add(sums[i].held.mean());
        }
        return {};
    }

    void addPeaks(std::span<const std::optional<double>> peaksW) {
        for (std::size_t i = 0; i < std::min(peaksW.size(), m_out.size()); ++i)
            m_out[i].peakPowerW = peaksW[i];
    }

    void addThrottling(const Throttling& throttling) {
        std::vector<TimeRange> throttled;
        for (const RankEpisode& one : throttling.episodes)
            throttled.push_back(one.episode.range);
        const std::vector<double> seconds = gpuSecondsIn(m_windows, throttled);
        const std::vector<double> all = gpuSecondsIn(m_windows, throttling.observed);
        for (std::size_t i = 0; i < m_out.size(); ++i) {
            if (all[i] > 0.0)
                m_out[i].throttleFraction = seconds[i] / all[i];
        }
    }

    std::vector<IterationFigures> finish() {
        for (std::size_t i = 0; i < m_out.size(); ++i) {
            const double length = m_windows[i].length().seconds();
            m_out[i].energyJ = m_sums[i].energy.total();
            m_out[i].meanPowerW = m_sums[i].power.total();
            m_out[i].energyCoverage = length > 0.0 && m_powers > 0
                ? std::min(m_sums[i].coveredSeconds / length / m_powers, 1.0)
                : 0.0;
            m_out[i].meanTemperatureC = m_sums[i].temperature.mean();
            m_out[i].meanClockHz = m_sums[i].clock.mean();
        }
        return std::move(m_out);
    }

private:
    Result<std::vector<HeldSums>> sumsOf(const Series& series) {
        std::vector<HeldSums> sums;
        if (m_windows.empty())
            return sums;
        ASSIGN_OR_RETURN(const DurationNs gap, gapLimitOf(m_store, series));
        SampleWalk walk(m_store, series.id, m_windows.front().begin, gap, {}, [this] {
            return !m_progress || m_progress({"Adding up iterations", 0, 0});
        });
        for (const TimeRange& window : m_windows) {
            RETURN_IF_ERROR(walk.to(window.begin));
            ASSIGN_OR_RETURN(auto inside, walk.to(window.end));
            sums.push_back(inside);
        }
        return sums;
    }

    // Energies by a GPU's counter; absent in windows that it does not tell of, and without one.
    Result<std::vector<std::optional<Energy>>> countedOf(const EnergySeries& series) {
        if (!series.counter)
            return std::vector<std::optional<Energy>>(m_windows.size());
        return measuredEnergies(m_store, series, m_windows);
    }

    void takePower(
        int rank, std::size_t i, const HeldSums& sums, const std::optional<Energy>& counted) {
        const double joules = counted ? counted->joules : sums.line.integral();
        const double coveredSeconds = counted ? counted->coverage * m_windows[i].length().seconds()
                                              : sums.line.length().seconds();
        if (coveredSeconds <= 0.0)
            return;
        m_sums[i].energy.add(joules);
        m_sums[i].power.add(sums.held.mean());
        m_sums[i].coveredSeconds += coveredSeconds;
        if (m_withGpus)
            m_out[i].gpuEnergyJ[rank] = joules;
    }
    void takeTemperature(std::size_t i, const HeldSums& sums) {
        m_sums[i].temperature.add(sums.held.mean());
        if (sums.max)
            m_out[i].maxTemperatureC
                = std::max(m_out[i].maxTemperatureC.value_or(*sums.max), *sums.max);
    }

    struct OfAllGpus {
        GpuMean energy;
        GpuMean power;
        GpuMean temperature;
        GpuMean clock;
        double coveredSeconds = 0.0;
    };

    const store::Store& m_store;
    const Progress& m_progress;
    bool m_withGpus;
    int m_powers = 0; // GPUs with power
    std::vector<TimeRange> m_windows;
    std::vector<OfAllGpus> m_sums;
    std::vector<IterationFigures> m_out;
};

} // namespace

// Goes through windows and stretches once: each may be many thousands.
std::vector<double> gpuSecondsIn(
    std::span<const TimeRange> windows, std::span<const TimeRange> stretches) {
    const std::vector<StretchEdge> edges = edgesOf(stretches);
    auto edge = edges.begin();
    int gpus = 0;
    std::vector<double> out;
    for (const TimeRange& window : windows) {
        double seconds = 0.0;
        TimeNs since = window.begin;
        for (; edge != edges.end() && edge->time < window.end; ++edge) {
            const TimeNs time = std::max(edge->time, since);
            seconds += gpus * (time - since).seconds();
            since = time;
            gpus += edge->change;
        }
        out.push_back(seconds + gpus * (window.end - since).seconds());
    }
    return out;
}

Result<std::vector<IterationFigures>> iterationFigures(const store::Store& store,
    const std::vector<Iteration>& iterations, const std::map<int, GpuSeries>& gpus,
    std::span<const std::optional<double>> peaksW, const Throttling* throttling, bool withGpus,
    const Progress& progress) {
    FiguresBuilder builder(store, iterations, withGpus, progress);
    for (const auto& [rank, gpu] : gpus)
        RETURN_IF_ERROR(builder.addGpu(rank, gpu));
    builder.addPeaks(peaksW);
    if (throttling != nullptr)
        builder.addThrottling(*throttling);
    return builder.finish();
}

} // namespace trainscope::analysis
