pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// One run of the list: colour mark and name; beside them in a `dense` list what needs attention, else below them model
// and GPUs, tags, and a small curve of its power.
Item {
    id: entry

    required property string name
    required property string label // shorter
    required property string detail
    required property list<string> tags
    required property string strongTag
    required property bool shown
    required property color mark
    required property list<real> curve
    required property bool dense
    property real indent: 0
    readonly property bool overMark: box.hovered
    signal toggleWanted

    implicitHeight: dense ? Theme.hitTarget : facts.y + facts.height + Theme.spaceS + Theme.spaceXs

    RunMark {
        id: box

        x: Theme.spaceM + Theme.spaceXs + entry.indent
        anchors.verticalCenter: title.verticalCenter
        shown: entry.shown
        mark: entry.mark
        onToggled: entry.toggleWanted()
    }
    UiName {
        id: title

        x: box.x + box.width + (entry.dense ? Theme.spaceS : Theme.spaceM)
        y: entry.dense ? (Theme.hitTarget - height) / 2 : Theme.spaceS
        width: (tag.visible ? tag.x - Theme.spaceXs : entry.width - Theme.spaceL) - x
        full: entry.name
        brief: entry.label
        tipped: false // the row has a tip
        font.weight: entry.dense ? Font.Normal : Font.Medium
    }
    UiTag {
        id: tag

        anchors.right: parent.right
        anchors.rightMargin: Theme.spaceL
        anchors.verticalCenter: parent.verticalCenter
        visible: entry.dense && text !== ""
        text: entry.strongTag
        strong: true
    }
    Column {
        id: facts

        x: title.x
        y: title.y + title.height + Theme.spaceXs
        width: parent.width - x - Theme.spaceL
        visible: !entry.dense
        spacing: Theme.spaceXs

        UiNote {
            width: parent.width
            wrapMode: Text.Wrap
            text: entry.detail
        }
        Flow {
            width: parent.width
            spacing: Theme.spaceXs

            Repeater {
                model: entry.dense ? [] : entry.tags

                UiTag {
                    required property string modelData

                    text: modelData
                    strong: modelData === entry.strongTag
                }
            }
        }
        Sparkline {
            width: parent.width
            height: Theme.spaceXl
            visible: entry.curve.length > 0
            values: entry.curve
            color: entry.shown ? entry.mark : Theme.textMuted
        }
    }
}
