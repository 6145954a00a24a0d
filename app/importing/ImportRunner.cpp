#include "app/importing/ImportRunner.h"

#include "app/importing/DescribedRuns.h"
#include "app/importing/ProgressFunnel.h"
#include "core/analysis/iterations/LogPlacement.h"
#include "core/analysis/operators/KeptTraces.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/traces/TraceSums.h"
#include "core/store/Merge.h"
#include "core/store/Writing.h"
#include "core/text/Times.h"
#include "importers/common/GpuIdentity.h"
#include "importers/launch/LaunchFiles.h"
#include "importers/registry/HashingTree.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

namespace trainscope::app {
namespace {

// The times that a source may have. One thread.
class SourceTimes {
public:
    // `start`: as the plan has it.
    explicit SourceTimes(std::optional<TimeNs> start)
        : m_isDated(start && text::isDated(*start)) { }

    // A source that says when it was recorded was so between 1990 and 2100.
    [[nodiscard]] bool isPossible(TimeNs time) const {
        constexpr TimeNs kLast{std::int64_t{4'102'444'800} * 1'000'000'000};
        return !m_isDated || (text::isDated(time) && time < kLast);
    }
    [[nodiscard]] bool arePossible(std::span<const TimeNs> times) const {
        return std::ranges::all_of(times, [this](TimeNs time) { return isPossible(time); });
    }
    void add(TimeNs time) { m_isUndated |= !text::isDated(time); }
    void leaveOut(std::size_t count) { m_leftOut += static_cast<std::int64_t>(count); }

    // Remarks for the report; `isRunDated`: other sources say when the run was.
    void remark(bool isRunDated, std::vector<std::string>& remarks) const {
        if (m_leftOut > 0)
            remarks.push_back(text::counted(m_leftOut, "reading has a time", "readings have times")
                + " before 1990 or after 2100, which cannot be: left out.");
        if (m_isUndated && isRunDated)
            remarks.emplace_back("It does not say when it was recorded: its values stand in order "
                                 "beside the times of its run, and do not lengthen it.");
    }

private:
    bool m_isDated;
    bool m_isUndated = false;
    std::int64_t m_leftOut = 0;
};

// Finds series that two sources of one run recorded at different times. Only one of such series
// counts (core/analysis/statistics/SeriesSelection.h), and most likely two jobs have come under one
// name. One thread.
class OtherTimes {
public:
    // `store` must outlive this.
    explicit OtherTimes(const store::Store& store)
        : m_store(store) { }

    // Reads the series that the run has before the source adds its own. Those that cannot be read
    // are left out.
    void look(RunId run) {
        const auto [before, isNew] = m_before.try_emplace(run);
        if (isNew)
            before->second = m_store.series(run).valueOr({});
    }

    void add(RunId run, SeriesId series, const SeriesDescription& description) {
        if (!m_before.at(run).empty())
            m_given.try_emplace(series, Given{run, description});
    }

    void add(SeriesId series, std::span<const TimeNs> times) {
        const auto found = m_given.find(series);
        if (found == m_given.end() || times.empty())
            return;
        const auto [first, last] = std::ranges::minmax_element(times);
        found->second.range
            = analysis::spanned(found->second.range, {*first, *last + DurationNs{1}});
    }

    // A sentence, where there is something to say. Series of an earlier import of that path do not
    // count: they are replaced.
    [[nodiscard]] std::optional<std::string> warning(const std::string& sourcePath) const {
        if (m_given.empty())
            return std::nullopt;
        const auto sources = m_store.sources().valueOr({});
        std::vector<std::pair<const Given*, const Series*>> apart;
        std::string otherPath;
        for (const auto& [series, given] : m_given) {
            const Series* other = otherOf(given);
            const auto source = std::ranges::find_if(sources, [&](const store::Source& one) {
                return other != nullptr && one.id == other->source;
            });
            if (source == sources.end() || source->path == sourcePath)
                continue;
            if (apart.empty())
                otherPath = source->path;
            apart.emplace_back(&given, other);
        }
        if (apart.empty())
            return std::nullopt;
        const auto& [given, other] = apart.front();
        const std::int64_t more = std::ssize(apart) - 1;
        return fmt::format(
            "{} of {}{} from {} too, at another time (from {}): of two such series only "
            "the one with more values counts. If these are two jobs, import one of them "
            "under a name of its own.",
            given->description.metric.name, analysis::subjectText(given->description.subject),
            more > 0 ? " and " + text::counted(more, "more series", "more series") + " come"
                     : " comes",
            otherPath, text::moment(other->range.begin));
    }

private:
    struct Given {
        RunId run;
        SeriesDescription description;
        TimeRange range = analysis::kNoTime;
    };

