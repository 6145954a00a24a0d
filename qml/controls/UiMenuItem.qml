import QtQuick
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// `shortcutText` is shown at the right end.
T.MenuItem {
    id: item

    property string shortcutText: ""
    property string iconName: ""

    implicitWidth: implicitContentWidth
    implicitHeight: Theme.controlHeight
    opacity: enabled ? 1 : 0.5
    Accessible.name: text

    contentItem: UiMenuItemContent {
        text: item.text
        iconName: item.checkable ? (item.checked ? "check" : "") : item.iconName
        shortcutText: item.shortcutText
    }
    arrow: Icon {
        x: item.width - width - Theme.spaceS
        anchors.verticalCenter: parent ? parent.verticalCenter : undefined
        visible: item.subMenu
        width: Theme.spaceM
        height: Theme.spaceM
        name: "chevronRight"
        color: Theme.textSecondary
    }
    background: Rectangle {
        anchors.fill: parent
        anchors.leftMargin: Theme.spaceXs
        anchors.rightMargin: Theme.spaceXs
        radius: Theme.radius
        color: item.highlighted ? Theme.hovered : "transparent"
        border.width: item.highlighted ? Theme.hairline : 0
        border.color: Theme.outline
    }
}
