#include "core/plot/comparison/ComparisonText.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace trainscope::plot {

namespace {

struct Scaled {
    double value = 0.0;
    std::string unit;
};

// Thousands of things that are counted: "36.4 k".
Scaled counted(double value) {
    struct Step {
        double factor;
        const char* symbol;
    };
    constexpr std::array kSteps{Step{1e12, "T"}, Step{1e9, "G"}, Step{1e6, "M"}, Step{1e4, "k"}};
    for (const auto& step : kSteps) {
        if (std::abs(value) >= step.factor * 0.9995)
            return {value / (step.factor == 1e4 ? 1e3 : step.factor), step.symbol};
    }
    return {value, ""};
}

std::string digits(double value) {
    const double magnitude = std::abs(value);
    if (magnitude == 0.0)
        return "0";
    if (magnitude < 1e-4)
        return fmt::format("{:.2e}", value);
    const int before = static_cast<int>(std::floor(std::log10(magnitude) + 1e-12)) + 1;
    std::string text = fmt::format("{:.{}f}", value, std::clamp(3 - before, 0, 6));
    if (text.find('.') != std::string::npos) {
        text.erase(text.find_last_not_of('0') + 1);
        if (text.ends_with('.'))
            text.pop_back();
    }
    return text;
}

bool isPlain(std::string_view unit) {
    constexpr std::array<std::string_view, 8> kPrefixed{
        "s", "W", "J", "B", "Hz", "B/s", "FLOP/s", "W/s"};
    return std::find(kPrefixed.begin(), kPrefixed.end(), unit) == kPrefixed.end();
}

Scaled scaled(const FigureAxis& axis, double value) {
    if (axis.unit.unit == "%")
        return {100.0 * value, "%"};
    if (axis.siUnit == "°C")
        return {value, "°C"};
    if (isPlain(axis.siUnit))
        return counted(value);
    if (axis.siUnit == "s" && std::abs(value) >= 1.0)
        return {value, "s"};
    const AxisUnit unit = axisUnit({}, axis.siUnit, std::abs(value));
    return {value * unit.scale, unit.unit};
}

} // namespace

std::string quantityValueText(const FigureAxis& axis, const std::optional<double>& value) {
    if (!value)
        return "—";
    const Scaled shown = scaled(axis, *value);
    return shown.unit.empty() ? digits(shown.value)
                              : fmt::format("{} {}", digits(shown.value), shown.unit);
}

std::string secondsText(double seconds) {
    FigureAxis axis;
    axis.siUnit = "s";
    return quantityValueText(axis, seconds);
}

std::string spreadText(const ComparisonQuantity& quantity, std::size_t run) {
    std::string text = quantityValueText(quantity.axis, quantity.values[run]);
    if (!quantity.values[run] || !quantity.spreads[run])
        return text;
    text += fmt::format(" ± {}", quantityValueText(quantity.axis, quantity.spreads[run]));
    return quantity.counts[run] > 0
        ? fmt::format("{} over {} iterations", text, quantity.counts[run])
        : text;
}

std::string changeText(const ComparisonQuantity& quantity, std::size_t run) {
    const auto& change = quantity.changes[run];
    if (quantity.isShare) {
        if (!change.difference)
            return "—";
        const double points = 100.0 * *change.difference;
        return fmt::format("{:+.{}f} pp", std::abs(points) < 0.05 ? 0.0 : points, 1);
    }
    if (!change.ratio)
        return "—";
    return fmt::format("{:.{}f} ×", *change.ratio, *change.ratio < 10.0 ? 2 : 1);
}

std::optional<std::size_t> betterRun(const ComparisonQuantity& quantity, std::size_t run) {
    const auto& change = quantity.changes[run];
    const bool told = change.weight == ComparisonWeight::Beyond && quantity.better != 0
        && change.difference && *change.difference != 0.0;
    if (!told)
        return std::nullopt;
    return (*change.difference > 0.0) == (quantity.better > 0) ? run : 0;
}

std::string weightText(
    const ComparisonData& data, const ComparisonQuantity& quantity, std::size_t run) {
    const auto& change = quantity.changes[run];
    if (!change.difference)
        return {};
    if (const auto better = betterRun(quantity, run))
        return data.runs[*better].mark + " better";
    switch (change.weight) {
    case ComparisonWeight::Beyond:
        return "beyond spread";
    case ComparisonWeight::Within:
        return "within spread";
    case ComparisonWeight::Unknown:
        break;
    }
    return "spread unknown";
}

} // namespace trainscope::plot
