#pragma once
// What stands below a figure in small text: its caption and its notes.

#include "core/plot/figures/FigureFrame.h"

#include <string>
#include <vector>

namespace trainscope::plot {

class FigureFoot {
public:
    // Each text takes at most so many lines of that width; an empty one takes none.
    FigureFoot(const FigureFrame& frame, double width, int mostLines);

    void add(const std::string& text);
    void add(const std::string& caption, const std::vector<std::string>& notes);

    // With the gap above it; 0 without text.
    [[nodiscard]] double height() const;
    void draw(double x, double top) const;

private:
    const FigureFrame& m_frame;
    double m_width;
    int m_mostLines;
    std::vector<std::string> m_lines;
};

} // namespace trainscope::plot
