import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// Where the runs go: the open database, or a file.
RowLayout {
    id: row

    required property ImportController controller
    signal targetWanted

    spacing: Theme.spaceM

    UiText {
        text: qsTr("Into")
        color: Theme.textSecondary
    }
    UiComboBox {
        visible: row.controller.canUseOpen
        label: qsTr("Database that takes the runs")
        model: [qsTr("the open database"), qsTr("another file")]
        currentIndex: row.controller.useOpen ? 0 : 1
        onActivated: index => {
            row.controller.useOpen = index === 0;
            currentIndex = Qt.binding(() => row.controller.useOpen ? 0 : 1);
        }
    }
    ColumnLayout {
        spacing: 0

        UiText {
            Layout.fillWidth: true
            text: row.controller.targetPath
            elide: Text.ElideMiddle
        }
        UiNote {
            Layout.fillWidth: true
            text: row.controller.targetNote
        }
    }
    UiButton {
        text: qsTr("Choose…")
        toolTip: qsTr("Choose the database that takes the runs")
        onClicked: row.targetWanted()
    }
}
