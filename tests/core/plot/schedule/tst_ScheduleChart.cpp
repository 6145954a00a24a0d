// Geometry of a plan alone, by numbers: of a whole schedule, of a part of it, and of more passes
// than there are pixels.

#include <QtTest>

#include "core/plot/layout/ScheduleFigure.h"
#include "core/plot/layout/support/DemoLayout.h"
#include "support/TestProgram.h"

#include <cmath>

using namespace trainscope;
using namespace trainscope::plot;
using test::itemsOf;

namespace {

DiagramStyle planStyle(double width, double height) {
    auto style = test::diagramStyle(width, height);
    style.measure = [](std::string_view text, TextRole, bool) {
        return 7.0 * static_cast<double>(text.size());
    };
    return style;
}

ScheduleFigureData planAlone(const layout::Schedule& schedule) {
    ScheduleFigureData data;
    data.planned = schedule;
    data.to = schedule.makespan;
    data.stages.resize(static_cast<std::size_t>(schedule.stages));
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
        const double perUnit = chart.area.width / 9.0;
        QCOMPARE(chart.targets.size(), std::size_t{8});
        for (const auto& target : chart.targets) {
            const auto& task = schedule.tasks[target.task];
            const Rect& bar = target.rect;
            QVERIFY(std::abs(bar.x - chart.area.x - perUnit * task.start) < 1e-9);
            QVERIFY(std::abs(bar.width - perUnit * (task.end - task.start)) < 1e-9);
            const auto hit = hitSchedule(data, chart, bar.x + 1, bar.y + 1);
            QVERIFY(hit.has_value());
            QCOMPARE(hit->stage.value_or(-1), task.stage);
            QVERIFY(hit->outline == bar);
        }
        // The step ends with the first stage; what the last one leaves free is no pass.
        const Rect& last = chart.rows.back();
        const auto free = hitSchedule(data, chart, last.right() - 1, last.y + 1);
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
        std::vector<std::size_t> tasks;
        for (const auto& target : chart.targets)
            tasks.push_back(target.task);
        QCOMPARE(tasks, (std::vector<std::size_t>{2, 3, 4}));
        QCOMPARE(chart.targets.front().rect.x, chart.area.x);
        QCOMPARE(chart.targets.back().rect.right(), chart.area.right());
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
