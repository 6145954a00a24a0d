#include "core/analysis/telemetry/AboveLimit.h"

#include "core/analysis/StudyPass.h"
#include "core/analysis/statistics/SampleWalk.h"
#include "core/analysis/statistics/SeriesStatistics.h"
#include "core/analysis/statistics/TimeRanges.h"

namespace trainscope::analysis {

namespace {

constexpr std::int64_t kSamplesPerLook = 65'536;

// The limit as it holds in time.
class LimitInTime {
public:
    explicit LimitInTime(double watts)
        : m_constant(watts) { }

    // Reads a recorded limit, which hardly ever changes.
    Status read(const store::Store& store, const Series& limit) {
        return store.forEachSample(limit.id, kAllTime, [this](auto times, auto values) {
            for (std::size_t i = 0; i < times.size(); ++i) {
                const bool isKnown = values[i] > 0.0; // not NaN
                if (isKnown && (m_changes.empty() || m_changes.back().second != values[i]))
                    m_changes.emplace_back(times[i], values[i]);
            }
            return true;
        });
    }

    // tell(part of the range, limit in it), in order; before the first reading that one holds.
    template <typename Tell>
    void forEach(TimeRange range, const Tell& tell) const {
        if (m_changes.empty())
            return tell(range, m_constant);
        auto next = std::upper_bound(m_changes.begin(), m_changes.end(), range.begin,
            [](TimeNs time, const auto& change) { return time < change.first; });
        double held = next == m_changes.begin() ? next->second : std::prev(next)->second;
        TimeNs from = range.begin;
        for (; next != m_changes.end() && next->first < range.end; ++next) {
            tell(TimeRange{from, next->first}, held);
            from = next->first;
            held = next->second;
        }
        tell(TimeRange{from, range.end}, held);
    }

private:
    double m_constant;
    std::vector<std::pair<TimeNs, double>> m_changes;
};

class AboveMeter {
public:
    AboveMeter(const LimitInTime& limit, TimeRange window, KeepSteps keep)
        : m_limit(limit)
        , m_window(window)
        , m_keep(keep) { }

    // A value and until when it holds, in order; NaN for a missing one.
    void hold(TimeRange range, double watts) {
        const TimeRange part = shared(range, m_window);
        if (std::isnan(watts) || part.isEmpty())
            return;
        m_covered = m_covered + part.length();
        see(watts);
        m_limit.forEach(part, [this, watts](TimeRange piece, double limit) {
            m_found.limitW = std::max(m_found.limitW, limit);
            if (watts > limit)
                addAbove(piece, watts);
        });
    }
    void see(double watts) { m_highest = std::max(m_highest, watts); }

    [[nodiscard]] bool hasValues() const { return std::isfinite(m_highest); }
    AboveLimit finish() {
        m_found.seconds = m_above.length().seconds();
        m_found.coveredSeconds = m_covered.seconds();
        m_found.share = m_covered.ns > 0 ? m_found.seconds / m_found.coveredSeconds : 0.0;
        m_found.highestW = m_highest;
        m_found.joules = m_above.integral();
        return std::move(m_found);
    }

private:
    void addAbove(TimeRange range, double watts) {
        if (range.isEmpty())
            return;
        m_above.add(watts, range.length());
        if (m_keep == KeepSteps::No)
            return;
        auto& steps = m_found.steps;
        const bool goesOn = !steps.empty() && steps.back().range.end == range.begin
            && steps.back().watts == watts;
        if (goesOn)
            steps.back().range.end = range.end;
        else
            steps.push_back({range, watts});
    }

