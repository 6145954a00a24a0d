// The panels of a decision: sentences, and tables of ready texts.
#include "core/plot/prediction/PredictionFrame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace trainscope::plot {

namespace {

constexpr int kMostSentenceLines = 6;
constexpr int kMostCellLines = 3;

class PredictedSentences : public PanelContent {
public:
    PredictedSentences(
        const PredictionFrame& frame, const std::vector<std::string>& sentences, double width)
        : m_frame(frame) {
        for (const std::string& sentence : sentences)
            m_sentences.push_back(
                frame.wrapped(sentence, width, kMostSentenceLines, TextRole::Secondary));
    }

    [[nodiscard]] double height() const override {
        double all = 0.0;
        for (const auto& lines : m_sentences)
            all += static_cast<double>(lines.size()) * line() + m_frame.gap();
        return std::max(all - m_frame.gap(), 0.0);
    }

    void draw(Rect area) const override {
        double y = area.y;
        for (const auto& lines : m_sentences) {
            for (const std::string& words : lines) {
                m_frame.text({area.x, y + m_frame.size(TextRole::Secondary)}, words,
                    m_frame.theme.text, TextRole::Secondary);
                y += line();
            }
            y += m_frame.gap();
        }
    }

private:
    [[nodiscard]] double line() const { return m_frame.lineHeight(TextRole::Secondary); }

    const PredictionFrame& m_frame;
    std::vector<std::vector<std::string>> m_sentences; // lines of each
};

// Columns beside each other, or where there is no room for them each row as its first text with the
// others below.
class PredictedTexts : public PanelContent {
public:
    PredictedTexts(const PredictionFrame& frame, const PredictedTable& table, double width)
        : m_frame(frame)
        , m_table(table)
        , m_width(width) {
        double others = 0.0;
        for (std::size_t column = 1; column < table.heads.size(); ++column) {
            double wide = frame.width(table.heads[column]);
            for (const auto& row : table.rows)
                wide
                    = std::max(wide, frame.width(row.cells[column], TextRole::Small, row.isStrong));
            m_widths.push_back(wide + between());
            others += m_widths.back();
        }
        m_first = width - others;
        m_isStacked = m_first < kLeastFirst * width;
        for (const auto& row : table.rows)
            m_lines.push_back(linesOf(row));
    }

    [[nodiscard]] double height() const override {
        double all = headHeight();
        for (std::size_t row = 0; row < m_lines.size(); ++row)
            all += rowHeight(row);
        return all;
    }

    void draw(Rect area) const override {
        if (!m_isStacked)
            drawCells(area, m_table.heads, m_frame.theme.textSecondary, false);
        double y = area.y + headHeight();
        for (std::size_t row = 0; row < m_lines.size(); ++row) {
            if (row > 0 || !m_isStacked)
                m_frame.line({area.x, y}, {area.right(), y}, m_frame.theme.grid);
            drawRow(row, {area.x, y + 0.5 * m_frame.gap(), area.width, rowHeight(row)});
            y += rowHeight(row);
        }
    }

private:
    static constexpr double kLeastFirst = 0.26; // of the width

    [[nodiscard]] double between() const { return 2.0 * m_frame.size(); }
    [[nodiscard]] double headHeight() const {
        return m_isStacked ? 0.0 : m_frame.lineHeight() + m_frame.gap();
    }
    [[nodiscard]] double rowHeight(std::size_t row) const {
        return static_cast<double>(m_lines[row].size()) * m_frame.lineHeight()
            + 1.5 * m_frame.gap();
    }

    // Lines of the first cell; stacked, of the others below it.
    std::vector<std::string> linesOf(const PredictedTable::Row& row) {
        auto lines = m_frame.wrapped(row.cells.front(), m_isStacked ? m_width : m_first,
            kMostCellLines, TextRole::Small, row.isStrong);
        m_names.push_back(lines.size());
        if (!m_isStacked)
            return lines;
        std::string words;
        for (std::size_t column = 1; column < row.cells.size(); ++column)
            words += fmt::format("{}{}: {}", column > 1 ? " · " : "",
                unbroken(m_table.heads[column]), unbroken(row.cells[column]));
        for (auto& line : m_frame.wrapped(words, m_width, 2 * kMostCellLines))
            lines.push_back(std::move(line));
        return lines;
    }

    // All but the first at the right of their columns.
    void drawCells(
        Rect row, const std::vector<std::string>& cells, Color ink, bool isStrong) const {
        const double y = row.y + m_frame.size();
        double right = row.x + m_first;
        for (std::size_t column = 1; column < cells.size(); ++column) {
            right += m_widths[column - 1];
            m_frame.text({right, y}, cells[column], ink, TextRole::Small, Align::Right, isStrong);
        }
        if (&cells == &m_table.heads)
            m_frame.text({row.x, y}, m_frame.fitted(cells.front(), m_first), ink);
    }

    void drawRow(std::size_t at, Rect area) const {
        const PredictedTable::Row& row = m_table.rows[at];
        const Color ink = row.isQuiet ? m_frame.theme.textSecondary : m_frame.theme.text;
        double y = area.y + m_frame.size();
        for (std::size_t i = 0; i < m_lines[at].size(); ++i) {
            const bool isName = i < m_names[at];
            m_frame.text({area.x, y}, m_lines[at][i], isName ? ink : m_frame.theme.textSecondary,
                TextRole::Small, Align::Left, isName && row.isStrong);
            y += m_frame.lineHeight();
        }
        if (!m_isStacked)
            drawCells(area, row.cells, ink, row.isStrong);
        PredictionFrame::Facts facts;
        for (std::size_t column = 1; column < row.cells.size(); ++column)
            facts.emplace_back(m_table.heads[column], row.cells[column]);
        m_frame.target({area.x, area.y, area.width, area.height - m_frame.gap()}, row.cells.front(),
            std::move(facts));
    }

    const PredictionFrame& m_frame;
    const PredictedTable& m_table;
    double m_width;
    double m_first = 0.0; // width of the first column
    std::vector<double> m_widths; // of the others
    bool m_isStacked = false;
    std::vector<std::vector<std::string>> m_lines; // by row
    std::vector<std::size_t> m_names; // by row: how many of them are the first cell's
};

} // namespace

MadeContent predictedSentences(
    const PredictionFrame& frame, const std::vector<std::string>& sentences, double width) {
    return std::make_unique<PredictedSentences>(frame, sentences, width);
}

MadeContent predictedTable(
    const PredictionFrame& frame, const PredictedTable& table, double width) {
    return std::make_unique<PredictedTexts>(frame, table, width);
}

} // namespace trainscope::plot
