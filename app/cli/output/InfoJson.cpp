#include "app/cli/output/InfoJson.h"

#include "app/cli/output/DetailOutput.h"
#include "app/cli/output/ReportJson.h"
#include "core/analysis/iterations/NamedPhases.h"
#include "core/analysis/statistics/Summary.h"
#include "core/analysis/traces/CaptureWindows.h"
#include "core/catalogue/GpuGuess.h"
#include "core/model/LaunchConfig.h"
#include "core/model/Try.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <type_traits>
#include <utility>

namespace trainscope::cli {

namespace {

Json gpuJson(const Gpu& gpu) {
    return object({{"rank", gpu.rank}, {"node", gpu.node}, {"local", gpu.local},
        {"model", given(gpu.model)}, {"uuid", given(gpu.uuid)}});
}

Json metricsJson(const std::vector<Series>& series) {
    struct Count {
        const Metric* metric = nullptr;
        std::int64_t series = 0;
        std::int64_t samples = 0;
        std::int64_t missing = 0;
    };
    std::map<std::string, Count> counts;
    for (const Series& one : series) {
        Count& count = counts[one.description.metric.name];
        count.metric = &one.description.metric;
        ++count.series;
        count.samples += one.count;
        count.missing += one.missing;
    }
    return objectOf(counts, [](const auto& one) {
        const auto& [name, count] = one;
        return Member(name,
            Json{{"unit", count.metric->unit}, {"kind", toString(count.metric->kind)},
                {"series", count.series}, {"samples", count.samples}, {"missing", count.missing}});
    });
}

Json trackJson(const Track& track) {
    const auto& description = track.description;
    return {{"rank", description.rank}, {"device", description.device},
        {"kind", toString(description.kind)}, {"name", description.name}, {"spans", track.count}};
}

// Threads were traced, and no device.
bool isHostOnly(const std::vector<Track>& tracks) {
    const auto has = [&tracks](TrackKind kind) {
        return std::any_of(tracks.begin(), tracks.end(), [kind](const Track& track) {
            return track.count > 0 && track.description.kind == kind;
        });
    };
    return has(TrackKind::Thread) && !has(TrackKind::Stream);
}

Json captureJson(const Capture& capture) {
    return {{"name", capture.name}, {"rank", capture.rank}, {"start_ns", capture.range.begin.ns},
        {"duration_s", seconds(capture.range.length())}};
}

// The degrees go by the names that everybody writes.
const char* shortName(const char* field) {
    static constexpr std::array<std::pair<std::string_view, const char*>, 7> kDegrees{
        {{"tensor_parallel", "tp"}, {"pipeline_parallel", "pp"}, {"virtual_pipeline", "vpp"},
            {"context_parallel", "cp"}, {"expert_parallel", "ep"}, {"data_parallel", "dp"},
            {"expert_tensor_parallel", "etp"}}};
    for (const auto& [name, degree] : kDegrees) {
        if (name == std::string_view(field))
            return degree;
    }
    return field;
}

Json phaseJson(const NamedPhase& phase) {
    return {{"name", phase.name}, {"start_ns", phase.range.begin.ns},
        {"duration_s", phase.range.length().seconds()}};
}

} // namespace

Json launchJson(const LaunchConfig& launch) {
    Json json = Json::object();
    forEachLaunchField([&](const char* name, auto member) {
        const auto& value = launch.*member;
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::optional<Workload>>) {
            if (value)
                json[name] = toString(*value);
        } else {
            add(json, {{shortName(name), value}});
        }
    });
    add(json, {{"origin", given(launch.origin)}});
    return json;
}

Result<Json> runInfoJson(const store::Store& store, const Run& run) {
    ASSIGN_OR_RETURN(const auto gpus, store.gpus(run.id));
    ASSIGN_OR_RETURN(const auto series, store.series(run.id));
    ASSIGN_OR_RETURN(const auto tracks, store.tracks(run.id));
    ASSIGN_OR_RETURN(auto all, store.captures(run.id));
    const auto captures = analysis::namedCaptures(std::move(all));
    ASSIGN_OR_RETURN(const auto airflow, store.airflow(run.id));
    ASSIGN_OR_RETURN(const auto sensors, analysis::probeSensors(store, series));
    ASSIGN_OR_RETURN(const auto iterations, store.iterations(run.id));
    ASSIGN_OR_RETURN(const auto phases, analysis::namedPhasesOf(store, tracks));
    const bool isGuessed = catalogue::isInferredName(run.gpuModel);
    return object({{"name", run.name}, {"kind", toString(run.kind)},
        {"status", toString(run.status)}, {"simulated", run.simulated},
        {"gpu_model", given(isGuessed ? std::string() : run.gpuModel)},
        {"gpu_model_inferred", when(isGuessed, run.gpuModel)}, {"gpu_count", run.gpuCount},
        {"node_count", run.nodeCount}, {"world_size", when(run.worldSize > 0, run.worldSize)},
        {"start_ns", run.range.begin.ns},
        {"duration_s", seconds(analysis::runDuration(series, tracks))},
        {"launch", launchJson(run.launch)}, {"gpus", listOf(gpus, gpuJson)},
        {"airflow", when(!airflow.empty(), airflow)}, {"metrics", metricsJson(series)},
        {"sensors", sensorsJson(sensors)}, {"tracks", listOf(tracks, trackJson)},
        {"host_only", when(isHostOnly(tracks), true)},
        {"captures", when(!captures.empty(), listOf(captures, captureJson))},
        {"iterations", iterations.size()},
        {"phases", when(!phases.empty(), listOf(phases, phaseJson))}});
}

Json sourceJson(const store::Source& source, const std::vector<Run>& runs) {
    Json names = Json::array();
    for (const RunId id : source.runs) {
        const auto found
            = std::find_if(runs.begin(), runs.end(), [id](const Run& run) { return run.id == id; });
        if (found != runs.end())
            names.push_back(found->name);
    }
    return {{"path", source.path}, {"size", source.size}, {"hash", source.hash}, {"runs", names},
        {"imported_at_ns", source.importedAt.ns}, {"report", reportJson(source.report)}};
}

} // namespace trainscope::cli
