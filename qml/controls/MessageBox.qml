import QtQuick
import Trainscope
import Trainscope.App

// A message in place of a view that has nothing to show.
Column {
    id: box

    property string title: ""
    property string text: ""
    property bool faulty: false
    property bool retry: false
    signal retryWanted

    width: Math.min(parent.width - Theme.spaceXl, Theme.runListWidth + Theme.inspectorWidth)
    spacing: Theme.spaceM
    visible: box.title !== ""

    UiText {
        width: parent.width
        horizontalAlignment: Text.AlignHCenter
        wrapMode: Text.Wrap
        elide: Text.ElideNone
        text: box.title
        color: box.faulty ? Theme.warning : Theme.text
        Accessible.role: box.faulty ? Accessible.AlertMessage : Accessible.StaticText
        Accessible.name: text
    }
    UiText {
        width: parent.width
        visible: text !== ""
        horizontalAlignment: Text.AlignHCenter
        wrapMode: Text.Wrap
        elide: Text.ElideNone
        text: box.text
        color: Theme.textSecondary
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }
    UiButton {
        anchors.horizontalCenter: parent.horizontalCenter
        visible: box.retry
        text: "Read again"
        onClicked: box.retryWanted()
    }
}
