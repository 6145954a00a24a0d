#include "core/analysis/traces/PowerEdges.h"

#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/telemetry/Correlation.h"
#include "core/analysis/telemetry/UniformSeries.h"
#include "core/analysis/traces/KernelCategory.h"
#include "core/model/Try.h"

#include <cmath>
#include <unordered_set>

namespace trainscope::analysis {

namespace {

constexpr double kLeastKnownShare = 0.6; // share of the pattern that must lie over known values
// Standard errors of a difference of two fits, and for the best of many.
constexpr double kCertainty = 5.0;

// Sums of the known values of a signal, to have those of any window at once.
class WindowSums {
public:
    // The sums are those of deviations from the mean of all known values.
    explicit WindowSums(std::span<const double> signal) {
        double sum = 0.0;
        double count = 0.0;
        for (const double value : signal) {
            sum += std::isnan(value) ? 0.0 : value;
            count += std::isnan(value) ? 0.0 : 1.0;
        }
        const double mean = count > 0.0 ? sum / count : 0.0;
        m_sums.push_back({});
        for (const double value : signal) {
            Sums next = m_sums.back();
            if (!std::isnan(value)) {
                next.count += 1.0;
                next.sum += value - mean;
                next.squares += (value - mean) * (value - mean);
            }
            m_sums.push_back(next);
        }
    }
    // Sum of squared deviations in [first, last), clipped.
    [[nodiscard]] double spread(std::ptrdiff_t first, std::ptrdiff_t last) const {
        const Sums& a = m_sums[clipped(first)];
        const Sums& b = m_sums[clipped(last)];
        const double count = b.count - a.count;
        const double sum = b.sum - a.sum;
        return count > 0.0 ? b.squares - a.squares - sum * sum / count : 0.0;
    }

    [[nodiscard]] double sum(std::ptrdiff_t first, std::ptrdiff_t last) const {
        return m_sums[clipped(last)].sum - m_sums[clipped(first)].sum;
    }

private:
    struct Sums {
        double count = 0.0;
        double sum = 0.0;
        double squares = 0.0;
    };
    [[nodiscard]] std::size_t clipped(std::ptrdiff_t index) const {
        return static_cast<std::size_t>(
            std::clamp<std::ptrdiff_t>(index, 0, std::ssize(m_sums) - 1));
    }
    std::vector<Sums> m_sums;
};

// Correlation at every lag −signal … +signal; −1 where too little of the pattern lies over it.
std::vector<double> correlations(std::span<const double> pattern, std::span<const double> signal) {
    const std::size_t most = signal.size() + pattern.size();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> x(2 * most, nan);
    std::vector<double> y(2 * most, nan);
    // The pattern stands in the middle, so that the signal may begin before it.
    std::copy(pattern.begin(), pattern.end(), x.begin() + std::ssize(signal));
    std::copy(signal.begin(), signal.end(), y.begin() + std::ssize(signal));
    const auto covariance = laggedCovariance(x, y, most);
    const WindowSums ofSignal(signal);
    const WindowSums ofPattern(pattern);
    const double least = kLeastKnownShare * static_cast<double>(pattern.size());
    std::vector<double> result(covariance.values.size(), -1.0);
    for (std::size_t i = 0; i < result.size(); ++i) {
        const auto lag = static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(most);
        const std::ptrdiff_t end = lag + std::ssize(pattern);
        const std::ptrdiff_t rest = std::ssize(signal) - lag;
        const double spread = ofSignal.spread(lag, end) * ofPattern.spread(-lag, rest);
        if (covariance.pairs[i] < least || spread <= 0.0)
            continue;
        // The means of what lies over each other, not of the whole.
        const double products = covariance.values[i] * covariance.pairs[i]
            - ofSignal.sum(lag, end) * ofPattern.sum(-lag, rest) / covariance.pairs[i];
        result[i] = std::clamp(products / std::sqrt(spread), -1.0, 1.0);
    }
    return result;
}

constexpr double kLeastSamples = 16.0; // power samples while the trace lasts
constexpr std::size_t kMostEdgeSteps = std::size_t{1} << 16U;
constexpr int kStepsPerSample = 4;
constexpr double kLeastCorrelation = 0.5;
constexpr double kWaitingWeight = 0.3; // a kernel of communication mostly waits
constexpr double kUsualAveraging = 1.0; // s, of sensors that average

struct RankSources {
    std::optional<Series> power;
    std::vector<Track> streams;
    std::optional<TimeRange> traced;
};

class LagFinder {
public:
    LagFinder(const store::Store& store, const Progress& progress)
        : m_store(store)
        , m_progress(progress) { }

