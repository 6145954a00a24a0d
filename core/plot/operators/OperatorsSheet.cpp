#include "core/plot/operators/OperatorsSheet.h"

#include "core/plot/operators/OperatorsText.h"

#include <algorithm>

namespace trainscope::plot {

namespace {

constexpr int kMostSheetFoot = 4; // lines of each text

} // namespace

OperatorsSheet::OperatorsSheet(
    const OperatorsHead& head, const FigureStyle& style, OperatorsGeometry& geometry)
    : Canvas{*style.theme, style.measure, geometry.scene}
    , m_head(head)
    , m_style(style)
    , m_geometry(geometry)
    , m_pad(2.0 * gap())
    , m_width(std::max(1.0, style.width - 2.0 * m_pad)) {
    scene.width = style.width;
    scene.background = theme.window;
}

Rect OperatorsSheet::open(double wanted) {
    FigureFoot foot(*this, m_width);
    if (m_style.caption)
        foot.add(m_head.caption, m_head.notes);
    const double legend = drawLegend({}, false);
    const double top = m_pad + (m_style.title ? titleHeight(*this) : 0.0);
    const double fixed = (legend > 0.0 ? legend + 2.0 * gap() : 0.0) + m_pad;
    m_geometry.preferredHeight = top + wanted + fixed + foot.height();
    scene.height = m_style.height > 0.0 ? m_style.height : m_geometry.preferredHeight;
    if (scene.height < m_geometry.preferredHeight)
        foot.keepTo(kMostSheetFoot);
    const double below = fixed + foot.height();
    if (m_style.title)
        drawTitle(*this, m_head.title, {m_pad, m_pad}, m_width);
    const Rect area{m_pad, top, m_width, std::max(1.0, scene.height - top - below)};
    drawLegend({m_pad, area.bottom() + 2.0 * gap()}, true);
    foot.draw(m_pad, scene.height - m_pad - foot.height());
    return area;
}

void OperatorsSheet::drawEmpty() {
    const double wanted = kEmptyHeight * lineHeight(TextRole::Body);
    m_geometry.preferredHeight = wanted;
    scene.height = m_style.height > 0.0 ? m_style.height : wanted;
    drawEmptyText(*this, m_head.emptyText, {m_pad, 0.0, m_width, scene.height});
}

double OperatorsSheet::drawLegend(Point at, bool isDrawn) const {
    const double side = 0.8 * size();
    LegendFlow flow(*this,
        {side, gap(), 1.2 * size(), 1.5 * size(), 0.5 * size(), theme.textSecondary}, at, m_width,
        isDrawn);
    for (const auto& [words, color] : m_legend) {
        flow.add(words, [&, color = color](Point left) {
            fill({left.x, left.y - side / 2.0, side, side}, color);
        });
    }
    return flow.height();
}

OperatorColours::OperatorColours(const std::vector<MeasuredOperator>& operators)
    : m_byPass(std::any_of(operators.begin(), operators.end(),
        [](const MeasuredOperator& one) { return one.pass != analysis::StepPass::None; })) { }

Color OperatorColours::of(const MeasuredOperator& one) const {
    return m_byPass ? passColor(one.pass) : categoryColor(one.category);
}

void OperatorColours::draw(const MeasuredOperator& one) {
    m_passes[static_cast<std::size_t>(one.pass)] = true;
    m_categories.insert(one.category);
}

OperatorsSheet::Legend OperatorColours::legend() const {
    OperatorsSheet::Legend entries;
    for (std::size_t i = 0; i < m_passes.size() && m_byPass; ++i) {
        const auto pass
            = static_cast<analysis::StepPass>((i + 1) % m_passes.size()); // "Other" last
        if (m_passes[static_cast<std::size_t>(pass)])
            entries.emplace_back(passTitle(pass), passColor(pass));
    }
    for (const std::string& category : m_categories) {
        if (!m_byPass && !category.empty())
            entries.emplace_back(categoryTitle(category), categoryColor(category));
    }
    return entries;
}

const OperatorsGeometry::Target* targetAt(const OperatorsGeometry& geometry, Point at) {
    const auto found = std::find_if(geometry.targets.rbegin(), geometry.targets.rend(),
        [at](const OperatorsGeometry::Target& target) { return target.rect.contains(at); });
    return found == geometry.targets.rend() ? nullptr : &*found;
}

FigureHit operatorsHit(const OperatorsGeometry::Target& target) {
    FigureHit hit;
    hit.outline = target.rect;
    hit.choice = target.index;
    return hit;
}

FigureHit operatorHit(const OperatorsGeometry::Target& target, const MeasuredOperator& shown) {
    FigureHit hit = operatorsHit(target);
    hit.title = shown.name;
    if (const std::string shapes = analysis::shapeText(shown.signature); !shapes.empty())
        hit.facts.emplace_back("Inputs", shapes);
    analysis::FrameSums sums;
    sums.time = sums.ownTime = shown.time;
    sums.busy = sums.ownBusy = shown.busy;
    sums.works = sums.ownWorks = shown.works;
    sums.calls = shown.calls;
    for (auto& fact : factsOf(sums))
        hit.facts.push_back(std::move(fact));
    for (auto& fact : factsOf(shown.efficiency))
        hit.facts.push_back(std::move(fact));
    return hit;
}

} // namespace trainscope::plot
