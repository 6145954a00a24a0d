// The list of lanes beside the timeline, over the small run: GPU power, GPU temperature and PCIe of
// two GPUs, and kernels of one stream; no threads. Lanes share the height of the view.

#include "app/viewmodels/support/TimelineWindow.h"
#include "app/viewmodels/workspace/ViewFile.h"
#include "support/TestProgram.h"

using app::LanePickerRow;

class tst_LanePicker : public QObject, private test::TimelineWindow {
    Q_OBJECT

private:
    [[nodiscard]] app::LanePicker& picker() { return *m_controller->picker(); }
    [[nodiscard]] const plot::Arrangement& lanes() const {
        return m_controller->context().arrangement;
    }
    [[nodiscard]] QString metrics() const {
        QStringList all;
        for (const auto& lane : lanes().lanes)
            all.append(lane.metric.empty() ? QStringLiteral("kernels")
                                           : QString::fromStdString(lane.metric));
        return all.join(QLatin1Char(' '));
    }
    // Row of a lane that could be; with `ordered` of one that is shown.
    [[nodiscard]] int rowOf(const char* title, bool ordered = false) {
        const auto& rows = picker().rows();
        const auto found = std::find_if(rows.begin(), rows.end(), [&](const LanePickerRow& row) {
            return row.title == QLatin1String(title) && (row.lane >= 0) == ordered;
        });
        return found == rows.end() ? -1 : static_cast<int>(found - rows.begin());
    }
    [[nodiscard]] const LanePickerRow& at(int row) {
        return picker().rows()[static_cast<std::size_t>(row)];
    }
    void undo() { m_controller->handleKey(Qt::Key_Z, Qt::ControlModifier); }

private Q_SLOTS:
    void init() {
        QVERIFY(openWindow());
        QTRY_COMPARE(m_controller->lanes()->model()->count(), 4);
    }
    void cleanup() { closeWindow(); }

