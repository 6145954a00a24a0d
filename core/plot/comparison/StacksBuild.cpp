// The exposed seconds of a step, stacked, for runs and their stages.
// Bars of every quantity, one below the other for each run, with the spread over iterations.

#include "core/plot/Palette.h"
#include "core/plot/comparison/ComparisonFrame.h"
#include "core/plot/comparison/ComparisonText.h"
#include "core/text/Times.h"

#include <fmt/format.h>

namespace trainscope::plot {

namespace {

void tellPart(const ComparisonStack& stack, const ComparisonStack::Part& part,
    const std::string& mark, Hit& hit) {
    hit.stage = stack.stage;
    hit.title = stack.stage ? fmt::format("{} · stage {} · {}", mark, *stack.stage, part.title)
                            : fmt::format("{} · {}", mark, part.title);
    addFact(hit, "Per step", text::seconds(part.seconds));
    if (stack.seconds > 0.0)
        addFact(hit, "Share of the step", text::percent(part.seconds / stack.seconds));
    addFact(hit, "Step", text::seconds(stack.seconds));
}

class StackRows {
public:
    StackRows(const ComparisonFrame& frame, double width)
        : m_frame(frame)
        , m_width(width) {
        for (std::size_t i = 0; i < frame.data.stacks.size(); ++i) {
            const auto& stack = frame.data.stacks[i];
            if (stack.stage && !frame.choice.perStage)
                continue;
            m_rows.push_back(i);
            m_longest = std::max(m_longest, stack.seconds);
            m_labels = std::max(
                m_labels, frame.width(labelOf(stack), TextRole::Small, !stack.stage.has_value()));
        }
        m_labels = std::min(m_labels, 0.35 * width);
    }

    [[nodiscard]] double height() const {
        double rows = 0.0;
        for (const std::size_t row : m_rows)
            rows += heightOf(m_frame.data.stacks[row]) + m_frame.gap();
        return rows + gridHeight(m_frame) + m_frame.gap() + legend({0.0, 0.0}, false);
    }

    void draw(Rect area) const {
        const double left = area.x + m_labels + 2.0 * m_frame.gap();
        Rect plot{left, area.y, std::max(area.right() - left - m_frame.gap(), 1.0), 0.0};
        for (const std::size_t row : m_rows)
            plot.height += heightOf(m_frame.data.stacks[row]) + m_frame.gap();
        drawTimeTicks(m_frame, plot, 0.0, m_longest);
        double y = area.y;
        for (const std::size_t row : m_rows) {
            const double high = heightOf(m_frame.data.stacks[row]);
            drawStack(row, {plot.x, y, plot.width, high}, area.x);
            y += high + m_frame.gap();
        }
        legend({area.x, y + gridHeight(m_frame) + m_frame.gap()}, true);
    }

private:
    [[nodiscard]] double heightOf(const ComparisonStack& stack) const {
        const bool isThin = stack.stage || m_frame.data.isMany();
        return (isThin ? 1.3 : 2.6) * m_frame.size();
    }
    [[nodiscard]] std::string labelOf(const ComparisonStack& stack) const {
        return stack.stage
            ? fmt::format("{} stage {}", m_frame.mark(stack.run), *stack.stage)
            : fmt::format("{} {}", m_frame.mark(stack.run), text::seconds(stack.seconds));
    }

    // Each category once; returns the height.
    double legend(Point at, bool draw) const {
        const double size = m_frame.size();
        const double swatch = 0.8 * size;
        LegendFlow flow(m_frame,
            {swatch, m_frame.gap(), 1.2 * size, 1.5 * size, 0.5 * size, m_frame.theme.text}, at,
            m_width, draw);
        std::set<std::string_view> known;
        for (const std::size_t row : m_rows) {
            for (const auto& part : m_frame.data.stacks[row].parts) {
                if (part.seconds > 0.0 && known.insert(part.category).second)
                    flow.add(part.title, [&](Point left) {
                        m_frame.fill({left.x, left.y - swatch / 2.0, swatch, swatch},
                            categoryFill(m_frame, part.category));
                    });
            }
        }
        return flow.height();
    }

    void drawStack(std::size_t index, Rect row, double labels) const {
        const auto& stack = m_frame.data.stacks[index];
        m_frame.text({labels, m_frame.centred(row)},
            m_frame.fitted(labelOf(stack), m_labels, TextRole::Small, !stack.stage.has_value()),
            stack.stage ? m_frame.theme.textSecondary : m_frame.inkOf(stack.run), TextRole::Small,
            Align::Left, !stack.stage.has_value());
        double seconds = 0.0;
        for (std::size_t i = 0; i < stack.parts.size(); ++i) {
            const auto& part = stack.parts[i];
            const Rect rect{
                row.x + xOf(seconds, row.width), row.y, xOf(part.seconds, row.width), row.height};
            seconds += part.seconds;
            drawPart(part, rect);
            m_frame.ofRun(
                rect, stack.run, [&stack, &part, mark = m_frame.mark(stack.run)](Hit& hit) {
                    tellPart(stack, part, mark, hit);
                });
        }
    }
    [[nodiscard]] double xOf(double seconds, double width) const {
        return m_longest > 0.0 ? width * seconds / m_longest : 0.0;
    }

    void drawPart(const ComparisonStack::Part& part, Rect rect) const {
        // A hair's breadth keeps neighbours apart.
        const double hair
            = rect.width > 4.0 * m_frame.theme.lineWidth ? m_frame.theme.lineWidth : 0.0;
        const Color fill = categoryFill(m_frame, part.category);
        m_frame.fill({rect.x, rect.y, rect.width - hair, rect.height}, fill);
        const std::string text = text::seconds(part.seconds);
        const bool fits = rect.height > 1.6 * m_frame.size()
            && m_frame.width(text) + 2.0 * m_frame.gap() < rect.width;
        if (fits)
            m_frame.text({rect.x + rect.width / 2.0, m_frame.centred(rect)}, text, readableOn(fill),
                TextRole::Small, Align::Centre);
    }

    const ComparisonFrame& m_frame;
    double m_width;
    std::vector<std::size_t> m_rows; // into stacks
    double m_longest = 0.0;
    double m_labels = 0.0;
};

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

PanelContent stacksContent(const ComparisonFrame& frame, double width) {
    return StackRows(frame, width);
}

PanelContent barsContent(const ComparisonFrame& frame, double width) {
    if (frame.data.isMany())
        return runsTable(frame, width, false);
    return BarGrid(frame, width);
}

} // namespace trainscope::plot
