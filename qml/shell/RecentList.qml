pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// The databases opened lately; those that are gone are marked, and each can be taken off the list.
ColumnLayout {
    id: recent

    required property Session session

    spacing: Theme.spaceS

    UiSectionHeader {
        text: "Opened lately"
    }
    UiText {
        visible: recent.session.recent.count === 0
        text: "Nothing yet."
        color: Theme.textSecondary
    }
    Repeater {
        model: recent.session.recent

        T.ItemDelegate {
            id: entry

            required property int index
            required property string path
            required property string name
            required property string folder
            required property bool missing

            Layout.fillWidth: true
            implicitHeight: Theme.topBarHeight - Theme.spaceXs
            focusPolicy: Qt.StrongFocus
            Accessible.name: entry.missing ? "%1, missing".arg(entry.name) : entry.name
            Accessible.description: entry.folder
            Accessible.onPressAction: entry.clicked()
            onClicked: recent.session.openRecent(entry.path)
            Keys.onReturnPressed: entry.clicked()
            Keys.onDeletePressed: recent.session.recent.remove(entry.index)

            contentItem: Item {
                Column {
                    anchors.left: parent.left
                    anchors.leftMargin: Theme.spaceS
                    anchors.right: parent.right
                    anchors.rightMargin: Theme.spaceXl + Theme.spaceS
                    anchors.verticalCenter: parent.verticalCenter

                    UiName {
                        width: parent.width
                        text: entry.missing ? "%1 (missing)".arg(entry.name) : entry.name
                        color: entry.missing ? Theme.textSecondary : Theme.text
                    }
                    UiName {
                        width: parent.width
                        text: entry.folder
                        color: Theme.textSecondary
                        font.pixelSize: Theme.secondarySize
                    }
                }
                UiIconButton {
                    anchors.right: parent.right
                    anchors.verticalCenter: parent.verticalCenter
                    width: Theme.hitTarget
                    height: Theme.hitTarget
                    visible: entry.hovered || entry.activeFocus
                    focusPolicy: Qt.NoFocus
                    iconName: "close"
                    text: "Take off the list"
                    onClicked: recent.session.recent.remove(entry.index)
                }
            }
            background: Rectangle {
                radius: Theme.radius
                color: entry.hovered ? Theme.hovered : "transparent"

                UiFocusRing {
                    control: entry
                }
            }
        }
    }
}
