import QtQuick
import QtTest
import Trainscope
import Trainscope.App

// The view of predictions without a database: its form, its tools inside the window, and what it says.
Item {
    id: root

    width: 800 - Theme.runListWidth
    height: 520

    Session {
        id: theSession
    }
    PredictView {
        id: view

        anchors.fill: parent
        session: theSession
    }

    TestCase {
        name: "PredictView"
        when: windowShown

        function init() {
            view.inspectorOpen = false;
            view.controller.form.set("model", "llama3-70b");
            view.controller.form.set("tp", "8");
        }
        function test_controlsAreInside_data() {
            return [{tag: "fromRun"}, {tag: "keep"}, {tag: "model"}, {tag: "gpu"}, {tag: "nodes"}, {tag: "tp"}, {tag: "rank"}, {tag: "open"}, {tag: "compare"}, {tag: "against_gpu"}, {tag: "tokens"}, {tag: "restart_time"}];
        }
        function test_controlsAreInside(data) {
            const control = findChild(view, data.tag);
            verify(control && control.visible);
            const corner = control.mapToItem(root, control.width, control.height);
            verify(corner.x <= root.width, data.tag + " ends at " + corner.x);
            verify(control.width >= Theme.hitTarget);
        }
        function test_nothingToKeepYet() {
            verify(!findChild(view, "keep").enabled);
            verify(!findChild(view, "fromRun").enabled);
            verify(!findChild(view, "clear").visible);
        }
        function test_typingChangesTheForm() {
            const field = findChild(view, "tp");
            field.forceActiveFocus();
            field.selectAll();
            keyClick(Qt.Key_4);
            compare(field.text, "4");
            keyClick(Qt.Key_Up);
            compare(field.text, "8");
            keyClick(Qt.Key_Down);
            keyClick(Qt.Key_Down);
            compare(field.text, "2");
        }
        function test_aTrainingIsAskedFor() {
            const tokens = findChild(view, "tokens");
            compare(tokens.text, "1T");
            tokens.forceActiveFocus();
            tokens.selectAll();
            keyClick(Qt.Key_X);
            verify(tokens.faulty);
            view.controller.form.set("tokens", "300B");
            verify(!tokens.faulty);
        }
        function test_faultsStandBelowTheirField() {
            const field = findChild(view, "tp");
            field.forceActiveFocus();
            field.selectAll();
            keyClick(Qt.Key_X);
            verify(field.faulty);
            const fault = findChild(view, "fault");
            verify(fault && fault.visible);
            verify(fault.text !== "");
            field.selectAll();
            keyClick(Qt.Key_2);
            verify(!field.faulty);
        }
        // The memory of 32 H200 is that of 56.4 H100.
        function test_anotherClusterFitsTheJob() {
            view.controller.form.set("gpu", "H200 SXM");
            view.controller.form.set("nodes", "4");
            view.controller.form.set("gpus_per_node", "8");
            view.controller.form.set("against_gpu", "H100 SXM5");
            compare(findChild(view, "against_nodes").text, "8");
            compare(findChild(view, "against_per_node").text, "8");
            view.controller.form.set("gpu", "H100 SXM5");
            view.controller.form.set("against_gpu", "nothing");
        }
        function test_slidersAreNamed() {
            const slider = findChild(view, "power_limit");
            verify(slider && slider.visible && slider.enabled);
            verify(slider.label.indexOf("W") > 0);
            compare(slider.value, slider.to);
        }
        function test_theInspectorNeedsRoom() {
            view.inspectorOpen = true;
            verify(!view.inspector.visible);
        }
    }
}
