#include "core/analysis/cluster/Placement.h"

#include "core/analysis/cluster/PlacementModel.h"
#include "core/analysis/iterations/SteadyState.h"
#include "core/analysis/machine/ModelShape.h"
#include "core/analysis/machine/RunLayout.h"
#include "core/analysis/machine/RunMemory.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/statistics/Summary.h"
#include "core/analysis/telemetry/Airflow.h"
#include "core/analysis/telemetry/Temperature.h"
#include "core/analysis/telemetry/Throttling.h"
#include "core/analysis/telemetry/UniformSeries.h"
#include "core/catalogue/GpuModel.h"
#include "core/catalogue/TrainingModel.h"
#include "core/layout/Cluster.h"
#include "core/model/Try.h"
#include "core/text/NumberMarks.h"

namespace trainscope::analysis {

namespace {

Error notPlaceable(std::string message, const Run& run) {
    return {ErrorCode::NotFound, std::move(message), run.name};
}

class PlacementReader {
public:
    PlacementReader(const RunStudy& study)
        : m_study(study) { }

    Result<Placement> propose() {
        RETURN_IF_ERROR(readLayout());
        RETURN_IF_ERROR(readSummary());
        RETURN_IF_ERROR(readLostClocks());
        RETURN_IF_ERROR(placeGpus());
        RETURN_IF_ERROR(fitHeat());
        const auto room = stageMemoryOf(m_study.run, *m_layout, m_layersBefore, *m_summary);
        PlacementInput input{
            *m_layout, m_gpus, m_layers, m_layersBefore, m_extra, room.most, m_thermal, m_knowsAir};
        RETURN_IF_ERROR(readTraffic(input));
        Placement placement = placeStages(input);
        placement.layoutWording = m_wording;
        placement.assumptions.push_back(room.wording);
        placement.assumptions.push_back(m_extraWording);
        placement.notes.insert(placement.notes.end(), m_notes.begin(), m_notes.end());
        return placement;
    }

private:
    Status readLayout() {
        ASSIGN_OR_RETURN(const auto told, runLayout(m_study));
        auto request = told.request;
        const auto shape = shapeOf(m_study.run.launch, catalogue::modelCatalogue());
        if (shape.hasValue() && !request.layers && request.stageLayers.empty())
            request.layers = shape.value().model.layers;
        ASSIGN_OR_RETURN(auto made, layout::makeLayout(request));
        m_wording = told.wording;
        m_layout.emplace(std::move(made));
        const int stages = m_layout->grid.degrees().pipeline;
        if (stages < 2)
            return notPlaceable(
                "This run has no pipeline: there are no stages to place.", m_study.run);
        if (m_layout->chunks.empty())
            return notPlaceable(
                "It is not known how many layers the model has: name a model of the "
                "catalogue in the launch configuration, or enter the layout by hand.",
                m_study.run);
        for (int stage = 0; stage < stages; ++stage) {
            m_layersBefore.push_back(layersOf(m_layout->chunks, stage));
            m_layers += m_layersBefore.back();
        }
        takeExtra(shape);
        return {};
    }

    // The logits, in forward passes of a layer: 2·h·V against a layer's projections and
    // feed-forward (ModelShape.h, without scores; one with experts where there are any); looking up
    // the embedding is no arithmetic.
    void takeExtra(const Result<ModelShape>& shape) {
        m_extra.assign(m_layersBefore.size(), 0.0);
        if (!shape.hasValue()) {
            m_extraWording
                = "The model's shape is not known: embedding and loss count for nothing.";
            return;
        }
        const auto& model = shape.value().model;
        const LayerWeights weights = layerWeightsOf(model);
        const double layer = weights.attention
            + (model.experts > 1 ? weights.expert * model.expertsPerToken + weights.sharedExperts
                                 : weights.dense);
        m_extra.back() = layer > 0.0 ? double{1} * model.hidden * model.vocabulary / layer : 0.0;
        m_extraWording
            = fmt::format("The last stage computes the loss besides, as much as {:.2f} layers.",
                text::worded(m_extra.back()));
    }

