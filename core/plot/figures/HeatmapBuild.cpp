#include "core/plot/SceneParts.h"
#include "core/plot/figures/FigureParts.h"

#include <fmt/format.h>

namespace trainscope::plot {

namespace {

constexpr double kMostLabels = 0.34; // share of the width that the rows' labels take at most
constexpr double kRow = 1.7; // height that a row wants, in sizes of the small text
constexpr int kScaleTicks = 5;
constexpr const char* kNotesHead = "time"; // heading over the rows' notes
constexpr double kLeastRow = 0.75; // below this even thinned labels are too close

const FigureRun& runOf(const FigureData& data, const FigureHeatmap::Row& row) {
    return data.runs[row.run];
}

double heatBar(const Canvas& canvas) {
    return 1.5 * canvas.gap() + 0.2 * canvas.lineHeight();
}

// Title and scale of colours above the grid.
double heatHead(const Canvas& canvas) {
    return heatBar(canvas) + canvas.lineHeight() + 1.5 * canvas.gap();
}

// Ticks and the axis' name below it.
double heatFoot(const Canvas& canvas) {
    return 2.0 * canvas.lineHeight() + 2.0 * canvas.gap();
}

// One heat map with its place.
class Drawing {
public:
    Drawing(const Canvas& canvas, const FigureData& data, const FigureHeatmap& heatmap)
        : m_canvas(canvas)
        , m_data(data)
        , m_heatmap(heatmap) { }

    Rect draw(Rect area) {
        placeGrid(area);
        drawHead(area);
        drawCells();
        drawBorders();
        for (std::size_t i = 0; i < m_heatmap.rows.size(); ++i) {
            if (runOf(m_data, m_heatmap.rows[i]).status == RunStatus::Oom)
                drawOom(i);
        }
        drawRowLabels(area);
        drawColumnLabels();
        return m_grid;
    }

private:
    [[nodiscard]] double line() const { return m_canvas.lineHeight(); }

    void placeGrid(Rect area) {
        for (const auto& row : m_heatmap.rows) {
            m_notes = std::max(m_notes, m_canvas.width(row.note));
            m_labels = std::max(m_labels, m_canvas.width(runOf(m_data, row).label));
        }
        m_labels = std::min(m_labels, kMostLabels * area.width);
        const double left = m_labels + 2.0 * m_canvas.gap();
        const double right = m_notes > 0.0 ? m_notes + 2.0 * m_canvas.gap() : m_canvas.gap();
        m_grid
            = {area.x + left, area.y + heatHead(m_canvas), std::max(area.width - left - right, 1.0),
                std::max(area.height - heatHead(m_canvas) - heatFoot(m_canvas), 1.0)};
    }

    [[nodiscard]] double rowHeight() const {
        return m_grid.height / static_cast<double>(m_heatmap.rows.size());
    }
    [[nodiscard]] double columnWidth() const {
        return m_grid.width / static_cast<double>(m_heatmap.columns.size());
    }

    // Width by which the number at the scale's end would reach into the head of the notes.
    [[nodiscard]] double beyondScale() const {
        const auto ticks = ticksOf(m_heatmap.scale, kScaleTicks);
        if (m_notes <= 0.0 || ticks.empty())
            return 0.0;
        const double room = m_notes + m_canvas.gap() - m_canvas.width(kNotesHead);
        return std::max(m_canvas.width(ticks.back().label) / 2.0 - room, 0.0);
    }

    void drawHead(Rect area) const {
        const double barWidth = std::min(0.42 * area.width, 150.0);
        const double x = m_grid.right() - barWidth - beyondScale();
        const double y = area.y;
        const double bar = heatBar(m_canvas);
        drawColourScale(m_canvas, {x, y, barWidth, bar}, m_heatmap.scale, kScaleTicks);
        const std::string title = axisTitle(m_heatmap.scale);
        m_canvas.heading({area.x, m_canvas.centred(y + bar / 2.0)}, title,
            x - area.x - 2.0 * m_canvas.gap(), TextRole::Small);
        if (m_notes > 0.0)
            m_canvas.note(
                {m_grid.right() + m_notes + 2.0 * m_canvas.gap(), m_grid.y - m_canvas.gap()},
                kNotesHead, Align::Right);
    }

