import QtQuick
import QtTest
import Trainscope
import Trainscope.App

// Real files come in through the window.
RealTest {
    id: test

    name: "ImportTasks"

    function test_aDatabaseOpens() {
        open("h100_recording/training");
        compare(theRuns(), 1);
        show(Views.Timeline);
        click("Kernels");
        tryVerify(() => test.page().kind === Views.Kernels);
        compare(test.clicks, 1);
        picture("kernels");
    }
    function theRuns(): int {
        return findChild(test.window.contentItem, "runList").count;
    }
}
