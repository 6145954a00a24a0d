#include "core/plot/layout/CellTexts.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainscope::plot {

namespace {

constexpr double kLeastCell = 2.0; // lines, of a plain one

} // namespace

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
