// The ranked layouts of a search, each with its step and the whiskers of its interval; and the
// verdict on the best of two clusters.
#include "core/plot/Palette.h"
#include "core/plot/comparison/Comparison.h"
#include "core/plot/prediction/PredictionFrame.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainscope::plot {

namespace {

class PredictedRanking : public PanelContent {
public:
    PredictedRanking(const PredictionFrame& frame, double width)
        : m_frame(frame)
        , m_texts(kTexts * width) {
        std::vector<double> ends;
        for (const auto& one : frame.data.ranking) {
            ends.push_back(one.seconds.most());
            auto& lines = m_lines.emplace_back(frame.wrapped(
                markOf(one) + one.name, m_texts, kMostLines, TextRole::Small, one.isChosen));
            m_names.push_back(lines.size());
            for (auto& line : frame.wrapped(numbersOf(one), m_texts, kMostLines))
                lines.push_back(std::move(line));
        }
        m_axis = axisOf("Step time", {}, "s", ends, true);
    }

    [[nodiscard]] double height() const override { return rowsHeight() + gridHeight(m_frame); }

    void draw(Rect area) const override {
        const double left = area.x + m_texts + 3.0 * m_frame.gap();
        const double right = area.right() - 2.5 * m_frame.size();
        const Rect plot{left, area.y, std::max(right - left, 1.0), rowsHeight()};
        drawGrid(m_frame, m_axis, plot);
        double y = area.y;
        for (std::size_t i = 0; i < m_lines.size(); ++i) {
            drawRow(i, {plot.x, y, plot.width, rowHeight(i) - m_frame.gap()}, area.x);
            y += rowHeight(i);
        }
    }

private:
    static constexpr double kTexts = 0.58; // of the width
    static constexpr int kMostLines = 3;

    [[nodiscard]] static std::string markOf(const PredictedLayout& one) {
        return std::string(one.isChosen ? "▸ " : "") + (one.isOnFront ? "◆ " : "");
    }
    [[nodiscard]] static std::string numbersOf(const PredictedLayout& one) {
        const auto told = [](double value, std::string_view unit) {
            return unbroken(text::quantity(value, unit, text::Digits::Three));
        };
        return fmt::format("{} · {} · {} · {} · {}", unbroken(predictedText(one.seconds, "s")),
            told(one.energyJ, "J"), told(one.peakW, "W"), told(one.memoryB, "B"),
            unbroken(told(one.rate, "") + " tokens/s"));
    }
    [[nodiscard]] double rowHeight(std::size_t row) const {
        return static_cast<double>(m_lines[row].size()) * m_frame.lineHeight()
            + 2.0 * m_frame.gap();
    }
    [[nodiscard]] double rowsHeight() const {
        double all = 0.0;
        for (std::size_t i = 0; i < m_lines.size(); ++i)
            all += rowHeight(i);
        return all;
    }

    void drawRow(std::size_t row, Rect rect, double texts) const {
        const auto& one = m_frame.data.ranking[row];
        double y = rect.y + m_frame.size();
        for (std::size_t i = 0; i < m_lines[row].size(); ++i) {
            const bool isName = i < m_names[row];
            m_frame.text({texts, y}, m_lines[row][i],
                isName ? m_frame.theme.text : m_frame.theme.textSecondary, TextRole::Small,
                Align::Left, isName && one.isChosen);
            y += m_frame.lineHeight();
        }
        const double high = std::min(1.4 * m_frame.size(), rect.height);
        const Rect bar{rect.x, rect.y, rect.width * fractionOf(m_axis, one.seconds.value), high};
        const Color full = legibleOn(
            one.isOnFront ? m_frame.theme.accent : m_frame.theme.textMuted, m_frame.theme.panel);
        m_frame.fill(bar, blend(full, m_frame.theme.panel, 0.45));
        m_frame.whisker(one.seconds, m_axis, {rect.x, rect.y, rect.width, high});
        m_frame.target({texts, rect.y, rect.right() - texts, rect.height}, one.name,
            {{"Step time", predictedText(one.seconds, "s")},
                {"Energy of a step", text::quantity(one.energyJ, "J", text::Digits::Three)},
                {"Peak power of all GPUs", text::quantity(one.peakW, "W", text::Digits::Three)},
                {"Memory of a GPU", text::quantity(one.memoryB, "B", text::Digits::Three)}});
    }

    const PredictionFrame& m_frame;
    double m_texts;
    std::vector<std::vector<std::string>> m_lines; // by row
    std::vector<std::size_t> m_names; // by row: how many of them are the name
    FigureAxis m_axis;
};

// A comparison's verdict, cards and reasons, without the edges of its board.
class PredictedVerdict : public PanelContent {
public:
    PredictedVerdict(const PredictionFrame& frame, double width)
        : m_frame(frame)
        , m_edge(4.0 * frame.gap()) {
        FigureStyle style = frame.style;
        style.width = width + 2.0 * m_edge;
        style.height = 0.0;
        style.title = style.caption = false;
        m_made = buildComparison(*frame.data.rival, style,
            {{ComparisonPanel::Verdict, ComparisonPanel::Cards, ComparisonPanel::Reasons}});
        // A predicted run is in no database.
        for (Target& target : m_made.targets)
            target.shown = {};
    }

    [[nodiscard]] double height() const override { return m_made.scene.height - 2.0 * m_edge; }

    void draw(Rect area) const override {
        m_frame.picture.append(m_made, {area.x - m_edge, area.y - m_edge});
    }

private:
    const PredictionFrame& m_frame;
    double m_edge;
    Picture m_made;
};

} // namespace

MadeContent predictedRanking(const PredictionFrame& frame, double width) {
    return std::make_unique<PredictedRanking>(frame, width);
}

MadeContent predictedVerdict(const PredictionFrame& frame, double width) {
    return std::make_unique<PredictedVerdict>(frame, width);
}

} // namespace trainscope::plot
