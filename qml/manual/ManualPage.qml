import QtQuick
import Trainscope
import Trainscope.App

// One page of the manual: text that can be selected, with links.
Flickable {
    id: view

    required property ManualController controller
    readonly property alias textDocument: edit.textDocument

    // With the line of that character at the top, as far as the page goes.
    function showFrom(position: int) {
        view.wanted = position;
        // Qt 6.4 describes callLater as a value.
        // qmllint disable
        Qt.callLater(view.settle);
        // qmllint enable
    }
    function settle() {
        const line = edit.positionToRectangle(view.wanted);
        view.scrollTo(view.wanted === 0 ? 0 : edit.y + line.y - Theme.spaceXl);
    }
    function scrollTo(y: real) {
        view.contentY = Math.max(0, Math.min(y, view.contentHeight - view.height));
    }
    // True when the key has turned pages.
    function handleKey(key: int): bool {
        const page = view.height - 2 * Theme.spaceXl;
        const line = Theme.controlHeight * 2;
        const ways = new Map([[Qt.Key_PageDown, page], [Qt.Key_PageUp, -page], [Qt.Key_Down, line], [Qt.Key_Up, -line]]);
        if (ways.has(key))
            view.scrollTo(view.contentY + ways.get(key));
        return ways.has(key);
    }
    property int wanted: 0

    clip: true
    contentHeight: edit.height + 2 * Theme.spaceXl
    contentWidth: Math.max(view.width, edit.x + edit.contentWidth + Theme.spaceXl)
    boundsBehavior: Flickable.StopAtBounds
    UiScrollBar.vertical: UiScrollBar {}
    UiScrollBar.horizontal: UiScrollBar {}

    TextEdit {
        id: edit

        x: Theme.spaceXl
        y: Theme.spaceXl
        width: Math.min(view.width - 2 * Theme.spaceXl, Theme.sheetWidth)
        readOnly: true
        selectByMouse: true
        activeFocusOnTab: true
        textFormat: TextEdit.RichText
        wrapMode: TextEdit.Wrap
        text: view.controller.html
        color: Theme.text
        selectionColor: Theme.accent
        selectedTextColor: Theme.onAccent
        font.family: Theme.fontFamily
        font.pixelSize: Theme.bodySize
        renderType: Text.NativeRendering
        Accessible.role: Accessible.Document
        Accessible.name: view.controller.title
        Keys.onPressed: event => event.accepted = view.handleKey(event.key)
        onLinkActivated: link => view.controller.open(link)

        HoverHandler {
            cursorShape: edit.hoveredLink === "" ? Qt.IBeamCursor : Qt.PointingHandCursor
        }
    }
}
