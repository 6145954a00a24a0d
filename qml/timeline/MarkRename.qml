import QtQuick
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// A small field for a mark's label; openFor() says of which. Enter takes it, Escape leaves it.
T.Popup {
    id: popup

    required property TimelineController controller
    property MarkFlag flag: null

    parent: flag
    y: controller.lanes.top - height // over the flag
    padding: Theme.spaceS
    focus: true
    implicitWidth: contentItem.implicitWidth + leftPadding + rightPadding
    implicitHeight: contentItem.implicitHeight + topPadding + bottomPadding

    function openFor(mark: MarkFlag) {
        flag = mark;
        open();
    }

    UiPopupHome {
        guest: popup
    }

    contentItem: UiTextField {
        focus: true
        onVisibleChanged: {
            if (visible) {
                text = popup.flag.markLabel;
                selectAll();
            }
        }
        label: "Label of the mark"
        onAccepted: {
            popup.controller.marks.rename(popup.flag.index, text);
            popup.close();
        }
    }
    background: UiRaised {}
}
