import QtQuick
import Trainscope
import Trainscope.App

// A choice of the column of numbers along an axis.
Row {
    id: axis

    required property string label
    required property var columns
    required property int chosen
    signal picked(int column)

    spacing: Theme.spaceXs
    height: Theme.controlHeight

    UiNote {
        anchors.verticalCenter: parent.verticalCenter
        text: axis.label
        Accessible.ignored: true
    }
    UiComboBox {
        label: axis.label
        model: axis.columns
        currentIndex: axis.chosen
        // New columns put a combo box on the first of them.
        onModelChanged: currentIndex = Qt.binding(() => axis.chosen)
        onActivated: index => axis.picked(index)
    }
}