    Result<TelemetryLags> find(const Run& run) {
        ASSIGN_OR_RETURN(const auto series, m_store.series(run.id));
        ASSIGN_OR_RETURN(const auto tracks, m_store.tracks(run.id));
        ASSIGN_OR_RETURN(const auto names, m_store.names(run.id));
        for (const auto& [id, text] : names) {
            if (KernelCategories::isCommunication(text))
                m_waiting.insert(id);
        }
        for (const auto& [rank, sources] : sourcesOf(series, tracks)) {
            if (m_progress && !m_progress({"Comparing power and kernels", 0, 0}))
                return cancelled();
            if (!sources.power || !sources.traced)
                continue;
            RETURN_IF_ERROR(compare(rank, sources));
        }
        return std::move(m_result);
    }

private:
    static std::map<int, RankSources> sourcesOf(
        const std::vector<Series>& series, const std::vector<Track>& tracks) {
        std::map<int, RankSources> result;
        for (const Series& power : gpuSeriesOf(gpuSeriesByRank(series), metric::kGpuPower))
            result[power.description.subject.rank].power = power;
        for (const Track& track : tracks) {
            if (track.description.kind != TrackKind::Stream || track.count == 0)
                continue;
            RankSources& sources = result[track.description.rank];
            sources.streams.push_back(track);
            auto& range = sources.traced;
            range = spanned(range.value_or(track.range), track.range);
        }
        return result;
    }

    Status compare(int rank, const RankSources& sources) {
        const Series& power = *sources.power;
        const double period = samplingPeriod(power).seconds();
        const double length = sources.traced->length().seconds();
        UniformSeries grid = gridOf({&power, 1}, kMostEdgeSteps);
        if (period <= 0.0 || grid.values.empty()) {
            m_result.unknown.push_back({rank, "Its power was recorded for no time at all."});
            return {};
        }
        if (length < kLeastSamples * period) {
            m_result.unknown.push_back({rank,
                "Its trace lasts for fewer than " + std::to_string(static_cast<int>(kLeastSamples))
                    + " samples of its power."});
            return {};
        }
        const std::int64_t finest = grid.step.ns / kStepsPerSample;
        const std::int64_t steps = power.range.length().ns / std::max<std::int64_t>(1, finest);
        if (finest > 0 && steps < static_cast<std::int64_t>(kMostEdgeSteps)) {
            grid.step = {finest};
            grid.values.assign(static_cast<std::size_t>(steps) + 1, 0.0);
        }
        ASSIGN_OR_RETURN(const auto watts, resample(m_store, power, grid));
        ASSIGN_OR_RETURN(const auto busy, busyOf(sources, grid.step));
        add(rank, power, grid, watts.values, busy, sources.traced->begin);
        return {};
    }

