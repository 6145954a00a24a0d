#include "core/figures/timeline/DerivedLane.h"

#include "core/figures/timeline/DerivedCache.h"
#include "core/model/Import.h"
#include "core/model/Metric.h"
#include "core/model/Try.h"
#include "core/plot/timeline/LanePrepare.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

namespace trainscope::figures {

using namespace plot;
using analysis::Arithmetic;
using analysis::Formula;
using analysis::StepProgram;

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Series of one meaning and unit.
struct DerivedParts {
    std::string unit;
    std::vector<DerivedSeries> all;
};

const Metric* metricOf(const Catalogue& catalogue, std::string_view name) {
    for (const Catalogue::OfRun& run : catalogue.runs) {
        for (const Series& series : run.series) {
            if (series.description.metric.name == name)
                return &series.description.metric;
        }
    }
    return findMetric(name);
}

// Coarser subjects speak for finer ones: a node for its GPUs, a run for its nodes.
int levelOf(const Subject& subject) {
    return subject.kind == SubjectKind::Run ? 2 : subject.kind == SubjectKind::Node ? 1 : 0;
}

const DerivedSeries* counterpartOf(
    const DerivedSeries& one, const std::vector<const DerivedSeries*>& others) {
    const auto same = std::ranges::find_if(
        others, [&one](const DerivedSeries* other) { return other->subject == one.subject; });
    if (same != others.end())
        return *same;
    const auto node = std::ranges::find_if(others, [&one](const auto* other) {
        return other->subject.kind == SubjectKind::Node && other->node == one.node;
    });
    if (node != others.end())
        return *node;
    return others.size() == 1 ? others.front() : nullptr;
}

class FormulaResolver {
public:
    FormulaResolver(const Catalogue& catalogue, const std::vector<ShownRun>& runs)
        : m_catalogue(catalogue)
        , m_runs(runs) { }

    Result<DerivedParts> resolve(const Formula& formula, bool isRate) {
        switch (formula.kind) {
        case Formula::Kind::Series:
            return series(formula, isRate);
        case Formula::Kind::Difference:
            return difference(formula, isRate);
        case Formula::Kind::Ratio:
            return ratio(formula, isRate);
        case Formula::Kind::NodeSum:
        case Formula::Kind::RunSum:
            return sum(formula, isRate);
        case Formula::Kind::Rate:
            break;
        }
        if (isRate)
            return usageError("A change per second has no change per second here.");
        return resolve(formula.parts.front(), true);
    }

private:
    Result<DerivedParts> series(const Formula& formula, bool isRate) {
        if (formula.run && *formula.run >= m_runs.size())
            return usageError(fmt::format(
                "The formula is of run {}, and {} shown.", *formula.run + 1, runsText()));
        const Metric* metric = metricOf(m_catalogue, formula.metric);
        LaneSpec spec;
        spec.metric = formula.metric;
        spec.rank = formula.rank;
        auto selected = selectSeries(m_catalogue, spec);
        std::erase_if(selected, [&formula](const SelectedSeries& one) {
            return formula.run && one.run != *formula.run;
        });
        if (metric == nullptr || selected.empty())
            return Error{ErrorCode::NotFound, lackText(formula), {}};
        if (isShared(metric->kind))
            return usageError(fmt::format(
                "The values of {} are names of states, with which nothing can be calculated.",
                formula.metric));
        const bool isPercent = isShownAsPercent(metric->name, metric->unit);
        DerivedParts parts{isPercent ? "%" : metric->unit, {}};
        if (isRate || metric->kind == MetricKind::Counter)
            parts.unit = analysis::unitOfRatio(parts.unit, "s");
        for (const SelectedSeries& one : selected) {
            const Series& own = *one.series;
            const Subject& subject = own.description.subject;
            parts.all.push_back({one.run, subject, one.node, subjectLabel(subject, one.node),
                analysis::programOf(own, isRate, isPercent ? 100.0 : 1.0)});
        }
        return parts;
    }

