#include "app/cli/commands/ImportJob.h"

#include "app/cli/commands/ImportClock.h"
#include "app/cli/console/ProgressLine.h"
#include "app/cli/options/SourceList.h"
#include "app/importing/RunsThere.h"
#include "core/model/Try.h"
#include "core/store/Merge.h"
#include "core/store/NewDatabase.h"
#include "core/store/Store.h"
#include "core/store/database/StoreFile.h"
#include "importers/common/SaidColumns.h"
#include "importers/registry/Registry.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <set>
#include <utility>

namespace trainscope::cli {

namespace {

using importers::ImportPlan;
using importers::SourceTree;
using NameOf = std::function<std::string(const Run&)>;

constexpr const char* kMerging = "run database";

Status checkFormat(const std::string& format) {
    if (format.empty() || importers::findImporter(format) != nullptr)
        return {};
    return Error{ErrorCode::Usage,
        "There is no format '" + format
            + "'. The formats are: " + importers::formatList(&importers::Format::id) + ".",
        {}};
}

std::uint64_t enabledBytes(const ImportPlan& plan) {
    std::uint64_t bytes = 0;
    for (const auto& unit : plan.units)
        bytes += unit.enabled ? unit.bytes : 0;
    return bytes;
}

bool isOfDatabase(const Error& error) {
    return error.code == ErrorCode::Io || error.code == ErrorCode::Refused;
}

// Junk beside results is no loss; what permissions hide may be results.
bool isForbidden(const std::string& path) {
    return ::access(path.c_str(), R_OK) != 0 && errno == EACCES;
}

bool hasWork(const ImportPlan& plan) {
    return std::any_of(
        plan.units.begin(), plan.units.end(), [](const auto& unit) { return unit.enabled; });
}

bool hasRuns(const ImportPlan& plan) {
    return std::any_of(
        plan.units.begin(), plan.units.end(), [](const auto& unit) { return !unit.machine; });
}

// A topology that was given beside the results of an import, not in their folder, is of them all.
void joinMachines(std::vector<ImportPlan>& plans) {
    std::set<std::string> names;
    for (const auto& plan : plans) {
        for (const auto& unit : plan.units) {
            if (unit.enabled && !unit.machine)
                names.insert(unit.runName);
        }
    }
    for (auto& plan : plans) {
        for (auto& unit : plan.units) {
            if (unit.machine && unit.machine->runs.empty()) {
                unit.machine->runs = {names.begin(), names.end()};
                unit.machine->isFromElsewhere = true;
            }
        }
    }
}

// Names of the runs in databases that can be read; errors of the others are told when they are
// merged.
std::set<std::string> namesIn(const std::vector<std::string>& databases) {
    std::set<std::string> names;
    for (const std::string& path : databases) {
        const auto store = store::Store::open(path, store::OpenMode::ReadOnly);
        if (!store.hasValue())
            continue;
        for (const Run& run : store.value().runs().valueOr({}))
            names.insert(run.name);
    }
    return names;
}

Error nothingUsable(const SourceTree& tree, const ImportPlan& plan) {
    const auto& files = tree.files();
    const std::string where
        = tree.displayPath(files.size() == 1 ? files.front().path : std::string());
    std::string message = files.empty() ? "The folder is empty" : "Nothing in it was recognised";
    if (plan.unrecognised.size() == 1)
        message = "It was not recognised: " + plan.unrecognised.front().reason;
    return {ErrorCode::Unrecognised,
        message + ". Expected is one of: " + importers::formatList(&importers::Format::name) + ".",
        where};
}

// Plans and imports one request; the members are what both steps share.
class Job {
public:
    Job(const ImportRequest& request, const Console& console)
        : m_request(request)
        , m_console(console)
        , m_progress(console) { }

    Result<ImportOutcome> run() {
        RETURN_IF_ERROR(checkFormat(m_request.format));
        ASSIGN_OR_RETURN(
            m_clock, parseClock(m_request.start, m_request.period, m_request.utcOffset));
        RETURN_IF_ERROR(sayRequestedColumns());
        std::vector<std::string> databases = m_request.sources;
        const auto others = std::stable_partition(databases.begin(), databases.end(),
            [](const std::string& path) { return store::StoreFile(path).isRunDatabase(); });
        ASSIGN_OR_RETURN(SourceList list, openSources({others, databases.end()}, progress()));
        databases.erase(others, databases.end());
        m_outcome.failures = std::move(list.failures);
        m_sources = std::move(list.sources);
        RETURN_IF_ERROR(plan());
        joinAcrossSources();
        joinMachines(m_plans);
        if (m_request.isOneRun)
            RETURN_IF_ERROR(makeOneRun());
        else
            m_isPrefix = nameRuns(m_plans, m_request.name, namesIn(databases));
        // Units that describe runs come after those that make them.
        for (const bool makesRuns : {true, false}) {
            for (std::size_t i = 0; i < m_plans.size() && !m_outcome.isStopped(); ++i) {
                if (hasRuns(m_plans[i]) != makesRuns)
                    continue;
                RETURN_IF_ERROR(importTree(i));
            }
        }
        for (const std::string& path : databases) {
            if (!m_outcome.isStopped())
                mergeDatabase(path);
        }
        markPartialRuns();
        return std::move(m_outcome);
    }

private:
    [[nodiscard]] Status sayRequestedColumns() const {
        importers::SaidColumns columns;
        for (const std::string& column : m_request.columns)
            RETURN_IF_ERROR(importers::addSaidColumn(columns, column));
        importers::sayColumns(std::move(columns));
        return {};
    }

