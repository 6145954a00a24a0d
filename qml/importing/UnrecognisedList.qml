pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// Attempts that recorded nothing, copies and files that nobody recognised, each with its reason;
// folded unless there is nothing else (`alone`).
ColumnLayout {
    id: box

    required property RowModel files
    required property bool alone
    property bool open: false

    onAloneChanged: box.open = box.alone

    spacing: 0

    UiSeparator {
        Layout.fillWidth: true
    }
    UiButton {
        Layout.margins: Theme.spaceXs
        Layout.leftMargin: Theme.spaceM
        quiet: true
        checkable: true
        checked: box.open
        iconName: box.open ? "chevronDown" : "chevronRight"
        text: "Left out: %1".arg(box.files.count)
        onClicked: box.open = !box.open
    }
    UiList {
        id: list

        Layout.fillWidth: true
        Layout.fillHeight: true
        visible: box.open
        model: box.files
        Accessible.name: "Attempts, copies and files that are left out"
        delegate: Item {
            id: entry

            required property string path
            required property string brief
            required property string reason

            width: list.width
            height: texts.height + Theme.spaceS
            Accessible.role: Accessible.ListItem
            Accessible.name: "%1: %2".arg(entry.path).arg(entry.reason)

            Column {
                id: texts

                x: Theme.spaceL
                width: parent.width - 2 * Theme.spaceL

                UiName {
                    width: parent.width
                    full: entry.path
                    brief: entry.brief
                }
                UiNote {
                    width: parent.width
                    text: entry.reason
                    wrapMode: Text.Wrap
                }
            }
        }
    }
}
