// The part of FigureController that knows where things lie.
#include "app/viewmodels/figures/FigureController.h"

#include <algorithm>
#include <cmath>

namespace trainscope::app {
namespace {

// A picture of it is kept as pixels.
constexpr double kHighestFigure = 8000.0;

template <typename Values, typename Value>
std::optional<std::size_t> positionOf(const Values& values, const Value& value) {
    const auto found = std::find(values.begin(), values.end(), value);
    if (found == values.end())
        return std::nullopt;
    return static_cast<std::size_t>(found - values.begin());
}

plot::Point centreOf(const plot::Rect& rect) {
    return {rect.x + rect.width / 2.0, rect.y + rect.height / 2.0};
}

// Where the cell of that run and rank lies.
std::optional<plot::Point> cellOf(
    const plot::FigureData& data, std::size_t index, const plot::Rect& cells, const Evidence& of) {
    const auto& map = data.heatmaps[index];
    const auto column = of.rank ? positionOf(map.columns, *of.rank) : std::nullopt;
    const auto row = std::find_if(map.rows.begin(), map.rows.end(),
        [&](const auto& candidate) { return data.runs[candidate.run].id == of.run; });
    if (!column || map.byNode || row == map.rows.end())
        return std::nullopt;
    const auto at = [](std::size_t i, std::size_t count) {
        return (static_cast<double>(i) + 0.5) / static_cast<double>(count);
    };
    const auto line = static_cast<std::size_t>(row - map.rows.begin());
    return plot::Point{cells.x + cells.width * at(*column, map.columns.size()),
        cells.y + cells.height * at(line, map.rows.size())};
}

bool isOf(const plot::FigureData& data, const plot::FigureCategory& category, const Evidence& of) {
    if (!category.run || data.runs[*category.run].id != of.run)
        return false;
    return !of.rank || !category.rank || *category.rank == *of.rank;
}

} // namespace

std::shared_ptr<const plot::FigureGeometry> FigureController::layOut(
    const plot::Theme& theme, const plot::MeasureText& measure, double width, double viewHeight) {
    m_geometry.reset();
    if (!isReady() || !(width > 0.0) || !(viewHeight > 0.0))
        return nullptr;
    plot::FigureStyle style;
    style.theme = &theme;
    style.width = width;
    style.height = viewHeight;
    style.measure = measure;
    style.title = false;
    style.caption = false;
    auto geometry = plot::buildFigure(*m_data, style);
    if (geometry.preferredHeight > viewHeight) {
        style.height = std::min(std::ceil(geometry.preferredHeight), kHighestFigure);
        geometry = plot::buildFigure(*m_data, style);
    }
    m_geometry = std::make_shared<const plot::FigureGeometry>(std::move(geometry));
    return m_geometry;
}

std::shared_ptr<const plot::PlotScene> FigureController::layOutScene(
    const plot::Theme& theme, const plot::MeasureText& measure, double width, double viewHeight) {
    const auto geometry = layOut(theme, measure, width, viewHeight);
    return geometry ? std::shared_ptr<const plot::PlotScene>(geometry, &geometry->scene) : nullptr;
}

DrawnPart FigureController::partOf(plot::FigureHit hit) const {
    DrawnPart part{hit.outline, std::move(hit.title), std::move(hit.facts),
        {hit.run, hit.rank, std::nullopt, {}}};
    if (m_data && !m_data->heatmaps.empty())
        part.evidence.metric = m_data->heatmaps.front().scale.metric;
    return part;
}

std::optional<DrawnPart> FigureController::partAt(double x, double y) const {
    auto hit = m_data && m_geometry ? plot::hitFigure(*m_data, *m_geometry, x, y) : std::nullopt;
    return hit ? std::optional(partOf(std::move(*hit))) : std::nullopt;
}

std::optional<plot::Rect> FigureController::firstPart() const {
    if (!m_geometry)
        return std::nullopt;
    if (!m_geometry->cells.empty()) {
        const auto& cells = m_geometry->cells.front();
        return plot::Rect{cells.x, cells.y, 2.0, 2.0};
    }
    return m_geometry->targets.empty() ? std::optional<plot::Rect>()
                                       : m_geometry->targets.front().rect;
}

// Among the bars of that run and rank the one that was selected before, else the first.
std::optional<DrawnPart> FigureController::find(const Evidence& evidence) const {
    if (!m_data || !m_geometry)
        return std::nullopt;
    const std::size_t maps = std::min(m_data->heatmaps.size(), m_geometry->cells.size());
    for (std::size_t i = 0; i < maps; ++i) {
        if (const auto at = cellOf(*m_data, i, m_geometry->cells[i], evidence))
            return partAt(at->x, at->y);
    }
    std::optional<DrawnPart> first;
    for (const auto& target : m_geometry->targets) {
        if (target.panel >= m_data->panels.size())
            continue;
        const auto& categories = m_data->panels[target.panel].categories;
        if (target.category >= categories.size()
            || !isOf(*m_data, categories[target.category], evidence))
            continue;
        const plot::Point at = centreOf(target.rect);
        auto part = partAt(at.x, at.y);
        const auto& selected = selectedPart();
        const bool before
            = part && selected && part->title == selected->title && part->facts == selected->facts;
        if (before)
            return part;
        if (!first)
            first = std::move(part);
    }
    return first;
}

} // namespace trainscope::app
