import QtQuick

// A list that is scrolled within its ends and reached by Tab.
ListView {
    clip: true
    activeFocusOnTab: true
    boundsBehavior: Flickable.StopAtBounds
    Accessible.role: Accessible.List
    UiScrollBar.vertical: UiScrollBar {}
}