    Result<DerivedParts> difference(const Formula& formula, bool isRate) {
        ASSIGN_OR_RETURN(const auto left, resolve(formula.parts[0], isRate));
        ASSIGN_OR_RETURN(const auto right, resolve(formula.parts[1], isRate));
        if (left.unit != right.unit)
            return usageError(
                fmt::format("Values in {} cannot be subtracted from values in {}; choose two lanes "
                            "of one unit, or their ratio.",
                    unitText(right.unit), unitText(left.unit)));
        return paired(Arithmetic::Subtract, left, right, isAcross(formula), left.unit);
    }
    Result<DerivedParts> ratio(const Formula& formula, bool isRate) {
        if (isRate)
            return usageError("A ratio has no change per second here; divide changes instead.");
        ASSIGN_OR_RETURN(const auto left, resolve(formula.parts[0], false));
        ASSIGN_OR_RETURN(const auto right, resolve(formula.parts[1], false));
        return paired(Arithmetic::Divide, left, right, isAcross(formula),
            analysis::unitOfRatio(left.unit, right.unit));
    }
    Result<DerivedParts> sum(const Formula& formula, bool isRate) {
        ASSIGN_OR_RETURN(auto parts, resolve(formula.parts.front(), isRate));
        const bool isByNode = formula.kind == Formula::Kind::NodeSum;
        std::map<std::pair<std::size_t, int>, std::vector<const DerivedSeries*>> groups;
        for (const DerivedSeries& one : parts.all) {
            const bool hasNode = isByNode && levelOf(one.subject) == 0 && one.node >= 0;
            groups[{one.run, hasNode ? one.node : -1}].push_back(&one);
        }
        DerivedParts sums{parts.unit, {}};
        for (const auto& [key, members] : groups) {
            std::vector<StepProgram> programs;
            for (const DerivedSeries* one : members)
                programs.push_back(one->program);
            Subject subject;
            subject.kind = key.second < 0 ? SubjectKind::Run : SubjectKind::Node;
            subject.node = key.second;
            std::string label
                = fmt::format("{} · sum of {}", subjectLabel(subject, key.second), members.size());
            sums.all.push_back(
                {key.first, subject, key.second, std::move(label), analysis::sumOf(programs)});
        }
        return sums;
    }

    static bool isAcross(const Formula& formula) {
        return analysis::namesRuns(formula.parts[0]) && analysis::namesRuns(formula.parts[1]);
    }
    Result<DerivedParts> paired(Arithmetic operation, const DerivedParts& left,
        const DerivedParts& right, bool isAcrossRuns, std::string unit) {
        DerivedParts pairs{std::move(unit), {}};
        std::set<std::size_t> runs;
        for (const DerivedSeries& one : left.all)
            runs.insert(one.run);
        for (const std::size_t run : runs) {
            std::vector<const DerivedSeries*> a;
            std::vector<const DerivedSeries*> b;
            for (const DerivedSeries& one : left.all) {
                if (one.run == run)
                    a.push_back(&one);
            }
            for (const DerivedSeries& one : right.all) {
                if (isAcrossRuns || one.run == run)
                    b.push_back(&one);
            }
            pairOfRun(operation, a, b, pairs);
        }
        if (pairs.all.empty())
            return Error{ErrorCode::NotFound, "No GPU, node or run has both parts.", {}};
        return pairs;
    }
    // By the finer of the two sides.
    void pairOfRun(Arithmetic operation, const std::vector<const DerivedSeries*>& a,
        const std::vector<const DerivedSeries*>& b, DerivedParts& pairs) {
        if (a.empty() || b.empty())
            return;
        const int levelA = levelOf(a.front()->subject);
        const int levelB = levelOf(b.front()->subject);
        const bool isByRight
            = levelA > levelB || (levelA == levelB && a.size() == 1 && b.size() > 1);
        for (const DerivedSeries* one : isByRight ? b : a) {
            const DerivedSeries* other = counterpartOf(*one, isByRight ? a : b);
            if (other == nullptr)
                continue;
            const DerivedSeries& leftPart = isByRight ? *other : *one;
            const DerivedSeries& rightPart = isByRight ? *one : *other;
            StepProgram moved = rightPart.program;
            for (analysis::StepLeaf& leaf : moved.leaves)
                leaf.shift
                    = leaf.shift + (m_runs[leftPart.run].origin - m_runs[rightPart.run].origin);
            pairs.all.push_back({leftPart.run, one->subject, one->node, one->label,
                analysis::joined(operation, leftPart.program, moved)});
        }
    }

    [[nodiscard]] std::string runsText() const {
        return m_runs.size() == 1
            ? "one run is"
            : text::counted(static_cast<std::int64_t>(m_runs.size()), "run") + " are";
    }
    [[nodiscard]] std::string lackText(const Formula& formula) const {
        std::string what = formula.metric;
        if (formula.rank)
            what += fmt::format(" of rank {}", *formula.rank);
        return fmt::format("{} no {}, of which this lane is made.",
            m_runs.size() == 1 ? "This run has" : "These runs have", what);
    }
    static std::string unitText(const std::string& unit) {
        return unit == "1" ? "plain numbers" : unit;
    }

