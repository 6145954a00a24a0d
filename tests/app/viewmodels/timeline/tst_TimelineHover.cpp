// Words about the kernel under the pointer.
#include "app/viewmodels/timeline/TimelineHover.h"
#include "core/plot/timeline/TraceClock.h"
#include "support/TestProgram.h"

#include <QTest>

using namespace trainscope;

class tst_TimelineHover : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // On a clock that gains 50 ppm 100 ms are seen as 99.995 ms; the kernel took what its own clock
    // says, as the inspector does.
    void durationsAreOfTheKernelsOwnClock() {
        analysis::RankClock clock;
        clock.rank = 1;
        clock.driftPpm = 50.0;
        clock.reference = {1'000'000'000};
        analysis::RankClocks clocks;
        clocks.ranks = {clock};
        plot::ShownRun run;
        run.clocks = std::make_shared<const analysis::RankClocks>(clocks);
        const TimeRange own{{3'000'000'000}, {3'100'000'000}};

        store::LodNode group;
        group.range = plot::shownRange(run, 1, own);
        group.name = NameId{7};
        QCOMPARE(group.range.length().ns, std::int64_t{99'995'000});
        auto data = std::make_shared<plot::TimelineData>();
        data->runs = {run};
        data->names[group.name] = {"gemm", {}};
        plot::LaneData lane;
        lane.spec.style = plot::LaneStyle::Kernels;
        lane.spans = {{0, 1, TrackId{1}, "rank 1 · stream 7", 1, {group}}};
        data->lanes = {lane};

        app::TimelineContext context;
        context.runs = {run};
        context.drawn = data;
        app::TimelineHit hit;
        hit.lane = 0;
        hit.item = 0;
        hit.rank = 1;
        hit.group = group;
        QVERIFY2(app::hoverText(context, nullptr, hit, {}, 10.0)
                     .startsWith(QStringLiteral("gemm\n100.000000 ms")),
            qPrintable(app::hoverText(context, nullptr, hit, {}, 10.0)));
    }
};

TRAINSCOPE_TEST(tst_TimelineHover)
#include "tst_TimelineHover.moc"
