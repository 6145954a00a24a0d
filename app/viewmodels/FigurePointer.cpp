// The part of FigureController that knows where things lie: layout, pointer and selection.
#include "app/viewmodels/FigureController.h"

#include <algorithm>
#include <cmath>

namespace trainscope::app {
namespace {

// A picture of it is kept as pixels.
constexpr double kHighestFigure = 8000.0;
constexpr int kMostSteps = 64; // tried in one direction before giving up

QRectF toQt(const plot::Rect& rect) {
    return {rect.x, rect.y, rect.width, rect.height};
}

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
    double height = viewHeight;
    if (isReady() && width > 0.0 && viewHeight > 0.0) {
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
        height = geometry.scene.height;
        m_geometry = std::make_shared<const plot::FigureGeometry>(std::move(geometry));
    }
    if (height != m_contentHeight) {
        m_contentHeight = height;
        Q_EMIT contentHeightChanged();
    }
    placeSelection();
    return m_geometry;
}

void FigureController::hoverAt(double x, double y) {
    auto hit = m_data && m_geometry ? plot::hitFigure(*m_data, *m_geometry, x, y) : std::nullopt;
    const bool same = hit && m_hover && hit->outline == m_hover->outline;
    if (same || (!hit && !m_hover))
        return;
    m_hover = std::move(hit);
    Q_EMIT hoverChanged();
}

void FigureController::leave() {
    if (!m_hover)
        return;
    m_hover.reset();
    Q_EMIT hoverChanged();
}

Evidence FigureController::evidenceOf(const plot::FigureHit& hit) const {
    Evidence evidence{hit.run, hit.rank, std::nullopt, {}};
    if (m_data && !m_data->heatmaps.empty())
        evidence.metric = m_data->heatmaps.front().scale.metric;
    return evidence;
}

void FigureController::clickAt(double x, double y) {
    auto hit = m_data && m_geometry ? plot::hitFigure(*m_data, *m_geometry, x, y) : std::nullopt;
    m_evidence.reset();
    if (hit && hit->run.isValid()) {
        m_evidence = evidenceOf(*hit);
        if (bench() != nullptr)
            bench()->select(*m_evidence);
    }
    // What was pointed at, not only its run and rank.
    setSelected(std::move(hit));
}

void FigureController::setSelected(std::optional<plot::FigureHit> hit) {
    m_selected = std::move(hit);
    std::vector<Fact> facts;
    if (m_selected) {
        for (const auto& [label, text] : m_selected->facts)
            facts.push_back({QString::fromStdString(label), QString::fromStdString(text)});
    }
    m_facts.setFacts(std::move(facts));
    Q_EMIT selectionChanged();
}

void FigureController::openSelected() {
    if (bench() != nullptr && m_selected && m_selected->run.isValid())
        bench()->showOnTimeline(evidenceOf(*m_selected));
}

bool FigureController::step(int columns, int rows) {
    if (!m_data || !m_geometry)
        return false;
    if (!m_selected) {
        const auto first
            = m_geometry->cells.empty() ? std::optional<plot::Rect>() : m_geometry->cells.front();
        if (first)
            clickAt(first->x + 1.0, first->y + 1.0);
        else if (!m_geometry->targets.empty())
            clickAt(centreOf(m_geometry->targets.front().rect).x,
                centreOf(m_geometry->targets.front().rect).y);
        return m_selected.has_value();
    }
    const plot::Rect from = m_selected->outline;
    plot::Point at = centreOf(from);
    for (int i = 0; i < kMostSteps; ++i) {
        at.x += columns * (i == 0 ? from.width / 2.0 + 1.0 : 4.0);
        at.y += rows * (i == 0 ? from.height / 2.0 + 1.0 : 4.0);
        const auto hit = plot::hitFigure(*m_data, *m_geometry, at.x, at.y);
        if (!hit || hit->outline == from)
            continue;
        clickAt(at.x, at.y);
        return true;
    }
    return false;
}

void FigureController::takeSelection(const Evidence& evidence) {
    m_evidence = evidence;
    placeSelection();
}

// Among the bars of that run and rank the one that was selected before, else the first.
std::optional<plot::FigureHit> FigureController::find(const Evidence& evidence) const {
    if (!m_data || !m_geometry)
        return std::nullopt;
    const std::size_t maps = std::min(m_data->heatmaps.size(), m_geometry->cells.size());
    for (std::size_t i = 0; i < maps; ++i) {
        if (const auto at = cellOf(*m_data, i, m_geometry->cells[i], evidence))
            return plot::hitFigure(*m_data, *m_geometry, at->x, at->y);
    }
    std::optional<plot::FigureHit> first;
    for (const auto& target : m_geometry->targets) {
        if (target.panel >= m_data->panels.size())
            continue;
        const auto& categories = m_data->panels[target.panel].categories;
        if (target.category >= categories.size()
            || !isOf(*m_data, categories[target.category], evidence))
            continue;
        const plot::Point at = centreOf(target.rect);
        auto hit = plot::hitFigure(*m_data, *m_geometry, at.x, at.y);
        const bool before = hit && m_selected && hit->title == m_selected->title
            && hit->facts == m_selected->facts;
        if (before)
            return hit;
        if (!first)
            first = std::move(hit);
    }
    return first;
}

void FigureController::placeSelection() {
    setSelected(m_evidence ? find(*m_evidence) : std::nullopt);
}

QRectF FigureController::hovered() const {
    return m_hover ? toQt(m_hover->outline) : QRectF();
}

QString FigureController::hoverTitle() const {
    return m_hover ? QString::fromStdString(m_hover->title) : QString();
}

QString FigureController::hoverText() const {
    QStringList lines;
    if (m_hover) {
        for (const auto& [label, text] : m_hover->facts)
            lines.append(QStringLiteral("%1  %2").arg(
                QString::fromStdString(label), QString::fromStdString(text)));
    }
    return lines.join(QLatin1Char('\n'));
}

QRectF FigureController::selected() const {
    return m_selected ? toQt(m_selected->outline) : QRectF();
}

QString FigureController::selectedTitle() const {
    return m_selected ? QString::fromStdString(m_selected->title) : QString();
}

} // namespace trainscope::app
