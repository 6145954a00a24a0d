#include "app/cli/commands/Command.h"
#include "app/cli/output/RunOutput.h"
#include "core/analysis/iterations/AnnotatedIterations.h"
#include "core/analysis/statistics/Summary.h"
#include "core/analysis/traces/CaptureIterations.h"
#include "core/catalogue/GpuGuess.h"
#include "core/report/RunTables.h"

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

Row captureRow(const Capture& capture, TimeNs start) {
    return {{"name", {"capture", Left}, capture.name}, {"rank", {"rank"}, capture.rank},
        {"start_ns", capture.range.begin, {"since the start"}, capture.range.begin - start},
        {"duration_s", {"duration"}, capture.range.length()}};
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
    const auto captureOf = [&run](const Capture& one) { return captureRow(one, run.range.begin); };
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
        {"captures", when(!captures.empty(), rowsJson(captures, captureOf))},
        {"iterations", iterations.size()},
        {"phases", when(!phases.empty(), listOf(phases, phaseJson))}});
}

Json sourceJson(const store::Source& source, const std::vector<Run>& runs) {
    Json names = Json::array();
    for (const RunId id : source.runs) {
        const auto found = std::ranges::find(runs, id, &Run::id);
        if (found != runs.end())
            names.push_back(found->name);
    }
    return {{"path", source.path}, {"size", source.size}, {"hash", source.hash}, {"runs", names},
        {"imported_at_ns", source.importedAt.ns}, {"report", reportJson(source.report)}};
}

void printText(const store::Store& store, const std::vector<Run>& runs,
    const std::vector<store::Source>& sources, std::ostream& out) {
    out << store.path().string() << ": "
        << text::counted(static_cast<std::int64_t>(runs.size()), "run") << '\n';
    if (!runs.empty())
        printTable(out, titled("", report::runTable(runs, wallClock())), "");
    if (sources.empty() || text::compactRows(out) > 0)
        return;
    out << "\nSources\n";
    for (const auto& source : sources) {
        out << source.path << "\n  " << report::readText(source.report) << '\n';
        // Facts of NCCL logs are of the machine; other sources state facts of their files.
        if (!source.report.importer.starts_with("nccl"))
            continue;
        for (const auto& [fact, text] : source.report.facts)
            out << "  " << fact << ": " << text << '\n';
    }
}

// Prints captures of runs in which a rank has several; one that is all of its rank's trace needs no
// name.
void printCaptures(const Run& run, const std::vector<Capture>& captures, std::ostream& out) {
    const bool hasSeveral = std::adjacent_find(captures.begin(), captures.end(),
                                [](const Capture& a, const Capture& b) { return a.rank == b.rank; })
        != captures.end();
    if (!hasSeveral)
        return;
    const auto rowOf = [&run](const Capture& one) { return captureRow(one, run.range.begin); };
    printBelow(out, titled("Captures of " + run.name, tableOf(captures, rowOf)), "");
}

// Runs whose traces have no device: "only the host was traced: 3 threads of rank 34, 16 spans".
void printHostTraces(const Run& run, const std::vector<Track>& tracks, std::ostream& out) {
    std::set<int> ranks;
    std::int64_t threads = 0;
    std::int64_t spans = 0;
    for (const Track& track : tracks) {
        if (track.count > 0 && track.description.kind == TrackKind::Stream)
            return;
        if (track.count == 0 || track.description.kind != TrackKind::Thread)
            continue;
        ranks.insert(track.description.rank);
        ++threads;
        spans += track.count;
    }
    if (threads == 0)
        return;
    out << '\n'
        << run.name << ": only the host was traced, " << text::counted(threads, "thread") << " of "
        << (ranks.size() == 1 ? "rank " + std::to_string(*ranks.begin())
                              : text::counted(std::ssize(ranks), "rank"))
        << ", " << text::counted(spans, "span") << "; operators tells their self time\n";
}

void printComparisons(const std::vector<store::SavedComparison>& saved, std::ostream& out) {
    if (saved.empty())
        return;
    out << "\nSaved comparisons\n";
    for (const auto& one : saved)
        out << one.name << "  (changed " << text::moment(one.changedAt) << ")\n";
}

Outcome printInfo(
    const DatabaseOptions& options, const Console& console, const store::Store& store) {
    ASSIGN_OR_RETURN(const auto runs, store.runs());
    ASSIGN_OR_RETURN(const auto sources, store.sources());
    ASSIGN_OR_RETURN(const auto comparisons, store.comparisons());
    std::vector<std::vector<Capture>> captures; // by run
    std::vector<std::vector<Track>> tracks; // the same
    for (const Run& run : runs) {
        ASSIGN_OR_RETURN(auto own, store.captures(run.id));
        captures.push_back(std::move(own));
        ASSIGN_OR_RETURN(tracks.emplace_back(), store.tracks(run.id));
    }
    std::vector<Json> infos;
    for (std::size_t i = 0; options.json && i < runs.size(); ++i) {
        ASSIGN_OR_RETURN(auto info, runInfoJson(store, runs[i]));
        infos.push_back(std::move(info));
    }
    const auto comparisonJson = [](const store::SavedComparison& one) {
        return Json{
            {"name", one.name}, {"created_ns", one.createdAt.ns}, {"changed_ns", one.changedAt.ns}};
    };
    return show(
        console, options.json,
        [&] {
            return Json{{"path", store.path().string()}, {"uuid", store.uuid()}, {"runs", infos},
                {"sources",
                    listOf(sources, [&](const auto& one) { return sourceJson(one, runs); })},
                {"comparisons", listOf(comparisons, comparisonJson)}};
        },
        [&](std::ostream& out) {
            printText(store, runs, sources, out);
            for (std::size_t i = 0; i < runs.size(); ++i) {
                printHostTraces(runs[i], tracks[i], out);
                printCaptures(runs[i], captures[i], out);
            }
            printComparisons(comparisons, out);
        });
}

} // namespace

void addInfoCommand(CLI::App& app, CommandContext& context) {
    const auto [command, options] = addCommand<DatabaseOptions>(
        app, "info", "List the runs, layouts and sources of a database");
    addJson(*command, options->json);
    runsOnDatabase(*command, context, options, printInfo);
}

} // namespace trainscope::cli
