// The timeline's state over a real database, with its mouse and keys.

#include "app/viewmodels/support/TimelineWindow.h"
#include "app/viewmodels/workspace/ViewFile.h"
#include "support/TestProgram.h"

using test::kSecondNs;

class tst_TimelineController : public QObject, private test::TimelineWindow {
    Q_OBJECT

private:
    [[nodiscard]] plot::ViewWindow seen() const { return m_controller->context().window.window(); }
    // x of a view time in seconds.
    [[nodiscard]] QPoint at(double seconds, int y = 150) const {
        const plot::TimeScale axis{
            m_controller->navigation()->plotX(), m_controller->navigation()->plotWidth(), seen()};
        return {static_cast<int>(std::lround(axis.toX(test::seconds(seconds)))), y};
    }
    void clickOnAKernel() {
        const int x = at(1.05).x();
        const auto kernelAt = [this, x] {
            for (int y = 60; y < 690; y += 4) {
                if (m_controller->context().hitAt(x, y).group)
                    return y;
            }
            return -1;
        };
        QTRY_VERIFY(kernelAt() >= 0);
        m_controller->clickAt(x, kernelAt());
        QTRY_VERIFY(m_controller->inspector()->hasSpan());
    }
    // Place of a stretch in the head, by its strip and number among the strip's.
    [[nodiscard]] QPoint stretch(plot::StretchKind kind, std::size_t item) const {
        const auto& geometry = *m_controller->context().geometry;
        for (const plot::StretchPlace& place : geometry.stretches) {
            const plot::StretchStrip& strip = geometry.strips[place.strip];
            if (strip.kind == kind && strip.run == 0 && place.item == item)
                return {static_cast<int>(place.rect.x + place.rect.width / 2.0),
                    static_cast<int>(place.rect.y + place.rect.height / 2.0)};
        }
        return {-1, -1};
    }
    void click(plot::StretchKind kind, std::size_t item, Qt::KeyboardModifiers held = {}) {
        QTRY_VERIFY(stretch(kind, item).x() >= 0);
        QTest::mouseClick(m_window.get(), Qt::LeftButton, held, stretch(kind, item));
    }
    // Begin and end of the selection in seconds.
    [[nodiscard]] std::pair<double, double> selected() const {
        const auto& selection = m_controller->context().selection;
        if (!selection)
            return {-1.0, -1.0};
        return {static_cast<double>(selection->begin.ns) / 1e9,
            static_cast<double>(selection->end.ns) / 1e9};
    }
    [[nodiscard]] QString told() const { return m_controller->inspector()->selectionTitle(); }
    void showBoth() {
        std::vector<RunId> ids;
        for (const auto& run : m_workspace->runs())
            ids.push_back(run.id);
        m_workspace->setShown(ids);
    }

private Q_SLOTS:
    void init() { QVERIFY(openWindow()); }
    void cleanup() { closeWindow(); }

