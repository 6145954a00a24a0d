#pragma once
// Burstiness of power: bursts of the summed power of a cluster, and the lines of its spectrum.

#include "core/analysis/telemetry/UniformSeries.h"

namespace trainscope::analysis {

// Bursts of the summed power of a cluster on equal steps. Steps where power is missing are left
// out; a ramp needs two neighbours.

struct Burst {
    double peakToMean = 0.0;
    double p99ToP50 = 0.0;
    double peak = 0.0; // W
    TimeNs peakAt;
    // Largest change between neighbouring steps, up or down, W/s; absent where no two neighbours
    // are known.
    std::optional<double> maxRampPerS;
    TimeNs maxRampAt;
};
// Absent without a positive mean.
std::optional<Burst> burstOf(const UniformSeries& signal);

// The largest sum of powers, each reading held until the next, which equal steps smooth.
struct PowerPeaks {
    double watts = 0.0;
    TimeNs at;
    std::vector<std::optional<double>> ofParts; // absent where the powers are never known together
};
// In the window, and in each of those parts of it, whose begins and ends are in order. Absent where
// the powers are never known together. Reads every reading; cancelled by progress.
Result<std::optional<PowerPeaks>> powerPeaksOf(const RunStudy& study,
    std::span<const Series> powers, TimeRange window, std::span<const TimeRange> parts);

// Times in a row above a limit.
struct Excursions {
    std::int64_t count = 0;
    double seconds = 0.0;
    double longestSeconds = 0.0;
};
Excursions excursionsAbove(const UniformSeries& signal, double limit);

// The strongest periodic parts of a signal, such as the summed power of a cluster: lines of its
// amplitude spectrum under a Hann window.
//
// Frequency and amplitude of a line are interpolated between the bins (for a Hann window exact for
// a single sine: J. C. Burgess, "On digital spectrum analysis of periodic signals", JASA 58 (1975);
// the ratio of the two largest bins gives the offset). Signals longer than kSegment are cut into
// segments that overlap by half, whose powers are averaged (P. D. Welch, 1967). Missing values are
// filled along a straight line, since zeros would make lines of their own.

struct SpectralLine {
    double frequencyHz = 0.0;
    double amplitude = 0.0; // a sine's, in the signal's unit: half its peak-to-peak swing
    double frequencyErrorHz = 0.0; // half a bin: lines closer than two bins are not told apart
    std::optional<int> harmonic; // multiple of the frequency given to tieToFrequency(); 1: itself
};

// Marks the lines that are a multiple of a frequency (such as that of the iterations), within the
// error of both.
void tieToFrequency(std::vector<SpectralLine>& lines, double frequencyHz, double errorHz);

inline constexpr std::size_t kSegment = std::size_t{1} << 20U;

// At most `most` lines, strongest first; only those that stand out by kLineToNoise from the median
// of the spectrum. Needs at least 16 steps, else there are none.
inline constexpr double kLineToNoise = 5.0;
// The amplitude of each bin, from 0 Hz: a sine on a bin shows its amplitude. Empty for fewer than
// 16 steps.
struct AmplitudeSpectrum {
    double binHz = 0.0;
    std::vector<double> amplitudes;
};
AmplitudeSpectrum amplitudeSpectrum(const UniformSeries& signal);
std::vector<SpectralLine> strongestLines(const UniformSeries& signal, std::size_t most);

} // namespace trainscope::analysis
