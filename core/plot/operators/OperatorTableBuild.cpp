// The longest operators as a table: their time as bars, and beside it as many of their figures as
// there is room for.
#include "core/plot/operators/OperatorsFigure.h"
#include "core/plot/operators/OperatorsText.h"
#include "core/text/Table.h"

namespace trainscope::plot {

namespace {

using analysis::WorkEfficiency;
using text::Cell;

constexpr const char* kWorkHeads
    = "flop (FLOP),bytes (B),speed (FLOP/s),memory (B/s),intensity (FLOP/B),roofline fraction,"
      "could be saved (s)";

void addWork(std::vector<Cell>& cells, const WorkEfficiency& known) {
    for (const auto& value : {known.flop, known.bytes, known.flopPerSecond, known.bytesPerSecond,
             known.intensity, known.rooflineFraction, known.savable})
        cells.emplace_back(value);
}

Cell rankCell(const std::optional<int>& rank) {
    return rank ? Cell(*rank) : Cell("all");
}

constexpr double kNameShare = 0.38; // share of the width, at most
constexpr double kLeastBar = 7.0; // sizes of small text that bars have at least

struct OperatorFigureColumn {
    std::string title;
    int order = 0; // rank by importance: later columns give way first
    std::function<std::string(const MeasuredOperator&)> text;
    double width = 0.0;
};

std::string inThree(const std::optional<double>& value, std::string_view unit) {
    return text::quantity(value, unit, text::Digits::Three);
}

class OperatorTableBuilder {
public:
    OperatorTableBuilder(const OperatorTableFigureData& data, const FigureStyle& style)
        : m_data(data)
        , m_sheet(m_picture, style)
        , m_colours(data.operators)
        , m_count(std::min(data.operators.size(), data.most)) { }

    Picture build() {
        if (m_data.isEmpty()) {
            m_sheet.drawEmpty(m_data.head);
            return std::move(m_picture);
        }
        for (std::size_t i = 0; i < m_count; ++i)
            m_colours.draw(m_data.operators[i]);
        m_sheet.setLegend(m_colours.legend());
        const Rect area
            = m_sheet.open(m_data.head, headHeight() + static_cast<double>(m_count) * wantedRow());
        m_sheet.close();
        chooseColumns();
        layOut(area);
        m_picture.areas.push_back(m_area);
        drawHead(area);
        for (std::size_t i = 0; i < m_count; ++i)
            drawRow(i, area);
        return std::move(m_picture);
    }

private:
    [[nodiscard]] double wantedRow() const { return 2.0 * m_sheet.size(); }
    [[nodiscard]] double headHeight() const { return m_sheet.lineHeight() + 2.0 * m_sheet.gap(); }
    [[nodiscard]] double between() const { return 3.0 * m_sheet.gap(); }

    [[nodiscard]] std::vector<OperatorFigureColumn> allColumns() const {
        const auto known
            = [](std::optional<double> analysis::WorkEfficiency::*value, std::string_view unit) {
                  return [value, unit](const MeasuredOperator& one) {
                      return inThree(one.efficiency.*value, unit);
                  };
              };
        return {{"calls", 4,
                    [](const MeasuredOperator& one) {
                        return text::number(static_cast<double>(one.sums.calls), 9);
                    }},
            {"FLOP/s", 2, known(&analysis::WorkEfficiency::flopPerSecond, "FLOP/s")},
            {"memory", 3, known(&analysis::WorkEfficiency::bytesPerSecond, "B/s")},
            {"of roofline", 0,
                [](const MeasuredOperator& one) {
                    const auto& share = one.efficiency.rooflineFraction;
                    return share ? text::roundedPercent(*share) : text::kMissing;
                }},
            {"could be saved", 1, known(&analysis::WorkEfficiency::savable, "s")}};
    }

