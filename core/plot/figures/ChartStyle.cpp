#include "core/plot/figures/ChartStyle.h"

#include "core/plot/Palette.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace trainscope::plot {

namespace {

// Indices of seriesColor().
constexpr std::size_t kBlue = 4;
constexpr std::size_t kSky = 0;
constexpr std::size_t kVermilion = 5;

// Reductions share a colour: those that scatter stay without hatch.
constexpr std::array<std::string_view, 5> kHatched{
    "all_reduce", "send_recv", "all_to_all", "communication", "normalisation"};

struct Entry {
    std::string text;
    SetLook look;
};

std::vector<Entry> entriesOf(const FigureData& data, const Theme& theme) {
    std::vector<Entry> entries;
    for (const auto& panel : data.panels) {
        for (const auto& set : panel.sets) {
            const bool known = std::ranges::any_of(
                entries, [&set](const Entry& entry) { return entry.text == set.name; });
            const bool isEmpty = std::ranges::none_of(
                set.values, [](const auto& value) { return value.has_value(); });
            if (!known && !isEmpty)
                entries.push_back({set.name, lookOf(set, theme)});
        }
    }
    return entries;
}

void drawSwatch(const Canvas& canvas, const SetLook& look, Point centre, double size) {
    if (look.isPoints) {
        const double dot = 0.55 * size;
        canvas.line({centre.x - size, centre.y}, {centre.x + size, centre.y}, look.fill,
            2.0 * canvas.theme.lineWidth);
        canvas.dot(centre, dot, look.fill);
        return;
    }
    const Rect rect{centre.x - size, centre.y - size / 2, 2.0 * size, size};
    canvas.fill(rect, look.fill);
    if (look.hatched)
        canvas.hatch(rect, hatchOn(look.fill));
}

} // namespace

SetLook lookOf(const FigureSet& set, const Theme& theme) {
    switch (set.role) {
    case SetRole::Peak:
        return {seriesColor(kSky), true, false};
    case SetRole::Efficiency:
        return {legibleOn(seriesColor(kVermilion), theme.window), false, true};
    case SetRole::KernelCategory: {
        const bool hatched = std::ranges::find(kHatched, set.key) != kHatched.end();
        return {categoryColor(set.key), hatched, false};
    }
    case SetRole::Mean:
    case SetRole::Single:
        break;
    }
    return {seriesColor(kBlue), false, false};
}

Color hatchOn(Color fill) {
    return blend(fill, readableOn(fill), 0.55);
}

double drawChartLegend(
    const Canvas& canvas, const FigureData& data, Point at, double width, bool draw) {
    const auto entries = entriesOf(data, canvas.theme);
    if (entries.size() < 2)
        return 0.0;
    const double small = canvas.size();
    const double size = 0.7 * small;
    LegendFlow flow(canvas,
        {2.2 * size, canvas.gap(), 1.5 * small, 1.5 * small, 0.5 * small, canvas.theme.text}, at,
        width, draw);
    for (const auto& entry : entries)
        flow.add(entry.text, [&](Point left) {
            drawSwatch(canvas, entry.look, {left.x + size, left.y}, size);
        });
    return flow.height() + canvas.gap();
}

} // namespace trainscope::plot
