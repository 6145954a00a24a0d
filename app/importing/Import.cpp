#include "app/importing/Import.h"

#include "app/importing/DescribedRuns.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/model/Try.h"
#include "core/store/database/StoreFile.h"
#include "core/text/Numbers.h"
#include "importers/registry/JoinSuggestions.h"

#include <deque>

namespace trainscope::app {

namespace {

using importers::ImportUnit;
using importers::KnownMachine;
using importers::PlannedUnit;
using importers::PowerByRank;

constexpr std::size_t kMostRunsThere = 128; // no more are looked at
constexpr std::size_t kMostCapturesOfRun = 64;

// Runs of a database as units of a plan, which read their power and kernels when they are asked.
class RunsOfDatabase {
public:
    // Only those whose name or time units have.
    RunsOfDatabase(const store::Store& store, const std::vector<PlannedUnit>& units)
        : m_store(store) {
        for (const PlannedUnit& planned : units) {
            m_names.insert(planned.unit->runName);
            if (planned.unit->start)
                m_starts.push_back(*planned.unit->start);
        }
    }

    // Names are those that they were imported under, by which imports find them.
    void addTo(std::vector<PlannedUnit>& units) {
        const auto names = importedNames();
        const auto sources = m_store.sources().valueOr({});
        std::size_t count = 0;
        for (const Run& run : m_store.runs().valueOr({})) {
            const auto name = names.find(run.id.value);
            if (run.kind != RunKind::Measured || run.simulated || name == names.end()
                || !mayMatter(run, name->second) || ++count > kMostRunsThere)
                continue;
            Part part;
            Sources own;
            for (const store::Source& source : sources) {
                if (std::ranges::find(source.runs, run.id) == source.runs.end())
                    continue;
                own.push_back(&source);
                part.unit.files.push_back(source.path);
                part.known.contents.emplace(
                    source.size, source.hash.substr(0, source.hash.find(' ')));
            }
            if (own.empty())
                continue;
            describe(run, name->second, part);
            const std::size_t before = m_parts.size();
            addTelemetry(run, own, part);
            addCaptures(run, own, part);
            if (m_parts.size() == before && m_names.contains(name->second))
                m_parts.push_back(std::move(part)); // it has the name
        }
        for (Part& part : m_parts)
            units.push_back({nullptr, &part.unit, &part.known});
    }

private:
    struct Part {
        ImportUnit unit;
        KnownMachine known;
    };
    using Sources = std::vector<const store::Source*>;

    // Imports find runs by the names that they were imported under.
    [[nodiscard]] std::map<std::int64_t, std::string> importedNames() const {
        std::map<std::int64_t, std::string> names;
        static_cast<void>(m_store.query("SELECT id, imported_name FROM run", {},
            [&names](const std::vector<store::SqlValue>& row) {
                names[row[0].integer] = row[1].text;
                return true;
            }));
        return names;
    }

