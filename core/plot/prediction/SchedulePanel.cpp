// Panels that are figures of their own: the schedule of the passes, and the verdict on the best of
// two clusters.
#include "core/plot/comparison/Comparison.h"
#include "core/plot/prediction/PredictionFrame.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <utility>

namespace trainscope::plot {

namespace {

class PredictedSchedule : public PanelContent {
public:
    PredictedSchedule(const PredictionFrame& frame, double width)
        : m_frame(frame) {
        FigureStyle style = frame.style;
        style.width = width;
        style.height = 0.0;
        style.title = style.caption = false;
        m_chart = buildScheduleFigure(*frame.data.schedule, style);
    }

    [[nodiscard]] double height() const override { return m_chart.scene.height; }

    void draw(Rect area) const override { m_frame.picture.append(m_chart, {area.x, area.y}); }

private:
    const PredictionFrame& m_frame;
    Picture m_chart;
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

MadeContent predictedSchedule(const PredictionFrame& frame, double width) {
    return std::make_unique<PredictedSchedule>(frame, width);
}

MadeContent predictedVerdict(const PredictionFrame& frame, double width) {
    return std::make_unique<PredictedVerdict>(frame, width);
}

} // namespace trainscope::plot
