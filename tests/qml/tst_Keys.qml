import QtQuick
import QtTest
import Trainscope
import Trainscope.App

// Every row of the keys table, pressed in the whole window with the sample: the window's own do what
// they say, those of a view are taken there.
TestCase {
    id: test

    property var window: null
    property int missed: 0 // keys that nothing took
    property var pressed: null // the row

    readonly property Item runList: test.window ? findChild(test.window.contentItem, "runList") : null
    // By group: the view, and what has the keys there.
    readonly property var places: ({
            "Runs": [Views.Findings, () => test.runList],
            "Table of runs": [Views.Runs, () => findChild(test.shownPage(), "tableRows")],
            "Timeline": [Views.Timeline, () => test.shownPage().body],
            "Lanes": [Views.Timeline, () => test.shownPage().body],
            "List of lanes": [Views.Timeline, () => test.laneRows()],
            "Layout": [Views.Layout, () => test.shownPage().body],
            "Figures": [Views.Spectrum, () => test.shownPage().body],
            "Findings": [Views.Findings, () => test.shownPage().body],
            "Query": [Views.Query, () => findChild(test.shownPage(), "editor")],
            "Kernels": [Views.Kernels, () => findChild(test.shownPage(), "tableRows")],
            "Iterations": [Views.Iterations, () => findChild(test.shownPage(), "tableRows")]
        })
    // Rows whose keys belong to another part of the view.
    readonly property var exceptions: ({
            "queryCopy": () => test.answered(),
            "queryStop": () => test.asking(),
            "kernelsCopy": () => test.selectedRow(),
            "divider": () => test.divider(),
            "undoImport": () => test.overview()
        })
    // Effects of the window's keys, by id.
    readonly property var effects: ({
            "open": () => test.opens(test.part("dialogs").dialogs.database),
            "importFiles": () => test.opens(test.part("dialogs").dialogs.files),
            "importFolder": () => test.opens(test.part("dialogs").dialogs.folder),
            "connect": () => test.opensSheet("Connect"),
            "export": () => test.opensSheet("Export"),
            "runList": () => test.toggles(() => test.runList.visible),
            "inspector": () => test.toggles(() => test.shownPage().inspector.visible),
            "nextPane": () => test.hasKeys(test.shownPage().inspector),
            "previousPane": () => test.hasKeys(test.runList.parent.parent),
            "mainMenu": () => test.opens(test.part("commands")),
            "fullScreen": () => test.toggles(() => test.window.visibility === Window.FullScreen),
            "manual": () => test.opensSheet("Manual"),
            "keys": () => test.opensSheet("Keys"),
            "filter": () => test.isTyping(),
            "search": () => test.isTyping(),
            "closeDatabase": () => test.closes()
        })

    name: "Keys"

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
        test.window.contentItem.Keys.pressed.connect(event => test.missed += [Qt.Key_Shift, Qt.Key_Control, Qt.Key_Alt].includes(event.key) ? 0 : 1);
        openSample();
        const parts = test.part("runListOpen");
        parts.runListOpen = true;
        parts.inspectorOpen = true;
        theSession.views.view = Views.Query;
        tryVerify(() => shownPage() && shownPage().kind === Views.Query);
        shownPage().ask("SELECT 1 AS one");
    }
    function cleanupTestCase() {
        test.window.destroy();
    }
    function openSample() {
        theSession.openSample();
        tryVerify(() => theSession.workspace.isOpen, 60000);
    }
    // The one of the window's parts that has that property.
    function part(property: string): var {
        const parts = test.window.contentData;
        for (let i = 0; i < parts.length; ++i) {
            if (parts[i][property] !== undefined)
                return parts[i];
        }
        return null;
    }
    function shownPage(): Item {
        return sceneTexts.page(test.window); // qmllint disable unqualified
    }
    function show(view: int) {
        theSession.views.view = view;
        tryVerify(() => shownPage() && shownPage().kind === view);
        const controller = shownPage().exportable;
        tryVerify(() => !controller.loading && (controller.ready !== false || controller.emptyText !== "" || controller.answered), 120000);
    }
    function focusOn(item: Item) {
        verify(item);
        tryVerify(() => {
            item.forceActiveFocus(Qt.TabFocusReason);
            return item.activeFocus;
        });
    }
    function press(stroke) {
        keyClick(stroke.key, stroke.modifiers);
    }
    function dialogName(): string {
        for (let item = test.window.activeFocusItem; item; item = item.parent) {
            if (item.Accessible.role === Accessible.Dialog)
                return item.Accessible.name;
        }
        return "";
    }
    function opensSheet(title: string) {
        tryVerify(() => dialogName().startsWith(title), 5000, title);
        keyClick(Qt.Key_Escape);
        tryVerify(() => dialogName() === "");
    }
    function opens(what) {
        tryVerify(() => what.visible);
        if (test.window.activeFocusItem)
            keyClick(Qt.Key_Escape);
        else
            what.close(); // a dialog of Qt 6.8, which is a window
        tryVerify(() => !what.visible);
        test.window.requestActivate();
    }
    // As it was before, after the same key again.
    function toggles(state) {
        const after = state();
        press(test.pressed.strokes[0]);
        tryVerify(() => state() !== after);
    }
    function hasKeys(item: Item) {
        tryVerify(() => item.activeFocus);
    }
    function isTyping() {
        tryVerify(() => test.window.activeFocusItem instanceof TextInput);
    }
    function closes() {
        tryVerify(() => !theSession.workspace.isOpen);
        openSample();
    }
    function answered(): Item {
        const grid = findChild(shownPage(), "tableRows");
        focusOn(grid);
        keyClick(Qt.Key_Down);
        tryVerify(() => grid.currentIndex === 0);
        return grid;
    }
    function asking(): Item {
        shownPage().ask("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n");
        tryVerify(() => shownPage().exportable.loading);
        return findChild(shownPage(), "editor");
    }
    function overview(): Item {
        show(Views.Overview);
        return test.shownPage().body;
    }
    function selectedRow(): Item {
        shownPage().exportable.selectRow(0);
        return shownPage().body;
    }
    function laneRows(): Item {
        test.shownPage().body.showLanes(true);
        return findChild(test.shownPage(), "laneRows");
    }
    function divider(): Item {
        show(Views.Query);
        return findChild(shownPage(), "divider");
    }
    function cleanup() {
        keyClick(Qt.Key_Escape);
        tryVerify(() => dialogName() === "");
    }
    function rowsWhere(matches): var {
        const rows = keyRows.filter(matches); // qmllint disable unqualified
        return rows.map(row => Object.assign({tag: row.id}, row));
    }
    // Quit would end the test as well.
    function test_everyShortcutHasARow() {
        const commands = test.part("dialogs");
        const parts = Array.from({length: commands.data.length}, (_, at) => commands.data[at]);
        const repeated = parts.filter(part => part.objectAt).map(part => Array.from({length: part.count}, (_, at) => part.objectAt(at)));
        const actions = Object.values(commands).filter(value => value instanceof UiCommand).concat(...repeated);
        const sequences = parts.concat(...repeated).filter(part => part.sequences).map(part => Array.from(part.sequences));
        const bound = new Set(actions.map(action => action.shortcut).concat(...sequences).filter(sequence => sequence).map(String));
        const listed = new Set(rowsWhere(row => row.sequences !== "").map(row => row.sequences).join(" ").split(" "));
        compare([...bound].sort().join(" "), [...listed].sort().join(" "));
    }
    function test_windowKeys_data() {
        return rowsWhere(row => row.sequences !== "" && row.id !== "quit");
    }
    function test_windowKeys(data) {
        const view = data.id.startsWith("view") ? Number(data.id.slice(4)) : -1;
        const place = data.id.startsWith("place") ? Number(data.id.slice(5)) : -1;
        verify(view >= 0 || place >= 0 || test.effects[data.id], "says nowhere what it does");
        show(view === Views.Timeline || place === Places.Timeline ? Views.Layout : Views.Timeline);
        for (const stroke of data.strokes) {
            focusOn(shownPage().body);
            test.pressed = data;
            press(stroke);
            if (place >= 0)
                tryCompare(theSession.places, "place", place);
            else if (view >= 0)
                tryCompare(theSession.views, "view", view);
            else
                test.effects[data.id]();
        }
    }
    function test_viewKeys_data() {
        return rowsWhere(row => row.sequences === "" && row.strokes.length > 0 && row.id !== "close");
    }
    function test_viewKeys(data) {
        const place = test.places[data.group];
        verify(place || test.exceptions[data.id], "belongs nowhere");
        for (const stroke of data.strokes) {
            if (place)
                show(place[0]);
            focusOn(test.exceptions[data.id] ? test.exceptions[data.id]() : place[1]());
            test.missed = 0;
            press(stroke);
            compare(test.missed, 0);
            keyClick(Qt.Key_Escape);
            tryVerify(() => dialogName() === "");
        }
    }
    function test_escapeClearsTheSelection() {
        const selection = selectSomeTime();
        keyClick(Qt.Key_Escape);
        verify(!selection.visible);
    }
    // The other rows are for the pointer.
    function test_rowsWithoutKeys() {
        compare(rowsWhere(row => row.strokes.length === 0).map(row => row.group).filter(group => group !== "Mouse on the timeline").join(" "), "");
    }
    function selectSomeTime(): var {
        show(Views.Timeline);
        focusOn(shownPage().body);
        keyClick(Qt.Key_Home);
        keyClick(Qt.Key_Right, Qt.ShiftModifier);
        keyClick(Qt.Key_Right, Qt.ShiftModifier);
        const selection = shownPage().exportable.selection;
        tryVerify(() => selection.visible);
        return selection;
    }
    function test_timeIsSelectedMarkedAndFitted() {
        const selection = selectSomeTime();
        const controller = shownPage().exportable;
        tryVerify(() => Math.abs(selection.width - 0.04 * controller.navigation.plotWidth) < 1);
        verify(controller.description.includes("Selection from"));
        compare(controller.marks.rowCount(), 0);
        keyClick(Qt.Key_M);
        compare(controller.marks.rowCount(), 1);
        keyClick(Qt.Key_Delete);
        compare(controller.marks.rowCount(), 0);
        keyClick(Qt.Key_F);
        tryVerify(() => Math.abs(selection.width - controller.navigation.plotWidth) < 1);
        keyClick(Qt.Key_0);
    }
    function test_theDividerMoves() {
        const handle = divider();
        tryVerify(() => handle.y > 0);
        focusOn(handle);
        const before = handle.y;
        keyClick(Qt.Key_Down);
        tryVerify(() => handle.y > before);
        keyClick(Qt.Key_Up);
        tryCompare(handle, "y", before);
    }
}
