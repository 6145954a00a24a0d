#include "core/plot/layout/RankDiagram.h"

#include "core/plot/figures/FigureParts.h"
#include "core/text/NumberMarks.h"

#include <fmt/format.h>

#include <cmath>

namespace trainscope::plot {

namespace {

constexpr int kPalette = 8; // colours of the shared palette

std::optional<double> valueOf(const RankColours& colours, int rank) {
    const auto at = static_cast<std::size_t>(rank);
    return at < colours.values.size() ? colours.values[at] : std::nullopt;
}

constexpr double kLeastCell = 2.0; // lines, of a plain one

} // namespace

int colourIndex(RankColour colour, const layout::Layout& layout, int rank) {
    const auto at = layout.grid.position(rank);
    switch (colour) {
    case RankColour::Tensor:
        return at.tensor;
    case RankColour::Context:
        return at.context;
    case RankColour::Expert:
        return at.expert;
    case RankColour::Data:
        return at.data;
    case RankColour::Node:
        return layout.nodeOf(rank);
    case RankColour::Pipeline:
    case RankColour::Value:
        break;
    }
    return at.pipeline;
}

int colourCount(RankColour colour, const layout::Layout& layout) {
    const auto& degrees = layout.grid.degrees();
    switch (colour) {
    case RankColour::Tensor:
        return degrees.tensor;
    case RankColour::Context:
        return degrees.context;
    case RankColour::Expert:
        return degrees.expert;
    case RankColour::Data:
        return degrees.data;
    case RankColour::Node:
        return layout.nodes;
    case RankColour::Pipeline:
    case RankColour::Value:
        break;
    }
    return degrees.pipeline;
}

Color indexColor(int index, int count) {
    if (count <= kPalette)
        return seriesColor(static_cast<std::size_t>(std::max(index, 0)));
    return viridis(static_cast<double>(index) / (count - 1));
}

Color rankColor(
    const RankColours& colours, const layout::Layout* layout, int rank, const Theme& theme) {
    if (colours.by == RankColour::Value) {
        const auto value = valueOf(colours, rank);
        return value ? scaleColor(colours.scale, *value) : theme.gap;
    }
    if (const auto at = static_cast<std::size_t>(rank); at < colours.indices.size())
        return indexColor(colours.indices[at], colours.count);
    if (layout == nullptr || rank >= layout->grid.worldSize())
        return theme.gap;
    return indexColor(colourIndex(colours.by, *layout, rank), colourCount(colours.by, *layout));
}

std::string shortValue(const FigureAxis& scale, const std::optional<double>& value) {
    if (!value)
        return {};
    const double shown = *value * scale.unit.scale;
    if (scale.unit.unit == "°C")
        return fmt::format("{:.0f}°", shown);
    if (scale.unit.unit == "%")
        return fmt::format("{:.0f}%", shown);
    // All cells have as many decimals.
    const double greatest = std::max(std::abs(scale.range.low * scale.unit.scale),
        std::abs(scale.range.high * scale.unit.scale));
    constexpr double kHundred = 100.0;
    constexpr double kTen = 10.0;
    return fmt::format("{:.{}f}", text::worded(shown),
        greatest >= kHundred   ? 0
            : greatest >= kTen ? 1
                               : 2);
}

void recolour(RankDiagram& diagram, const RankColours& colours, const layout::Layout* layout,
    const Theme& theme) {
    auto& items = diagram.scene.items;
    for (std::size_t rank = 0; rank < diagram.items.size(); ++rank) {
        if (diagram.cells[rank].width <= 0.0)
            continue;
        const RankCell& cell = diagram.items[rank];
        const int number = static_cast<int>(rank);
        auto& fill = std::get<FillRect>(items[cell.fill]);
        fill.fill = rankColor(colours, layout, number, theme);
        const bool isMissing = colours.by == RankColour::Value && !valueOf(colours, number);
        fill.hatch = isMissing ? Hatch::Diagonal : Hatch::None;
        if (cell.labels > 0) {
            const Color ink = isMissing ? theme.text : readableOn(fill.fill);
            for (std::size_t i = 0; i < cell.labels; ++i)
                std::get<Label>(items[cell.firstLabel + i]).color = ink;
        }
        if (cell.value)
            std::get<Label>(items[*cell.value]).text
                = shortValue(colours.scale, valueOf(colours, number));
    }
}

CellTexts::CellTexts(const FigureStyle& style, const RankColours& colours, int ranks, PlaceOf place)
    : m_style(style)
    , m_colours(colours)
    , m_place(std::move(place))
    , m_pad(style.theme->spacing * 0.75)
    , m_line(1.2 * style.theme->smallSize)
    , m_size(style.theme->smallSize) {
    const auto width = [&](const std::string& text, bool bold) {
        return style.measure(text, TextRole::Small, bold);
    };
    m_rank = width(std::to_string(std::max(ranks - 1, 0)), true);
    if (hasValues())
        m_value = std::max(width(shortValue(colours.scale, colours.scale.range.low), false),
            width(shortValue(colours.scale, colours.scale.range.high), false));
    // The place of the last rank has the most digits.
    m_widestPlace = ranks > 0 ? width(m_place(ranks - 1), false) : 0.0;
}

double CellTexts::widthFor(Level level) const {
    switch (level) {
    case Level::Full: {
        const double first = m_rank + (hasValues() ? 2.0 * m_pad + m_value : 0.0);
        return std::max(first, m_widestPlace) + 3.0 * m_pad;
    }
    case Level::Stacked:
        return std::max(m_rank, hasValues() ? m_value : m_widestPlace) + 2.0 * m_pad;
    case Level::Rank:
        return m_rank + 1.5 * m_pad;
    case Level::Plain:
        break;
    }
    return kLeastCell * m_style.theme->lineWidth;
}

double CellTexts::heightFor(Level level) const {
    switch (level) {
    case Level::Full:
        return 2.0 * m_line + 3.0 * m_pad;
    case Level::Stacked:
        return 2.0 * m_line + m_pad;
    case Level::Rank:
        return m_line + 0.5 * m_pad;
    case Level::Plain:
        break;
    }
    return kLeastCell * m_style.theme->lineWidth;
}

CellTexts::Level CellTexts::levelFor(double width, double height) const {
    for (const Level level : {Level::Full, Level::Stacked, Level::Rank}) {
        if (width >= widthFor(level) && height >= heightFor(level))
            return level;
    }
    return Level::Plain;
}

void CellTexts::label(RankDiagram& diagram, RankCell& cell, Point at, std::string text, Align align,
    bool bold) const {
    diagram.scene.items.emplace_back(
        Label{at, std::move(text), m_style.theme->text, TextRole::Small, align, bold, 0.0});
    ++cell.labels;
}

void CellTexts::add(RankDiagram& diagram, int rank, const Rect& rect, Level level) const {
    auto& items = diagram.scene.items;
    RankCell cell{items.size(), items.size() + 1, 0, std::nullopt};
    const double radius = level == Level::Plain || level == Level::Rank ? 0.0 : m_pad;
    items.emplace_back(FillRect{rect, m_style.theme->gap, radius, Hatch::None});
    const auto tellValue = [&](Point at, Align align) {
        cell.value = items.size();
        label(diagram, cell, at, {}, align, false);
    };
    const std::string number = std::to_string(rank);
    const double middle = rect.x + rect.width / 2.0;
    const double first = rect.y + 1.5 * m_pad + 0.75 * m_size;
    if (level == Level::Full) {
        label(diagram, cell, {rect.x + 1.5 * m_pad, first}, number, Align::Left, true);
        if (hasValues())
            tellValue({rect.right() - 1.5 * m_pad, first}, Align::Right);
        label(diagram, cell, {rect.x + 1.5 * m_pad, rect.bottom() - 1.5 * m_pad}, m_place(rank),
            Align::Left, false);
    } else if (level == Level::Stacked) {
        const double top = rect.y + rect.height / 2.0 - 0.2 * m_size;
        label(diagram, cell, {middle, top}, number, Align::Centre, true);
        if (hasValues())
            tellValue({middle, top + m_line}, Align::Centre);
        else
            label(diagram, cell, {middle, top + m_line}, m_place(rank), Align::Centre, false);
    } else if (level == Level::Rank) {
        label(diagram, cell, {middle, rect.y + rect.height / 2.0 + 0.36 * m_size}, number,
            Align::Centre, false);
    }
    diagram.add(rect, {{}, rank}, [rank](Hit& hit) { hit.title = fmt::format("rank {}", rank); });
    diagram.cells[static_cast<std::size_t>(rank)] = rect;
    diagram.items[static_cast<std::size_t>(rank)] = cell;
}

} // namespace trainscope::plot
