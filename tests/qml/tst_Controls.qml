import QtQuick
import QtTest
import Trainscope
import Trainscope.App

// The controls answer to mouse and keyboard and have names.
Item {
    id: root

    width: 400
    height: 300

    Column {
        spacing: 8

        UiButton {
            id: button

            property int clicks: 0

            text: "Press"
            onClicked: ++clicks
        }
        UiTextField {
            id: field

            label: "Name"
        }
        UiSearchField {
            id: search

            placeholderText: "Find"
        }
        UiCheckBox {
            id: box

            text: "Check"
        }
        UiComboBox {
            id: combo

            label: "Choice"
            model: ["one", "two"]
        }
        UiButton {
            id: latch

            property int toggles: 0

            checkable: true
            text: "Stay down"
            onToggled: ++toggles
        }
    }
    BusyBox {
        id: work

        busy: false
        text: "Reading"
        progress: 0.5
    }
    Item {
        id: view

        Item {
            id: anchor
        }
        UiMenu {
            id: menu

            UiMenuItem {
                text: "Remove"
            }
        }
    }

    UiSheet {
        id: sheet

        title: "Sheet"
        home: view

        UiTextField {
            id: inside

            label: "Inside"
        }
        UiComboBox {
            id: insideChoice

            label: "Choice inside"
            model: ["one", "two"]
        }
    }

    Component {
        id: spies

        SignalSpy {}
    }
    TestCase {
        name: "Controls"
        when: windowShown

        function test_menuGoesWithItsView() {
            menu.popup(anchor, 0, 0);
            tryVerify(() => menu.opened);
            view.visible = false;
            tryVerify(() => !menu.visible);
            view.visible = true;
            verify(!menu.visible);
        }

        // As when a screen reader presses what lies behind it.
        function test_menuGoesWithTheKeys() {
            menu.popup(anchor, 0, 0);
            tryVerify(() => menu.opened);
            wait(0); // events that were posted are told
            verify(menu.opened);
            field.forceActiveFocus(Qt.OtherFocusReason);
            tryVerify(() => !menu.visible);
            verify(field.activeFocus);
        }

        function test_sheetGoesWithItsView() {
            sheet.open();
            tryVerify(() => sheet.opened);
            view.visible = false;
            tryVerify(() => !sheet.visible);
            view.visible = true;
            verify(!sheet.visible);
        }

        // As when a screen reader presses what lies behind it.
        function test_sheetKeepsTheKeys() {
            sheet.open();
            tryVerify(() => sheet.opened);
            inside.forceActiveFocus(Qt.TabFocusReason);
            field.forceActiveFocus(Qt.OtherFocusReason);
            tryVerify(() => sheet.activeFocus);
            verify(!field.activeFocus);
            insideChoice.popup.open();
            tryVerify(() => insideChoice.popup.opened);
            wait(0); // events that were posted are told
            verify(insideChoice.popup.opened);
            keyClick(Qt.Key_Escape);
            tryVerify(() => !insideChoice.popup.visible);
            keyClick(Qt.Key_Escape);
            tryVerify(() => !sheet.visible);
        }

        function test_enterDoesWhatTheMouseDoes() {
            mouseClick(latch);
            verify(latch.checked);
            compare(latch.toggles, 1);
            latch.forceActiveFocus(Qt.TabFocusReason);
            keyClick(Qt.Key_Return);
            verify(!latch.checked);
            compare(latch.toggles, 2);
        }

        // toggled() tells the model of a change, clicked() tells others of a click.
        function test_checkBoxTellsWhatHappened() {
            const clicks = createTemporaryObject(spies, root, {target: box, signalName: "clicked"});
            const toggles = createTemporaryObject(spies, root, {target: box, signalName: "toggled"});
            box.checkState = Qt.PartiallyChecked;
            mouseClick(box, Theme.hitTarget / 2, box.height / 2);
            compare(box.checkState, Qt.Checked);
            compare([clicks.count, toggles.count], [1, 1]);
            mouseClick(box, Theme.hitTarget / 2, box.height / 2);
            compare(box.checkState, Qt.Unchecked);
            compare([clicks.count, toggles.count], [2, 2]);
        }

        function test_buttonByMouseAndKeys() {
            button.clicks = 0;
            mouseClick(button);
            verify(!button.visualFocus);
            field.forceActiveFocus(Qt.TabFocusReason);
            button.forceActiveFocus(Qt.TabFocusReason);
            keyClick(Qt.Key_Space);
            keyClick(Qt.Key_Return);
            compare(button.clicks, 3);
            verify(button.visualFocus);
            verify(button.height >= Theme.hitTarget);
        }
        function test_tabOrder() {
            button.forceActiveFocus(Qt.TabFocusReason);
            keyClick(Qt.Key_Tab);
            verify(field.activeFocus);
            keyClick(Qt.Key_Tab);
            verify(search.activeFocus);
            keyClick(Qt.Key_Tab);
            verify(box.activeFocus);
            keyClick(Qt.Key_Space);
            verify(box.checked);
        }
        function test_escapeEmptiesTheSearch() {
            search.forceActiveFocus();
            keyClick(Qt.Key_H);
            compare(search.text, "h");
            keyClick(Qt.Key_Escape);
            compare(search.text, "");
        }
        function test_comboByKeys() {
            combo.forceActiveFocus(Qt.TabFocusReason);
            keyClick(Qt.Key_Down);
            compare(combo.displayText, "two");
        }
        // Work that takes long is told as long as it takes, and again the next time.
        function test_longWorkIsTold() {
            for (let round = 0; round < 2; ++round) {
                verify(!work.visible);
                work.busy = true;
                verify(!work.visible);
                tryVerify(() => work.visible);
                wait(0); // events that were posted are told
                verify(work.visible);
                work.busy = false;
                verify(!work.visible);
            }
        }
        function test_themeSwitches() {
            Theme.preference = Theme.Preference.Dark;
            verify(Theme.dark);
            const dark = String(Theme.window);
            Theme.preference = Theme.Preference.Light;
            verify(!Theme.dark);
            verify(String(Theme.window) !== dark);
            Theme.preference = Theme.Preference.System;
        }
    }
}
