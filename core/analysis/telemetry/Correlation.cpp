#include "core/analysis/telemetry/Correlation.h"

#include <bit>
#include <cmath>
#include <complex>
#include <unsupported/Eigen/FFT>

namespace trainscope::analysis {

namespace {

constexpr std::int64_t kLeastPairs = 16;
constexpr double kLeastOverlap = 0.25; // share of the steps that both know at lag 0
constexpr double kNearlyAsStrong = 0.95;
constexpr double kLeastError = 0.1; // steps
constexpr double kNearPeak = 0.7; // share of the peak's height
constexpr std::ptrdiff_t kMostReach = 200; // steps
// A normal deviate that is exceeded, either way, once in 1000.
constexpr double kOnceInThousand = 3.29;

// The signal less the straight line that fits it best.
std::vector<double> withoutTrend(const std::vector<double>& values) {
    double n = 0.0;
    double st = 0.0;
    double sv = 0.0;
    double stt = 0.0;
    double stv = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isnan(values[i]))
            continue;
        const double t = static_cast<double>(i) - 0.5 * static_cast<double>(values.size());
        n += 1.0;
        st += t;
        sv += values[i];
        stt += t * t;
        stv += t * values[i];
    }
    const double spread = n * stt - st * st;
    const double slope = spread > 0.0 ? (n * stv - st * sv) / spread : 0.0;
    const double level = n > 0.0 ? (sv - slope * st) / n : 0.0;
    std::vector<double> out = values;
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i]
            -= level + slope * (static_cast<double>(i) - 0.5 * static_cast<double>(values.size()));
    return out;
}

// n / Σ r_a(k)·r_b(k) over all lags of either sign, up to where noise would take over.
double independentOf(
    const std::vector<double>& a, const std::vector<double>& b, double n, std::size_t most) {
    const auto first = autocorrelation(a, most);
    const auto second = autocorrelation(b, most);
    double sum = 1.0;
    for (std::size_t k = 1; k < first.size(); ++k)
        sum += 2.0 * (1.0 - static_cast<double>(k) / n) * first[k] * second[k];
    return std::clamp(n / std::max(sum, 1.0), 1.0, n);
}

struct Curve {
    std::vector<double> values; // by lag from −most; 0 where too few steps overlap
    std::size_t most = 0;
};

Curve curveOf(const LaggedCovariance& covariance, std::size_t most) {
    Curve out{{}, most};
    const double scale = covariance.deviationX * covariance.deviationY;
    const double enough = kLeastOverlap * covariance.pairs[most];
    for (std::size_t i = 0; i < covariance.values.size(); ++i) {
        const bool isKnown = covariance.pairs[i] >= std::max(enough, 2.0);
        out.values.push_back(isKnown ? std::clamp(covariance.values[i] / scale, -1.0, 1.0) : 0.0);
    }
    return out;
}

double lagOf(const Curve& curve, std::size_t i) {
    return static_cast<double>(i) - static_cast<double>(curve.most);
}

std::size_t strongestOf(const Curve& curve) {
    const auto strongest = std::max_element(curve.values.begin(), curve.values.end(),
        [](double x, double y) { return std::abs(x) < std::abs(y); });
    return static_cast<std::size_t>(strongest - curve.values.begin());
}

// The strongest of all, or the top of another peak that is nearly as high: of signals that repeat
// all their lags are as good, and that they go together nearest to lag 0 is what is meant.
std::size_t nearestOfStrongest(const Curve& curve) {
    const std::size_t strongest = strongestOf(curve);
    const double height = std::abs(curve.values[strongest]);
    const auto isMeant = [&](std::size_t i, std::size_t k) {
        const bool isTogether = curve.values[i] > 0.0;
        return isTogether == (curve.values[k] > 0.0)
            ? std::abs(lagOf(curve, i)) < std::abs(lagOf(curve, k))
            : isTogether;
    };
    std::size_t nearest = strongest;
    for (std::size_t i = 0; i < curve.values.size(); ++i) {
        if (std::abs(curve.values[i]) >= kNearlyAsStrong * height && isMeant(i, nearest))
            nearest = i;
    }
    const double sign = curve.values[nearest] < 0.0 ? -1.0 : 1.0;
    const auto isOfPeak
        = [&](std::size_t i) { return sign * curve.values[i] >= kNearPeak * height; };
    std::size_t from = nearest;
    while (from > 0 && isOfPeak(from - 1))
        --from;
    std::size_t best = from;
    for (std::size_t i = from; i < curve.values.size() && isOfPeak(i); ++i)
        best = sign * curve.values[i] > sign * curve.values[best] ? i : best;
    return best;
}

