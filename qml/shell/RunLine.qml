import QtQuick
import Trainscope
import Trainscope.App

// One run of a long list: colour mark, name, and what needs attention.
Item {
    id: line

    required property string name
    required property string label // shorter
    required property string strongTag
    required property bool shown
    required property color mark
    property real indent: 0
    readonly property bool overMark: box.hovered
    signal toggleWanted

    implicitHeight: Theme.hitTarget

    RunMark {
        id: box

        x: Theme.spaceM + Theme.spaceXs + line.indent
        anchors.verticalCenter: parent.verticalCenter
        shown: line.shown
        mark: line.mark
        onToggled: line.toggleWanted()
    }
    UiFitText {
        anchors.left: box.right
        anchors.right: tag.visible ? tag.left : parent.right
        anchors.leftMargin: Theme.spaceS
        anchors.rightMargin: tag.visible ? Theme.spaceXs : Theme.spaceM + Theme.spaceXs
        anchors.verticalCenter: parent.verticalCenter
        full: line.name
        brief: line.label
    }
    UiTag {
        id: tag

        anchors.right: parent.right
        anchors.rightMargin: Theme.spaceM + Theme.spaceXs
        anchors.verticalCenter: parent.verticalCenter
        visible: text !== ""
        text: line.strongTag
        strong: true
    }
}
