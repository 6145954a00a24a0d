#include "app/cli/output/DetailOutput.h"

#include "app/cli/output/SummaryJson.h"

namespace trainscope::cli {

namespace {

using analysis::RunDetail;

Json throttleJson(const analysis::Throttling& throttling) {
    const auto& lost = throttling.clockLost;
    const auto ofLost = [&lost](double analysis::ClockLoss::*field) {
        return lost ? std::optional((*lost).*field) : std::nullopt;
    };
    return object({{"basis", std::string(toString(throttling.basis))},
        {"fraction", throttling.fraction},
        {"time_lost_s", ofLost(&analysis::ClockLoss::gpuSeconds)},
        {"clock_lost_fraction", ofLost(&analysis::ClockLoss::fraction)},
        {"reference_clock_hz", ofLost(&analysis::ClockLoss::referenceClockHz)},
        {"causes",
            objectOf(throttling.causes,
                [](const auto& one) {
                    const auto& [cause, sum] = one;
                    return Member(std::string(toString(cause)),
                        Json{{"episodes", sum.episodes}, {"gpu_seconds", sum.gpuSeconds},
                            {"time_lost_s", sum.lostGpuSeconds}});
                })},
        {"slowdown_temperature_c", throttling.slowdownTemperatureC},
        {"slowdown_temperature_origin",
            when(throttling.slowdownTemperatureC.has_value(), throttling.slowdownOrigin)},
        {"power_limit_w", throttling.powerLimitW},
        {"power_limit_origin",
            when(throttling.powerLimitW.has_value(), throttling.powerLimitOrigin)},
        {"inferred_gpu_seconds",
            when(throttling.inferredGpuSeconds > 0.0, throttling.inferredGpuSeconds)},
        {"evidence", when(!throttling.evidence.empty(), throttling.evidence)},
        {"episodes", listOf(throttling.episodes, [](const auto& one) {
             const auto& [rank, episode] = one;
             return Json{{"rank", rank}, {"start_ns", episode.range.begin.ns},
                 {"duration_s", seconds(episode.range.length())},
                 {"cause", std::string(toString(episode.cause))},
                 {"cause_inferred", episode.isCauseInferred}, {"time_lost_s", episode.lostSeconds}};
         })}});
}

Json iterationJson(const analysis::IterationFigures& one, const analysis::Sensor* sensor) {
    const double duration = seconds(one.iteration.range.length());
    const bool isShort
        = one.energyJ && sensor != nullptr && sensor->averagingS.value_or(0.0) > duration;
    const Json gpus = listOf(one.gpuEnergyJ, [](const auto& gpu) {
        return Json{{"rank", gpu.first}, {"energy_j", gpu.second}};
    });
    return object({{"index", one.iteration.index}, {"start_ns", one.iteration.range.begin.ns},
        {"duration_s", duration}, {"warmup", one.iteration.warmup}, {"energy_j", one.energyJ},
        {"energy_coverage", when(one.energyJ.has_value(), one.energyCoverage)},
        {"mean_power_w", one.meanPowerW}, {"peak_power_w", one.peakPowerW},
        {"mean_temperature_c", one.meanTemperatureC}, {"max_temperature_c", one.maxTemperatureC},
        {"mean_clock_hz", one.meanClockHz}, {"throttle_fraction", one.throttleFraction},
        {"shorter_than_sensor_average", when(isShort, true)}, {"gpus", when(!gpus.empty(), gpus)}});
}

Json basisJson(const analysis::RunIterations& iterations) {
    Json json = object({{"basis", std::string(toString(iterations.basis))},
        {"origin", iterations.origin}, {"frequency_hz", iterations.frequencyHz},
        {"frequency_error_hz", iterations.frequencyErrorHz},
        {"power_period_s", iterations.powerPeriodS}});
    if (iterations.boundaryError)
        json["boundary_error_s"] = seconds(*iterations.boundaryError);
    return json;
}

Json burstJson(const RunDetail& detail) {
    const auto& burst = *detail.burst;
    Json json{{"peak_to_mean", burst.peakToMean}, {"p99_to_p50", burst.p99ToP50},
        {"peak_w", burst.peak}, {"peak_at_ns", burst.peakAt.ns}};
    if (burst.maxRampPerS)
        add(json,
            {{"max_ramp_w_per_s", *burst.maxRampPerS}, {"max_ramp_at_ns", burst.maxRampAt.ns}});
    if (const auto& above = detail.aboveLimit)
        add(json,
            {{"limit_w", above->limitW}, {"limit_origin", above->origin},
                {"above_limit_s", above->excursions.seconds},
                {"above_limit_count", above->excursions.count},
                {"longest_above_limit_s", above->excursions.longestSeconds}});
    if (const auto* sensor = detail.powerSensor())
        add(json,
            {{"sensor", sensorsJson({*sensor})[0]},
                {"smoothed_by_sensor", sensor->averagingS.has_value()}});
    return json;
}

Json airflowJson(const RunDetail& detail) {
    const auto& gradient = *detail.gradient;
    Json json{{"order", detail.airflow.order}, {"assumed", detail.airflow.order.empty()},
        {"origin", std::string(toString(detail.airflow.origin))}, {"front_c", gradient.frontC},
        {"rear_c", gradient.rearC}, {"rear_hotter_by", gradient.hotterBy},
        {"nodes", listOf(gradient.nodes, [](const auto& node) {
             return Json{{"node", node.node}, {"front_c", node.frontC}, {"rear_c", node.rearC},
                 {"front_rear_gradient_c", node.rearC - node.frontC}};
         })}};
    if (!detail.airflow.evidence.empty())
        json["evidence"] = detail.airflow.evidence;
    return json;
}

// The summary of the settled part without what it shares with that of the run.
Json settledJson(const analysis::RunSummary& settled) {
    Json json = summaryJson(settled);
    for (const char* key : {"name", "kind", "status", "simulated", "start_ns", "gpu_count"})
        json.erase(key);
    if (settled.energy && settled.energy->coverage > 0.0)
        json["energy_rate_w"]
            = settled.energy->joules / (settled.energy->coverage * seconds(settled.duration));
    return json;
}

Json& gpuOf(Json& run, int rank) {
    for (Json& gpu : run["gpus"]) {
        if (gpu["rank"] == rank)
            return gpu;
    }
    run["gpus"].push_back({{"rank", rank}});
    return run["gpus"].back();
}

void addGpus(Json& run, const RunDetail& detail) {
    for (const auto& [rank, gpu] : detail.gpus) {
        Json& json = gpuOf(run, rank);
        add(json, {{"throttle_fraction", gpu.throttleFraction}});
        if (gpu.thermal)
            add(json,
                {{"thermal_time_constant_s", gpu.thermal->timeConstantS},
                    {"thermal_resistance_c_per_w", gpu.thermal->resistanceCPerW}});
    }
}

} // namespace

Json sensorsJson(const std::vector<analysis::Sensor>& sensors) {
    return listOf(sensors, [](const analysis::Sensor& sensor) {
        const auto& update = sensor.update;
        const bool isExact = update.seconds && !update.isAtMost;
        return object({{"metric", sensor.metric.name}, {"kind", toString(sensor.kind)},
            {"sampling_period_s", sensor.samplingPeriodS}, {"series_probed", sensor.probed},
            {"averaging_s", sensor.averagingS},
            {isExact ? "update_period_s" : "update_period_at_most_s", update.seconds},
            {"update_period_error_s", when(isExact, update.errorS)}, {"text", sensor.wording}});
    });
}

void addDetail(Json& run, const RunDetail& detail) {
    run["iterations"] = listOf(detail.iterationFigures,
        [&](const auto& one) { return iterationJson(one, detail.powerSensor()); });
    run["iteration_basis"] = basisJson(detail.iterations);
    if (detail.throttling)
        run["throttle"] = throttleJson(*detail.throttling);
    if (detail.gradient) {
        run["front_rear_gradient_c"] = detail.gradient->celsius;
        run["airflow"] = airflowJson(detail);
    }
    if (detail.settledFrom)
        run["settled_from_ns"] = detail.settledFrom->ns;
    if (detail.settled)
        run["settled"] = settledJson(*detail.settled);
    if (detail.burst) {
        run["burst"] = burstJson(detail);
        run["spectrum"] = listOf(detail.spectrum, [](const auto& line) {
            return object({{"frequency_hz", line.frequencyHz}, {"amplitude_w", line.amplitude},
                {"frequency_error_hz", line.frequencyErrorHz}, {"harmonic", line.harmonic}});
        });
    } else if (!detail.whyNoBurst.empty()) {
        run["burst_missing"] = detail.whyNoBurst;
    }
    run["sensors"] = sensorsJson(detail.sensors);
    addGpus(run, detail);
}

} // namespace trainscope::cli
