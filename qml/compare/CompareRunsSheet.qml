pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// The compared runs and captures in their order: dragged by their handles or moved by buttons; the
// first is the base. Below, the captures that can be added.
UiSheet {
    id: sheet

    required property ComparisonController controller

    title: "Compared runs"
    subtitle: sheet.controller.hasCaptures ? "The first is the base that the others are compared with. A run stands there whole, or by captures that are checked below it." : "The first is the base that the others are compared with. Runs are added in the list on the left: Ctrl+click, or all that match its filter."
    preferredWidth: Theme.sheetWidth * 0.7
    preferredHeight: Theme.spaceXl * (sheet.controller.hasCaptures ? 30 : 20)

    UiList {
        id: list

        objectName: "comparedRuns"
        anchors.left: parent.left
        anchors.right: parent.right
        anchors.top: parent.top
        anchors.bottom: offers.visible ? offers.top : parent.bottom
        anchors.margins: Theme.spaceL
        anchors.rightMargin: Theme.spaceXs
        anchors.bottomMargin: offers.visible ? Theme.spaceS : Theme.spaceL
        keyNavigationEnabled: true
        spacing: Theme.spaceXs
        model: sheet.visible ? sheet.controller.runLabels : []
        Keys.onPressed: event => {
            const by = event.key === Qt.Key_Up ? -1 : event.key === Qt.Key_Down ? 1 : 0;
            event.accepted = by !== 0 && (event.modifiers & Qt.AltModifier);
            if (event.accepted)
                list.move(list.currentIndex, list.currentIndex + by);
        }

        function move(from: int, to: int) {
            sheet.controller.moveRun(from, to);
            list.currentIndex = Math.max(0, Math.min(to, list.count - 1));
            list.positionViewAtIndex(list.currentIndex, ListView.Contain);
        }

        delegate: Item {
            id: row

            required property int index
            required property string modelData

            width: list.width - Theme.spaceM
            height: bar.implicitHeight + Theme.spaceS
            z: handle.pressed ? 1 : 0
            Accessible.role: Accessible.ListItem
            Accessible.name: row.modelData

            Rectangle {
                y: handle.pressed ? handle.offset : 0
                width: parent.width
                height: parent.height
                radius: Theme.radius
                color: handle.pressed || row.ListView.isCurrentItem ? Theme.raised : "transparent"
                border.width: handle.pressed ? Theme.hairline : 0
                border.color: Theme.accent

                RowLayout {
                    id: bar

                    anchors.left: parent.left
                    anchors.right: parent.right
                    anchors.verticalCenter: parent.verticalCenter
                    anchors.leftMargin: Theme.spaceS
                    spacing: Theme.spaceS

                    UiText {
                        text: "⠿"
                        color: Theme.textSecondary
                        Accessible.ignored: true

                        MouseArea {
                            id: handle

                            property real from: 0
                            property real offset: 0

                            anchors.fill: parent
                            anchors.margins: -Theme.spaceS
                            cursorShape: Qt.SizeVerCursor
                            preventStealing: true
                            onPressed: mouse => {
                                handle.from = handle.mapToItem(list, mouse.x, mouse.y).y;
                                handle.offset = 0;
                            }
                            onPositionChanged: mouse => handle.offset = handle.mapToItem(list, mouse.x, mouse.y).y - handle.from
                            onReleased: {
                                const step = Math.round(handle.offset / (row.height + list.spacing));
                                const to = Math.max(0, Math.min(list.count - 1, row.index + step));
                                handle.offset = 0;
                                list.move(row.index, to);
                            }
                        }
                    }
                    UiName {
                        Layout.fillWidth: true
                        text: row.modelData
                    }
                    UiTag {
                        visible: row.index === 0
                        text: "base"
                        strong: true
                    }
                    UiButton {
                        visible: row.index > 0
                        text: "Make the base"
                        onClicked: sheet.controller.makeFirst(row.index)
                    }
                    UiIconButton {
                        iconName: "close"
                        label: "Take out %1".arg(row.modelData)
                        enabled: list.count > 2
                        onClicked: sheet.controller.takeOut(row.index)
                    }
                }
            }
        }
    }
    // Runs, and their captures below them.
    UiList {
        id: offers

        objectName: "offers"
        anchors.left: parent.left
        anchors.right: parent.right
        anchors.bottom: parent.bottom
        anchors.margins: Theme.spaceL
        anchors.rightMargin: Theme.spaceXs
        height: visible ? Math.min(contentHeight, parent.height * 0.6) : 0
        visible: sheet.controller.hasCaptures
        keyNavigationEnabled: true
        model: sheet.visible ? sheet.controller.offers : null
        header: UiSectionHeader {
            width: offers.width - Theme.spaceM
            text: "Runs and their captures"
        }
        delegate: UiCheckBox {
            required property int index
            required property string title
            required property bool capture
            required property bool chosen

            x: capture ? Theme.spaceXl : 0
            width: offers.width - Theme.spaceM - x
            text: title
            checked: chosen
            onClicked: sheet.controller.toggleOffer(index)
        }
    }
    buttons: [
        UiButton {
            primary: true
            text: "Done"
            onClicked: sheet.close()
        }
    ]
}