    const Catalogue& m_catalogue;
    const std::vector<ShownRun>& m_runs;
};

bool isOfRank(const DerivedSeries& series, const Catalogue& catalogue, int rank) {
    if (series.subject.kind == SubjectKind::Gpu)
        return series.subject.rank == rank;
    return series.node >= 0 && series.node == nodeOf(catalogue.runs[series.run], rank);
}

std::vector<Bucket> nothingKnown(int columns) {
    Bucket bucket;
    fill(bucket, static_cast<float>(kUnknown));
    return std::vector<Bucket>(static_cast<std::size_t>(columns), bucket);
}

// True where samples of a part are on an engine.
bool hasRemoteLeaf(const LaneRequest& request, const DerivedSet& set) {
    for (const DerivedSeries& derived : set.series) {
        for (const analysis::StepLeaf& leaf : derived.program.leaves) {
            const auto& all = request.catalogue.runs;
            const bool isThere = std::ranges::any_of(all, [&](const auto& run) {
                return std::ranges::any_of(run.series, [&](const Series& one) {
                    return one.id == leaf.series && isRemote(request, one);
                });
            });
            if (isThere)
                return true;
        }
    }
    return false;
}

bool isOfMachine(const DerivedSeries& series) {
    return std::ranges::any_of(series.program.leaves,
        [](const auto& leaf) { return leaf.description.subject.kind != SubjectKind::Run; });
}

LaneData emptyLane(const LaneRequest& request, const LaneSpec& spec, std::string why) {
    LaneData lane;
    lane.spec = spec;
    lane.title = derivedTitle(spec.metric, request.catalogue, request.runs);
    lane.subtitle = std::move(why);
    return lane;
}

// Reads the series of a derived lane one by one.
class DerivedReading {
public:
    DerivedReading(const LaneRequest& request, const DerivedSet& set)
        : m_request(request) {
        std::int64_t changes = 0;
        for (const DerivedSeries& one : set.series)
            changes += one.program.changesIn(windowOf(one));
        m_isExact = changes <= kChangesAtOnce;
    }
    Result<std::vector<Bucket>> buckets(const DerivedSeries& one) {
        ASSIGN_OR_RETURN(const auto found,
            DerivedCache::shared().find(
                m_request.store, one.program, m_request.patience, m_request.isCancelled));
        m_done += found.pyramid ? 1.0 : found.done;
        ++m_read;
        m_isComing = m_isComing || !found.pyramid;
        const analysis::StepFigures whole
            = found.pyramid ? found.pyramid->whole() : analysis::StepFigures();
        m_extent.add(whole.min.value_or(kUnknown), whole.max.value_or(kUnknown));
        const TimeRange window = windowOf(one);
        if (m_isExact)
            return analysis::stepBuckets(m_request.store, one.program, window, m_request.columns,
                [this] { return !m_request.isCancelled || !m_request.isCancelled(); });
        return found.pyramid ? found.pyramid->buckets(window, m_request.columns)
                             : nothingKnown(m_request.columns);
    }
    [[nodiscard]] bool isComing() const { return m_isComing; }
    [[nodiscard]] LaneExtent extent() const { return m_extent; }
    // "42 % computed"
    [[nodiscard]] std::string progressText() const {
        return fmt::format("{:.0f} % computed", 100.0 * m_done / std::max(1.0, m_read));
    }

private:
    [[nodiscard]] TimeRange windowOf(const DerivedSeries& one) const {
        const TimeNs origin = m_request.runs[one.run].origin;
        return {origin + m_request.window.begin, origin + m_request.window.end};
    }

    const LaneRequest& m_request;
    bool m_isExact = true;
    bool m_isComing = false;
    double m_done = 0.0;
    double m_read = 0.0;
    LaneExtent m_extent;
};

// While the whole is not known: of what is seen.
void addSeen(const LaneSeries& series, LaneExtent& extent) {
    for (const Bucket& bucket : series.buckets)
        extent.add(static_cast<double>(bucket.min), static_cast<double>(bucket.max));
}

const DerivedSeries* speakerOf(const DerivedSet& lane, std::size_t run, int rank, int node) {
    const DerivedSeries* found = nullptr;
    std::size_t count = 0;
    for (const DerivedSeries& one : lane.series) {
        if (one.run != run)
            continue;
        const bool isGpu = one.subject.kind == SubjectKind::Gpu;
        if ((isGpu && one.subject.rank == rank) || (!isGpu && one.node >= 0 && one.node == node))
            return &one;
        found = &one;
        ++count;
    }
    return count == 1 ? found : nullptr;
}

} // namespace

bool isDerivedIn(const Catalogue& catalogue, const LaneSpec& lane) {
    return analysis::isFormula(lane.metric) && selectSeries(catalogue, lane).empty();
}