    Status readSummary() {
        ASSIGN_OR_RETURN(const auto steady, steadyStateOf(m_study));
        m_window = steady.window;
        if (steady.basis == SteadyBasis::Iterations && steady.iterations > 0)
            m_stepSeconds = m_window.length().seconds() / static_cast<double>(steady.iterations);
        m_notes.push_back("Over " + steady.wording + ".");
        ASSIGN_OR_RETURN(auto summary,
            summarise(m_study,
                SummaryScope{m_window,
                    {metric::kGpuTemperature, metric::kGpuPower, metric::kSmClock,
                        metric::kGpuUtilization, metric::kMemUsed}}));
        m_summary.emplace(std::move(summary));
        return {};
    }

    // Reads the bytes that groups exchange, and their links; nothing where any of it is not known.
    Status readTraffic(PlacementInput& input) const {
        const auto model = trafficModelOf(m_study.run.launch, catalogue::modelCatalogue());
        ASSIGN_OR_RETURN(const auto machine, machineOf(m_study));
        const auto* gpu = catalogue::findGpuModel(m_study.run.gpuModel);
        input.stepSeconds = m_stepSeconds;
        if (model.hasValue())
            input.loads = groupLoads(*m_layout, model.value());
        if (gpu != nullptr)
            input.scaleUp = gpu->linkBandwidth.value_or(gpu->pcieBandwidth.value_or(0.0));
        input.scaleOut = machine.networkBandwidth.value_or(0.0);
        if (input.scaleOut == 0.0 && machine.topology)
            input.scaleOut = networkBandwidthOf(*machine.topology).value_or(0.0);
        return {};
    }

    Status readLostClocks() {
        ASSIGN_OR_RETURN(const auto all, m_study.store.series(m_study.run.id));
        m_series = gpuSeriesByRank(all);
        ASSIGN_OR_RETURN(const auto found, throttlingOf(m_study, m_window));
        if (!found || !found->clockLost)
            return notPlaceable("Neither clocks nor utilisation of the GPUs were recorded: how "
                                "much clock they lose is not known.",
                m_study.run);
        std::map<ThrottleCause, double> causes;
        for (const RankEpisode& one : found->clockLost->episodes) {
            m_lostSeconds[one.rank] += one.episode.lostSeconds;
            causes[one.episode.cause] += one.episode.lostSeconds;
        }
        const double thermal = causes[ThrottleCause::Thermal];
        const double others = causes[ThrottleCause::Power] + causes[ThrottleCause::Other];
        if (others > thermal)
            m_notes.emplace_back("Most of the lost clock is not told to be thermal (power limit or "
                                 "unknown cause): it may not follow the temperature.");
        return {};
    }

    Status placeGpus() {
        ASSIGN_OR_RETURN(const auto air, airflowOf(m_study));
        const AirflowOrder& order = air.order;
        if (air.origin == AirflowOrigin::Inferred)
            m_notes.emplace_back("The order of the air is inferred. " + air.evidence);
        if (order.empty())
            m_notes.emplace_back(
                "The order of the air is assumed: ascending GPU indices from front "
                "to rear (see trainscope-cli cluster --airflow).");
        const int world = m_layout->grid.worldSize();
        std::map<int, const GpuSummary*> byRank;
        for (const GpuSummary& gpu : m_summary->gpus)
            byRank[gpu.gpu.rank] = &gpu;
        for (int rank = 0; rank < world; ++rank) {
            const auto found = byRank.find(rank);
            const auto temperature = found == byRank.end()
                ? std::nullopt
                : meanOf(*found->second, metric::kGpuTemperature);
            if (!temperature)
                return notPlaceable(fmt::format("The temperature of rank {} was not recorded; a "
                                                "placement needs all {} GPUs.",
                                        rank, world),
                    m_study.run);
            m_gpus.push_back(placeOf(*found->second, *temperature, order));
        }
        m_knowsAir = std::any_of(
            m_gpus.begin(), m_gpus.end(), [](const GpuPlace& gpu) { return gpu.isRear; });
        return {};
    }

