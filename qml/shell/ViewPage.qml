import QtQuick
import Trainscope
import Trainscope.App

// A view of the workspacePane, and what the window wants of it.
FocusScope {
    required property Session session
    property int kind: Views.Timeline
    property bool inspectorOpen: false
    // Takes the keys.
    property Item body: null
    // The pane that tells of the selection; may be absent.
    property Item inspector: null
    // May be absent: there is nothing to export.
    property Exportable exportable: null
    // Titles of its figures where it can write several, and the chosen one.
    property var figures: []
    property int figure: 0
}
