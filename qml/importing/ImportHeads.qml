import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// The names of the columns above the runs of the import sheet.
RowLayout {
    id: heads

    required property ImportColumns columns

    spacing: Theme.spaceS

    UiSectionHeader {
        Layout.fillWidth: true
        Layout.leftMargin: heads.columns.fold * 2 + Theme.spaceS * 2
        text: "Run and its sources"
    }
    UiSectionHeader {
        Layout.preferredWidth: heads.columns.clock
        text: "Clock"
    }
    UiSectionHeader {
        Layout.preferredWidth: heads.columns.offset
        text: "Zone or start"
    }
    UiSectionHeader {
        Layout.preferredWidth: heads.columns.gpu
        text: "GPU model"
    }
    UiSectionHeader {
        Layout.preferredWidth: heads.columns.size
        horizontalAlignment: Text.AlignRight
        text: "Size"
    }
}
