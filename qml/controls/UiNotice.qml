import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// A message with its icon, where it comes from, and the buttons that do something about it.
Rectangle {
    id: notice

    property string iconName: "info"
    property string text: ""
    property string where: ""
    property bool severe: false
    default property alias buttons: row.data

    implicitHeight: row.implicitHeight + 2 * Theme.spaceS
    color: Theme.raised
    Accessible.role: Accessible.AlertMessage
    Accessible.name: notice.where === "" ? notice.text : "%1. %2".arg(notice.text).arg(notice.where)

    RowLayout {
        id: row

        anchors.left: parent.left
        anchors.right: parent.right
        anchors.leftMargin: Theme.spaceM
        anchors.rightMargin: Theme.spaceXs
        anchors.verticalCenter: parent.verticalCenter
        spacing: Theme.spaceM

        Icon {
            name: notice.iconName
            color: notice.severe ? Theme.warning : Theme.text
        }
        ColumnLayout {
            spacing: Theme.spaceXs / 2

            UiSentence {
                text: notice.text
            }
            UiNote {
                Layout.fillWidth: true
                visible: text !== ""
                text: notice.where
                wrapMode: Text.WrapAnywhere
            }
        }
    }
}
