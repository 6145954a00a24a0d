#pragma once
// One glyph as the 'glyf' table of a TrueType font holds it: contours of straight lines and
// quadratic curves in whole font units, y up. Cubic curves are split until quadratics follow them
// within half a unit. Format: OpenType specification, "glyf - Glyph data", simple glyph
// description.

#include <QByteArray>
#include <QPainterPath>

#include <vector>

namespace trainscope::app {

struct GlyphOutline {
    struct Point {
        int x = 0;
        int y = 0;
        bool onCurve = true;
    };
    std::vector<std::vector<Point>> contours;

    // `path` in font units, y down, as Qt gives it.
    static GlyphOutline fromPath(const QPainterPath& path);
    // Empty for a glyph without contours, such as the space.
    [[nodiscard]] QByteArray encode() const;
};

} // namespace trainscope::app
