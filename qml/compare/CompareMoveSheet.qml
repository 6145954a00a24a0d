pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// A sheet that moves runs to the right along the time axis.
UiSheet {
    id: sheet

    required property ComparisonController controller

    title: "Move the runs by hand"
    subtitle: "Seconds to the right; negative ones to the left"
    preferredWidth: Theme.sheetWidth * 0.6
    preferredHeight: Theme.spaceXl * 16

    ListView {
        id: list

        anchors.fill: parent
        anchors.margins: Theme.spaceL
        clip: true
        spacing: Theme.spaceS
        model: sheet.visible ? sheet.controller.runLabels : []
        delegate: RowLayout {
            id: row

            required property int index
            required property string modelData

            width: list.width
            spacing: Theme.spaceM

            function moved(): string {
                return sheet.controller.movedSeconds(row.index).toLocaleString(Qt.locale(), "g", 12);
            }

            UiName {
                Layout.fillWidth: true
                text: row.modelData
            }
            UiTextField {
                implicitWidth: Theme.spaceXl * 4
                label: "Seconds that %1 is moved".arg(row.modelData)
                text: row.moved()
                onActiveFocusChanged: {
                    if (!activeFocus)
                        text = row.moved(); // instead of what was left unfinished, or is too far
                }
                inputMethodHints: Qt.ImhFormattedNumbersOnly
                validator: DoubleValidator {}
                onEditingFinished: sheet.controller.moveBySeconds(row.index, Number.fromLocaleString(Qt.locale(), text))
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
