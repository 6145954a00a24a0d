#include "app/importing/ImportRunner.h"

#include "app/importing/DescribedRuns.h"
#include "app/importing/OtherTimes.h"
#include "app/importing/ProgressFunnel.h"
#include "app/importing/SaidGpuSink.h"
#include "core/analysis/iterations/LogOffset.h"
#include "core/analysis/iterations/LogPlacement.h"
#include "core/analysis/operators/KeptTraces.h"
#include "core/analysis/traces/TraceSums.h"
#include "core/model/Try.h"
#include "core/store/MachineGuess.h"
#include "core/store/NewDatabase.h"
#include "core/store/Store.h"
#include "core/store/Writing.h"
#include "importers/launch/LaunchFiles.h"
#include "importers/registry/HashingTree.h"
#include "importers/registry/MachineEvidence.h"

#include <algorithm>
#include <exception>
#include <numeric>
#include <set>
#include <string>

namespace trainscope::app {

namespace {

using importers::ImportUnit;

Error defect(const ImportUnit& unit, std::string_view what) {
    return {ErrorCode::Unreadable,
        "The file could not be read (" + std::string(what) + "); nothing of it was kept.",
        unit.path};
}

// Sources are known by their paths: two that read one file are two.
std::string sourcePath(const importers::SourceTree& tree, const ImportUnit& unit) {
    return tree.displayPath(unit.path) + (unit.part.empty() ? "" : " (" + unit.part + ")");
}

// True when going on with the next unit makes no sense.
bool isOfDatabase(const Error& error) {
    return error.code == ErrorCode::Io || error.code == ErrorCode::Refused;
}

class UnitRunner {
public:
    UnitRunner(store::Store& store, const importers::SourceTree& tree, ImportUnit unit,
        ProgressFunnel& funnel)
        : m_store(store)
        , m_tree(tree)
        , m_unit(std::move(unit))
        , m_progress([&funnel](const ProgressState& state) { return funnel.report(state); }) { }

    Result<ImportReport> run() {
        const importers::Importer* importer = importers::findImporter(m_unit.importer);
        if (importer == nullptr) {
            return Error{ErrorCode::Usage,
                "There is no importer \"" + m_unit.importer + "\" in this version.", m_unit.path};
        }
        if (m_unit.machine) {
            ASSIGN_OR_RETURN(auto described, describedRuns(m_store, m_unit));
            m_unit.runName.clear();
            m_unit.machine->runs = std::move(described.names);
            m_remarks = std::move(described.warnings);
        }
        RETURN_IF_ERROR(place(*importer));
        auto session = store::beginImport(
            m_store, {sourcePath(m_tree, m_unit), m_unit.bytes, {}, m_unit.runName});
        if (!session.hasValue())
            return session.error();
        try {
            return importWith(*importer, *session.value());
        } catch (const std::bad_alloc&) {
            return defect(m_unit, "there is not enough memory");
        } catch (const std::exception& problem) {
            return defect(m_unit, problem.what());
        }
    }

    // With the runs that it was found to describe.
    [[nodiscard]] const ImportUnit& unit() const { return m_unit; }

private:
    Result<ImportReport> importWith(
        const importers::Importer& importer, store::ImportSession& session) {
        OtherTimes times(m_store);
        SaidGpuSink sink(session, m_unit.saidGpuModel, m_unit.place, times);
        auto kept = importers::importKept(m_tree, m_unit, sink, m_progress);
        auto report = kept ? *std::move(kept) : importer.import(m_tree, m_unit, sink, m_progress);
        if (!report.hasValue())
            return report;
        RETURN_IF_ERROR(addLaunch(session));
        if (m_unit.machine && importer.machineFacts != nullptr) {
            ASSIGN_OR_RETURN(const auto facts, importer.machineFacts(m_tree, m_unit));
            RETURN_IF_ERROR(describeRuns(m_store, m_unit.machine->runs, facts));
        }
        if (!m_unit.gpuBeside.empty())
            report.value().facts[std::string(store::kGpuBesideFact)]
                = m_unit.gpuBeside + std::string(store::kInFile) + m_unit.gpuBesideFile;
        if (auto warning = times.warning(sourcePath(m_tree, m_unit)))
            m_remarks.push_back(*std::move(warning));
        for (const std::string& remark : m_remarks)
            report.value().warn(m_tree.displayPath(m_unit.path), 0, remark);
        auto hash = m_tree.hashOf(m_unit, m_progress);
        if (!hash.hasValue() && hash.error().code == ErrorCode::Cancelled)
            return hash.error();
        // Unreadable rests (a file cut short by its disk) leave a source without hash, not without
        // data.
        std::string text = hash.valueOr(std::string());
        if (!text.empty() && !m_unit.part.empty())
            text += " " + m_unit.part;
        RETURN_IF_ERROR(session.finish(report.value(), text, m_unit.bytes, m_progress));
        return report;
    }

