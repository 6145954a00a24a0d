import QtQuick
import QtQuick.Templates as T
import QtTest
import Trainscope
import Trainscope.App

// The main menu in the whole window: a database that was open is opened again, a choice stays what it
// is when it is chosen again, and every item does what it does without a complaint. A message can be
// closed while a sheet is open.
TestCase {
    id: test

    property var window: null
    property var menu: null
    property var dialogs: null

    name: "MainMenu"

    Session {
        id: theSession
    }
    Component {
        id: theWindow

        Main {
            session: theSession
        }
    }

    function initTestCase() {
        test.window = theWindow.createObject(null);
        verify(test.window);
        test.window.requestActivate();
        tryVerify(() => test.window.active);
        const parts = test.window.contentData;
        for (let i = 0; i < parts.length; ++i) {
            if (parts[i].commands !== undefined)
                test.menu = parts[i];
        }
        verify(test.menu);
        test.dialogs = test.menu.commands.dialogs;
        verify(test.dialogs);
    }
    function cleanupTestCase() {
        Theme.preference = Theme.System;
        test.window.destroy();
    }
    function init() {
        failOnWarning(/Error:/);
        theSession.openUrl(sweepsUrl); // qmllint disable unqualified
        tryVerify(() => theSession.workspace.isOpen);
    }
    function cleanup() {
        keyClick(Qt.Key_Escape);
        for (const dialog of ["database", "files", "folder", "target"])
            test.dialogs[dialog].close(); // in Qt 6.8 they are windows of their own
        test.window.requestActivate();
        theSession.closeDatabase();
        tryVerify(() => !theSession.workspace.isOpen);
    }
    function below(title: string): var {
        for (let row = 0; row < test.menu.count; ++row) {
            const menu = test.menu.menuAt(row);
            if (menu && menu.title === title)
                return menu;
        }
        return null;
    }
    function open(menu) {
        menu.popup(test.window.contentItem, 0, 0);
        tryVerify(() => menu.opened);
    }
    function click(menu, row: int) {
        open(menu);
        mouseClick(menu.itemAt(row));
        tryVerify(() => !menu.visible);
    }
    function test_opensARecentDatabase() {
        const path = theSession.workspace.databasePath;
        theSession.closeDatabase();
        tryVerify(() => !theSession.workspace.isOpen);
        const recent = below("Open recent");
        verify(recent);
        tryVerify(() => recent.count > 0);
        open(recent);
        keyClick(Qt.Key_Down);
        keyClick(Qt.Key_Return);
        tryVerify(() => theSession.workspace.isOpen);
        compare(theSession.workspace.databasePath, path);
    }
    function test_aChoiceStaysWhenItIsChosenAgain() {
        const themes = below("Theme");
        for (let times = 0; times < 2; ++times) {
            click(themes, 1);
            compare(Theme.preference, Theme.Dark);
            compare([0, 1, 2].map(row => themes.itemAt(row).checked).join(" "), "false true false");
        }
        const views = below("View");
        for (let times = 0; times < 2; ++times) {
            click(views, 1);
            verify(views.itemAt(1).checked);
            verify(!views.itemAt(0).checked);
        }
    }
    function test_switchesTurn() {
        const themes = below("Theme");
        const motion = themes.count - 1;
        const before = Theme.reducedMotion;
        compare(themes.itemAt(motion).checked, before);
        click(themes, motion);
        compare(Theme.reducedMotion, !before);
        compare(themes.itemAt(motion).checked, !before);
        click(themes, motion);
        compare(Theme.reducedMotion, before);
    }
    function named(item: Item, text: string): var {
        if (item.visible && item instanceof UiIconButton && item.text === text)
            return item;
        for (let row = 0; row < item.children.length; ++row) {
            const found = named(item.children[row], text);
            if (found)
                return found;
        }
        return null;
    }
    function test_messagesAreClosedOverASheet() {
        theSession.openUrl("file:///nowhere/at/all.trainscope");
        tryCompare(theSession.notices, "count", 1);
        test.menu.commands.about.trigger();
        const overlay = test.window.contentItem.T.Overlay.overlay;
        let sheet = null;
        tryVerify(() => sheet = named(overlay, "Close"));
        tryCompare(theSession.notices, "count", 1, 10000); // a severe one does not go by itself
        // Other tests may have caused messages that come only now.
        for (let messages = 0; messages < 3 && theSession.notices.count > 0; ++messages)
            mouseClick(named(overlay, "Close the message"));
        tryCompare(theSession.notices, "count", 0);
        verify(sheet.visible);
    }
    // As when a screen reader presses what lies behind it: Esc did not reach it then.
    function test_aDialogClosesWhenSomethingElseTakesTheKeys_data() {
        return [{tag: "database"}, {tag: "folder"}];
    }
    function test_aDialogClosesWhenSomethingElseTakesTheKeys(row: var) {
        const dialog = test.dialogs[row.tag];
        dialog.open();
        tryVerify(() => dialog.visible);
        const overlay = test.window.contentItem.T.Overlay.overlay;
        tryVerify(() => overlay.visible || !test.window.activeFocusItem);
        if (!overlay.visible)
            skip("Dialogs of this Qt are windows, which keep their keys.");
        test.window.contentItem.forceActiveFocus();
        tryVerify(() => !dialog.visible);
        tryVerify(() => !overlay.visible);
    }
    function test_items_data() {
        const rows = [];
        for (let row = 0; row < test.menu.count; ++row) {
            const item = test.menu.itemAt(row);
            if (item instanceof UiMenuItem && !item.subMenu && !["Quit", "Undo the last import"].includes(item.text)) // nothing was imported
                rows.push({tag: item.text, row: row});
        }
        return rows;
    }
    function test_items(data) {
        tryVerify(() => test.menu.itemAt(data.row).enabled);
        click(test.menu, data.row);
        tryVerify(() => !theSession.maintenance.working);
    }
}
