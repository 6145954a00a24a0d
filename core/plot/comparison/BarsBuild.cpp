// Bars of every quantity, one below the other for each run, with the spread over iterations.
#include "core/plot/comparison/ComparisonFrame.h"
#include "core/plot/comparison/ComparisonText.h"

#include <algorithm>

namespace trainscope::plot {

namespace {

constexpr double kLeastWidth = 26.0; // in sizes of the body text

class BarGrid : public CellGrid {
public:
    BarGrid(const ComparisonFrame& frame, double width)
        : CellGrid(frame.data.quantities.size(), width, kLeastWidth * frame.size(TextRole::Body),
            4.0 * frame.gap(), 4)
        , m_frame(frame)
        , m_marks(frame.widestMark()) {
        for (const auto& quantity : frame.data.quantities) {
            for (std::size_t run = 0; run < frame.data.runs.size(); ++run)
                m_texts = std::max(
                    m_texts, frame.width(quantityValueText(quantity.axis, quantity.value(run))));
        }
        m_texts = std::min(m_texts, 0.4 * cellWidth());
    }

private:
    [[nodiscard]] double bar() const { return 1.15 * m_frame.size(); }
    [[nodiscard]] double cellHeight() const override {
        return 1.4 * m_frame.size(TextRole::Secondary)
            + static_cast<double>(m_frame.data.runs.size()) * (bar() + 0.75 * m_frame.gap());
    }

    void drawCell(std::size_t index, Rect rect) const override {
        const auto& quantity = m_frame.data.quantities[index];
        std::string title = quantity.axis.title;
        if (m_frame.data.runs.size() == 2 && quantity.changes[1].amount())
            title += " · " + changeText(quantity.changes[1]);
        m_frame.text({rect.x, rect.y + m_frame.size(TextRole::Secondary)},
            m_frame.fitted(title, rect.width, TextRole::Secondary), m_frame.theme.text,
            TextRole::Secondary);
        const double left = rect.x + m_marks + 1.5 * m_frame.gap();
        const Rect plot{left, rect.y + 1.4 * m_frame.size(TextRole::Secondary),
            std::max(rect.right() - left - m_texts - 1.5 * m_frame.gap(), 1.0), 0.0};
        for (std::size_t run = 0; run < m_frame.data.runs.size(); ++run) {
            const double y = plot.y + static_cast<double>(run) * (bar() + 0.75 * m_frame.gap());
            drawBar(index, run, {plot.x, y, plot.width, bar()}, rect.x);
        }
    }

    void drawBar(std::size_t index, std::size_t run, Rect row, double labels) const {
        const auto& quantity = m_frame.data.quantities[index];
        const double base = m_frame.centred(row);
        m_frame.drawMark(run, {labels, base});
        const auto value = quantity.value(run);
        const double length = value ? row.width * fractionOf(quantity.axis, *value) : 0.0;
        m_frame.fill({row.x, row.y, length, row.height}, m_frame.fillOf(run));
        double end = row.x + length;
        if (quantity.spread(run).value_or(0.0) > 0.0)
            end = std::max(end, drawSpread(quantity, run, row));
        m_frame.text({end + m_frame.gap(), base},
            value ? quantityValueText(quantity.axis, value)
                  : m_frame.fitted("not known", m_texts + row.width),
            value ? m_frame.theme.text : m_frame.theme.textMuted);
        m_frame.addQuantity(
            {labels, row.y, row.right() - labels + m_texts, row.height}, index, run);
    }

    // From one standard deviation below the value to one above; returns its right end.
    double drawSpread(const ComparisonQuantity& quantity, std::size_t run, Rect row) const {
        const double value = *quantity.value(run);
        const double spread = *quantity.spread(run);
        const double from = row.x + row.width * fractionOf(quantity.axis, value - spread);
        const double to = row.x + row.width * fractionOf(quantity.axis, value + spread);
        const double y = row.y + row.height / 2.0;
        const double cap = 0.25 * row.height;
        const Color ink = m_frame.theme.text;
        const double thick = 1.2 * m_frame.theme.lineWidth;
        m_frame.line({from, y}, {to, y}, ink, thick);
        m_frame.line({from, y - cap}, {from, y + cap}, ink, thick);
        m_frame.line({to, y - cap}, {to, y + cap}, ink, thick);
        return to;
    }

    const ComparisonFrame& m_frame;
    double m_marks;
    double m_texts = 0.0;
};

} // namespace

MadeContent barsContent(const ComparisonFrame& frame, double width) {
    if (frame.data.isMany())
        return runsTable(frame, width, false);
    return std::make_unique<BarGrid>(frame, width);
}

} // namespace trainscope::plot
