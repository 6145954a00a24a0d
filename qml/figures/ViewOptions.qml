pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// The options of a view behind one button: its settings under each other, its switches beside each other, and what else belongs there.
UiButton {
    id: button

    required property SettingListModel settings
    property SettingListModel switches: null
    default property alias more: rest.data
    signal chosen(string key, int choice)

    objectName: "options"
    visible: rows.count > 0
    menu: true
    text: "View"
    toolTip: popup.visible ? "" : "What the view shows, and how"
    onClicked: popup.open()

    T.Popup {
        id: popup

        objectName: "optionsPopup"
        y: button.height + Theme.spaceXs
        margins: Theme.spaceS
        padding: Theme.spaceM
        focus: true
        closePolicy: T.Popup.CloseOnEscape | T.Popup.CloseOnPressOutsideParent
        implicitWidth: Theme.runListWidth * 1.4
        implicitHeight: rest.implicitHeight + topPadding + bottomPadding

        UiPopupHome {
            guest: popup
        }
        Flow {
            id: rest

            width: popup.availableWidth
            spacing: Theme.spaceS

            Repeater {
                id: rows

                model: button.settings
                delegate: FigureSetting {
                    labelWidth: Theme.hitTarget * 3
                    width: Math.max(implicitWidth, rest.width)
                    onChosen: choice => button.chosen(key, choice)
                }
            }
            Repeater {
                model: button.switches
                delegate: FigureSetting {
                    onChosen: choice => button.chosen(key, choice)
                }
            }
        }
        background: UiRaised {}
    }
}
