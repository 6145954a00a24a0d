import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// A modal sheet over the window: title, body (the default children), and a row of buttons at its end.
// Esc closes it unless `closable` is off; so does another `subject`, which its question is not about, and the view
// that is its `home` when it goes.
T.Popup {
    id: sheet

    property string title: ""
    property string subtitle: ""
    property bool closable: true
    property string subject: ""
    property Item home: null
    property real preferredWidth: Theme.sheetWidth
    property real preferredHeight: Theme.sheetWidth
    property alias buttons: buttonRow.data
    default property alias body: holder.data

    parent: T.Overlay.overlay
    x: parent ? Math.round((parent.width - width) / 2) : 0
    y: parent ? Math.round((parent.height - height) / 2) : 0
    width: parent ? Math.min(preferredWidth, parent.width - 2 * Theme.spaceXl) : preferredWidth
    height: parent ? Math.min(preferredHeight, parent.height - 2 * Theme.spaceXl) : preferredHeight
    modal: true
    focus: true
    closePolicy: closable ? T.Popup.CloseOnEscape : T.Popup.NoAutoClose
    padding: 0
    onSubjectChanged: sheet.close()

    UiKeysWatch {
        place: sheet.parent
        open: sheet.opened
        onLeft: sheet.forceActiveFocus(Qt.PopupFocusReason)
    }
    UiPopupHome {
        guest: sheet
        home: sheet.home
    }
    T.Overlay.modal: Rectangle {
        color: Theme.scrim
    }
    background: Rectangle {
        color: Theme.panel
        radius: Theme.radius * 2
        border.color: Theme.line
        border.width: Theme.hairline
    }
    // The aliases above need the ids below at once.
    // qmllint disable deferred-property-id
    contentItem: FocusScope {
        focus: true
        Accessible.role: Accessible.Dialog
        Accessible.name: sheet.title

        ColumnLayout {
            anchors.fill: parent
            spacing: 0

            RowLayout {
                Layout.fillWidth: true
                Layout.fillHeight: false
                Layout.margins: Theme.spaceL
                Layout.bottomMargin: Theme.spaceM
                spacing: Theme.spaceM

                ColumnLayout {
                    spacing: Theme.spaceXs

                    UiText {
                        Layout.fillWidth: true
                        text: sheet.title
                        font.weight: Font.DemiBold
                        Accessible.role: Accessible.Heading
                        Accessible.name: text
                    }
                    UiNote {
                        Layout.fillWidth: true
                        visible: text !== ""
                        text: sheet.subtitle
                        wrapMode: Text.Wrap
                    }
                }
                UiIconButton {
                    Layout.alignment: Qt.AlignTop
                    visible: sheet.closable
                    iconName: "close"
                    text: "Close"
                    shortcutText: "Esc"
                    onClicked: sheet.close()
                }
            }
            UiSeparator {
                Layout.fillWidth: true
            }
            Item {
                id: holder

                Layout.fillWidth: true
                Layout.fillHeight: true
            }
            UiSeparator {
                Layout.fillWidth: true
                visible: buttonRow.children.length > 0
            }
            RowLayout {
                id: buttonRow

                Layout.fillHeight: false
                Layout.alignment: Qt.AlignRight
                Layout.margins: children.length > 0 ? Theme.spaceM : 0
                Layout.leftMargin: Theme.spaceL
                Layout.rightMargin: Theme.spaceL
                spacing: Theme.spaceS
            }
        }
    }
}
