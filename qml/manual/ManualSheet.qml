import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// The manual: its pages and the search at the left, the open page at the right.
UiSheet {
    id: sheet

    title: "Manual"
    subtitle: "Also as man pages: man trainscope-numbers, trainscope-formats, …"
    preferredWidth: Theme.sheetWidth + Theme.runListWidth
    preferredHeight: Theme.sheetWidth

    // The page of that name, or the one with a section of that name.
    function show(topic: string) {
        search.clear();
        controller.openTopic(topic);
        sheet.open();
    }
    onOpened: search.forceActiveFocus()

    ManualController {
        id: controller

        query: search.text
        document: page.textDocument
        onShown: position => page.showFrom(position)
    }
    RowLayout {
        anchors.fill: parent
        spacing: 0

        ColumnLayout {
            Layout.fillHeight: true
            Layout.preferredWidth: Theme.runListWidth
            Layout.maximumWidth: Theme.runListWidth
            spacing: Theme.spaceS

            RowLayout {
                Layout.fillWidth: true
                Layout.margins: Theme.spaceM
                Layout.bottomMargin: 0
                spacing: Theme.spaceXs

                UiSearchField {
                    id: search

                    objectName: "manualSearch"
                    Layout.fillWidth: true
                    focus: true
                    placeholderText: "Search the manual"
                    keyHint: "Ctrl+F"
                    Keys.onReturnPressed: controller.step(1)
                    Keys.onEnterPressed: controller.step(1)
                    Keys.onDownPressed: controller.step(1)
                    Keys.onUpPressed: controller.step(-1)
                    Keys.onPressed: event => event.accepted = page.handleKey(event.key)
                }
                UiIconButton {
                    objectName: "manualBack"
                    iconName: "chevronLeft"
                    text: "Back"
                    shortcutText: "Alt+←"
                    enabled: controller.hasBefore
                    onClicked: controller.goBack()
                }
                UiIconButton {
                    iconName: "chevronRight"
                    text: "Forward"
                    shortcutText: "Alt+→"
                    enabled: controller.hasAfter
                    onClicked: controller.goOn()
                }
            }
            UiSectionHeader {
                Layout.leftMargin: Theme.spaceM
                text: controller.headline
            }
            ManualList {
                objectName: "manualEntries"
                Layout.fillWidth: true
                Layout.fillHeight: true
                controller: controller
            }
        }
        UiSeparator {
            Layout.fillHeight: true
            vertical: true
        }
        ManualPage {
            id: page

            objectName: "manualPage"
            Layout.fillWidth: true
            Layout.fillHeight: true
            controller: controller
        }
    }
    Shortcut {
        sequences: ["Ctrl+F", "F3"]
        enabled: sheet.opened
        onActivated: search.forceActiveFocus()
    }
    Shortcut {
        sequence: "Alt+Left"
        enabled: sheet.opened
        onActivated: controller.goBack()
    }
    Shortcut {
        sequence: "Alt+Right"
        enabled: sheet.opened
        onActivated: controller.goOn()
    }
}