    const LimitInTime& m_limit;
    TimeRange m_window;
    KeepSteps m_keep;
    AboveLimit m_found;
    TimeSum m_above;
    DurationNs m_covered;
    double m_highest = -std::numeric_limits<double>::infinity();
};

// From the sample that holds when the window begins.
Status measure(const store::Store& store, const Series& power, TimeRange window, AboveMeter& meter,
    const Progress& progress) {
    ASSIGN_OR_RETURN(const auto before, store.lastBefore(power.id, window.begin));
    std::optional<store::Sample> held = before;
    TimeNs end = window.end;
    SampleCursor cursor(store, power.id, {window.begin, kAllTime.end});
    RETURN_IF_ERROR(cursor.start());
    for (std::int64_t i = 1; !cursor.atEnd(); ++i) {
        if (i % kSamplesPerLook == 0 && progress && !progress({"Reading power", 0, 0}))
            return cancelled();
        if (held)
            meter.hold({held->time, cursor.time()}, held->value);
        if (cursor.time() >= end)
            return {};
        held = store::Sample{cursor.time(), cursor.value()};
        if (!std::isnan(held->value))
            meter.see(held->value);
        RETURN_IF_ERROR(cursor.next());
    }
    return {};
}

} // namespace

Result<std::optional<AboveLimit>> aboveLimitOf(const store::Store& store, const Run& run,
    const GpuSeries& gpu, TimeRange window, KeepSteps keep, const Progress& progress) {
    const auto power = gpu.find(metric::kGpuPower);
    const auto known = powerLimitOf(run, gpu);
    if (power == gpu.end() || !known)
        return std::optional<AboveLimit>();
    LimitInTime limit(known->watts);
    const auto recorded = gpu.find(metric::kPowerLimit);
    if (recorded != gpu.end() && recorded->second.min < recorded->second.max)
        RETURN_IF_ERROR(limit.read(store, recorded->second));
    AboveMeter meter(limit, window, keep);
    RETURN_IF_ERROR(measure(store, power->second, window, meter, progress));
    if (!meter.hasValues())
        return std::optional<AboveLimit>();
    AboveLimit found = meter.finish();
    found.rank = power->second.description.subject.rank;
    found.source = known->origin;
    if (found.limitW == 0.0) // a single sample holds for no time
        found.limitW = known->watts;
    return std::optional(std::move(found));
}

Result<std::vector<AboveLimit>> aboveLimits(
    const RunStudy& study, TimeRange window, KeepSteps keep) {
    ASSIGN_OR_RETURN(const auto series, study.store.series(study.run.id));
    std::vector<GpuSeries> gpus;
    for (auto& [rank, gpu] : gpuSeriesByRank(series))
        gpus.push_back(gpu);
    std::vector<AboveLimit> all;
    const auto read
        = [&](const store::Store& store, const GpuSeries& gpu, const Progress& progress) {
              return aboveLimitOf(store, study.run, gpu, window, keep, progress);
          };
    RETURN_IF_ERROR(forEachPart(study, "Reading power", gpus, read, collectInto(all)));
    return all;
}

std::optional<LimitShare> together(const std::vector<AboveLimit>& gpus) {
    if (gpus.empty())
        return std::nullopt;
    LimitShare all = gpus.front();
    for (std::size_t i = 1; i < gpus.size(); ++i) {
        const LimitShare& gpu = gpus[i];
        if (gpu.limitW > all.limitW)
            all.source = gpu.source;
        all.limitW = std::max(all.limitW, gpu.limitW);
        all.highestW = std::max(all.highestW, gpu.highestW);
        all.seconds += gpu.seconds;
        all.coveredSeconds += gpu.coveredSeconds;
        all.joules += gpu.joules;
    }
    all.share = all.coveredSeconds > 0.0 ? all.seconds / all.coveredSeconds : 0.0;
    return all;
}

std::vector<TimeRange> staysAbove(const std::vector<PowerStep>& steps) {
    std::vector<TimeRange> stays;
    for (const PowerStep& step : steps) {
        if (!stays.empty() && stays.back().end == step.range.begin)
            stays.back().end = step.range.end;
        else
            stays.push_back(step.range);
    }
    return stays;
}

TimeRange longestStay(const AboveLimit& gpu) {
    TimeRange longest{};
    for (const TimeRange& stay : staysAbove(gpu.steps)) {
        if (stay.length() > longest.length())
            longest = stay;
    }
    return longest;
}

} // namespace trainscope::analysis