    [[nodiscard]] Progress progress() {
        return [this](const ProgressState& state) {
            m_progress.update(state.phase, state.bytesDone, state.bytesTotal);
            return !m_console.isCancelled();
        };
    }

    Status plan() {
        for (const auto& source : m_sources) {
            ASSIGN_OR_RETURN(
                auto planned, importers::planImport(*source.tree, progress(), m_request.format));
            for (auto& unit : planned.units)
                applyClock(m_clock, unit);
            m_plans.push_back(std::move(planned));
            note(source, m_plans.back());
        }
        return {};
    }

    Status makeOneRun() {
        const auto units = allUnits();
        for (const auto& planned : units)
            planned.unit->runName = m_request.name;
        return m_request.gpus.gpus.empty()
            ? Status()
            : importers::placeOnRecordedGpus(units, m_request.gpus, progress());
    }

    std::vector<importers::PlannedUnit> allUnits() {
        std::vector<importers::PlannedUnit> units;
        for (std::size_t i = 0; i < m_plans.size(); ++i) {
            for (auto& unit : m_plans[i].units)
                units.push_back({m_sources[i].tree.get(), &unit});
        }
        return units;
    }

    // Sources given in several arguments are joined like those of one folder, and with the runs
    // that the database has, unless a name is said; again where their clocks were said meanwhile.
    void joinAcrossSources() {
        const std::string database = m_request.name.empty() ? m_request.database : std::string();
        const bool isThere = !database.empty() && store::StoreFile(database).isRunDatabase();
        if (!m_plans.empty() && (m_plans.size() > 1 || m_clock.utcOffsetSeconds || isThere))
            app::joinRunsThere(allUnits(), database, progress());
    }

    void note(const OpenedSource& source, const ImportPlan& plan) {
        const SourceTree& tree = *source.tree;
        m_bytesTotal += enabledBytes(plan);
        if (!hasWork(plan))
            m_outcome.failures.push_back(nothingUsable(tree, plan));
        for (const auto& file : plan.unrecognised) {
            m_outcome.unrecognised.push_back({tree.displayPath(file.path), file.reason});
            m_outcome.isPartial
                |= source.isNamedFiles || isForbidden(m_outcome.unrecognised.back().path);
        }
        for (const auto& unit : plan.units) {
            if (!unit.enabled)
                m_outcome.leftOut.push_back(unit);
        }
    }

    Status importTree(std::size_t index) {
        const ImportPlan& plan = m_plans[index];
        if (!hasWork(plan))
            return {};
        const auto listener = [this](const app::ImportProgress& state) {
            const double done = static_cast<double>(m_bytesBefore)
                + state.fraction * static_cast<double>(state.bytesTotal);
            const double all = static_cast<double>(std::max<std::uint64_t>(m_bytesTotal, 1));
            m_progress.update(
                state.phase, m_bytesBefore + state.bytesDone, m_bytesTotal, done / all);
            return !m_console.isCancelled();
        };
        ASSIGN_OR_RETURN(auto outcomes,
            app::runImport(*m_sources[index].tree, plan, m_request.database, listener));
        m_bytesBefore += enabledBytes(plan);
        for (auto& outcome : outcomes) {
            outcome.unit.path = m_sources[index].tree->displayPath(outcome.unit.path);
            m_outcome.cancelled |= outcome.error && outcome.error->code == ErrorCode::Cancelled;
            m_outcome.databaseFailed |= outcome.error && isOfDatabase(*outcome.error);
            if (outcome.report)
                m_runs.insert(outcome.unit.runName);
            m_outcome.units.push_back(std::move(outcome));
        }
        return {};
    }

