// Steps against theory: parts that add up, bubbles of equal stages, exchanges that are those of the
// layout's traffic, work that is the model's.

#include "core/analysis/machine/ModelShape.h"
#include "core/layout/Traffic.h"
#include "core/predict/prediction/JobRequest.h"
#include "core/predict/step/Step.h"
#include "support/TestProgram.h"

using namespace trainscope::predict;

namespace {

catalogue::TrainingModel gpt(int layers, int hidden, int vocabulary) {
    catalogue::TrainingModel model;
    model.name = "gpt";
    model.layers = layers;
    model.hidden = hidden;
    model.heads = hidden / 128;
    model.kvHeads = model.heads;
    model.headSize = 128;
    model.ffn = 4 * hidden;
    model.vocabulary = vocabulary;
    return model;
}

JobRequest requestFor(const catalogue::TrainingModel& model, const char* layout, int gpus) {
    JobRequest request;
    request.model = model;
    request.cluster = clusterFrom(std::to_string(gpus) + "xH100").value();
    request.layout = layoutFrom(layout).value();
    request.sequence = 2048;
    request.globalBatch = 64;
    return request;
}

Step stepOf(const JobRequest& request) {
    const Job job = jobOf(request).value();
    return predictStep(job, RateTable::builtIn().ratesOf(job).value()).value();
}

} // namespace

