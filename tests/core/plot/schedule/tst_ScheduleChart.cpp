// Geometry of a plan alone, by numbers: of a whole schedule, of a part of it, and of more passes
// than there are pixels.

#include "core/plot/layout/ScheduleFigure.h"
#include "core/plot/layout/support/DemoLayout.h"
#include "core/plot/layout/support/DemoSchedule.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::plot;
using test::itemsOf;

namespace {

FigureStyle planStyle(double width, double height) {
    auto style = test::diagramStyle(width, height);
    style.measure = [](std::string_view text, TextRole, bool) {
        return 7.0 * static_cast<double>(text.size());
    };
    return style;
}

ScheduleFigureData planAlone(const layout::Schedule& schedule) {
    ScheduleFigureData data;
    data.plan = schedule;
    data.to = schedule.makespan;
    return data;
}

} // namespace

class tst_ScheduleChart : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void barsOfASchedule() {
        const auto schedule = layout::makeSchedule(
            {layout::ScheduleKind::OneForwardOneBackward, 2, 2, 1, {{1, 1, 1}}, 0.0})
                                  .value();
        QCOMPARE(schedule.makespan, 9.0);
        const auto data = planAlone(schedule);
        const auto chart = buildScheduleFigure(data, planStyle(900, 200));
        const Rect& area = chart.areas.front();
        const double perUnit = area.width / 9.0;
        QCOMPARE(test::passesOf(chart).size(), std::size_t{8});
        for (const auto& task : schedule.tasks) {
            const Rect& row = chart.areas[static_cast<std::size_t>(task.stage)];
            const auto hit = chart.hitAt({area.x + perUnit * task.start + 1, row.y + 1});
            QVERIFY(hit.has_value());
            QVERIFY(std::abs(hit->outline.x - area.x - perUnit * task.start) < 1e-9);
            QVERIFY(std::abs(hit->outline.width - perUnit * (task.end - task.start)) < 1e-9);
            QCOMPARE(hit->stage.value_or(-1), task.stage);
            VERIFY_SAYS(hit->title, "micro-batch " + std::to_string(task.microbatch));
        }
        // The step ends with the first stage; what the last one leaves free is no pass.
        const Rect& last = chart.areas.back();
        const auto free = chart.hitAt({last.right() - 1, last.y + 1});
        QVERIFY(free.has_value());
        QCOMPARE(free->title, std::string("stage 1 · bubble: no pass runs"));
    }

    void aWindowOfASchedule() {
        const auto schedule
            = layout::makeSchedule({layout::ScheduleKind::GPipe, 1, 10, 1, {{1, 1, 0}}, 0.0})
                  .value();
        auto data = planAlone(schedule);
        data.from = 2.5;
        data.to = 4.5;
        const auto chart = buildScheduleFigure(data, planStyle(500, 160));
        const auto passes = test::passesOf(chart);
        QCOMPARE(passes.size(), std::size_t{3});
        for (std::size_t i = 0; i < passes.size(); ++i)
            QVERIFY(
                passes[i].title.ends_with("micro-batch " + std::to_string(i + 2) + ", planned"));
        QCOMPARE(passes.front().outline.x, chart.areas.front().x);
        QCOMPARE(passes.back().outline.right(), chart.areas.front().right());
    }

    // 64 stages × 2,048 micro-batches: what is narrower than a pixel is joined, and no bar leaves
    // its row.
    void denseSchedules() {
        const auto schedule = layout::makeSchedule(
            {layout::ScheduleKind::OneForwardOneBackward, 64, 2048, 1, {}, 0.0})
                                  .value();
        const auto chart = buildScheduleFigure(planAlone(schedule), planStyle(1600, 900));
        const auto rows = itemsOf<Bars>(chart.scene);
        QCOMPARE(rows.size(), std::size_t{64});
        for (const Bars& row : rows) {
            QVERIFY(!row.bars.empty() && row.bars.size() <= 2 * 1600);
            for (const Bar& bar : row.bars)
                QVERIFY(bar.left >= row.area.x && bar.right <= row.area.right() + 1e-9);
        }
        // Passes without room carry no numbers: names and bubbles of the stages, the axis, the
        // legend.
        QVERIFY(itemsOf<Label>(chart.scene).size() <= 2 * 64 + 50);
    }
};

TRAINSCOPE_TEST(tst_ScheduleChart)
#include "tst_ScheduleChart.moc"
