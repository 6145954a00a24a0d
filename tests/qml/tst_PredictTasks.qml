import QtQuick
import QtTest
import Trainscope
import Trainscope.App

// Predictions of what real recordings tell, and what they do not.
RealTest {
    id: test

    name: "PredictTasks"

    // A log of eight B200 knows its machine, not the shape of its model: that is asked for, and nothing stands in its place.
    function test_whatIsNotKnownIsAskedFor() {
        open("train_logs/torchtitan_qwen3_14b_run102_profile.log");
        click("Predict");
        tryVerify(() => test.page().kind === Views.Predict, 30000);
        settle();
        const controller = test.page().exportable;
        tryVerify(() => controller.emptyText.includes("does not say the shape of its model"), 60000);
        verify(!controller.ready);
        const model = item("model");
        compare(model.displayText, "");
        verify(model.faulty);
        tryVerify(() => model.activeFocus, 30000);
        compare(item("nodes").text, "1");
        compare(item("gpus_per_node").text, "8");
        // Letters lead to a model.
        for (const letter of "llama3-8")
            keyClick(letter);
        compare(model.currentText, "llama3-8b");
        picture("asked_for");
    }
    // 64 GPUs: the form has what the run knows; the layouts are ranked by one click.
    function test_64GpusPredicted() {
        open("train_logs/gpt-neox_llama13B_vista_64.log");
        click("Predict");
        tryVerify(() => test.page().kind === Views.Predict, 30000);
        settle();
        const controller = test.page().exportable;
        const form = controller.form;
        for (const [key, text] of [["model", "llama2-13b"], ["gpu", "H200 SXM"], ["global_batch", "512"], ["sequence", "2048"]])
            form.set(key, text);
        click("Rank layouts");
        tryVerify(() => !controller.searching && controller.layouts.count > 0, 120000);
        tryVerify(() => controller.ready, 60000);
        verify(controller.verdict.startsWith("64 × H200 SXM"));
        verify(test.clicks <= 3);
        picture("gpus_64");
    }
}