bool isPeak(const Curve& curve, std::size_t i, double sign) {
    const double here = sign * curve.values[i];
    return i > 0 && i + 1 < curve.values.size() && here >= sign * curve.values[i - 1]
        && here > sign * curve.values[i + 1];
}

void addPeriod(const Curve& curve, std::size_t best, double step, Correlation& out) {
    const double sign = out.peak < 0.0 ? -1.0 : 1.0;
    for (std::size_t i = 0; i < curve.values.size(); ++i) {
        const bool isAsStrong = sign * curve.values[i] >= kNearlyAsStrong * std::abs(out.peak);
        if (i == best || !isAsStrong || !isPeak(curve, i, sign))
            continue;
        const double distance = std::abs(lagOf(curve, i) - lagOf(curve, best)) * step;
        if (distance > 1.5 * step)
            out.periodS = std::min(out.periodS.value_or(distance), distance);
    }
}

// Number of lags around the peak at which the curve stays near it, on both sides; noise may cut in
// for one lag.
std::ptrdiff_t reachOf(const Curve& curve, std::size_t best, double sign) {
    const auto last = static_cast<std::ptrdiff_t>(curve.values.size()) - 1;
    const auto at = static_cast<std::ptrdiff_t>(best);
    const double least = kNearPeak * sign * curve.values[best];
    const auto isNear = [&](std::ptrdiff_t i) {
        return i >= 0 && i <= last && sign * curve.values[static_cast<std::size_t>(i)] >= least;
    };
    std::ptrdiff_t reach = 1;
    while (reach < kMostReach && (isNear(at - reach - 1) || isNear(at - reach - 2))
        && (isNear(at + reach + 1) || isNear(at + reach + 2)))
        ++reach;
    return std::min({reach, at, last - at});
}

struct Parabola {
    double level = 0.0; // y = level + slope·x + bend·x²
    double slope = 0.0;
    double bend = 0.0;
    double slopeError = 0.0;
};

// Least squares over the points at −reach … +reach, which are symmetric, so that the slope stands
// alone.
Parabola fitted(const Curve& curve, std::size_t middle, std::ptrdiff_t reach) {
    double n = 0.0;
    double xx = 0.0;
    double xxxx = 0.0;
    double y = 0.0;
    double xy = 0.0;
    double xxy = 0.0;
    const auto valueAt = [&](std::ptrdiff_t x) {
        return curve.values[static_cast<std::size_t>(static_cast<std::ptrdiff_t>(middle) + x)];
    };
    for (std::ptrdiff_t i = -reach; i <= reach; ++i) {
        const auto x = static_cast<double>(i);
        n += 1.0;
        xx += x * x;
        xxxx += x * x * x * x;
        y += valueAt(i);
        xy += x * valueAt(i);
        xxy += x * x * valueAt(i);
    }
    Parabola out;
    out.slope = xy / xx;
    out.bend = (n * xxy - xx * y) / (n * xxxx - xx * xx);
    out.level = (y - out.bend * xx) / n;
    double squares = 0.0;
    for (std::ptrdiff_t i = -reach; i <= reach; ++i) {
        const auto x = static_cast<double>(i);
        const double off = valueAt(i) - out.level - out.slope * x - out.bend * x * x;
        squares += off * off;
    }
    out.slopeError = std::sqrt(squares / std::max(n - 3.0, 1.0) / xx);
    return out;
}

