#include "app/importing/ImportedRuns.h"

#include "core/analysis/statistics/Summary.h"
#include "core/model/Try.h"

namespace trainscope::app {

namespace {

Result<std::vector<text::Cell>> rowOf(
    const store::Store& store, const Run& run, std::int64_t files, const Progress& progress) {
    ASSIGN_OR_RETURN(const auto iterations, store.iterations(run.id));
    std::set<std::int64_t> steps; // each rank may mark its own
    for (const Iteration& iteration : iterations)
        steps.insert(iteration.index);
    ASSIGN_OR_RETURN(const auto summary,
        analysis::summarise(
            {store, run, progress}, {.metrics = {"gpu_power", "gpu_energy", "node_power"}}));
    const auto& energy = summary.energy ? summary.energy : summary.nodeEnergy;
    const DurationNs time = run.range.length();
    const auto counted = [](std::int64_t count, const char* noun) {
        return count > 0 ? text::counted(count, noun) : std::string(text::kMissing);
    };
    return std::vector<text::Cell>{run.name, counted(std::ssize(steps), "step"),
        counted(run.gpuCount, "GPU"),
        time.ns > 1 ? text::duration(time) : std::string(text::kMissing), // else one moment
        energy ? text::quantity(energy->joules, "J") : std::string(text::kMissing),
        text::counted(files, "file")};
}

} // namespace

Result<text::Table> importedRuns(const std::vector<UnitOutcome>& outcomes,
    const std::filesystem::path& database, const Progress& progress) {
    text::Table table{.columns
        = {{"run", text::Align::Left}, {"steps"}, {"GPUs"}, {"time"}, {"energy"}, {"from"}}};
    std::vector<std::string> runs;
    std::map<std::string, std::int64_t> files;
    for (const UnitOutcome& outcome : outcomes) {
        for (const std::string& name : outcome.runs) {
            if (!files.contains(name))
                runs.push_back(name);
            files[name] += std::max<std::int64_t>(std::ssize(outcome.unit.files), 1);
        }
    }
    if (runs.empty())
        return table;
    ASSIGN_OR_RETURN(const auto store, store::Store::open(database, store::OpenMode::ReadOnly));
    for (const std::string& name : runs) {
        const auto run = store.findRun(name);
        if (!run.hasValue() && run.error().code == ErrorCode::NotFound)
            continue; // its user has given it another name
        if (!run.hasValue())
            return run.error();
        ASSIGN_OR_RETURN(auto row, rowOf(store, run.value(), files[name], progress));
        table.add(std::move(row));
    }
    return table;
}

} // namespace trainscope::app
