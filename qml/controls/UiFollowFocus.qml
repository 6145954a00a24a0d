import QtQuick
import Trainscope.App

// Scrolls `scrolled` until the control that has the keys is seen in it.
Item {
    id: follower

    required property Flickable scrolled
    readonly property Item focused: Window.activeFocusItem

    visible: false // layouts give it no room
    onFocusedChanged: {
        if (follower.isInside(follower.focused))
            follower.show(follower.focused.mapToItem(follower.scrolled.contentItem, 0, 0).y, follower.focused.height);
    }

    function isInside(item: Item): bool {
        let place = item;
        while (place && place !== follower.scrolled.contentItem)
            place = place.parent;
        return Boolean(place);
    }
    function show(top: real, height: real) {
        const least = top + height + Theme.spaceM - follower.scrolled.height;
        follower.scrolled.contentY = Math.max(0, Math.min(top - Theme.spaceM, Math.max(least, follower.scrolled.contentY)));
    }
}
