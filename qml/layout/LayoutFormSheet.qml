pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// Enters the layout of a run by hand; says as one types what does not fit.
UiSheet {
    id: sheet

    required property LayoutController controller
    readonly property LayoutForm form: controller.form

    title: "Layout by hand"
    subtitle: controller.title
    preferredWidth: Theme.sheetWidth * 0.8
    preferredHeight: Theme.hitTarget * 18

    function begin() {
        sheet.controller.beginForm();
        sheet.open();
    }
    function accept() {
        if (!sheet.form.fits)
            return;
        sheet.controller.saveForm();
        sheet.close();
    }

    Flickable {
        id: flick

        anchors.fill: parent
        contentHeight: grid.height + 2 * Theme.spaceM
        boundsBehavior: Flickable.StopAtBounds
        clip: true

        UiFollowFocus {
            scrolled: flick
        }
        GridLayout {
            id: grid

            x: Theme.spaceL
            y: Theme.spaceM
            width: flick.width - 2 * Theme.spaceL
            columns: width > Theme.runListWidth * 2 ? 2 : 1
            columnSpacing: Theme.spaceXl
            rowSpacing: Theme.spaceS

            Repeater {
                model: sheet.form
                delegate: UiFormField {
                    Layout.fillWidth: true
                    Layout.preferredWidth: 1
                    onEdited: text => sheet.form.set(key, text)
                    onEntered: sheet.accept()
                }
            }
        }
        UiScrollBar.vertical: UiScrollBar {}
    }
    buttons: [
        UiText {
            objectName: "verdict"
            Layout.fillWidth: true
            wrapMode: Text.Wrap
            maximumLineCount: 3
            text: sheet.form.verdict
            color: sheet.form.fits ? Theme.textSecondary : Theme.warning
            Accessible.role: sheet.form.fits ? Accessible.StaticText : Accessible.AlertMessage
            Accessible.name: text
        },
        UiButton {
            text: "Cancel"
            onClicked: sheet.close()
        },
        UiButton {
            objectName: "save"
            primary: true
            enabled: sheet.form.fits
            text: "Use it"
            onClicked: sheet.accept()
        }
    ]
}
