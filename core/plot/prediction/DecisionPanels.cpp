// The panels of a decision: sentences, and tables in words.
#include "core/plot/prediction/PredictionFrame.h"
#include "core/plot/prediction/PredictionWords.h"

#include <fmt/format.h>

#include <iterator>

namespace trainscope::plot {

namespace {

constexpr int kMostSentenceLines = 6;
constexpr int kMostCellLines = 3;

// Draws sentences below each other, or only measures them; returns their height.
double sentences(const PredictionFrame& frame, const std::vector<std::string>& all, Point at,
    double width, bool draw) {
    double y = at.y;
    for (const std::string& sentence : all) {
        for (auto& words :
            frame.wrapped(sentence, width, kMostSentenceLines, TextRole::Secondary)) {
            if (draw)
                frame.text({at.x, y + frame.size(TextRole::Secondary)}, std::move(words),
                    frame.theme.text, TextRole::Secondary);
            y += frame.lineHeight(TextRole::Secondary);
        }
        y += frame.gap();
    }
    return std::max(y - at.y - frame.gap(), 0.0);
}

PanelContent sentencesContent(
    const PredictionFrame& frame, std::vector<std::string> all, double width) {
    const double height = sentences(frame, all, {}, width, false);
    return {height, [&frame, all = std::move(all), width](Rect area) {
                sentences(frame, all, {area.x, area.y}, width, true);
            }};
}

struct PredictedTexts {
    struct Row {
        std::vector<std::string> cells; // by head; the first stands at the left
        bool isStrong = false;
        bool isQuiet = false;
    };
    std::vector<std::string> heads;
    std::vector<Row> rows;

    explicit PredictedTexts(const text::Table& table) {
        for (const text::Column& column : table.columns)
            heads.push_back(column.title);
        for (auto& cells : table.inWords(text::Digits::Three))
            rows.push_back({std::move(cells)});
    }

    void dropLastColumn() {
        heads.pop_back();
        for (Row& row : rows)
            row.cells.pop_back();
    }
};

// Columns beside each other, or where there is no room for them each row as its first text with the
// others below.
class PredictedTextTable {
public:
    PredictedTextTable(const PredictionFrame& frame, PredictedTexts table, double width)
        : m_frame(frame)
        , m_table(std::move(table))
        , m_width(width) {
        double others = 0.0;
        for (std::size_t column = 1; column < m_table.heads.size(); ++column) {
            double wide = frame.width(m_table.heads[column]);
            for (const auto& row : m_table.rows)
                wide
                    = std::max(wide, frame.width(row.cells[column], TextRole::Small, row.isStrong));
            m_widths.push_back(wide + between());
            others += m_widths.back();
        }
        m_first = width - others;
        m_isStacked = m_first < kLeastFirst * width;
        for (const auto& row : m_table.rows)
            m_lines.push_back(linesOf(row));
    }

    [[nodiscard]] double height() const {
        double all = headHeight();
        for (std::size_t row = 0; row < m_lines.size(); ++row)
            all += rowHeight(row);
        return all;
    }

