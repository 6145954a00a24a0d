// Geometry of the schedule's chart, by numbers.

#include <QtTest>

#include "core/plot/layout/ScheduleChart.h"
#include "core/plot/layout/support/DemoLayout.h"
#include "support/TestProgram.h"

#include <cmath>

using namespace trainscope;
using namespace trainscope::plot;
using test::itemsOf;

namespace {

DiagramStyle styleOf(double width, double height) {
    auto style = test::diagramStyle(width, height);
    style.measure = [](std::string_view text, TextRole, bool) {
        return 7.0 * static_cast<double>(text.size());
    };
    return style;
}

} // namespace

class tst_ScheduleChart : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void barsOfASchedule() {
        const auto schedule = layout::makeSchedule(
            {layout::ScheduleKind::OneForwardOneBackward, 2, 2, 1, {{1, 1, 1}}, 0.0})
                                  .value();
        // 0 to 9 on 900 units of width beside the names.
        const auto style = styleOf(900 + 7.0 * 7 + 3 * darkTheme().spacing, 100);
        const auto chart = buildScheduleChart(schedule, 0, 0, style);
        QCOMPARE(schedule.makespan, 9.0);
        QCOMPARE(chart.area.width, 900.0);
        QCOMPARE(chart.tasks.size(), std::size_t{8});
        for (std::size_t i = 0; i < chart.tasks.size(); ++i) {
            const auto& task = schedule.tasks[chart.tasks[i]];
            QVERIFY(std::abs(chart.bars[i].x - chart.area.x - 100 * task.start) < 1e-9);
            QVERIFY(std::abs(chart.bars[i].width - 100 * (task.end - task.start)) < 1e-9);
            const Rect& bar = chart.bars[i];
            QCOMPARE(taskAt(chart, bar.x + 1, bar.y + 1).value_or(99), chart.tasks[i]);
        }
        QCOMPARE(itemsOf<Label>(chart.scene).size(), std::size_t{8 + 2});
        QVERIFY(!taskAt(chart, chart.area.right() - 1, chart.bars.back().y + 1).has_value());
    }

    void aWindowOfASchedule() {
        const auto schedule
            = layout::makeSchedule({layout::ScheduleKind::GPipe, 1, 10, 1, {{1, 1, 0}}, 0.0})
                  .value();
        const auto chart = buildScheduleChart(schedule, 2.5, 4.5, styleOf(500, 60));
        QCOMPARE(chart.tasks, (std::vector<std::size_t>{2, 3, 4}));
        QCOMPARE(chart.bars.front().x, chart.area.x);
        QCOMPARE(chart.bars.back().right(), chart.area.right());
    }

    // 64 stages × 2,048 micro-batches: what is narrower than a pixel is joined, and no bar is lost.
    void denseSchedules() {
        const auto schedule = layout::makeSchedule(
            {layout::ScheduleKind::OneForwardOneBackward, 64, 2048, 1, {}, 0.0})
                                  .value();
        const auto chart = buildScheduleChart(schedule, 0, 0, styleOf(1600, 900));
        QCOMPARE(chart.tasks.size(), schedule.tasks.size());
        const auto rows = itemsOf<Bars>(chart.scene);
        QCOMPARE(rows.size(), std::size_t{64});
        for (const Bars& row : rows) {
            QVERIFY(!row.bars.empty() && row.bars.size() <= 2 * 1600);
            for (const Bar& bar : row.bars)
                QVERIFY(bar.left >= row.area.x && bar.right <= row.area.right() + 1e-9);
        }
        QVERIFY(itemsOf<Label>(chart.scene).size() <= 64);
    }
};

TRAINSCOPE_TEST(tst_ScheduleChart)
#include "tst_ScheduleChart.moc"