    void drawCells() const {
        HeatStrip strip{m_grid, static_cast<int>(m_heatmap.rows.size()),
            static_cast<int>(m_heatmap.columns.size()), {}};
        for (std::size_t i = 0; i < m_heatmap.rows.size(); ++i) {
            const auto& row = m_heatmap.rows[i];
            const bool isOom = runOf(m_data, row).status == RunStatus::Oom;
            for (const auto& value : row.values)
                strip.cells.push_back(
                    value && !isOom ? scaleColor(m_heatmap.scale, *value) : Color{0, 0, 0, 0});
            if (!isOom)
                hatchMissing(i);
        }
        m_canvas.scene.items.emplace_back(std::move(strip));
    }

    [[nodiscard]] Rect rowRect(std::size_t row) const {
        return {
            m_grid.x, m_grid.y + rowHeight() * static_cast<double>(row), m_grid.width, rowHeight()};
    }

    void drawOom(std::size_t row) const {
        const Rect rect = rowRect(row);
        m_canvas.hatch(rect, m_canvas.theme.gap);
        const std::string text = "OOM";
        const double width = m_canvas.width(text, TextRole::Small, true) + 2.0 * m_canvas.gap();
        const Rect plate{rect.x + (rect.width - width) / 2.0, rect.y, width, rect.height};
        if (rect.height < 0.8 * m_canvas.size())
            return;
        m_canvas.fill(plate, m_canvas.scene.background);
        m_canvas.text({rect.x + rect.width / 2.0, m_canvas.centred(rect)}, text,
            m_canvas.theme.warning, TextRole::Small, Align::Centre, true);
    }

    // GPUs that the run has but of which nothing is known.
    void hatchMissing(std::size_t index) const {
        const auto& row = m_heatmap.rows[index];
        const Rect rect = rowRect(index);
        const auto isHole
            = [&row](std::size_t column) { return row.nodes[column] >= 0 && !row.values[column]; };
        forEachStretch(row.values.size(), isHole, [&](std::size_t first, std::size_t end) {
            m_canvas.hatch({m_grid.x + columnWidth() * static_cast<double>(first), rect.y,
                columnWidth() * static_cast<double>(end - first), rect.height});
        });
    }

    // Lines between rows, and between the nodes of each row where they leave room for the data.
    void drawBorders() const {
        const double thin = m_canvas.theme.lineWidth;
        if (rowHeight() > 6.0 * thin) {
            for (std::size_t i = 1; i < m_heatmap.rows.size(); ++i) {
                const double y = rowRect(i).y;
                m_canvas.line({m_grid.x, y}, {m_grid.right(), y}, m_canvas.scene.background, thin);
            }
        }
        if (m_heatmap.byNode)
            return;
        const double wide = 3.0 * thin;
        for (std::size_t column = 1; column < m_heatmap.columns.size(); ++column)
            drawBordersOf(column, wide);
    }

    void drawBordersOf(std::size_t column, double width) const {
        const double x = m_grid.x + columnWidth() * static_cast<double>(column);
        const auto isBorder = [&](std::size_t row) {
            const auto& nodes = m_heatmap.rows[row].nodes;
            return nodes[column] != nodes[column - 1]
                && columnWidth() * static_cast<double>(widthOfNode(row, column)) > 3.0 * width;
        };
        forEachStretch(m_heatmap.rows.size(), isBorder, [&](std::size_t first, std::size_t end) {
            m_canvas.line({x, rowRect(first).y}, {x, rowRect(end - 1).bottom()},
                m_canvas.scene.background, width);
        });
    }

    // Columns of the node that ends before that column.
    [[nodiscard]] std::size_t widthOfNode(std::size_t row, std::size_t column) const {
        const auto& nodes = m_heatmap.rows[row].nodes;
        std::size_t first = column - 1;
        while (first > 0 && nodes[first - 1] == nodes[column - 1])
            --first;
        return column - first;
    }

    void drawRowLabels(Rect area) const {
        const std::size_t step = rowHeight() < kLeastRow * m_canvas.size()
            ? labelStep(m_canvas.size(), rowHeight())
            : 1;
        for (std::size_t i = 0; i < m_heatmap.rows.size(); i += step) {
            const auto& row = m_heatmap.rows[i];
            const double y = m_canvas.centred(rowRect(i).y + rowHeight() / 2.0);
            m_canvas.text({area.x + m_labels, y},
                m_canvas.fitted(runOf(m_data, row).label, m_labels), m_canvas.theme.text,
                TextRole::Small, Align::Right);
            m_canvas.note(
                {m_grid.right() + 2.0 * m_canvas.gap() + m_notes, y}, row.note, Align::Right);
        }
    }

