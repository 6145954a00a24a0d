#pragma once
// Texts around a figure: its title above, the reason in its place where data is missing, and below
// in small text its caption and its notes.

#include "core/plot/Canvas.h"

#include <string>
#include <vector>

namespace trainscope::plot {

// With the gap below it.
double titleHeight(const Canvas& canvas);
void drawTitle(const Canvas& canvas, const std::string& title, Point corner, double width);

inline constexpr double kEmptyHeight = 12.0; // lines that a figure without content wants
// In the middle.
void drawEmptyText(const Canvas& canvas, const std::string& text, Rect area);

class FigureFoot {
public:
    FigureFoot(const Canvas& canvas, double width);

    // Each text takes the lines that it needs in that width; an empty one takes none.
    void add(const std::string& text);
    void add(const std::string& caption, const std::vector<std::string>& notes);
    // Cuts each text to so many lines, for a figure that is given less height than it wants.
    void keepTo(int mostLines);

    // With the gap above it; 0 without text.
    [[nodiscard]] double height() const;
    void draw(double x, double top) const;

private:
    void wrap(const std::string& text, int mostLines);

    const Canvas& m_canvas;
    double m_width;
    std::vector<std::string> m_texts;
    std::vector<std::string> m_lines;
};

} // namespace trainscope::plot
