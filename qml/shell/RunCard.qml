pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// One run of a short list: colour mark, name, model and GPUs, tags, a small curve of its power.
Item {
    id: card

    required property string name
    required property string label // shorter
    required property string detail
    required property list<string> tags
    required property string strongTag
    required property bool shown
    required property color mark
    required property list<real> curve
    readonly property bool overMark: box.hovered
    signal toggleWanted

    implicitHeight: content.height + 2 * Theme.spaceS + Theme.spaceXs

    RunMark {
        id: box

        x: Theme.spaceM + Theme.spaceXs
        y: Theme.spaceS + Theme.hairline * 2
        shown: card.shown
        mark: card.mark
        onToggled: card.toggleWanted()
    }
    Column {
        id: content

        x: Theme.spaceXl + Theme.spaceL
        y: Theme.spaceS
        width: parent.width - x - Theme.spaceL
        spacing: Theme.spaceXs

        UiFitText {
            width: parent.width
            full: card.name
            brief: card.label
            font.weight: Font.Medium
        }
        UiNote {
            width: parent.width
            wrapMode: Text.Wrap
            text: card.detail
        }
        Flow {
            width: parent.width
            spacing: Theme.spaceXs

            Repeater {
                model: card.tags

                UiTag {
                    required property string modelData

                    text: modelData
                    strong: modelData === card.strongTag
                }
            }
        }
        Sparkline {
            width: parent.width
            height: Theme.spaceXl
            visible: card.curve.length > 0
            values: card.curve
            color: card.shown ? card.mark : Theme.textMuted
        }
    }
}