void addLag(const Curve& curve, std::size_t best, double step, Correlation& out) {
    out.peak = curve.values[best];
    out.isAtEdge = best == 0 || best + 1 == curve.values.size();
    out.lagS = lagOf(curve, best) * step;
    out.lagErrorS = step;
    if (out.isAtEdge)
        return;
    const double sign = out.peak < 0.0 ? -1.0 : 1.0;
    const std::ptrdiff_t reach = reachOf(curve, best, sign);
    const Parabola top = fitted(curve, best, reach);
    if (!(sign * top.bend < 0.0))
        return;
    const auto most = static_cast<double>(reach);
    const double shift = std::clamp(-0.5 * top.slope / top.bend, -most, most);
    out.lagS += shift * step;
    out.peak = std::clamp(top.level + shift * (top.slope + shift * top.bend), -1.0, 1.0);
    // Two kinds of noise move the vertex: what scatters from lag to lag, and what is as smooth as
    // the peak itself, of deviation √((1 − r²) / n).
    const double curvature = 2.0 * std::abs(top.bend);
    const double scattered = top.slopeError / curvature;
    const double smooth = std::sqrt((1.0 - out.peak * out.peak) / out.independentSamples)
        / std::sqrt(curvature * std::max(std::abs(out.peak), 1e-3));
    out.lagErrorS = step * std::max(std::hypot(scattered, smooth), kLeastError);
}

using ComplexSpectrum = std::vector<std::complex<double>>;

// A signal less its mean with zeros where it is missing, and ones where it is known.
struct Masked {
    std::vector<double> values;
    std::vector<double> known;
    bool isComplete = true;
    double deviation = 0.0;
};

Masked maskedOf(std::span<const double> signal, std::size_t length) {
    Masked out{std::vector<double>(length), std::vector<double>(length), true, 0.0};
    double sum = 0.0;
    double count = 0.0;
    for (const double value : signal) {
        sum += std::isnan(value) ? 0.0 : value;
        count += std::isnan(value) ? 0.0 : 1.0;
    }
    out.isComplete = count == static_cast<double>(signal.size());
    if (count == 0.0)
        return out;
    double squares = 0.0;
    for (std::size_t i = 0; i < signal.size(); ++i) {
        if (std::isnan(signal[i]))
            continue;
        out.values[i] = signal[i] - sum / count;
        out.known[i] = 1.0;
        squares += out.values[i] * out.values[i];
    }
    out.deviation = std::sqrt(squares / count);
    return out;
}

class Correlator {
public:
    explicit Correlator(std::size_t length)
        : m_length(length) {
        m_fft.SetFlag(Eigen::FFT<double>::HalfSpectrum);
    }

    // Σ x[i]·y[i + k] for every cyclic lag k.
    std::vector<double> products(const std::vector<double>& x, const std::vector<double>& y) {
        const ComplexSpectrum first = forward(x);
        return &x == &y ? products(first, first) : products(first, forward(y));
    }

private:
    ComplexSpectrum forward(const std::vector<double>& values) {
        ComplexSpectrum out;
        m_fft.fwd(out, values);
        return out;
    }
    std::vector<double> products(const ComplexSpectrum& x, const ComplexSpectrum& y) {
        ComplexSpectrum product(x.size());
        for (std::size_t k = 0; k < x.size(); ++k)
            product[k] = std::conj(x[k]) * y[k];
        std::vector<double> out(m_length);
        m_fft.inv(out, product, static_cast<Eigen::Index>(m_length));
        return out;
    }

    std::size_t m_length;
    Eigen::FFT<double> m_fft;
};

// Number of i with both x[i] and y[i + k], for every cyclic lag k up to `most`.
std::vector<double> pairsOf(
    Correlator& correlator, const Masked& x, const Masked& y, std::size_t size, std::size_t most) {
    if (!x.isComplete || !y.isComplete)
        return correlator.products(x.known, y.known);
    std::vector<double> pairs(x.known.size());
    for (std::size_t lag = 0; lag <= most; ++lag) {
        pairs[lag] = static_cast<double>(size - lag);
        pairs[(pairs.size() - lag) % pairs.size()] = pairs[lag];
    }
    return pairs;
}

// x and y may be the same.
LaggedCovariance covarianceOf(Correlator& correlator, const Masked& first, const Masked& second,
    std::size_t size, std::size_t most) {
    const std::size_t length = first.values.size();
    const auto sums = correlator.products(first.values, second.values);
    const auto pairs = pairsOf(correlator, first, second, size, most);
    LaggedCovariance out;
    out.deviationX = first.deviation;
    out.deviationY = second.deviation;
    for (std::size_t i = 0; i <= 2 * most; ++i) {
        const std::size_t at = (i + length - most) % length;
        out.pairs.push_back(std::max(std::round(pairs[at]), 0.0));
        out.values.push_back(out.pairs.back() > 0.0 ? sums[at] / out.pairs.back() : 0.0);
    }
    return out;
}

