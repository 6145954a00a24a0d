import QtQuick
import QtTest
import Trainscope
import Trainscope.App

// Questions that people ask a run first, on real recordings: each is told on the Overview, and one click proves it.
RealTest {
    id: test

    name: "OverviewTasks"

    // Clicks the row of that title: the keys find it, which counts for nothing.
    function clickSentence(title: string) {
        const page = test.show(Views.Overview);
        const controller = page.exportable;
        tryVerify(() => controller.contentHeight > 0, 30000);
        for (let row = 0; row < 12 && controller.selectedTitle !== title; ++row)
            controller.step(0, 1);
        compare(controller.selectedTitle, title);
        const place = controller.selected;
        mouseClick(page.body, place.x + 20, place.y + 10);
        ++test.clicks;
    }
    function test_theHottestGpu() {
        open("nvidia_smi/nanogpt_8xH100_gpu_metrics.csv", 1440, 1500);
        clickSentence("Heat and throttling");
        tryCompare(session.views, "view", Views.Timeline, 30000);
        settle();
        verify(test.clicks <= 3);
        picture("hottest");
    }
    function test_joulesOfAStepAndAToken() {
        open("h100_recording/training", 1440, 1500);
        clickSentence("Where energy went");
        tryCompare(session.views, "view", Views.Timeline, 30000);
        settle();
        verify(test.clicks <= 3);
    }
    function test_whatCouldNotBeCheckedOpens() {
        open("train_logs/gpt-neox_70M_slurm.out", 1440, 1500);
        const page = test.show(Views.Overview);
        clickSentence("What could not be checked");
        tryVerify(() => page.exportable.selected.height > 5 * Theme.hitTarget, 30000);
        compare(session.views.view, Views.Overview);
        picture("log");
    }
    function test_thePeakOfMemory() {
        open("wild_small/58-snapshot-without-history", 1440, 1500);
        clickSentence("Memory");
        tryCompare(session.views, "view", Views.Timeline, 30000);
        verify(test.clicks <= 3);
        settle();
        picture("memory");
    }
}
