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

using Weight = analysis::Difference::Weight;

bool isPlain(std::string_view unit) {
    constexpr std::array<std::string_view, 7> kPrefixed{
        "W", "J", "B", "Hz", "B/s", "FLOP/s", "W/s"};
    return std::ranges::find(kPrefixed, unit) == kPrefixed.end();
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
    std::string text = quantityValueText(quantity.axis, quantity.value(run));
    const auto spread = quantity.spread(run);
    if (!spread)
        return text;
    return text
        + fmt::format(" ± {} over {}", quantityValueText(quantity.axis, spread),
            text::counted(quantity.measures[run]->spread->count, "iteration"));
}

std::string changeText(const analysis::Difference& change) {
    if (analysis::isShare(analysis::comparedQuantities()[change.quantity])) {
        if (!change.amount())
            return text::kMissing;
        const double points = 100.0 * *change.amount();
        return fmt::format("{:+.1f} pp", text::worded(std::abs(points) < 0.05 ? 0.0 : points));
    }
    if (!change.ratio)
        return text::kMissing;
    return fmt::format("{:.{}f} ×", text::worded(*change.ratio), *change.ratio < 10.0 ? 2 : 1);
}

std::optional<std::size_t> betterRun(const ComparisonQuantity& quantity, std::size_t run) {
    const auto& change = quantity.changes[run];
    const auto better = quantity.info().better;
    const double amount = change.amount().value_or(0.0);
    if (change.weight != Weight::Beyond || better == analysis::Better::Neither || amount == 0.0)
        return std::nullopt;
    return (amount > 0.0) == (better == analysis::Better::Higher) ? run : 0;
}

std::string weightText(
    const ComparisonData& data, const ComparisonQuantity& quantity, std::size_t run) {
    const auto& change = quantity.changes[run];
    if (!change.amount())
        return {};
    if (const auto better = betterRun(quantity, run))
        return data.runs[*better].mark + " better";
    if (change.weight != Weight::Unknown)
        return change.weight == Weight::Beyond ? "beyond spread" : "within spread";
    // One of them may have a spread, which its bar shows.
    const bool isKnownOfFirst = quantity.spread(0).has_value();
    if (isKnownOfFirst == quantity.spread(run).has_value())
        return "spread unknown";
    return "spread of " + data.runs[isKnownOfFirst ? run : 0].mark + " unknown";
}

} // namespace trainscope::plot
