#include "core/plot/figures/FigureParts.h"

#include "core/plot/Palette.h"
#include "core/text/NumberMarks.h"

#include <cmath>

namespace trainscope::plot {

namespace {

constexpr double kLabelAir = 0.35; // free space between labels, as a share of their extent

// "0.002", "50", "2e5".
std::string multipleText(double multiple, int power) {
    if (power >= -3 && power < 5)
        return fmt::format("{:g}", text::worded(multiple * std::pow(10.0, power)));
    return fmt::format("{:.0f}e{}", multiple, power);
}

// Powers of ten, and 2 and 5 times these where there are few.
std::vector<ValueTick> powerTicks(const FigureAxis& axis, int most) {
    const double low = axis.range.low * axis.unit.scale;
    const double high = axis.range.high * axis.unit.scale;
    const auto collect = [&](const std::vector<double>& multiples, int every) {
        std::vector<ValueTick> ticks;
        const int first = static_cast<int>(std::floor(std::log10(low)));
        const int last = static_cast<int>(std::ceil(std::log10(high)));
        for (int power = first; power <= last; ++power) {
            for (const double multiple : multiples) {
                const double shown = multiple * std::pow(10.0, power);
                const bool within = shown >= low * (1.0 - 1e-9) && shown <= high * (1.0 + 1e-9);
                if (within && (power - first) % every == 0)
                    ticks.push_back({shown / axis.unit.scale, multipleText(multiple, power)});
            }
        }
        return ticks;
    };
    for (const auto& multiples :
        {std::vector{1.0, 2.0, 5.0}, std::vector{1.0, 3.0}, std::vector{1.0}}) {
        auto ticks = collect(multiples, 1);
        if (static_cast<int>(ticks.size()) <= most)
            return ticks;
    }
    int every = 2;
    while (static_cast<int>(collect({1.0}, every).size()) > most)
        ++every;
    return collect({1.0}, every);
}

constexpr int kBarSteps = 96;

} // namespace

std::vector<std::string> linesOf(std::string_view text) {
    std::vector<std::string> lines;
    while (true) {
        const std::size_t end = text.find('\n');
        lines.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos)
            return lines;
        text.remove_prefix(end + 1);
    }
}

std::size_t labelStep(double extent, double distance) {
    if (!(distance > 0.0))
        return 1;
    return static_cast<std::size_t>(
        std::max(1.0, std::ceil(extent * (1.0 + kLabelAir) / distance)));
}

std::vector<ValueTick> ticksOf(const FigureAxis& axis, int most) {
    const auto round = [&axis](int count) {
        return valueTicks(axis.range.low, axis.range.high, axis.unit.scale, count);
    };
    if (!axis.log)
        return round(most);
    auto ticks = powerTicks(axis, std::max(most, 2));
    // One alone tells nothing of a narrow range.
    return ticks.size() > 1 ? ticks : round(std::max(most, 2));
}

double fractionOf(const FigureAxis& axis, double value) {
    const auto& [low, high] = axis.range;
    if (!(high > low))
        return 0.5;
    const double fraction = axis.log ? std::log(std::max(value, low) / low) / std::log(high / low)
                                     : (value - low) / (high - low);
    return std::clamp(fraction, 0.0, 1.0);
}

std::string axisTitle(const FigureAxis& axis) {
    return axis.unit.unit.empty() ? axis.title : fmt::format("{} ({})", axis.title, axis.unit.unit);
}

std::string valueText(const FigureAxis& axis, const std::optional<double>& value) {
    return value ? text::quantity(*value, axis.siUnit, text::Digits::Four, axis.metric)
                 : text::kMissing;
}

void drawGrid(const Canvas& canvas, const FigureAxis& axis, Rect plot, int mostTicks) {
    constexpr double kTickSpacing = 6.0; // in sizes of the text
    const int most
        = std::clamp(static_cast<int>(plot.width / (kTickSpacing * canvas.size())), 2, mostTicks);
    for (const ValueTick& tick : ticksOf(axis, most)) {
        const double x = plot.x + plot.width * fractionOf(axis, tick.value);
        canvas.line({x, plot.y}, {x, plot.bottom()}, canvas.theme.grid);
        canvas.note({x, plot.bottom() + canvas.size() + 0.75 * canvas.gap()},
            axis.unit.unit.empty() ? tick.label : tick.label + " " + axis.unit.unit, Align::Centre);
    }
}

double gridHeight(const Canvas& canvas) {
    return canvas.lineHeight() + canvas.gap();
}

ColorOf scaleColors(const FigureAxis& axis) {
    return isShownAsHeat(axis.metric) ? inferno : viridis;
}

Color scaleColor(const FigureAxis& axis, double value) {
    const double fraction = std::round(fractionOf(axis, value) * kColorSteps) / kColorSteps;
    return isShownAsHeat(axis.metric) ? inferno(fraction) : viridis(fraction);
}

HeatStrip colourStrip(Rect bar, int steps, const ColorOf& color) {
    HeatStrip strip{bar, 1, steps, {}};
    for (int i = 0; i < steps; ++i)
        strip.cells.push_back(color((i + 0.5) / steps));
    return strip;
}

void drawColourScale(const Canvas& canvas, Rect bar, const FigureAxis& axis, int most) {
    const double line = canvas.lineHeight();
    drawColourScale(canvas, bar, axis, most, scaleColors(axis), 0.2 * line, line);
}

double colourScaleFoot(const Canvas& canvas) {
    return 1.2 * canvas.lineHeight();
}

void drawColourScale(const Canvas& canvas, Rect bar, const FigureAxis& axis, int most,
    const ColorOf& color, double tick, double baseline) {
    canvas.scene.items.emplace_back(colourStrip(bar, kBarSteps, color));
    for (const auto& at : ticksOf(axis, most)) {
        const double x = bar.x + bar.width * fractionOf(axis, at.value);
        canvas.line({x, bar.bottom()}, {x, bar.bottom() + tick}, canvas.theme.textMuted);
        canvas.note({x, bar.bottom() + baseline}, at.label, Align::Centre);
    }
}

} // namespace trainscope::plot
