#include "core/analysis/iterations/PowerPeriod.h"
#include "core/analysis/statistics/Means.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/telemetry/Correlation.h"
#include "core/model/Try.h"

namespace trainscope::analysis {

namespace {

constexpr std::size_t kMostSpectrumSteps = std::size_t{1} << 20U;
constexpr std::size_t kLeastSteadySteps = 128; // fewer show no lines

constexpr std::size_t kLeastSignalSteps = 32;
constexpr std::size_t kLeastLag = 3;
constexpr std::size_t kLeastPeriods = 4; // in the record
constexpr std::size_t kScale = 4; // between two widths of drift
constexpr double kLeastPeriodicity = 0.15;
constexpr double kLeastProminence = 0.25;
constexpr double kNearBest = 0.6; // share of the greatest prominence
constexpr double kSurelyNotNoise = 5.0; // standard deviations of the autocorrelation of noise
constexpr double kNeighbours = 0.15; // share of the lag: one peak only
constexpr double kClearGain = 0.05; // gain in correlation
constexpr double kEdges = 1.2; // the same for one step
constexpr double kMultiple = 0.15;
constexpr double kFewPeriods = 2.0; // the correlation that a single period would need
constexpr double kMostParts = 0.6; // share of the record's parts that must agree
constexpr double kAgreeWithin = 0.1;

struct Peak {
    double lag = 0.0;
    double height = 0.0;
    double prominence = 0.0; // above the lowest point before it
};

double vertex(const std::vector<double>& curve, std::size_t k) {
    return static_cast<double>(k) + peakShift(curve, k);
}

bool isHighest(const std::vector<double>& curve, std::size_t k) {
    const auto reach = static_cast<std::size_t>(kNeighbours * static_cast<double>(k)) + 1;
    const std::size_t from = k - std::min(k, reach);
    const std::size_t to = std::min(k + reach + 1, curve.size());
    return std::max_element(curve.begin() + static_cast<std::ptrdiff_t>(from),
               curve.begin() + static_cast<std::ptrdiff_t>(to))
        == curve.begin() + static_cast<std::ptrdiff_t>(k);
}

std::vector<Peak> peaksOf(const std::vector<double>& correlation) {
    std::vector<Peak> peaks;
    double lowest = 1.0;
    for (std::size_t k = 1; k + 1 < correlation.size(); ++k) {
        lowest = std::min(lowest, correlation[k]);
        const Peak peak{vertex(correlation, k), correlation[k], correlation[k] - lowest};
        const bool stands = peak.height >= kLeastPeriodicity && peak.prominence >= kLeastProminence;
        if (k >= kLeastLag && stands && isHighest(correlation, k))
            peaks.push_back(peak);
    }
    return peaks;
}

// A short lag is known to a fraction of a step only; its multiples tell it better, as far as they
// are still alike.
double refined(const std::vector<double>& correlation, const Peak& peak) {
    double lag = peak.lag;
    for (std::size_t m = 2;
         static_cast<double>(m + 1) * lag < static_cast<double>(correlation.size()); m *= 2) {
        const auto from = static_cast<std::size_t>((static_cast<double>(m) - 0.25) * lag);
        const auto to = static_cast<std::size_t>((static_cast<double>(m) + 0.25) * lag) + 1;
        const auto best = std::max_element(correlation.begin() + static_cast<std::ptrdiff_t>(from),
            correlation.begin() + static_cast<std::ptrdiff_t>(to));
        if (*best < 0.5 * peak.height)
            break;
        const auto at = static_cast<std::size_t>(best - correlation.begin());
        if (at == from || at + 1 == to)
            break;
        lag = vertex(correlation, at) / static_cast<double>(m);
    }
    return lag;
}

// The mean squared difference between a part of the signal and what comes a lag later; NaN where
// nothing is known.
double differenceAfter(
    std::span<const double> signal, std::size_t begin, std::size_t length, double lag) {
    const auto whole = static_cast<std::size_t>(lag);
    const double part = lag - static_cast<double>(whole);
    double sum = 0.0;
    double count = 0.0;
    for (std::size_t i = begin; i < begin + length && i + whole + 1 < signal.size(); ++i) {
        const double later = signal[i + whole] * (1.0 - part) + signal[i + whole + 1] * part;
        const double difference = later - signal[i];
        if (std::isnan(difference))
            continue;
        sum += difference * difference;
        count += 1.0;
    }
    return sum / count;
}

// Gain in likeness of the signal to itself after the longer lag: the median over parts of that
// length, so that a minority of them (warm-up, pauses) does not count, less two standard errors of
// it.
double surelyGained(std::span<const double> signal, double longer, double shorter) {
    const auto length = static_cast<std::size_t>(std::ceil(longer));
    std::vector<double> gains;
    for (std::size_t begin = 0; begin + 2 * length + 1 < signal.size(); begin += length / 2 + 1) {
        const double gain = differenceAfter(signal, begin, length, shorter)
            - differenceAfter(signal, begin, length, longer);
        if (!std::isnan(gain))
            gains.push_back(gain);
    }
    if (gains.empty())
        return -std::numeric_limits<double>::infinity();
    const double middle = upperMedian(gains);
    std::vector<double> deviations;
    for (const double gain : gains)
        deviations.push_back(std::abs(gain - middle));
    // 1.48 and 1.25: from the median deviation to the standard error of a median, for a normal one.
    const double error
        = 1.48 * 1.25 * upperMedian(deviations) / std::sqrt(static_cast<double>(gains.size()));
    return middle - 2.0 * error;
}

class PeriodSearch {
public:
    explicit PeriodSearch(const std::vector<double>& values)
        : m_values(values) { }