    // A run of that name, or of that time in whatever zone.
    [[nodiscard]] bool mayMatter(const Run& run, const std::string& name) const {
        constexpr DurationNs kHalfADay{14LL * 3600 * 1'000'000'000};
        return m_names.contains(name) || std::ranges::any_of(m_starts, [&](TimeNs start) {
            return run.range.begin - kHalfADay <= start && start <= run.range.end + kHalfADay;
        });
    }

    static void describe(const Run& run, const std::string& name, Part& part) {
        part.unit.runName = name;
        part.unit.path = part.unit.files.front();
        part.unit.start = run.range.begin;
        part.unit.worldSize = run.worldSize;
        part.unit.gpuModel = run.gpuModel;
        part.known.seen.vendor = catalogue::vendorOf(run.gpuModel);
        part.known.seen.model = catalogue::findGpuModel(run.gpuModel);
        part.known.seen.isEndKnown = true;
    }

    // All ranks' GPUs, or one rank's, as its sources state them.
    [[nodiscard]] importers::GpuIds gpusOf(
        const Run& run, const Sources& sources, std::optional<int> rank) const {
        importers::GpuIds ids;
        auto gpus = m_store.gpus(run.id).valueOr({});
        std::erase_if(gpus, [rank](const Gpu& gpu) { return rank && gpu.rank != *rank; });
        importers::identify(gpus, {}, ids);
        for (const store::Source* source : sources) {
            const auto& found = source->report.ranksFound;
            std::vector<Gpu> own = gpus;
            std::erase_if(own, [&found](const Gpu& gpu) {
                return std::ranges::find(found, gpu.rank) == found.end();
            });
            importers::identify(own, source->report.facts, ids);
        }
        return ids;
    }

    void addTelemetry(const Run& run, const Sources& sources, const Part& part) {
        std::vector<Series> readings;
        std::set<std::int64_t> traces; // sources of captures bring gauges of their own
        for (const Track& track : m_store.tracks(run.id).valueOr({}))
            traces.insert(track.source.value);
        for (Series& series : m_store.series(run.id).valueOr({})) {
            if (series.description.subject.kind == SubjectKind::Gpu
                && !traces.contains(series.source.value))
                readings.push_back(std::move(series));
        }
        if (readings.empty())
            return;
        KnownMachine& known = m_parts.emplace_back(part).known;
        known.seen.isTelemetry = true;
        for (const Series& series : readings) {
            const int rank = series.description.subject.rank;
            known.seen.ranks.insert(rank);
            if (series.description.metric.name == metric::kGpuPower
                && series.count > series.missing)
                known.seen.meanPower[rank] = series.mean;
            auto& range = known.seen.range;
            range = analysis::spanned(range.value_or(analysis::kNoTime), series.range);
        }
        known.seen.gpus = gpusOf(run, sources, std::nullopt);
        known.power = [this, readings = std::move(readings)](
                          TimeRange around) { return powerOf(readings, around); };
    }

    [[nodiscard]] PowerByRank powerOf(const std::vector<Series>& all, TimeRange around) const {
        constexpr DurationNs kMargin{5'000'000'000};
        const TimeRange window{around.begin - kMargin, around.end + kMargin};
        PowerByRank power;
        for (const char* name : {metric::kGpuPower, metric::kGpuPowerAverage}) {
            PowerByRank found;
            for (const Series& series : all) {
                const SeriesDescription& what = series.description;
                if (what.metric.name != name || !what.subject.device.empty()
                    || found.contains(what.subject.rank))
                    continue;
                auto& readings = found[what.subject.rank];
                static_cast<void>(m_store.forEachSample(series.id, window,
                    [&](std::span<const TimeNs> times, std::span<const double> values) {
                        for (std::size_t i = 0; i < times.size(); ++i) {
                            readings.times.push_back(times[i]);
                            readings.watts.push_back(static_cast<float>(values[i]));
                        }
                        return true;
                    }));
            }
            power.merge(found);
        }
        return power;
    }

    void addCaptures(const Run& run, const Sources& sources, const Part& usual) {
        std::map<int, std::vector<Track>> streams; // by rank
        std::map<int, TimeRange> traced;
        for (const Track& track : m_store.tracks(run.id).valueOr({})) {
            if (track.description.kind != TrackKind::Stream || track.count == 0)
                continue;
            const auto [range, isNew] = traced.try_emplace(track.description.rank, track.range);
            range->second = analysis::spanned(range->second, track.range);
            streams[track.description.rank].push_back(track);
        }
        std::vector<Capture> captures = m_store.captures(run.id).valueOr({});
        for (const auto& [rank, range] : traced) {
            const bool isThere = std::ranges::any_of(
                captures, [rank = rank](const Capture& one) { return one.rank == rank; });
            if (!isThere)
                captures.push_back({{}, rank, range});
        }
        captures.resize(std::min(captures.size(), kMostCapturesOfRun));
        for (const Capture& capture : captures) {
            Part& part = m_parts.emplace_back(usual);
            part.unit.rank = capture.rank;
            part.unit.start = capture.range.begin;
            part.known.seen.ranks = {capture.rank};
            part.known.seen.gpus = gpusOf(run, sources, capture.rank);
            part.known.seen.range = TimeRange{capture.range.begin, capture.range.begin};
            part.known.work = [this, tracks = streams[capture.rank], range = capture.range] {
                return workOf(tracks, range);
            };
        }
    }

    [[nodiscard]] analysis::TracedWork workOf(
        const std::vector<Track>& tracks, TimeRange range) const {
        constexpr DurationNs kFine{5'000'000};
        std::vector<TimeRange> work;
        for (const Track& track : tracks) {
            for (const store::LodNode& node :
                m_store.lodNodes(track.id, range, kFine).valueOr({})) {
                const bool isWork = node.kind == SpanKind::Kernel || node.kind == SpanKind::Copy
                    || node.kind == SpanKind::Set;
                const double length = static_cast<double>(node.range.length().ns)
                    * static_cast<double>(node.busyFraction);
                if (node.depth == 0 && isWork)
                    work.push_back(
                        {node.range.begin, node.range.begin + DurationNs{std::llround(length)}});
            }
        }
        analysis::TracedWork traced;
        traced.add(range, std::move(work));
        return traced;
    }

    const store::Store& m_store;
    std::set<std::string> m_names;
    std::vector<TimeNs> m_starts;
    std::deque<Part> m_parts;
};

using importers::ImportUnit;

ImportUnit unitOf(const GivenDatabase& database) {
    ImportUnit unit;
    unit.importer = kRunDatabase;
    unit.path = database.path;
    unit.files = {database.path};
    unit.bytes = database.bytes;
    unit.summary = text::counted(std::ssize(database.runs), "run");
    if (!database.runs.empty())
        unit.summary += ": " + importers::listNames(database.runs);
    if (!database.problem.empty())
        unit.notes.push_back(database.problem);
    return unit;
}

std::vector<importers::PlannedUnit> plannedUnits(
    const importers::SourceTree& tree, std::vector<ImportUnit>& units) {
    std::vector<importers::PlannedUnit> planned;
    for (ImportUnit& unit : units)
        planned.push_back({&tree, &unit});
    return planned;
}

// Names of the enabled units that make runs.
std::set<std::string> runNames(const std::vector<ImportUnit>& units) {
    std::set<std::string> names;
    for (const ImportUnit& unit : units) {
        if (unit.enabled && !unit.machine && !isRunDatabase(unit))
            names.insert(unit.runName);
    }
    return names;
}

void stateMachines(const std::map<std::string, SaidMachine>& machines,
    const std::filesystem::path& database, std::vector<UnitOutcome>& outcomes) {
    std::map<std::string, ImportReport*> reports; // the first of each run
    for (UnitOutcome& outcome : outcomes) {
        if (outcome.report && machines.contains(outcome.unit.runName))
            reports.emplace(outcome.unit.runName, &*outcome.report);
    }
    if (reports.empty())
        return;
    auto store = store::Store::openOrCreate(database);
    for (const auto& [name, report] : reports) {
        const SaidMachine& said = machines.at(name);
        const Status kept = store.hasValue()
            ? sayMachine(store.value(), name, said.gpuModel, said.airflow)
            : Status(store.error());
        if (!kept.hasValue())
            report->warn(
                name, 0, "What was said of the machine was not kept: " + kept.error().message);
    }
}

} // namespace

void joinRunsThere(std::vector<PlannedUnit> units, const std::filesystem::path& database,
    const Progress& progress) {
    std::optional<store::Store> store;
    std::optional<RunsOfDatabase> there;
    if (!database.empty() && store::StoreFile(database).isRunDatabase()) {
        auto opened = store::Store::open(database, store::OpenMode::ReadOnly);
        if (opened.hasValue())
            store.emplace(std::move(opened).value());
    }
    if (store)
        there.emplace(*store, units).addTo(units);
    importers::MachineEvidence evidence(std::move(units), progress);
    importers::joinOneMachine(evidence);
}

Result<PlannedImport> planGiven(const ImportSources& sources, const Progress& progress) {
    RETURN_IF_ERROR(importers::checkFormat(sources.format)); // before a large folder is walked
    PlannedImport planned;
    ASSIGN_OR_RETURN(planned.given, openGiven(sources.paths, progress));
    const importers::SourceTree& tree = *planned.given.tree;
    ASSIGN_OR_RETURN(planned.plan, importers::planImport(tree, progress, sources.format));
    auto& units = planned.plan.units;
    for (ImportUnit& unit : units)
        sayOfAll(sources.said, unit);
    const bool isThere
        = !sources.database.empty() && store::StoreFile(sources.database).isRunDatabase();
    // Clocks that are stated may bring together what the plan had to keep apart.
    const auto zone = sources.said.find("zone");
    if (zone != sources.said.end() && !zone->second.empty() && !isThere) {
        importers::MachineEvidence evidence(plannedUnits(tree, units), progress);
        importers::joinOneMachine(evidence);
        importers::joinRunsOfFolders(evidence);
    }
    nameBelowGiven(planned.given, units);
    if (isThere) {
        planned.unitsThere = units;
        joinRunsThere(plannedUnits(tree, planned.unitsThere), sources.database, progress);
    }
    planned.plan.suggestions
        = importers::suggestJoins(tree, isThere ? planned.unitsThere : units, progress);
    for (const GivenDatabase& database : planned.given.databases) {
        units.push_back(unitOf(database));
        if (isThere)
            planned.unitsThere.push_back(units.back());
    }
    return planned;
}

void describeAllRuns(std::vector<ImportUnit>& units) {
    const auto names = runNames(units);
    for (ImportUnit& unit : units) {
        if (unit.machine && unit.machine->runs.empty()) {
            unit.machine->runs = {names.begin(), names.end()};
            unit.machine->isFromElsewhere = true;
        }
    }
}

void nameRuns(PlannedImport& planned, const std::string& name) {
    auto names = runNames(planned.plan.units);
    for (const GivenDatabase& database : planned.given.databases)
        names.insert(database.runs.begin(), database.runs.end());
    const bool isPrefix = names.size() > 1;
    const auto renamed = [&](const std::string& old) { return isPrefix ? name + "/" + old : name; };
    for (ImportUnit& unit : planned.plan.units) {
        // A unit that describes runs belongs to those beside it, under their new names; without
        // any, to the run of that name.
        if (isRunDatabase(unit))
            unit.runName = isPrefix ? name + "/" : name;
        else if (!unit.machine)
            unit.runName = renamed(unit.runName);
        else if (unit.machine->runs.empty())
            unit.runName = name;
        else
            std::transform(unit.machine->runs.begin(), unit.machine->runs.end(),
                unit.machine->runs.begin(), renamed);
    }
}

Result<std::vector<UnitOutcome>> importPlanned(const PlannedImport& planned,
    const std::filesystem::path& database, const ImportListener& listener) {
    ASSIGN_OR_RETURN(
        auto outcomes, runImport(*planned.given.tree, planned.plan, database, listener));
    stateMachines(planned.machines, database, outcomes);
    return outcomes;
}

} // namespace trainscope::app
