#include "core/analysis/telemetry/Burstiness.h"

#include "core/analysis/StudyPass.h"
#include "core/analysis/derived/DerivedSteps.h"
#include "core/analysis/statistics/Distribution.h"
#include "core/analysis/statistics/TimeRanges.h"

#include <unsupported/Eigen/FFT>

#include <complex>
#include <numbers>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kLeastSteps = 16;
// The main lobe of the window around 0 holds what is left of the mean and of slow drift.
constexpr std::size_t kFirstBin = 3;

std::vector<double> withoutHoles(std::vector<double> values) {
    std::size_t last = values.size(); // none yet
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isnan(values[i]))
            continue;
        if (last == values.size()) {
            std::fill(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(i), values[i]);
        } else {
            for (std::size_t k = last + 1; k < i; ++k)
                values[k] = std::lerp(values[last], values[i],
                    static_cast<double>(k - last) / static_cast<double>(i - last));
        }
        last = i;
    }
    if (last == values.size())
        return {};
    std::fill(values.begin() + static_cast<std::ptrdiff_t>(last) + 1, values.end(), values[last]);
    return values;
}

// The longest even segment up to `most` without a large prime factor, with which the transform
// would take that many times longer. Short signals stay whole.
std::size_t segmentLength(std::size_t most) {
    constexpr std::size_t kShort = 4096;
    const auto isQuick = [](std::size_t length) {
        for (const std::size_t factor : {2U, 3U, 5U}) {
            while (length % factor == 0)
                length /= factor;
        }
        return length == 1;
    };
    std::size_t length = most & ~std::size_t{1}; // even, so that the half spectrum is whole
    while (length > kShort && !isQuick(length))
        length -= 2;
    return length;
}

// Amplitude of each bin, √ of the mean power of the segments; a sine on a bin shows its amplitude.
class Spectrum {
public:
    explicit Spectrum(std::size_t length)
        : m_window(length)
        , m_power(length / 2 + 1) {
        for (std::size_t i = 0; i < length; ++i)
            m_window[i] = 0.5
                - 0.5
                    * std::cos(2.0 * std::numbers::pi * static_cast<double>(i)
                        / static_cast<double>(length));
        m_fft.SetFlag(Eigen::FFT<double>::HalfSpectrum);
    }

    void add(const double* values) {
        double mean = 0.0;
        for (std::size_t i = 0; i < m_window.size(); ++i)
            mean += values[i];
        mean /= static_cast<double>(m_window.size());
        std::vector<double> windowed(m_window.size());
        for (std::size_t i = 0; i < m_window.size(); ++i)
            windowed[i] = (values[i] - mean) * m_window[i];
        std::vector<std::complex<double>> bins;
        m_fft.fwd(bins, windowed);
        for (std::size_t k = 0; k < m_power.size(); ++k)
            m_power[k] += std::norm(bins[k]);
        ++m_segments;
    }

    [[nodiscard]] std::vector<double> amplitudes() const {
        // The window's sum is half its length; a sine spreads half its amplitude to either side.
        const double scale = 4.0 / static_cast<double>(m_window.size());
        std::vector<double> out;
        for (const double power : m_power)
            out.push_back(scale * std::sqrt(power / static_cast<double>(m_segments)));
        return out;
    }

private:
    std::vector<double> m_window;
    std::vector<double> m_power;
    Eigen::FFT<double> m_fft;
    int m_segments = 0;
};

SpectralLine lineAt(const std::vector<double>& amplitudes, std::size_t k, double binHz) {
    const double before = amplitudes[k - 1];
    const double after = k + 1 < amplitudes.size() ? amplitudes[k + 1] : 0.0;
    const double ratio = std::max(before, after) / amplitudes[k];
    const double offset = (2.0 * ratio - 1.0) / (ratio + 1.0);
    const double turn = std::numbers::pi * offset;
    const double loss
        = std::abs(turn) < 1e-9 ? 1.0 : std::sin(turn) / turn / (1.0 - offset * offset);
    const double signedOffset = after >= before ? offset : -offset;
    return {(static_cast<double>(k) + signedOffset) * binHz, amplitudes[k] / loss, 0.5 * binHz,
        std::nullopt};
}

constexpr std::int64_t kChangesOfPiece = 1'000'000;
constexpr std::int64_t kMostPeakPieces = 8;

// Pieces of a window that are worth a worker each.
std::vector<TimeRange> peakPiecesOf(const StepProgram& sum, TimeRange window) {
    std::vector<TimeRange> pieces;
    const std::int64_t count
        = std::clamp<std::int64_t>(sum.changes() / kChangesOfPiece, 1, kMostPeakPieces);
    const DurationNs length{(window.length().ns + count - 1) / count};
    for (TimeNs begin = window.begin; begin < window.end; begin = pieces.back().end)
        pieces.push_back({begin, std::min(window.end, begin + length)});
    return pieces;
}

Result<std::optional<PowerPeaks>> peaksIn(const store::Store& store, const StepProgram& sum,
    TimeRange window, std::span<const TimeRange> parts, const Progress& progress) {
    std::optional<PowerPeaks> found;
    std::vector<std::optional<double>> ofParts(parts.size());
    std::size_t first = 0; // part that may hold what comes
    const auto see = [&](const Step& step) {
        if (std::isnan(step.value))
            return;
        if (!found || step.value > found->watts)
            found = PowerPeaks{step.value, step.range.begin, {}};
        while (first < parts.size() && parts[first].end <= step.range.begin)
            ++first;
        for (std::size_t i = first; i < parts.size() && parts[i].begin < step.range.end; ++i) {
            if (parts[i].overlaps(step.range))
                ofParts[i] = std::max(ofParts[i].value_or(step.value), step.value);
        }
    };
    const auto keepGoing = [&progress] { return !progress || progress({"Reading power", 0, 0}); };
    RETURN_IF_ERROR(forEachStep(store, sum, window, keepGoing, [&see](std::span<const Step> steps) {
        std::for_each(steps.begin(), steps.end(), see);
        return true;
    }));
    if (found)
        found->ofParts = std::move(ofParts);
    return found;
}