    void draw(Rect area) const {
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
    static constexpr double kLeastFirst = 0.26; // share of the width

    [[nodiscard]] double between() const { return 2.0 * m_frame.size(); }
    [[nodiscard]] double headHeight() const {
        return m_isStacked ? 0.0 : m_frame.lineHeight() + m_frame.gap();
    }
    [[nodiscard]] double rowHeight(std::size_t row) const {
        return static_cast<double>(m_lines[row].size()) * m_frame.lineHeight()
            + 1.5 * m_frame.gap();
    }

    // Lines of the first cell; stacked, of the others below it.
    std::vector<std::string> linesOf(const PredictedTexts::Row& row) {
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
        const PredictedTexts::Row& row = m_table.rows[at];
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
    PredictedTexts m_table;
    double m_width;
    double m_first = 0.0; // width of the first column
    std::vector<double> m_widths; // the other columns'
    bool m_isStacked = false;
    std::vector<std::vector<std::string>> m_lines; // by row
    std::vector<std::size_t> m_names; // by row: how many of them are the first cell's
};

constexpr std::size_t kMostTies = 5; // a page

std::string memoryWords(const predict::Prediction& made) {
    const predict::Interval& need = made.intervals.memoryB;
    if (!made.capacityB)
        return fmt::format("{} of each GPU are used.", predictedText(made.memoryB, need, "B"));
    if (made.isOom)
        return fmt::format("It does not fit: {} are needed of the {} of each GPU.",
            predictedText(made.memoryB, need, "B"),
            text::quantity(*made.capacityB, "B", text::Digits::Three));
    return fmt::format("Each GPU has {} of its {} left{}.",
        predictedText(*made.capacityB - made.memoryB,
            {*made.capacityB - need.high, *made.capacityB - need.low}, "B"),
        text::quantity(*made.capacityB, "B", text::Digits::Three),
        need.high > *made.capacityB ? ", so that it may not fit" : "");
}

std::string trainingSentence(const predict::Training& training) {
    return fmt::format("{} take {} and {}. {}.", tokenWords(training.tokens), timeWords(training),
        energyWords(training), goodputWords(training));
}

std::string stepSentence(const predict::Prediction& made) {
    const predict::Outlook& outlook = made.outlook;
    return fmt::format("A step takes {}. {} A GPU draws {} in the mean; the hottest settles at {}.",
        predictedText(made.seconds, {made.low, made.high}, "s"), memoryWords(made),
        predictedText(outlook.meanW, made.intervals.meanW, "W"),
        predictedText(outlook.hottestC, made.intervals.hottestC, "°C"));
}

bool isBestOf(const predict::SearchResult& found, const predict::LayoutChoice& choice) {
    return !found.top.empty() && found.top.front().choice == choice;
}

std::string rankSentence(const predict::SearchResult& found, const predict::LayoutChoice& choice) {
    const auto ties = std::count_if(found.top.begin() + 1, found.top.end(),
        [&](const auto& one) { return predict::areTied(one, found.top.front(), found.objective); });
    const std::string which = isBestOf(found, choice)
        ? "The best by"
        : fmt::format("Not the best, which is {}, by", choiceWords(found.top.front().choice));
    const std::int64_t ranked = found.sure > 0 ? found.sure : std::ssize(found.feasible);
    const std::string fits = found.sure == 0 ? "perhaps" : "surely";
    return fmt::format("{}{} {} of {} that {} {}; {} of the {} that follow {} with the best: {}.",
        found.sure == 0 ? "No layout surely fits. " : "", which, titleOf(found.objective),
        text::counted(ranked, "layout"), fits, ranked == 1 ? "fits" : "fit", ties,
        std::ssize(found.top) - 1, ties == 1 ? "is a tie" : "are ties", predict::kTieWords);
}

std::vector<std::string> sourceLines(const PredictionFigureData& data) {
    const predict::Prediction& made = data.asked->prediction;
    const std::string step = made.isSampled ? "from operator samples of its kind of GPU"
        : data.calibration.empty()
        ? "from formulas whose constants were fitted to published training runs, or are estimates"
        : "from formulas; " + data.calibration;
    const std::string known = made.isFromDataSheet
        ? " Its kind of GPU is known by its data sheet alone, so that the interval is wider."
        : "";
    std::vector<std::string> lines{
        fmt::format("Step: {}; its interval is how well the constants are known and how far "
                    "published steps are off.{}",
            step, known),
        fmt::format("Memory: counted from model and layout; its interval is what allocators of "
                    "published runs reserved. Power and heat: {}.",
            made.power.source.empty() ? "constants of recorded runs and of the catalogue of GPUs"
                                      : "by what was measured of " + made.power.source)};
    if (data.training.tokens && !data.asked->job.isInference())
        lines.emplace_back(
            "Time is tokens / tokens per second, without evaluation, checkpoints and restarts. "
            "Energy is mean power × time of the GPUs alone, without hosts, network and cooling.");
    return lines;
}

// The layouts that truly differ, and few of their ties.
struct Choices {
    std::vector<predict::ListedLayout> rows;
    std::size_t left = 0; // are not shown
};
Choices choicesOf(const predict::SearchResult& found) {
    Choices choices;
    std::size_t ties = 0;
    for (const predict::ListedLayout& one : predict::listedLayouts(found)) {
        if (one.isFirst || ties++ < kMostTies)
            choices.rows.push_back(one);
        else
            ++choices.left;
    }
    return choices;
}

} // namespace

std::vector<std::string> reasonsOf(const PredictionFigureData& data) {
    const PredictedJob& asked = *data.asked;
    std::vector<std::string> reasons;
    if (const auto training = trainingOf(asked.job, asked.prediction, data.training))
        reasons.push_back(trainingSentence(*training));
    reasons.push_back(stepSentence(asked.prediction));
    reasons.push_back(data.has(PredictionPanel::Choices)
            ? rankSentence(*data.found, predict::choiceOf(asked.job))
            : "This is the layout that was asked for; others were not ranked.");
    return reasons;
}

std::string choicesCaption(const PredictionFigureData& data) {
    const std::size_t left = choicesOf(*data.found).left;
    std::string caption = rankedTable({}, {}, data.found->objective).title;
    if (left > 0)
        caption += fmt::format("; {} more {} not shown", left, left == 1 ? "is" : "are");
    return caption;
}

PanelContent predictedReasons(const PredictionFrame& frame, double width) {
    return sentencesContent(frame, reasonsOf(frame.data), width);
}

PanelContent predictedSources(const PredictionFrame& frame, double width) {
    return sentencesContent(frame, sourceLines(frame.data), width);
}

PanelContent predictedChoices(const PredictionFrame& frame, double width) {
    const predict::SearchResult& found = *frame.data.found;
    const Choices choices = choicesOf(found);
    PredictedTexts texts(rankedTable(choices.rows, frame.data.training, found.objective));
    if (found.objective != predict::SearchObjective::PeakPower)
        texts.dropLastColumn(); // leaves room for the layouts on a page
    for (std::size_t i = 0; i < choices.rows.size(); ++i) {
        const predict::ListedLayout& one = choices.rows[i];
        texts.rows[i].isStrong = one.isBest();
        texts.rows[i].isQuiet = !one.isFirst;
        const bool isAsked
            = frame.data.asked && one.layout->choice == predict::choiceOf(frame.data.asked->job);
        if (isAsked && !one.isBest())
            texts.rows[i].cells.front().insert(0, "▸ ");
    }
    return PredictedTextTable(frame, std::move(texts), width);
}

PanelContent predictedChanges(const PredictionFrame& frame, double width) {
    return PredictedTextTable(frame,
        PredictedTexts(changesTable(*frame.data.asked, frame.data.training, frame.data.whatIf)),
        width);
}

} // namespace trainscope::plot
