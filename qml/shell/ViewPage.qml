import QtQuick
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

// The frame of a view: its parts, the inspector beside them, and what the window wants of it.
FocusScope {
    id: page

    required property Session session
    property int kind: Views.Timeline
    property bool inspectorOpen: false
    property bool roomy: true // wide enough for the inspector
    property bool told: true // else the inspector's width is the view's
    default property alias parts: main.data
    // Takes the keys.
    property Item body: null
    // The pane that tells of the selection; may be absent.
    property alias inspector: side.contentItem
    // May be absent: there is nothing to export.
    property Exportable exportable: null

    anchors.fill: parent
    focus: true
    Accessible.role: Accessible.Pane
    Accessible.name: session.views.titles[kind]

    Item {
        id: main

        width: parent.width - side.width
        height: parent.height
    }
    T.Control {
        id: side

        anchors.right: parent.right
        width: visible ? implicitContentWidth : 0
        height: parent.height
        visible: page.inspectorOpen && page.roomy && page.told
    }
}
