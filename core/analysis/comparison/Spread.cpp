#include "core/analysis/comparison/Spread.h"

#include "core/analysis/statistics/Means.h"

namespace trainscope::analysis {

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
    spread.mean = *meanOf(values);
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

std::optional<MeanDifference> differenceOf(const Spread& a, const Spread& b, double confidence) {
    if (!a.isTold() || !b.isTold())
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
