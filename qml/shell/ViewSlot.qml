pragma ComponentBehavior: Bound

import QtQuick
import Trainscope
import Trainscope.App

// The place of one view: it is made when it is first chosen, and kept.
FocusScope {
    id: slot

    required property Session session
    required property int kind
    required property bool chosen
    property bool inspectorOpen: false
    property bool visited: false
    readonly property ViewPage page: place.count > 0 ? place.itemAt(0) as ViewPage : null
    // In the order of Views.View.
    readonly property list<Component> makers: [timeline, layout, figures, figures, figures, figures, compare, findings, query, runs, predict, operators, overview]

    visible: chosen
    onChosenChanged: visited = visited || chosen
    Component.onCompleted: visited = chosen

    // One page; a Loader of Qt 6.4 does not take bound components.
    Repeater {
        id: place

        model: slot.visited ? 1 : 0
        delegate: slot.makers[slot.kind]
    }
    Component {
        id: timeline

        TimelinePage {
            session: slot.session
            inspectorOpen: slot.inspectorOpen
        }
    }
    Component {
        id: layout

        LayoutView {
            session: slot.session
            inspectorOpen: slot.inspectorOpen
        }
    }
    Component {
        id: figures

        FigureView {
            session: slot.session
            kind: slot.kind
            inspectorOpen: slot.inspectorOpen
        }
    }
    Component {
        id: compare

        CompareView {
            session: slot.session
            inspectorOpen: slot.inspectorOpen
        }
    }
    Component {
        id: findings

        FindingsView {
            session: slot.session
        }
    }
    Component {
        id: query

        QueryView {
            session: slot.session
            inspectorOpen: slot.inspectorOpen
        }
    }
    Component {
        id: runs

        RunsView {
            session: slot.session
        }
    }
    Component {
        id: predict

        PredictView {
            session: slot.session
            inspectorOpen: slot.inspectorOpen
        }
    }
    Component {
        id: operators

        OperatorsView {
            session: slot.session
            inspectorOpen: slot.inspectorOpen
        }
    }
    Component {
        id: overview

        OverviewView {
            session: slot.session
        }
    }
}
