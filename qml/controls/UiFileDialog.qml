import QtQuick
import QtQuick.Dialogs

// A dialog that chooses files, from `place` in its window. It closes when something behind it takes the keys.
FileDialog {
    id: dialog

    required property Item place

    acceptLabel: fileMode === FileDialog.SaveFile ? "Save" : "Open"
    // This window asks before it replaces a file. Qt 6.4 leaves the property out of its type description.
    // qmllint disable
    options: FileDialog.DontConfirmOverwrite
    // qmllint enable

    readonly property UiKeysWatch watch: UiKeysWatch {
        place: dialog.place
        open: dialog.visible
        onLeft: dialog.close()
    }
}
