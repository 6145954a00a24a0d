pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// A form that derives a lane from others. Enter adds it, Escape leaves it.
T.Popup {
    id: popup

    required property TimelineController controller
    readonly property LaneDeriving deriving: controller.deriving

    objectName: "deriveLane"
    margins: Theme.spaceS
    padding: Theme.spaceM
    focus: true
    closePolicy: T.Popup.CloseOnEscape | T.Popup.CloseOnPressOutside
    implicitWidth: Theme.runListWidth * 1.5 + leftPadding + rightPadding
    implicitHeight: contentItem.implicitHeight + topPadding + bottomPadding

    // `lane`: the first part; -1: none is chosen yet.
    function derive(lane: int) {
        deriving.begin(lane);
        open();
    }
    function change(lane: int) {
        deriving.change(lane);
        open();
    }
    function accept() {
        if (deriving.accept())
            close();
    }

    UiPopupHome {
        guest: popup
    }

    component Part: RowLayout {
        id: part

        required property LaneDeriving deriving
        required property string letter
        required property int number
        required property list<int> chosen

        spacing: Theme.spaceXs

        UiText {
            Layout.preferredWidth: Theme.spaceL
            text: part.letter
            color: Theme.textSecondary
        }
        UiComboBox {
            objectName: "partLane" + part.number
            Layout.fillWidth: true
            label: "Lane %1".arg(part.letter)
            model: part.deriving.lanes
            currentIndex: part.chosen[0]
            onActivated: index => part.deriving.choose(part.number, 0, index)
        }
        UiComboBox {
            objectName: "partGpu" + part.number
            implicitWidth: Theme.hitTarget * 4
            visible: part.deriving.gpus.length > 2
            label: "GPU of lane %1".arg(part.letter)
            model: part.deriving.gpus
            currentIndex: part.chosen[1]
            onActivated: index => part.deriving.choose(part.number, 1, index)
        }
        UiComboBox {
            objectName: "partRun" + part.number
            implicitWidth: Theme.hitTarget * 4
            visible: part.deriving.runs.length > 2
            label: "Run of lane %1".arg(part.letter)
            model: part.deriving.runs
            currentIndex: part.chosen[2]
            onActivated: index => part.deriving.choose(part.number, 2, index)
        }
    }

    contentItem: ColumnLayout {
        spacing: Theme.spaceS

        UiSectionHeader {
            text: popup.deriving.isChange ? "Change the derived lane" : "Derive a lane"
        }
        UiComboBox {
            objectName: "deriveWay"
            Layout.fillWidth: true
            visible: !popup.deriving.isChange
            label: "The lane is"
            model: popup.deriving.ways
            currentIndex: popup.deriving.way
            onVisibleChanged: {
                if (visible)
                    forceActiveFocus(Qt.PopupFocusReason);
            }
            onActivated: index => popup.deriving.way = index
        }
        Part {
            visible: !popup.deriving.isChange
            deriving: popup.deriving
            letter: "A"
            number: 0
            chosen: popup.deriving.first
        }
        Part {
            visible: !popup.deriving.isChange && popup.deriving.hasSecond
            deriving: popup.deriving
            letter: "B"
            number: 1
            chosen: popup.deriving.second
        }
        UiSectionHeader {
            text: "Formula"
        }
        UiTextField {
            objectName: "deriveFormula"
            Layout.fillWidth: true
            label: "Formula"
            text: popup.deriving.formula
            faulty: popup.deriving.problem !== ""
            onTextEdited: popup.deriving.formula = text
            onAccepted: popup.accept()
        }
        UiSectionHeader {
            text: "Name"
        }
        UiTextField {
            objectName: "deriveName"
            Layout.fillWidth: true
            label: "Name of the lane"
            placeholderText: popup.deriving.title
            text: popup.deriving.name
            onVisibleChanged: {
                if (!visible || !popup.deriving.isChange)
                    return;
                forceActiveFocus(Qt.PopupFocusReason);
                selectAll();
            }
            onTextEdited: popup.deriving.name = text
            onAccepted: popup.accept()
        }
        UiSentence {
            objectName: "deriveVerdict"
            text: popup.deriving.problem !== "" ? popup.deriving.problem : popup.deriving.summary
            color: popup.deriving.problem !== "" ? Theme.warning : Theme.textSecondary
        }
        RowLayout {
            Layout.alignment: Qt.AlignRight
            spacing: Theme.spaceXs

            UiButton {
                quiet: true
                text: "Cancel"
                onClicked: popup.close()
            }
            UiButton {
                objectName: "deriveAccept"
                text: popup.deriving.isChange ? "Change" : "Add the lane"
                enabled: popup.deriving.problem === ""
                onClicked: popup.accept()
            }
        }
    }
    background: UiRaised {}
}
