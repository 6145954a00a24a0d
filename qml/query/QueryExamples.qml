pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// Questions to begin with, in the answer's place before the first one.
Flickable {
    id: area

    required property RowModel examples
    signal askWanted(string sql)

    contentHeight: column.height + 2 * Theme.spaceL
    clip: true
    boundsBehavior: Flickable.StopAtBounds
    UiScrollBar.vertical: UiScrollBar {}

    UiFollowFocus {
        scrolled: area
    }
    Column {
        id: column

        x: Theme.spaceL
        y: Theme.spaceL
        width: area.width - 2 * Theme.spaceL
        spacing: Theme.spaceXs

        UiText {
            width: parent.width
            text: "Ask the database in SQL, or begin with one of these"
            Accessible.role: Accessible.Heading
            Accessible.name: text
        }
        Repeater {
            model: area.examples
            delegate: QueryLine {
                required property string title
                required property string sql

                width: column.width
                label: title
                tip: sql
                onClicked: area.askWanted(sql)
            }
        }
    }
}
