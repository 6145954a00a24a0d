#include "app/cli/output/DetailOutput.h"

#include "app/cli/output/SummaryJson.h"

namespace trainscope::cli {

namespace {

using analysis::RunDetail;

Json throttleJson(const analysis::Throttling& throttling) {
    Json json{{"fraction", throttling.fraction}, {"time_lost_s", throttling.lostGpuSeconds},
        {"reference_clock_hz", throttling.referenceClockHz}, {"causes", Json::object()}};
    for (const auto& [cause, sum] : throttling.causes) {
        json["causes"][std::string(toString(cause))] = {{"episodes", sum.episodes},
            {"gpu_seconds", sum.gpuSeconds}, {"time_lost_s", sum.lostGpuSeconds}};
    }
    if (!throttling.reasonSeconds.empty())
        json["reason_gpu_seconds"] = throttling.reasonSeconds;
    setIfPresent(json, "slowdown_temperature_c", throttling.slowdownTemperatureC);
    setIfPresent(json, "power_limit_w", throttling.powerLimitW);
    if (throttling.powerLimitW)
        json["power_limit_origin"] = throttling.powerLimitOrigin;
    json["episodes"] = Json::array();
    for (const auto& [rank, episode] : throttling.episodes) {
        json["episodes"].push_back({{"rank", rank}, {"start_ns", episode.range.begin.ns},
            {"duration_s", seconds(episode.range.length())},
            {"cause", std::string(toString(episode.cause))}, {"time_lost_s", episode.lostSeconds}});
    }
    return json;
}

Json iterationJson(const analysis::IterationFigures& one, const analysis::Sensor* sensor) {
    const double duration = seconds(one.iteration.range.length());
    Json json{{"index", one.iteration.index}, {"start_ns", one.iteration.range.begin.ns},
        {"duration_s", duration}, {"warmup", one.iteration.warmup}};
    setIfPresent(json, "energy_j", one.energyJ);
    if (one.energyJ)
        json["energy_coverage"] = one.energyCoverage;
    setIfPresent(json, "mean_power_w", one.meanPowerW);
    setIfPresent(json, "peak_power_w", one.peakPowerW);
    setIfPresent(json, "mean_temperature_c", one.meanTemperatureC);
    setIfPresent(json, "max_temperature_c", one.maxTemperatureC);
    setIfPresent(json, "mean_clock_hz", one.meanClockHz);
    setIfPresent(json, "throttle_fraction", one.throttleFraction);
    if (one.energyJ && sensor != nullptr && sensor->averagingS.value_or(0.0) > duration)
        json["shorter_than_sensor_average"] = true;
    for (const auto& [rank, joules] : one.gpuEnergyJ)
        json["gpus"].push_back({{"rank", rank}, {"energy_j", joules}});
    return json;
}

Json iterationsJson(const RunDetail& detail) {
    Json json = Json::array();
    for (const auto& one : detail.iterationFigures)
        json.push_back(iterationJson(one, detail.powerSensor()));
    return json;
}

Json basisJson(const analysis::RunIterations& iterations) {
    Json json{{"basis", std::string(toString(iterations.basis))}, {"origin", iterations.origin}};
    setIfPresent(json, "frequency_hz", iterations.frequencyHz);
    setIfPresent(json, "frequency_error_hz", iterations.frequencyErrorHz);
    if (iterations.boundaryError)
        json["boundary_error_s"] = seconds(*iterations.boundaryError);
    return json;
}

Json spectrumJson(const std::vector<analysis::SpectralLine>& lines) {
    Json json = Json::array();
    for (const auto& line : lines) {
        json.push_back({{"frequency_hz", line.frequencyHz}, {"amplitude_w", line.amplitude},
            {"frequency_error_hz", line.frequencyErrorHz}});
        setIfPresent(json.back(), "harmonic", line.harmonic);
    }
    return json;
}

Json burstJson(const RunDetail& detail) {
    const auto& burst = *detail.burst;
    Json json{{"peak_to_mean", burst.peakToMean}, {"p99_to_p50", burst.p99ToP50},
        {"peak_w", burst.peak}, {"peak_at_ns", burst.peakAt.ns},
        {"max_ramp_w_per_s", burst.maxRampPerS}, {"max_ramp_at_ns", burst.maxRampAt.ns}};
    if (const auto& above = detail.aboveLimit) {
        json["limit_w"] = above->limitW;
        json["limit_origin"] = above->origin;
        json["above_limit_s"] = above->excursions.seconds;
        json["above_limit_count"] = above->excursions.count;
        json["longest_above_limit_s"] = above->excursions.longestSeconds;
    }
    if (const auto* sensor = detail.powerSensor()) {
        json["sensor"] = sensorsJson({*sensor})[0];
        json["smoothed_by_sensor"] = sensor->averagingS.has_value();
    }
    return json;
}

Json airflowJson(const RunDetail& detail) {
    const auto& gradient = *detail.gradient;
    Json json{{"order", detail.airflow}, {"assumed", detail.airflow.empty()},
        {"front_c", gradient.frontC}, {"rear_c", gradient.rearC},
        {"rear_hotter_by", gradient.hotterBy}, {"nodes", Json::array()}};
    for (const auto& node : gradient.nodes) {
        json["nodes"].push_back({{"node", node.node}, {"front_c", node.frontC},
            {"rear_c", node.rearC}, {"front_rear_gradient_c", node.rearC - node.frontC}});
    }
    return json;
}

// The summary of the settled part without what it shares with that of the run.
Json settledJson(const analysis::RunSummary& settled) {
    Json json = summaryJson(settled);
    for (const char* key : {"name", "kind", "status", "start_ns", "gpu_count"})
        json.erase(key);
    if (settled.energy && settled.energy->coverage > 0.0)
        json["energy_rate_w"]
            = settled.energy->joules / (settled.energy->coverage * seconds(settled.duration));
    return json;
}

Json& gpuJson(Json& run, int rank) {
    for (Json& gpu : run["gpus"]) {
        if (gpu["rank"] == rank)
            return gpu;
    }
    run["gpus"].push_back({{"rank", rank}});
    return run["gpus"].back();
}

void addGpus(Json& run, const RunDetail& detail) {
    for (const auto& [rank, gpu] : detail.gpus) {
        Json& json = gpuJson(run, rank);
        setIfPresent(json, "throttle_fraction", gpu.throttleFraction);
        if (!gpu.thermal)
            continue;
        json["thermal_time_constant_s"] = gpu.thermal->timeConstantS;
        json["thermal_resistance_c_per_w"] = gpu.thermal->resistanceCPerW;
    }
}

} // namespace

Json sensorsJson(const std::vector<analysis::Sensor>& sensors) {
    Json json = Json::array();
    for (const auto& sensor : sensors) {
        const char* kind = sensor.kind == SensorKind::Instant ? "instant"
            : sensor.kind == SensorKind::Averaged             ? "averaged"
                                                              : "unknown";
        Json entry{{"metric", sensor.metric.name}, {"kind", kind},
            {"sampling_period_s", sensor.samplingPeriodS}, {"series_probed", sensor.probed}};
        setIfPresent(entry, "averaging_s", sensor.averagingS);
        if (sensor.update.seconds && sensor.update.isAtMost)
            entry["update_period_at_most_s"] = *sensor.update.seconds;
        else if (sensor.update.seconds)
            entry["update_period_s"] = *sensor.update.seconds;
        if (entry.contains("update_period_s"))
            entry["update_period_error_s"] = sensor.update.errorS;
        entry["text"] = sensor.wording;
        json.push_back(std::move(entry));
    }
    return json;
}

void addDetail(Json& run, const RunDetail& detail) {
    run["iterations"] = iterationsJson(detail);
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
        run["spectrum"] = spectrumJson(detail.spectrum);
    }
    run["sensors"] = sensorsJson(detail.sensors);
    addGpus(run, detail);
}

} // namespace trainscope::cli
