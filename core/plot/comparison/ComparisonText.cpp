#include "core/plot/comparison/ComparisonText.h"

#include "core/text/NumberMarks.h"
#include "core/text/Numbers.h"
#include "core/text/Times.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace trainscope::plot {

namespace {

bool isPlain(std::string_view unit) {
    constexpr std::array<std::string_view, 7> kPrefixed{
        "W", "J", "B", "Hz", "B/s", "FLOP/s", "W/s"};
    return std::find(kPrefixed.begin(), kPrefixed.end(), unit) == kPrefixed.end();
}

text::ShownUnit shownUnitOf(const FigureAxis& axis, double value) {
    if (axis.unit.unit == "%")
        return axis.unit;
    if (axis.siUnit == "°C")
        return {axis.siUnit, 1.0};
    return isPlain(axis.siUnit) ? text::shownCount(std::abs(value))
                                : text::shownUnit(axis.siUnit, std::abs(value));
}

} // namespace

std::string quantityValueText(const FigureAxis& axis, const std::optional<double>& value) {
    if (!value)
        return text::kMissing;
    if (axis.siUnit == "s")
        return text::seconds(*value);
    const text::ShownUnit shown = shownUnitOf(axis, *value);
    const std::string digits = text::number(*value * shown.scale);
    return shown.unit.empty() ? digits : fmt::format("{} {}", digits, shown.unit);
}

std::string spreadText(const ComparisonQuantity& quantity, std::size_t run) {
    std::string text = quantityValueText(quantity.axis, quantity.values[run]);
    if (!quantity.values[run] || !quantity.spreads[run])
        return text;
    text += fmt::format(" ± {}", quantityValueText(quantity.axis, quantity.spreads[run]));
    return quantity.counts[run] > 0 ? text + " over "
            + text::counted(static_cast<std::int64_t>(quantity.counts[run]), "iteration")
                                    : text;
}

std::string changeText(const ComparisonQuantity& quantity, std::size_t run) {
    const auto& change = quantity.changes[run];
    if (quantity.isShare) {
        if (!change.difference)
            return text::kMissing;
        const double points = 100.0 * *change.difference;
        return fmt::format("{:+.{}f} pp", text::worded(std::abs(points) < 0.05 ? 0.0 : points), 1);
    }
    if (!change.ratio)
        return text::kMissing;
    return fmt::format("{:.{}f} ×", text::worded(*change.ratio), *change.ratio < 10.0 ? 2 : 1);
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
    // One of them may have a spread, which its bar shows.
    const bool isKnownOfFirst = quantity.spreads[0].has_value();
    if (isKnownOfFirst == quantity.spreads[run].has_value())
        return "spread unknown";
    return "spread of " + data.runs[isKnownOfFirst ? run : 0].mark + " unknown";
}

} // namespace trainscope::plot
