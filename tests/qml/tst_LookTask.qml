import QtQuick
import QtTest
import Trainscope
import Trainscope.App

// A real recording in small and large windows, dark and light: no text is cut or hard to tell.
RealTest {
    id: test

    name: "LookTask"

    function cleanupTestCase() {
        Theme.preference = Theme.System;
        test.window.destroy();
    }
    function test_views_data() {
        const rows = [];
        for (const [width, height, theme] of [[1024, 640, Theme.Dark], [1920, 1080, Theme.Light]])
            [Views.Overview, Views.Findings, Views.Timeline, Views.Kernels, Views.Compare, Views.Predict, Views.Runs].forEach(view => rows.push({tag: `${view} ${width}`, view: view, width: width, height: height, theme: theme}));
        return rows;
    }
    function test_views(data) {
        Theme.preference = data.theme;
        open("h100_recording", data.width, data.height);
        show(data.view);
        picture(`look-${data.view}-${data.width}`);
        let found = [];
        const began = Date.now();
        do {
            waitForRendering(test.window.contentItem, 100);
            found = sceneTexts.problems(test.window).concat(sceneTexts.faint(test.window)); // qmllint disable unqualified
        } while (found.length > 0 && Date.now() < began + 10000);
        compare(found.join("\n"), "");
    }
}
