// Memory that model and layout need of a GPU: by hand, and against published figures.

#include "core/analysis/machine/KeptNumbers.h"
#include "core/analysis/machine/RunMemory.h"
#include "core/layout/LayoutRequest.h"
#include "support/MemoryLaunch.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;
using test::isAbout;
using test::needOf;
using test::partsOf;
using test::requestOf;
using test::smallLaunch;

namespace {

KeptNumbers keptOf(const char* precision) {
    return statedNumbersFrom(precision).value().kept;
}

// 24 layers, 2048 wide, vocabulary 50,304 twice: 24·(12·2048² + 2·2048) + 2048·50304·2 parameters,
// on one GPU.
MemoryRequest plainRequest(const char* software, const char* precision, int microbatches) {
    layout::LayoutRequest wanted;
    wanted.worldSize = wanted.gpusPerNode = wanted.nodes = 1;
    wanted.layers = 24;
    MemoryRequest request{{}, layout::makeLayout(wanted).value()};
    request.model.layers = 24;
    request.model.hidden = 2048;
    request.model.heads = request.model.kvHeads = 16;
    request.model.headSize = 128;
    request.model.ffn = 8192;
    request.model.vocabulary = 50304;
    request.layout.microbatches = microbatches;
    request.sequence = 2048;
    request.microBatch = 4;
    request.widths = widthsOf(precision);
    follow(memoryConventionOf(software), request);
    keptOf(precision).applyTo(request.widths);
    return request;
}

// B of weights, gradients and optimizer of a parameter, of a convention.
double statesOf(const char* software, const char* precision) {
    const NumberWidths widths = plainRequest(software, precision, 1).widths;
    return widths.weight + widths.gradient + widths.optimizer;
}

bool isWithin(double a, double b, double part) {
    return std::abs(a / b - 1.0) < part;
}

} // namespace

