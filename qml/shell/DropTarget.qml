import QtQuick
import Trainscope.App

// Takes files and folders dropped anywhere on its parent.
DropArea {
    id: area

    required property Session session

    anchors.fill: parent
    keys: ["text/uri-list"]
    onEntered: drag => drag.accepted = drag.hasUrls
    onDropped: drop => {
        drop.accept(Qt.CopyAction);
        area.session.openUrls(drop.urls);
    }
}
