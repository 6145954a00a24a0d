pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// A view beside the timeline: made when it is first chosen, and kept.
FocusScope {
    id: slot

    required property Session session
    required property int kind
    required property bool chosen
    property bool inspectorOpen: false
    property bool visited: false
    readonly property FigureView figure: figures.count > 0 ? figures.itemAt(0) as FigureView : null
    readonly property FindingsView findings: lists.count > 0 ? lists.itemAt(0) as FindingsView : null

    visible: chosen
    onChosenChanged: visited = visited || chosen
    Component.onCompleted: visited = chosen

    Repeater {
        id: figures

        model: slot.visited && slot.kind !== BenchState.Findings ? 1 : 0
        delegate: FigureView {
            anchors.fill: parent
            focus: true
            session: slot.session
            kind: slot.kind
            inspectorOpen: slot.inspectorOpen
        }
    }
    Repeater {
        id: lists

        model: slot.visited && slot.kind === BenchState.Findings ? 1 : 0
        delegate: FindingsView {
            anchors.fill: parent
            focus: true
            session: slot.session
        }
    }
}
