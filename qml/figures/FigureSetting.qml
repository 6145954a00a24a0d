import QtQuick
import Trainscope
import Trainscope.App

// One setting: a labelled choice, or a switch.
Row {
    id: setting

    required property string key
    required property string label
    required property list<string> choices
    required property int current
    required property string tip
    required property bool isSwitch
    required property string longest
    property real labelWidth: 0 // 0: as wide as its text
    signal chosen(int choice)

    spacing: Theme.spaceXs
    height: Theme.controlHeight

    TextMetrics {
        id: measure

        font.family: Theme.fontFamily
        font.pixelSize: Theme.bodySize
        text: setting.longest
    }
    UiNote {
        anchors.verticalCenter: parent.verticalCenter
        visible: !setting.isSwitch
        width: setting.labelWidth > 0 ? setting.labelWidth : implicitWidth
        text: setting.label
        Accessible.ignored: true
    }
    UiComboBox {
        id: combo

        visible: !setting.isSwitch
        implicitWidth: Math.min(Theme.hitTarget * 9, Math.ceil(measure.advanceWidth) + leftPadding + rightPadding + Theme.spaceXs)
        objectName: setting.isSwitch ? "" : setting.key
        label: setting.label
        model: setting.choices
        currentIndex: setting.isSwitch ? -1 : setting.current
        // New choices put a combo box on the first of them.
        onModelChanged: currentIndex = Qt.binding(() => setting.isSwitch ? -1 : setting.current)
        onActivated: index => setting.chosen(index)
    }
    UiButton {
        visible: setting.isSwitch
        objectName: setting.isSwitch ? setting.key : ""
        text: setting.label
        toolTip: setting.tip
        choice: true
        checked: setting.isSwitch && setting.current === 1
        onClicked: setting.chosen(1 - setting.current)
    }
}
