// The figures of a prediction as cards, and its step among other candidates: what it consists of,
// and the whiskers of its interval.
// Panels that are figures of their own: the schedule of the passes, and the verdict on the best of
// two clusters.

#include "core/plot/comparison/Comparison.h"
#include "core/plot/prediction/PredictionFrame.h"
#include "core/plot/prediction/PredictionWords.h"

#include <fmt/format.h>

namespace trainscope::plot {

namespace {

constexpr double kLeastPredictedCard = 11.0; // in sizes of the body text

class PredictedCardGrid : public CellGrid {
public:
    PredictedCardGrid(const PredictionFrame& frame, std::vector<PredictedCard> cards, double width)
        : CellGrid(cards.size(), width, kLeastPredictedCard * frame.size(TextRole::Body),
            3.0 * frame.gap(), cards.size())
        , m_frame(frame)
        , m_cards(std::move(cards)) {
        evenRows();
    }

private:
    [[nodiscard]] double pad() const { return 3.0 * m_frame.gap(); }
    [[nodiscard]] double cellHeight() const override {
        return 2.0 * pad() + 1.4 * m_frame.size(TextRole::Secondary)
            + 1.35 * m_frame.size(TextRole::Title) + 2.0 * m_frame.lineHeight();
    }

    void drawCell(std::size_t index, Rect rect) const override {
        const PredictedCard& card = m_cards[index];
        m_frame.box(rect, 1.5 * m_frame.gap(), m_frame.theme.lineWidth);
        const double inner = rect.width - 2.0 * pad();
        const double x = rect.x + pad();
        double y = rect.y + pad() + m_frame.size(TextRole::Secondary);
        m_frame.text({x, y}, m_frame.fitted(card.title, inner, TextRole::Secondary),
            m_frame.theme.textSecondary, TextRole::Secondary);
        y += 1.4 * m_frame.size(TextRole::Title);
        const std::string big = card.number(card.value.value);
        m_frame.text({x, y}, m_frame.fitted(big, inner, TextRole::Title, true),
            card.isWarning ? m_frame.theme.warning : m_frame.theme.text, TextRole::Title,
            Align::Left, true);
        const std::string interval = card.bounds();
        m_frame.text({x, rect.bottom() - pad() - m_frame.lineHeight()},
            m_frame.fitted(interval, inner), m_frame.theme.textSecondary);
        m_frame.text({x, rect.bottom() - pad()}, m_frame.fitted(card.note, inner),
            card.isWarning ? m_frame.theme.warning : m_frame.theme.textSecondary);
        PredictionFrame::Facts facts{{card.title, big}, {"90 % interval", interval}};
        if (!card.note.empty())
            facts.emplace_back("Of it", card.note);
        m_frame.target(rect, card.title, std::move(facts));
    }

    const PredictionFrame& m_frame;
    std::vector<PredictedCard> m_cards;
};

// A job whose step is compared: the one that is asked for, which comes last, others, or a measured
// one, whose parts nobody knows.
struct StepRow {
    std::string name;
    double seconds = 0.0;
    std::optional<predict::Interval> bounds = {}; // a predicted step's
    std::vector<PredictedPart> parts = {}; // add up to the seconds
    bool isOom = false;

    [[nodiscard]] std::string told() const {
        return bounds ? predictedText(seconds, *bounds, "s")
                      : text::quantity(seconds, "s", text::Digits::Three);
    }
};

std::vector<StepRow> stepRows(const PredictionFigureData& data) {
    std::vector<StepRow> rows;
    if (data.measured)
        rows.push_back({data.measured->name, data.measured->seconds});
    for (const PredictedJob* one : data.predicted()) {
        const predict::Prediction& made = one->prediction;
        rows.push_back({one->name, made.seconds, predict::Interval{made.low, made.high},
            partsOf(made.breakdown()), made.isOom});
    }
    return rows;
}

class PredictedSteps {
public:
    PredictedSteps(const PredictionFrame& frame, double width)
        : m_frame(frame)
        , m_width(width)
        , m_steps(stepRows(frame.data)) {
        std::vector<double> ends;
        for (const auto& step : m_steps) {
            m_labels = std::max({m_labels, frame.width(step.name, TextRole::Small, true),
                frame.width(secondLineOf(step))});
            ends.push_back(step.bounds ? step.bounds->high : step.seconds);
            m_parts.push_back(step.parts);
        }
        m_labels = std::min(m_labels, 0.34 * width);
        m_axis = axisOf("Step time", {}, "s", ends, true);
    }

    [[nodiscard]] double height() const {
        return static_cast<double>(m_steps.size()) * (rowHeight() + m_frame.gap())
            + gridHeight(m_frame) + m_frame.gap()
            + drawPartLegend(m_frame, m_parts, {}, m_width, false);
    }