std::size_t lengthFor(std::size_t size, std::size_t most) {
    return std::bit_ceil(size + most + 1); // so that lags do not wrap
}

} // namespace

std::optional<Correlation> correlate(
    const UniformSeries& a, const UniformSeries& b, double maxLagS) {
    const std::size_t n = std::min(a.values.size(), b.values.size());
    const double step = a.step.seconds();
    if (n < static_cast<std::size_t>(kLeastPairs) || step <= 0.0)
        return std::nullopt;
    const auto x
        = withoutTrend({a.values.begin(), a.values.begin() + static_cast<std::ptrdiff_t>(n)});
    const auto y
        = withoutTrend({b.values.begin(), b.values.begin() + static_cast<std::ptrdiff_t>(n)});
    const double wanted = std::max(std::round(maxLagS / step), 1.0);
    const auto most
        = static_cast<std::size_t>(std::min(wanted, std::floor(static_cast<double>(n) / 2.0)));
    const LaggedCovariance covariance = laggedCovariance(x, y, most);
    const bool isFlat = !(covariance.deviationX > 0.0 && covariance.deviationY > 0.0);
    if (isFlat || covariance.pairs[most] < static_cast<double>(kLeastPairs))
        return std::nullopt;
    const Curve curve = curveOf(covariance, most);
    Correlation out;
    out.samples = static_cast<std::int64_t>(covariance.pairs[most]);
    out.atOnce = curve.values[most];
    out.independentSamples
        = independentOf(x, y, covariance.pairs[most], std::min<std::size_t>(n / 4, n - 1));
    const std::size_t best = nearestOfStrongest(curve);
    addLag(curve, best, step, out);
    out.lagS -= (b.age - a.age).seconds();
    addPeriod(curve, best, step, out);
    // The strongest of many lags, of which as many are independent as the signals have memories.
    const double tries = std::max(
        1.0, 2.0 * static_cast<double>(most) * out.independentSamples / static_cast<double>(n));
    const double limit
        = (kOnceInThousand + std::sqrt(2.0 * std::log(tries))) / std::sqrt(out.independentSamples);
    out.isSignificant = std::abs(out.peak) > limit;
    return out;
}

LaggedCovariance laggedCovariance(
    std::span<const double> x, std::span<const double> y, std::size_t most) {
    const std::size_t length = lengthFor(x.size(), most);
    Correlator correlator(length);
    return covarianceOf(correlator, maskedOf(x, length), maskedOf(y, length), x.size(), most);
}

std::vector<double> autocorrelation(std::span<const double> x, std::size_t most) {
    const std::size_t length = lengthFor(x.size(), most);
    Correlator correlator(length);
    const Masked masked = maskedOf(x, length);
    const LaggedCovariance covariance = covarianceOf(correlator, masked, masked, x.size(), most);
    std::vector<double> out(
        covariance.values.begin() + static_cast<std::ptrdiff_t>(most), covariance.values.end());
    const double variance = out.front();
    for (double& value : out)
        value = variance > 0.0 ? value / variance : 0.0;
    return out;
}

double peakShift(const std::vector<double>& values, std::size_t i) {
    if (i == 0 || i + 1 >= values.size())
        return 0.0;
    const double bend = values[i - 1] - 2.0 * values[i] + values[i + 1];
    return bend < 0.0 ? std::clamp(0.5 * (values[i - 1] - values[i + 1]) / bend, -0.5, 0.5) : 0.0;
}

std::vector<double> withoutDrift(std::span<const double> values, std::size_t width) {
    std::vector<double> sums(values.size() + 1);
    std::vector<double> counts(values.size() + 1);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool isKnown = !std::isnan(values[i]);
        sums[i + 1] = sums[i] + (isKnown ? values[i] : 0.0);
        counts[i + 1] = counts[i] + (isKnown ? 1.0 : 0.0);
    }
    std::vector<double> out(values.begin(), values.end());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t from = i - std::min(i, width / 2);
        const std::size_t to = std::min(i + width / 2 + 1, values.size());
        out[i] -= (sums[to] - sums[from]) / std::max(counts[to] - counts[from], 1.0);
    }
    return out;
}

} // namespace trainscope::analysis
