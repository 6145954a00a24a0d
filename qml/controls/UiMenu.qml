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
    implicitWidth: Math.max(Theme.spaceXl * 9, contentItem.implicitWidth)
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
    // A screen reader reaches what lies behind, and what it presses there may take the keys: none would close the menu.
    Connections {
        target: menu.parent ? menu.parent.Window.window : null
        enabled: menu.opened

        function onActiveFocusItemChanged() {
            let place = menu.parent.Window.activeFocusItem;
            const isNowhere = !place;
            while (place && place !== menu.parent.T.Overlay.overlay)
                place = place.parent;
            if (!isNowhere && !place)
                menu.close();
        }
    }
    // Menus of Qt 6.4 take the width of their background, not of their items.
    property real widest: 0
    onAboutToShow: {
        for (let i = 0; i < count; ++i)
            widest = Math.max(widest, itemAt(i).implicitWidth);
    }
}