    void drawColumnLabels() const {
        const double y = m_grid.bottom() + 0.5 * m_canvas.gap() + m_canvas.size();
        double widest = 0.0;
        for (const int column : m_heatmap.columns)
            widest = std::max(widest, m_canvas.width(fmt::format("{}", column)));
        std::size_t step = labelStep(widest, columnWidth());
        // Steps that people count in; nodes mostly have 4 or 8 GPUs.
        for (const std::size_t round : {1U, 2U, 4U, 8U, 16U, 32U, 64U, 128U, 256U, 512U}) {
            if (round >= step) {
                step = round;
                break;
            }
        }
        for (std::size_t i = 0; i < m_heatmap.columns.size(); i += step)
            m_canvas.note({m_grid.x + columnWidth() * (static_cast<double>(i) + 0.5), y},
                fmt::format("{}", m_heatmap.columns[i]), Align::Centre);
        const std::string axis = "GPU (global rank); lines between nodes";
        const bool fits = m_canvas.width(axis) < m_grid.width;
        m_canvas.note({m_grid.x + m_grid.width / 2.0, y + line()},
            m_heatmap.byNode ? "node"
                : fits       ? axis
                             : "GPU",
            Align::Centre);
    }

    const Canvas& m_canvas;
    const FigureData& m_data;
    const FigureHeatmap& m_heatmap;
    double m_labels = 0.0;
    double m_notes = 0.0;
    Rect m_grid;
};

void tellCell(const FigureData& data, const FigureHeatmap& heatmap, const Spot& spot, Hit& hit) {
    const auto& row = heatmap.rows[spot.row];
    const FigureRun& run = runOf(data, row);
    hit.metric = heatmap.scale.metric;
    hit.title = heatmap.byNode
        ? fmt::format("{} · node {}", run.label, heatmap.columns[spot.column])
        : fmt::format("{} · rank {}", run.label, heatmap.columns[spot.column]);
    hit.facts.emplace_back(heatmap.scale.title, valueText(heatmap.scale, row.values[spot.column]));
    if (!heatmap.byNode)
        hit.facts.emplace_back("Node", fmt::format("{}", row.nodes[spot.column]));
    if (run.label != run.name)
        hit.facts.emplace_back("Run", run.name);
    if (!row.note.empty())
        hit.facts.emplace_back("Time", row.note);
}

// A node is no place of a GPU, nor of its run alone.
std::optional<Shown> shownBy(
    const FigureData& data, const FigureHeatmap& heatmap, std::size_t index, std::size_t column) {
    const auto& row = heatmap.rows[index];
    if (row.nodes[column] < 0 && !row.values[column])
        return std::nullopt;
    Shown shown{runOf(data, row).id};
    shown.isOwn = !heatmap.byNode;
    if (!heatmap.byNode)
        shown.rank = heatmap.columns[column];
    return shown;
}

double heatmapHeight(const Canvas& canvas, const FigureHeatmap& heatmap) {
    return heatHead(canvas) + heatFoot(canvas)
        + kRow * canvas.size() * static_cast<double>(heatmap.rows.size());
}

Rect drawHeatmap(
    const Sheet& sheet, const FigureData& data, const FigureHeatmap& heatmap, Rect area) {
    const Rect grid = Drawing(sheet, data, heatmap).draw(area);
    sheet.picture.targets.push_back({grid, {},
        [&data, &heatmap](Hit& hit, const Spot& spot) { tellCell(data, heatmap, spot, hit); },
        heatmap.rows.size(), heatmap.columns.size(),
        [&data, &heatmap](
            std::size_t row, std::size_t column) { return shownBy(data, heatmap, row, column); }});
    return grid;
}

} // namespace

double heatmapsHeight(const Canvas& canvas, const FigureData& data) {
    double height = 0.0;
    for (const auto& heatmap : data.heatmaps)
        height += heatmapHeight(canvas, heatmap) + 2.0 * canvas.gap();
    return height;
}

void drawHeatmaps(const Sheet& sheet, const FigureData& data, Rect area) {
    const double wanted = heatmapsHeight(sheet, data);
    for (const auto& heatmap : data.heatmaps) {
        const double own = heatmapHeight(sheet, heatmap) + 2.0 * sheet.gap();
        const double share = area.height * own / wanted;
        sheet.picture.areas.push_back(drawHeatmap(
            sheet, data, heatmap, {area.x, area.y, area.width, share - 2.0 * sheet.gap()}));
        area.y += share; // the height stays that of the whole, which the shares are of
    }
}

} // namespace trainscope::plot
