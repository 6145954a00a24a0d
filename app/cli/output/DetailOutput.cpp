#include "app/cli/output/RunOutput.h"

#include "core/report/RunTables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trainscope::cli {

namespace {

using analysis::RunDetail;

constexpr std::size_t kLinesShown = 3;
constexpr std::size_t kIterationsShown = 20;

Json throttleJson(const analysis::Throttling& throttling) {
    const auto& lost = throttling.clockLost;
    const auto ofLost = [&lost](double analysis::ClockLoss::*field) {
        return lost ? std::optional((*lost).*field) : std::nullopt;
    };
    return object({{"basis", throttling.basis}, {"fraction", throttling.fraction},
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

Row iterationRow(const analysis::IterationFigures& one, const analysis::Sensor* sensor) {
    const DurationNs length = one.iteration.range.length();
    const bool isShort
        = one.energyJ && sensor != nullptr && sensor->averagingS.value_or(0.0) > seconds(length);
    const Json gpus = listOf(one.gpuEnergyJ, [](const auto& gpu) {
        return Json{{"rank", gpu.first}, {"energy_j", gpu.second}};
    });
    return {{"index", {"iteration"}, one.iteration.index}, {"start_ns", one.iteration.range.begin},
        {"duration_s", {"duration"}, length}, {"energy_j", inUnit("energy", "J"), one.energyJ},
        {"energy_coverage", when(one.energyJ.has_value(), one.energyCoverage)},
        {"mean_power_w", inUnit("mean power", "W"), one.meanPowerW},
        {"peak_power_w", inUnit("peak power", "W"), one.peakPowerW},
        {"mean_temperature_c", inUnit("temperature", "°C"), one.meanTemperatureC},
        {"max_temperature_c", one.maxTemperatureC},
        {"mean_clock_hz", inUnit("SM clock", "Hz"), one.meanClockHz},
        {"throttle_fraction", inUnit("throttled", "%"), one.throttleFraction},
        {"warmup", one.iteration.warmup, {"", Left}, one.iteration.warmup ? "warm-up" : ""},
        {"shorter_than_sensor_average", when(isShort, true)}, {"gpus", when(!gpus.empty(), gpus)}};
}

Json basisJson(const analysis::RunIterations& iterations) {
    return object({{"basis", iterations.basis}, {"origin", iterations.origin},
        {"frequency_hz", iterations.frequencyHz},
        {"frequency_error_hz", iterations.frequencyErrorHz},
        {"power_period_s", iterations.powerPeriodS},
        {"boundary_error_s", iterations.boundaryError}});
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

void printThrottling(const analysis::Throttling& throttling, std::ostream& out) {
    struct Sum {
        std::size_t count = 0;
        double time = 0.0;
        double lost = 0.0;
        double longest = 0.0;
        std::map<analysis::ThrottleCause, double> causes;
    };
    std::map<int, Sum> ranks;
    for (const auto& [rank, episode] : throttling.episodes) {
        Sum& sum = ranks[rank];
        const double length = seconds(episode.range.length());
        ++sum.count;
        sum.time += length;
        sum.lost += episode.lostSeconds;
        sum.longest = std::max(sum.longest, length);
        sum.causes[episode.cause] += length;
    }
    const auto mostly = [](const Sum& sum) {
        return std::max_element(sum.causes.begin(), sum.causes.end(),
            [](const auto& a, const auto& b) { return a.second < b.second; })
            ->first;
    };
    printTable(out,
        tableOf(ranks,
            [&](const auto& one) -> Row {
                const auto& [rank, sum] = one;
                return {{"", {"rank"}, rank}, {"", {"episodes"}, sum.count},
                    {"", inUnit("time", "s"), sum.time}, {"", inUnit("clock lost", "s"), sum.lost},
                    {"", inUnit("longest", "s"), sum.longest}, {"", {"mostly", Left}, mostly(sum)}};
            }),
        "    ");
}

void printAirflow(const RunDetail& detail, std::ostream& out) {
    const analysis::Airflow& air = detail.airflow;
    const bool isInferred = air.origin == analysis::AirflowOrigin::Inferred;
    const std::string order = fmt::format("{}", fmt::join(air.order, ","));
    const auto& gradient = *detail.gradient;
    out << fmt::format("  rear GPUs {:+.1f} °C against the front ones ({:.1f} to {:.1f} °C, "
                       "{}; {}, {})\n",
        gradient.celsius, gradient.frontC, gradient.rearC, text::signedPercent(gradient.hotterBy),
        order.empty() ? "local indices ascending from front to rear"
                      : (isInferred ? "inferred order " : "order ") + order,
        text::counted(static_cast<std::int64_t>(gradient.nodes.size()), "node"));
    if (!air.evidence.empty())
        out << "    " << air.evidence << '\n';
}

void printSettled(const analysis::RunSummary& summary, const RunDetail& detail, std::ostream& out) {
    out << "  temperatures settled from " << text::moment(*detail.settledFrom) << '\n';
    if (!detail.settled)
        return;
    text::Table table{.columns = {{"metric", Left}, {"mean"}, {"settled"}, {"p50"}, {"settled"},
                          {"p99"}, {"settled"}, {"max"}, {"settled"}}};
    for (const auto& [name, metric] : detail.settled->metrics) {
        const auto all = summary.metrics.find(name);
        if (all == summary.metrics.end())
            continue;
        const auto text
            = [&unit = metric.metric.unit, &key = name](const analysis::SubjectStatistics& of,
                  std::optional<double> analysis::SubjectStatistics::*field) {
                  return text::aligned(of.*field, unit, key);
              };
        using S = analysis::SubjectStatistics;
        std::vector<text::Cell> cells{name};
        for (const auto field : {&S::mean, &S::p50, &S::p99, &S::max}) {
            cells.push_back(text(all->second.all, field));
            cells.push_back(text(metric.all, field));
        }
        table.add(std::move(cells));
    }
    const auto rate = [](const analysis::RunSummary& of) {
        const double covered = of.energy ? of.energy->coverage * of.duration.seconds() : 0.0;
        return covered > 0.0 ? text::aligned(of.energy->joules / covered, "W")
                             : std::string(text::kMissing);
    };
    table.add({"energy rate", rate(summary), rate(*detail.settled)});
    printTable(out, table, "    ");
}

void printPower(const RunDetail& detail, std::ostream& out) {
    const auto& burst = *detail.burst;
    out << fmt::format("  summed power: peak {:.3g} × mean, p99 {:.3g} × p50, steepest ramp ",
        burst.peakToMean, burst.p99ToP50)
        << text::aligned(burst.maxRampPerS, "W/s") << '\n';
    if (const auto* sensor = detail.powerSensor()) {
        out << "    power sensor: " << sensor->wording << '\n';
        if (sensor->averagingS)
            out << fmt::format("    what is shorter than {} is smoothed: peaks and ramps are lower "
                               "bounds\n",
                text::seconds(*sensor->averagingS));
    }
    if (const auto& above = detail.aboveLimit) {
        out << fmt::format("    {} times above {} ({}), at most for {}\n", above->excursions.count,
            text::aligned(above->limitW, "W"), above->origin,
            text::seconds(above->excursions.longestSeconds));
    }
    for (std::size_t i = 0; i < std::min(detail.spectrum.size(), kLinesShown); ++i) {
        const auto& line = detail.spectrum[i];
        out << fmt::format("  it swings by ±{} at {:.4g} ± {:.1g} Hz{}\n",
            text::aligned(line.amplitude, "W"), line.frequencyHz, line.frequencyErrorHz,
            !line.harmonic ? ""
                : *line.harmonic == 1
                ? ", the frequency of the iterations"
                : fmt::format(", {} × that of the iterations", *line.harmonic));
    }
}

void printIterations(const RunDetail& detail, std::ostream& out) {
    const auto& iterations = detail.iterations;
    if (iterations.iterations.empty()) {
        out << "  no iterations: " << iterations.origin << '\n';
        return;
    }
    out << "  " << text::counted(std::ssize(iterations.iterations), "iteration") << " by "
        << iterations.origin;
    if (iterations.frequencyHz)
        out << fmt::format(", every {} ± {}", text::seconds(1.0 / *iterations.frequencyHz),
            text::seconds(iterations.frequencyErrorHz.value_or(0.0)
                / (*iterations.frequencyHz * *iterations.frequencyHz)));
    out << '\n';
    const auto rowOf
        = [&detail](const auto& one) { return iterationRow(one, detail.powerSensor()); };
    printTable(
        out, tableOf(detail.iterationFigures, rowOf, kIterationsShown, "more iteration"), "    ");
}

} // namespace

Json sensorsJson(const std::vector<analysis::Sensor>& sensors) {
    return listOf(sensors, [](const analysis::Sensor& sensor) {
        const auto& update = sensor.update;
        const bool isExact = update.seconds && !update.isAtMost;
        return object({{"metric", sensor.metric.name}, {"kind", sensor.kind},
            {"sampling_period_s", sensor.samplingPeriodS}, {"series_probed", sensor.probed},
            {"averaging_s", sensor.averagingS},
            {isExact ? "update_period_s" : "update_period_at_most_s", update.seconds},
            {"update_period_error_s", when(isExact, update.errorS)}, {"text", sensor.wording}});
    });
}

void addDetail(Json& run, const RunDetail& detail) {
    run["iterations"] = rowsJson(detail.iterationFigures,
        [&](const auto& one) { return iterationRow(one, detail.powerSensor()); });
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

void printDetail(const analysis::RunSummary& summary, const RunDetail& detail, std::ostream& out) {
    out << '\n';
    if (detail.throttling) {
        printTable(out, report::throttlingTable({{summary.run.name, detail.throttling}}));
        printThrottling(*detail.throttling, out);
    }
    if (detail.gradient)
        printAirflow(detail, out);
    if (detail.settledFrom)
        printSettled(summary, detail, out);
    if (detail.burst)
        printPower(detail, out);
    else if (!detail.whyNoBurst.empty())
        out << "  no summed power: " << detail.whyNoBurst << '\n';
    printIterations(detail, out);
}

} // namespace trainscope::cli
