import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// The head of a group of facts.
RowLayout {
    id: head

    required property string text
    property bool busy: false
    property bool copyable: false
    signal copyWanted

    Layout.fillWidth: true
    Layout.topMargin: Theme.spaceS

    UiSectionHeader {
        Layout.fillWidth: true
        // Capitals would turn µs into MS.
        font.capitalization: Font.MixedCase
        font.weight: Font.DemiBold
        text: head.text
        wrapMode: Text.Wrap
        elide: Text.ElideNone
        opacity: head.busy ? 0.6 : 1
    }
    UiIconButton {
        visible: head.copyable
        width: Theme.hitTarget
        height: Theme.hitTarget
        iconName: "copy"
        text: "Copy all figures as text"
        onClicked: head.copyWanted()
    }
}
