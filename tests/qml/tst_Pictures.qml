import QtQuick
import QtTest
import Trainscope
import Trainscope.App

// The views of the sample in light and dark, as the documentation shows them (packaging/docs): each is there, and a picture
// of it is kept where TRAINSCOPE_PICTURES says.
RealTest {
    id: test

    name: "Pictures"

    function cleanupTestCase() {
        Theme.preference = Theme.System;
        test.window.destroy();
    }
    // Shows the runs whose names have one of these words.
    function choose(words: var) {
        const list = findChild(test.window.contentItem, "runList");
        tryVerify(() => list.count === 3, 30000);
        let isFirst = true;
        for (let row = 0; row < list.count; ++row) {
            if (!words.some(word => list.model.nameAt(row).includes(word)))
                continue;
            if (isFirst)
                list.model.showOnly(row);
            else
                list.model.toggle(row);
            isFirst = false;
        }
        verify(!isFirst);
    }
    function test_views_data() {
        const views = [["overview", Views.Overview, ["1xH100"]], ["timeline", Views.Timeline, ["1xH100"]], ["kernels", Views.Kernels, ["1xH100"]], ["iterations", Views.Iterations, ["1xH100"]], ["replay", Views.Replay, ["1xH100"]], ["layout", Views.Layout, ["32xH200"]], ["findings", Views.Findings, ["32xH200"]], ["predict", Views.Predict, ["32xH200"]], ["compare", Views.Compare, ["32xH200", "64xH100"]], ["runs", Views.Runs, ["32xH200", "64xH100"]], ["query", Views.Query, ["1xH100"]]];
        const rows = [];
        for (const [theme, preference] of [["light", Theme.Light], ["dark", Theme.Dark]])
            views.forEach(([name, view, runs]) => rows.push({tag: `${name}-${theme}`, view: view, runs: runs, theme: preference}));
        return rows;
    }
    function test_views(data) {
        Theme.preference = data.theme;
        openWindow(1280, 800);
        if (!test.session.workspace.isOpen)
            test.session.openSample();
        tryVerify(() => test.session.workspace.isOpen, 60000);
        choose(data.runs);
        if (data.view === Views.Query && data.theme === Theme.Light) {
            test.session.views.view = data.view;
            tryVerify(() => page() && page().kind === data.view, 30000);
            page().ask("SELECT category, count(*) AS kernels, sum(duration_ns) / 1e9 AS seconds FROM spans WHERE kind = 'kernel' GROUP BY category ORDER BY seconds DESC");
        }
        show(data.view, 600000); // the analyses of 64 GPUs, not optimised
        picture(data.tag);
    }
}
