pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// Labelled values under each other, each with what is said of it less loudly.
Column {
    id: list

    required property FactListModel facts

    Layout.fillWidth: true
    spacing: Theme.spaceXs
    Accessible.role: Accessible.List

    Repeater {
        model: list.facts
        // A value that does not fit beside its label goes under it.
        delegate: Item {
            id: row

            required property string label
            required property string value
            required property string note
            required property bool isHead
            readonly property bool tall: value !== "" && name.implicitWidth + measure.advanceWidth + Theme.spaceL > width

            width: list.width
            implicitHeight: (note === "" ? figure : remark).y + (note === "" ? figure : remark).height
            Accessible.role: isHead ? Accessible.Heading : Accessible.ListItem
            Accessible.name: isHead ? label : note === "" ? "%1: %2".arg(label).arg(value) : "%1: %2, %3".arg(label).arg(value).arg(note)

            UiText {
                id: name

                width: parent.width
                text: row.label
                // Heads are names of runs, of which no two may read alike.
                wrapMode: row.isHead ? Text.WrapAnywhere : Text.NoWrap
                elide: row.isHead ? Text.ElideNone : Text.ElideRight
                color: row.isHead ? Theme.text : Theme.textSecondary
                font.weight: row.isHead ? Font.DemiBold : Font.Normal
            }
            TextMetrics {
                id: measure

                text: row.value
                font: figure.font
            }
            UiText {
                id: figure

                y: row.tall ? name.height : 0
                width: parent.width
                horizontalAlignment: lineCount > 1 ? Text.AlignLeft : Text.AlignRight
                text: row.value
                wrapMode: Text.WrapAnywhere
                maximumLineCount: 6
                elide: Text.ElideRight
                font.weight: Font.Medium
            }
            UiNote {
                id: remark

                y: figure.y + figure.height
                width: parent.width
                visible: text !== ""
                horizontalAlignment: Text.AlignRight
                wrapMode: Text.Wrap
                maximumLineCount: 4
                elide: Text.ElideRight
                text: row.note
            }
        }
    }
}
