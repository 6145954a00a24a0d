import QtQuick
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// `shortcutText` is shown at the right end. Text from a file is a `label`: in `text` an
// ampersand would make a letter of it a key of the whole window. A `choice` has a mark while it is
// `checked`, by what it stands for: a press alone does not change it.
T.MenuItem {
    id: item

    property string label: ""
    property string shortcutText: (action as UiCommand)?.hint ?? ""
    readonly property string shown: label === "" ? text : label
    property string iconName: icon.name
    property bool choice: false

    implicitWidth: implicitContentWidth
    implicitHeight: Theme.controlHeight
    opacity: enabled ? 1 : 0.5
    Accessible.name: shown
    Accessible.checkable: item.choice
    Accessible.checked: item.checked
    Accessible.onPressAction: {
        if (item.enabled)
            item.action ? item.action.trigger(item) : item.clicked();
    }

    contentItem: Content {
        text: item.shown
        iconName: item.choice ? (item.checked ? "check" : "") : item.iconName
        shortcutText: item.shortcutText
    }
    arrow: Icon {
        x: item.width - width - Theme.spaceS
        anchors.verticalCenter: parent ? parent.verticalCenter : undefined
        visible: item.subMenu
        width: Theme.hitTarget / 2
        height: Theme.hitTarget / 2
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

    // Mark or icon, text, and the keys at the right end.
    component Content: Item {
        id: content

        required property string text
        required property string iconName
        required property string shortcutText

        implicitWidth: Theme.spaceXl + title.implicitWidth + Theme.spaceXl + keys.implicitWidth + Theme.spaceXl

        Icon {
            x: Theme.spaceS
            anchors.verticalCenter: parent.verticalCenter
            width: Theme.iconSize - Theme.hairline * 2
            height: width
            name: content.iconName
            color: Theme.text
        }
        UiText {
            id: title

            anchors.left: parent.left
            anchors.leftMargin: Theme.spaceXl + Theme.spaceXs
            anchors.right: keys.left
            anchors.rightMargin: Theme.spaceS
            anchors.verticalCenter: parent.verticalCenter
            text: content.text
        }
        UiNote {
            id: keys

            anchors.right: parent.right
            anchors.rightMargin: Theme.spaceL
            anchors.verticalCenter: parent.verticalCenter
            text: content.shortcutText
        }
    }
}
