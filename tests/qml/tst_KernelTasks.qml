import QtQuick
import QtTest
import Trainscope
import Trainscope.App

// The questions that people have about kernels, on real recordings, in at most three clicks.
RealTest {
    id: test

    name: "KernelTasks"

    // A step is a bar of exposed time, with the host and the idle time in it.
    function test_partsOfAStep() {
        open("h100_recording/training");
        click("Kernels");
        tryVerify(() => test.page().kind === Views.Kernels, 30000);
        settle();
        tryVerify(() => test.page().exportable.stepParts.length > 0, 60000);
        const parts = test.page().exportable.stepParts;
        verify(parts.some(part => part.name === "GEMM") && parts.some(part => part.name === "idle"));
        fuzzyCompare(parts.reduce((sum, part) => sum + part.share, 0), 1, 1e-6);
        verify(shown("GEMM"));
        verify(test.clicks <= 3);
        picture("parts_of_a_step");
    }
    // The first row takes most time, and a click tells who called it.
    function test_dearestKernels() {
        open("h100_recording/training");
        click("Kernels");
        tryVerify(() => test.page().kind === Views.Kernels, 30000);
        settle();
        const controller = test.page().exportable;
        tryVerify(() => controller.rows.count > 10, 30000);
        verify(shown("nvjet_sm90"));
        controller.selectRow(0);
        tryVerify(() => shown("Called from"), 30000);
        verify(shown("aten::"));
        verify(test.clicks <= 3);
        picture("dearest_kernels");
    }
    // Captures of one run stand beside each other as soon as Compare is opened.
    function test_eagerOrCompiled() {
        open("h100_recording/training");
        click("Compare");
        tryVerify(() => test.page().kind === Views.Compare, 30000);
        settle();
        tryVerify(() => test.page().exportable.ready, 120000);
        const labels = test.page().exportable.runLabels;
        compare(labels.length, 4);
        verify(labels.some(label => label.includes("eager-16")) && labels.some(label => label.includes("compiled-16")));
        compare(test.clicks, 1);
        picture("eager_or_compiled");
    }
    // Two traces of one code before and after a change.
    function test_twoTraces() {
        open("kineto/modded_nanogpt");
        theSessionShowsAll();
        click("Compare");
        tryVerify(() => test.page().kind === Views.Compare, 30000);
        settle();
        tryVerify(() => test.page().exportable.ready, 120000);
        compare(test.page().exportable.runLabels.length, 2);
        verify(test.clicks <= 3);
    }
    function theSessionShowsAll() {
        test.show(Views.Runs).exportable.chooseAll();
    }
}
