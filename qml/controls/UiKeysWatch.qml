import QtQuick
import QtQuick.Templates as T

// Tells when something behind an open popup takes the keys, as when a screen reader presses it: neither Esc nor a
// shortcut would reach the popup then. `place` is any item of the window. Dialogs of the desktop are no popups.
QtObject {
    id: watch

    required property Item place
    required property bool open
    signal left

    readonly property Connections connections: Connections {
        target: watch.place ? watch.place.Window.window : null
        enabled: watch.open

        function onActiveFocusItemChanged() {
            const overlay = watch.place.T.Overlay.overlay;
            let item = watch.place.Window.activeFocusItem;
            const isBeside = item && overlay.visible;
            while (item && item !== overlay)
                item = item.parent;
            if (isBeside && !item)
                watch.left();
        }
    }
}
