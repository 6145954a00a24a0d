#include "app/viewmodels/layout/LayoutItem.h"

#include "app/viewmodels/window/Theme.h"

namespace trainscope::app {
namespace {

constexpr double kMostScrolled = 1.2; // heights of the view

} // namespace

LayoutItem::LayoutItem(QQuickItem* parent)
    : PictureItem(parent) {
    connect(this, &LayoutItem::partChanged, this, &QQuickItem::polish);
    connect(this, &LayoutItem::marksChanged, this, [this] {
        setAcceptHoverEvents(!m_marks);
        setAcceptedMouseButtons(m_marks ? Qt::NoButton : Qt::LeftButton);
        connectController();
    });
}

void LayoutItem::setController(LayoutController* controller) {
    if (controller == m_controller)
        return;
    if (m_controller)
        m_controller->diagrams()->disconnect(this);
    m_controller = controller;
    connectController();
    Q_EMIT controllerChanged();
}

void LayoutItem::connectController() {
    if (!m_controller)
        return;
    auto* diagrams = m_controller->diagrams();
    diagrams->disconnect(this);
    if (m_marks) {
        connect(diagrams, &LayoutDiagrams::marksChanged, this, [this] { update(); });
    } else {
        connect(diagrams, &LayoutDiagrams::changed, this, &QQuickItem::polish);
        connect(diagrams, &LayoutDiagrams::recoloured, this, [this] { update(); });
    }
    polish();
}

void LayoutItem::geometryChange(const QRectF& newGeometry, const QRectF& oldGeometry) {
    PictureItem::geometryChange(newGeometry, oldGeometry);
    if (newGeometry.width() != oldGeometry.width())
        polish();
}

void LayoutItem::updatePolish() {
    if (m_controller && !m_marks && isVisible() && width() > 0.0) {
        const plot::Theme& theme = Theme::instance()->plotTheme();
        plot::FigureStyle style;
        style.theme = &theme;
        style.width = width();
        style.measure = measureWith(theme);
        style.title = false;
        style.caption = false;
        m_controller->diagrams()->layOut(m_part, style);
        if (m_room > 0.0
            && m_controller->diagrams()->scene(m_part).height > kMostScrolled * m_room) {
            style.height = m_room;
            m_controller->diagrams()->layOut(m_part, style);
        }
        setImplicitHeight(m_controller->diagrams()->scene(m_part).height);
    }
    update();
}

void LayoutItem::paint(QPainter* painter) {
    if (!m_controller)
        return;
    const plot::Theme& theme = Theme::instance()->plotTheme();
    if (m_marks)
        return paintScene(
            m_controller->diagrams()->marks(m_part, theme), theme, *painter, PaintTarget::Screen);
    paintScene(
        m_controller->diagrams()->scene(m_part), theme, *painter, PaintTarget::Screen, &m_cache);
}

void LayoutItem::clickedAt(QPointF at) {
    if (m_controller)
        m_controller->selection()->clickAt(m_part, at.x(), at.y());
}

void LayoutItem::doubleClicked() {
    if (m_controller)
        m_controller->selection()->open();
}

void LayoutItem::pointedAt(QPointF at) {
    if (m_controller)
        m_controller->hover()->hoverAt(m_part, at.x(), at.y());
}

void LayoutItem::left() {
    if (m_controller)
        m_controller->hover()->leave();
}

} // namespace trainscope::app
