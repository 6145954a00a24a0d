#pragma once
// A board: panels in rows below each other, with a title above them and caption and notes below.

#include "core/plot/Canvas.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace trainscope::plot {

// The content of a panel, laid out for a width.
class PanelContent {
public:
    virtual ~PanelContent() = default;
    [[nodiscard]] virtual double height() const = 0;
    virtual void draw(Rect area) const = 0;
};
using MadeContent = std::unique_ptr<PanelContent>;

enum class PanelEdge {
    None, // its content brings frames of its own
    Frame,
    FrameAndHead, // and room around the content
};

struct BoardPanel {
    PanelEdge edge = PanelEdge::FrameAndHead;
    std::string title;
    std::string subtitle;
    int mostLines = 1; // of the subtitle
    std::function<MadeContent(double width)> make;
    std::function<void(Rect)> placed; // told before it is drawn
};

class PanelBoard {
public:
    // A board of that width, edges included; adds to the canvas from the top.
    PanelBoard(const Canvas& canvas, double width);

    // Between its edges.
    [[nodiscard]] double width() const;
    void addTitle(const std::string& title, int mostLines = 1);
    // Beside each other, as high as the highest.
    void addRow(const std::vector<BoardPanel>& row);
    // In the place of panels.
    void addEmpty(const std::string& text);
    void addFoot(const std::string& caption, const std::vector<std::string>& notes);
    // Height of all that was added, edges included.
    [[nodiscard]] double height() const { return m_y + edge() - gap(); }

private:
    [[nodiscard]] double edge() const { return 4.0 * m_canvas.gap(); }
    [[nodiscard]] double gap() const { return 3.0 * m_canvas.gap(); }
    [[nodiscard]] double pad() const { return 3.5 * m_canvas.gap(); }
    [[nodiscard]] double headHeight(const BoardPanel& panel, double inner) const;
    [[nodiscard]] std::vector<std::string> subtitleOf(const BoardPanel& panel, double inner) const;
    void place(const BoardPanel& panel, const PanelContent& content, Rect rect) const;

    const Canvas& m_canvas;
    double m_width;
    double m_y;
};

} // namespace trainscope::plot