    // Those that leave room for names and bars.
    void chooseColumns() {
        auto all = allColumns();
        for (OperatorFigureColumn& column : all) {
            column.width = m_sheet.width(column.title);
            for (std::size_t i = 0; i < m_count; ++i)
                column.width
                    = std::max(column.width, m_sheet.width(column.text(m_data.operators[i])));
        }
        const double room
            = (1.0 - kNameShare) * m_sheet.width() - kLeastBar * m_sheet.size() - timeWidth();
        for (int most = static_cast<int>(all.size()); most >= 0; --most) {
            double taken = 0.0;
            m_columns.clear();
            for (const OperatorFigureColumn& column : all) {
                if (column.order >= most)
                    continue;
                taken += column.width + between();
                m_columns.push_back(column);
            }
            if (taken <= room)
                return;
        }
    }

    [[nodiscard]] static std::string timeText(const MeasuredOperator& one) {
        return text::duration(one.time, text::Digits::Three);
    }
    [[nodiscard]] double timeWidth() const {
        double width = 0.0;
        for (std::size_t i = 0; i < m_count; ++i)
            width = std::max(width, m_sheet.width(timeText(m_data.operators[i])));
        return width + m_sheet.gap();
    }
    [[nodiscard]] static std::string nameOf(const MeasuredOperator& one) {
        const std::string shapes = analysis::shapeText(one.signature);
        return shapes.empty() ? one.name : one.name + "  " + shapes;
    }

    void layOut(const Rect& area) {
        m_names = m_sheet.width(m_data.nameTitle);
        for (std::size_t i = 0; i < m_count; ++i)
            m_names = std::max(m_names, m_sheet.width(nameOf(m_data.operators[i])));
        m_names = std::min(m_names, kNameShare * m_sheet.width());
        double right = area.right();
        for (const OperatorFigureColumn& column : m_columns)
            right -= column.width + between();
        const double left = area.x + m_names + between();
        m_bars = std::max(right - left - timeWidth(), 1.0);
        const double top = area.y + headHeight();
        m_area = {left, top, m_bars, std::max(area.bottom() - top, 1.0)};
        m_row = std::min(wantedRow(), m_area.height / static_cast<double>(m_count));
    }

    void drawHead(const Rect& area) const {
        const double baseline = area.y + m_sheet.size();
        m_sheet.note({area.x, baseline}, m_sheet.fitted(m_data.nameTitle, m_names));
        m_sheet.note({m_area.x, baseline}, std::string(timeTitle(m_data.head.isOfHost)));
        forEachColumn(area, [&](const OperatorFigureColumn& column, double right) {
            m_sheet.note({right, baseline}, column.title, Align::Right);
        });
        const double y = area.y + headHeight() - m_sheet.gap();
        m_sheet.line({area.x, y}, {area.right(), y}, m_sheet.theme.line);
    }

    template <typename Visit>
    void forEachColumn(const Rect& area, const Visit& visit) const {
        double right = area.right();
        for (std::size_t i = m_columns.size(); i > 0; --i) {
            visit(m_columns[i - 1], right);
            right -= m_columns[i - 1].width + between();
        }
    }

    void drawRow(std::size_t index, const Rect& area) const {
        const MeasuredOperator& one = m_data.operators[index];
        const Rect row{area.x, m_area.y + static_cast<double>(index) * m_row, area.width, m_row};
        addOperator(m_sheet, row, m_data.operators, index);
        const double inset = 0.18 * m_row;
        const double longest = static_cast<double>(m_data.operators.front().time.ns);
        const double share = longest > 0.0 ? static_cast<double>(one.time.ns) / longest : 0.0;
        const Rect bar{m_area.x, row.y + inset, m_bars * share, m_row - 2.0 * inset};
        m_sheet.fill(bar, m_colours.of(one));
        drawReachable(one, bar);
        if (m_row < m_sheet.size())
            return;
        const double baseline = m_sheet.centred(row);
        m_sheet.text({area.x, baseline}, m_sheet.fitted(nameOf(one), m_names), m_sheet.theme.text);
        m_sheet.note({bar.right() + m_sheet.gap(), baseline}, timeText(one));
        forEachColumn(area, [&](const OperatorFigureColumn& column, double right) {
            m_sheet.text({right, baseline}, column.text(one), m_sheet.theme.text, TextRole::Small,
                Align::Right);
        });
    }

