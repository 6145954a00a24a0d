// Many runs: a row for each, a column for each quantity, and in every cell a bar from zero. Columns
// that do not fit beside each other follow in a further block.
#include "core/plot/Palette.h"
#include "core/plot/comparison/ComparisonFrame.h"
#include "core/plot/comparison/ComparisonText.h"

#include <cmath>

namespace trainscope::plot {

namespace {

constexpr double kMostRunName = 0.3; // share of the width
constexpr double kLeastRunColumn = 7.5; // in sizes of the text
constexpr double kMostColumn = 13.0;
constexpr int kHeadLines = 2;
constexpr std::uint8_t kWithinAlpha = 90; // bars of what does not differ beyond the spread

class RunsTable {
public:
    RunsTable(const ComparisonFrame& frame, double width, bool onlyCards)
        : m_frame(frame)
        , m_width(width) {
        for (std::size_t i = 0; i < frame.data.quantities.size(); ++i) {
            if (!onlyCards || frame.data.quantities[i].isCard)
                m_quantities.push_back(i);
        }
        measureNames();
        measureColumns();
    }

    [[nodiscard]] double height() const {
        return static_cast<double>(blocks()) * (blockHeight() + gap()) - gap();
    }

    void draw(Rect area) const {
        for (std::size_t block = 0; block < blocks(); ++block)
            drawBlock(
                block, {area.x, area.y + static_cast<double>(block) * (blockHeight() + gap())});
    }

private:
    [[nodiscard]] double small() const { return m_frame.size(); }
    [[nodiscard]] double gap() const { return 4.0 * m_frame.gap(); }
    [[nodiscard]] double row() const { return 2.0 * small(); }
    [[nodiscard]] double head() const { return kHeadLines * 1.2 * small() + m_frame.gap(); }
    [[nodiscard]] std::size_t runs() const { return m_frame.data.runs.size(); }
    [[nodiscard]] std::size_t blocks() const {
        return (m_quantities.size() + m_perBlock - 1) / m_perBlock;
    }
    [[nodiscard]] double blockHeight() const {
        return head() + static_cast<double>(runs()) * row();
    }

    void measureNames() {
        m_marks = m_frame.widestMark() + small() + 1.5 * m_frame.gap();
        for (std::size_t run = 0; run < runs(); ++run)
            m_labels.push_back(m_frame.name(run));
        m_labels = m_frame.fittedNames(m_labels, kMostRunName * m_width - m_marks);
        for (const std::string& label : m_labels)
            m_names = std::max(m_names, m_frame.width(label));
        m_names += m_marks + 2.0 * m_frame.gap();
    }

    // All columns are as wide as the widest cell.
    void measureColumns() {
        double widest = kLeastRunColumn * small();
        for (const std::size_t index : m_quantities) {
            const auto& quantity = m_frame.data.quantities[index];
            for (std::size_t run = 0; run < runs(); ++run)
                widest = std::max(widest,
                    m_frame.width(quantityValueText(quantity.axis, quantity.value(run)))
                        + m_frame.width(changeOf(quantity, run), TextRole::Small, true)
                        + 5.0 * m_frame.gap());
        }
        const double room = m_width - m_names;
        const double fitting = std::max(1.0, std::floor(room / widest));
        const double wanted = std::max(static_cast<double>(m_quantities.size()), 1.0);
        // Blocks of equal numbers of columns.
        const double count = std::ceil(wanted / fitting);
        m_perBlock = static_cast<std::size_t>(std::ceil(wanted / count));
        m_column = std::min(
            room / static_cast<double>(m_perBlock), std::max(widest, kMostColumn * small()));
    }

    [[nodiscard]] std::string changeOf(const ComparisonQuantity& quantity, std::size_t run) const {
        return run == 0 || !quantity.changes[run].amount() ? std::string()
                                                           : changeText(quantity.changes[run]);
    }