class tst_MemoryNeed : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // 12 h² and 2 h of norms a layer, a table of 500 · 1000; 18 B each. 34 h a token and layer. The
    // gradients of h and of twice 4h numbers are more than the loss, 6 B for each word.
    void byHand() {
        const StageNeed need = partsOf(smallLaunch());
        const double parameters = 10 * (12e6 + 2e3) + 500e3;
        QVERIFY(isAbout(need.weights, 2.0 * parameters, 1e-12));
        QVERIFY(isAbout(need.gradients, 4.0 * parameters, 1e-12));
        QVERIFY(isAbout(need.optimizer, 12.0 * parameters, 1e-12));
        QVERIFY(isAbout(need.held, 10 * 34.0 * 1000 * 100, 1e-12));
        const double gradients = 2.0 * 9000 * 100;
        QVERIFY(isAbout(need.worked, gradients, 1e-12));
        QCOMPARE(need.logits, 0.0);
        QVERIFY(isAbout(need.statesPerLayer, 18.0 * (12e6 + 2e3), 1e-12));
        QVERIFY(isAbout(need.heldPerLayer, 34.0 * 1000 * 100, 1e-12));
        LaunchConfig recomputed = smallLaunch();
        recomputed.recompute = true;
        QVERIFY(isAbout(partsOf(recomputed).held, 10 * 2.0 * 1000 * 100, 1e-12));
        QVERIFY(isAbout(partsOf(recomputed).worked, 34.0 * 1000 * 100 + gradients, 1e-12));
        recomputed.recomputeGranularity = "selective";
        QCOMPARE(partsOf(recomputed).held, need.held);
        QCOMPARE(partsOf(recomputed).worked, need.worked);
    }

    // With more words the loss is the peak, when no layer is worked on.
    void lossOrBackward() {
        LaunchConfig launch = smallLaunch();
        launch.vocabulary = 50000;
        const StageNeed need = partsOf(launch);
        QVERIFY(isAbout(need.logits, 6.0 * 100 * 50000, 1e-12));
        QCOMPARE(need.worked, 0.0);
        MemoryRequest request = requestOf(launch);
        request.loss = LossKernel::Separate;
        QVERIFY(isAbout(stageNeedOf(request, 0).logits, 14.0 * 100 * 50000, 1e-12));
        request.loss = LossKernel::InPlace;
        QVERIFY(isAbout(stageNeedOf(request, 0).logits, 4.0 * 100 * 50000, 1e-12));
    }

    // 0.6 GB, no communicator, and 2 % of activations.
    void buffersAndTotal() {
        const StageNeed need = partsOf(smallLaunch());
        QVERIFY(isAbout(need.buffers, 0.6e9 + 0.02 * (need.held + need.worked), 1e-12));
        double sum = 0.0;
        for (const MemoryPart& part : need.parts()) {
            QVERIFY(!part.title.empty() && !part.source.empty());
            sum += part.bytes;
        }
        QVERIFY(isAbout(sum, need.total(), 1e-12));
        QVERIFY(need.fits(need.total()) && !need.fits(0.999 * need.total()));
        QVERIFY(isAbout(need.margin(2.0 * need.total()), 0.5, 1e-12));
        const MemoryNeed run = needOf(smallLaunch());
        QVERIFY(isAbout(run.total(1.0), need.total(), 1e-12));
        QVERIFY(isAbout(run.perSample, need.held + need.worked, 1e-12));
        QVERIFY(isAbout(run.perLayer, need.statesPerLayer + need.heldPerLayer, 1e-12));
    }

    // With t = 4: 24/4 within tensor parallelism and 10 outside, 34/4 with sequence parallelism.
    void tensorAndSequenceParallel() {
        LaunchConfig launch = smallLaunch();
        launch.gpusPerNode = 4;
        launch.tensorParallel = 4;
        launch.sequenceParallel = false;
        QVERIFY(isAbout(partsOf(launch).held, 10 * 16.0 * 1000 * 100, 1e-12));
        QVERIFY(isAbout(partsOf(launch).worked, 2.0 * (1000 + 8000 / 4) * 100, 1e-12));
        launch.sequenceParallel = true;
        QVERIFY(isAbout(partsOf(launch).held, 10 * 8.5 * 1000 * 100, 1e-12));
        QVERIFY(isAbout(needOf(launch).states, 18.0 * (10 * (12e6 + 2e3) + 500e3) / 4, 1e-12));
        launch.vocabulary = 50000;
        QVERIFY(isAbout(partsOf(launch).logits, 6.0 * 100 * 50000 / 4, 1e-12));
    }

    // A pipeline of four stages holds 4, 3, 2, 1 micro-batches, and 2 where a step has no more.
    void pipelines() {
        LaunchConfig launch = smallLaunch();
        launch.gpusPerNode = 2;
        launch.pipelineParallel = 2;
        const double each = 5 * 34.0 * 1000 * 100;
        QVERIFY(isAbout(partsOf(launch, 0).held, 2 * each, 1e-12));
        QVERIFY(isAbout(partsOf(launch, 1).held, each, 1e-12));
        launch.globalBatch = 1;
        QVERIFY(isAbout(partsOf(launch).held, each, 1e-12));
        launch.globalBatch = 8;
        launch.virtualPipeline = 5; // 1 + 1/(2·5) times
        QVERIFY(isAbout(partsOf(launch).held, 2 * 1.1 * each, 1e-12));
    }

    // The closed forms against a schedule that is played.
    void inFlight() {
        using layout::ScheduleKind;
        for (const ScheduleKind kind : layout::kAllSchedules) {
            for (const auto& [stages, microbatches] : std::vector<std::pair<int, int>>{
                     {2, 8}, {4, 4}, {4, 12}, {4, 7}, {8, 12}, {8, 16}, {3, 2}}) {
                const int pieces
                    = kind == ScheduleKind::Interleaved && microbatches >= stages ? 3 : 1;
                layout::ScheduleRequest request;
                request.kind = kind;
                request.stages = stages;
                request.microbatches = microbatches;
                request.virtualStages = pieces;
                if (kind == ScheduleKind::DualPipe && !layout::checkSchedule(request).hasValue())
                    continue;
                const auto schedule = layout::makeSchedule(request).value();
                for (int stage = 0; stage < stages; ++stage) {
                    const int counted = schedule.peakInFlight[static_cast<std::size_t>(stage)];
                    const int closed = passesInFlight(request, stage);
                    QVERIFY2(closed == counted,
                        qPrintable(QStringLiteral("%1, %2 stages, stage %3, %4: %5 not %6")
                                       .arg(QString::fromUtf8(toString(kind).data()))
                                       .arg(stages)
                                       .arg(stage)
                                       .arg(microbatches)
                                       .arg(closed)
                                       .arg(counted)));
                }
            }
        }
    }

    void shardedStates() {
        LaunchConfig launch = smallLaunch();
        launch.gpusPerNode = 4;
        const double parameters = 10 * (12e6 + 2e3) + 500e3;
        const auto perParameter = [&] { return needOf(launch).states / parameters; };
        QVERIFY(isAbout(perParameter(), 18.0, 1e-12));
        const std::array<double, 4> expected{18.0, 6.0 + 3.0, 2.0 + 4.0, 4.5};
        for (int stage = 0; stage < 4; ++stage) {
            launch.zeroStage = stage;
            QVERIFY(isAbout(perParameter(), expected[static_cast<std::size_t>(stage)], 1e-12));
        }
        launch.zeroStage.reset();
        launch.optimizer = "distributed_fused_adam";
        QVERIFY(isAbout(perParameter(), 9.0, 1e-12));
        launch.workload = Workload::Lora;
        QVERIFY(isAbout(perParameter(), 2.0, 1e-12));
    }

    // 8 experts over 4 ranks: two of them on each, and a fourth of their gradients' ranks.
    void experts() {
        LaunchConfig launch = smallLaunch();
        launch.gpusPerNode = 4;
        launch.experts = 8;
        launch.expertsPerToken = 2;
        launch.expertParallel = 4;
        const double expert = 8e6;
        const double dense = 10 * (4e6 + 2e3 + 8e3) + 500e3; // attention, norms, router
        QVERIFY(isAbout(needOf(launch).states, 18.0 * (dense + 10 * 2 * expert), 1e-12));
        // Outside of the MLP 8 h + 8 h; each of two experts takes 4 h in and out and 16 h within.
        QVERIFY(isAbout(partsOf(launch).held, 10 * (16.0 + 2 * 20.0) * 1000 * 100, 1e-12));
        MemoryRequest request = requestOf(launch);
        request.weighsInsideExperts = true; // 2 h less each
        QVERIFY(isAbout(stageNeedOf(request, 0).held, 10 * (16.0 + 2 * 18.0) * 1000 * 100, 1e-12));
    }

    // Table 2 and figure 1 of Korthikanti et al. 2022: 175B, 8-way tensor, 8-way pipeline parallel,
    // micro-batch 1, sequence parallel: states of 18 B a parameter, and activations of all layers.
    void korthikanti() {
        LaunchConfig launch;
        launch.model = "gpt3-175b";
        launch.precision = "bf16";
        launch.nodes = 8;
        launch.gpusPerNode = 8;
        launch.tensorParallel = 8;
        launch.pipelineParallel = 8;
        launch.sequenceParallel = true;
        launch.sequenceLength = 2048;
        launch.microBatch = 1;
        launch.globalBatch = 64;
        const MemoryNeed need = needOf(launch);
        QVERIFY(isAbout(need.states, 18.0 * 175e9 / 64, 0.03));
        // L layers' worth of activations on the first stage: s·b·h·L·34/t.
        QVERIFY(isAbout(partsOf(launch).held, 2048.0 * 12288 * 96 * 34 / 8, 1e-9));
    }

    // Figure 2 of Narayanan et al. 2021: with interleaving the first of 4 stages with 2 pieces each
    // begins 2·3 + 4 + 1 passes, the last 4 + 1, of pieces half as large as without.
    void megatronInFlight() {
        using layout::ScheduleKind;
        for (const auto& [stage, passes] :
            std::vector<std::pair<int, int>>{{0, 11}, {1, 9}, {2, 7}, {3, 5}})
            QCOMPARE(passesInFlight({ScheduleKind::Interleaved, 4, 8, 2, {}}, stage), passes);
        for (const int stage : {0, 1, 2, 3})
            QCOMPARE(passesInFlight({ScheduleKind::OneForwardOneBackward, 4, 8, 1, {}}, stage),
                4 - stage);
        QCOMPARE(passesInFlight({ScheduleKind::GPipe, 4, 8, 1, {}}, 2), 8);
        QCOMPARE(passesInFlight({ScheduleKind::ZeroBubble, 4, 8, 1, {}}, 2), 4);
        // Groups of 8 would leave 4 of 12 for the last: one group of 12, 2·7 + 3·12 + 1 > 48.
        QCOMPARE(passesInFlight({ScheduleKind::Interleaved, 8, 12, 4, {}}, 0), 48);
        QCOMPARE(passesInFlight({ScheduleKind::Interleaved, 8, 12, 4, {}}, 7), 37);
    }

    // Figure 1 of Rajbhandari et al. 2020: 7.5 billion parameters on 64 GPUs, gradients in 16 bits:
    // 120, 31.4, 16.6 and 1.9 GB. Here of the parameters of layers and tables.
    void rajbhandari() {
        LaunchConfig launch = smallLaunch();
        launch.nodes = 8;
        launch.gpusPerNode = 8;
        MemoryRequest request = requestOf(launch);
        request.widths.gradient = 2.0;
        const double parameters = 10 * (12e6 + 2e3) + 500e3;
        const std::array<double, 4> published{120.0, 31.4, 16.6, 1.9};
        for (int stage = 0; stage < 4; ++stage) {
            request.layout.sharding = layout::Sharding{stage, 64, 1};
            const double each = stageNeedOf(request, 0).states() / parameters;
            QVERIFY(isAbout(7.5 * each, published[static_cast<std::size_t>(stage)], 0.015));
        }
    }

    // Korthikanti et al. 2022, table 2: with unfused attention s·b·h(34 + 5·a·s/h) a layer, the
    // second of it made again where the core of attention is, 2·s·b·h with full recomputation.
    void unfusedAttention() {
        MemoryRequest request = requestOf(smallLaunch());
        request.unfusedAttention = true;
        const double core = 5.0 * 10 * 100 * 100;
        QVERIFY(isAbout(stageNeedOf(request, 0).heldPerLayer, 34.0 * 1000 * 100 + core, 1e-12));
        const double gradients = stageNeedOf(request, 0).worked;
        request.recompute = Recomputation::Selective;
        QVERIFY(isAbout(stageNeedOf(request, 0).heldPerLayer, 34.0 * 1000 * 100, 1e-12));
        QVERIFY(isAbout(stageNeedOf(request, 0).worked, core + gradients, 1e-12));
        request.recompute = Recomputation::Full;
        QVERIFY(isAbout(stageNeedOf(request, 0).heldPerLayer, 2.0 * 1000 * 100, 1e-12));
        request.recomputedLayers = 4; // 4 of 10 layers
        QVERIFY(isAbout(stageNeedOf(request, 0).held,
            4 * 2.0 * 1000 * 100 + 6 * (34.0 * 1000 * 100 + core), 1e-12));
        request.offload.layers = 5; // half of them
        QVERIFY(isAbout(stageNeedOf(request, 0).held,
            0.5 * (4 * 2.0 * 1000 * 100 + 6 * (34.0 * 1000 * 100 + core)), 1e-12));
        request.recomputedLayers = 0;
        request.offload.layers = 0;
        request.recompute = Recomputation::PerOperator; // 2h, queries, keys, values' result, f
        QVERIFY(
            isAbout(stageNeedOf(request, 0).heldPerLayer, 2.0 * (2 + 3 + 4) * 1000 * 100, 1e-12));
    }

    // Each of four GPUs holds shards of 16 B a parameter, two whole layers and the table in 16
    // bits, and before they are reduced gradients of two layers and of the table in 32.
    void fullySharded() {
        LaunchConfig launch = smallLaunch();
        launch.gpusPerNode = 4;
        launch.fsdp = true;
        const double layer = 12e6 + 2e3;
        const StageNeed need = partsOf(launch);
        QVERIFY(isAbout(need.states(), 16.0 / 4 * (10 * layer + 500e3), 1e-12));
        const double gathered = 2.0 * (2 * layer + 500e3);
        const double moving = need.activations() + need.logits + gathered;
        QVERIFY(isAbout(need.buffers,
            0.6e9 + 0.2e9 + gathered + 4.0 * (2 * layer + 500e3) + 0.02 * moving, 1e-12));
        MemoryRequest request = requestOf(launch);
        request.gathering = Gathering::Backward;
        QVERIFY(isAbout(stageNeedOf(request, 0).buffers - need.buffers, 1.02 * 2.0 * 8 * layer,
            1e-9)); // eight layers more
    }

    // With a pipeline torchtitan keeps weights and gradients of all layers through the step: of the
    // first stage 5 layers and the table, 2 and 4 B; besides gradients of two layers that are on
    // their way to be reduced, and of one in 16 bits. 15 % of what comes and goes is lost.
    void wholeThroughTheStep() {
        LaunchConfig launch = smallLaunch();
        launch.gpusPerNode = 4;
        launch.pipelineParallel = 2;
        launch.zeroStage = 3;
        MemoryRequest request = requestOf(launch);
        follow(memoryConventionOf("torchtitan-async"), request);
        const double parameters = 5 * (12e6 + 2e3) + 500e3;
        const StageNeed need = stageNeedOf(request, 0);
        QVERIFY(isAbout(need.states(), 16.0 / 2 * parameters, 1e-12));
        // A gradient for each of 4 micro-batches, and an output for each of 2 in flight.
        const double passed = (4 + 2) * 2.0 * 1000 * 100;
        QVERIFY(isAbout(need.buffers,
            0.6e9 + 0.4e9 + 6.0 * parameters + passed + (2.0 * 4.0 + 2.0) * (12e6 + 2e3)
                + 0.15 * (need.activations() + 2.0 * parameters),
            1e-12));
    }

    void conventions() {
        QCOMPARE(memoryConventionOf("Megatron-Bridge-MoE").gradient, 2.0);
        QCOMPARE(memoryConventionOf("unheard of").software, std::string_view("megatron-lm"));
        LaunchConfig launch = smallLaunch();
        launch.precision = "fp8";
        MemoryRequest request = requestOf(launch);
        follow(memoryConventionOf("megatron-lm"), request);
        QVERIFY(request.loss == LossKernel::VocabParallel);
        QVERIFY(request.gathering == Gathering::None);
        QCOMPARE(request.widths.product, 1.0);
        launch.gpusPerNode = 2;
        launch.tensorParallel = 2;
        launch.zeroStage = 3;
        request = requestOf(launch);
        follow(memoryConventionOf("torchtitan"), request);
        QVERIFY(request.loss == LossKernel::SeparateParallel);
        QVERIFY(request.gathering == Gathering::Layer);
        QCOMPARE(request.widths.product, 2.0);
        QCOMPARE(request.widths.weight, 4.0);
    }

    // With 8 bits a matrix product's input takes one byte and attention's result is kept in 16 bits
    // besides: 2·2 + 1 + 1 + 2, 6 + 2 + 1 and 8 + 4 B times h.
    void narrowNumbers() {
        LaunchConfig launch = smallLaunch();
        launch.precision = "fp8";
        QVERIFY(isAbout(partsOf(launch).heldPerLayer, 29.0 * 1000 * 100, 1e-12));
        QCOMPARE(widthsOf("FP8").weight, 2.0);
        QCOMPARE(widthsOf("MXFP8").product, 1.03125);
        QCOMPARE(widthsOf("nvfp4").weight, 3.125); // 16 bits, and twice 4 bits with scales
        QCOMPARE(widthsOf("fp32").weight, 4.0);
        QCOMPARE(widthsOf("bf16").optimizer, 12.0);
        QCOMPARE(widthsOf("").product, 2.0);
    }

    // Adapters keep frozen weights alone, and of what these take only what an adapter takes too,
    // here that of queries, keys and values, of rank 16: 4h inputs of norms, 2h, masks 2h, 6h, 2h
    // and the 8h of the function. Inference keeps keys and values of all layers: 2 · 2h B.
    void withoutTraining() {
        LaunchConfig launch = smallLaunch();
        launch.workload = Workload::Lora;
        QCOMPARE(partsOf(launch).gradients, 0.0);
        QCOMPARE(partsOf(launch).optimizer, 0.0);
        QVERIFY(isAbout(partsOf(launch).held, 10 * (24.0 * 1000 + 2.0 * 16) * 100, 1e-12));
        launch.workload = Workload::Inference;
        QVERIFY(isAbout(partsOf(launch).held, 10 * 4.0 * 1000 * 100, 1e-12));
        QVERIFY(isAbout(partsOf(launch).worked, 34.0 * 1000 * 100, 1e-12));
    }

    // With an adapter at every matrix all inputs are kept, as in training; and 2·8 B in each
    // adapter.
    void adaptersEverywhere() {
        LaunchConfig launch = smallLaunch();
        launch.workload = Workload::Lora;
        launch.adapters = "8:all";
        QVERIFY(isAbout(partsOf(launch).held, 10 * (34.0 * 1000 + 4 * 2.0 * 8) * 100, 1e-12));
    }

    // Submissions to MLPerf: frozen weights in 8 bits alone, the table and adapters in 16; what
    // attention keeps in 8. 4h + 2h + 2h + 3h + h and the 8h of the function, which 8 bits halve.
    void frozenInEightBits() {
        LaunchConfig launch = smallLaunch();
        launch.workload = Workload::Lora;
        launch.precision = "fp8";
        launch.adapters = "16:qkv";
        MemoryRequest request = requestOf(launch);
        follow(memoryConventionOf("mlperf-nemo-25.04"), request);
        const double layers = 10 * (12e6 + 2e3);
        const double adapters = 10 * 16.0 * (1000 + 3000);
        const StageNeed need = stageNeedOf(request, 0);
        QVERIFY(isAbout(need.weights, layers + 2.0 * (500e3 + adapters), 1e-12));
        QVERIFY(isAbout(need.gradients, 2.0 * adapters, 1e-12));
        QVERIFY(isAbout(need.optimizer, 12.0 * adapters, 1e-12));
        QVERIFY(isAbout(need.held, 10 * (20.0 * 1000 + 2.0 * 16) * 100, 1e-12));
        request.widths.function = 1.0;
        QVERIFY(isAbout(stageNeedOf(request, 0).held, 10 * (16.0 * 1000 + 2.0 * 16) * 100, 1e-12));
    }

    // With products of 4 bits layers keep 16 and twice 4 with scales, the table of words 16.
    void tablesStayIn16Bits() {
        LaunchConfig launch = smallLaunch();
        launch.precision = "nvfp4";
        const double layers = 10 * (12e6 + 2e3);
        QVERIFY(isAbout(partsOf(launch).weights, 3.125 * layers + 2.0 * 500e3, 1e-12));
    }

    // The result of a fused function of the MLP, 2·4h B, is made again and not kept.
    void functionsMadeAgain() {
        MemoryRequest request = requestOf(smallLaunch());
        request.recompute = Recomputation::Selective;
        request.recomputedParts = {.attentionCore = false, .denseFunction = true};
        QVERIFY(isAbout(stageNeedOf(request, 0).held, 10 * 26.0 * 1000 * 100, 1e-12));
    }

    // A share of Adam's numbers in the host's memory; gradients of two layers before ZeRO 2 reduces
    // them, 4 B each.
    void offloadedAndReduced() {
        MemoryRequest request = requestOf(smallLaunch());
        const double whole = stageNeedOf(request, 0).optimizer;
        request.offload.optimizer = 0.75;
        QVERIFY(isAbout(stageNeedOf(request, 0).optimizer, 0.25 * whole, 1e-12));
        request.offload.optimizer = 1.0;
        QCOMPARE(stageNeedOf(request, 0).optimizer, 0.0);
        LaunchConfig launch = smallLaunch();
        launch.gpusPerNode = 4;
        launch.zeroStage = 1;
        const double before = partsOf(launch).buffers;
        launch.zeroStage = 2;
        QVERIFY(isAbout(partsOf(launch).buffers - before, 4.0 * 2 * (12e6 + 2e3), 1e-9));
    }

    // DualPipe: twice the parameters and p + 1 passes (DeepSeek-AI 2024, table 2): both of two
    // stages hold all layers and the table, 2 micro-batches of one half and 1 of the other.
    void bothDirections() {
        LaunchConfig launch = smallLaunch();
        launch.gpusPerNode = launch.pipelineParallel = 2;
        launch.pipelineSchedule = "dualpipe";
        for (const int stage : {0, 1}) {
            const StageNeed need = partsOf(launch, stage);
            QVERIFY(isAbout(need.states(), 18.0 * (10 * (12e6 + 2e3) + 500e3), 1e-12));
            QVERIFY(isAbout(need.held, (2 * 5 + 5) * 34.0 * 1000 * 100, 1e-12));
        }
        using layout::ScheduleKind;
        QCOMPARE(passesInFlight({ScheduleKind::DualPipe, 8, 20, 1, {}}, 3), 9);
    }

    // One head of keys of 100 numbers for five GPUs: each caches all of it, 2 · (100 + 100) B.
    void headsOfKeysAreNotCut() {
        LaunchConfig launch = smallLaunch();
        launch.workload = Workload::Inference;
        launch.kvHeads = 1;
        launch.gpusPerNode = launch.tensorParallel = 5;
        QVERIFY(isAbout(partsOf(launch).held, 10 * 400.0 * 100, 1e-12));
    }

    // A layer of DeepSeek-V3 and one of its experts' parts, by hand: 128 heads of 192 and values of
    // 128, ranks 1536 and 512; a shared expert and 8 of 256, 2048 wide, on 64 GPUs.
    void latentAttentionAndSharedExperts() {
        LaunchConfig launch;
        launch.model = "deepseek-v3";
        launch.precision = "bf16";
        launch.nodes = 8;
        launch.gpusPerNode = 8;
        launch.expertParallel = 64;
        launch.tensorParallel = 1;
        launch.pipelineParallel = 1;
        launch.sequenceLength = 1;
        launch.microBatch = 1;
        launch.globalBatch = 64;
        MemoryRequest request = requestOf(launch);
        const double attention
            = 6.0 * 7168 + 4.0 * (1536 + 512) + 2.0 * (2 * 24576 + 16384) + 2.0 * 16384;
        const double dense = attention + 2.0 * 7168 + 6.0 * 18432;
        const double shared = 2.0 * 7168 + 6.0 * 2048;
        const double experts = attention + 8 * (4.0 * 7168 + 6.0 * 2048) + shared;
        // One more layer predicts the token after the next.
        QVERIFY(isAbout(stageNeedOf(request, 0).held, 3 * dense + 59 * experts, 1e-12));
        request.recompute = Recomputation::Selective;
        request.recomputedParts = {.attentionCore = false, .latentProjections = true};
        const double projected = 2.0 * (2 * 24576 + 16384);
        QVERIFY(isAbout(
            stageNeedOf(request, 0).held, 3 * dense + 59 * experts - 62 * projected, 1e-12));
        request.recomputedParts
            = {.attentionCore = false, .expertFunction = true, .denseMlp = true};
        QVERIFY(isAbout(stageNeedOf(request, 0).held,
            3 * (dense - 6.0 * 18432) + 59 * (experts - 2.0 * 8 * 2048), 1e-12));
        request.recomputedParts = {.attentionCore = false, .norms = true};
        QVERIFY(isAbout(
            stageNeedOf(request, 0).held, 3 * dense + 59 * experts - 62 * 2 * 2.0 * 7168, 1e-12));
        // 4 of 256 experts, the rest of a layer on every GPU.
        const double weights = 3.0 * 7168 * 2048;
        const double projections = 7168.0 * (1536 + 512 + 64) + 1536.0 * 24576
            + 512.0 * (128 * 128 + 16384) + 16384.0 * 7168;
        const double replicated = projections + 2.0 * 7168; // and norms
        const double layers = 62 * replicated + 3 * 3.0 * 7168 * 18432
            + 59 * (7168.0 * 256 + weights + 4 * weights);
        QVERIFY(
            isAbout(stageNeedOf(request, 0).weights, 2.0 * (layers + 2.0 * 7168 * 129280), 1e-12));
    }

    // In which types numbers are kept, as precisions say it, and what memory that takes.

    void names() {
        const KeptNumbers pure{2.0, 2.0, 2.0, 0.0};
        const KeptNumbers autocast{4.0, 4.0, 4.0, 0.0};
        QVERIFY(keptOf("bf16").isUsual());
        QVERIFY(keptOf("bf16-mixed").isUsual());
        QVERIFY(keptOf("").isUsual());
        QVERIFY(keptOf("bf16-pure") == pure);
        QVERIFY(keptOf("BF16-true") == pure);
        QVERIFY(keptOf("pure_bf16") == pure);
        QVERIFY(keptOf("amp_bf16") == autocast);
        QVERIFY(keptOf("fp16-autocast") == autocast);
        QVERIFY((keptOf("bf16-master") == KeptNumbers{2.0, 2.0, 4.0, 4.0}));
        QVERIFY((keptOf("fp32-pure") == KeptNumbers{4.0, 4.0, 4.0, 0.0}));
        QCOMPARE(statedNumbersFrom("amp_bf16").value().product, std::string("bf16"));
        QCOMPARE(statedNumbersFrom("bfloat16").value().product, std::string("bf16"));
        QCOMPARE(statedNumbersFrom("bf16, states = fp8").value().product, std::string("bf16"));
    }

    void oneByOne() {
        const KeptNumbers kept = keptOf("bf16,weights=fp32,states=bf16,master=none");
        QVERIFY((kept == KeptNumbers{4.0, {}, 2.0, 0.0}));
        QVERIFY((keptOf("bf16-pure,gradients=fp32") == KeptNumbers{2.0, 4.0, 2.0, 0.0}));
        QVERIFY((keptOf("weights=bf16") == KeptNumbers{2.0, {}, {}, {}}));
        QVERIFY(!statedNumbersFrom("bf16,weights").hasValue());
        QVERIFY(!statedNumbersFrom("bf16,moments=bf16").hasValue());
        QVERIFY(!statedNumbersFrom("bf16,weights=fp12").hasValue());
    }

    // Weights in the type of products of 8 bits are kept once, in others beside two copies.
    void eightBits() {
        QCOMPARE(statesOf("megatron-lm", "fp8,weights=fp8"), 1.0 + 4.0 + 12.0);
        QCOMPARE(statesOf("megatron-lm", "fp8,weights=bf16"), 2.0 + 2 * 1.0 + 4.0 + 12.0);
        const KeptNumbers kept = keptOf("fp8,attention=fp8,function=fp8");
        QCOMPARE(kept.attention, std::optional(1.0));
        QCOMPARE(kept.function, std::optional(1.0));
        QCOMPARE(textOf(kept, 1.0), std::string(",attention=fp8,function=fp8"));
        NumberWidths widths = widthsOf("fp8");
        kept.applyTo(widths);
        QCOMPARE(widths.attention, 1.0);
        QCOMPARE(widths.function, 1.0);
    }

    void written() {
        for (const char* text :
            {"", "-pure", "-autocast", "-master", ",states=bf16", ",weights=fp32,master=none",
                ",weights=bf16,gradients=fp32,states=fp8,master=fp32"})
            QCOMPARE(textOf(keptOf((std::string("bf16") + text).c_str()), 2.0), std::string(text));
        QCOMPARE(textOf(keptOf("fp16-pure"), 2.0), std::string("-pure"));
    }

    // Rajbhandari et al. 2020: 2 + 2 + 12 B of mixed precision; Megatron-LM adds gradients up in
    // 32 bits; all in 16 bits 2 + 2 + 2·2.
    void bytesOfParameter() {
        QCOMPARE(statesOf("megatron-lm", "bf16"), 18.0);
        QCOMPARE(statesOf("megatron-lm", "bf16-pure"), 8.0);
        QCOMPARE(statesOf("megatron-lm", "bf16-master"), 16.0);
        QCOMPARE(statesOf("megatron-lm", "bf16,states=bf16"), 2.0 + 4.0 + 2 * 2.0 + 4.0);
        QCOMPARE(statesOf("megatron-lm", "fp8,gradients=bf16"), 2.0 + 2.0 + 12.0);
        QCOMPARE(statesOf("pytorch", "bf16"), 16.0);
        QCOMPARE(statesOf("pytorch", "bf16-pure"), 8.0);
        QCOMPARE(statesOf("pytorch-compiled", "bf16-autocast"), 16.0);
        QCOMPARE(statesOf("pytorch", "fp32"), 16.0);
    }

    // A layer under autocast keeps 36 B for each of T·h: 4 for either norm's input, 2 for what each
    // gives, 6 queries, keys and values, 2 of attention, 16 inside the MLP. Logits take 12 B. The
    // casts of products' weights, 24·12·2048² + 2048·50304, are kept, and the gradients of an only
    // micro-batch are made after the peak.
    void autocast() {
        const StageNeed need = stageNeedOf(plainRequest("pytorch", "bf16-autocast", 1), 0);
        const double tokens = 4 * 2048;
        const double parameters = 24 * (12.0 * 2048 * 2048 + 2 * 2048) + 2.0 * 2048 * 50304;
        const double cast = 24 * (12.0 * 2048 * 2048 + 2 * 2048) + 1.0 * 2048 * 50304;
        QVERIFY(isWithin(need.held, 24 * 36.0 * tokens * 2048, 1e-12));
        QVERIFY(isWithin(need.logits, 12.0 * tokens * 50304, 1e-12));
        QVERIFY(isWithin(need.states(), 12.0 * parameters, 1e-4));
        QCOMPARE(need.gradients, 0.0);
        QVERIFY(isWithin(need.buffers, 0.6e9 + 2.0 * cast, 1e-4));
        const StageNeed several = stageNeedOf(plainRequest("pytorch", "bf16-autocast", 2), 0);
        QVERIFY(isWithin(several.states(), 16.0 * parameters, 1e-4));
        QVERIFY(isWithin(several.total() - need.total(), 4.0 * parameters, 1e-4));
    }

    // In 16 bits alone the norms' inputs take 2 B, logits 8, and nothing is cast.
    void pure() {
        const StageNeed need = stageNeedOf(plainRequest("pytorch", "bf16-pure", 1), 0);
        QVERIFY(isWithin(need.held, 24 * 32.0 * 4 * 2048 * 2048, 1e-12));
        QVERIFY(isWithin(need.logits, 8.0 * 4 * 2048 * 50304, 1e-12));
        QCOMPARE(need.buffers, 0.6e9);
    }

    // The output of a gated MLP's function is kept unless it is compiled into the product.
    void gated() {
        MemoryRequest request = plainRequest("pytorch", "bf16-pure", 1);
        request.model.gatedMlp = true;
        const double eager = stageNeedOf(request, 0).held;
        request.kernels = Kernels::Compiled;
        QVERIFY(isWithin(eager - stageNeedOf(request, 0).held, 24 * 2.0 * 4 * 2048 * 8192, 1e-12));
    }

    // Few tokens have their peak at the end of the backward pass, when all gradients are there.
    void fewTokens() {
        MemoryRequest request = plainRequest("pytorch", "bf16-autocast", 1);
        request.sequence = 64;
        request.microBatch = 1;
        const StageNeed need = stageNeedOf(request, 0);
        QCOMPARE(need.logits, 0.0);
        QVERIFY(need.gradients > 0.0);
        QVERIFY(isWithin(need.held, need.heldPerLayer, 1e-12));
    }
};

TRAINSCOPE_TEST(tst_MemoryNeed)
#include "tst_MemoryNeed.moc"
