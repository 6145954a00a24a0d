import QtQuick
import QtQuick.Templates as T
import Trainscope
import Trainscope.App

T.Menu {
    id: menu

    margins: Theme.spaceXs
    topPadding: Theme.spaceXs
    bottomPadding: Theme.spaceXs
    overlap: Theme.spaceXs
    implicitWidth: Math.max(Theme.hitTarget * 9, contentItem.implicitWidth)
    implicitHeight: contentItem.implicitHeight + topPadding + bottomPadding
    delegate: UiMenuItem {}

    contentItem: ListView {
        implicitHeight: contentHeight
        implicitWidth: menu.widest
        model: menu.contentModel
        interactive: Window.window ? contentHeight > Window.window.height : false
        clip: true
        currentIndex: menu.currentIndex
    }
    background: UiRaised {}

    UiPopupHome {
        guest: menu
    }
    UiKeysWatch {
        place: menu.parent
        open: menu.opened
        onLeft: menu.close()
    }
    // Menus of Qt 6.4 take the width of their background, not of their items.
    property real widest: 0
    onAboutToShow: {
        for (let i = 0; i < count; ++i)
            widest = Math.max(widest, itemAt(i).implicitWidth);
    }
}
