pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// What the last export said: where the file is, warnings, or why it failed.
ColumnLayout {
    id: outcome

    required property FigureExporter exporter

    spacing: Theme.spaceXs

    UiText {
        Layout.fillWidth: true
        visible: outcome.exporter.overwrites && outcome.exporter.lastPath === "" && outcome.exporter.lastError === ""
        text: qsTr("This file exists and will be replaced.")
        color: Theme.warning
        wrapMode: Text.Wrap
        Accessible.role: Accessible.AlertMessage
        Accessible.name: text
    }
    UiText {
        Layout.fillWidth: true
        visible: outcome.exporter.lastError !== ""
        text: outcome.exporter.lastError
        color: Theme.warning
        wrapMode: Text.Wrap
        Accessible.role: Accessible.AlertMessage
        Accessible.name: text
    }
    UiText {
        Layout.fillWidth: true
        visible: outcome.exporter.lastPath !== ""
        text: qsTr("Written to %1").arg(outcome.exporter.lastPath)
        color: Theme.textSecondary
        elide: Text.ElideMiddle
        Accessible.role: Accessible.AlertMessage
        Accessible.name: text
    }
    Repeater {
        model: outcome.exporter.warnings

        UiText {
            required property string modelData

            Layout.fillWidth: true
            text: modelData
            color: Theme.warning
            wrapMode: Text.Wrap
            Accessible.role: Accessible.AlertMessage
            Accessible.name: text
        }
    }
}
