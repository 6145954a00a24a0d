import QtQuick
import Trainscope
import Trainscope.App

// A menu for one mark, which openFor() gives.
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
        text: "Rename"
        shortcutText: "F2"
        onTriggered: menu.renameWanted(menu.flag)
    }
    UiMenuItem {
        text: "Remove"
        shortcutText: "Delete"
        onTriggered: menu.controller.marks.remove(menu.flag.index)
    }
}
