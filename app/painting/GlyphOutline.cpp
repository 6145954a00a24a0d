#include "app/painting/GlyphOutline.h"

#include "app/painting/BigEndian.h"

#include <QPointF>

#include <algorithm>
#include <cmath>
#include <limits>

namespace trainscope::app {

namespace {

constexpr int kOnCurve = 1;
constexpr int kMostSplits = 4;
constexpr double kTolerance = 0.5;

struct Cubic {
    QPointF from;
    QPointF control1;
    QPointF control2;
    QPointF to;
};

// Appends to the contour under construction.
class ContourWriter {
public:
    explicit ContourWriter(GlyphOutline& outline)
        : m_outline(outline) { }
    void moveTo(QPointF point) {
        close();
        m_outline.contours.emplace_back();
        add(point, true);
    }
    void lineTo(QPointF point) { add(point, true); }
    void curveTo(const Cubic& curve, int splits = 0) {
        // The best quadratic's control point, and how far the cubic strays from it.
        const QPointF control
            = (3.0 * (curve.control1 + curve.control2) - curve.from - curve.to) / 4.0;
        const QPointF bend = curve.to - 3.0 * curve.control2 + 3.0 * curve.control1 - curve.from;
        const double error = std::hypot(bend.x(), bend.y()) * 0.0481;
        if (error <= kTolerance || splits == kMostSplits) {
            add(control, false);
            add(curve.to, true);
            return;
        }
        const QPointF a = (curve.from + curve.control1) / 2.0;
        const QPointF b = (curve.control1 + curve.control2) / 2.0;
        const QPointF c = (curve.control2 + curve.to) / 2.0;
        const QPointF ab = (a + b) / 2.0;
        const QPointF bc = (b + c) / 2.0;
        const QPointF middle = (ab + bc) / 2.0;
        curveTo({curve.from, a, ab, middle}, splits + 1);
        curveTo({middle, bc, c, curve.to}, splits + 1);
    }
    // Contours close themselves: a last point on the first one is dropped, and so are contours
    // without area.
    void close() {
        if (m_outline.contours.empty())
            return;
        auto& contour = m_outline.contours.back();
        const auto same = [](const GlyphOutline::Point& a, const GlyphOutline::Point& b) {
            return a.x == b.x && a.y == b.y && a.onCurve && b.onCurve;
        };
        if (contour.size() > 1 && same(contour.front(), contour.back()))
            contour.pop_back();
        if (contour.size() < 3)
            m_outline.contours.pop_back();
    }

private:
    void add(QPointF point, bool onCurve) {
        m_outline.contours.back().push_back({static_cast<int>(std::lround(point.x())),
            static_cast<int>(std::lround(-point.y())), onCurve});
    }
    GlyphOutline& m_outline;
};

struct Bounds {
    int left = std::numeric_limits<int>::max();
    int bottom = std::numeric_limits<int>::max();
    int right = std::numeric_limits<int>::min();
    int top = std::numeric_limits<int>::min();
};

Bounds boundsOf(const GlyphOutline& outline) {
    Bounds bounds;
    for (const auto& contour : outline.contours) {
        for (const auto& point : contour) {
            bounds.left = std::min(bounds.left, point.x);
            bounds.right = std::max(bounds.right, point.x);
            bounds.bottom = std::min(bounds.bottom, point.y);
            bounds.top = std::max(bounds.top, point.y);
        }
    }
    return bounds;
}

} // namespace

GlyphOutline GlyphOutline::fromPath(const QPainterPath& path) {
    GlyphOutline outline;
    ContourWriter writer(outline);
    QPointF current;
    for (int i = 0; i < path.elementCount(); ++i) {
        const QPainterPath::Element element = path.elementAt(i);
        if (element.isMoveTo()) {
            writer.moveTo(element);
            current = element;
        } else if (element.isLineTo()) {
            writer.lineTo(element);
            current = element;
        } else if (element.isCurveTo() && i + 2 < path.elementCount()) {
            const QPointF to = path.elementAt(i + 2);
            writer.curveTo({current, element, path.elementAt(i + 1), to});
            current = to;
            i += 2;
        }
    }
    writer.close();
    return outline;
}

QByteArray GlyphOutline::encode() const {
    QByteArray out;
    if (contours.empty())
        return out;
    const Bounds bounds = boundsOf(*this);
    put16(out, static_cast<int>(contours.size()));
    for (const int edge : {bounds.left, bounds.bottom, bounds.right, bounds.top})
        put16(out, edge);
    int last = -1;
    for (const auto& contour : contours) {
        last += static_cast<int>(contour.size());
        put16(out, last);
    }
    put16(out, 0); // no instructions
    QByteArray xs;
    QByteArray ys;
    Point previous;
    for (const auto& contour : contours) {
        for (const auto& point : contour) {
            put8(out, point.onCurve ? kOnCurve : 0);
            put16(xs, point.x - previous.x);
            put16(ys, point.y - previous.y);
            previous = point;
        }
    }
    out += xs + ys;
    pad4(out);
    return out;
}

} // namespace trainscope::app
