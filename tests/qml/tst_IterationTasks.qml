import QtQuick
import QtTest
import Trainscope
import Trainscope.App

// The slowest iteration of a real recording and why, and a training that is only a log.
RealTest {
    id: test

    name: "IterationTasks"

    function controller(): IterationsController {
        return findChild(page(), "iterationsController");
    }

    // Two clicks: the place, and the view in it. The slowest is chosen and explained.
    function test_slowestIterationAndWhy() {
        open("h100_recording/training");
        show(Views.Overview);
        click("Kernels");
        click("Iterations");
        tryVerify(() => page() && page().kind === Views.Iterations, 30000);
        settle();
        compare(test.clicks, 2);
        compare(controller().rows.count, 173);
        verify(controller().title.startsWith("173 iterations, "));
        const slowest = controller().row; // behind those of warm-up
        verify(slowest >= 0);
        verify(controller().comparison.endsWith("against the median"));
        verify(shown(controller().comparisonText));
        picture("iterations");

        const table = findChild(page(), "tableRows");
        table.forceActiveFocus();
        keyClick(Qt.Key_Down);
        compare(controller().row, slowest + 1);
        keyClick(Qt.Key_Down, Qt.ShiftModifier);
        compare(controller().row, slowest + 2);
        verify(controller().comparison.includes("against iteration "));
        keyClick(Qt.Key_Return);
        compare(test.session.views.view, Views.Timeline);
    }

    function test_aLogThatChanges() {
        open("train_logs/pgolf_8xH100_019b_train.txt");
        compare(test.session.places.reasons[Places.Kernels], "");
        click("Kernels");
        tryVerify(() => page() && page().kind === Views.Iterations, 30000);
        settle();
        compare(controller().rows.count, 4872);
        verify(controller().comparisonText !== "");
        verify(shown("Tokens/s"));
        picture("iterations-log");
    }

    function test_smallAndDark() {
        open("h100_recording/training", 1024, 640);
        Theme.preference = Theme.Preference.Dark;
        show(Views.Iterations);
        verify(findChild(page(), "tableRows").height > 3 * Theme.hitTarget);
        picture("iterations-dark");
        Theme.preference = Theme.Preference.System;
    }
}
