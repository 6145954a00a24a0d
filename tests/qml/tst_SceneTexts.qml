import QtQuick
import QtTest
import Trainscope
import Trainscope.App

// The whole window with the sample, in each view, in both themes and at several sizes: no text is
// cut off, shortened, over another or hard to tell from what is under it; nor in its sheets and on the
// page it starts with. On a screen of another scale only the smallest window is looked at, where texts
// have least room, and one theme.
TestCase {
    id: test

    property var window: null

    name: "SceneTexts"

    Session {
        id: theSession
    }
    Component {
        id: theWindow

        Main {
            session: theSession
        }
    }
    Component {
        id: planted

        Window {
            width: 300
            height: 360
            visible: true
            color: "#ffffff"

            Item {
                width: 60
                height: 20
                clip: true

                Text {
                    text: "a text that is wider than its box"
                }
            }
            Text {
                y: 50
                text: "one"
            }
            Text {
                y: 54
                text: "another"
            }
            UiButton {
                y: 80
                width: 60
                text: "Export everything"
            }
            UiText {
                y: 120
                width: 60
                elide: Text.ElideMiddle
                text: "/a/path/of/the/reader"
            }
            TextInput {
                y: 150
                width: 30
                clip: true
                text: "123456789"
            }
            Flickable {
                y: 180
                width: 100
                height: 30
                clip: true
                contentHeight: column.height

                Column {
                    id: column

                    Text {
                        text: "first"
                    }
                    Text {
                        text: "a line that ends beside its list"
                    }
                    Text {
                        text: "below"
                    }
                }
            }
            UiText {
                y: 230
                color: "#767676"
                text: "legible"
            }
            UiText {
                y: 260
                color: "#787878"
                text: "faint"
            }
            UiText {
                y: 290
                color: "#787878"
                enabled: false
                text: "disabled"
            }
            UiText {
                y: 320
                opacity: 0.5
                color: "#000000"
                text: "half"
            }
            Item {
                y: 345
                width: 30
                height: 15
                clip: true

                Text {
                    x: 40
                    text: "beside"
                }
            }
        }
    }

    function initTestCase() {
        Theme.preference = Theme.Light;
        test.window = theWindow.createObject(null);
        verify(test.window);
        theSession.openSample();
        tryVerify(() => theSession.workspace.isOpen, 60000);
        show(Views.Runs).exportable.chooseAll();
        const query = show(Views.Query);
        query.ask("SELECT * FROM run");
        tryVerify(() => query.exportable.answered);
        show(Views.Predict).controller.fillFromRun();
    }
    function cleanupTestCase() {
        test.window.destroy();
        Theme.preference = Theme.System;
    }
    // The check finds what it is for.
    function test_plantedProblemsAreFound() {
        if (Theme.bodySize > 13)
            skip("its boxes are for the usual text");
        const scene = planted.createObject(null);
        tryVerify(() => sceneTexts.count(scene.contentItem) === 14);
        const found = sceneTexts.problems(scene);
        compare(found.join("\n"), ["cut off: a text that is wider than its box", "shortened: Export everything", "wider than its field: 123456789", "cut off: a line that ends beside its list", "cut off: beside", "over each other: one | another"].join("\n"));
        const faint = sceneTexts.faint(scene).filter(line => line.endsWith("faint") || line.endsWith("half") || line.endsWith("legible") || line.endsWith("disabled"));
        compare(faint.join("\n"), "contrast 4.42 on #ffffff: faint\ncontrast 3.95 on #ffffff: half");
        scene.destroy();
    }
    function test_views_data() {
        const scaled = isSpecial();
        const sizes = scaled ? [smallest()] : [[1024, 640], [1280, 800], [1920, 1080]];
        const rows = [];
        for (const theme of scaled ? [Theme.Dark] : [Theme.Light, Theme.Dark]) {
            for (const size of theme === Theme.Light ? sizes : [sizes[0]])
                theSession.views.titles.forEach((title, index) => rows.push({tag: `${title} ${size[0]} ${theme === Theme.Dark ? "dark" : "light"}`, view: index, size: size, theme: theme}));
        }
        return rows;
    }
    // The page of a view when what it reads is there.
    function show(view: int): Item {
        theSession.views.view = view;
        let page = null;
        tryVerify(() => {
            page = sceneTexts.page(test.window);
            return page && page.kind === view;
        });
        tryVerify(() => isSettled(page.exportable), 60000, theSession.views.title);
        return page;
    }
    // A query has a picture only where a chart was asked for.
    function isSettled(controller): bool {
        const isTable = controller.answered !== undefined || controller.ready === undefined;
        return !controller.loading && !controller.asking && (isTable || controller.ready || controller.emptyText !== "");
    }
    // Problems that remain, in an item or everywhere, when a view had time to take its places.
    function settledProblems(within): string {
        let found = [];
        const began = Date.now();
        do {
            waitForRendering(test.window.contentItem, 100);
            found = sceneTexts.problems(test.window, within).concat(sceneTexts.faint(test.window, within));
        } while (found.length > 0 && Date.now() < began + 1000);
        return found.join("\n");
    }
    // Another scale, or another font of the desktop.
    function isSpecial(): bool {
        return Screen.devicePixelRatio > 1 || Theme.bodySize > 13;
    }
    // Large texts are for large screens.
    function smallest(): var {
        return Theme.bodySize > 20 ? [1920, 1080] : [1024, 640];
    }
    function resize(width: int, height: int) {
        test.window.width = width;
        test.window.height = height;
        tryVerify(() => test.window.width === width && test.window.height === height);
    }
    function themes(): var {
        const dark = {tag: "dark", theme: Theme.Dark};
        return isSpecial() ? [dark] : [{tag: "light", theme: Theme.Light}, dark];
    }
    function test_start_data() {
        return themes();
    }
    function test_start(data) {
        Theme.preference = data.theme;
        resize(...smallest());
        theSession.closeDatabase();
        tryVerify(() => !theSession.workspace.isOpen);
        const problems = settledProblems(null);
        theSession.openSample();
        tryVerify(() => theSession.workspace.isOpen, 60000);
        compare(problems, "");
    }
    function test_sheets_data() {
        return themes();
    }
    function test_sheets(data) {
        Theme.preference = data.theme;
        resize(...smallest());
        const looked = new Set();
        const problems = [];
        theSession.views.titles.forEach((title, view) => {
            show(view);
            for (const sheet of sceneTexts.sheets(test.window)) {
                if (looked.has(sheet))
                    continue;
                looked.add(sheet);
                sheet.open();
                tryVerify(() => sheet.opened, 5000, sheet.title);
                // A path is as long as it is.
                problems.push(...settledProblems(sheet.contentItem).split("\n").filter(line => line !== "" && !line.startsWith("wider than its field: /")).map(line => `${title}, ${sheet.title}: ${line}`));
                sheet.close();
                tryVerify(() => !sheet.visible, 5000, sheet.title);
            }
        });
        compare(problems.join("\n"), "");
        verify(looked.size >= 15, `${looked.size} sheets`);
    }
    function test_views(data) {
        Theme.preference = data.theme;
        resize(data.size[0], data.size[1]);
        const page = show(data.view);
        compare(settledProblems(null), "");
        // These are one picture.
        verify([Views.Overview, Views.Replay, Views.Compare].includes(data.view) || sceneTexts.count(page) >= 5, `${sceneTexts.count(page)} texts of its own`);
    }
}