    // Hatches the part above the roofline.
    void drawReachable(const MeasuredOperator& one, Rect bar) const {
        if (!one.efficiency.savable || one.time.ns <= 0)
            return;
        const double share = std::clamp(*one.efficiency.savable / one.time.seconds(), 0.0, 1.0);
        const double wide = share * bar.width;
        m_sheet.hatch({bar.right() - wide, bar.y, wide, bar.height}, m_sheet.theme.window);
    }

    const OperatorTableFigureData& m_data;
    Picture m_picture;
    Sheet m_sheet;
    Rect m_area; // area of the bars
    OperatorColours m_colours;
    std::size_t m_count;
    std::vector<OperatorFigureColumn> m_columns;
    double m_names = 0.0;
    double m_bars = 0.0; // widths
    double m_row = 0.0; // height
};

} // namespace

std::string flameCsv(const FlameFigureData& data) {
    const bool isOfHost = data.work && data.work->tree.isOfHost;
    std::string csv = std::string("run,rank,depth,kind,pass,frame,inputs,calls,")
        + (isOfHost ? "works," : "kernels,") + std::string(timeTitle(isOfHost))
        + " (s),busy (s),own time (s),host time (s)," + kWorkHeads + "\n";
    if (!data.work)
        return csv;
    const analysis::CallTree& tree = data.work->tree;
    std::vector<int> depths;
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        const analysis::CallNode& node = tree.nodes[i];
        const bool isRoot = node.parent == analysis::CallNode::kNone;
        depths.push_back(isRoot ? 0 : depths[node.parent] + 1);
        std::vector<Cell> cells{data.head.runName, rankCell(data.head.rank), depths.back(),
            toString(node.kind), toString(node.pass),
            isRoot ? std::string() : tree.names[node.name],
            analysis::shapeText(
                tree.signatures.empty() ? std::string() : tree.signatures[node.signature]),
            node.sums.calls, node.sums.works, node.sums.time, node.sums.busy, node.sums.ownTime,
            node.sums.hostTime};
        addWork(
            cells, data.work->efficiencies.empty() ? WorkEfficiency() : data.work->efficiencies[i]);
        text::addCsvLine(csv, cells);
    }
    return csv;
}

std::string operatorsCsv(
    const OperatorsHead& head, const std::vector<MeasuredOperator>& operators) {
    std::string csv = std::string("run,rank,name,inputs,pass,calls,")
        + (head.isOfHost ? "works," : "kernels,") + std::string(timeTitle(head.isOfHost))
        + " (s),busy (s)," + kWorkHeads + "\n";
    for (const MeasuredOperator& one : operators) {
        std::vector<Cell> cells{head.runName, rankCell(head.rank), one.name,
            analysis::shapeText(one.signature), toString(one.pass), one.sums.calls, one.works,
            one.time, one.busy};
        addWork(cells, one.efficiency);
        text::addCsvLine(csv, cells);
    }
    return csv;
}

std::string differenceCsv(const DifferenceFigureData& data) {
    std::string csv = "operator,pass,called by,a,b,a (s),b (s),difference (s),ratio,change,"
                      "a calls,b calls,a kernels,b kernels\n";
    const auto seconds = [](const std::optional<analysis::ComparedSide>& side) {
        return side ? Cell(side->seconds) : Cell();
    };
    const auto calls = [](const std::optional<analysis::ComparedSide>& side) {
        return side ? Cell(side->calls) : Cell();
    };
    const auto works = [](const std::optional<analysis::ComparedSide>& side) {
        return side ? Cell(side->works) : Cell();
    };
    for (const auto& one : data.operators)
        text::addCsvLine(csv,
            {one.name, toString(one.pass), one.path, data.nameA, data.nameB, seconds(one.times.a),
                seconds(one.times.b), one.times.difference(), one.times.ratio(),
                toString(one.times.change()), calls(one.times.a), calls(one.times.b),
                works(one.times.a), works(one.times.b)});
    return csv;
}

Picture buildOperatorTable(const OperatorTableFigureData& data, const FigureStyle& style) {
    return OperatorTableBuilder(data, style).build();
}

} // namespace trainscope::plot
