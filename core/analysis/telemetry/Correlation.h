#pragma once
// Correlation of two signals, at once and when one lags behind the other.
//
// On a common grid, after a straight line is taken from each. The correlation at a lag is Pearson's
// over the steps that both signals cover at that lag. The peak is the lag of the strongest
// correlation, of either sign, and of several that are nearly as strong, as where signals repeat,
// a positive one, nearest to 0: the vertex of a parabola through the peak. A signal that is sampled
// rarely shows what was half a sampling period ago on average; the lag is without that. Its error
// follows from the curvature of the peak, the scatter around it and the variance of a correlation
// between signals that remember their past (M. S. Bartlett, "On the theoretical specification and
// sampling properties of autocorrelated time-series", 1946): the number of independent samples is n
// / Σ r_a(k)·r_b(k). Signals that repeat correlate again after every period; `period` says so.

#include "core/analysis/telemetry/UniformSeries.h"

namespace trainscope::analysis {

// Covariance of two signals on one grid for every shift between them: by the fast Fourier
// transform, with missing values left out of every sum.

struct LaggedCovariance {
    // At lag −most … +most; [most + k] belongs to lag k: the mean of x[i]·y[i + k] over the i where
    // both are known, x and y less their means. A positive lag: y follows x.
    std::vector<double> values;
    std::vector<double> pairs; // number of such i; values are 0 where there is none
    double deviationX = 0.0; // standard deviations
    double deviationY = 0.0;
};

// NaN: missing. x and y of equal length, most < that length.
LaggedCovariance laggedCovariance(
    std::span<const double> x, std::span<const double> y, std::size_t most);

// The autocorrelation at lag 0 … most, 1 at lag 0; all 0 for a signal that never changes.
std::vector<double> autocorrelation(std::span<const double> x, std::size_t most);

// Distance from i to the vertex of a parabola through the peak at i and its neighbours: −0.5 … 0.5
// steps.
double peakShift(const std::vector<double>& values, std::size_t i);

// The signal less its moving mean over `width` steps (cut off at the ends), NaN where it is NaN.
std::vector<double> withoutDrift(std::span<const double> values, std::size_t width);

struct Correlation {
    double atOnce = 0.0; // −1 … 1
    double peak = 0.0; // the strongest, with its sign
    double lagS = 0.0; // positive: b follows a
    double lagErrorS = 0.0; // about one standard error, at least a tenth of a step
    double independentSamples = 0.0;
    bool isSignificant = false; // the peak is beyond what independent signals show in 1 of 1000
    bool isAtEdge = false; // the strongest correlation is at the longest lag that was tried
    std::optional<double> periodS; // the nearest other lag with (nearly) the same correlation
    std::int64_t samples = 0; // steps that both know, at lag 0
};

// Absent where fewer than 16 steps are known in both or one of them never changes. Both on one
// grid; lags of up to maxLagS either way, at most half of the record.
std::optional<Correlation> correlate(
    const UniformSeries& a, const UniformSeries& b, double maxLagS);

} // namespace trainscope::analysis
