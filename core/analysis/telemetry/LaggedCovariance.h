#pragma once
// Covariance of two signals on one grid for every shift between them: by the fast Fourier
// transform, with missing values left out of every sum.

#include <cstddef>
#include <span>
#include <vector>

namespace trainscope::analysis {

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

} // namespace trainscope::analysis
