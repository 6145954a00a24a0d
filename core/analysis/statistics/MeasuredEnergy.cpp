#include "core/analysis/statistics/MeasuredEnergy.h"

#include "core/analysis/statistics/Means.h"
#include "core/analysis/statistics/SampleWalk.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/model/CounterRule.h"
#include "core/model/Metric.h"
#include "core/model/Try.h"
#include "core/text/Numbers.h"

#include <algorithm>
#include <cmath>
#include <utility>

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

// The changes on both sides of moments, in one pass.
class ChangesAround {
public:
    struct Place {
        std::optional<CounterChange> before; // or at it
        std::optional<CounterChange> after;
    };

    ChangesAround(const SeriesDescription& counter, std::vector<TimeNs> moments)
        : m_rule(counter)
        , m_moments(std::move(moments))
        , m_places(m_moments.size()) { }

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
    [[nodiscard]] bool isDone() const { return m_next == m_moments.size(); }
    [[nodiscard]] std::vector<Place> finished() && {
        for (std::size_t i = m_next; i < m_places.size(); ++i)
            m_places[i].before = m_change;
        return std::move(m_places);
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
        for (; m_next < m_moments.size() && m_moments[m_next] < change.time; ++m_next)
            m_places[m_next] = {m_change, change};
        if (m_changes++ == 0)
            m_firstChange = change.time;
        m_change = change;
    }

    CounterRule m_rule;
    std::vector<TimeNs> m_moments;
    std::vector<Place> m_places;
    std::size_t m_next = 0;
    std::size_t m_changes = 0;
    TimeNs m_firstChange;
    bool m_isFirst = true;
    double m_counted = 0.0;
    std::optional<CounterChange> m_last; // the value as it was recorded
    std::optional<CounterChange> m_change;
};

void sortMoments(std::vector<TimeNs>& moments) {
    std::sort(moments.begin(), moments.end());
    moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
}

// The integral of a power from the first of some moments to each.
class PowerAtMoments {
public:
    static Result<PowerAtMoments> of(const store::Store& store, const std::optional<Series>& power,
        std::vector<TimeNs> moments, const KeepGoing& keepGoing) {
        sortMoments(moments);
        PowerAtMoments result;
        result.m_moments = std::move(moments);
        result.m_joules.assign(result.m_moments.size(), 0.0);
        result.m_covered.assign(result.m_moments.size(), 0.0);
        if (power && result.m_moments.size() > 1)
            RETURN_IF_ERROR(result.read(store, *power, keepGoing));
        return result;
    }

    struct Part {
        double joules = 0.0;
        double coveredS = 0.0;
    };
    // The part between two of the moments.
    [[nodiscard]] Part between(TimeNs begin, TimeNs end) const {
        const std::size_t from = indexOf(begin);
        const std::size_t to = indexOf(end);
        return {m_joules[to] - m_joules[from], m_covered[to] - m_covered[from]};
    }

private:
    [[nodiscard]] std::size_t indexOf(TimeNs moment) const {
        return static_cast<std::size_t>(
            std::lower_bound(m_moments.begin(), m_moments.end(), moment) - m_moments.begin());
    }
    Status read(const store::Store& store, const Series& power, const KeepGoing& keepGoing) {
        ASSIGN_OR_RETURN(const DurationNs gap, gapLimitOf(store, power, keepGoing));
        SampleWalk walk(store, power.id, m_moments.front(), gap, {}, keepGoing);
        for (std::size_t i = 1; i < m_moments.size(); ++i) {
            ASSIGN_OR_RETURN(const auto piece, walk.to(m_moments[i]));
            m_joules[i] = m_joules[i - 1] + piece.line.integral();
            m_covered[i] = m_covered[i - 1] + piece.line.length().seconds();
        }
        return {};
    }

    std::vector<TimeNs> m_moments;
    std::vector<double> m_joules;
    std::vector<double> m_covered; // s
};

