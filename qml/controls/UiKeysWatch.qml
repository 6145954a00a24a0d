import QtQuick
import QtQuick.Templates as T

// Tells when something behind an open popup takes the keys, as when a screen reader presses it: neither Esc nor a
// shortcut would reach the popup then.
QtObject {
    id: watch

    required property T.Popup guest
    signal left

    readonly property Connections connections: Connections {
        target: watch.guest.parent ? watch.guest.parent.Window.window : null
        enabled: watch.guest.opened

        function onActiveFocusItemChanged() {
            let place = watch.guest.parent.Window.activeFocusItem;
            const isNowhere = !place;
            while (place && place !== watch.guest.parent.T.Overlay.overlay)
                place = place.parent;
            if (!isNowhere && !place)
                watch.left();
        }
    }
}
