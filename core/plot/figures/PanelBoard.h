#pragma once
// A sheet of panels in rows below each other, with a title above them and caption and notes below.

#include "core/plot/Sheet.h"

namespace trainscope::plot {

// The content of a panel, laid out for a width.
struct PanelContent {
    double height = 0.0;
    std::function<void(Rect area)> draw;

    PanelContent(double high, std::function<void(Rect area)> drawing)
        : height(high)
        , draw(std::move(drawing)) { }
    // A layout that tells its height and draws itself.
    template <typename Layout>
    requires requires(const Layout& layout) { layout.draw(Rect{.height = layout.height()}); }
    PanelContent(Layout layout)
        : height(layout.height())
        , draw([layout = std::move(layout)](Rect area) { layout.draw(area); }) { }
};

// Cells of one size in rows below each other.
class CellGrid {
public:
    virtual ~CellGrid() = default;
    [[nodiscard]] double height() const;
    void draw(Rect area) const;

protected:
    // As many cells of at least that width beside each other as there is room for, but no more than
    // `most`.
    CellGrid(std::size_t count, double width, double leastWidth, double gap, std::size_t most);
    void evenRows(); // makes rows as long as each other
    [[nodiscard]] double cellWidth() const;
    [[nodiscard]] virtual double cellHeight() const = 0;
    virtual void drawCell(std::size_t index, Rect cell) const = 0;

private:
    [[nodiscard]] std::size_t rows() const { return (m_count + m_columns - 1) / m_columns; }

    std::size_t m_count;
    double m_width;
    double m_gap;
    std::size_t m_columns;
};

enum class PanelEdge {
    None, // its content brings frames of its own
    Frame,
    FrameAndHead, // and room around the content
};

struct BoardPanel {
    PanelEdge edge = PanelEdge::FrameAndHead;
    std::string title;
    std::string subtitle;
    int mostLines = 1; // lines of the subtitle
    std::function<PanelContent(double width)> make;
};

class PanelBoard {
public:
    // Adds to the sheet from the top.
    explicit PanelBoard(const Sheet& sheet);

    // Between its edges.
    [[nodiscard]] double width() const { return std::max(m_sheet.style.width - 2.0 * edge(), 1.0); }
    void addTitle(const std::string& title, int mostLines = 1);
    // Beside each other, as high as the highest; each is an area of the picture.
    void addRow(const std::vector<BoardPanel>& row);
    // The caption and notes, or where no row was added the reason in their place; the picture is as
    // high as all of this, or as its style says where that is more.
    void close(const SheetTexts& texts);

private:
    [[nodiscard]] double edge() const { return 4.0 * m_sheet.gap(); }
    [[nodiscard]] double gap() const { return 3.0 * m_sheet.gap(); }
    [[nodiscard]] double pad() const { return 3.5 * m_sheet.gap(); }
    [[nodiscard]] double headHeight(const BoardPanel& panel, double inner) const;
    [[nodiscard]] std::vector<std::string> subtitleOf(const BoardPanel& panel, double inner) const;
    void place(const BoardPanel& panel, const PanelContent& content, Rect rect) const;
    void addEmpty(const std::string& text);
    void addFoot(const SheetTexts& texts);

    const Sheet& m_sheet;
    double m_y;
};

} // namespace trainscope::plot
