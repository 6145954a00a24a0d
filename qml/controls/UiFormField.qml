import QtQuick
import Trainscope
import Trainscope.App

// A field of a form: typed, chosen or slid, with what is wrong with it below.
Column {
    id: field

    required property string key
    required property string section
    required property string label
    required property string text
    required property string hint
    required property string tip
    required property string fault
    required property string closed
    required property string shown
    required property list<string> choices
    required property int current
    required property bool slider
    required property real low
    required property real high
    required property real place
    required property bool secret
    property real share: 0.56 // width that the control takes
    readonly property bool chosen: field.choices.length > 0
    readonly property bool slid: field.slider || field.shown !== ""
    signal edited(string text)
    signal moved(real place)
    signal stepped(bool up)
    signal entered

    spacing: Theme.spaceXs

    function take() {
        if (field.chosen)
            combo.forceActiveFocus(Qt.TabFocusReason);
        else
            typed.forceActiveFocus(Qt.TabFocusReason);
    }

    UiSectionHeader {
        visible: field.section !== ""
        topPadding: Theme.spaceS
        text: field.section
    }
    Item {
        width: field.width
        height: Math.max(Theme.controlHeight, name.implicitHeight)

        UiNote {
            id: name

            anchors.verticalCenter: parent.verticalCenter
            width: parent.width - control.width - Theme.spaceS
            wrapMode: Text.Wrap
            elide: Text.ElideNone
            text: field.label
            Accessible.ignored: true

            HoverHandler {
                id: hover
            }
            UiToolTip {
                wanted: hover.hovered && field.tip !== ""
                text: field.tip
            }
        }
        Item {
            id: control

            anchors.right: parent.right
            anchors.verticalCenter: parent.verticalCenter
            width: field.width * field.share
            height: Theme.controlHeight

            UiTextField {
                id: typed

                anchors.fill: parent
                objectName: field.chosen || field.slid ? "" : field.key
                visible: !field.chosen && !field.slid
                enabled: field.closed === ""
                label: field.label
                placeholderText: field.hint
                text: field.text
                faulty: field.fault !== ""
                echoMode: field.secret ? TextInput.Password : TextInput.Normal
                Accessible.description: field.fault !== "" ? field.fault : field.closed !== "" ? field.closed : field.tip
                onTextEdited: field.edited(text)
                onAccepted: field.entered()
                Keys.onUpPressed: field.stepped(true)
                Keys.onDownPressed: field.stepped(false)
            }
            UiComboBox {
                id: combo

                anchors.fill: parent
                faulty: field.fault !== ""
                objectName: field.chosen ? field.key : ""
                visible: field.chosen
                enabled: field.closed === ""
                label: field.label
                model: field.choices
                currentIndex: field.current
                // New choices put a combo box on the first of them.
                onModelChanged: currentIndex = Qt.binding(() => field.current)
                onActivated: index => field.edited(field.choices[index])
            }
            UiSlider {
                anchors.fill: parent
                objectName: field.slid ? field.key : ""
                visible: field.slid
                enabled: field.slider
                label: "%1, %2".arg(field.label).arg(field.shown)
                from: field.low
                to: field.high
                place: field.place
                stepSize: (to - from) / 100
                onChosen: place => field.moved(place)
            }
        }
    }
    UiNote {
        objectName: field.closed !== "" ? "closed" : ""
        width: field.width
        visible: field.slid || field.closed !== ""
        horizontalAlignment: Text.AlignRight
        text: field.closed !== "" ? field.closed : field.shown
    }
    UiText {
        objectName: field.fault !== "" ? "fault" : ""
        width: field.width
        visible: field.fault !== ""
        text: field.fault
        color: Theme.warning
        font.pixelSize: Theme.secondarySize
        wrapMode: Text.Wrap
        elide: Text.ElideNone
        Accessible.role: Accessible.AlertMessage
        Accessible.name: text
    }
}
