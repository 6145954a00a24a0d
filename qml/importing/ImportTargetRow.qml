import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// The target of an import: the open database, or a file.
RowLayout {
    id: row

    required property ImportController controller
    signal targetWanted

    spacing: Theme.spaceM

    UiText {
        text: "Into"
        color: Theme.textSecondary
    }
    UiComboBox {
        visible: row.controller.canUseOpen
        label: "Database that takes the runs"
        model: ["the open database", "another file"]
        currentIndex: row.controller.useOpen ? 0 : 1
        onActivated: index => {
            row.controller.useOpen = index === 0;
            currentIndex = Qt.binding(() => row.controller.useOpen ? 0 : 1);
        }
    }
    ColumnLayout {
        spacing: Theme.spaceXs

        UiTextField {
            objectName: "target"
            Layout.fillWidth: true
            readOnly: row.controller.useOpen
            label: "Path of the database that takes the runs"
            text: row.controller.targetPath
            faulty: row.controller.targetProblem !== ""
            onTextEdited: row.controller.setTargetText(text)
            onEditingFinished: row.controller.settleTarget()
        }
        UiSentence {
            objectName: "targetNote"
            text: row.controller.targetProblem !== "" ? row.controller.targetProblem : row.controller.targetNote
            color: row.controller.targetProblem !== "" ? Theme.warning : Theme.textSecondary
            font.pixelSize: Theme.secondarySize
        }
    }
    UiButton {
        text: "Choose…"
        toolTip: "Choose the database that takes the runs"
        onClicked: row.targetWanted()
    }
}
