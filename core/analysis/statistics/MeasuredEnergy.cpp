#include "core/analysis/statistics/MeasuredEnergy.h"

#include "core/analysis/statistics/Accumulators.h"
#include "core/analysis/statistics/SampleWalk.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/catalogue/GpuModel.h"
#include "core/model/Try.h"
#include "core/text/Numbers.h"

namespace trainscope::analysis {
namespace {

// Counters of GPUs change every 20 to 100 ms, and are recorded every 10 s at the rarest; what is
// rarer is found where it is read whole.
constexpr DurationNs kCounterLead{60'000'000'000};

constexpr double kContradiction = 0.1; // share of the mean; sensors and counters differ by less
constexpr double kSameTime = 0.9; // share of both recordings, so that their means can be compared

// A counter in another unit than its head says, or one that stood still or fell, tells nothing.
bool contradicts(const Series& counter, const Series& power) {
    const TimeRange both = shared(counter.range, power.range);
    const double longest
        = std::max(counter.range.length().seconds(), power.range.length().seconds());
    if (both.isEmpty() || both.length().seconds() < kSameTime * longest || !(power.mean > 0.0))
        return false;
    const double rate = (counter.last - counter.first) / counter.range.length().seconds();
    return !(std::abs(rate / power.mean - 1.0) <= kContradiction);
}

// So much had been counted when the counter changed.
struct CounterChange {
    TimeNs time;
    double joules = 0.0;
};

// The changes on both sides of a moment.
struct Place {
    std::optional<CounterChange> before; // or at it
    std::optional<CounterChange> after;
};

struct CounterSteps {
    std::map<TimeNs, Place> places;
    double meanS = 0.0; // between two changes
};

// Fills the places in one pass.
class ChangesAround {
public:
    ChangesAround(const SeriesDescription& counter, std::map<TimeNs, Place>& places)
        : m_rule(counter)
        , m_places(places)
        , m_next(places.begin()) { }

    void add(std::span<const TimeNs> times, std::span<const double> values) {
        for (std::size_t i = 0; i < times.size(); ++i) {
            if (!std::isnan(values[i]))
                add(times[i], values[i]);
        }
    }
    // Mean time between the changes so far, s.
    [[nodiscard]] double meanStepS() const {
        return m_changes > 1
            ? (m_change->time - m_firstChange).seconds() / static_cast<double>(m_changes - 1)
            : 0.0;
    }
    [[nodiscard]] bool isDone() const { return m_next == m_places.end(); }
    void finish() {
        for (; !isDone(); ++m_next)
            m_next->second.before = m_change;
    }

private:
    // The first value may have stood for long: it is a change only where the second differs.
    void add(TimeNs time, double value) {
        if (!m_last) {
            m_last = {time, value};
            return;
        }
        const bool isSecond = std::exchange(m_isFirst, false);
        if (value == m_last->joules)
            return;
        if (isSecond)
            tell({m_last->time, 0.0});
        m_counted += m_rule.step(elapsedNs(m_last->time, time), m_last->joules, value).counted;
        m_last = {time, value};
        tell({time, m_counted});
    }
    void tell(CounterChange change) {
        for (; !isDone() && m_next->first < change.time; ++m_next)
            m_next->second = {m_change, change};
        if (m_changes++ == 0)
            m_firstChange = change.time;
        m_change = change;
    }

    CounterRule m_rule;
    std::map<TimeNs, Place>& m_places;
    std::map<TimeNs, Place>::iterator m_next;
    std::size_t m_changes = 0;
    TimeNs m_firstChange;
    bool m_isFirst = true;
    double m_counted = 0.0;
    std::optional<CounterChange> m_last; // the value as it was recorded
    std::optional<CounterChange> m_change;
};

Result<CounterSteps> stepsAround(const store::Store& store, const std::optional<Series>& counter,
    const std::set<TimeNs>& moments, const KeepGoing& keepGoing) {
    CounterSteps steps;
    for (const TimeNs moment : moments)
        steps.places[moment];
    if (!counter || moments.empty())
        return steps;
    ChangesAround changes(counter->description, steps.places);
    bool isStopped = false;
    RETURN_IF_ERROR(store.forEachSample(
        counter->id, {*moments.begin() - kCounterLead, kAllTime.end}, [&](auto times, auto values) {
            changes.add(times, values);
            isStopped = keepGoing && !keepGoing();
            return !isStopped && !changes.isDone();
        }));
    if (isStopped)
        return cancelled();
    steps.meanS = changes.meanStepS();
    changes.finish();
    return steps;
}

struct PowerPart {
    double joules = 0.0;
    double coveredS = 0.0;
};

// The integral of a power from the first of some moments to each.
using PowerAtMoments = std::map<TimeNs, PowerPart>;

Result<PowerAtMoments> powerAt(const store::Store& store, const std::optional<Series>& power,
    const std::set<TimeNs>& moments, const KeepGoing& keepGoing) {
    PowerAtMoments all;
    for (const TimeNs moment : moments)
        all[moment];
    if (!power || moments.size() < 2)
        return all;
    ASSIGN_OR_RETURN(const DurationNs gap, gapLimitOf(store, *power, keepGoing));
    SampleWalk walk(store, power->id, *moments.begin(), gap, {}, keepGoing);
    PowerPart sum;
    for (auto& [moment, part] : all) {
        ASSIGN_OR_RETURN(const auto piece, walk.to(moment));
        sum.joules += piece.line.integral();
        sum.coveredS += piece.line.length().seconds();
        part = sum;
    }
    return all;
}

class EnergyReader {
public:
    EnergyReader(const EnergySeries& series, const CounterSteps& steps, const PowerAtMoments& power)
        : m_series(series)
        , m_steps(steps)
        , m_power(power) { }

    [[nodiscard]] std::optional<Energy> of(TimeRange range) const {
        const auto& begin = m_steps.places.at(range.begin);
        const auto& end = m_steps.places.at(range.end);
        Sum sum;
        TimeNs from = range.begin;
        TimeNs to = range.end;
        if (const auto counted = countedIn(range)) {
            from = std::min(range.end, counted->begin);
            to = std::max(from, counted->end);
            sum.add({counterAt(end, to) - counterAt(begin, from), (to - from).seconds()});
            sum.countedS = (to - from).seconds();
            sum.stepS = std::max(stepOf(begin), stepOf(end));
            if (sum.stepS <= 0.0)
                sum.stepS = m_steps.meanS;
            sum.add(between(range.begin, from));
            sum.add(between(to, range.end));
        } else {
            sum.add(between(range.begin, range.end));
        }
        return sum.energy(range, m_series);
    }
    // The counter's first and last change around the windows, as far as the window reaches.
    [[nodiscard]] std::optional<TimeRange> countedIn(TimeRange window) const {
        std::optional<TimeRange> known;
        for (const auto& [moment, place] : m_steps.places) {
            for (const auto& change : {place.before, place.after}) {
                if (change)
                    known = spanned(known.value_or(kNoTime), {change->time, change->time});
            }
        }
        if (!known || known->begin >= known->end)
            return std::nullopt;
        const TimeRange both = shared(*known, window);
        return both.isEmpty() ? std::nullopt : std::optional(both);
    }

private:
    struct Sum {
        double joules = 0.0;
        double coveredS = 0.0;
        double countedS = 0.0;
        double stepS = 0.0;

        void add(PowerPart part) {
            joules += part.joules;
            coveredS += part.coveredS;
        }
        [[nodiscard]] std::optional<Energy> energy(
            TimeRange window, const EnergySeries& series) const {
            if (coveredS <= 0.0)
                return std::nullopt;
            Energy result{joules, std::min(1.0, coveredS / window.length().seconds())};
            const bool isCounted = 2.0 * countedS >= coveredS;
            result.source = isCounted ? EnergySource::Counter : EnergySource::Power;
            result.resolutionS = isCounted ? stepS
                : series.power             ? series.power->period.seconds()
                                           : 0.0;
            return result;
        }
    };
    static double stepOf(const Place& place) {
        return place.before && place.after ? (place.after->time - place.before->time).seconds()
                                           : 0.0;
    }
    // The part between two of the moments.
    [[nodiscard]] PowerPart between(TimeNs begin, TimeNs end) const {
        const PowerPart& from = m_power.at(begin);
        const PowerPart& to = m_power.at(end);
        return {to.joules - from.joules, to.coveredS - from.coveredS};
    }
    // Between two changes as the power does, where it is known all the time; else evenly.
    [[nodiscard]] double counterAt(const Place& place, TimeNs moment) const {
        if (!place.before || moment <= place.before->time)
            return place.before ? place.before->joules : place.after ? place.after->joules : 0.0;
        if (!place.after || moment >= place.after->time)
            return place.after ? place.after->joules : place.before->joules;
        const auto [from, to] = std::pair(*place.before, *place.after);
        const auto whole = between(from.time, to.time);
        const double length = (to.time - from.time).seconds();
        const bool isKnown = whole.joules > 0.0 && whole.coveredS > 0.999 * length;
        const double share = isKnown ? between(from.time, moment).joules / whole.joules
                                     : (moment - from.time).seconds() / length;
        return from.joules + share * (to.joules - from.joules);
    }

    const EnergySeries& m_series;
    const CounterSteps& m_steps;
    const PowerAtMoments& m_power;
};

// Absent where a GPU has no power, or for another part of the run than its node.
std::optional<double> gpuJoulesOf(const RunSummary& summary, const NodeSummary& node) {
    CompensatedSum joules;
    bool hasGpus = false;
    for (const GpuSummary& gpu : summary.gpus) {
        if (gpu.gpu.node != node.node || summary.secondDies.contains(gpu.gpu.rank))
            continue;
        if (!gpu.energy
            || std::abs(gpu.energy->coverage - node.energy->coverage) > kComparedCoverage)
            return std::nullopt;
        hasGpus = true;
        joules.add(gpu.energy->joules);
    }
    return hasGpus ? std::optional(joules.value()) : std::nullopt;
}

// Coverage is the mean of the parts', 0 for those without.
class EnergySum {
public:
    void add(const std::optional<Energy>& energy) {
        ++m_parts;
        if (!energy)
            return;
        m_isKnown = true;
        m_joules.add(energy->joules);
        m_coverage.add(energy->coverage);
    }
    [[nodiscard]] std::optional<Energy> total() const {
        if (!m_isKnown)
            return std::nullopt;
        return Energy{m_joules.value(), m_coverage.value() / m_parts};
    }

private:
    CompensatedSum m_joules;
    CompensatedSum m_coverage;
    int m_parts = 0;
    bool m_isKnown = false;
};

using DiePair = std::pair<const GpuSummary*, const GpuSummary*>;

// Empty where some GPU has no other half.
std::vector<DiePair> diePairsOf(const std::vector<GpuSummary>& gpus) {
    std::map<std::pair<int, int>, DiePair> byPlace; // node and package
    for (const GpuSummary& gpu : gpus) {
        if (gpu.gpu.local < 0)
            return {};
        DiePair& pair = byPlace[{gpu.gpu.node, gpu.gpu.local / 2}];
        (gpu.gpu.local % 2 == 0 ? pair.first : pair.second) = &gpu;
    }
    std::vector<DiePair> pairs;
    for (const auto& [place, pair] : byPlace) {
        if (pair.first == nullptr || pair.second == nullptr)
            return {};
        pairs.push_back(pair);
    }
    return pairs;
}

enum class DieKnowledge { TwoDies, OneDie, Unknown };
DieKnowledge diesOf(const std::vector<GpuSummary>& gpus) {
    for (const GpuSummary& gpu : gpus) {
        if (const auto* model = catalogue::findGpuModel(gpu.gpu.model))
            return model->gpusPerCard == 2 ? DieKnowledge::TwoDies : DieKnowledge::OneDie;
    }
    return DieKnowledge::Unknown;
}

} // namespace

EnergySeries energySeriesOf(const GpuSeries& gpu) {
    EnergySeries result;
    if (const auto found = gpu.find(metric::kGpuEnergy);
        found != gpu.end() && found->second.description.metric.kind == MetricKind::Counter)
        result.counter = found->second;
    if (const auto found = gpu.find(metric::kGpuPower); found != gpu.end())
        result.power = found->second;
    if (result.counter && result.power && contradicts(*result.counter, *result.power))
        result.counter.reset();
    return result;
}

Result<std::vector<std::optional<Energy>>> measuredEnergies(const store::Store& store,
    const EnergySeries& series, const std::vector<TimeRange>& windows, const KeepGoing& keepGoing) {
    std::set<TimeNs> moments;
    for (const TimeRange& window : windows) {
        if (!window.isEmpty())
            moments.insert({window.begin, window.end});
    }
    ASSIGN_OR_RETURN(const auto steps, stepsAround(store, series.counter, moments, keepGoing));
    for (const auto& [moment, place] : steps.places) {
        for (const auto& change : {place.before, place.after}) {
            if (change)
                moments.insert(change->time);
        }
    }
    ASSIGN_OR_RETURN(const auto power, powerAt(store, series.power, moments, keepGoing));
    const EnergyReader reader(series, steps, power);
    std::vector<std::optional<Energy>> result;
    for (const TimeRange& window : windows)
        result.push_back(window.isEmpty() ? std::nullopt : reader.of(window));
    return result;
}

std::optional<Energy> combinedEnergy(const std::vector<Energy>& parts, std::size_t subjects) {
    if (parts.empty())
        return std::nullopt;
    Energy result{0.0, 0.0};
    CompensatedSum joules;
    for (const Energy& part : parts) {
        joules.add(part.joules);
        result.coverage += part.coverage / static_cast<double>(subjects);
        result.resolutionS = std::max(result.resolutionS, part.resolutionS);
    }
    const bool isCounted = std::all_of(parts.begin(), parts.end(),
        [](const Energy& part) { return part.source == EnergySource::Counter; });
    result.source = isCounted ? EnergySource::Counter : EnergySource::Power;
    result.joules = joules.value();
    return result;
}

std::string sourceText(const Energy& energy) {
    std::string text
        = energy.source == EnergySource::Counter ? "by the energy counter" : "by the power";
    if (energy.resolutionS > 0.0)
        text += ", resolution " + text::rounded(energy.resolutionS, "s");
    return text;
}

void addNodeEnergy(RunSummary& summary, const std::map<std::string, Energy>& switches) {
    EnergySum ofNodes;
    EnergySum ofSwitches;
    CompensatedSum rest;
    bool isWhole = true;
    for (NodeSummary& node : summary.nodes) {
        ofNodes.add(node.energy);
        if (!node.energy)
            continue;
        node.gpuJoules = gpuJoulesOf(summary, node);
        if (node.gpuJoules) {
            node.restJoules = node.energy->joules - *node.gpuJoules;
            rest.add(*node.restJoules);
        }
        isWhole = isWhole && node.restJoules.has_value();
    }
    for (const auto& [name, energy] : switches)
        ofSwitches.add(energy);
    summary.nodeEnergy = ofNodes.total();
    summary.switchEnergy = ofSwitches.total();
    if (summary.nodeEnergy && isWhole)
        summary.restJoules = rest.value();
}

std::set<int> secondDies(const std::vector<GpuSummary>& gpus) {
    const DieKnowledge known = diesOf(gpus);
    const auto pairs = diePairsOf(gpus);
    const bool mayBe
        = known == DieKnowledge::TwoDies || (known == DieKnowledge::Unknown && pairs.size() >= 2);
    if (pairs.empty() || !mayBe)
        return {};
    const bool isFirstAlone = std::all_of(pairs.begin(), pairs.end(),
        [](const DiePair& pair) { return pair.first->energy && !pair.second->energy; });
    const bool isTwice = known == DieKnowledge::TwoDies
        && std::all_of(pairs.begin(), pairs.end(), [](const DiePair& pair) {
               return pair.first->energy && pair.second->energy
                   && pair.first->energy->joules == pair.second->energy->joules;
           });
    std::set<int> ranks;
    for (const auto& [first, second] : pairs) {
        if (isFirstAlone || isTwice)
            ranks.insert(second->gpu.rank);
    }
    return ranks;
}

std::optional<Energy> energyOfGpus(
    const std::vector<GpuSummary>& gpus, const std::set<int>& secondDies) {
    std::vector<Energy> parts;
    std::size_t subjects = 0;
    for (const GpuSummary& gpu : gpus) {
        if (secondDies.contains(gpu.gpu.rank))
            continue;
        ++subjects;
        if (gpu.energy)
            parts.push_back(*gpu.energy);
    }
    return combinedEnergy(parts, subjects);
}

} // namespace trainscope::analysis
