import QtQuick
import QtTest
import Trainscope
import Trainscope.App

// The layout view without a database and at the smallest size: what it says, its controls, its form.
Item {
    id: root

    width: 800 - Theme.runListWidth
    height: 520

    Session {
        id: theSession
    }
    LayoutView {
        id: view

        anchors.fill: parent
        session: theSession
    }
    LayoutFormSheet {
        id: sheet

        controller: view.controller
    }
    MachineSheet {
        id: machine

        controller: view.controller
    }
    UiSlider {
        id: slider

        width: 200
        label: "Moment"
    }
    SignalSpy {
        id: choices

        target: slider
        signalName: "chosen"
    }

    TestCase {
        name: "LayoutView"
        when: windowShown

        function test_offersWhatTheWindowAsks() {
            verify(view.body);
            compare(view.exportable, view.controller);
            verify(!view.controller.ready);
        }
        function test_controlsAreInside() {
            const colour = findChild(view, "colour");
            verify(colour);
            const corner = colour.mapToItem(root, colour.width, colour.height);
            verify(corner.x <= root.width);
        }
        // Without a moment there is nothing to play.
        function test_playbackHidesWithoutARun() {
            verify(!findChild(view, "play").visible);
            verify(!view.controller.playback.available);
            keyClick(Qt.Key_Space);
            verify(!view.controller.playback.playing);
        }
        function test_theFormOpensAndCloses() {
            sheet.open();
            tryVerify(() => sheet.opened);
            keyClick(Qt.Key_Escape);
            tryVerify(() => !sheet.visible);
        }
        function test_theMachineOpensAndCloses() {
            machine.begin();
            tryVerify(() => machine.opened);
            verify(findChild(machine.contentItem, "evidence").text.startsWith("Assumed"));
            verify(!findChild(machine.contentItem, "undo").enabled);
            const model = findChild(machine.contentItem, "gpuModel");
            model.forceActiveFocus();
            keyClick(Qt.Key_X);
            findChild(machine.contentItem, "order").forceActiveFocus();
            tryVerify(() => findChild(machine.contentItem, "gpuRemark").text.startsWith("Not in the hardware catalogue"));
            verify(findChild(machine.contentItem, "undo").enabled);
            mouseClick(findChild(machine.contentItem, "undo"));
            compare(model.text, "");
            keyClick(Qt.Key_Escape);
            tryVerify(() => !machine.visible);
        }
        function test_theSliderMoves() {
            slider.forceActiveFocus();
            keyClick(Qt.Key_Right);
            verify(slider.value > 0);
            compare(choices.count, 1);
            compare(choices.signalArguments[0][0], slider.value);
            // The slider has gone to the shown place: nothing is chosen.
            slider.place = slider.value;
            slider.place = 0.75;
            compare(slider.value, 0.75);
            compare(choices.count, 1);
            // Nor when its ends move.
            slider.to = 0.5;
            compare(slider.value, 0.5);
            slider.to = 1;
            compare(slider.value, 0.75);
            compare(choices.count, 1);
        }
    }
}
