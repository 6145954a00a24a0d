#include "core/analysis/telemetry/ThermalFit.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <limits>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kLeastMoments = 32;
constexpr double kLeastChangeC = 2.0;
constexpr double kLeastExplained = 0.5;
constexpr int kCoarseSteps = 48; // of the logarithmic search
constexpr int kFineSteps = 40; // of the golden section

struct Moments {
    std::vector<double> power; // of every step; holes filled with the value before
    std::vector<double> temperature; // NaN where missing
    double step = 0.0; // s
    std::size_t known = 0;
    double mean = 0.0;
    double variance = 0.0;
    double range = 0.0;
};

Moments momentsOf(const UniformSeries& power, const UniformSeries& temperature) {
    Moments out;
    out.step = power.step.seconds();
    const std::size_t n = std::min(power.values.size(), temperature.values.size());
    double held = std::numeric_limits<double>::quiet_NaN();
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    double sum = 0.0;
    double squares = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        held = std::isnan(power.values[i]) ? held : power.values[i];
        if (std::isnan(held))
            continue; // the model starts with the first known power
        const double t = temperature.values[i];
        out.power.push_back(held);
        out.temperature.push_back(t);
        if (std::isnan(t))
            continue;
        ++out.known;
        sum += t;
        squares += t * t;
        low = std::min(low, t);
        high = std::max(high, t);
    }
    if (out.known == 0)
        return out;
    const auto count = static_cast<double>(out.known);
    out.mean = sum / count;
    out.variance = squares / count - out.mean * out.mean;
    out.range = high - low;
    return out;
}

struct Candidate {
    double tau = 0.0;
    double residual = std::numeric_limits<double>::infinity(); // mean square
    double resistance = 0.0;
    double rest = 0.0;
};

// With τ given the model is linear: T = T_rest + R·x + d·exp(−t/τ), x the power behind a low pass.
Candidate solve(const Moments& moments, double tau) {
    const double decay = std::exp(-moments.step / tau);
    double filtered = moments.power.front();
    double transient = 1.0;
    Eigen::Matrix3d normal = Eigen::Matrix3d::Zero();
    Eigen::Vector3d right = Eigen::Vector3d::Zero();
    double squares = 0.0;
    for (std::size_t i = 0; i < moments.power.size(); ++i) {
        if (!std::isnan(moments.temperature[i])) {
            const double t = moments.temperature[i] - moments.mean;
            const Eigen::Vector3d row(1.0, filtered, transient);
            normal += row * row.transpose();
            right += row * t;
            squares += t * t;
        }
        filtered += (1.0 - decay) * (moments.power[i] - filtered);
        transient *= decay;
    }
    const Eigen::LDLT<Eigen::Matrix3d> factors(normal);
    const Eigen::Vector3d solution = factors.solve(right);
    Candidate out;
    out.tau = tau;
    if (!solution.allFinite())
        return out;
    out.residual
        = std::max(squares - solution.dot(right), 0.0) / static_cast<double>(moments.known);
    out.rest = solution[0] + moments.mean;
    out.resistance = solution[1];
    return out;
}

// The best τ on a logarithmic grid, then a golden section between its neighbours.
Candidate search(const Moments& moments, double shortest, double longest) {
    const double ratio = std::pow(longest / shortest, 1.0 / kCoarseSteps);
    Candidate best;
    for (int i = 0; i <= kCoarseSteps; ++i) {
        const Candidate one = solve(moments, shortest * std::pow(ratio, i));
        if (one.residual < best.residual)
            best = one;
    }
    const double golden = (std::sqrt(5.0) - 1.0) / 2.0;
    double low = std::log(std::max(best.tau / ratio, shortest));
    double high = std::log(std::min(best.tau * ratio, longest));
    for (int i = 0; i < kFineSteps; ++i) {
        const double left = high - golden * (high - low);
        const double right = low + golden * (high - low);
        if (solve(moments, std::exp(left)).residual < solve(moments, std::exp(right)).residual)
            high = right;
        else
            low = left;
    }
    return solve(moments, std::exp((low + high) / 2.0));
}

} // namespace

std::optional<ThermalFit> fitThermal(const UniformSeries& power, const UniformSeries& temperature) {
    const Moments moments = momentsOf(power, temperature);
    if (moments.known < kLeastMoments || moments.range < kLeastChangeC || moments.step <= 0.0)
        return std::nullopt;
    const double shortest = 2.0 * moments.step;
    const double longest = moments.step * static_cast<double>(moments.power.size());
    if (shortest >= longest)
        return std::nullopt;
    const Candidate best = search(moments, shortest, longest);
    const double explained = 1.0 - best.residual / moments.variance;
    const bool isAtEdge = best.tau < shortest * 1.01 || best.tau > longest * 0.99;
    if (isAtEdge || !(explained >= kLeastExplained) || best.resistance <= 0.0)
        return std::nullopt;
    return ThermalFit{best.tau, best.resistance, best.rest, std::sqrt(best.residual), explained};
}

} // namespace trainscope::analysis
