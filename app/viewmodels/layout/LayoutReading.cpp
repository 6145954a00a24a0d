#include "app/viewmodels/layout/LayoutReading.h"

#include "core/analysis/machine/RunMachine.h"
#include "core/catalogue/GpuGuess.h"
#include "core/figures/layout/LayoutFigure.h"
#include "core/figures/runs/RunFigures.h"
#include "core/model/Try.h"
#include "core/store/RunNotes.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace trainscope::app {
namespace {

Status readKnown(const analysis::RunStudy& study, LayoutReading& reading) {
    auto known = analysis::runLayout(study);
    if (known.hasValue()) {
        reading.known = std::move(known).value();
        return {};
    }
    if (known.error().code != ErrorCode::NotFound)
        return known.error();
    reading.missing = known.error().message;
    return {};
}

// The runs of which the same can be said.
Status readOthers(const store::Store& store, const Run& run, MachineFormFacts& machine) {
    ASSIGN_OR_RETURN(const auto runs, store.runs());
    for (const Run& other : runs) {
        const bool isAlike = other.id != run.id && other.kind == RunKind::Measured
            && other.gpuModel == run.gpuModel && other.gpuCount > 0
            && other.gpuCount * run.nodeCount == run.gpuCount * other.nodeCount;
        if (!isAlike)
            continue;
        ASSIGN_OR_RETURN(const auto gpus, store.gpus(other.id));
        if (analysis::checkAirflow(machine.ascending, gpus).hasValue())
            machine.others.push_back(other.id);
    }
    return {};
}

Status readMachine(const analysis::RunStudy& study, MachineFormFacts& machine) {
    const Run& run = study.run;
    ASSIGN_OR_RETURN(const auto gpus, study.store.gpus(run.id));
    std::set<int> locals;
    for (const Gpu& gpu : gpus)
        locals.insert(gpu.local);
    machine.ascending.assign(locals.begin(), locals.end());
    ASSIGN_OR_RETURN(machine.air, analysis::airflowOf(study));
    ASSIGN_OR_RETURN(machine.inferred, analysis::inferredAirflow(study));
    ASSIGN_OR_RETURN(const auto said, analysis::machineOf(study));
    machine.gpuModel = said.gpuModel;
    machine.gpuHint = said.gpuModel.empty() ? run.gpuModel : std::string();
    ASSIGN_OR_RETURN(const auto guess, store::gpuGuessOf(study.store, run));
    if (guess)
        machine.gpuEvidence = guess->evidence;
    return readOthers(study.store, run, machine);
}

Status readSchedule(const analysis::RunStudy& study, bool withTraces, LayoutReading& reading) {
    const auto& layout = reading.figure.layout;
    if (!layout || layout->grid.degrees().pipeline < 2)
        return {};
    plot::ScheduleQuery query;
    query.run = reading.run.id;
    query.plannedOnly = !withTraces;
    ASSIGN_OR_RETURN(auto schedule, figures::loadSchedule(study.store, query, study.progress));
    reading.schedule = std::move(schedule);
    if (!withTraces)
        return {};
    ASSIGN_OR_RETURN(reading.iterations, analysis::tracedIterations(study));
    return {};
}

Status readNccl(const store::Store& store, LayoutReading& reading) {
    const std::array<std::pair<const char*, QString>, 5> shown{
        std::pair{"NCCL version", QStringLiteral("Version")},
        std::pair{"network", QStringLiteral("Network")},
        std::pair{"network provider", QStringLiteral("Provider")},
        std::pair{"rings", QStringLiteral("Rings")}, std::pair{"trees", QStringLiteral("Trees")}};
    ASSIGN_OR_RETURN(const auto sources, store.sources());
    for (const store::Source& source : sources) {
        const bool isOfRun = std::ranges::find(source.runs, reading.run.id) != source.runs.end();
        if (!isOfRun || !source.report.importer.starts_with("nccl "))
            continue;
        reading.nccl.push_back({QStringLiteral("NCCL's log"), {}, true});
        for (const auto& [key, label] : shown) {
            const auto fact = source.report.facts.find(key);
            if (fact != source.report.facts.end())
                reading.nccl.push_back({label, QString::fromStdString(fact->second)});
        }
        return {};
    }
    return {};
}

// GPUs are coloured by what was recorded of GPUs.
Status readMetrics(const store::Store& store, LayoutReading& reading) {
    ASSIGN_OR_RETURN(reading.metrics, figures::figureMetrics(store, {reading.run.id}));
    ASSIGN_OR_RETURN(const auto series, store.series(reading.run.id));
    std::erase_if(reading.metrics, [&series](const plot::FigureChoice& choice) {
        return std::ranges::none_of(series, [&choice](const Series& one) {
            return one.description.subject.kind == SubjectKind::Gpu
                && one.description.metric.name == choice.key;
        });
    });
    return {};
}

Status readPlacement(const analysis::RunStudy& study, LayoutReading& reading) {
    auto placement = analysis::proposePlacement(study);
    if (placement.hasValue())
        reading.placement = std::move(placement).value();
    else if (placement.error().code == ErrorCode::NotFound)
        reading.placementMissing = placement.error().message;
    else
        return placement.error();
    return {};
}

} // namespace

Result<LayoutReadingPtr> readLayout(
    const analysis::RunStudy& study, const plot::ColourQuery& colours, bool withTraces) {
    auto reading = std::make_shared<LayoutReading>();
    reading->run = study.run;
    RETURN_IF_ERROR(readKnown(study, *reading));
    RETURN_IF_ERROR(readMachine(study, reading->machine));
    RETURN_IF_ERROR(readNccl(study.store, *reading));
    RETURN_IF_ERROR(readMetrics(study.store, *reading));
    plot::LayoutQuery query;
    query.colours = colours;
    query.bytes = withTraces;
    const bool needsLayout
        = colours.by != plot::RankColour::Value && colours.by != plot::RankColour::Node;
    if (!reading->known && needsLayout)
        query.colours.by = plot::RankColour::Node;
    fitMetric(reading->metrics, query.colours.metric, query.colours.statistic);
    auto figure = figures::loadLayoutFigure(study, query);
    // A metric that this run does not have is no reason to show nothing.
    if (!figure.hasValue() && figure.error().code == ErrorCode::NotFound
        && query.colours.by == plot::RankColour::Value) {
        query.colours.by = plot::RankColour::Node;
        figure = figures::loadLayoutFigure(study, query);
    }
    if (!figure.hasValue())
        return figure.error();
    reading->figure = std::move(figure).value();
    reading->hasTraces = withTraces;
    RETURN_IF_ERROR(readSchedule(study, withTraces, *reading));
    if (withTraces && reading->figure.layout) {
        RETURN_IF_ERROR(readPlacement(study, *reading));
    }
    return LayoutReadingPtr(std::move(reading));
}

} // namespace trainscope::app
