#include "core/analysis/telemetry/RunDetail.h"

#include "core/analysis/SeriesSelection.h"
#include "core/analysis/Summary.h"
#include "core/analysis/telemetry/Settling.h"
#include "core/analysis/telemetry/ThrottleScan.h"

#include <algorithm>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kLines = 8; // of the spectrum
constexpr std::size_t kTemperatureSteps = 4096;
// Steps of the summed power over all GPUs together: what is read, not what is kept.
constexpr std::size_t kPowerSteps = std::size_t{1} << 26U;

class DetailBuilder {
public:
    DetailBuilder(const store::Store& store, const Run& run, const Progress& progress)
        : m_store(store)
        , m_run(run)
        , m_progress(progress) { }

    Result<RunDetail> build() {
        if (Status status = readCatalogue(); !status.hasValue())
            return status.error();
        for (auto step : {&DetailBuilder::addThrottling, &DetailBuilder::addPower,
                 &DetailBuilder::addTemperatures}) {
            if (Status status = (this->*step)(); !status.hasValue())
                return status.error();
        }
        return std::move(m_detail);
    }

private:
    Status readCatalogue() {
        const auto series = m_store.series(m_run.id);
        const auto tracks = m_store.tracks(m_run.id);
        const auto gpus = m_store.gpus(m_run.id);
        auto iterations = m_store.iterations(m_run.id);
        for (const Error* error : {series.hasValue() ? nullptr : &series.error(),
                 tracks.hasValue() ? nullptr : &tracks.error(),
                 gpus.hasValue() ? nullptr : &gpus.error(),
                 iterations.hasValue() ? nullptr : &iterations.error()}) {
            if (error != nullptr)
                return *error;
        }
        m_detail.iterations = std::move(iterations).value();
        m_duration = runDuration(series.value(), tracks.value());
        std::vector<std::string> warnings; // the summary has told them
        for (const auto& [metric, group] : seriesByMetric(series.value(), warnings)) {
            for (const Series& one : group) {
                if (one.description.subject.kind == SubjectKind::Gpu && one.count > one.missing)
                    m_gpus[one.description.subject.rank].emplace(metric, one);
            }
        }
        for (const Gpu& gpu : gpus.value()) {
            m_gpus[gpu.rank];
            m_places.emplace(gpu.rank, gpu);
        }
        return {};
    }

    Status addThrottling() {
        auto found = scanThrottling(m_store, m_run, m_gpus, m_duration,
            [this] { return keepGoing("Finding throttle episodes"); });
        if (!found.hasValue())
            return found.error();
        m_detail.throttling = std::move(found).value();
        if (!m_detail.throttling)
            return {};
        for (const auto& [rank, gpu] : m_gpus) {
            if (gpu.contains("sm_clock") && gpu.contains("gpu_utilization"))
                m_detail.gpus[rank].throttleFraction = 0.0;
        }
        for (const RankEpisode& one : m_detail.throttling->episodes)
            *m_detail.gpus[one.rank].throttleFraction
                += one.episode.range.length().seconds() / m_duration.seconds();
        return {};
    }

    Status addPower() {
        const std::vector<Series> powers = all("gpu_power");
        if (powers.empty())
            return {};
        const auto sum = sumOf(m_store, powers, kPowerSteps / powers.size(), m_progress);
        if (!sum.hasValue())
            return sum.error();
        m_detail.burst = burstOf(sum.value());
        m_detail.spectrum = strongestLines(sum.value(), kLines);
        return {};
    }

    Status addTemperatures() {
        std::map<int, std::map<int, double>> means;
        std::vector<std::optional<TimeNs>> settled;
        for (const auto& [rank, gpu] : m_gpus) {
            if (!keepGoing("Fitting temperatures"))
                return cancelled();
            const auto temperature = gpu.find("gpu_temperature");
            if (temperature == gpu.end())
                continue;
            if (const auto place = m_places.find(rank); place != m_places.end())
                means[place->second.node][place->second.local] = temperature->second.mean;
            if (Status status = addTemperature(rank, gpu, settled); !status.hasValue())
                return status;
        }
        m_detail.gradient = airflowGradient(means);
        const bool allSettled = !settled.empty()
            && std::all_of(
                settled.begin(), settled.end(), [](const auto& one) { return one.has_value(); });
        if (allSettled)
            m_detail.settledFrom = **std::max_element(settled.begin(), settled.end());
        return {};
    }

    Status addTemperature(
        int rank, const GpuSeries& gpu, std::vector<std::optional<TimeNs>>& settled) {
        const Series& series = gpu.at("gpu_temperature");
        const auto temperature = resample(m_store, series, gridOf({&series, 1}, kTemperatureSteps));
        if (!temperature.hasValue())
            return temperature.error();
        settled.push_back(settledFrom(temperature.value()));
        const auto power = gpu.find("gpu_power");
        if (power == gpu.end())
            return {};
        const std::vector<Series> both{series, power->second};
        const UniformSeries grid = gridOf(both, kTemperatureSteps);
        const auto watts = resample(m_store, power->second, grid);
        const auto celsius = resample(m_store, series, grid);
        if (!watts.hasValue() || !celsius.hasValue())
            return watts.hasValue() ? celsius.error() : watts.error();
        m_detail.gpus[rank].thermal = fitThermal(watts.value(), celsius.value());
        return {};
    }

    [[nodiscard]] std::vector<Series> all(const std::string& metric) const {
        std::vector<Series> out;
        for (const auto& [rank, gpu] : m_gpus) {
            if (const auto found = gpu.find(metric); found != gpu.end())
                out.push_back(found->second);
        }
        return out;
    }

    [[nodiscard]] bool keepGoing(std::string_view phase) const {
        return !m_progress || m_progress({phase, 0, 0});
    }

    const store::Store& m_store;
    const Run& m_run;
    const Progress& m_progress;
    RunDetail m_detail;
    DurationNs m_duration;
    std::map<int, GpuSeries> m_gpus; // by rank; every GPU of the run
    std::map<int, Gpu> m_places;
};

} // namespace

Result<RunDetail> detailOf(const store::Store& store, const Run& run, const Progress& progress) {
    return DetailBuilder(store, run, progress).build();
}

} // namespace trainscope::analysis
