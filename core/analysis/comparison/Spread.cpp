#include "core/analysis/comparison/Spread.h"

#include "core/analysis/statistics/Means.h"

#include <algorithm>
#include <cmath>

namespace trainscope::analysis {

namespace {

// The continued fraction of the incomplete beta function (Abramowitz and Stegun, 26.5.8), by
// Lentz's method.
double betaFraction(double x, double a, double b) {
    constexpr int mostTerms = 1000;
    constexpr double tiny = 1e-300;
    constexpr double precise = 1e-15;
    const auto away = [](double value) { return std::abs(value) < tiny ? tiny : value; };
    double c = 1.0;
    double d = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    double result = d;
    for (int i = 1; i <= mostTerms; ++i) {
        const double m = i;
        const double even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / away(1.0 + even * d);
        c = away(1.0 + even / c);
        result *= d * c;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / away(1.0 + odd * d);
        c = away(1.0 + odd / c);
        result *= d * c;
        if (std::abs(d * c - 1.0) < precise)
            break;
    }
    return result;
}

// The regularised incomplete beta function.
double incompleteBeta(double x, double a, double b) {
    if (x <= 0.0 || x >= 1.0)
        return x <= 0.0 ? 0.0 : 1.0;
    const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b)
        + a * std::log(x) + b * std::log1p(-x));
    // It converges fast on that side of the mean.
    return x < (a + 1.0) / (a + b + 2.0) ? front * betaFraction(x, a, b) / a
                                         : 1.0 - front * betaFraction(1.0 - x, b, a) / b;
}

// Probability that |t| is larger.
double tails(double t, double degrees) {
    return incompleteBeta(degrees / (degrees + t * t), degrees / 2.0, 0.5);
}

} // namespace

double studentT(double probability, double degrees) {
    constexpr int halvings = 200;
    double low = 0.0;
    double high = 1.0;
    while (tails(high, degrees) > 1.0 - probability && high < 1e12)
        high *= 2.0;
    for (int i = 0; i < halvings; ++i) {
        const double middle = (low + high) / 2.0;
        (tails(middle, degrees) > 1.0 - probability ? low : high) = middle;
    }
    return (low + high) / 2.0;
}

double Spread::effectiveCount() const {
    const auto n = static_cast<double>(count);
    if (correlation <= 0.0)
        return n;
    return std::clamp(n * (1.0 - correlation) / (1.0 + correlation), std::min(2.0, n), n);
}

Spread Spread::dividedBy(double divisor) const {
    return {count, mean / divisor, std / divisor, correlation};
}

std::optional<Spread> spreadOf(std::span<const double> values) {
    if (values.empty())
        return std::nullopt;
    Spread spread;
    spread.count = std::ssize(values);
    CompensatedSum sum;
    for (const double value : values)
        sum.add(value);
    spread.mean = sum.value() / static_cast<double>(values.size());
    CompensatedSum squares;
    CompensatedSum products;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double off = values[i] - spread.mean;
        squares.add(off * off);
        if (i > 0)
            products.add(off * (values[i - 1] - spread.mean));
    }
    if (values.size() > 1)
        spread.std = std::sqrt(squares.value() / static_cast<double>(values.size() - 1));
    if (squares.value() > 0.0)
        spread.correlation = products.value() / squares.value();
    return spread;
}

bool MeanDifference::isBeyond() const {
    return std::abs(difference) > margin;
}

std::optional<MeanDifference> differenceOf(const Spread& a, const Spread& b, double confidence) {
    if (a.count < kLeastIterations || b.count < kLeastIterations)
        return std::nullopt;
    const double na = a.effectiveCount();
    const double nb = b.effectiveCount();
    const double va = a.std * a.std / na;
    const double vb = b.std * b.std / nb;
    MeanDifference out{b.mean - a.mean, 0.0};
    // Figures that do not vary at all differ by any difference.
    if (va + vb <= 0.0)
        return out;
    const double degrees = (va + vb) * (va + vb) / (va * va / (na - 1.0) + vb * vb / (nb - 1.0));
    out.margin = studentT(confidence, degrees) * std::sqrt(va + vb);
    return out;
}

} // namespace trainscope::analysis
