import QtQuick
import QtTest
import Trainscope
import Trainscope.App

// The real window on real files. In a file tst_X.qml:
//   RealTest { name: "X"; function test_y() { open("h100_recording"); show(Views.Kernels); click("Iterations"); } }
// open(PATHS) takes paths below the shared data ("a+b": both), imported once per program; without them the test is
// skipped. click(WHAT, button, modifiers) presses an item, or the one of that object name, accessible name or text, and
// counts in `clicks`; shown(TEXT) tells whether it stands there; picture(NAME) keeps a PNG in $TRAINSCOPE_PICTURES.
TestCase {
    id: test

    readonly property alias session: theSession
    property var window: null
    property int clicks: 0

    when: true

    Session {
        id: theSession
    }
    Component {
        id: theWindow

        Main {
            session: theSession
        }
    }

    // An empty window, of that size.
    function openWindow(width = 1440, height = 900) {
        if (!test.window) {
            test.window = theWindow.createObject(null);
            verify(test.window);
        }
        test.window.width = width;
        test.window.height = height;
        test.window.requestActivate();
        tryVerify(() => test.window.active, 30000);
        test.clicks = 0;
    }
    function open(paths: string, width = 1440, height = 900) {
        const database = realData.database(paths); // qmllint disable unqualified
        if (database.toString() === "")
            skip("SKIPPED: the shared real files are not there (TRAINSCOPE_SHARED)");
        openWindow(width, height);
        theSession.openUrl(database);
        const name = database.toString().split("/").pop();
        tryVerify(() => theSession.workspace.isOpen && name.startsWith(theSession.workspace.databaseName), 60000);
        settle();
    }
    // The address of real files, to import them by hand.
    function source(path: string): url {
        const found = realData.source(path); // qmllint disable unqualified
        if (found.toString() === "")
            skip("SKIPPED: the shared real files are not there (TRAINSCOPE_SHARED)");
        return found;
    }
    function page(): Item {
        return sceneTexts.page(test.window); // qmllint disable unqualified
    }
    // Waits for the shown view's answer.
    function settle(longest = 120000) {
        tryVerify(() => {
            const controller = page() ? page().exportable : null;
            return controller && !controller.loading && (controller.ready !== false || controller.emptyText !== "" || controller.answered);
        }, longest);
        waitForRendering(test.window.contentItem, 200);
    }
    function show(view: int, longest = 120000): Item {
        theSession.views.view = view;
        tryVerify(() => page() && page().kind === view, 30000);
        settle(longest);
        return page();
    }
    function item(what): Item {
        return typeof what === "string" ? realData.item(test.window, what) : what; // qmllint disable unqualified
    }
    function click(what, button = Qt.LeftButton, modifiers = Qt.NoModifier) {
        tryVerify(() => item(what), 10000, `nothing is ${what}`);
        waitForRendering(test.window.contentItem, 100); // it stands in its place
        const pressed = item(what);
        mouseClick(pressed, pressed.width / 2, pressed.height / 2, button, modifiers);
        ++test.clicks;
    }
    function shown(text: string): bool {
        return realData.texts(test.window).some(line => line.includes(text)); // qmllint disable unqualified
    }
    function picture(name: string) {
        waitForRendering(test.window.contentItem, 200);
        verify(realData.picture(test.window, name)); // qmllint disable unqualified
    }
    function cleanupTestCase() {
        if (test.window)
            test.window.destroy();
    }
}