    std::optional<SignalPeriod> run() {
        for (std::size_t most = m_values.size() / kLeastPeriods;
             most >= kLeastSignalSteps / kLeastPeriods; most /= kScale)
            collect(most);
        std::ranges::sort(m_peaks, {}, &Peak::lag);
        std::optional<Peak> chosen;
        for (const Peak& peak : m_peaks) {
            if (!chosen || isMoreAlike(peak.lag, chosen->lag))
                chosen = peak;
        }
        if (!chosen || !isShownByMostParts(chosen->lag))
            return std::nullopt;
        return SignalPeriod{chosen->lag, std::min(chosen->height, 1.0)};
    }

private:
    void collect(std::size_t most) {
        const auto correlation = autocorrelation(withoutDrift(m_values, 2 * most), most);
        std::vector<Peak> peaks = peaksOf(correlation);
        double best = 0.0;
        for (const Peak& peak : peaks)
            best = std::max(best, peak.prominence);
        const auto size = static_cast<double>(m_values.size());
        for (Peak& peak : peaks) {
            const double least
                = std::max(kSurelyNotNoise / std::sqrt(size), kFewPeriods * peak.lag / size);
            if (peak.prominence < kNearBest * best || peak.height < least)
                continue;
            peak.lag = refined(correlation, peak);
            const bool isKnown = std::ranges::any_of(m_peaks,
                [&](const Peak& one) { return std::abs(one.lag - peak.lag) < 0.05 * peak.lag; });
            if (!isKnown)
                m_peaks.push_back(peak);
        }
    }

    // True where the signal is clearly more like itself a longer lag later than a shorter one. A
    // short lag falls between two samples, where edges do not meet themselves, as they do after
    // some multiple of it.
    [[nodiscard]] bool isMoreAlike(double longer, double shorter) const {
        const auto window = static_cast<std::size_t>(std::ceil(longer));
        const auto signal = withoutDrift(m_values, 4 * window);
        double squares = 0.0;
        double count = 0.0;
        for (const double value : signal) {
            squares += std::isnan(value) ? 0.0 : value * value;
            count += std::isnan(value) ? 0.0 : 1.0;
        }
        const double ratio = longer / shorter;
        const bool isMultiple
            = std::abs(ratio - std::round(ratio)) < kMultiple * (1.0 + 0.1 * ratio);
        const double clear = kClearGain + (isMultiple ? kEdges / shorter : 0.0);
        return surelyGained(signal, longer, shorter) > clear * 2.0 * squares / std::max(count, 1.0);
    }

    [[nodiscard]] bool isShownByMostParts(double lag) const {
        const double periods = static_cast<double>(m_values.size()) / lag;
        const auto parts = static_cast<std::size_t>(std::clamp(periods / 8.0, 1.0, 8.0));
        const std::size_t length = m_values.size() / parts;
        const auto signal = withoutDrift(m_values, static_cast<std::size_t>(3.0 * lag));
        std::size_t agreeing = 0;
        for (std::size_t part = 0; part < parts; ++part) {
            const auto most
                = std::min(static_cast<std::size_t>(std::ceil(1.5 * lag)) + 1, length - 1);
            const auto values = std::span(signal).subspan(part * length, length);
            if (shows(autocorrelation(values, most), lag))
                ++agreeing;
        }
        return static_cast<double>(agreeing) >= kMostParts * static_cast<double>(parts);
    }

    [[nodiscard]] static bool shows(const std::vector<double>& correlation, double lag) {
        const auto from = static_cast<std::size_t>(0.7 * lag);
        const auto to = std::min(static_cast<std::size_t>(1.4 * lag) + 1, correlation.size());
        const auto begin = correlation.begin();
        const auto best = std::max_element(
            begin + static_cast<std::ptrdiff_t>(from), begin + static_cast<std::ptrdiff_t>(to));
        const double lowest = *std::min_element(begin, best + 1);
        const double at = static_cast<double>(best - begin);
        const bool agrees = std::abs(at - lag) <= std::max(kAgreeWithin * lag, 1.0);
        return agrees && *best >= kLeastPeriodicity && *best - lowest >= kLeastProminence;
    }

    const std::vector<double>& m_values;
    std::vector<Peak> m_peaks;
};

} // namespace

Result<std::optional<PowerSpectrum>> powerSpectrumOf(
    const RunStudy& study, bool wholeRun, std::size_t mostLines) {
    ASSIGN_OR_RETURN(const auto series, study.store.series(study.run.id));
    const auto all = gpuSeriesOf(gpuSeriesByRank(series), metric::kGpuPower);
    const auto power = recordedThroughout(all);
    if (power.empty() || !haveMostInCommon(power))
        return std::optional<PowerSpectrum>();
    PowerSpectrum made;
    std::ranges::copy_if(all, std::back_inserter(made.leftOut), [&power](const Series& one) {
        return std::ranges::none_of(
            power, [&one](const Series& other) { return other.id == one.id; });
    });
    made.state.window = study.run.range;
    if (!wholeRun) {
        ASSIGN_OR_RETURN(made.state, steadyStateOf(study));
    }
    if (!made.state.isWholeRun) {
        ASSIGN_OR_RETURN(made.power, sumOf(study, power, kMostSpectrumSteps, made.state.window));
        if (made.power.values.size() < kLeastSteadySteps) {
            made.state = {};
            made.state.window = study.run.range;
        }
    }
    if (made.state.isWholeRun) {
        ASSIGN_OR_RETURN(made.power, sumOf(study, power, kMostSpectrumSteps));
    }
    made.lines = strongestLines(made.power, mostLines);
    return std::optional(std::move(made));
}

std::optional<SignalPeriod> findPeriod(const UniformSeries& signal) {
    if (signal.values.size() < kLeastSignalSteps)
        return std::nullopt;
    return PeriodSearch(signal.values).run();
}

} // namespace trainscope::analysis
