#include "core/analysis/iterations/RunDetail.h"

#include "core/analysis/statistics/SeriesSelection.h"
#include "core/model/Try.h"

#include <cmath>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kLines = 8; // lines of the spectrum
constexpr std::size_t kTemperatureSteps = 4096;
// Steps of the summed power over all GPUs together: what is read, not what is kept.
constexpr std::size_t kPowerSteps = std::size_t{1} << 26U;

class DetailBuilder {
public:
    DetailBuilder(const RunStudy& study, const RunIterations& iterations, const DetailQuery& query)
        : m_study(study)
        , m_query(query) {
        m_detail.iterations = iterations;
    }

    Result<RunDetail> build() {
        RETURN_IF_ERROR(readCatalogue());
        RETURN_IF_ERROR(addThrottling());
        const std::vector<Iteration> iterations = iterationsInside();
        RETURN_IF_ERROR(addPower(iterations));
        if (m_query.withIterations) {
            ASSIGN_OR_RETURN(m_detail.iterationFigures,
                iterationFigures(m_study.store, iterations, m_gpus, m_peaksW,
                    m_detail.throttling ? &*m_detail.throttling : nullptr, m_query.energyPerGpu,
                    m_study.progress));
        }
        RETURN_IF_ERROR(addTemperatures());
        if (m_detail.settledFrom && *m_detail.settledFrom < m_study.run.range.end) {
            const SummaryScope scope{{*m_detail.settledFrom, m_study.run.range.end},
                {"gpu_power", "gpu_temperature", "mem_temperature", "sm_clock", "gpu_utilization"}};
            ASSIGN_OR_RETURN(m_detail.settled, summarise(m_study, scope));
        }
        ASSIGN_OR_RETURN(m_detail.sensors, probeSensors(m_study.store, m_series, m_study.progress));
        return std::move(m_detail);
    }

private:
    Status readCatalogue() {
        ASSIGN_OR_RETURN(m_series, m_study.store.series(m_study.run.id));
        ASSIGN_OR_RETURN(const auto gpus, m_study.store.gpus(m_study.run.id));
        ASSIGN_OR_RETURN(m_detail.airflow, airflowOf(m_study));
        m_gpus = gpuSeriesByRank(m_series);
        for (const Gpu& gpu : gpus) {
            m_gpus[gpu.rank];
            m_places.emplace(gpu.rank, gpu);
        }
        return {};
    }

    Status addThrottling() {
        ASSIGN_OR_RETURN(m_detail.throttling, throttlingOf(m_study, m_query.window));
        if (!m_detail.throttling)
            return {};
        for (const auto& [rank, time] : m_detail.throttling->gpus)
            m_detail.gpus[rank].throttleFraction = time.fraction();
        return {};
    }

    Status addPower(const std::vector<Iteration>& inside) {
        const std::vector<Series> powers = gpuSeriesOf(m_gpus, metric::kGpuPower);
        if (powers.empty())
            return {};
        if (!haveMostInCommon(powers, m_query.window)) {
            m_detail.whyNoBurst
                = "The GPUs' power was recorded at the same time for a small part only.";
            return {};
        }
        ASSIGN_OR_RETURN(
            m_power, sumOf(m_study, powers, kPowerSteps / powers.size(), m_query.window));
        m_detail.burst = burstOf(m_power);
        ASSIGN_OR_RETURN(
            auto peaks, powerPeaksOf(m_study, powers, m_query.window, rangesOf(inside)));
        if (peaks) {
            if (auto& burst = m_detail.burst) { // its steps smooth the peak
                burst->peakToMean *= peaks->watts / burst->peak;
                burst->peak = peaks->watts;
                burst->peakAt = peaks->at;
            }
            m_peaksW = std::move(peaks->ofParts);
        }
        m_detail.spectrum = strongestLines(m_power, kLines);
        const RunIterations& iterations = m_detail.iterations;
        if (iterations.frequencyHz)
            tieToFrequency(m_detail.spectrum, *iterations.frequencyHz,
                iterations.frequencyErrorHz.value_or(0.0));
        addExcursions();
        return {};
    }

