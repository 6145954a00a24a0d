import QtQuick
import QtTest
import Trainscope
import Trainscope.App

// The whole window with the sample, in each view at three sizes: no text is cut off or lies over
// another.
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
            width: 200
            height: 100
            visible: true

            Text {
                text: "a text that is wider than its box"
                width: 60
                clip: true
            }
            Text {
                y: 50
                text: "one"
            }
            Text {
                y: 54
                text: "another"
            }
        }
    }

    function initTestCase() {
        test.window = theWindow.createObject(null);
        verify(test.window);
        theSession.openSample();
        tryVerify(() => theSession.workspace.isOpen, 60000);
    }
    function cleanupTestCase() {
        test.window.destroy();
    }
    // The check finds what it is for.
    function test_plantedProblemsAreFound() {
        const scene = planted.createObject(null);
        tryVerify(() => sceneTexts.count(scene) === 3);
        const found = sceneTexts.problems(scene);
        compare(found.length, 2);
        verify(found[0].startsWith("cut off"));
        compare(found[1], "over each other: one | another");
        scene.destroy();
    }
    function test_views_data() {
        const rows = [];
        for (const size of [[1024, 640], [1440, 900], [1920, 1080]])
            theSession.views.titles.forEach((title, index) => rows.push({tag: `${title} ${size[0]}`, view: index, size: size}));
        return rows;
    }
    // What is still wrong when a view had time to load and to take its places.
    function settledProblems() {
        let found = sceneTexts.problems(test.window);
        for (let tried = 0; found.length > 0 && tried < 25; ++tried) {
            wait(200);
            found = sceneTexts.problems(test.window);
        }
        return found.join("\n");
    }
    function test_views(data) {
        test.window.width = data.size[0];
        test.window.height = data.size[1];
        theSession.views.view = data.view;
        tryVerify(() => test.window.width === data.size[0] && test.window.height === data.size[1]);
        wait(150);
        verify(sceneTexts.count(test.window) > 10);
        compare(settledProblems(), "");
    }
}