    void draw(Rect area) const {
        const double left = area.x + m_labels + 3.0 * m_frame.gap();
        // Half of the last tick's text stands beyond the axis.
        const double right = area.right() - 2.5 * m_frame.size();
        const auto rows = static_cast<double>(m_steps.size());
        const Rect plot{
            left, area.y, std::max(right - left, 1.0), rows * (rowHeight() + m_frame.gap())};
        drawGrid(m_frame, m_axis, plot);
        double y = area.y;
        for (const auto& step : m_steps) {
            drawStep(step, {plot.x, y, plot.width, rowHeight()}, area.x);
            y += rowHeight() + m_frame.gap();
        }
        drawPartLegend(
            m_frame, m_parts, {area.x, y + gridHeight(m_frame) + m_frame.gap()}, m_width, true);
    }

private:
    [[nodiscard]] static std::string secondLineOf(const StepRow& step) {
        return step.isOom ? "out of memory" : step.told();
    }
    [[nodiscard]] double rowHeight() const { return 2.0 * m_frame.lineHeight(); }

    void drawStep(const StepRow& step, Rect row, double labels) const {
        const double line = m_frame.lineHeight();
        const bool isAsked = &step == &m_steps.back();
        m_frame.text({labels, row.y + m_frame.size()},
            m_frame.fitted(step.name, m_labels, TextRole::Small, isAsked), m_frame.theme.text,
            TextRole::Small, Align::Left, isAsked);
        m_frame.text({labels, row.y + line + m_frame.size()},
            m_frame.fitted(secondLineOf(step), m_labels),
            step.isOom ? m_frame.theme.warning : m_frame.theme.textSecondary);
        const double inset = 0.15 * row.height;
        const Rect bar{row.x, row.y + inset, row.width, row.height - 2.0 * inset};
        const Rect whole{bar.x, bar.y, bar.width * fractionOf(m_axis, step.seconds), bar.height};
        m_frame.target(
            row, step.name, {{step.bounds ? "Predicted step" : "Measured step", step.told()}});
        if (!step.bounds) {
            m_frame.fill(whole, m_frame.theme.raised);
            m_frame.hatch(whole);
            m_frame.line({whole.right(), bar.y}, {whole.right(), bar.bottom()}, m_frame.theme.text,
                2.0 * m_frame.theme.lineWidth);
        } else {
            drawParts(m_frame, m_axis, bar, step.name, step.parts, step.bounds);
            m_frame.whisker(*step.bounds, m_axis, row);
        }
    }

    const PredictionFrame& m_frame;
    double m_width;
    std::vector<StepRow> m_steps;
    double m_labels = 0.0;
    FigureAxis m_axis;
    std::vector<std::vector<PredictedPart>> m_parts;
};

// The style of a figure that is a panel's content.
FigureStyle styleInside(const PredictionFrame& frame, double width) {
    FigureStyle style = frame.style;
    style.width = width;
    style.height = 0.0;
    style.title = style.caption = false;
    return style;
}

// A figure without the edges of its board.
PanelContent figureContent(const PredictionFrame& frame, Picture made, double edge) {
    const double height = made.scene.height - 2.0 * edge;
    return {height, [&frame, made = std::move(made), edge](Rect area) {
                frame.picture.append(made, {area.x - edge, area.y - edge});
            }};
}

} // namespace

PanelContent predictedCardGrid(const PredictionFrame& frame, double width) {
    const PredictedJob& asked = *frame.data.asked;
    return PredictedCardGrid(
        frame, predictedCards(asked.job, asked.prediction, frame.data.training), width);
}

PanelContent predictedSteps(const PredictionFrame& frame, double width) {
    return PredictedSteps(frame, width);
}

void takeAsked(std::shared_ptr<const PredictedJob> asked, PredictionFigureData& data) {
    data.asked = std::move(asked);
    const layout::Schedule& planned = data.asked->prediction.step.schedule;
    if (planned.stages < 2 || planned.tasks.empty())
        return;
    ScheduleFigureData schedule;
    schedule.plan = planned;
    schedule.to = planned.makespan;
    data.schedule = std::make_shared<const ScheduleFigureData>(std::move(schedule));
}

std::string scheduleCaption(const PredictedJob& asked) {
    const layout::Schedule& schedule = asked.prediction.step.schedule;
    return fmt::format("{}, {}, {}; hatched: no pass runs, {} in all",
        asked.job.isInference() ? "Forward alone" : titleOf(schedule.kind),
        text::counted(schedule.stages, "stage"),
        text::counted(schedule.microbatches, "micro-batch", "micro-batches"),
        text::percent(schedule.bubbleFraction));
}

PanelContent predictedSchedule(const PredictionFrame& frame, double width) {
    return figureContent(
        frame, buildScheduleFigure(*frame.data.schedule, styleInside(frame, width)), 0.0);
}

PanelContent predictedVerdict(const PredictionFrame& frame, double width) {
    // A comparison's verdict, cards and reasons; a predicted run is in no database.
    const double edge = 4.0 * frame.gap();
    Picture made = buildComparison(*frame.data.rival, styleInside(frame, width + 2.0 * edge),
        {{ComparisonPanel::Verdict, ComparisonPanel::Cards, ComparisonPanel::Reasons}});
    for (Target& target : made.targets)
        target.shown = {};
    return figureContent(frame, std::move(made), edge);
}

} // namespace trainscope::plot