    void addExcursions() {
        LimitExcursions out{m_query.powerLimitW.value_or(0.0), "given", {}};
        if (!m_query.powerLimitW) {
            for (const auto& [rank, gpu] : m_gpus) {
                if (!gpu.contains(metric::kGpuPower))
                    continue;
                const auto limit = powerLimitOf(m_study.run, gpu);
                if (!limit)
                    return;
                out.limitW += limit->watts;
                out.origin = limit->origin;
            }
        }
        out.excursions = excursionsAbove(m_power, out.limitW);
        m_detail.aboveLimit = out;
    }

    [[nodiscard]] std::vector<Iteration> iterationsInside() const {
        std::vector<Iteration> inside;
        for (const Iteration& one : m_detail.iterations.iterations) {
            if (isWhole()
                || (one.range.begin >= m_query.window.begin && one.range.end <= m_query.window.end))
                inside.push_back(one);
        }
        return inside;
    }

    Status addTemperatures() {
        std::map<int, std::map<int, double>> means;
        for (const auto& [rank, gpu] : m_gpus) {
            if (!keepGoing("Fitting temperatures"))
                return cancelled();
            const auto temperature = gpu.find(metric::kGpuTemperature);
            if (temperature == gpu.end())
                continue;
            ASSIGN_OR_RETURN(const auto mean, meanOf(temperature->second));
            if (const auto place = m_places.find(rank); place != m_places.end() && mean)
                means[place->second.node][place->second.local] = *mean;
            if (m_query.withSettling)
                RETURN_IF_ERROR(fit(rank, gpu));
        }
        m_detail.gradient = airflowGradient(means, m_detail.airflow.order);
        if (!m_query.withSettling)
            return {};
        ASSIGN_OR_RETURN(const auto settling, runSettling(m_study));
        m_detail.settledFrom = settling.from;
        return {};
    }

    Result<std::optional<double>> meanOf(const Series& series) const {
        if (isWhole())
            return std::optional(series.mean);
        ASSIGN_OR_RETURN(
            const auto statistics, m_study.store.statistics(series.id, m_query.window));
        const double mean = statistics.mean;
        return std::isnan(mean) ? std::optional<double>() : std::optional(mean);
    }

    Status fit(int rank, const GpuSeries& gpu) {
        const auto power = gpu.find(metric::kGpuPower);
        if (power == gpu.end())
            return {};
        const Series& temperature = gpu.at(metric::kGpuTemperature);
        const std::vector<Series> both{temperature, power->second};
        const UniformSeries grid = gridOf(both, kTemperatureSteps);
        ASSIGN_OR_RETURN(const auto watts, resample(m_study.store, power->second, grid));
        ASSIGN_OR_RETURN(const auto celsius, resample(m_study.store, temperature, grid));
        m_detail.gpus[rank].thermal = fitThermal(watts, celsius);
        return {};
    }

    [[nodiscard]] bool isWhole() const { return m_query.window == kAllTime; }
    [[nodiscard]] bool keepGoing(std::string_view phase) const {
        return !m_study.progress || m_study.progress({phase, 0, 0});
    }

    const RunStudy& m_study;
    const DetailQuery& m_query;
    RunDetail m_detail;
    std::vector<Series> m_series;
    UniformSeries m_power; // summed
    std::vector<std::optional<double>> m_peaksW; // by iteration inside
    std::map<int, GpuSeries> m_gpus; // by rank; every GPU of the run
    std::map<int, Gpu> m_places;
};

} // namespace

const Sensor* RunDetail::powerSensor() const {
    const auto found = std::ranges::find_if(
        sensors, [](const Sensor& sensor) { return sensor.metric.name == metric::kGpuPower; });
    return found == sensors.end() ? nullptr : &*found;
}

Result<RunDetail> detailOf(
    const RunStudy& study, const RunIterations& iterations, const DetailQuery& query) {
    return DetailBuilder(study, iterations, query).build();
}

} // namespace trainscope::analysis
