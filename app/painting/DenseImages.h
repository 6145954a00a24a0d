#pragma once
// Dense items on the screen, filled straight into images: far cheaper than as many painter calls.

#include "app/painting/ScenePainter.h"

#include <QRect>

namespace trainscope::app {

// A row of bars.
class BarsImage {
public:
    // `area` in scene units, `ratio` device pixels per unit.
    BarsImage(const plot::Rect& area, double ratio);

    // True where the bars are of the same row.
    [[nodiscard]] bool fits(const plot::Bars& bars) const { return bars.area == m_area; }
    // Edges are rounded to pixels; every bar has at least one.
    void add(const plot::Bars& bars);
    [[nodiscard]] const QImage& image() const { return m_image; } // premultiplied
    [[nodiscard]] QPointF position() const; // top left corner of the image, scene units

private:
    plot::Rect m_area;
    double m_ratio;
    QPoint m_corner; // device pixels
    QImage m_image;
};

// Many series of columns in one image, a block of columns after the other, each block column by
// column in memory so that it stays in the nearest cache and a bar is a run of neighbours; turned
// upright when it is done.
class ColumnsImage {
public:
    // For columns like these; `ratio` device pixels per scene unit.
    ColumnsImage(const plot::Columns& like, double ratio);

    // True where area and number of columns are the same.
    [[nodiscard]] bool fits(const plot::Columns& columns) const;
    // Kept by reference until image() has been called. They must fit.
    void add(const plot::Columns& columns);
    [[nodiscard]] QImage image() const; // premultiplied, with the ratio set
    // The same, with what is already in the picture of an earlier scene moved there.
    const QImage& image(PaintCache& cache) const;
    [[nodiscard]] QPointF position() const; // top left corner of the image, scene units

private:
    // One series in device pixels of the image; empty where first >= last.
    struct Bars {
        std::uint32_t source = 0; // premultiplied
        std::vector<std::int32_t> first;
        std::vector<std::int32_t> last;
    };
    // Draws the columns [begin, end); the others stay empty.
    [[nodiscard]] Bars barsOf(
        const plot::Columns& columns, std::size_t begin, std::size_t end) const;
    // Pixel columns [from, to).
    void fill(QImage& image, int from, int to) const;
    void fillShifted(QImage& image, std::int64_t shift) const;
    [[nodiscard]] std::vector<int> edges() const;

    plot::Rect m_area;
    std::size_t m_count;
    double m_ratio;
    QRect m_pixels; // device pixels
    std::vector<const plot::Columns*> m_items;
};

} // namespace trainscope::app
