#include "app/cli/output/InfoJson.h"

#include "app/cli/output/DetailOutput.h"
#include "app/cli/output/ReportJson.h"
#include "core/analysis/statistics/Summary.h"
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

Json gpusJson(const std::vector<Gpu>& gpus) {
    Json list = Json::array();
    for (const Gpu& gpu : gpus) {
        Json json{{"rank", gpu.rank}, {"node", gpu.node}, {"local", gpu.local}};
        if (!gpu.model.empty())
            json["model"] = gpu.model;
        if (!gpu.uuid.empty())
            json["uuid"] = gpu.uuid;
        list.push_back(std::move(json));
    }
    return list;
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
    Json json = Json::object();
    for (const auto& [name, count] : counts) {
        json[name] = {{"unit", count.metric->unit}, {"kind", toString(count.metric->kind)},
            {"series", count.series}, {"samples", count.samples}, {"missing", count.missing}};
    }
    return json;
}

Json tracksJson(const std::vector<Track>& tracks) {
    Json list = Json::array();
    for (const Track& track : tracks) {
        const auto& description = track.description;
        list.push_back({{"rank", description.rank}, {"device", description.device},
            {"kind", toString(description.kind)}, {"name", description.name},
            {"spans", track.count}});
    }
    return list;
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

} // namespace

Json launchJson(const LaunchConfig& launch) {
    Json json = Json::object();
    forEachLaunchField([&](const char* name, auto member) {
        const auto& value = launch.*member;
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::optional<Workload>>) {
            if (value)
                json[name] = toString(*value);
        } else {
            setIfPresent(json, shortName(name), value);
        }
    });
    if (!launch.origin.empty())
        json["origin"] = launch.origin;
    return json;
}

Result<Json> runInfoJson(const store::Store& store, const Run& run) {
    const auto gpus = store.gpus(run.id);
    if (!gpus.hasValue())
        return gpus.error();
    ASSIGN_OR_RETURN(const auto series, store.series(run.id));
    const auto tracks = store.tracks(run.id);
    if (!tracks.hasValue())
        return tracks.error();
    const auto airflow = store.airflow(run.id);
    if (!airflow.hasValue())
        return airflow.error();
    const auto sensors = analysis::probeSensors(store, series);
    if (!sensors.hasValue())
        return sensors.error();
    const auto iterations = store.iterations(run.id);
    if (!iterations.hasValue())
        return iterations.error();
    Json json{{"name", run.name}, {"kind", toString(run.kind)}, {"status", toString(run.status)},
        {"simulated", run.simulated}};
    if (!run.gpuModel.empty())
        json["gpu_model"] = run.gpuModel;
    json["gpu_count"] = run.gpuCount;
    json["node_count"] = run.nodeCount;
    if (run.worldSize > 0)
        json["world_size"] = run.worldSize;
    json["start_ns"] = run.range.begin.ns;
    json["duration_s"] = seconds(analysis::runDuration(series, tracks.value()));
    json["launch"] = launchJson(run.launch);
    json["gpus"] = gpusJson(gpus.value());
    if (!airflow.value().empty())
        json["airflow"] = airflow.value();
    json["metrics"] = metricsJson(series);
    json["sensors"] = sensorsJson(sensors.value());
    json["tracks"] = tracksJson(tracks.value());
    json["iterations"] = iterations.value().size();
    return json;
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
