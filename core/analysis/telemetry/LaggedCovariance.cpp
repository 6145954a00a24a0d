#include "core/analysis/telemetry/LaggedCovariance.h"

#include <unsupported/Eigen/FFT>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>

namespace trainscope::analysis {

namespace {

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
