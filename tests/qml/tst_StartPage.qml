import QtQuick
import QtTest
import Trainscope
import Trainscope.App

// The start page at the smallest size: everything is inside and can be reached.
Item {
    id: root

    width: 1024
    height: 640 - Theme.topBarHeight - Theme.statusBarHeight

    Session {
        id: theSession
    }
    Window {
        id: window
    }
    WindowState {
        id: panes
    }
    Commands {
        id: commands

        window: window
        session: theSession
        panes: panes
    }
    StartPage {
        id: page

        anchors.fill: parent
        session: theSession
        commands: commands
        dropping: false
    }
    SignalSpy {
        id: folderSpy

        target: commands.importFolder
        signalName: "triggered"
    }
    SignalSpy {
        id: openSpy

        target: commands.open
        signalName: "triggered"
    }

    TestCase {
        name: "StartPage"
        when: windowShown

        function test_buttonsAskForFiles() {
            mouseClick(findChild(page, "importFolder"));
            compare(folderSpy.count, 1);
            commands.dialogs.folder.close();
            mouseClick(findChild(page, "openDatabase"));
            compare(openSpy.count, 1);
            commands.dialogs.database.close();
        }
        function test_buttonsAreInside_data() {
            return [{tag: "importFolder"}, {tag: "importFiles"}, {tag: "openDatabase"}, {tag: "openSample"}];
        }
        function test_buttonsAreInside(data) {
            const item = findChild(page, data.tag);
            verify(item);
            const corner = item.mapToItem(root, item.width, item.height);
            verify(corner.x <= root.width && corner.y <= root.height);
        }
    }
}