// Places of moments, in order.
struct Places {
    std::vector<TimeNs> moments;
    std::vector<ChangesAround::Place> places;
    double stepS = 0.0; // mean, of the counter

    [[nodiscard]] const ChangesAround::Place& at(TimeNs moment) const {
        const auto found = std::lower_bound(moments.begin(), moments.end(), moment);
        return places[static_cast<std::size_t>(found - moments.begin())];
    }
};

Result<Places> placesOf(const store::Store& store, const std::optional<Series>& counter,
    std::vector<TimeNs> moments, const KeepGoing& keepGoing) {
    Places result;
    result.places.resize(moments.size());
    result.moments = std::move(moments);
    if (!counter || result.moments.empty())
        return result;
    ChangesAround changes(counter->description, result.moments);
    bool isStopped = false;
    RETURN_IF_ERROR(store.forEachSample(counter->id,
        {result.moments.front() - kCounterLead, kAllTime.end}, [&](auto times, auto values) {
            changes.add(times, values);
            isStopped = keepGoing && !keepGoing();
            return !isStopped && !changes.isDone();
        }));
    if (isStopped)
        return cancelled();
    result.stepS = changes.meanStepS();
    result.places = std::move(changes).finished();
    return result;
}

class EnergyReader {
public:
    EnergyReader(const EnergySeries& series, const Places& places, const PowerAtMoments& power)
        : m_series(series)
        , m_places(places)
        , m_power(power) { }

    [[nodiscard]] std::optional<Energy> of(TimeRange range) const {
        const auto& begin = m_places.at(range.begin);
        const auto& end = m_places.at(range.end);
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
                sum.stepS = m_places.stepS;
            sum.add(m_power.between(range.begin, from));
            sum.add(m_power.between(to, range.end));
        } else {
            sum.add(m_power.between(range.begin, range.end));
        }
        return sum.energy(range, m_series);
    }
    // The counter's first and last change around the windows, as far as the window reaches.
    [[nodiscard]] std::optional<TimeRange> countedIn(TimeRange window) const {
        std::optional<TimeRange> known;
        for (const auto& place : m_places.places) {
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

        void add(PowerAtMoments::Part part) {
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
    static double stepOf(const ChangesAround::Place& place) {
        return place.before && place.after ? (place.after->time - place.before->time).seconds()
                                           : 0.0;
    }
    // Between two changes as the power does, where it is known all the time; else evenly.
    [[nodiscard]] double counterAt(const ChangesAround::Place& place, TimeNs moment) const {
        if (!place.before || moment <= place.before->time)
            return place.before ? place.before->joules : place.after ? place.after->joules : 0.0;
        if (!place.after || moment >= place.after->time)
            return place.after ? place.after->joules : place.before->joules;
        const auto [from, to] = std::pair(*place.before, *place.after);
        const auto whole = m_power.between(from.time, to.time);
        const double length = (to.time - from.time).seconds();
        const bool isKnown = whole.joules > 0.0 && whole.coveredS > 0.999 * length;
        const double share = isKnown ? m_power.between(from.time, moment).joules / whole.joules
                                     : (moment - from.time).seconds() / length;
        return from.joules + share * (to.joules - from.joules);
    }

    const EnergySeries& m_series;
    const Places& m_places;
    const PowerAtMoments& m_power;
};

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
    std::vector<TimeNs> moments;
    for (const TimeRange& window : windows) {
        if (window.isEmpty())
            continue;
        moments.push_back(window.begin);
        moments.push_back(window.end);
    }
    sortMoments(moments);
    ASSIGN_OR_RETURN(const auto places, placesOf(store, series.counter, moments, keepGoing));
    for (const auto& place : places.places) {
        for (const auto& change : {place.before, place.after}) {
            if (change)
                moments.push_back(change->time);
        }
    }
    ASSIGN_OR_RETURN(
        const auto power, PowerAtMoments::of(store, series.power, std::move(moments), keepGoing));
    const EnergyReader reader(series, places, power);
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

} // namespace trainscope::analysis
