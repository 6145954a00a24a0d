import QtQuick
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// Runs are laid over each other by their starts, by an iteration, and each moved by hand.
T.Popup {
    id: popup

    required property TimelineController controller
    readonly property AlignmentModel alignment: controller.alignment

    margins: Theme.spaceS
    padding: Theme.spaceM
    focus: true
    closePolicy: T.Popup.CloseOnEscape | T.Popup.CloseOnPressOutside
    implicitWidth: Theme.runListWidth + leftPadding + rightPadding
    implicitHeight: contentItem.implicitHeight + topPadding + bottomPadding

    contentItem: AlignmentForm {
        alignment: popup.alignment
    }
    background: UiRaised {}
}
