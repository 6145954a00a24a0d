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
    property ViewPage page: null

    visible: chosen
    onChosenChanged: slot.make()
    Component.onCompleted: slot.make()

    function make() {
        if (!slot.chosen || slot.page)
            return;
        const maker = Qt.createComponent(slot.session.places.pageOf(slot.kind));
        slot.page = maker.createObject(slot, {
            session: slot.session,
            kind: slot.kind,
            inspectorOpen: Qt.binding(() => slot.inspectorOpen)
        }) as ViewPage;
    }
}
