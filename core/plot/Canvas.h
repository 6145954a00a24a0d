#pragma once
// Canvas: the look, the scene to add to, and the few things that every part of a picture draws.
// Texts are small unless another role is named.

#include "core/plot/Theme.h"

namespace trainscope::plot {

struct Canvas {
    const Theme& theme;
    const MeasureText& measure;
    PlotScene& scene;

    // Empty rectangles are left away.
    void fill(Rect rect, Color color, double radius = 0.0) const;
    void hatch(Rect rect, Color color) const;
    void hatch(Rect rect) const { hatch(rect, theme.gap); } // nothing is known here
    // A panel in its border.
    void box(Rect rect, double radius, double border) const;
    void dot(Point centre, double diameter, Color color) const;
    void line(Point from, Point to, Color color) const { line(from, to, color, theme.lineWidth); }
    void line(Point from, Point to, Color color, double width) const;

    // rotation: degrees, clockwise around the anchor.
    void text(Point anchor, std::string text, Color color, TextRole role = TextRole::Small,
        Align align = Align::Left, bool bold = false, double rotation = 0.0) const;
    // Beside data: ticks, names of rows and axes.
    void note(Point anchor, std::string text, Align align = Align::Left) const;
    // Bold; elided at that width.
    void heading(Point anchor, std::string_view text, double width, TextRole role) const;

    [[nodiscard]] double width(
        std::string_view text, TextRole role = TextRole::Small, bool bold = false) const {
        return measure(text, role, bold);
    }
    // Elided; room that was measured by the text itself holds it.
    [[nodiscard]] std::string fitted(std::string_view text, double width,
        TextRole role = TextRole::Small, bool bold = false) const;
    [[nodiscard]] std::vector<std::string> wrapped(std::string_view text, double width, int most,
        TextRole role = TextRole::Small, bool bold = false) const;

    [[nodiscard]] double size(TextRole role = TextRole::Small) const { return theme.size(role); }
    // Distance between baselines.
    [[nodiscard]] double lineHeight(TextRole role = TextRole::Small) const {
        return 1.25 * size(role);
    }
    // Baseline of text that is centred on y, or in a row.
    [[nodiscard]] double centred(double y, TextRole role = TextRole::Small) const;
    [[nodiscard]] double centred(const Rect& row, TextRole role = TextRole::Small) const {
        return centred(row.y + row.height / 2.0, role);
    }
    [[nodiscard]] double gap() const { return theme.spacing; }
};

// Entries of swatches and texts that flow from the left, in as many rows as it takes.
class LegendFlow {
public:
    struct Look {
        double swatch = 0.0; // widths of the swatch and of the gap behind it
        double gap = 0.0;
        double between = 0.0; // entries
        double row = 0.0; // distance of rows
        double middle = 0.0; // centre of a row's swatch and text, below the row's top
        Color ink;
    };

    // Not drawn: measured alone.
    LegendFlow(const Canvas& canvas, Look look, Point at, double width, bool isDrawn = true)
        : m_canvas(canvas)
        , m_look(look)
        , m_corner(at)
        , m_width(width)
        , m_isDrawn(isDrawn) { }

    // drawSwatch gets the middle of the swatch's left side.
    template <typename DrawSwatch>
    void add(std::string_view text, const DrawSwatch& drawSwatch) {
        const std::string shown = m_canvas.fitted(text, m_width - beside());
        const Point at = place(m_canvas.width(shown));
        if (!m_isDrawn)
            return;
        drawSwatch(at);
        m_canvas.text({at.x + beside(), m_canvas.centred(at.y)}, shown, m_look.ink);
    }
    // From the next entry on.
    void setInk(Color ink) { m_look.ink = ink; }
    [[nodiscard]] double height() const; // all rows; 0 without entries

private:
    void nextRow();
    // Place of the next swatch, with text of that width behind it.
    Point place(double textWidth);
    [[nodiscard]] double beside() const { return m_look.swatch + m_look.gap; }

    const Canvas& m_canvas;
    Look m_look;
    Point m_corner;
    double m_width;
    bool m_isDrawn;
    Point m_pen; // from the corner
};

} // namespace trainscope::plot