    void whatIsShownThenWhatCouldBeByKind() {
        QStringList told;
        for (const LanePickerRow& row : picker().rows())
            told.append(row.section + QStringLiteral(": ") + row.title);
        QCOMPARE(told.mid(0, 8),
            test::texts("Shown, from above: GPU power", "Shown, from above: GPU temperature",
                "Shown, from above: PCIe received", "Shown, from above: Kernels",
                "Power: GPU power", "Heat: GPU temperature", "Links: PCIe received",
                "Traces: Kernels"));
        QCOMPARE(told.size(), 9);
        QVERIFY(told.back().startsWith(QStringLiteral("Not recorded: ")));
        for (int row = 0; row < 8; ++row) {
            QVERIFY(at(row).shown);
            QCOMPARE(at(row).isFirst, row == 0 || row > 3); // the first of its kind
        }
        // Two GPUs: their temperature is a row each.
        QCOMPARE(at(1).styles[at(1).style], QStringLiteral("Heat"));
        QCOMPARE(at(0).styles[at(0).style], QStringLiteral("Lines"));
    }
    void aTickTakesAwayAndAdds() {
        const QAbstractItemModelTester tester(
            &picker(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        picker().toggle(rowOf("GPU temperature"));
        QCOMPARE(metrics(), QStringLiteral("gpu_power pcie_rx kernels"));
        QVERIFY(!at(rowOf("GPU temperature")).shown);
        picker().toggle(rowOf("GPU temperature"));
        QCOMPARE(metrics(), QStringLiteral("gpu_power pcie_rx kernels gpu_temperature"));
        QCOMPARE(m_controller->lanes()->current(), 3);
        undo();
        QCOMPARE(metrics(), QStringLiteral("gpu_power pcie_rx kernels"));
        undo();
        QCOMPARE(metrics(), QStringLiteral("gpu_power gpu_temperature pcie_rx kernels"));
        picker().toggle(rowOf("GPU power", true));
        QCOMPARE(metrics(), QStringLiteral("gpu_temperature pcie_rx kernels"));
    }
    // A lane that is there is gone to, not added again.
    void enterAddsOnce() {
        picker().reveal(rowOf("PCIe received"));
        QCOMPARE(lanes().lanes.size(), std::size_t{4});
        QCOMPARE(m_controller->lanes()->current(), 2);
        picker().toggle(rowOf("PCIe received"));
        picker().reveal(rowOf("PCIe received"));
        QCOMPARE(metrics(), QStringLiteral("gpu_power gpu_temperature kernels pcie_rx"));
        QCOMPARE(m_controller->lanes()->current(), 3);
    }
    void aSearchFindsByAllWords() {
        picker().setFilter(QStringLiteral("gpu temp"));
        QCOMPARE(picker().count(), 2); // shown, and possible
        QVERIFY(rowOf("GPU temperature") >= 0);
        picker().setFilter(QStringLiteral("links"));
        QVERIFY(rowOf("PCIe received") >= 0); // by its kind
        picker().setFilter(QStringLiteral("rank 1"));
        QVERIFY(rowOf("GPU power, rank 1") >= 0);
        QVERIFY(rowOf("GPU power, rank 0") < 0);
        picker().toggle(rowOf("GPU power, rank 1"));
        QCOMPARE(lanes().lanes.back().rank, std::optional(1));
        picker().setFilter({});
        QVERIFY(rowOf("GPU power, rank 1") < 0); // single GPUs only where they are asked for
        QVERIFY(rowOf("GPU power, rank 1", true) >= 0);
    }
    void whatIsNotRecordedIsFoldedAndCannotBeShown() {
        const int fold = picker().count() - 1;
        QVERIFY(at(fold).isFold);
        QVERIFY(rowOf("SM clock") < 0);
        picker().toggle(fold);
        const int clock = rowOf("SM clock");
        QVERIFY(clock > fold);
        QVERIFY(rowOf("Host threads") > fold);
        const auto before = lanes();
        picker().toggle(clock);
        picker().reveal(clock);
        QVERIFY(lanes() == before);
        picker().toggle(fold);
        QVERIFY(rowOf("SM clock") < 0);
    }
    void theOrderChangesByKeysAndByDragging() {
        QCOMPARE(picker().moveBy(0, 1), 1);
        QCOMPARE(metrics(), QStringLiteral("gpu_temperature gpu_power pcie_rx kernels"));
        QCOMPARE(picker().moveBy(0, -1), 0);
        // From its row among the possible ones the lane moves as well.
        const int row = rowOf("Kernels");
        QCOMPARE(picker().moveBy(row, -1), row);
        QCOMPARE(metrics(), QStringLiteral("gpu_temperature gpu_power kernels pcie_rx"));
        picker().drop(0, 2);
        QCOMPARE(metrics(), QStringLiteral("gpu_power kernels gpu_temperature pcie_rx"));
        picker().drop(0, 6); // below all
        QCOMPARE(metrics(), QStringLiteral("kernels gpu_temperature pcie_rx gpu_power"));
        picker().drop(0, -1);
        QCOMPARE(metrics(), QStringLiteral("kernels gpu_temperature pcie_rx gpu_power"));
    }
    void itIsDrawnInOtherWays() {
        picker().setStyle(0, 1);
        QVERIFY(lanes().lanes[0].style == plot::LaneStyle::Band);
        QCOMPARE(at(0).styles.back(), QStringLiteral("One each"));
        picker().setStyle(0, 3);
        QCOMPARE(lanes().lanes.size(), std::size_t{5});
        QCOMPARE(lanes().lanes[1].rank, std::optional(1));
        QCOMPARE(at(0).styles.back(), QStringLiteral("All in one"));
        picker().setStyle(1, 3);
        QCOMPARE(lanes().lanes.size(), std::size_t{4});
        QVERIFY(!lanes().lanes[0].rank);
    }
    // The view is 700 px high; the head above the lanes takes some of it.
    void lanesFillTheViewWhateverIsChosen() {
        const auto& rows = m_controller->lanes()->model()->rows();
        const auto fills
            = [&] { return std::abs(rows.back().y + rows.back().height - 700.0) <= 1.0; };
        QTRY_VERIFY(fills());
        QCOMPARE(m_controller->lanes()->scrollSize(), 1.0);
        QVERIFY(picker().setHeight(0, QStringLiteral("200")));
        QTRY_COMPARE(rows[0].height, 200.0);
        QVERIFY(fills());
        QCOMPARE(at(0).height, QStringLiteral("200"));
        picker().resizeBy(0, -16);
        QTRY_COMPARE(rows[0].height, 184.0);
        QVERIFY(!picker().setHeight(0, QStringLiteral("high")));
        QVERIFY(!picker().setHeight(0, QStringLiteral("3")));
        QVERIFY(picker().setHeight(0, QString()));
        QVERIFY(!lanes().lanes[0].isFixed);
        QTRY_VERIFY(fills() && rows[0].height != 184.0);
        // An export has what is drawn.
        QCOMPARE(m_controller->request().arrangement.lanes[0].height, rows[0].height);
    }
    void aChosenHeightIsRemembered() {
        QVERIFY(picker().setHeight(1, QStringLiteral("222")));
        const auto arranged = lanes();
        QTRY_VERIFY(
            app::readTimeline(app::viewFolder(), m_workspace->uuid()).arrangement == arranged);
        QVERIFY(arranged.lanes[1].isFixed);
    }
    void presetsAnswerAQuestion() {
        QCOMPARE(
            picker().presets(), test::texts("Power and heat", "Communication", "Host", "Launches"));
        picker().apply(0);
        QCOMPARE(metrics(), QStringLiteral("gpu_power gpu_temperature"));
        picker().apply(1);
        QCOMPARE(metrics(), QStringLiteral("pcie_rx kernels"));
        QCOMPARE(picker().presetReasons(),
            test::texts(QString(), QString(),
                "This run has neither processors, nodes nor threads of the host.",
                "This run has no rank with both threads and kernels."));
        picker().apply(2);
        QCOMPARE(metrics(), QStringLiteral("pcie_rx kernels"));
        undo();
        QCOMPARE(metrics(), QStringLiteral("gpu_power gpu_temperature"));
        m_controller->lanes()->reset();
        QCOMPARE(metrics(), QStringLiteral("gpu_power gpu_temperature pcie_rx kernels"));
    }
    // Other runs open with the lanes that they had, and the preset is not remembered either.
    void aPresetIsOfItsRunAlone() {
        picker().apply(0);
        m_controller->lanes()->remove(1);
        QCOMPARE(metrics(), QStringLiteral("gpu_power"));
        QVERIFY(!m_controller->lanes()->customised());
        show("later");
        const auto& context = m_controller->context();
        QTRY_COMPARE(context.runs.front().name, std::string("later"));
        QVERIFY(lanes() == context.catalogue->defaults);
    }
    void theMenuSaysWhatIsTheDefault() {
        QCOMPARE(
            m_controller->lanes()->styleText(1, 2), QStringLiteral("Heat (default for 2 GPUs)"));
        QCOMPARE(m_controller->lanes()->styleText(1, 0), QStringLiteral("Lines"));
        QCOMPARE(
            m_controller->lanes()->styleText(0, 0), QStringLiteral("Lines (default for 2 GPUs)"));
    }

    // From the lane of rank 0 against rank 1, with a name; then changed, undone and remembered.
    void deriving() {
        app::LaneDeriving& deriving = *m_controller->deriving();
        const std::size_t before = lanes().lanes.size();
        deriving.begin(0);
        QCOMPARE(deriving.formula(), QStringLiteral("gpu_power[0] - gpu_power[1]"));
        QCOMPARE(deriving.title(), QStringLiteral("GPU power: rank 0 − rank 1"));
        QCOMPARE(deriving.summary(), QStringLiteral("In W, one line."));
        deriving.setWay(2);
        QCOMPARE(deriving.formula(), QStringLiteral("sum(gpu_power)"));
        QVERIFY(!deriving.hasSecond());
        deriving.setFormula(QStringLiteral("gpu_power - gpu_temperature"));
        QVERIFY(deriving.problem().contains(QStringLiteral("cannot be subtracted")));
        QVERIFY(!deriving.accept());
        QCOMPARE(lanes().lanes.size(), before);
        deriving.setFormula(QStringLiteral("total(gpu_power)"));
        deriving.setName(QStringLiteral("All = of it"));
        QVERIFY(deriving.accept());
        QCOMPARE(lanes().lanes.back().metric, std::string("All of it = total(gpu_power)"));
        const int row = rowOf("All of it", true);
        QVERIFY(row >= 0 && at(row).isDerived);
        QVERIFY(at(row).styles.size() == 3); // no lane per GPU
        deriving.change(static_cast<int>(before));
        QVERIFY(deriving.isChange());
        QCOMPARE(deriving.formula(), QStringLiteral("total(gpu_power)"));
        deriving.setName({});
        QVERIFY(deriving.accept());
        QCOMPARE(lanes().lanes.back().metric, std::string("=total(gpu_power)"));
        QCOMPARE(lanes().lanes.size(), before + 1);
        undo();
        QCOMPARE(lanes().lanes.back().metric, std::string("All of it = total(gpu_power)"));
        undo();
        QCOMPARE(lanes().lanes.size(), before);
    }
};

TRAINSCOPE_GUI_TEST(tst_LanePicker)
#include "tst_LanePicker.moc"
