#include "core/plot/Ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace trainscope::plot {

namespace {

struct Prefix {
    double factor;
    std::string_view symbol;
};
constexpr std::array<Prefix, 8> kPrefixes{{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"},
    {1.0, ""}, {1e-3, "m"}, {1e-6, "µ"}, {1e-9, "n"}}};

bool isFraction(std::string_view metric, std::string_view unit) {
    return unit == "1" && (metric.ends_with("_utilization") || metric == "fan_speed");
}

bool takesPrefix(std::string_view unit) {
    return !unit.empty() && unit != "1" && unit != "°C" && unit != "%" && unit != "K";
}

// Watts of one GPU stay watts: "1200 W" reads better beside "700 W" than "1.2 kW".
double reluctance(std::string_view unit) {
    return unit == "W" ? 5.0 : 1.0;
}

int decimalsFor(double step) {
    return std::clamp(static_cast<int>(-std::floor(std::log10(step) + 1e-9)), 0, 9);
}

// Prevents "-0".
double withoutSign(double value, double step) {
    return std::abs(value) < step * 1e-6 ? 0.0 : value;
}

} // namespace

AxisUnit axisUnit(std::string_view metric, std::string_view siUnit, double magnitude) {
    if (isFraction(metric, siUnit))
        return {"%", 100.0};
    if (siUnit == "1")
        return {"", 1.0};
    if (!takesPrefix(siUnit) || !(magnitude > 0.0) || !std::isfinite(magnitude))
        return {std::string(siUnit), 1.0};
    for (const auto& prefix : kPrefixes) {
        const double threshold
            = prefix.factor > 1.0 ? prefix.factor * reluctance(siUnit) : prefix.factor;
        if (magnitude >= threshold * 0.9995)
            return {fmt::format("{}{}", prefix.symbol, siUnit), 1.0 / prefix.factor};
    }
    return {std::string(siUnit), 1.0};
}

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
        ticks.push_back(
            {shown / scale, fmt::format("{:.{}f}", withoutSign(shown, step), decimals)});
    }
    return ticks;
}

std::string quantityText(std::string_view metric, std::string_view siUnit, double value) {
    if (!std::isfinite(value))
        return "no data";
    const AxisUnit unit = axisUnit(metric, siUnit, std::abs(value));
    const double shown = value * unit.scale;
    const double magnitude = std::abs(shown);
    const int digits
        = magnitude > 0.0 ? static_cast<int>(std::floor(std::log10(magnitude))) + 1 : 1;
    const int most = unit.scale == 1.0 || unit.unit == "%" ? 1 : 3;
    const int decimals = std::clamp(4 - std::max(digits, 1), 0, most);
    std::string text = fmt::format("{:.{}f}", shown, decimals);
    if (decimals > 0) {
        text.erase(text.find_last_not_of('0') + 1);
        if (text.ends_with('.'))
            text.pop_back();
    }
    return unit.unit.empty() ? text : fmt::format("{} {}", text, unit.unit);
}

} // namespace trainscope::plot
