// Geometry of the schedule's chart by numbers, and what it says.

#include "core/plot/layout/ScheduleFigure.h"
#include "core/plot/layout/support/DemoLayout.h"
#include "core/plot/layout/support/DemoSchedule.h"
#include "support/TestProgram.h"

using namespace trainscope::plot;
using test::itemsOf;
using trainscope::test::demoSchedule;
using trainscope::test::factOf;
using trainscope::test::passesOf;
using trainscope::test::told;

namespace {

FigureStyle styleOf(double width, double height) {
    return test::styleWith(test::lettersOf(6.0), lightTheme(), width, height);
}

FigureStyle planStyle(double width, double height) {
    return test::styleWith(test::lettersOf(7.0), darkTheme(), width, height);
}

ScheduleFigureData planAlone(const layout::Schedule& schedule) {
    ScheduleFigureData data;
    data.plan = schedule;
    data.to = schedule.makespan;
    return data;
}

} // namespace

class tst_ScheduleFigure : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Passes in no known order are of no kind, though the schedule that holds them has one.
    void kinds() {
        auto data = demoSchedule(true);
        QCOMPARE(data.kindTitle(), titleOf(layout::ScheduleKind::OneForwardOneBackward));
        data.traced->isKnownOrder = false;
        QCOMPARE(data.kindTitle(), std::string_view("Order of no known schedule"));
        data = demoSchedule(false);
        QCOMPARE(data.kindTitle(), titleOf(layout::ScheduleKind::OneForwardOneBackward));
    }

    void passesLieWhereTheirTimesAre() {
        const auto data = demoSchedule(true);
        const auto geometry = buildScheduleFigure(data, styleOf(800, 300));
        QCOMPARE(geometry.areas.size(), std::size_t{2});
        QCOMPARE(passesOf(geometry).size(), std::size_t{16}); // 8 traced, 8 planned
        const Rect& area = geometry.areas.front();
        const double perSecond = area.width / data.to;
        std::array<double, 2> lowest{0.0, 1e9}; // stage 0: bottom of traced, top of planned
        for (const bool isPlanned : {false, true}) {
            for (const auto& task : (isPlanned ? data.planned() : data.passes())->tasks) {
                const Rect& row = geometry.areas[static_cast<std::size_t>(task.stage)];
                const auto hit = geometry.hitAt({area.x + task.start * perSecond + 1.0,
                    isPlanned ? row.bottom() - 1.0 : row.y + 1.0});
                QVERIFY(hit.has_value());
                const Rect& rect = hit->outline;
                QVERIFY(std::abs(rect.x - (area.x + task.start * perSecond)) < 1e-9);
                QVERIFY(std::abs(rect.width - (task.end - task.start) * perSecond) < 1e-9);
                QVERIFY(rect.y >= row.y - 1e-9 && rect.bottom() <= row.bottom() + 1e-9);
                if (task.stage == 0)
                    lowest[isPlanned] = isPlanned ? std::min(lowest[1], rect.y)
                                                  : std::max(lowest[0], rect.bottom());
            }
        }
        // Traced above planned, without touching.
        QVERIFY(lowest[0] <= lowest[1]);
        QVERIFY(area.right() < 800 && geometry.areas.back().bottom() < 300);
    }

    void theWindowCutsThem() {
        auto data = demoSchedule(true);
        data.from = 2.0;
        data.to = 4.0;
        const auto geometry = buildScheduleFigure(data, styleOf(800, 300));
        for (const auto& target : geometry.targets) {
            QVERIFY(target.rect.x >= geometry.areas.front().x - 1e-9);
            QVERIFY(target.rect.right() <= geometry.areas.front().right() + 1e-9);
        }
        const auto passes = passesOf(geometry);
        QVERIFY(!passes.empty() && passes.size() < 16);
    }

    void whatIsUnderThePointer() {
        const auto data = demoSchedule(true);
        const auto geometry = buildScheduleFigure(data, styleOf(800, 300));
        const double perSecond = geometry.areas.front().width / data.to;
        for (const bool isPlanned : {false, true}) {
            for (const auto& task : (isPlanned ? data.planned() : data.passes())->tasks) {
                const Rect& row = geometry.areas[static_cast<std::size_t>(task.stage)];
                const auto hit = geometry.hitAt({row.x + (task.start + task.end) / 2.0 * perSecond,
                    isPlanned ? row.bottom() - 1.0 : row.y + 1.0});
                QVERIFY(hit.has_value());
                QCOMPARE(hit->stage.value_or(-1), task.stage);
                QCOMPARE(hit->rank.value_or(-1), task.stage == 0 ? 4 : -1);
                VERIFY_SAYS(hit->title, "micro-batch " + std::to_string(task.microbatch));
                QCOMPARE(hit->title.find("planned") != std::string::npos, isPlanned);
            }
        }
        QVERIFY(!geometry.hitAt({1, 1}));
    }

    // Forward passes take 1 s, backward ones 2 s, traced 10 % longer: stage 1 waits for the first
    // pass of stage 0, and at the end for its last.
    void bubblesAreTheTimeBetween() {
        const auto data = demoSchedule(true);
        const auto geometry = buildScheduleFigure(data, styleOf(800, 300));
        std::vector<const Target*> bubbles;
        for (const Target& target : geometry.targets) {
            if (told(target).title == "stage 1 · bubble: no pass runs")
                bubbles.push_back(&target);
        }
        QCOMPARE(bubbles.size(), std::size_t{2});
        QCOMPARE(factOf(told(*bubbles[0]), "begins"), std::string("0 s"));
        QCOMPARE(factOf(told(*bubbles[0]), "takes"), std::string("1.1 s"));
        QCOMPARE(factOf(told(*bubbles[1]), "takes"), std::string("2.2 s"));
        QCOMPARE(factOf(told(*bubbles[1]), "of the time shown"), std::string("22.2 %"));
        double busy = 0.0; // 6 of 9 s
        for (const Hit& pass : passesOf(geometry)) {
            if (pass.stage == 1 && pass.title.find("planned") == std::string::npos)
                busy += pass.outline.width;
        }
        const double free = bubbles[0]->rect.width + bubbles[1]->rect.width;
        QVERIFY(std::abs(busy / free - 2.0) < 1e-9);
    }

    void aPlanAlone() {
        const auto data = demoSchedule(false);
        const auto geometry = buildScheduleFigure(data, styleOf(600, 0));
        QCOMPARE(passesOf(geometry).size(), std::size_t{8});
        QCOMPARE(geometry.scene.height, geometry.preferredHeight);
        bool saysUnit = false;
        for (const Label& label : itemsOf<Label>(geometry.scene))
            saysUnit
                = saysUnit || label.text.find("forward passes of a stage") != std::string::npos;
        QVERIFY(saysUnit);
        const auto nothing = buildScheduleFigure({}, styleOf(600, 200));
        QVERIFY(nothing.targets.empty());
    }

    // Sixteen stages of 512 micro-batches: what is narrower than a pixel is drawn as one.
    void largeOnesStaySmall() {
        auto data = demoSchedule(false);
        data.plan = layout::makeSchedule(
            {layout::ScheduleKind::OneForwardOneBackward, 64, 4096, 1, {}, 0.0})
                        .value();
        data.to = data.plan->makespan;
        const auto geometry = buildScheduleFigure(data, styleOf(1000, 800));
        std::size_t bars = 0;
        for (const Bars& row : itemsOf<Bars>(geometry.scene))
            bars += row.bars.size();
        QVERIFY(bars <= 64 * 1000);
        for (std::size_t a = 1; a < geometry.areas.size(); ++a)
            QVERIFY(geometry.areas[a].y >= geometry.areas[a - 1].bottom());
    }

    void numbers() {
        const std::string csv = scheduleCsv(demoSchedule(true));
        QCOMPARE(std::count(csv.begin(), csv.end(), '\n'), 17);
        QVERIFY(csv.starts_with("run,series,stage,rank,chunk,microbatch,kind,start (s),end (s)\n"));
        VERIFY_SAYS(csv, "job,traced,0,4,0,0,forward,0,1.1\n");
        VERIFY_SAYS(csv, "job,planned,1,,0,1,backward,");
    }

    // Geometry of a plan alone, by numbers: of a whole schedule, of a part of it, and of more
    // passes than there are pixels.
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

TRAINSCOPE_TEST(tst_ScheduleFigure)
#include "tst_ScheduleFigure.moc"
