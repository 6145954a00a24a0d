pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Trainscope
import Trainscope.App

// Outcome of the last export: the file, warnings, or the error.
ColumnLayout {
    id: outcome

    required property FigureExporter exporter

    spacing: Theme.spaceXs

    component Said: UiSentence {
        color: Theme.warning
        Accessible.role: Accessible.AlertMessage
        Accessible.name: text
    }

    Said {
        visible: outcome.exporter.overwrites && outcome.exporter.lastPath === "" && outcome.exporter.lastError === ""
        text: "This file exists and will be replaced."
    }
    Said {
        text: outcome.exporter.lastError
    }
    Said {
        visible: outcome.exporter.lastPath !== ""
        text: "Written to %1".arg(outcome.exporter.lastPath)
        color: Theme.textSecondary
        wrapMode: Text.NoWrap
        elide: Text.ElideMiddle
    }
    Repeater {
        model: outcome.exporter.warnings
        delegate: Said {
            required property string modelData

            text: modelData
        }
    }
}
