#include "core/plot/Ticks.h"

#include "core/text/NumberMarks.h"

#include <algorithm>
#include <cmath>

namespace trainscope::plot {

namespace {

int decimalsFor(double step) {
    return std::clamp(static_cast<int>(-std::floor(std::log10(step) + 1e-9)), 0, 9);
}

// Prevents "-0".
double withoutSign(double value, double step) {
    return std::abs(value) < step * 1e-6 ? 0.0 : value;
}

} // namespace

double roundStep(double least) {
    if (!(least > 0.0) || !std::isfinite(least))
        return 1.0;
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double multiple : {1.0, 2.0, 5.0}) {
        if (multiple * power >= least * (1.0 - 1e-9))
            return multiple * power;
    }
    return 10.0 * power;
}

ValueRange roundRange(double low, double high, double scale) {
    if (!std::isfinite(low) || !std::isfinite(high))
        return {0.0, 1.0 / scale};
    if (high <= low) {
        const double pad = low == 0.0 ? 1.0 / scale : std::abs(low) * 0.05;
        low = low == 0.0 ? 0.0 : low - pad;
        high += pad;
    }
    const double step = roundStep((high - low) * scale / 5.0);
    return {std::floor(low * scale / step + 1e-6) * step / scale,
        std::ceil(high * scale / step - 1e-6) * step / scale};
}

std::vector<ValueTick> valueTicks(double low, double high, double scale, int most) {
    std::vector<ValueTick> ticks;
    if (most < 1 || !(high > low) || !std::isfinite(high - low))
        return ticks;
    double step = roundStep((high - low) * scale / std::max(most, 1));
    const auto countOf = [&] {
        return std::floor(high * scale / step + 1e-6) - std::ceil(low * scale / step - 1e-6) + 1.0;
    };
    while (countOf() > most)
        step = roundStep(step * 1.5);
    const int decimals = decimalsFor(step);
    const auto first = static_cast<long long>(std::ceil(low * scale / step - 1e-6));
    const auto count = static_cast<int>(countOf());
    for (int i = 0; i < count; ++i) {
        const double shown = static_cast<double>(first + i) * step;
        ticks.push_back({shown / scale,
            fmt::format("{:.{}f}", text::worded(withoutSign(shown, step)), decimals)});
    }
    return ticks;
}

} // namespace trainscope::plot
