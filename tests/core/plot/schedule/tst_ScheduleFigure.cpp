// Geometry of the schedule's chart by numbers, and what it says.

#include <QtTest>

#include "core/plot/layout/support/DemoSchedule.h"
#include "support/TestProgram.h"

#include <algorithm>
#include <cmath>

using namespace trainscope;
using namespace trainscope::plot;
using trainscope::test::demoSchedule;

namespace {

FigureStyle styleOf(double width, double height) {
    FigureStyle style;
    style.theme = &lightTheme();
    style.width = width;
    style.height = height;
    style.measure = [](std::string_view text, TextRole, bool) {
        return 6.0 * static_cast<double>(text.size());
    };
    return style;
}

} // namespace

class tst_ScheduleFigure : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Passes in no known order are of no kind, though the schedule that holds them has one.
    void kinds() {
        auto data = demoSchedule(true);
        QCOMPARE(data.kindTitle(), titleOf(layout::ScheduleKind::OneForwardOneBackward));
        data.isKnownOrder = false;
        QCOMPARE(data.kindTitle(), std::string_view("Order of no known schedule"));
        data = demoSchedule(false);
        QCOMPARE(data.kindTitle(), titleOf(layout::ScheduleKind::OneForwardOneBackward));
    }

    void passesLieWhereTheirTimesAre() {
        const auto data = demoSchedule(true);
        const auto geometry = buildScheduleFigure(data, styleOf(800, 300));
        QCOMPARE(geometry.rows.size(), std::size_t{2});
        QCOMPARE(geometry.targets.size(), std::size_t{16}); // 8 traced, 8 planned
        const double perSecond = geometry.area.width / data.to;
        for (const auto& target : geometry.targets) {
            const auto& schedule = target.isPlanned ? *data.planned : *data.traced;
            const auto& task = schedule.tasks[target.task];
            const Rect& row = geometry.rows[static_cast<std::size_t>(task.stage)];
            QVERIFY(std::abs(target.rect.x - (geometry.area.x + task.start * perSecond)) < 1e-9);
            QVERIFY(std::abs(target.rect.width - (task.end - task.start) * perSecond) < 1e-9);
            QVERIFY(target.rect.y >= row.y - 1e-9 && target.rect.bottom() <= row.bottom() + 1e-9);
        }
        // Traced above planned, without touching.
        const auto low = [&](bool isPlanned) {
            double y = isPlanned ? 1e9 : 0.0;
            for (const auto& target : geometry.targets) {
                const auto& schedule = target.isPlanned ? *data.planned : *data.traced;
                if (schedule.tasks[target.task].stage == 0 && target.isPlanned == isPlanned)
                    y = isPlanned ? std::min(y, target.rect.y) : std::max(y, target.rect.bottom());
            }
            return y;
        };
        QVERIFY(low(false) <= low(true));
        QVERIFY(geometry.area.right() < 800 && geometry.area.bottom() < 300);
    }

    void theWindowCutsThem() {
        auto data = demoSchedule(true);
        data.from = 2.0;
        data.to = 4.0;
        const auto geometry = buildScheduleFigure(data, styleOf(800, 300));
        for (const auto& target : geometry.targets) {
            QVERIFY(target.rect.x >= geometry.area.x - 1e-9);
            QVERIFY(target.rect.right() <= geometry.area.right() + 1e-9);
        }
        QVERIFY(!geometry.targets.empty() && geometry.targets.size() < 16);
    }

    void whatIsUnderThePointer() {
        const auto data = demoSchedule(true);
        const auto geometry = buildScheduleFigure(data, styleOf(800, 300));
        for (const auto& target : geometry.targets) {
            const Rect& rect = target.rect;
            const auto hit
                = hitSchedule(data, geometry, rect.x + rect.width / 2, rect.y + rect.height / 2);
            QVERIFY(hit.has_value());
            QCOMPARE(hit->outline, rect);
            const auto& schedule = target.isPlanned ? *data.planned : *data.traced;
            const auto& task = schedule.tasks[target.task];
            QCOMPARE(hit->stage.value_or(-1), task.stage);
            QCOMPARE(hit->rank.value_or(-1), task.stage == 0 ? 4 : -1);
            QVERIFY(hit->title.find("micro-batch " + std::to_string(task.microbatch))
                != std::string::npos);
            QCOMPARE(hit->title.find("planned") != std::string::npos, target.isPlanned);
        }
        QVERIFY(!hitSchedule(data, geometry, 1, 1));
    }

    void aPlanAlone() {
        const auto data = demoSchedule(false);
        const auto geometry = buildScheduleFigure(data, styleOf(600, 0));
        QCOMPARE(geometry.targets.size(), std::size_t{8});
        QCOMPARE(geometry.scene.height, geometry.preferredHeight);
        bool saysUnit = false;
        for (const auto& item : geometry.scene.items) {
            if (const auto* label = std::get_if<Label>(&item))
                saysUnit = saysUnit
                    || label->text.find("forward passes of a stage") != std::string::npos;
        }
        QVERIFY(saysUnit);
        const auto nothing = buildScheduleFigure({}, styleOf(600, 200));
        QVERIFY(nothing.targets.empty());
    }

    // Sixteen stages of 512 micro-batches: what is narrower than a pixel is drawn as one.
    void largeOnesStaySmall() {
        auto data = demoSchedule(false);
        data.planned = layout::makeSchedule(
            {layout::ScheduleKind::OneForwardOneBackward, 64, 4096, 1, {}, 0.0})
                           .value();
        data.to = data.planned->makespan;
        data.stages.assign(64, {});
        const auto geometry = buildScheduleFigure(data, styleOf(1000, 800));
        std::size_t bars = 0;
        for (const auto& item : geometry.scene.items) {
            if (const auto* row = std::get_if<Bars>(&item))
                bars += row->bars.size();
        }
        QVERIFY(bars <= 64 * 1000);
        for (std::size_t a = 1; a < geometry.rows.size(); ++a)
            QVERIFY(geometry.rows[a].y >= geometry.rows[a - 1].bottom());
    }

    void numbers() {
        const std::string csv = scheduleCsv(demoSchedule(true));
        QCOMPARE(std::count(csv.begin(), csv.end(), '\n'), 17);
        QVERIFY(csv.starts_with("run,series,stage,rank,chunk,microbatch,kind,start (s),end (s)\n"));
        QVERIFY(csv.find("job,traced,0,4,0,0,forward,0,1.1\n") != std::string::npos);
        QVERIFY(csv.find("job,planned,1,,0,1,backward,") != std::string::npos);
    }
};

TRAINSCOPE_TEST(tst_ScheduleFigure)
#include "tst_ScheduleFigure.moc"
