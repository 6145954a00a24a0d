#include "app/importing/DescribedRuns.h"

#include "core/analysis/telemetry/Temperature.h"
#include "core/catalogue/GpuModel.h"
#include "core/layout/Topology.h"
#include "core/model/Try.h"
#include "core/store/Writing.h"

#include <fmt/format.h>

namespace trainscope::app {

namespace {

using importers::ImportUnit;

// `wanted`: the run that was asked for; empty: none was named.
Error noSuchRun(const ImportUnit& unit, const std::string& wanted, const std::string& known,
    std::size_t count) {
    const std::string runs = " The runs are: " + known + ".";
    std::string text = "This topology describes the machine of a run, and the database has "
        + (count == 0 ? std::string("no run yet. Import it together with the run's telemetry or "
                                    "traces, or after them.")
                      : std::to_string(count)
                    + ": say of which one (in the import sheet, or with --name), or lay it beside "
                      "that run's files."
                    + runs);
    if (!wanted.empty())
        text = "This topology describes the machine of run \"" + wanted
            + "\", which the database does not have."
            + (count == 0 ? " It has no runs: import that run first, or together with it." : runs);
    return {ErrorCode::NotFound, std::move(text), unit.path};
}

struct KnownRun {
    RunId id;
    std::string name;
    std::string imported; // the name that it was imported under, which imports find it by
};

std::string listed(const std::vector<KnownRun>& runs) {
    constexpr std::size_t kMost = 8;
    std::vector<std::string> names;
    for (const KnownRun& run : runs)
        names.push_back(run.name);
    return importers::listNames(names, kMost);
}

Result<std::vector<KnownRun>> knownRuns(const store::Store& store) {
    std::vector<KnownRun> runs;
    const Status status = store.query("SELECT id, name, imported_name FROM run ORDER BY id", {},
        [&runs](const std::vector<store::SqlValue>& row) {
            runs.push_back({{row[0].integer}, row[1].text, row[2].text});
            return true;
        });
    if (!status.hasValue())
        return status.error();
    return runs;
}

const KnownRun* find(const std::vector<KnownRun>& runs, const std::string& name) {
    for (const auto member : {&KnownRun::imported, &KnownRun::name}) {
        for (const KnownRun& run : runs) {
            if (run.*member == name)
                return &run;
        }
    }
    return nullptr;
}

// Names that the user gave must be there; of those beside it, some may have been left out.
Result<std::vector<KnownRun>> wantedRuns(
    const ImportUnit& unit, const std::vector<KnownRun>& runs) {
    std::vector<std::string> names{unit.runName};
    if (unit.runName.empty())
        names = unit.machine->runs;
    if (names.empty() && runs.size() == 1)
        return runs;
    if (names.empty())
        return noSuchRun(unit, {}, listed(runs), runs.size());
    std::vector<KnownRun> wanted;
    for (const std::string& name : names) {
        if (const KnownRun* run = find(runs, name))
            wanted.push_back(*run);
    }
    if (wanted.empty())
        return noSuchRun(unit, names.front(), listed(runs), runs.size());
    return wanted;
}

// Replaces the known facts of a run's machine with those that `change` makes of them.
template <typename Change>
Status changeMachine(store::Store& store, RunId run, const Change& change) {
    ASSIGN_OR_RETURN(const auto known, store.machine(run));
    layout::MachineFacts facts;
    if (known) {
        ASSIGN_OR_RETURN(auto said, layout::machineFromJson(*known));
        facts = std::move(said);
    }
    change(facts);
    return store::setMachine(
        store, run, facts.isEmpty() ? std::nullopt : std::optional(layout::machineToJson(facts)));
}

// Runs of which the same is to be said, in one line each.
using Remarks = std::map<std::string, std::vector<std::string>>;

std::vector<std::string> linesOf(const Remarks& remarks) {
    std::vector<std::string> lines;
    for (const auto& [text, names] : remarks)
        lines.push_back(importers::listNames(names) + ": " + text);
    return lines;
}

} // namespace

layout::MachineFit fitOf(const importers::MachineUnit& machine, const std::vector<Gpu>& gpus) {
    for (const Gpu& gpu : gpus) {
        const auto vendor = catalogue::vendorOf(gpu.model);
        if (catalogue::areOther(vendor, machine.vendor))
            return {true,
                fmt::format("its GPUs are {}'s, those of the topology {}'s.", toString(vendor),
                    toString(machine.vendor))};
    }
    return layout::machineFit(machine.gpus, gpus);
}

namespace {

// A topology that lies elsewhere is taken for a run's only where it has as many GPUs.
layout::MachineFit fitOfUnit(const ImportUnit& unit, const std::vector<Gpu>& gpus) {
    auto fit = fitOf(*unit.machine, gpus);
    const bool isGuess
        = unit.runName.empty() && (unit.machine->runs.empty() || unit.machine->isFromElsewhere);
    std::map<int, int> perNode;
    for (const Gpu& gpu : gpus)
        ++perNode[gpu.node];
    const bool isOther = std::ranges::any_of(perNode, [&unit](const auto& node) {
        return node.second != static_cast<int>(unit.machine->gpus.size());
    });
    if (isGuess && !fit.isRefused && isOther)
        return {true,
            fmt::format("its nodes have {} GPU{}, the topology has {}, and it does not lie beside "
                        "that run's files. Say with --name, or in the import sheet, that it is of "
                        "this run.",
                perNode.begin()->second, perNode.begin()->second == 1 ? "" : "s",
                unit.machine->gpus.size())};
    return fit;
}

} // namespace

Result<DescribedRuns> describedRuns(const store::Store& store, const ImportUnit& unit) {
    ASSIGN_OR_RETURN(const auto runs, knownRuns(store));
    ASSIGN_OR_RETURN(const auto wanted, wantedRuns(unit, runs));
    DescribedRuns described;
    Remarks remarks;
    Remarks misfits;
    for (const KnownRun& run : wanted) {
        ASSIGN_OR_RETURN(const auto gpus, store.gpus(run.id));
        const auto fit = fitOfUnit(unit, gpus);
        if (!fit.isRefused)
            described.names.push_back(run.name);
        if (!fit.text.empty())
            (fit.isRefused ? misfits : remarks)[fit.text].push_back(run.name);
    }
    if (described.names.empty())
        return Error{ErrorCode::Usage, linesOf(misfits).front(), unit.path};
    remarks.merge(misfits);
    described.warnings = linesOf(remarks);
    return described;
}

Status describeRuns(
    store::Store& store, const std::vector<std::string>& names, const std::string& facts) {
    ASSIGN_OR_RETURN(const auto said, layout::machineFromJson(facts));
    ASSIGN_OR_RETURN(const auto runs, knownRuns(store));
    for (const std::string& name : names) {
        const KnownRun* run = find(runs, name);
        if (run == nullptr)
            continue;
        RETURN_IF_ERROR(changeMachine(store, run->id, [&said](layout::MachineFacts& machine) {
            machine.topology = said.topology;
            machine.topologyFrom = said.topologyFrom;
        }));
    }
    return {};
}

Status sayGpuModel(store::Store& store, RunId run, const std::string& model) {
    return changeMachine(
        store, run, [&model](layout::MachineFacts& machine) { machine.gpuModel = model; });
}

Status sayMachine(store::Store& store, const std::string& name, const std::string& model,
    const std::vector<int>& airflow) {
    ASSIGN_OR_RETURN(const auto runs, knownRuns(store));
    const KnownRun* run = find(runs, name);
    if (run == nullptr)
        return Error{ErrorCode::NotFound, "There is no run named \"" + name + "\".", {}};
    if (!model.empty())
        RETURN_IF_ERROR(sayGpuModel(store, run->id, model));
    if (airflow.empty())
        return {};
    ASSIGN_OR_RETURN(const auto gpus, store.gpus(run->id));
    RETURN_IF_ERROR(analysis::checkAirflow(airflow, gpus));
    return store::setAirflow(store, run->id, airflow);
}

} // namespace trainscope::app