    [[nodiscard]] GpuPlace placeOf(
        const GpuSummary& gpu, double temperature, const std::vector<int>& order) const {
        GpuPlace place;
        place.node = gpu.gpu.node;
        place.local = gpu.gpu.local;
        place.rankBefore = place.rankAfter = gpu.gpu.rank;
        const auto at = std::find(order.begin(), order.end(), place.local);
        place.slot = at == order.end() ? place.local : static_cast<int>(at - order.begin());
        const int perNode = m_layout->gpusPerNode;
        place.isRear = 2 * place.slot >= perNode + perNode % 2;
        place.temperatureC = temperature;
        place.watts = meanOf(gpu, metric::kGpuPower).value_or(0.0);
        constexpr double kLeastBusy = 0.3;
        const double busy
            = std::max(kLeastBusy, meanOf(gpu, metric::kGpuUtilization).value_or(1.0));
        const auto lost = m_lostSeconds.find(place.rankBefore);
        constexpr double kMostLost = 0.9;
        if (lost != m_lostSeconds.end() && m_window.length().ns > 0)
            place.lost = std::min(kMostLost, lost->second / (m_window.length().seconds() * busy));
        return place;
    }

    // From the records of some GPUs in front, evenly chosen: what warms those in the rear besides
    // looks like more resistance.
    Status fitHeat() {
        constexpr std::size_t kMostFits = 16;
        std::vector<double> resistances;
        double idle = 1e9;
        const std::size_t every = std::max<std::size_t>(1, m_gpus.size() / (2 * kMostFits));
        for (std::size_t i = 0; i < m_gpus.size(); i += every) {
            if (m_gpus[i].isRear)
                continue;
            const auto& series = m_series[static_cast<int>(i)];
            const auto power = series.find(metric::kGpuPower);
            const auto temperature = series.find(metric::kGpuTemperature);
            if (power == series.end() || temperature == series.end())
                continue;
            ASSIGN_OR_RETURN(const auto fit, fitOf(power->second, temperature->second, idle));
            if (fit && fit->resistanceCPerW > 0.0)
                resistances.push_back(fit->resistanceCPerW);
        }
        if (resistances.empty()) {
            m_notes.emplace_back("The record does not show how temperatures follow power: changes "
                                 "of temperature and throttling are not estimated.");
            return {};
        }
        std::sort(resistances.begin(), resistances.end());
        const auto quantile = [&](std::size_t quarter) {
            return resistances[(resistances.size() - 1) * quarter / 4];
        };
        ThermalFacts facts{quantile(2), quantile(1), quantile(3), idle, std::nullopt, 0.0};
        fitLoss(m_gpus, facts);
        m_thermal = facts;
        return {};
    }

    // `idle`: no more than the least power, as a mean of a step.
    Result<std::optional<ThermalFit>> fitOf(
        const Series& power, const Series& temperature, double& idle) const {
        constexpr std::size_t kMostSteps = 20'000;
        const std::vector<Series> both{temperature, power};
        const UniformSeries grid = gridOf(both, kMostSteps);
        ASSIGN_OR_RETURN(const auto watts, resample(m_study.store, power, grid));
        ASSIGN_OR_RETURN(const auto celsius, resample(m_study.store, temperature, grid));
        for (const double value : watts.values)
            idle = value < idle ? value : idle; // not NaN
        return fitThermal(watts, celsius);
    }

    const RunStudy& m_study;
    std::optional<layout::Layout> m_layout;
    std::string m_wording;
    int m_layers = 0;
    std::vector<int> m_layersBefore;
    std::vector<double> m_extra;
    std::string m_extraWording;
    TimeRange m_window;
    std::optional<double> m_stepSeconds;
    std::optional<RunSummary> m_summary;
    std::map<int, GpuSeries> m_series; // by rank
    std::map<int, double> m_lostSeconds; // by rank
    std::vector<GpuPlace> m_gpus;
    bool m_knowsAir = true;
    std::optional<ThermalFacts> m_thermal;
    std::vector<std::string> m_notes;
};

} // namespace

Result<Placement> proposePlacement(const RunStudy& study) {
    return PlacementReader(study).propose();
}

} // namespace trainscope::analysis
