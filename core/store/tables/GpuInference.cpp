#include "core/store/tables/GpuInference.h"

#include "core/catalogue/GpuGuess.h"
#include "core/model/Metric.h"
#include "core/model/Try.h"
#include "core/store/Connection.h"
#include "core/store/MachineGuess.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

namespace trainscope::store {

namespace {

constexpr int kNamedFolders = 2; // above a file; those further up are of the computer

using TracesByRun = std::map<std::int64_t, catalogue::GpuTraces>;

std::string listOf(const TracesByRun& traces) {
    std::string list;
    for (const auto& [run, unused] : traces)
        list += (list.empty() ? "" : ",") + std::to_string(run);
    return list;
}

Status readReached(Database& database, TracesByRun& traces) {
    return database.forEach(
        "SELECT run, metric, max(max) FROM series WHERE subject='gpu' AND count>missing"
        " AND metric IN ('mem_total', 'mem_used', 'sm_clock', 'gpu_power')"
        " AND run IN ("
            + listOf(traces) + ") GROUP BY run, metric",
        [&traces](const Row& row) {
            const auto found = traces.find(row.integer(0));
            if (found == traces.end())
                return;
            const std::string_view name = row.text(1);
            auto& into = name == metric::kMemTotal ? found->second.memoryTotalBytes
                : name == metric::kMemUsed         ? found->second.memoryUsedBytes
                : name == metric::kSmClock         ? found->second.topClockHz
                                                   : found->second.peakPowerW;
            into = row.real(2);
        });
}

struct SourceOfRun {
    std::int64_t run = 0;
    std::filesystem::path path;
    std::string recorded; // model of the run
    std::string beside; // device that another file names, and the file
};

void takePath(const std::filesystem::path& path, catalogue::GpuTraces& traces) {
    std::filesystem::path part = path;
    for (int i = 0; i <= kNamedFolders && part.has_filename(); ++i) {
        traces.names.push_back(part.filename().string());
        part = part.parent_path();
    }
}

Status readNamed(Database& database, TracesByRun& traces) {
    std::vector<SourceOfRun> sources;
    RETURN_IF_ERROR(database.forEach("SELECT source_run.run, source.path, run.gpu_model,"
                                     " CASE WHEN run.gpu_model='' AND json_valid(source.report)"
                                     " THEN json_extract(source.report, '$.facts."
            + std::string(kGpuBesideFact)
            + "') END FROM source_run"
              " JOIN source ON source.id=source_run.source JOIN run ON run.id=source_run.run",
        [&sources](const Row& row) {
            sources.push_back({row.integer(0), row.string(1), row.string(2), row.string(3)});
        }));
    std::map<std::filesystem::path, std::string> recorded; // by folder; empty: of several models
    for (const SourceOfRun& one : sources) {
        if (one.recorded.empty())
            continue;
        const auto [entry, isNew] = recorded.emplace(one.path.parent_path(), one.recorded);
        if (!isNew && entry->second != one.recorded)
            entry->second.clear();
    }
    for (const SourceOfRun& one : sources) {
        const auto found = traces.find(one.run);
        if (found == traces.end())
            continue;
        takePath(one.path, found->second);
        if (const auto at = one.beside.rfind(kInFile); at != std::string::npos)
            found->second.beside.push_back(
                {one.beside.substr(0, at), one.beside.substr(at + kInFile.size())});
        const auto beside = recorded.find(one.path.parent_path());
        if (beside != recorded.end() && !beside->second.empty())
            found->second.neighbours.push_back(beside->second);
    }
    return {};
}

catalogue::GpuTraces tracesOfName(const Run& run) {
    catalogue::GpuTraces traces;
    traces.names.push_back(run.name);
    return traces;
}

Status readTraces(Database& database, TracesByRun& traces) {
    if (traces.empty())
        return {};
    RETURN_IF_ERROR(readReached(database, traces));
    return readNamed(database, traces);
}

} // namespace

Status inferGpuModels(Database& database, std::vector<Run>& runs) {
    TracesByRun traces;
    for (const Run& run : runs) {
        if (run.gpuModel.empty() && run.kind == RunKind::Measured && run.gpuCount > 0)
            traces.emplace(run.id.value, tracesOfName(run));
    }
    RETURN_IF_ERROR(readTraces(database, traces));
    for (Run& run : runs) {
        const auto found = traces.find(run.id.value);
        if (found == traces.end())
            continue;
        if (const auto guess = catalogue::guessGpuModel(found->second))
            run.gpuModel = catalogue::inferredName(*guess->model);
    }
    return {};
}

Result<std::optional<catalogue::GpuGuess>> guessGpuModel(Database& database, const Run& run) {
    TracesByRun traces{{run.id.value, tracesOfName(run)}};
    RETURN_IF_ERROR(readTraces(database, traces));
    return catalogue::guessGpuModel(traces.begin()->second);
}

Result<std::optional<catalogue::GpuGuess>> gpuGuessOf(const Store& store, const Run& run) {
    if (!catalogue::isInferredName(run.gpuModel))
        return std::optional<catalogue::GpuGuess>();
    return store.connection().call(guessGpuModel, run);
}

} // namespace trainscope::store