    // A source without dates, or without a zone, in the telemetry of its run, unless the user said
    // where. Without power there is nothing to look in.
    Status place(const importers::Importer& importer) {
        const bool isZoneless
            = m_unit.clock == importers::ClockKind::Local && !m_unit.utcOffsetSeconds;
        const bool isDateless = m_unit.clock == importers::ClockKind::None && !m_unit.placement;
        if (importer.work == nullptr || (!isZoneless && !isDateless))
            return {};
        if (isDateless && m_unit.saidStart) {
            m_unit.placement.emplace();
            m_unit.placement->start = *m_unit.saidStart;
            m_unit.placement->isSaid = true;
            return {};
        }
        const auto run = m_store.findRun(m_unit.runName);
        if (!run.hasValue())
            return {}; // the unit makes it
        return isZoneless ? findZone(importer, run.value()) : findStart(importer, run.value());
    }

    Status findZone(const importers::Importer& importer, const Run& run) {
        const auto power = analysis::powerSignal(m_store, run, m_progress);
        if (!power.hasValue())
            return power.error().code == ErrorCode::NotFound ? Status() : power.error();
        ASSIGN_OR_RETURN(const auto work, importer.work(m_tree, m_unit, m_progress));
        const auto offset = analysis::fitOffset(work, power.value().signal);
        if (offset.hasValue()) {
            m_unit.utcOffsetSeconds = offset.value().seconds;
            m_unit.foundOffset = offset.value();
        } else {
            m_remarks.push_back(
                "Its time zone is not known, and taken as UTC: " + offset.error().message);
        }
        return {};
    }

    Status findStart(const importers::Importer& importer, const Run& run) {
        ASSIGN_OR_RETURN(const auto work, importer.work(m_tree, m_unit, m_progress));
        auto placement = analysis::placeLog(m_store, run, work, m_progress);
        if (placement.hasValue())
            m_unit.placement = std::move(placement).value();
        else if (placement.error().code == ErrorCode::Cancelled)
            return placement.error();
        else if (analysis::powerSignal(m_store, run, m_progress).hasValue())
            m_remarks.push_back("Not placed in the telemetry: " + placement.error().message);
        return {};
    }

    // Adds to the unit's run the launch that the files beside it state.
    Status addLaunch(Sink& sink) const {
        if (m_unit.launchFiles.empty())
            return {};
        Run run;
        run.name = m_unit.runName;
        run.launch = importers::launch::readLaunchFiles(m_tree, m_unit.launchFiles);
        const auto id = sink.run(run);
        return id.hasValue() ? Status() : Status(id.error());
    }

    store::Store& m_store;
    importers::HashingTree m_tree;
    ImportUnit m_unit;
    std::vector<std::string> m_remarks; // for the report
    Progress m_progress;
};

// Units that are placed by the telemetry of their run come behind it, and what reads a part of
// another's file behind that.
std::vector<std::size_t> orderOf(const std::vector<ImportUnit>& units) {
    std::vector<std::size_t> order(units.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto turnOf = [&units](std::size_t i) {
        const importers::Importer* importer = importers::findImporter(units[i].importer);
        const bool isPlaced = units[i].clock != importers::ClockKind::Utc && importer != nullptr
            && importer->work != nullptr;
        return !units[i].part.empty() ? 2 : isPlaced ? 1 : 0;
    };
    std::stable_sort(order.begin(), order.end(),
        [&turnOf](std::size_t a, std::size_t b) { return turnOf(a) < turnOf(b); });
    return order;
}

// The call trees of long traces are made once these are whole; where that fails or is stopped,
// whoever needs them reads the traces.
void keepCallTrees(
    store::Store& store, const std::vector<UnitOutcome>& outcomes, ProgressFunnel& funnel) {
    std::set<std::string> names;
    for (const UnitOutcome& outcome : outcomes) {
        if (outcome.report && outcome.report->spans > 0)
            names.insert(outcome.unit.runName);
    }
    const Progress progress
        = [&funnel](const ProgressState& state) { return funnel.report(state); };
    for (const std::string& name : names) {
        const auto run = store.findRun(name);
        if (!run.hasValue() || funnel.isCancelled())
            continue;
        const auto lacking = analysis::lackingSums(store, run.value());
        if (lacking.hasValue() && lacking.value() == analysis::LackingSums::All)
            static_cast<void>(analysis::keepCallTrees(store, run.value(), progress));
    }
}

} // namespace

Result<std::vector<UnitOutcome>> runImport(const importers::SourceTree& tree,
    const importers::ImportPlan& plan, const std::filesystem::path& database,
    const ImportListener& listener) {
    const store::NewDatabase made(database);
    ASSIGN_OR_RETURN(auto store, store::Store::openOrCreate(database));
    std::vector<UnitOutcome> outcomes;
    ProgressFunnel funnel(plan, listener);
    for (const std::size_t i : orderOf(plan.units)) {
        const ImportUnit& unit = plan.units[i];
        if (!unit.enabled)
            continue;
        funnel.beginUnit(i);
        UnitRunner runner(store, tree, unit, funnel);
        auto report = funnel.isCancelled() ? Result<ImportReport>(cancelled()) : runner.run();
        funnel.endUnit();
        UnitOutcome outcome{runner.unit(), std::nullopt, std::nullopt};
        if (report.hasValue())
            outcome.report = std::move(report).value();
        else
            outcome.error = report.error();
        outcomes.push_back(std::move(outcome));
        const auto& error = outcomes.back().error;
        if (error && (error->code == ErrorCode::Cancelled || isOfDatabase(*error)))
            break;
    }
    keepCallTrees(store, outcomes, funnel);
    return outcomes;
}

} // namespace trainscope::app
