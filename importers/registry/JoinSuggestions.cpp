#include "importers/registry/JoinSuggestions.h"

#include "core/model/Gather.h"
#include "core/text/Times.h"
#include "importers/common/RunFolders.h"
#include "importers/registry/MachineEvidence.h"
#include "importers/registry/TracedGpus.h"
#include "importers/trace/TraceName.h"

namespace trainscope::importers {

namespace {

constexpr std::size_t kMostRunsCompared = 256; // each with each
constexpr std::size_t kMostSuggestions = 20;
constexpr DurationNs kNear{600'000'000'000};

std::vector<PlannedUnit> plannedOf(const SourceTree& tree, std::vector<ImportUnit>& units) {
    return vectorOf(units, [&](ImportUnit& unit) { return PlannedUnit{&tree, &unit}; });
}

class Likeness {
public:
    explicit Likeness(MachineEvidence& evidence)
        : m_evidence(evidence)
        , m_runs(runsOf(evidence)) {
        std::erase_if(m_runs, [](const RunSoFar& run) { return !firstOf(run).start; });
    }

    std::vector<JoinSuggestion> find() {
        std::vector<JoinSuggestion> found;
        std::set<const RunSoFar*> told;
        for (auto a = m_runs.begin(); a != m_runs.end() && m_runs.size() <= kMostRunsCompared;
             ++a) {
            std::vector<const RunSoFar*> group{&*a};
            std::string why;
            for (auto b = std::next(a); b != m_runs.end() && !told.contains(&*a); ++b) {
                auto reason = reasonOf(*a, *b);
                if (reason.empty() || contradictsAny(*b, group) || !isNearest(*a, *b))
                    continue;
                group.push_back(&*b);
                why = std::move(reason);
            }
            if (group.size() < 2 || found.size() == kMostSuggestions)
                continue;
            // Traces and logs are called as the job is, readings as their program.
            std::stable_partition(
                group.begin(), group.end(), [](const RunSoFar* run) { return !run->isTelemetry; });
            JoinSuggestion& one = found.emplace_back();
            one.why = std::move(why);
            for (const RunSoFar* run : group)
                one.runs.push_back(run->name);
            told.insert(group.begin(), group.end());
        }
        return found;
    }

private:
    static const ImportUnit& firstOf(const RunSoFar& run) { return *run.units.front()->unit; }

    static DurationNs apart(const RunSoFar& a, const RunSoFar& b) {
        return {std::abs((*firstOf(a).start - *firstOf(b).start).ns)};
    }

    static bool areOfOneKind(const RunSoFar& a, const RunSoFar& b) {
        return anyPair(a, b, [](const PlannedUnit& left, const PlannedUnit& right) {
            return left.unit->importer == right.unit->importer;
        });
    }

    // No run of its kind begins nearer to the other one.
    [[nodiscard]] bool isNearest(const RunSoFar& a, const RunSoFar& b) const {
        const auto isNearer = [&](const RunSoFar& one, const RunSoFar& other) {
            return !areOfOneKind(one, other) && !reasonOf(one, other).empty()
                && apart(one, other) < apart(a, b);
        };
        return areOfOneKind(a, b) || std::ranges::none_of(m_runs, [&](const RunSoFar& other) {
            return isNearer(a, other) || isNearer(other, b);
        });
    }

    // The reason that they could be one; empty: they are not alike.
    [[nodiscard]] static std::string reasonOf(const RunSoFar& a, const RunSoFar& b) {
        const std::string_view path = withoutSuffixes(firstOf(a).files.front());
        const std::string_view other = withoutSuffixes(firstOf(b).files.front());
        if (!areOfOneKind(a, b)) {
            const bool isOneFolder
                = isInside(path, folderPart(other)) || isInside(other, folderPart(path));
            return isOneFolder ? "they lie in one folder and are of one time" : std::string();
        }
        const std::string begin = "begin within " + text::duration(apart(a, b));
        if (apart(a, b) > kNear)
            return {};
        if (stemPattern(path) == stemPattern(other))
            return "their names differ in numbers alone, and they " + begin;
        const bool areBeside = namePart(path) == namePart(other)
            && folderPart(folderPart(path)) == folderPart(folderPart(other));
        return areBeside ? "they lie side by side under one name, and " + begin : std::string();
    }

    bool contradictsAny(const RunSoFar& run, const std::vector<const RunSoFar*>& group) {
        return std::ranges::any_of(group, [&](const RunSoFar* one) {
            return anyPair(*one, run, [this](const PlannedUnit& left, const PlannedUnit& right) {
                return m_evidence.contradict(*left.unit, *right.unit);
            });
        });
    }

    MachineEvidence& m_evidence;
    std::vector<RunSoFar> m_runs;
};

std::set<int> ranksOf(MachineEvidence& evidence, const ImportUnit& unit) {
    return unit.rank && !hasGpuReadings(unit) ? std::set<int>{*unit.rank} : evidence.of(unit).ranks;
}

// They have a rank in common at one time, as two processes or machines do.
bool collide(MachineEvidence& evidence, const ImportUnit& a, const ImportUnit& b) {
    const auto ranks = ranksOf(evidence, a);
    const bool share = std::ranges::any_of(
        ranksOf(evidence, b), [&ranks](int rank) { return ranks.contains(rank); });
    if (a.importer != b.importer || !share || (!a.process.empty() && a.process == b.process))
        return false;
    const MachineSeen& first = evidence.of(a);
    const MachineSeen& second = evidence.of(b);
    return !first.range || !second.range
        || (first.isTelemetry ? first.overlaps(second)
                              : std::abs((first.range->begin - second.range->begin).ns) < kNear.ns);
}

// Moves the ranks of a run behind those of the units before it where they collide.
void moveBehind(MachineEvidence& evidence, const std::vector<ImportUnit*>& before,
    const std::vector<ImportUnit*>& run) {
    std::set<int> taken{-1};
    int nodes = 0;
    for (const ImportUnit* other : before) {
        taken.merge(ranksOf(evidence, *other));
        nodes = std::max(nodes, other->place.node + 1);
    }
    const int ranks = *taken.rbegin() + 1;
    const bool isMoved = std::ranges::any_of(run, [&](const ImportUnit* unit) {
        return std::ranges::any_of(
            before, [&](const ImportUnit* other) { return collide(evidence, *other, *unit); });
    });
    for (ImportUnit* unit : run) {
        if (isMoved && unit->rank && !hasGpuReadings(*unit))
            *unit->rank += ranks;
        else if (isMoved)
            unit->place = {unit->place.rank + ranks, unit->place.node + nodes, unit->place.local};
    }
}

std::vector<ImportUnit*> unitsOfRun(std::vector<ImportUnit>& units, const std::string& name) {
    std::vector<ImportUnit*> found;
    for (ImportUnit& unit : units) {
        if (!unit.machine && unit.runName == name)
            found.push_back(&unit);
    }
    return found;
}

} // namespace

std::vector<JoinSuggestion> suggestJoins(
    const SourceTree& tree, std::vector<ImportUnit>& units, const Progress& progress) {
    MachineEvidence evidence(plannedOf(tree, units), progress);
    return Likeness(evidence).find();
}

Status joinRuns(const SourceTree& tree, ImportPlan& plan, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        if (unitsOfRun(plan.units, name).empty())
            return Error{ErrorCode::Usage,
                "There is no run \"" + name + "\" in this import that could be joined.", {}};
    }
    const auto isJoined = [&names](const std::string& name) {
        return std::ranges::find(names, name) != names.end();
    };
    MachineEvidence evidence(plannedOf(tree, plan.units));
    std::vector<ImportUnit*> joined;
    std::vector<ImportUnit*> logs;
    for (const std::string& name : names) {
        const auto units = unitsOfRun(plan.units, name);
        moveBehind(evidence, joined, units);
        joined.insert(joined.end(), units.begin(), units.end());
        for (ImportUnit* unit : units) {
            unit->runName = names.front();
            if (name != names.front())
                addNote(*unit, "Part of run \"" + names.front() + "\", as was said.");
            if (tellsSteps(*unit) && unit->enabled && unit->part.empty())
                logs.push_back(unit);
        }
    }
    keepOneLog(evidence, logs);
    placeOnGpus(evidence);
    for (ImportUnit& unit : plan.units) {
        if (unit.machine)
            std::ranges::replace_if(unit.machine->runs, isJoined, names.front());
    }
    for (JoinSuggestion& one : plan.suggestions) {
        if (std::erase_if(one.runs, isJoined) > 0)
            one.runs.insert(one.runs.begin(), names.front());
    }
    std::erase_if(plan.suggestions, [](const JoinSuggestion& one) { return one.runs.size() < 2; });
    return {};
}

} // namespace trainscope::importers