    void showsTheWholeRunFirst() {
        QCOMPARE(seen().begin.ns, std::int64_t{0});
        QCOMPARE(seen().end.ns, 10 * kSecondNs + 1);
        QCOMPARE(m_controller->navigation()->plotWidth(), 1000.0);
        QVERIFY(m_controller->errorText().isEmpty());
    }
    void keysZoomAndPan() {
        QVERIFY(m_controller->handleKey(Qt::Key_W, 0));
        QVERIFY(std::abs(seen().length().ns - 7 * kSecondNs) <= 1);
        m_controller->handleKey(Qt::Key_A, 0);
        m_controller->handleKey(Qt::Key_A, 0);
        QCOMPARE(seen().begin.ns, std::int64_t{0});
        m_controller->handleKey(Qt::Key_D, 0);
        QVERIFY(std::abs(seen().begin.ns - 1'050'000'000) <= 2); // 15 % of 7 s
        m_controller->handleKey(Qt::Key_0, 0);
        QCOMPARE(seen().length().ns, 10 * kSecondNs + 1);
        QVERIFY(!m_controller->handleKey(Qt::Key_Q, 0));
    }
    void dragSelectsAndFits() {
        QTest::mousePress(m_window.get(), Qt::LeftButton, {}, at(2));
        QTest::mouseMove(m_window.get(), at(3));
        QTest::mouseMove(m_window.get(), at(5));
        QTest::mouseRelease(m_window.get(), Qt::LeftButton, {}, at(5));
        QVERIFY(m_controller->context().selection.has_value());
        QVERIFY(std::abs(m_controller->context().selection->begin.ns - 2 * kSecondNs) < 20'000'000);
        QVERIFY(std::abs(m_controller->context().selection->end.ns - 5 * kSecondNs) < 20'000'000);
        const auto selection = *m_controller->context().selection;
        m_controller->handleKey(Qt::Key_F, 0);
        QVERIFY(seen() == selection);
        m_controller->handleKey(Qt::Key_F, 0); // again: everything
        QCOMPARE(seen().length().ns, 10 * kSecondNs + 1);
        m_controller->handleKey(Qt::Key_Escape, 0);
        QVERIFY(!m_controller->selection()->isVisible());
    }
    // 10 s and 1 ns in view: a step is 200 ms, a fine one 20 ms, from the middle at first.
    void keysMoveTheCursor() {
        const auto pressed = [this](int key, int modifiers = 0) {
            m_controller->handleKey(key, modifiers);
            return m_controller->context().cursor->ns;
        };
        QCOMPARE(pressed(Qt::Key_Right), std::int64_t{5'200'000'000});
        QCOMPARE(pressed(Qt::Key_Right, Qt::ControlModifier), std::int64_t{5'220'000'000});
        QCOMPARE(pressed(Qt::Key_Left), std::int64_t{5'020'000'000});
        QCOMPARE(pressed(Qt::Key_Home), std::int64_t{0});
        QCOMPARE(pressed(Qt::Key_Left), std::int64_t{0});
        QCOMPARE(pressed(Qt::Key_End), 10 * kSecondNs + 1);
        QVERIFY(!m_controller->context().selection.has_value());
        QVERIFY(m_controller->description().startsWith(QStringLiteral("Cursor at 10")));
    }
    void theWindowFollowsTheCursor() {
        m_controller->navigation()->setWindow({test::seconds(2), test::seconds(4)});
        m_controller->handleKey(Qt::Key_End, 0);
        m_controller->handleKey(Qt::Key_Right, 0); // 2 % of 2 s
        QCOMPARE(seen().begin.ns, std::int64_t{2'040'000'000});
        QVERIFY(m_controller->cursor()->isVisible());
        m_controller->handleKey(Qt::Key_Home, Qt::ControlModifier);
        QCOMPARE(seen().begin.ns, std::int64_t{0});
        QCOMPARE(seen().length().ns, 2 * kSecondNs);
        m_controller->handleKey(Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(seen().begin.ns, 2 * kSecondNs);
    }
    void shiftSelectsFromTheCursor() {
        const auto& selection = m_controller->context().selection;
        const auto selects = [&](int key, Qt::KeyboardModifiers held, std::int64_t begin,
                                 std::int64_t end) {
            m_controller->handleKey(key, static_cast<int>((held | Qt::ShiftModifier).toInt()));
            return selection && selection->begin.ns == begin && selection->end.ns == end;
        };
        constexpr std::int64_t kMiddle = 5'000'000'000;
        QVERIFY(selects(Qt::Key_Right, {}, kMiddle, 5'200'000'000));
        QVERIFY(selects(Qt::Key_Right, Qt::ControlModifier, kMiddle, 5'220'000'000));
        QVERIFY(m_controller->description().contains(QStringLiteral("Selection from 5")));
        QVERIFY(selects(Qt::Key_Left, {}, kMiddle, 5'020'000'000));
        QVERIFY(selects(Qt::Key_Left, {}, 4'820'000'000, kMiddle)); // over where it began
        QVERIFY(selects(Qt::Key_Home, {}, 0, kMiddle));
        QVERIFY(selects(Qt::Key_End, {}, kMiddle, 10 * kSecondNs + 1));
        m_controller->handleKey(Qt::Key_Left, 0); // away from the edge: another one begins
        QVERIFY(selects(Qt::Key_Left, {}, 9'600'000'001, 9'800'000'001));
        QVERIFY(!selects(Qt::Key_Right, {}, 0, 0));
        QVERIFY(!selection.has_value()); // nothing lies between
    }
    void whatKeysSelectIsMarkedAndFitted() {
        m_controller->handleKey(Qt::Key_Home, 0);
        for (int i = 0; i < 5; ++i)
            m_controller->handleKey(Qt::Key_Right, Qt::ShiftModifier);
        m_controller->handleKey(Qt::Key_M, 0);
        QCOMPARE(m_controller->marks()->marks().front().range.length().ns, kSecondNs);
        m_controller->handleKey(Qt::Key_F, 0);
        QCOMPARE(seen().end.ns, kSecondNs);
        m_controller->handleKey(Qt::Key_Delete, 0);
        QCOMPARE(m_controller->marks()->rowCount(), 0);
        QTRY_VERIFY(m_controller->inspector()->text().contains(QStringLiteral("1 s")));
    }
    void kernelsAreFoundFromTheCursorOn() {
        QTRY_VERIFY(m_controller->context().isDrawn());
        m_controller->handleKey(Qt::Key_Home, 0);
        m_controller->handleKey(Qt::Key_Period, 0);
        QTRY_VERIFY(m_controller->inspector()->hasSpan());
        QCOMPARE(m_controller->context().cursor->ns, kSecondNs); // the first begins there
        m_controller->handleKey(Qt::Key_Period, 0);
        QTRY_COMPARE(
            m_controller->inspector()->spanName(), QStringLiteral("ncclDevKernel_AllReduce"));
        m_controller->handleKey(Qt::Key_Escape, 0);
        m_controller->handleKey(Qt::Key_End, Qt::ControlModifier);
        m_controller->handleKey(Qt::Key_Comma, 0);
        QTRY_COMPARE(m_controller->context().cursor->ns, 3 * kSecondNs); // the last
    }
    void selectionGetsItsFigures() {
        m_controller->selection()->selectBetween(m_controller->navigation()->plotX(),
            m_controller->navigation()->plotX() + m_controller->navigation()->plotWidth());
        QTRY_VERIFY(m_controller->inspector()->text().contains(QStringLiteral("1.5 kJ")));
        QVERIFY(m_controller->inspector()->gpus()->count() == 2);
    }
    void controlWheelZoomsAtThePointer() {
        const QPoint pointer = at(2.5);
        QWheelEvent wheel(pointer, pointer, {}, {0, 120}, Qt::NoButton, Qt::ControlModifier,
            Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(m_window.get(), &wheel);
        QVERIFY(std::abs(seen().length().ns - 8 * kSecondNs) < 10);
        QCOMPARE(at(2.5).x(), pointer.x());
    }
    void shiftDragPans() {
        m_controller->navigation()->setWindow({test::seconds(2), test::seconds(4)});
        QVERIFY(test::settles(*m_workspace));
        QTest::mousePress(m_window.get(), Qt::LeftButton, Qt::ShiftModifier, QPoint(600, 150));
        QTest::mouseMove(m_window.get(), QPoint(500, 150));
        QTest::mouseRelease(m_window.get(), Qt::LeftButton, Qt::ShiftModifier, QPoint(500, 150));
        QVERIFY(std::abs(seen().begin.ns - 2'200'000'000) < 1'000'000); // 100 of 1000 px of 2 s
        QVERIFY(!m_controller->context().selection.has_value());
    }
    void undoBringsBackZoomAndLanes() {
        const auto lanes = m_controller->context().arrangement;
        m_controller->navigation()->setWindow({test::seconds(1), test::seconds(2)});
        m_controller->lanes()->remove(0);
        QCOMPARE(m_controller->context().arrangement.lanes.size(), lanes.lanes.size() - 1);
        m_controller->handleKey(Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(m_controller->context().arrangement == lanes);
        m_controller->handleKey(Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(seen().length().ns, 10 * kSecondNs + 1);
        m_controller->handleKey(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(seen().length().ns, kSecondNs);
    }
    void lanesAreRememberedPerDatabase() {
        m_controller->lanes()->remove(0);
        m_controller->lanes()->resize(0, 222.0);
        m_controller->navigation()->setTimeDisplay(1);
        const auto arranged = m_controller->context().arrangement;
        const auto written
            = [this] { return app::readTimeline(app::viewFolder(), m_workspace->uuid()); };
        QTRY_VERIFY(written().arrangement == arranged); // a moment after the last change
        QVERIFY(openWindow());
        QVERIFY(m_controller->context().arrangement == arranged);
        QCOMPARE(m_controller->navigation()->timeDisplay(), 1);
        m_controller->lanes()->reset();
        QVERIFY(m_controller->context().arrangement != arranged);
    }
    void readoutFollowsTheCursor() {
        m_controller->cursor()->hoverAt(at(3.5).x(), m_controller->lanes()->top() - 1);
        QTRY_COMPARE(
            m_controller->lanes()->model()->rows().front().readout, QStringLiteral("100 W"));
        QVERIFY(m_controller->cursor()->isVisible());
        QVERIFY(m_controller->cursor()->text().contains(QStringLiteral("3.5")));
    }
    // One readout: at the pointer, with the value of the GPU under it.
    void thePointersReadoutHasTheLanesValue() {
        auto* cursor = m_controller->cursor();
        const auto hover = [&](const char* has) {
            for (int y = 60; y < 690; y += 4) {
                cursor->hoverAt(at(3.5).x(), y);
                if (cursor->hoverText().contains(QLatin1String(has)))
                    return true;
            }
            return false;
        };
        // Rank 1 draws 30 W at 3.5 s, rank 0 100 W.
        QTRY_VERIFY(hover("rank 1"));
        const int lane = cursor->hoverLane();
        QVERIFY(lane >= 0);
        QTRY_VERIFY(cursor->hoverText().endsWith(QStringLiteral(": 30 W")));
        cursor->leave();
        QCOMPARE(cursor->hoverLane(), -1);
    }
    // The pointer rests, and other lanes are drawn under it before its values are read.
    void thePointersReadoutFollowsWhatIsDrawn() {
        auto* cursor = m_controller->cursor();
        const auto hover = [&] {
            for (int y = 60; y < 690; y += 4) {
                cursor->hoverAt(at(3.5).x(), y);
                if (cursor->hoverText().contains(QLatin1String("rank 1")))
                    return true;
            }
            return false;
        };
        QTRY_VERIFY(hover());
        for (auto lanes = m_controller->context().drawn->lanes.size(); lanes > 1; --lanes)
            m_controller->lanes()->remove(0);
        cursor->probe();
        QVERIFY(test::settles(*m_workspace)); // its answer words the readout anew
        QVERIFY2(!cursor->hoverText().contains(QLatin1String("rank 1")),
            qPrintable(cursor->hoverText()));
        m_controller->lanes()->reset();
    }
    void thePointersReadoutNamesItsKernelAlone() {
        auto* cursor = m_controller->cursor();
        QTRY_VERIFY([&] {
            for (int y = 60; y < 690; y += 4) {
                cursor->hoverAt(at(1.05).x(), y);
                if (cursor->hoverText().startsWith(QStringLiteral("sm90_gemm")))
                    return true;
            }
            return false;
        }());
        // The lane's own readout is told there.
        const int lane = cursor->hoverLane();
        QVERIFY(m_controller->context()
                    .drawn->lanes[static_cast<std::size_t>(lane)]
                    .spec.metric.empty());
        const QString text = cursor->hoverText();
        QVERIFY(test::settles(*m_workspace)); // the probe's answer changes nothing
        QCOMPARE(cursor->hoverText(), text);
    }
    void clickSelectsAKernelAndArrowsStep() {
        clickOnAKernel();
        QCOMPARE(m_controller->inspector()->spanName(), QStringLiteral("sm90_gemm"));
        m_controller->handleKey(Qt::Key_Right, 0);
        QTRY_COMPARE(
            m_controller->inspector()->spanName(), QStringLiteral("ncclDevKernel_AllReduce"));
        QVERIFY(seen().length().ns < kSecondNs); // zoomed until it can be seen
        m_controller->handleKey(Qt::Key_Escape, 0);
        QVERIFY(!m_controller->inspector()->hasSpan());
    }
    // Iterations 5, 6 and 7 of "small" last 3 s each from its start on.
    void aClickSelectsAnIteration() {
        using Kind = plot::StretchKind;
        click(Kind::Iteration, 1);
        QCOMPARE(selected(), std::pair(3.0, 6.0));
        QTRY_COMPARE(told(), QStringLiteral("Iteration 6 · 3 s"));
        QVERIFY(m_controller->selection()->isVisible());
        click(Kind::Iteration, 2, Qt::ShiftModifier);
        QCOMPARE(selected(), std::pair(3.0, 9.0));
        QTRY_COMPARE(told(), QStringLiteral("Iterations 6 to 7 · 6 s"));
        // From the one that was chosen first, to the other side too.
        click(Kind::Iteration, 0, Qt::ShiftModifier);
        QCOMPARE(selected(), std::pair(0.0, 6.0));
        QTRY_COMPARE(told(), QStringLiteral("Iterations 5 to 6 · 6 s"));
        QCOMPARE(seen().length().ns, 10 * kSecondNs + 1); // Shift+click has not panned
        m_controller->handleKey(Qt::Key_Escape, 0);
        QVERIFY(!m_controller->context().selection);
        QTRY_VERIFY(told().startsWith(QStringLiteral("In view")));
    }
    void aDoubleClickZoomsToAnIteration() {
        QTRY_VERIFY(stretch(plot::StretchKind::Iteration, 1).x() >= 0);
        const QPoint place = stretch(plot::StretchKind::Iteration, 1);
        m_controller->doubleClickAt(place.x(), place.y());
        QVERIFY(seen().begin.ns <= 3 * kSecondNs && seen().begin.ns > 2 * kSecondNs);
        QVERIFY(seen().end.ns >= 6 * kSecondNs && seen().end.ns < 7 * kSecondNs);
    }
    void keysStepThroughIterations() {
        m_controller->cursor()->moveTo(test::seconds(4), std::nullopt);
        QVERIFY(m_controller->handleKey(Qt::Key_N, 0));
        QCOMPARE(selected(), std::pair(3.0, 6.0));
        m_controller->handleKey(Qt::Key_N, 0);
        QCOMPARE(selected(), std::pair(6.0, 9.0));
        m_controller->handleKey(Qt::Key_N, 0); // the last one
        QCOMPARE(selected(), std::pair(6.0, 9.0));
        m_controller->handleKey(Qt::Key_P, Qt::ShiftModifier);
        QCOMPARE(selected(), std::pair(3.0, 9.0));
        m_controller->handleKey(Qt::Key_P, Qt::ShiftModifier);
        QCOMPARE(selected(), std::pair(0.0, 9.0));
        m_controller->handleKey(Qt::Key_F, 0);
        QCOMPARE(seen().length().ns, 9 * kSecondNs);
        // Only one strip: G stays in it.
        m_controller->handleKey(Qt::Key_G, 0);
        QCOMPARE(selected(), std::pair(0.0, 3.0));
    }
    // Shift+click in a lane: from what is selected to the time there.
    void shiftClickExtendsToATime() {
        m_controller->selection()->set(plot::ViewWindow{test::seconds(2), test::seconds(3)});
        const auto empty = at(5, 695);
        m_controller->clickAt(empty.x(), empty.y(), true);
        QVERIFY(std::abs(selected().first - 2.0) < 1e-9);
        QVERIFY(std::abs(selected().second - 5.0) < 0.02);
    }
    // With two runs the name says whose iteration it is.
    void anIterationOfTwoRunsNamesItsRun() {
        showBoth();
        QTRY_COMPARE(m_controller->context().runs.size(), std::size_t{2});
        QTRY_VERIFY(
            m_controller->context().isDrawn() && m_controller->context().drawn->runs.size() == 2);
        const QString of = QString::fromStdString(m_controller->context().runs.front().name);
        click(plot::StretchKind::Iteration, 0);
        QTRY_VERIFY2(told().contains(QStringLiteral(" of %1 · ").arg(of)), qPrintable(told()));
        QCOMPARE(m_controller->runColors().size(), 2);
    }
    // Values of metrics stand beside the names; tips are of bars alone.
    void tipsAreOfBarsAlone() {
        auto* cursor = m_controller->cursor();
        bool overSeries = false;
        bool overBar = false;
        QTRY_VERIFY([&] {
            for (int y = 60; y < 690; y += 4) {
                cursor->hoverAt(at(1.05).x(), y);
                const bool isSpan = cursor->hoverText().startsWith(QStringLiteral("sm90_gemm"));
                overBar = overBar || (isSpan && cursor->tipText() == cursor->hoverText());
                overSeries = overSeries
                    || (cursor->hoverText().startsWith(QStringLiteral("rank 0"))
                        && cursor->tipText().isEmpty());
            }
            return overBar && overSeries;
        }());
        QVERIFY(cursor->isPointing());
        const QRectF place = m_controller->span()->place();
        for (int y = 60; y < 690; y += 4) {
            cursor->hoverAt(at(1.05).x(), y);
            if (cursor->tipText().isEmpty())
                continue;
            const plot::Rect bar = m_controller->context().hitAt(at(1.05).x(), y).place;
            const QRectF tip(cursor->tipAt(180, 36, place), QSizeF(180, 36));
            QVERIFY(!tip.intersects(QRectF(bar.x, bar.y, bar.width, bar.height)));
        }
        cursor->leave();
        QVERIFY(!cursor->isPointing());
    }
    // The same span by a click, a double click and a click with Shift.
    void theInspectorTellsTheSameHoweverItIsClicked() {
        clickOnAKernel();
        const auto& inspector = *m_controller->inspector();
        const std::vector<app::Fact> told = m_controller->inspector()->span()->facts();
        QTRY_COMPARE(inspector.spanTitle(), QStringLiteral("Kernel"));
        const QPointF middle = m_controller->span()->place().center();
        m_controller->handleKey(Qt::Key_Escape, 0);
        QVERIFY(!inspector.hasSpan());
        m_controller->clickAt(middle.x(), middle.y(), true);
        QTRY_VERIFY(inspector.hasSpan());
        QVERIFY(m_controller->inspector()->span()->facts() == told);
        m_controller->handleKey(Qt::Key_Escape, 0);
        m_controller->doubleClickAt(middle.x(), middle.y());
        QTRY_VERIFY(inspector.hasSpan());
        QVERIFY(m_controller->inspector()->span()->facts() == told);
    }
    void aSelectedKernelGoesWithItsRun() {
        clickOnAKernel();
        show("later");
        QTRY_VERIFY(!m_controller->inspector()->hasSpan());
        // The old picture is there until the new one is read, and is not to be clicked.
        m_controller->clickAt(at(1.05).x(), 300);
        QVERIFY(!m_controller->context().hitAt(at(1.05).x(), 300).group);
    }
    void searchJumpsToKernels() {
        m_controller->search()->setText(QStringLiteral("ALLREDUCE"));
        m_controller->search()->next();
        QTRY_COMPARE(
            m_controller->inspector()->spanName(), QStringLiteral("ncclDevKernel_AllReduce"));
        QCOMPARE(m_controller->search()->statusText(), QStringLiteral("1 of 1"));
        m_controller->search()->setText(QStringLiteral("nowhere"));
        QTRY_COMPARE(m_controller->search()->statusText(), QStringLiteral("no match"));
    }
    void marksStayWithTheRun() {
        m_controller->selection()->selectBetween(at(1).x(), at(2).x());
        m_controller->handleKey(Qt::Key_M, 0);
        QCOMPARE(m_controller->marks()->rowCount(), 1);
        m_controller->navigation()->showAll();
        m_controller->marks()->jumpTo(0);
        QVERIFY(
            std::abs(seen().length().ns - 1'200'000'000) < 40'000'000); // and 10 % on both sides
        m_controller->marks()->remove(0);
        QCOMPARE(m_controller->marks()->rowCount(), 0);
        m_controller->navigation()->undo();
        QCOMPARE(m_controller->marks()->rowCount(), 1);
        m_controller->navigation()->redo();
        QCOMPARE(m_controller->marks()->rowCount(), 0);
    }
    void withoutACursorTheMiddleIsMarked() {
        m_controller->navigation()->setWindow({test::seconds(2), test::seconds(6)});
        m_controller->marks()->mark();
        QCOMPARE(m_controller->marks()->rowCount(), 1);
        const auto mark = m_controller->marks()->marks().front();
        QCOMPARE(mark.range.begin.ns, (test::kStart + test::seconds(4)).ns);
        QCOMPARE(mark.range.length().ns, std::int64_t{0});
    }
    void severalRunsAreLaidOverEachOther() {
        showBoth();
        QTRY_COMPARE(m_controller->context().runs.size(), std::size_t{2});
        QTRY_VERIFY(
            m_controller->context().catalogue->runs.size() == 2 && !m_controller->isLoading());
        QCOMPARE(m_controller->context().window.limits().end.ns, 10 * kSecondNs + 1);
        m_controller->alignment()->alignByIteration(6);
        // "later" begins 2 s before its iteration 6, "small" 3 s before.
        QCOMPARE(m_controller->context().window.limits().begin.ns, -3 * kSecondNs);
        QCOMPARE(m_controller->context().window.limits().end.ns, 7 * kSecondNs + 1);
        m_controller->alignment()->alignByStart();
        QVERIFY(m_controller->alignment()->moveRun(0, QStringLiteral("-1.5")));
        QCOMPARE(m_controller->context().window.limits().begin.ns, std::int64_t{-1'500'000'000});
        QVERIFY(!m_controller->alignment()->moveRun(0, QStringLiteral("much")));
    }
    void exportGetsWhatIsSeen() {
        m_controller->navigation()->setWindow({test::seconds(1), test::seconds(2)});
        const auto request = m_controller->request();
        QVERIFY(request.window == seen());
        QCOMPARE(
            request.arrangement.lanes.size(), m_controller->context().arrangement.lanes.size());
        // As high as they are drawn.
        const auto& rows = m_controller->lanes()->model()->rows();
        for (std::size_t i = 0; i < rows.size(); ++i) {
            QCOMPARE(request.arrangement.lanes[i].height, rows[i].height);
            QCOMPARE(request.arrangement.lanes[i].metric,
                m_controller->context().arrangement.lanes[i].metric);
        }
        QCOMPARE(request.runs.size(), std::size_t{1});
        QVERIFY(request.database == m_path);
    }
    void closingLeavesNothing() {
        m_workspace->close();
        QVERIFY(!m_controller->isReady());
        QCOMPARE(m_controller->lanes()->model()->count(), 0);
        QVERIFY(!m_controller->emptyText().isEmpty());
    }
};

TRAINSCOPE_GUI_TEST(tst_TimelineController)
#include "tst_TimelineController.moc"
