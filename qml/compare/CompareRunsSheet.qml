pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// The runs and captures that can be compared: those that are checked stand side by side, the base first.
UiSheet {
    id: sheet

    required property ComparisonController controller

    title: "Compared runs"
    subtitle: sheet.controller.hasCaptures ? "A run stands there whole, or by captures that are checked below it. The base is what the others are compared with." : "The base is what the others are compared with. Runs are added in the list on the left: Ctrl+click, or all that match its filter."
    preferredWidth: Theme.sheetWidth * 0.7
    preferredHeight: Theme.hitTarget * 24

    UiList {
        id: offers

        objectName: "offers"
        anchors.fill: parent
        anchors.margins: Theme.spaceL
        anchors.rightMargin: Theme.spaceXs
        keyNavigationEnabled: true
        model: sheet.visible ? sheet.controller.offers : null
        delegate: RowLayout {
            id: row

            required property int index
            required property string title
            required property bool capture
            required property int place

            x: row.capture ? Theme.spaceXl : 0
            width: offers.width - Theme.spaceM - x
            spacing: Theme.spaceS

            UiCheckBox {
                Layout.fillWidth: true
                text: row.title
                checked: row.place >= 0
                onClicked: sheet.controller.toggleOffer(row.index)
            }
            UiTag {
                visible: row.place === 0
                text: "base"
                strong: true
            }
            UiButton {
                visible: row.place > 0
                text: "Make the base"
                onClicked: sheet.controller.makeFirst(row.place)
            }
        }
    }
    buttons: [
        UiButton {
            primary: true
            text: "Done"
            onClicked: sheet.close()
        }
    ]
}
