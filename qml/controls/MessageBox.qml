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

    component Said: UiSentence {
        width: parent.width
        horizontalAlignment: Text.AlignHCenter
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }

    Said {
        text: box.title
        color: box.faulty ? Theme.warning : Theme.text
        Accessible.role: box.faulty ? Accessible.AlertMessage : Accessible.StaticText
    }
    Said {
        text: box.text
        color: Theme.textSecondary
    }
    UiButton {
        anchors.horizontalCenter: parent.horizontalCenter
        visible: box.retry
        text: "Read again"
        onClicked: box.retryWanted()
    }
}
