#include "app/viewmodels/workspace/DrawnView.h"

namespace trainscope::app {
namespace {

constexpr int kMostSteps = 64; // tried in one direction before giving up

QRectF toQt(const plot::Rect& rect) {
    return {rect.x, rect.y, rect.width, rect.height};
}

plot::Point centreOf(const plot::Rect& rect) {
    return {rect.x + rect.width / 2.0, rect.y + rect.height / 2.0};
}

} // namespace

DrawnView::DrawnView(QObject* parent)
    : DatabaseView(parent) { }

std::shared_ptr<const plot::PlotScene> DrawnView::draw(
    const plot::Theme& theme, const plot::MeasureText& measure, double width, double viewHeight) {
    const bool hasRoom = width > 0.0 && viewHeight > 0.0;
    auto scene = layOutScene(theme, measure, hasRoom ? width : 0.0, hasRoom ? viewHeight : 0.0);
    const double height = scene ? scene->height : viewHeight;
    if (height != m_contentHeight) {
        m_contentHeight = height;
        Q_EMIT contentHeightChanged();
    }
    placeSelection();
    return scene;
}

void DrawnView::pictureChanged() {
    m_hover.reset();
    Q_EMIT hoverChanged();
    Q_EMIT stateChanged();
    Q_EMIT repaintNeeded();
    placeSelection();
}

void DrawnView::hoverAt(double x, double y) {
    auto part = partAt(x, y);
    const bool same = part && m_hover && part->outline == m_hover->outline;
    if (same || (!part && !m_hover))
        return;
    m_hover = std::move(part);
    Q_EMIT hoverChanged();
}

void DrawnView::leave() {
    if (!m_hover)
        return;
    m_hover.reset();
    Q_EMIT hoverChanged();
}

void DrawnView::clickAt(double x, double y) {
    auto part = partAt(x, y);
    m_evidence.reset();
    if (part && part->evidence.run.isValid()) {
        m_evidence = part->evidence;
        if (views() != nullptr)
            views()->select(*m_evidence);
    }
    // What was pointed at, not only its run and rank.
    setSelected(std::move(part));
}

void DrawnView::setSelected(std::optional<DrawnPart> part) {
    m_selected = std::move(part);
    std::vector<Fact> facts;
    if (m_selected) {
        for (const auto& [label, text] : m_selected->facts)
            facts.push_back({QString::fromStdString(label), QString::fromStdString(text)});
    }
    m_facts.setFacts(std::move(facts));
    Q_EMIT selectionChanged();
}

void DrawnView::openSelected() {
    if (views() != nullptr && m_selected && m_selected->evidence.run.isValid())
        views()->showOnTimeline(m_selected->evidence);
}

bool DrawnView::step(int columns, int rows) {
    if (!m_selected) {
        if (const auto first = firstPart())
            clickAt(centreOf(*first).x, centreOf(*first).y);
        return m_selected.has_value();
    }
    const plot::Rect from = m_selected->outline;
    plot::Point at = centreOf(from);
    for (int i = 0; i < kMostSteps; ++i) {
        at.x += columns * (i == 0 ? from.width / 2.0 + 1.0 : 4.0);
        at.y += rows * (i == 0 ? from.height / 2.0 + 1.0 : 4.0);
        const auto part = partAt(at.x, at.y);
        if (!part || part->outline == from)
            continue;
        clickAt(at.x, at.y);
        return true;
    }
    return false;
}

void DrawnView::takeSelection(const Evidence& evidence) {
    m_evidence = evidence;
    placeSelection();
}

void DrawnView::placeSelection() {
    setSelected(m_evidence ? find(*m_evidence) : std::nullopt);
}

QRectF DrawnView::hovered() const {
    return m_hover ? toQt(m_hover->outline) : QRectF();
}

QString DrawnView::hoverTitle() const {
    return m_hover ? QString::fromStdString(m_hover->title) : QString();
}

QString DrawnView::hoverText() const {
    QStringList lines;
    if (m_hover) {
        for (const auto& [label, text] : m_hover->facts)
            lines.append(QStringLiteral("%1  %2").arg(
                QString::fromStdString(label), QString::fromStdString(text)));
    }
    return lines.join(QLatin1Char('\n'));
}

QRectF DrawnView::selected() const {
    return m_selected ? toQt(m_selected->outline) : QRectF();
}

QString DrawnView::selectedTitle() const {
    return m_selected ? QString::fromStdString(m_selected->title) : QString();
}

} // namespace trainscope::app
