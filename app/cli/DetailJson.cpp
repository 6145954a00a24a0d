#include "app/cli/DetailJson.h"

#include "app/cli/Quantity.h"
#include "app/cli/TextTable.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace trainscope::cli {

namespace {

constexpr std::size_t kLinesShown = 3;

Json throttleJson(const analysis::Throttling& throttling) {
    Json json{{"fraction", throttling.fraction}, {"time_lost_s", throttling.lostGpuSeconds},
        {"reference_clock_hz", throttling.referenceClockHz}, {"episodes", Json::array()}};
    for (const auto& [rank, episode] : throttling.episodes) {
        json["episodes"].push_back({{"rank", rank}, {"start_ns", episode.range.begin.ns},
            {"duration_s", seconds(episode.range.length())},
            {"cause", std::string(toString(episode.cause))}});
    }
    return json;
}

Json iterationsJson(const std::vector<Iteration>& iterations) {
    Json json = Json::array();
    for (const Iteration& iteration : iterations) {
        json.push_back({{"index", iteration.index}, {"rank", iteration.rank},
            {"start_ns", iteration.range.begin.ns},
            {"duration_s", seconds(iteration.range.length())}, {"warmup", iteration.warmup}});
    }
    return json;
}

Json spectrumJson(const std::vector<analysis::SpectralLine>& lines) {
    Json json = Json::array();
    for (const auto& line : lines) {
        json.push_back({{"frequency_hz", line.frequencyHz}, {"amplitude_w", line.amplitude},
            {"frequency_error_hz", line.frequencyErrorHz}});
    }
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

void printThrottling(const analysis::Throttling& throttling, std::ostream& out) {
    out << fmt::format(
        "  throttled {:.2f} % of the GPU time, {:.4g} GPU-seconds lost, {} episodes\n",
        100.0 * throttling.fraction, throttling.lostGpuSeconds, throttling.episodes.size());
    using enum TextTable::Align;
    TextTable table({{"rank"}, {"episodes"}, {"time"}, {"lost"}, {"longest"}, {"mostly", Left}});
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
    for (const auto& [rank, sum] : ranks) {
        const auto mostly = std::max_element(sum.causes.begin(), sum.causes.end(),
            [](const auto& a, const auto& b) { return a.second < b.second; });
        table.add({std::to_string(rank), std::to_string(sum.count), quantityText(sum.time, "s"),
            quantityText(sum.lost, "s"), quantityText(sum.longest, "s"),
            std::string(toString(mostly->first))});
    }
    if (!table.isEmpty())
        table.print(out, "    ");
}

} // namespace

void addDetail(Json& run, const analysis::RunDetail& detail) {
    run["iterations"] = iterationsJson(detail.iterations);
    if (detail.throttling)
        run["throttle"] = throttleJson(*detail.throttling);
    if (detail.gradient)
        run["front_rear_gradient_c"] = detail.gradient->celsius;
    if (detail.settledFrom)
        run["settled_from_ns"] = detail.settledFrom->ns;
    if (detail.burst) {
        run["burst"]
            = {{"peak_to_mean", detail.burst->peakToMean}, {"p99_to_p50", detail.burst->p99ToP50},
                {"peak_w", detail.burst->peak}, {"max_ramp_w_per_s", detail.burst->maxRampPerS}};
        run["spectrum"] = spectrumJson(detail.spectrum);
    }
    for (const auto& [rank, gpu] : detail.gpus) {
        Json& json = gpuJson(run, rank);
        setIfPresent(json, "throttle_fraction", gpu.throttleFraction);
        if (!gpu.thermal)
            continue;
        json["thermal_time_constant_s"] = gpu.thermal->timeConstantS;
        json["thermal_resistance_c_per_w"] = gpu.thermal->resistanceCPerW;
    }
}

void printDetail(const analysis::RunDetail& detail, std::ostream& out) {
    out << '\n';
    if (detail.throttling)
        printThrottling(*detail.throttling, out);
    if (detail.gradient) {
        out << fmt::format(
            "  rear GPUs {:+.1f} °C against the front ones (local indices ascending from front to "
            "rear, {} {})\n",
            detail.gradient->celsius, detail.gradient->nodes,
            detail.gradient->nodes == 1 ? "node" : "nodes");
    }
    if (detail.settledFrom)
        out << "  temperatures settled from " << timeText(*detail.settledFrom) << '\n';
    if (detail.burst) {
        out << fmt::format("  summed power: peak {:.3g} × mean, p99 {:.3g} × p50, steepest ramp ",
            detail.burst->peakToMean, detail.burst->p99ToP50)
            << quantityText(detail.burst->maxRampPerS, "W/s") << '\n';
    }
    for (std::size_t i = 0; i < std::min(detail.spectrum.size(), kLinesShown); ++i) {
        const auto& line = detail.spectrum[i];
        out << fmt::format("  it swings by ±{} at {:.4g} ± {:.1g} Hz\n",
            quantityText(line.amplitude, "W"), line.frequencyHz, line.frequencyErrorHz);
    }
    if (!detail.iterations.empty())
        out << "  " << detail.iterations.size() << " iterations recorded\n";
}

} // namespace trainscope::cli
