// The part of ComparisonController that knows where things lie.
#include "app/viewmodels/comparison/ComparisonController.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace trainscope::app {
namespace {

// Sideways counts more: what stands in the same row or column comes first.
constexpr double kSideways = 4.0;

plot::Point centreOf(const plot::Rect& rect) {
    return {rect.x + rect.width / 2.0, rect.y + rect.height / 2.0};
}

bool isInside(const plot::Rect& inner, const plot::Rect& outer) {
    const plot::Point at = centreOf(inner);
    return at.x >= outer.x && at.x < outer.right() && at.y >= outer.y && at.y < outer.bottom();
}

DrawnPart partOf(plot::ComparisonHit hit) {
    return {hit.outline, std::move(hit.title), std::move(hit.facts),
        {hit.run, hit.rank, hit.range, std::move(hit.metric)}};
}

} // namespace

std::shared_ptr<const plot::PlotScene> ComparisonController::layOutScene(
    const plot::Theme& theme, const plot::MeasureText& measure, double width, double viewHeight) {
    m_geometry.reset();
    if (!isReady() || !(width > 0.0))
        return nullptr;
    plot::ComparisonStyle style;
    style.theme = &theme;
    style.width = width;
    style.height = viewHeight;
    style.measure = measure;
    style.panels = m_settings.panels;
    style.stacked = m_settings.stacked;
    style.perStage = m_settings.perStage;
    style.title = false;
    m_geometry
        = std::make_shared<const plot::ComparisonGeometry>(plot::buildComparison(*m_data, style));
    if (m_wantedScroll) {
        m_scroll = *std::exchange(m_wantedScroll, std::nullopt);
        // When its height is known to the window too.
        QMetaObject::invokeMethod(this, &ComparisonController::scrollWanted, Qt::QueuedConnection);
    }
    return {m_geometry, &m_geometry->scene};
}

std::optional<DrawnPart> ComparisonController::partAt(double x, double y) const {
    if (!m_data || !m_geometry)
        return std::nullopt;
    auto hit = plot::hitComparison(*m_data, *m_geometry, x, y);
    return hit ? std::optional(partOf(std::move(*hit))) : std::nullopt;
}

std::optional<plot::Rect> ComparisonController::firstPart() const {
    if (!m_geometry || m_geometry->targets.empty())
        return std::nullopt;
    return m_geometry->targets.front().rect;
}

bool ComparisonController::isSame(const DrawnPart& part, const Evidence& evidence) const {
    const auto& selected = selectedPart();
    return selected && selected->title == part.title && selected->facts == part.facts
        && part.evidence.run == evidence.run && part.evidence.rank == evidence.rank;
}

// What was selected before, else the cell of the GPU, its row of kernels, or the run's name.
std::optional<DrawnPart> ComparisonController::find(const Evidence& evidence) const {
    if (!m_data || !m_geometry)
        return std::nullopt;
    using plot::ComparisonPanel;
    std::optional<DrawnPart> found;
    for (const auto& target : m_geometry->targets) {
        const bool isCell = target.panel == ComparisonPanel::Heatmap;
        const bool isOther = m_data->runs[target.run].named.id != evidence.run
            || (isCell
                && m_data->heat->runs[target.run].cells[target.item].rank
                    != evidence.rank.value_or(-2));
        if (isOther)
            continue;
        const plot::Point at = centreOf(target.rect);
        auto part = partAt(at.x, at.y);
        if (!part)
            continue;
        if (isSame(*part, evidence))
            return part;
        const bool fits = evidence.rank ? part->evidence.rank == evidence.rank
                                        : target.panel == ComparisonPanel::Verdict;
        if (fits && (!found || isCell))
            found = std::move(part);
    }
    return found;
}

bool ComparisonController::step(int columns, int rows) {
    const auto& selected = selectedPart();
    if (!m_geometry || !selected)
        return DrawnView::step(columns, rows);
    // The curves are one part with a column for each time.
    if (columns != 0 && isInside(selected->outline, m_geometry->curves))
        return DrawnView::step(columns, rows);
    const plot::Point from = centreOf(selected->outline);
    const plot::Rect* best = nullptr;
    double least = 0.0;
    for (const auto& target : m_geometry->targets) {
        const plot::Point at = centreOf(target.rect);
        const double along = columns * (at.x - from.x) + rows * (at.y - from.y);
        const double across = columns != 0 ? at.y - from.y : at.x - from.x;
        const double distance = along + kSideways * std::abs(across);
        if (along > 1.0 && (best == nullptr || distance < least)) {
            best = &target.rect;
            least = distance;
        }
    }
    if (best == nullptr)
        return false;
    clickAt(centreOf(*best).x, centreOf(*best).y);
    return true;
}

} // namespace trainscope::app
