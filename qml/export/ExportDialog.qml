pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Dialogs
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// Exports what a view shows: PDF, SVG, PNG or the numbers. open() it; Enter exports.
UiSheet {
    id: sheet

    required property Exportable source
    // Size of the view, for "as on screen".
    property real viewWidth: 0
    property real viewHeight: 0
    readonly property list<string> figures: source ? source.figures : []
    readonly property int figure: source ? source.figure : 0

    title: "Export"
    subtitle: "What the view shows now."
    preferredWidth: Theme.sheetWidth * 0.95
    preferredHeight: form.implicitHeight + 6 * Theme.controlHeight
    closable: !exporter.running
    onAboutToShow: exporter.prepare()
    onOpened: {
        formatBox.forceActiveFocus(Qt.TabFocusReason);
        formatBox.focusReason = Qt.TabFocusReason; // Qt 6.8 gave it the focus before, for another reason
    }

    FigureExporter {
        id: exporter

        source: sheet.source
        viewWidth: sheet.viewWidth
        viewHeight: sheet.viewHeight
        viewDark: Theme.dark
        // The form was off while the file was written.
        onFinished: formatBox.forceActiveFocus(Qt.TabFocusReason)
        onAsked: exportButton.forceActiveFocus(Qt.TabFocusReason)
    }

    UiFileDialog {
        id: chooser

        place: form
        fileMode: FileDialog.SaveFile
        title: "Export to"
        currentFolder: exporter.folder
        nameFilters: ["PDF (*.pdf)", "SVG (*.svg)", "PNG (*.png)", "CSV (*.csv)"]
        selectedNameFilter.index: exporter.format
        onAccepted: {
            exporter.format = selectedNameFilter.index;
            exporter.choose(selectedFile);
        }
    }

    // In an open list Enter chooses.
    component Choice: UiComboBox {
        id: choice

        signal entered

        function enter(event: KeyEvent) {
            event.accepted = !choice.popup.visible;
            if (event.accepted)
                choice.entered();
        }

        Keys.onReturnPressed: event => choice.enter(event)
        Keys.onEnterPressed: event => choice.enter(event)
    }
    ColumnLayout {
        id: form

        anchors.left: parent.left
        anchors.right: preview.left
        anchors.top: parent.top
        anchors.margins: Theme.spaceL
        spacing: Theme.spaceM
        enabled: !exporter.running

        // Enter replaces no file that was there before: it leads to the button that says so.
        function exportOrAsk() {
            if (exporter.path !== "")
                exporter.exportOrAsk();
        }

        ExportRow {
            label: "Figure"
            visible: sheet.figures.length > 1

            Choice {
                objectName: "figure"
                Layout.fillWidth: true
                label: "Figure"
                model: sheet.figures
                currentIndex: sheet.figure
                onModelChanged: currentIndex = Qt.binding(() => sheet.figure)
                onEntered: form.exportOrAsk()
                onActivated: index => {
                    sheet.source.figure = index;
                    exporter.prepare();
                }
            }
        }
        ExportRow {
            label: "Format"

            Choice {
                id: formatBox

                label: "Format"
                model: exporter.formats
                currentIndex: exporter.format
                onEntered: form.exportOrAsk()
                onActivated: index => exporter.format = index
            }
        }
        ExportRow {
            label: "Size"
            visible: exporter.drawn

            Choice {
                Layout.fillWidth: true
                label: "Size"
                model: exporter.presets
                currentIndex: exporter.preset
                onEntered: form.exportOrAsk()
                onActivated: index => exporter.preset = index
            }
        }
        ExportRow {
            label: "Width, mm"
            visible: exporter.drawn

            ExportNumber {
                label: "Width in millimetres"
                value: exporter.widthMm
                onEdited: number => exporter.widthMm = number
                onEntered: form.exportOrAsk()
            }
            UiText {
                text: "Height, mm"
                color: Theme.textSecondary
            }
            ExportNumber {
                label: "Height in millimetres, 0 for as high as the content"
                value: exporter.heightMm
                emptyText: "as needed"
                onEdited: number => exporter.heightMm = number
                onEntered: form.exportOrAsk()
            }
        }
        ExportRow {
            label: "Pages"
            visible: exporter.pageable

            UiCheckBox {
                objectName: "inPages"
                text: "As many of this size as are needed"
                checked: exporter.inPages
                onToggled: exporter.inPages = checked
            }
        }
        ExportRow {
            label: "Panels"
            visible: exporter.parts.length > 1

            Flow {
                Layout.fillWidth: true
                spacing: Theme.spaceS

                Repeater {
                    model: exporter.parts
                    delegate: UiCheckBox {
                        required property int index
                        required property string modelData

                        text: modelData
                        checked: exporter.partsTaken[index] ?? true
                        onToggled: exporter.takePart(index, checked)
                    }
                }
            }
        }
        ExportRow {
            label: "Theme"
            visible: exporter.drawn

            Choice {
                label: "Theme"
                model: exporter.themes
                currentIndex: exporter.theme
                onEntered: form.exportOrAsk()
                onActivated: index => exporter.theme = index
            }
            UiText {
                visible: exporter.raster
                text: "Dots per inch"
                color: Theme.textSecondary
            }
            ExportNumber {
                visible: exporter.raster
                label: "Dots per inch"
                decimals: 0
                value: exporter.dpi
                onEdited: number => exporter.dpi = number
                onEntered: form.exportOrAsk()
            }
        }
        ExportRow {
            label: "File"

            UiTextField {
                objectName: "file"
                Layout.fillWidth: true
                label: "File"
                text: exporter.path
                onTextEdited: exporter.path = text
                onAccepted: form.exportOrAsk()
            }
            UiButton {
                text: "Browse…"
                onClicked: chooser.open()
            }
        }
        ExportOutcome {
            Layout.fillWidth: true
            exporter: exporter
        }
    }

    ColumnLayout {
        id: preview

        anchors.right: parent.right
        anchors.top: parent.top
        anchors.bottom: parent.bottom
        anchors.margins: Theme.spaceL
        width: exporter.drawn ? parent.width * 0.42 : 0
        visible: exporter.drawn
        spacing: Theme.spaceXs

        ExportPreview {
            objectName: "preview"
            Layout.fillWidth: true
            Layout.fillHeight: true
            exporter: exporter
            Accessible.role: Accessible.Graphic
            Accessible.name: "Preview, %1".arg(exporter.previewText)
        }
        UiNote {
            Layout.fillWidth: true
            text: exporter.previewing ? "Drawing the preview…" : exporter.previewText
            horizontalAlignment: Text.AlignHCenter
        }
    }

    buttons: [
        UiProgressBar {
            Layout.fillWidth: true
            opacity: exporter.running ? 1 : 0
        },
        UiButton {
            text: exporter.running ? "Cancel" : "Close"
            onClicked: exporter.running ? exporter.cancel() : sheet.close()
        },
        UiButton {
            id: exportButton

            text: exporter.overwrites ? "Replace file" : "Export"
            primary: true
            enabled: !exporter.running && exporter.path !== ""
            onClicked: exporter.overwrites ? exporter.exportNow() : exporter.exportOrAsk()
        }
    ]
}
