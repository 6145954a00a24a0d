#include "core/plot/figures/ChartStyle.h"

#include "core/plot/Palette.h"
#include "core/plot/TextFit.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace trainscope::plot {

namespace {

// Of seriesColor.
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
            const bool known = std::any_of(entries.begin(), entries.end(),
                [&set](const Entry& entry) { return entry.text == set.name; });
            const bool isEmpty = std::none_of(
                set.values.begin(), set.values.end(), [](const auto& value) { return value; });
            if (!known && !isEmpty)
                entries.push_back({set.name, lookOf(set, theme)});
        }
    }
    return entries;
}

void drawSwatch(const FigureFrame& frame, const SetLook& look, Point centre, double size) {
    if (look.isPoints) {
        const double dot = 0.55 * size;
        frame.line({centre.x - size, centre.y}, {centre.x + size, centre.y}, look.fill,
            2.0 * frame.theme.lineWidth);
        frame.scene.items.emplace_back(FillRect{
            {centre.x - dot / 2, centre.y - dot / 2, dot, dot}, look.fill, dot / 2, Hatch::None});
        return;
    }
    const Rect rect{centre.x - size, centre.y - size / 2, 2.0 * size, size};
    frame.fill(rect, look.fill);
    if (look.hatched)
        frame.hatch(rect, hatchOn(look.fill));
}

} // namespace

SetLook lookOf(const FigureSet& set, const Theme& theme) {
    switch (set.role) {
    case SetRole::Peak:
        return {seriesColor(kSky), true, false};
    case SetRole::Efficiency:
        return {legibleOn(seriesColor(kVermilion), theme.window), false, true};
    case SetRole::KernelCategory: {
        const bool hatched = std::find(kHatched.begin(), kHatched.end(), set.key) != kHatched.end();
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
    const FigureFrame& frame, const FigureData& data, Point at, double width, bool draw) {
    const auto entries = entriesOf(data, frame.theme);
    if (entries.size() < 2)
        return 0.0;
    const double size = 0.7 * frame.size(TextRole::Small);
    const double row = 1.5 * frame.size(TextRole::Small);
    Point pen = at;
    for (const auto& entry : entries) {
        const double swatch = 2.0 * size + frame.gap() + 0.2 * size;
        const std::string text
            = elided(entry.text, width - swatch, frame.style.measure, TextRole::Small);
        const double taken = swatch + frame.width(text, TextRole::Small);
        if (pen.x > at.x && pen.x + taken > at.x + width)
            pen = {at.x, pen.y + row};
        const double centre = pen.y + frame.size(TextRole::Small) / 2.0;
        if (draw) {
            drawSwatch(frame, entry.look, {pen.x + size, centre}, size);
            frame.text({pen.x + swatch, frame.centred(centre, TextRole::Small)}, text,
                frame.theme.text, TextRole::Small);
        }
        pen.x += taken + 1.5 * frame.size(TextRole::Small);
    }
    return pen.y - at.y + row + frame.gap();
}

} // namespace trainscope::plot