class tst_Step : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void partsAddUp_data() {
        const auto row = test::columns<QByteArray>("layout");
        for (const char* layout : {"tp=1", "tp=8", "tp=4,pp=2", "tp=2,pp=4,vpp=2", "cp=2,pp=2",
                 "fsdp", "pp=8,schedule=gpipe", "pp=4,schedule=zero-bubble", "tp=2,fsdp",
                 "pp=4,schedule=dualpipe"})
            row(layout, QByteArray(layout));
    }
    void partsAddUp() {
        QFETCH(const QByteArray, layout);
        const Step step = stepOf(requestFor(gpt(32, 4096, 50304), layout.constData(), 16));
        QVERIFY(step.seconds > 0.0);
        QVERIFY(std::abs(step.breakdown.total() / step.seconds - 1.0) < 1e-9);
        for (std::size_t i = 0; i < kStepParts; ++i)
            QVERIFY2(step.breakdown[static_cast<StepPart>(i)] >= 0.0,
                std::string(toString(static_cast<StepPart>(i))).c_str());
    }

    // The least is that of no schedule: of equal stages it is 1F1B's own but for the sends.
    void leastIsBelowEverySchedule() {
        for (const char* layout : {"tp=1", "pp=2", "pp=8", "pp=4,vpp=2", "pp=4,vpp=8",
                 "pp=8,schedule=gpipe", "pp=4,schedule=zero-bubble", "pp=16,zero=3"}) {
            for (const Recompute recompute : {Recompute::None, Recompute::Full}) {
                for (const int layers : {32, 30}) {
                    JobRequest request = requestFor(gpt(layers, 4096, 50304), layout, 16);
                    request.recompute = recompute;
                    const auto asked = jobOf(request);
                    if (!asked.hasValue())
                        continue; // 30 layers over 4 × 8 pieces
                    const Job& job = asked.value();
                    const Rates rates = RateTable::builtIn().ratesOf(job).value();
                    const double least = predictStep(job, rates, false).value().least;
                    const double seconds = predictStep(job, rates).value().seconds;
                    QVERIFY2(least <= seconds * (1.0 + 1e-9), layout);
                    QVERIFY2(least > 0.75 * seconds, layout);
                }
            }
        }
        const JobRequest equal = requestFor(gpt(32, 4096, 128), "pp=8", 8);
        const Job job = jobOf(equal).value();
        const Rates rates = RateTable::builtIn().ratesOf(job).value();
        const double least = predictStep(job, rates, false).value().least;
        QVERIFY(least > 0.99 * predictStep(job, rates).value().seconds);
    }

    // FSDP within nodes of 8: the gradients of each shard are added up over the two nodes, which
    // hold the same: an all-reduce of two GPUs on two nodes sends the shard once each way.
    void hybridShardsAreAddedUpOverReplicas() {
        const Job job = jobOf(requestFor(gpt(8, 4096, 50304), "fsdp,shard=8", 16)).value();
        const Rates rates = RateTable::builtIn().ratesOf(job).value();
        const Step step = predictStep(job, rates).value();
        const double parameters = 8.0 * layerWork(job, false).parameters
            + embeddingWork(job).parameters + lossWork(job).parameters;
        const double bytes = rates.shardedReduceBytes * parameters / 8.0;
        const double all = bytes / rates.network + 2.0 * (rates.linkLatency + rates.networkLatency);
        const PieceCost& piece = step.pieces.front();
        const double microBatch = piece.forward.total() + piece.backward.total();
        const double exposed
            = std::max(rates.dataExposed * all, all - rates.dataHidden * microBatch);
        QVERIFY(exposed > 0.0);
        QVERIFY(std::abs(step.breakdown[StepPart::DataParallel] / exposed - 1.0) < 1e-9);
        // One group of all has nothing to add up, and gathers over the network instead.
        const Step whole = stepOf(requestFor(gpt(8, 4096, 50304), "fsdp", 16));
        QCOMPARE(whole.breakdown[StepPart::DataParallel], 0.0);
        QVERIFY(whole.breakdown[StepPart::Sharding] > step.breakdown[StepPart::Sharding]);
    }

    // Stages of a pipeline gather their parameters and reduce their gradients once a step, however
    // they are sharded: as with an optimizer that is.
    void pipelinesExchangeShardsOnce() {
        const auto partsWith = [](const char* layout) {
            JobRequest request = requestFor(gpt(32, 4096, 50304), layout, 16);
            request.stack = "megatron-lm";
            return stepOf(request).breakdown;
        };
        const Breakdown shared = partsWith("pp=4,zero=1");
        for (const char* layout : {"pp=4,zero=2", "pp=4,zero=3", "pp=4,fsdp"}) {
            const Breakdown sharded = partsWith(layout);
            QCOMPARE(sharded[StepPart::Sharding], 0.0);
            QVERIFY(sharded[StepPart::DataParallel] > 0.0);
            QVERIFY(std::abs(sharded.total() / shared.total() - 1.0) < 1e-9);
        }
        QVERIFY(partsWith("zero=3")[StepPart::Sharding] > 0.0);
    }

    // Without embedding and loss all stages are equal, and sends take next to nothing.
    void bubblesAreThoseOfTheory_data() {
        // share: (p − 1)/(v·m + p − 1), m = 64 of one GPU a stage
        const auto row = test::columns<QByteArray, double>("layout", "share");
        row("1F1B", "pp=8", 7.0 / 71.0);
        row("GPipe", "pp=8,schedule=gpipe", 7.0 / 71.0);
        row("interleaved", "pp=8,vpp=4", 7.0 / (4 * 64 + 7.0));
    }
    void bubblesAreThoseOfTheory() {
        QFETCH(const QByteArray, layout);
        QFETCH(const double, share);
        JobRequest request = requestFor(gpt(32, 4096, 1), layout.constData(), 8);
        request.cluster.linkBandwidth = 1e18;
        const Step step = stepOf(request);
        const double schedule = step.schedule.makespan;
        const double found = step.breakdown[StepPart::Bubble] / schedule;
        QVERIFY2(std::abs(found - share) < 0.003, qPrintable(QString::number(found)));
    }

    // ZB-H1 (Qi et al. 2024): (p − 1)(f + b − w) of m(f + b + w) + (p − 1)(f + b − w), with the
    // passes as they are predicted.
    void zeroBubbleIsThatOfTheory() {
        JobRequest request = requestFor(gpt(32, 4096, 1), "pp=8,schedule=zero-bubble", 8);
        request.cluster.linkBandwidth = 1e18;
        const Step step = stepOf(request);
        const PieceCost& middle = step.pieces[3];
        const double w = middle.weightGradient;
        const double f = middle.forward.total();
        const double b = middle.backward.total() - w;
        const double filling = 7.0 * (f + b - w);
        const double share = filling / (64.0 * (f + b + w) + filling);
        const double found = step.breakdown[StepPart::Bubble] / step.schedule.makespan;
        QVERIFY2(std::abs(found - share) < 0.003, qPrintable(QString::number(found)));
        QVERIFY(found < 7.0 / 71.0); // less than 1F1B's
    }

    // One micro-batch goes through all stages and back, Σ (f + b), and leaves its gradients of
    // weights, w: there is nothing that the closed form could fill the waits with.
    void oneMicrobatchOfSplitSchedules() {
        JobRequest request = requestFor(gpt(32, 4096, 1), "pp=8,schedule=zero-bubble", 8);
        request.cluster.linkBandwidth = 1e18;
        request.globalBatch = 1;
        const Job job = jobOf(request).value();
        const Rates rates = RateTable::builtIn().ratesOf(job).value();
        const Step played = predictStep(job, rates).value();
        double passes = played.pieces[0].weightGradient;
        for (const PieceCost& piece : played.pieces)
            passes += piece.forward.total() + piece.backward.total() - piece.weightGradient;
        QVERIFY(std::abs(played.schedule.makespan / passes - 1.0) < 0.02);
        const Step estimated = predictStep(job, rates, false).value();
        QVERIFY(std::abs(estimated.seconds / played.seconds - 1.0) < 0.1);
    }

    // 6 FLOP a token for each weight that a token meets (Kaplan et al. 2020): 2 forward, 4
    // backward. The embedding's table and the norms multiply nothing.
    void sixForEachWeight_data() { operatorsAreTheWorkOfTheModel_data(); }
    void sixForEachWeight() {
        QFETCH(const QByteArray, name);
        catalogue::TrainingModel model = *catalogue::modelCatalogue().byName(name.constData());
        model.nextTokenLayers = 0;
        JobRequest request = requestFor(model, "tp=1", 1);
        request.cluster.nodes = request.cluster.gpusPerNode = 1;
        request.globalBatch = 1;
        const Job job = jobOf(request).value();
        const auto products = [](const LayerWork& work) {
            double flop = 0.0;
            for (const Operator& one : work.operators) {
                if (one.kind == OperatorKind::Gemm || one.kind == OperatorKind::GroupedGemm
                    || one.kind == OperatorKind::Router)
                    flop += forwardWork(one).flop + backwardWork(one).flop;
            }
            return flop;
        };
        const int dense = model.experts > 1 ? model.denseLayers : model.layers;
        double flop = dense * products(layerWork(job, false)) + products(lossWork(job));
        if (model.experts > 1)
            flop += (model.layers - dense) * products(layerWork(job, true));
        const double table = 1.0 * model.hidden * model.vocabulary;
        const double weights = analysis::parametersOf(model).active
            - (2.0 * model.layers + 1.0) * model.hidden - (model.tiedEmbeddings ? 0.0 : table);
        VERIFY_RATIO(flop, 6.0 * weights * request.sequence, 1e-9);
    }

    // TF32 where a GPU has it (H100: 494 TFLOP/s), single precision where not (V100: 15.7).
    void productsInSinglePrecision_data() {
        const auto row = test::columns<QByteArray, double>("cluster", "peak");
        row("TF32", "1x8xH100", 494e12);
        row("none", "1x8xV100", 15.7e12);
    }
    void productsInSinglePrecision() {
        QFETCH(const QByteArray, cluster);
        JobRequest request = requestFor(gpt(8, 1024, 1024), "tp=1", 8);
        request.cluster = clusterFrom(cluster.constData()).value();
        request.precision = Precision::Fp32;
        QTEST(RateTable::builtIn().ratesOf(jobOf(request).value()).value().peak, "peak");
    }

    void recomputationRepeatsTheForwardPass() {
        JobRequest request = requestFor(gpt(32, 4096, 1), "tp=8", 8);
        request.recompute = Recompute::Full;
        const Step step = stepOf(request);
        const PieceCost& piece = step.pieces.front();
        // The embedding and the loss are not repeated.
        const double layers = piece.forward.total() - piece.forward[StepPart::Embedding]
            - piece.forward[StepPart::Loss];
        QVERIFY(std::abs(piece.backward[StepPart::Recomputation] / layers - 1.0) < 0.01);
        request.recomputedLayers = 8; // out of 32
        const Step block = stepOf(request);
        VERIFY_NEAR(block.pieces.front().backward[StepPart::Recomputation]
                / piece.backward[StepPart::Recomputation],
            0.25, 1e-9);
    }

    // The operators of all layers are the forward FLOP of the model; those of flash attention are
    // halved by causality, which the model's figure does not.
    void operatorsAreTheWorkOfTheModel_data() {
        const auto row = test::columns<QByteArray>("name");
        for (const char* name : {"gpt3-175b", "llama3-70b", "llama3-8b", "mixtral-8x7b",
                 "qwen3-30b-a3b", "deepseek-v3", "kimi-k2"})
            row(name, QByteArray(name));
    }
    void operatorsAreTheWorkOfTheModel() {
        QFETCH(const QByteArray, name);
        const auto catalogue = catalogue::modelCatalogue();
        catalogue::TrainingModel model = *catalogue.byName(name.constData());
        model.nextTokenLayers = 0;
        JobRequest request = requestFor(model, "tp=1", 1);
        request.cluster.nodes = request.cluster.gpusPerNode = 1;
        request.globalBatch = 1;
        const Job job = jobOf(request).value();
        const auto forward = [](const LayerWork& work) {
            double flop = 0.0;
            for (const Operator& one : work.operators) {
                const double halves = one.kind == OperatorKind::FlashAttention ? 2.0 : 1.0;
                flop += forwardWork(one).flop * one.count * halves;
            }
            return flop;
        };
        const int dense = model.experts > 1 ? model.denseLayers : model.layers;
        double flop = dense * forward(layerWork(job, false)) + forward(lossWork(job));
        if (model.experts > 1)
            flop += (model.layers - dense) * forward(layerWork(job, true));
        const double expected
            = analysis::workOf(model, Workload::Training, request.sequence).flopPerSample / 3.0;
        VERIFY_RATIO(flop, expected, 1e-9);
    }

    // Bytes that a rank sends for tensor parallelism, against core/layout/Traffic.h, which knows
    // nothing of operators.
    void exchangesAreTheTrafficOfTheLayout() {
        for (const bool sequenceParallel : {false, true}) {
            JobRequest request = requestFor(gpt(16, 4096, 1), "tp=8", 8);
            request.sequenceParallel = sequenceParallel;
            const Job job = jobOf(request).value();
            const auto traffic = layout::trafficOf(job.layout,
                analysis::trafficModelOf(job.model, job.sequence, job.microBatch, sequenceParallel),
                0);
            double expected = 0.0;
            for (const auto& group : traffic.value()) {
                if (group.group == "tp")
                    expected = group.bytes;
            }
            double sent = 0.0;
            for (const Exchange& exchange : layerWork(job, false).exchanges) {
                // Gathered once more for the gradients of the weights: Rates::tensorBackward.
                const bool isGathered = exchange.collective.kind == CollectiveKind::AllGather;
                const double times
                    = exchange.forward + exchange.backward * (isGathered ? 2.0 : 1.0);
                const double passes
                    = exchange.collective.kind == CollectiveKind::AllReduce ? 2.0 : 1.0;
                sent += passes * 7.0 / 8.0 * exchange.collective.bytes * times;
            }
            sent *= 16.0 * job.microbatches();
            VERIFY_RATIO(sent, expected, 1e-9);
        }
    }

    void moreBandwidthIsNeverSlower() {
        double before = 1e300;
        for (const double bandwidth : {5e9, 20e9, 50e9, 200e9}) {
            JobRequest request = requestFor(gpt(32, 4096, 50304), "tp=8,pp=2", 32);
            request.cluster.networkBandwidth = bandwidth;
            const double seconds = stepOf(request).seconds;
            QVERIFY(seconds <= before);
            before = seconds;
        }
    }

    // The closed form that searches use stays near the simulated schedule.
    void closedFormsAreNearTheSchedule() {
        for (const char* layout : {"pp=4", "pp=8,vpp=2", "tp=4,pp=2", "pp=4,schedule=gpipe"}) {
            const Job job = jobOf(requestFor(gpt(32, 4096, 50304), layout, 16)).value();
            const Rates rates = RateTable::builtIn().ratesOf(job).value();
            const double exact = predictStep(job, rates, true).value().seconds;
            const double closed = predictStep(job, rates, false).value().seconds;
            QVERIFY2(std::abs(closed / exact - 1.0) < 0.05, layout);
        }
    }

    void whatIsNotKnownIsRefused() {
        JobRequest request = requestFor(gpt(32, 4096, 50304), "tp=8", 8);
        request.precision = Precision::NvFp4; // an H100 has none
        const Job job = jobOf(request).value();
        const auto rates = RateTable::builtIn().ratesOf(job);
        QVERIFY(!rates.hasValue());
        QCOMPARE(rates.error().message,
            std::string("Nothing is known of nvfp4 on the GPU \"H100 SXM5\"."));
    }

    void theTableIsWhole() {
        for (const catalogue::GpuModel& gpu : catalogue::gpuModels()) {
            JobRequest request = requestFor(gpt(32, 4096, 50304), "tp=1", 8);
            request.cluster.gpu = gpu;
            request.precision = Precision::Fp16;
            const Job job = jobOf(request).value();
            const auto rates = RateTable::builtIn().ratesOf(job);
            QVERIFY2(rates.hasValue(), gpu.name.c_str());
            for (const RateField& field : rateFields()) {
                if (field.scope != RateScope::Gpu || field.prior == 0.0)
                    continue;
                const auto* entry = RateTable::builtIn().entry(RateScope::Gpu, gpu.name, field.key);
                QVERIFY2(entry == nullptr || !entry->source.empty(), gpu.name.c_str());
            }
        }
        QVERIFY(!RateTable::parse("{}").hasValue());
        QVERIFY(!RateTable::parse("[").hasValue());
    }

    // The exchanges of a middle piece's experts hide behind what its passes compute, as far as they
    // are no longer, and slow it: with the network that there is, and with a hundredth of it.
    void expertsHideBehindTheOtherDirection() {
        for (const double share : {1.0, 0.01}) {
            JobRequest request;
            request.model = *catalogue::modelCatalogue().byName("mixtral-8x22b");
            request.cluster = clusterFrom("8x4xH100").value();
            request.cluster.networkBandwidth = share * 40e9;
            request.sequence = 4096;
            request.globalBatch = 128;
            request.layout = layoutFrom("pp=4,ep=8").value();
            const Step alone = stepOf(request);
            request.layout = layoutFrom("pp=4,ep=8,schedule=dualpipe").value();
            const Step both = stepOf(request);
            const PieceCost& before = alone.pieces.at(1);
            const PieceCost& after = both.pieces.at(1);
            const auto exchanged = [](const PieceCost& piece) {
                return piece.forward[StepPart::ExpertParallel]
                    + piece.backward[StepPart::ExpertParallel];
            };
            const auto rest = [](const Breakdown& pass) {
                return pass.total() - pass[StepPart::ExpertParallel] - pass[StepPart::Gap];
            };
            const double computed = rest(before.forward) + rest(before.backward);
            const double exposed = std::max(0.0, exchanged(before) - computed);
            const double hidden = exchanged(before) - exposed;
            QVERIFY(exchanged(before) > 0.0);
            QVERIFY(std::abs(after.hiddenForward + after.hiddenBackward - hidden) < 1e-9);
            // Meanwhile 112 of 132 processors compute.
            QVERIFY(std::abs(exchanged(after) - exposed - hidden * 20.0 / 112.0) < 1e-9);
            QCOMPARE(exposed > 0.0, share < 1.0);
        }
    }

    // Equal stages without exchanges: the published bubble, and the estimate of searches by it.
    void dualPipeBubble() {
        JobRequest request = requestFor(gpt(32, 4096, 1000), "pp=8,schedule=dualpipe", 8);
        const Job job = jobOf(request).value();
        const Rates rates = RateTable::builtIn().ratesOf(job).value();
        const Step step = predictStep(job, rates).value();
        QCOMPARE(step.schedule.microbatches, 64);
        QCOMPARE(step.schedule.peakInFlight.front(), 9);
        const PieceCost& piece = step.pieces.at(3);
        const double forward = piece.forward.total();
        const double backward = piece.backward.total();
        // (p/2 − 1)(F + 2B − 3W): the weights' gradients are no third of the work exactly.
        const double bubble = 3.0 * (forward + 2.0 * backward - 3.0 * piece.weightGradient);
        QVERIFY(std::abs(step.breakdown[StepPart::Bubble] / bubble - 1.0) < 0.25);
        const Step estimate = predictStep(job, rates, false).value();
        QVERIFY(std::abs(estimate.seconds / step.seconds - 1.0) < 0.03);
    }
};

TRAINSCOPE_TEST(tst_Step)
#include "tst_Step.moc"
