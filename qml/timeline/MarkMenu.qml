import QtQuick
import Trainscope
import Trainscope.App

// What can be done to one mark; openFor() says to which.
UiMenu {
    id: menu

    required property TimelineController controller
    property MarkFlag flag: null
    signal renameWanted(MarkFlag mark)

    function openFor(mark: MarkFlag) {
        flag = mark;
        popup();
    }

    UiMenuItem {
        text: qsTr("Rename")
        shortcutText: "F2"
        onTriggered: menu.renameWanted(menu.flag)
    }
    UiMenuItem {
        text: qsTr("Remove")
        shortcutText: "Delete"
        onTriggered: menu.controller.marks.remove(menu.flag.index)
    }
}