    void drawBlock(std::size_t block, Point at) const {
        const std::size_t first = block * m_perBlock;
        const std::size_t end = std::min(first + m_perBlock, m_quantities.size());
        const double right = at.x + m_names + static_cast<double>(end - first) * m_column;
        for (std::size_t i = first; i < end; ++i)
            drawHead(
                m_quantities[i], at.x + m_names + static_cast<double>(i - first) * m_column, at.y);
        for (std::size_t run = 0; run < runs(); ++run) {
            const double y = at.y + head() + static_cast<double>(run) * row();
            m_frame.line({at.x, y}, {right, y}, run == 0 ? m_frame.theme.line : m_frame.theme.grid);
            drawName(run, {at.x, y, m_names, row()});
            for (std::size_t i = first; i < end; ++i)
                drawCell(m_quantities[i], run,
                    {at.x + m_names + static_cast<double>(i - first) * m_column, y,
                        m_column - 2.0 * m_frame.gap(), row()});
        }
    }

    void drawHead(std::size_t index, double x, double y) const {
        const auto& quantity = m_frame.data.quantities[index];
        const auto lines
            = m_frame.wrapped(quantity.axis.title, m_column - 2.0 * m_frame.gap(), kHeadLines);
        const bool isSorted = m_frame.data.query.sortedBy == quantity.info().key;
        double base = y + 1.2 * small() * static_cast<double>(kHeadLines - lines.size()) + small();
        for (const auto& line : lines) {
            m_frame.text({x, base}, line,
                isSorted ? m_frame.theme.text : m_frame.theme.textSecondary, TextRole::Small,
                Align::Left, isSorted);
            base += 1.2 * small();
        }
    }

    void drawName(std::size_t run, Rect rect) const {
        const double base = m_frame.centred(rect);
        const double chip = 0.7 * small();
        m_frame.fill({rect.x, rect.y + (rect.height - chip) / 2.0, chip, chip}, m_frame.fillOf(run),
            0.5 * m_frame.gap());
        m_frame.text({rect.x + chip + m_frame.gap(), base}, m_frame.mark(run), m_frame.theme.text,
            TextRole::Small, Align::Left, true);
        m_frame.text({rect.x + m_marks, base}, m_labels[run], m_frame.theme.text);
        m_frame.addRun(rect, run);
    }

    void drawCell(std::size_t index, std::size_t run, Rect cell) const {
        const auto& quantity = m_frame.data.quantities[index];
        const auto value = quantity.value(run);
        const double base = cell.y + 1.2 * small();
        m_frame.text({cell.x, base},
            m_frame.fitted(quantityValueText(quantity.axis, value), cell.width),
            value ? m_frame.theme.text : m_frame.theme.textMuted);
        const std::string change = changeOf(quantity, run);
        const bool isBeyond = quantity.changes[run].weight == analysis::Difference::Weight::Beyond;
        if (!change.empty())
            m_frame.text({cell.right(), base}, change,
                isBeyond ? m_frame.theme.text : m_frame.theme.textMuted, TextRole::Small,
                Align::Right, isBeyond);
        if (value)
            drawBar(quantity, run, {cell.x, cell.y + 1.45 * small(), cell.width, 0.3 * small()});
        m_frame.addQuantity(cell, index, run);
    }

    void drawBar(const ComparisonQuantity& quantity, std::size_t run, Rect row) const {
        const double zero = fractionOf(quantity.axis, 0.0);
        const double end = fractionOf(quantity.axis, *quantity.value(run));
        const Color fill = m_frame.fillOf(run);
        const bool isFaint
            = run > 0 && quantity.changes[run].weight == analysis::Difference::Weight::Within;
        m_frame.fill({row.x + row.width * std::min(zero, end), row.y,
                         row.width * std::abs(end - zero), row.height},
            isFaint ? withAlpha(fill, kWithinAlpha) : fill);
    }

    const ComparisonFrame& m_frame;
    double m_width;
    std::vector<std::size_t> m_quantities;
    std::size_t m_perBlock = 1;
    double m_marks = 0.0; // chip and mark, before the name
    std::vector<std::string> m_labels; // by run
    double m_names = 0.0; // with them
    double m_column = 0.0;
};

} // namespace

PanelContent runsTable(const ComparisonFrame& frame, double width, bool onlyCards) {
    return RunsTable(frame, width, onlyCards);
}

} // namespace trainscope::plot
