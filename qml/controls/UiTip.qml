import QtQuick
import Trainscope
import Trainscope.App

// A tip with a title and lines about the item under the pointer.
UiRaised {
    id: tip

    required property string title
    required property string text

    width: column.width + 2 * Theme.spaceS
    height: column.height + 2 * Theme.spaceXs
    z: 1

    Column {
        id: column

        x: Theme.spaceS
        y: Theme.spaceXs

        UiText {
            text: tip.title
            font.weight: Font.Medium
            font.pixelSize: Theme.secondarySize
        }
        UiNote {
            text: tip.text
        }
    }
}
