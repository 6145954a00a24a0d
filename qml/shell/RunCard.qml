pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// One run of the list: colour mark, name, model and GPUs, tags, a small curve of its power.
Item {
    id: card

    required property int index
    required property string name
    required property string detail
    required property list<string> tags
    required property string strongTag
    required property bool shown
    required property int colorIndex
    required property list<real> curve
    required property string description
    property bool current: false
    signal onlyWanted
    signal toggleWanted
    signal menuWanted

    readonly property color mark: Theme.seriesColor(Math.max(0, colorIndex))

    implicitHeight: content.height + 2 * Theme.spaceS + Theme.spaceXs
    Accessible.role: Accessible.ListItem
    Accessible.name: card.description
    Accessible.selected: card.shown
    Accessible.checkable: true
    Accessible.checked: card.shown
    Accessible.onPressAction: card.onlyWanted()
    Accessible.onToggleAction: card.toggleWanted()

    Rectangle {
        anchors.fill: parent
        anchors.leftMargin: Theme.spaceS
        anchors.rightMargin: Theme.spaceS
        anchors.bottomMargin: Theme.spaceXs
        radius: Theme.radius + Theme.hairline
        color: card.shown ? Theme.raised : hover.hovered ? Theme.hovered : "transparent"
        border.width: card.current ? 2 * Theme.hairline : 0
        border.color: Theme.accent

        Rectangle {
            x: Theme.spaceS
            y: Theme.spaceS + Theme.hairline * 2
            width: Theme.spaceM
            height: Theme.spaceM
            radius: Theme.radius - Theme.hairline
            color: card.shown ? card.mark : "transparent"
            border.width: Theme.hairline
            border.color: card.shown ? card.mark : Theme.outline
        }
        Column {
            id: content

            x: Theme.spaceXl + Theme.spaceS
            y: Theme.spaceS
            width: parent.width - x - Theme.spaceS
            spacing: Theme.spaceXs

            UiText {
                width: parent.width
                text: card.name
                font.weight: Font.Medium
                elide: Text.ElideMiddle
            }
            UiNote {
                width: parent.width
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
    UiToolTip {
        visible: hover.hovered && hover.hovered
        text: card.name
        delay: Theme.toolTipDelay * 2
    }
    HoverHandler {
        id: hover
    }
    TapHandler {
        acceptedModifiers: Qt.NoModifier
        onTapped: card.onlyWanted()
    }
    TapHandler {
        acceptedModifiers: Qt.ControlModifier
        onTapped: card.toggleWanted()
    }
    TapHandler {
        acceptedButtons: Qt.RightButton
        onTapped: card.menuWanted()
    }
}
