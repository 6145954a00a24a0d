pragma ComponentBehavior: Bound

import QtQuick
import QtTest
import Trainscope
import Trainscope.App

// Tasks on a timeline of a real training: find, measure, mark, and take it away as a PDF.
RealTest {
    id: test

    name: "TimelineTasks"

    function timeline(): TimelineController {
        open("h100_recording/training");
        const controller = show(Views.Timeline).exportable;
        tryVerify(() => controller.lanes.model.count > 0 && controller.navigation.plotWidth > 0, 30000);
        return controller;
    }
    function canvas(): Item {
        return findChild(test.page(), "cursorLine").parent;
    }
    // The words of the inspector, one after the other.
    function facts(model): string {
        const words = [];
        for (let row = 0; row < model.rowCount(); ++row)
            words.push(model.data(model.index(row, 0), Qt.UserRole + 1), model.data(model.index(row, 0), Qt.UserRole + 2));
        return words.join("|");
    }

    // A kernel by its name, its duration, a mark on it and another one, and how far they are apart.
    function test_findMeasureMark() {
        const controller = timeline();
        controller.search.text = "flash";
        tryVerify(() => controller.search.rows.count > 0, 30000);
        canvas().children[0].forceActiveFocus();
        keyClick(Qt.Key_F3);
        tryVerify(() => controller.inspector.spanTitle === "Kernel", 30000);
        verify(shown("Duration"));
        picture("timeline-found");
        controller.search.clear();
        const before = controller.marks.count;
        keyClick(Qt.Key_M);
        compare(controller.marks.count, before + 1);
        keyClick(Qt.Key_Period);
        keyClick(Qt.Key_M);
        tryCompare(controller.marks, "count", before + 2, 30000);
        tryVerify(() => shown("to Mark 2"), 30000);
        // Both have a flag, and neither covers the other one.
        const flags = Array.from(canvas().children).filter(item => item.flagPlace !== undefined && item.visible);
        for (let i = 0; i + 1 < flags.length; ++i) {
            const a = flags[i].flagPlace;
            const b = flags[i + 1].flagPlace;
            verify(a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y);
        }
        picture("timeline-marked");
        while (controller.marks.count > before)
            controller.marks.remove(controller.marks.count - 1);
    }
    function test_marksGoIntoThePdf() {
        const controller = timeline();
        controller.navigation.showAll();
        controller.marks.mark();
        controller.marks.rename(controller.marks.count - 1, "half of it");
        click("Export");
        const file = realData.folder("exported", "", "").toString().replace("file://", "") + "/marks.pdf"; // qmllint disable unqualified
        tryVerify(() => item("file"), 30000);
        const field = item("file");
        field.forceActiveFocus();
        field.text = file;
        field.textEdited();
        keyClick(Qt.Key_Return);
        tryVerify(() => shown("Written to"), 60000);
        picture("timeline-export");
        keyClick(Qt.Key_Escape);
        verify(test.clicks <= 3);
        controller.marks.remove(controller.marks.count - 1);
    }
    // The calls of the training above its streams, by the names that the program gave its threads.
    function test_launchesAreOfTheirRunAlone() {
        const controller = timeline();
        const own = controller.lanes.model.count;
        const place = controller.picker.presets.indexOf("Launches");
        verify(place >= 0);
        controller.picker.apply(place);
        compare(controller.picker.presetReasons[place], "");
        tryCompare(controller.lanes.model, "count", 2, 30000);
        picture("timeline-launches");
        open("h100_recording/phases");
        const other = show(Views.Timeline).exportable;
        tryVerify(() => other.lanes.model.count > 2, 30000);
        verify(own > 2);
    }
}
