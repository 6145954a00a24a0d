import QtQuick
import QtTest
import Trainscope
import Trainscope.App

// The view Kernels without a database: its tools are inside a narrow window, and its keys lead somewhere.
Item {
    id: root

    width: 1024 - Theme.runListWidth
    height: 520

    Session {
        id: theSession
    }
    KernelsView {
        id: view

        anchors.fill: parent
        session: theSession
    }

    TestCase {
        name: "KernelsView"
        when: windowShown

        function test_toolsAreInside_data() {
            return [{tag: "kernelsSearch"}, {tag: "kernelsCopy"}, {tag: "by"}, {tag: "of"}, {tag: "options"}];
        }
        function test_toolsAreInside(data) {
            const control = findChild(view, data.tag);
            verify(control && control.visible);
            const corner = control.mapToItem(root, control.width, control.height);
            verify(corner.x <= root.width, data.tag + " ends at " + corner.x);
        }
        function test_whatIsTypedIsSearched() {
            view.focusSearch();
            const field = findChild(view, "kernelsSearch");
            tryVerify(() => field.activeFocus);
            keyClick(Qt.Key_M);
            compare(findChild(view, "kernelsController").search, "m");
            field.clear();
        }
        function test_nothingIsListedWithoutADatabase() {
            const controller = findChild(view, "kernelsController");
            verify(!controller.listed && !controller.zoomable);
            verify(!findChild(view, "kernelsCopy").enabled);
        }
    }
}
