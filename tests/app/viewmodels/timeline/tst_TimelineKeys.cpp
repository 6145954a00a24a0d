// The keys of the timeline and their rows in the sheet of keys: none without the other.

#include "app/viewmodels/support/KeyStrokes.h"
#include "app/viewmodels/timeline/TimelineController.h"
#include "app/viewmodels/timeline/TimelineCursor.h"
#include "core/plot/timeline/TraceClock.h"
#include "support/TestProgram.h"

using app::TimelineController;

namespace {

bool isOfTimeline(const app::KeyEntry& entry) {
    const std::string_view group = entry.group;
    return group == "Timeline" || group == "Lanes";
}

// Esc is the window's as well; + without Shift is =.
bool isTold(const TimelineController::Binding& binding) {
    if (binding.key == Qt::Key_Escape || binding.key == Qt::Key_Equal)
        return true;
    const QKeyCombination wanted(binding.modifiers, static_cast<Qt::Key>(binding.key));
    for (const app::KeyEntry& entry : app::keyEntries()) {
        const auto strokes = test::strokesOf(entry);
        if (isOfTimeline(entry)
            && std::find(strokes.begin(), strokes.end(), wanted) != strokes.end())
            return true;
    }
    return false;
}

} // namespace

class tst_TimelineKeys : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyRowIsBound() {
        int bound = 0;
        for (const app::KeyEntry& entry : app::keyEntries()) {
            if (!isOfTimeline(entry))
                continue;
            for (const QKeyCombination stroke : test::strokesOf(entry)) {
                QVERIFY2(TimelineController::bindingOf(stroke.key(), stroke.keyboardModifiers()),
                    entry.id);
                ++bound;
            }
        }
        QVERIFY(bound > 25);
    }
    void everyBindingHasARow() {
        for (const TimelineController::Binding& binding : TimelineController::bindings()) {
            const QKeySequence keys(
                QKeyCombination(binding.modifiers, static_cast<Qt::Key>(binding.key)));
            QVERIFY2(isTold(binding), qPrintable(keys.toString()));
        }
    }
    void noKeysMeanTwoThings() {
        const auto all = TimelineController::bindings();
        for (const auto& binding : all) {
            QCOMPARE(std::count_if(all.begin(), all.end(),
                         [&binding](const auto& other) {
                             return other.key == binding.key
                                 && other.modifiers == binding.modifiers;
                         }),
                1);
        }
    }
    void shiftIsTheKeysOwnWhereItIsBound() {
        using Keys = std::pair<int, Qt::KeyboardModifiers>;
        const auto meant = [](int key, Qt::KeyboardModifiers held) {
            const auto* binding = TimelineController::bindingOf(key, held);
            return binding == nullptr ? Keys() : Keys(binding->key, binding->modifiers);
        };
        const auto ctrlShift = Qt::ControlModifier | Qt::ShiftModifier;
        QVERIFY(meant(Qt::Key_Plus, Qt::ShiftModifier) == Keys(Qt::Key_Plus, {}));
        QVERIFY(meant(Qt::Key_Right, ctrlShift) == Keys(Qt::Key_Right, Qt::ControlModifier));
        QVERIFY(meant(Qt::Key_Z, ctrlShift) == Keys(Qt::Key_Z, ctrlShift));
        QVERIFY(meant(Qt::Key_Right, Qt::MetaModifier) == Keys());
    }

    // Words about the kernel under the pointer.

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

    // A view of 600 × 400 from x = 100, tips of 200 × 40, a bar of 20 px height at y = 200.
    void tipsStandBesideTheirBar_data() {
        const auto row = test::columns<QPointF, QRectF, QRectF, QPointF>(
            "pointer", "bar", "selected", "place");
        const QRectF none;
        const QRectF bar(300, 200, 100, 20);
        row("below, right of the pointer", QPointF(350, 210), bar, none, QPointF(362, 226));
        row("left of it at the right edge", QPointF(650, 210), QRectF(600, 200, 80, 20), none,
            QPointF(438, 226));
        row("above at the lower edge", QPointF(350, 370), QRectF(300, 360, 100, 20), none,
            QPointF(362, 314));
        row("not over the selected span", QPointF(350, 210), bar, QRectF(340, 230, 200, 20),
            QPointF(362, 154));
        row("nor over it above: behind it", QPointF(350, 210), bar, QRectF(340, 170, 200, 70),
            QPointF(362, 246));
        row("a selected span far away", QPointF(350, 210), bar, QRectF(340, 20, 200, 20),
            QPointF(362, 226));
    }
    void tipsStandBesideTheirBar() {
        QFETCH(QPointF, pointer);
        QFETCH(QRectF, bar);
        QFETCH(QRectF, selected);
        QFETCH(QPointF, place);
        const QSizeF size(200, 40);
        const QPointF at = app::tipPlace(size, pointer, bar, selected, QRectF(100, 0, 600, 400));
        QCOMPARE(at, place);
        QVERIFY(!QRectF(at, size).intersects(bar));
        QVERIFY(!QRectF(at, size).intersects(selected));
    }
};

TRAINSCOPE_TEST(tst_TimelineKeys)
#include "tst_TimelineKeys.moc"