// Both of the same parts.
void joinPeaks(std::optional<PowerPeaks>& found, std::optional<PowerPeaks>&& later) {
    if (!later)
        return;
    if (!found) {
        found = std::move(later);
        return;
    }
    // An absent value is less than any.
    std::ranges::transform(found->ofParts, later->ofParts, found->ofParts.begin(),
        [](const auto& a, const auto& b) { return std::max(a, b); });
    if (later->watts > found->watts) {
        found->watts = later->watts;
        found->at = later->at;
    }
}

} // namespace

std::optional<Burst> burstOf(const UniformSeries& signal) {
    Burst burst;
    CompensatedSum sum;
    Distribution distribution;
    std::int64_t known = 0;
    double before = std::nan("");
    for (std::size_t i = 0; i < signal.values.size(); ++i) {
        const double value = signal.values[i];
        const double ramp = std::abs(value - before) / signal.step.seconds();
        before = value;
        if (std::isnan(value))
            continue;
        if (known++ == 0 || value > burst.peak) {
            burst.peak = value;
            burst.peakAt = signal.timeOf(i);
        }
        if (!std::isnan(ramp) && (!burst.maxRampPerS || ramp > *burst.maxRampPerS)) {
            burst.maxRampPerS = ramp;
            burst.maxRampAt = signal.timeOf(i);
        }
        sum.add(value);
        distribution.add(value, 1);
    }
    const double mean = known > 0 ? sum.value() / static_cast<double>(known) : 0.0;
    if (!(mean > 0.0))
        return std::nullopt;
    burst.peakToMean = burst.peak / mean;
    const double middle = distribution.quantile(0.5).value_or(0.0);
    burst.p99ToP50 = middle > 0.0 ? distribution.quantile(0.99).value_or(0.0) / middle : 0.0;
    return burst;
}

Result<std::optional<PowerPeaks>> powerPeaksOf(const RunStudy& study,
    std::span<const Series> powers, TimeRange window, std::span<const TimeRange> parts) {
    std::vector<StepProgram> programs;
    for (const Series& power : powers)
        programs.push_back(programOf(power));
    std::optional<PowerPeaks> found;
    if (programs.empty())
        return found;
    const StepProgram sum = sumOf(programs);
    const auto read = [&](const store::Store& store, TimeRange piece, const Progress& progress) {
        return peaksIn(store, sum, piece, parts, progress);
    };
    const auto take = [&found](TimeRange, std::optional<PowerPeaks>&& later) {
        joinPeaks(found, std::move(later));
        return Status();
    };
    RETURN_IF_ERROR(forEachPart(
        study, "Reading power", peakPiecesOf(sum, shared(window, sum.range())), read, take));
    return found;
}

Excursions excursionsAbove(const UniformSeries& signal, double limit) {
    Excursions out;
    std::int64_t inRow = 0;
    for (const double value : signal.values) {
        inRow = value > limit ? inRow + 1 : 0;
        out.count += inRow == 1 ? 1 : 0;
        out.seconds += inRow > 0 ? signal.step.seconds() : 0.0;
        out.longestSeconds
            = std::max(out.longestSeconds, static_cast<double>(inRow) * signal.step.seconds());
    }
    return out;
}

AmplitudeSpectrum amplitudeSpectrum(const UniformSeries& signal) {
    const std::vector<double> values = withoutHoles(signal.values);
    if (values.size() < kLeastSteps || signal.step.ns <= 0)
        return {};
    const std::size_t length = segmentLength(std::min(values.size(), kSegment));
    Spectrum spectrum(length);
    for (std::size_t from = 0; from + length <= values.size(); from += length / 2)
        spectrum.add(values.data() + from);
    return {1.0 / (signal.step.seconds() * static_cast<double>(length)), spectrum.amplitudes()};
}

std::vector<SpectralLine> strongestLines(const UniformSeries& signal, std::size_t most) {
    std::vector<SpectralLine> lines;
    const auto [binHz, amplitudes] = amplitudeSpectrum(signal);
    if (amplitudes.empty())
        return lines;
    const double floor = kLineToNoise
        * upperMedian(std::vector<double>(amplitudes.begin() + kFirstBin, amplitudes.end()));
    for (std::size_t k = kFirstBin; k < amplitudes.size(); ++k) {
        const bool isPeak = amplitudes[k] > amplitudes[k - 1]
            && (k + 1 == amplitudes.size() || amplitudes[k] >= amplitudes[k + 1]);
        if (isPeak && amplitudes[k] > floor)
            lines.push_back(lineAt(amplitudes, k, binHz));
    }
    std::stable_sort(lines.begin(), lines.end(),
        [](const auto& a, const auto& b) { return a.amplitude > b.amplitude; });
    if (lines.size() > most)
        lines.resize(most);
    return lines;
}

void tieToFrequency(std::vector<SpectralLine>& lines, double frequencyHz, double errorHz) {
    for (SpectralLine& line : lines) {
        const double order = std::round(line.frequencyHz / frequencyHz);
        // Beyond this everything is a multiple within the error.
        const double error = line.frequencyErrorHz + order * errorHz;
        const bool isClear = order >= 1.0 && error < frequencyHz / 4.0;
        if (isClear && std::abs(line.frequencyHz - order * frequencyHz) <= error)
            line.harmonic = static_cast<int>(order);
    }
}

} // namespace trainscope::analysis
