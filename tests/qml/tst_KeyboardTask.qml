import QtQuick
import QtTest
import Trainscope
import Trainscope.App

// A reader without a mouse: to a run, to every place, into its inspector, and out of a sheet.
RealTest {
    id: test

    name: "KeyboardTask"

    function press(key: int, modifiers = Qt.NoModifier) {
        keyClick(key, modifiers);
    }
    function test_placesByTheirKeys() {
        open("h100_recording/training");
        page().body.forceActiveFocus();
        [Places.Overview, Places.Timeline, Places.Kernels, Places.Compare, Places.Predict, Places.Data].forEach(place => {
            press(Qt.Key_1 + place, Qt.AltModifier);
            tryCompare(test.session.places, "place", place, 30000);
            settle();
            tryVerify(() => test.window.activeFocusItem !== null, 30000);
        });
        // From another tab of a place its key goes to the first.
        test.session.views.view = Views.Spectrum;
        press(Qt.Key_1, Qt.AltModifier);
        tryCompare(test.session.views, "view", Views.Overview, 30000);
    }
    function test_everyPartIsReached() {
        open("h100_recording/training");
        test.session.views.view = Views.Timeline;
        settle();
        page().body.forceActiveFocus();
        const met = new Set();
        for (let i = 0; i < 4; ++i) {
            press(Qt.Key_F6);
            tryVerify(() => test.window.activeFocusItem !== null, 30000);
            met.add(test.window.activeFocusItem);
        }
        verify(met.size >= 2, `${met.size} parts`);
        press(Qt.Key_F1);
        tryVerify(() => test.shown("Manual"), 30000);
        press(Qt.Key_Escape);
        press(Qt.Key_F10);
        tryVerify(() => test.shown("Write a report…"), 30000);
        press(Qt.Key_Escape);
    }
}