    // A run database as a source: every run of it, of the same job as one that is there or not.
    void mergeDatabase(const std::string& path) {
        app::UnitOutcome outcome;
        outcome.unit.path = path;
        outcome.unit.importer = kMerging;
        const auto merged = mergedFrom(path);
        if (merged.hasValue() && merged.value().sources == 0 && merged.value().lost > 0) {
            outcome.error = Error{ErrorCode::Unreadable,
                fmt::format("Nothing was merged. {}", fmt::join(merged.value().remarks, " ")),
                path};
        } else if (merged.hasValue()) {
            outcome.unit.runName = importers::listNames(merged.value().runs);
            m_runs.insert(merged.value().runs.begin(), merged.value().runs.end());
            ImportReport report;
            report.importer = kMerging;
            report.rows = merged.value().sources;
            report.samples = merged.value().samples;
            report.spans = merged.value().spans;
            for (const std::string& remark : merged.value().remarks)
                report.warn(path, 0, remark);
            outcome.report = report;
            m_outcome.isPartial |= merged.value().lost > 0;
        } else {
            m_outcome.cancelled |= merged.error().code == ErrorCode::Cancelled;
            outcome.error = merged.error();
        }
        m_outcome.units.push_back(std::move(outcome));
    }

    Result<store::MergeOutcome> mergedFrom(const std::string& path) {
        ASSIGN_OR_RETURN(const auto from, store::Store::open(path, store::OpenMode::ReadOnly));
        const store::NewDatabase made(m_request.database);
        ASSIGN_OR_RETURN(auto into, store::Store::openOrCreate(m_request.database));
        ASSIGN_OR_RETURN(auto nameOf, store::joinByJob(into, from));
        std::vector<std::string> remarks;
        if (!m_request.name.empty())
            nameOf = renamed(std::move(nameOf));
        else
            nameOf = app::joinRunsOf(from, into, std::move(nameOf), remarks, progress());
        ASSIGN_OR_RETURN(auto merged, store::mergeInto(into, from, nameOf, progress()));
        merged.remarks.insert(merged.remarks.begin(), remarks.begin(), remarks.end());
        return merged;
    }

    // Runs that join one that is there go by its name.
    [[nodiscard]] NameOf renamed(NameOf nameOf) const {
        if (!m_isPrefix)
            return [name = m_request.name](const Run&) { return name; };
        return [nameOf = std::move(nameOf), prefix = m_request.name + "/"](const Run& run) {
            const std::string own = nameOf(run);
            return own.starts_with(run.name) ? prefix + own : own;
        };
    }

    // A file that was cut short is imported as far as it goes; its run then says that it is
    // partial.
    void markPartialRuns() {
        if (m_outcome.done() == 0)
            return;
        const auto store = store::Store::open(m_request.database, store::OpenMode::ReadOnly);
        for (const std::string& name : m_runs) {
            if (!store.hasValue())
                continue;
            const auto run = store.value().findRun(name);
            if (run.hasValue() && run.value().status == RunStatus::Partial)
                m_outcome.partialRuns.insert(name);
        }
    }

    const ImportRequest& m_request;
    ImportClock m_clock;
    const Console& m_console;
    ProgressLine m_progress;
    std::vector<OpenedSource> m_sources;
    std::vector<ImportPlan> m_plans;
    std::uint64_t m_bytesTotal = 0;
    std::uint64_t m_bytesBefore = 0;
    bool m_isPrefix = false; // the name that was given, of several runs
    std::set<std::string> m_runs; // that something was imported into
    ImportOutcome m_outcome;
};

} // namespace

std::size_t ImportOutcome::done() const {
    return static_cast<std::size_t>(std::count_if(
        units.begin(), units.end(), [](const auto& unit) { return unit.report.has_value(); }));
}

ExitStatus ImportOutcome::status() const {
    if (cancelled)
        return ExitStatus::Partly;
    if (done() == 0)
        return databaseFailed ? ExitStatus::Refused : ExitStatus::Unreadable;
    const bool inPart = std::any_of(units.begin(), units.end(),
        [](const auto& unit) { return !unit.report || unit.report->skipped > 0; });
    return inPart || isPartial || !partialRuns.empty() || !failures.empty() ? ExitStatus::Partly
                                                                            : ExitStatus::Done;
}

bool nameRuns(
    std::vector<ImportPlan>& plans, const std::string& name, std::set<std::string> others) {
    if (name.empty())
        return false;
    std::set<std::string> names = std::move(others);
    for (const auto& plan : plans) {
        for (const auto& unit : plan.units) {
            if (unit.enabled && !unit.machine)
                names.insert(unit.runName);
        }
    }
    const auto renamed
        = [&](const std::string& old) { return names.size() <= 1 ? name : name + "/" + old; };
    for (auto& plan : plans) {
        for (auto& unit : plan.units) {
            // A unit that describes runs belongs to those beside it, under their new names; without
            // any, to the run of that name.
            if (!unit.machine || unit.machine->runs.empty())
                unit.runName = unit.machine ? name : renamed(unit.runName);
            else
                std::transform(unit.machine->runs.begin(), unit.machine->runs.end(),
                    unit.machine->runs.begin(), renamed);
        }
    }
    return names.size() > 1;
}

Result<ImportOutcome> runImportJob(const ImportRequest& request, const Console& console) {
    return Job(request, console).run();
}

} // namespace trainscope::cli