    void add(int rank, const Series& power, const UniformSeries& grid,
        const std::vector<double>& watts, const std::vector<double>& busy, TimeNs traceBegin) {
        const double step = grid.step.seconds();
        const double apart = (grid.begin - traceBegin).seconds();
        const double period = samplingPeriod(power).seconds();
        const PatternFit fit = fitPattern(busy, watts, apart / step, std::max(1.0, period / step));
        if (fit.correlation < kLeastCorrelation) {
            m_result.unknown.push_back({rank, "Its power does not follow its kernels anywhere."});
            return;
        }
        const bool averages = power.description.sensor == SensorKind::Averaged;
        TelemetryLag lag;
        lag.rank = rank;
        // A sample holds until the next, so what is drawn lies half a period late.
        lag.lagS = fit.lag * step + apart - period / 2.0;
        lag.errorS = fit.error * step + period / 2.0 + (averages ? kUsualAveraging / 2.0 : 0.0);
        lag.correlation = fit.correlation;
        lag.isAmbiguous = fit.isAmbiguous;
        m_result.ranks.push_back(lag);
    }

    // Share of each step with kernels on any stream.
    Result<std::vector<double>> busyOf(const RankSources& sources, DurationNs step) const {
        const TimeRange range = *sources.traced;
        const auto count = static_cast<std::size_t>(range.length().ns / step.ns + 1);
        std::vector<double> busy(std::min(count, kMostEdgeSteps), 0.0);
        for (const Track& track : sources.streams) {
            ASSIGN_OR_RETURN(const auto groups, m_store.lodNodes(track.id, range, step));
            for (const store::LodNode& group : groups) {
                if (group.depth == 0 && group.kind == SpanKind::Kernel)
                    addGroup(busy, group, range.begin, step);
            }
        }
        for (double& share : busy)
            share = std::min(share, 1.0);
        return busy;
    }

    void addGroup(std::vector<double>& busy, const store::LodNode& group, TimeNs begin,
        DurationNs step) const {
        const double width = static_cast<double>(step.ns);
        const double first = static_cast<double>((group.range.begin - begin).ns) / width;
        const double last = static_cast<double>((group.range.end - begin).ns) / width;
        const double weight = static_cast<double>(group.busyFraction)
            * (m_waiting.contains(group.name) ? kWaitingWeight : 1.0);
        for (auto i = static_cast<std::size_t>(std::max(0.0, first));
             i < busy.size() && static_cast<double>(i) < last; ++i) {
            const auto at = static_cast<double>(i);
            busy[i] += weight * std::max(0.0, std::min(last, at + 1.0) - std::max(first, at));
        }
    }

    const store::Store& m_store;
    const Progress& m_progress;
    std::unordered_set<NameId> m_waiting; // kernels of communication
    TelemetryLags m_result;
};

} // namespace

PatternFit fitPattern(std::span<const double> pattern, std::span<const double> signal,
    double offset, double stepsPerValue) {
    PatternFit fit;
    fit.correlation = -1.0;
    if (pattern.empty() || signal.empty())
        return fit;
    const std::vector<double> values = correlations(pattern, signal);
    const double best = *std::ranges::max_element(values);
    if (best <= 0.0)
        return fit;
    // Correlation that noise alone may take off the best fit.
    const double slack = kCertainty * (1.0 - best * best)
        / std::sqrt(static_cast<double>(pattern.size()) / stepsPerValue);
    const double enough = best - std::max(slack, 1e-6);
    const auto middle = static_cast<double>(pattern.size() + signal.size());
    double nearest = std::numeric_limits<double>::infinity();
    int stretches = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] < enough)
            continue;
        const std::size_t first = i;
        std::size_t peak = i;
        for (; i < values.size() && values[i] >= enough; ++i)
            peak = values[i] > values[peak] ? i : peak;
        ++stretches;
        const double lag = static_cast<double>(peak) - middle + peakShift(values, peak);
        if (std::abs(lag + offset) >= nearest)
            continue;
        nearest = std::abs(lag + offset);
        fit.lag = lag;
        fit.error = std::max(0.5, static_cast<double>(i - first) / 2.0);
        fit.correlation = values[peak];
    }
    fit.isAmbiguous = stretches > 1;
    return fit;
}

Result<TelemetryLags> telemetryLags(const RunStudy& study) {
    return LagFinder(study.store, study.progress).find(study.run);
}

} // namespace trainscope::analysis
