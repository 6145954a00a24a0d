import QtQuick
import QtTest
import Trainscope
import Trainscope.App

// The report of one run of several: the run that is chosen, by the menu.
RealTest {
    id: test

    name: "ReportTask"

    function test_aReportOfTheChosenRun() {
        open("h100_recording");
        click("phases");
        tryVerify(() => test.session.facts.includes("59"), 30000);
        const file = realData.folder("report", "", "") + "/phases.html"; // qmllint disable unqualified
        test.session.maintenance.writeReport(file, 2);
        // The dialogs of some desktops tell of one choice twice.
        test.session.maintenance.writeReport(file, 2);
        tryVerify(() => test.session.notices.count > 0, 120000);
        compare(test.session.notices.count, 1);
        verify(test.shown("The report was saved as"));
        const text = realData.read(file); // qmllint disable unqualified
        verify(text.includes("<h1>Run phases on"), text.slice(0, 500));
        verify(!text.includes("nvidia-smi-q"));
        verify(!text.includes("under way"));
    }
}