std::string derivedTitle(
    const std::string& formula, const Catalogue& catalogue, const std::vector<ShownRun>& runs) {
    const auto parsed = analysis::parseFormula(formula);
    if (!parsed.hasValue())
        return formula;
    const auto labelOf = [&catalogue](std::string_view name) {
        const Metric* metric = metricOf(catalogue, name);
        return metric == nullptr || metric->label.empty() ? std::string(name) : metric->label;
    };
    const auto runOf = [&runs](std::size_t run) {
        return run < runs.size() ? runs[run].name : fmt::format("run {}", run + 1);
    };
    return analysis::titleOf(parsed.value(), {labelOf, runOf});
}

Result<DerivedSet> resolveDerived(
    const LaneSpec& lane, const Catalogue& catalogue, const std::vector<ShownRun>& runs) {
    ASSIGN_OR_RETURN(const auto parsed, analysis::parseFormula(lane.metric));
    ASSIGN_OR_RETURN(auto parts, FormulaResolver(catalogue, runs).resolve(parsed.formula, false));
    std::erase_if(parts.all, [&](const DerivedSeries& one) {
        return lane.rank && !isOfRank(one, catalogue, *lane.rank);
    });
    if (parts.all.empty())
        return Error{ErrorCode::NotFound, "None of it is of that GPU.", {}};
    return DerivedSet{
        derivedTitle(lane.metric, catalogue, runs), std::move(parts.unit), std::move(parts.all)};
}

Result<LaneData> loadDerivedLane(const LaneRequest& request, const LaneSpec& spec) {
    const auto resolved = resolveDerived(spec, request.catalogue, request.runs);
    if (!resolved.hasValue())
        return emptyLane(request, spec, resolved.error().message);
    const DerivedSet& set = resolved.value();
    if (hasRemoteLeaf(request, set))
        return emptyLane(request, spec,
            "The samples of its parts are on an engine; lanes are derived from recorded ones.");
    LaneData lane;
    lane.spec = spec;
    lane.isStepped = std::ranges::any_of(set.series, isOfMachine);
    const std::size_t count = set.series.size();
    LanePreparation preparation(lane,
        drawnStyle(spec.style, count, set.series.front().subject.kind), request.columns, count,
        request.detail);
    DerivedReading reading(request, set);
    LaneExtent seen;
    for (const DerivedSeries& one : set.series) {
        if (request.isCancelled && request.isCancelled())
            return cancelled();
        ASSIGN_OR_RETURN(auto buckets, reading.buckets(one));
        LaneSeries series{
            one.run, one.subject, one.node, {}, one.label, std::move(buckets), {}, {}, {}};
        addSeen(series, seen);
        preparation.add(std::move(series));
    }
    preparation.finish();
    lane.isComing = reading.isComing();
    const LaneExtent whole = reading.extent();
    Metric metric;
    metric.unit = set.unit;
    metric.label = set.title;
    setAxis(lane, metric, whole.isEmpty() || lane.isComing ? seen : whole);
    setTexts(lane, metric);
    if (lane.isComing)
        lane.subtitle
            = reading.progressText() + (lane.subtitle.empty() ? "" : ", ") + lane.subtitle;
    return lane;
}

Result<std::optional<double>> derivedAt(const store::Store& store, const DerivedSet& lane,
    std::size_t run, int rank, int node, TimeNs time) {
    const DerivedSeries* speaker = speakerOf(lane, run, rank, node);
    if (speaker == nullptr)
        return std::optional<double>();
    ASSIGN_OR_RETURN(const double value, analysis::stepAt(store, speaker->program, time));
    return std::optional(value);
}

Result<analysis::StepFigures> derivedFigures(const store::Store& store, const DerivedSet& lane,
    std::size_t run, TimeRange window, const std::function<bool()>& isCancelled) {
    const analysis::KeepGoing keepGoing = [&isCancelled] { return !isCancelled || !isCancelled(); };
    analysis::StepFigures all;
    double means = 0.0;
    double known = 0.0;
    for (const DerivedSeries& one : lane.series) {
        if (one.run != run || window.isEmpty())
            continue;
        ASSIGN_OR_RETURN(const auto found,
            DerivedCache::shared().find(store, one.program, Patience::None, isCancelled));
        ASSIGN_OR_RETURN(const auto part,
            found.pyramid ? found.pyramid->figures(store, one.program, window, keepGoing)
                          : analysis::stepFigures(store, one.program, window, keepGoing));
        if (!part.mean)
            continue;
        means += *part.mean;
        ++known;
        const double low = part.min.value_or(kUnknown);
        const double high = part.max.value_or(kUnknown);
        all.min = std::min(all.min.value_or(low), low);
        all.max = std::max(all.max.value_or(high), high);
        all.covered = std::max(all.covered, part.covered);
    }
    if (known > 0.0)
        all.mean = means / known;
    return all;
}

} // namespace trainscope::figures
