import QtQuick
import Trainscope.App

// Takes files and folders dropped anywhere on its parent. Always as a copy: a source that offers to
// move must not think that its files may go.
DropArea {
    id: area

    required property Session session

    anchors.fill: parent
    keys: ["text/uri-list"]
    onEntered: drag => drag.hasUrls ? drag.accept(Qt.CopyAction) : drag.accepted = false
    onPositionChanged: drag => drag.accept(Qt.CopyAction)
    onDropped: drop => {
        drop.accept(Qt.CopyAction);
        area.session.openUrls(drop.urls);
    }
}