    // The first such series, where none is of the same time.
    [[nodiscard]] const Series* otherOf(const Given& given) const {
        const Series* other = nullptr;
        for (const Series& one : m_before.at(given.run)) {
            if (one.description.metric.name != given.description.metric.name
                || one.description.subject != given.description.subject)
                continue;
            if (given.range.isEmpty() || one.range.overlaps(given.range))
                return nullptr;
            other = other == nullptr ? &one : other;
        }
        return other;
    }

    const store::Store& m_store;
    std::map<RunId, std::vector<Series>> m_before;
    std::map<SeriesId, Given> m_given;
};

// A sink whose GPUs are of the model that the user says, whatever their source recorded, and lie in
// the run where the plan puts them; and that notes which series come from when. All else goes
// through. One thread.

class SaidGpuSink final : public Sink {
public:
    // An empty model changes nothing. `inner` and `times` must outlive this.
    SaidGpuSink(Sink& inner, std::string model, importers::PlaceInRun place, OtherTimes& times,
        SourceTimes& own)
        : m_inner(inner)
        , m_own(own)
        , m_model(std::move(model))
        , m_place(place)
        , m_times(times) { }

    Result<RunId> run(const Run& run) override { return m_inner.run(run); }
    Status gpu(RunId run, const Gpu& gpu) override {
        Gpu said = gpu;
        if (!m_model.empty())
            said.model = m_model;
        said.rank += m_place.rank;
        said.node += m_place.node;
        said.local += m_place.local;
        return m_inner.gpu(run, said);
    }
    Result<SeriesId> series(RunId run, const SeriesDescription& description) override {
        m_times.look(run);
        SeriesDescription placed = description;
        if (placed.subject.rank >= 0)
            placed.subject.rank += m_place.rank;
        if (placed.subject.node >= 0)
            placed.subject.node += m_place.node;
        auto made = m_inner.series(run, placed);
        if (made.hasValue())
            m_times.add(run, made.value(), placed);
        return made;
    }
    Status samples(
        SeriesId series, std::span<const TimeNs> times, std::span<const double> values) override {
        if (times.empty())
            return {};
        m_own.add(times.front());
        if (m_own.arePossible(times)) {
            m_times.add(series, times);
            return m_inner.samples(series, times, values);
        }
        std::vector<TimeNs> possible;
        std::vector<double> readings;
        for (std::size_t i = 0; i < times.size(); ++i) {
            if (!m_own.isPossible(times[i]))
                continue;
            possible.push_back(times[i]);
            readings.push_back(values[i]);
        }
        m_own.leaveOut(times.size() - possible.size());
        m_times.add(series, possible);
        return m_inner.samples(series, possible, readings);
    }
    Status counterBits(SeriesId series, int bits) override {
        return m_inner.counterBits(series, bits);
    }
    Result<TrackId> track(RunId run, const TrackDescription& description) override {
        return m_inner.track(run, description);
    }
    Status spans(TrackId track, std::span<const Span> spans) override {
        if (!spans.empty())
            m_own.add(spans.front().start);
        return m_inner.spans(track, spans);
    }
    Result<NameId> intern(std::string_view text) override { return m_inner.intern(text); }
    Status iteration(RunId run, const Iteration& iteration) override {
        return m_inner.iteration(run, iteration);
    }
    Status capture(RunId run, const Capture& capture) override {
        return m_inner.capture(run, capture);
    }

private:
    Sink& m_inner;
    SourceTimes& m_own;
    std::string m_model;
    importers::PlaceInRun m_place;
    OtherTimes& m_times;
};

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

class UnitRunner {
public:
    UnitRunner(store::Store& store, const importers::HashingTree& tree, ImportUnit unit,
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
        SourceTimes own(m_unit.start);
        const auto run = m_store.findRun(m_unit.runName);
        const bool isRunDated = run.hasValue() && text::isDated(run.value().range.begin);
        SaidGpuSink sink(session, m_unit.saidGpuModel, m_unit.place, times, own);
        auto report = importer.import(m_tree, m_unit, sink, m_progress);
        if (!report.hasValue())
            return report;
        importers::moveTold(report.value().facts, m_unit.place.rank);
        for (int& rank : report.value().ranksFound)
            rank += m_unit.place.rank;
        RETURN_IF_ERROR(addLaunch(session));
        if (m_unit.machine && importer.machineFacts != nullptr) {
            ASSIGN_OR_RETURN(const auto facts, importer.machineFacts(m_tree, m_unit));
            RETURN_IF_ERROR(describeRuns(m_store, m_unit.machine->runs, facts));
        }
        if (auto warning = times.warning(sourcePath(m_tree, m_unit)))
            m_remarks.push_back(*std::move(warning));
        own.remark(isRunDated, m_remarks);
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
        const auto power = analysis::powerSignal({m_store, run, m_progress});
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
        auto placement = analysis::placeLog({m_store, run, m_progress}, work);
        if (placement.hasValue())
            m_unit.placement = std::move(placement).value();
        else if (placement.error().code == ErrorCode::Cancelled)
            return placement.error();
        else if (analysis::powerSignal({m_store, run, m_progress}).hasValue())
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
    const importers::HashingTree& m_tree;
    ImportUnit m_unit;
    std::vector<std::string> m_remarks; // for the report
    Progress m_progress;
};

// Runs of a database that is merged, by the name that its unit says.
using NameOf = std::function<std::string(const Run&)>;

// Runs that join one that is there go by its name.
NameOf saidNames(NameOf nameOf, const std::string& said) {
    if (!said.ends_with('/'))
        return [said](const Run&) { return said; };
    return [nameOf = std::move(nameOf), said](const Run& run) {
        const std::string own = nameOf(run);
        return own.starts_with(run.name) ? said + own : own;
    };
}

Result<store::MergeOutcome> mergeDatabase(store::Store& into, const std::string& path,
    const std::string& saidName, const Progress& progress) {
    ASSIGN_OR_RETURN(const auto from, store::Store::open(path, store::OpenMode::ReadOnly));
    ASSIGN_OR_RETURN(NameOf nameOf, store::joinByJob(into, from));
    if (!saidName.empty())
        nameOf = saidNames(std::move(nameOf), saidName);
    ASSIGN_OR_RETURN(auto merged, store::mergeInto(into, from, nameOf, progress));
    if (merged.sources == 0 && merged.lost > 0)
        return Error{ErrorCode::Unreadable,
            fmt::format("Nothing was merged. {}", fmt::join(merged.remarks, " ")), path};
    return merged;
}

UnitOutcome mergeUnit(store::Store& store, const importers::SourceTree& tree, ImportUnit unit,
    const Progress& progress) {
    const std::string path = tree.displayPath(unit.path);
    auto merged = mergeDatabase(store, path, unit.runName, progress);
    UnitOutcome outcome{std::move(unit)};
    if (!merged.hasValue()) {
        outcome.error = merged.error();
        return outcome;
    }
    outcome.runs = merged.value().runs;
    outcome.unit.runName = importers::listNames(outcome.runs);
    ImportReport& report = outcome.report.emplace();
    report.importer = kRunDatabase;
    report.bytes = outcome.unit.bytes;
    report.rows = merged.value().sources;
    report.skipped = merged.value().lost;
    report.samples = merged.value().samples;
    report.spans = merged.value().spans;
    for (const std::string& remark : merged.value().remarks)
        report.warn(path, 0, remark);
    return outcome;
}

UnitOutcome importUnit(store::Store& store, const importers::HashingTree& tree,
    const ImportUnit& unit, ProgressFunnel& funnel) {
    if (funnel.isCancelled())
        return {.unit = unit, .error = cancelled()};
    if (isRunDatabase(unit))
        return mergeUnit(store, tree, unit,
            [&funnel](const ProgressState& state) { return funnel.report(state); });
    UnitRunner runner(store, tree, unit, funnel);
    auto report = runner.run();
    UnitOutcome outcome{runner.unit()};
    if (!report.hasValue()) {
        outcome.error = report.error();
        return outcome;
    }
    outcome.report = std::move(report).value();
    outcome.runs = outcome.unit.machine ? outcome.unit.machine->runs
                                        : std::vector<std::string>{outcome.unit.runName};
    return outcome;
}

// Units that are placed by the telemetry of their run come behind it, what reads a part of
// another's file behind that, and descriptions of machines behind all that makes runs.
std::vector<std::size_t> orderOf(const std::vector<ImportUnit>& units) {
    std::vector<std::size_t> order(units.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto turnOf = [&units](std::size_t i) {
        const importers::Importer* importer = importers::findImporter(units[i].importer);
        const bool isUndated = units[i].start && !text::isDated(*units[i].start);
        const bool isPlaced = units[i].clock != importers::ClockKind::Utc && importer != nullptr
            && importer->work != nullptr;
        return units[i].machine       ? 4
            : isRunDatabase(units[i]) ? 3
            : !units[i].part.empty()  ? 2
            : isPlaced || isUndated   ? 1
                                      : 0;
    };
    std::ranges::stable_sort(
        order, [&turnOf](std::size_t a, std::size_t b) { return turnOf(a) < turnOf(b); });
    return order;
}

// The call trees of long traces are made once these are whole; where that fails or is stopped,
// whoever needs them reads the traces.
void keepCallTrees(
    store::Store& store, const std::vector<UnitOutcome>& outcomes, ProgressFunnel& funnel) {
    std::set<std::string> names;
    for (const UnitOutcome& outcome : outcomes) {
        if (outcome.report && outcome.report->spans > 0 && !isRunDatabase(outcome.unit))
            names.insert(outcome.unit.runName);
    }
    const Progress progress
        = [&funnel](const ProgressState& state) { return funnel.report(state); };
    for (const std::string& name : names) {
        const auto run = store.findRun(name);
        if (!run.hasValue() || funnel.isCancelled())
            continue;
        const auto lacking = analysis::lackingSums({store, run.value()});
        if (lacking.hasValue() && lacking.value() == analysis::LackingSums::All)
            static_cast<void>(analysis::keepCallTrees(store, run.value(), progress));
    }
}

} // namespace

bool isOfDatabase(const Error& error) {
    return error.code == ErrorCode::Io || error.code == ErrorCode::Refused;
}

Result<std::vector<UnitOutcome>> runImport(const importers::SourceTree& tree,
    const importers::ImportPlan& plan, const std::filesystem::path& database,
    const ImportListener& listener) {
    const store::NewDatabase made(database);
    ASSIGN_OR_RETURN(auto store, store::Store::openOrCreate(database));
    std::vector<UnitOutcome> outcomes;
    ProgressFunnel funnel(plan, listener);
    const importers::HashingTree hashing(tree); // a file of many runs is hashed once
    for (const std::size_t i : orderOf(plan.units)) {
        const ImportUnit& unit = plan.units[i];
        if (!unit.enabled)
            continue;
        funnel.beginUnit(i);
        outcomes.push_back(importUnit(store, hashing, unit, funnel));
        funnel.endUnit();
        const auto& error = outcomes.back().error;
        const bool isOver = error
            && (error->code == ErrorCode::Cancelled
                || (isOfDatabase(*error) && !isRunDatabase(unit)));
        if (isOver)
            break;
    }
    keepCallTrees(store, outcomes, funnel);
    return outcomes;
}

} // namespace trainscope::app
