// Layouts as they are asked for: what follows, and what is refused with which numbers.

#include "core/layout/Layout.h"
#include "core/layout/LayoutRequest.h"
#include "support/TestProgram.h"

using namespace trainscope::layout;

namespace {

LayoutRequest cluster(int nodes, int gpusPerNode) {
    LayoutRequest request;
    request.nodes = nodes;
    request.gpusPerNode = gpusPerNode;
    return request;
}

std::string refusalOf(const LayoutRequest& request) {
    const auto made = makeLayout(request);
    return made.hasValue() ? "accepted" : made.error().message;
}

LayoutRequest randomRequest(std::mt19937& engine) {
    std::uniform_int_distribution<int> number(0, 64);
    const auto maybe = [&]() -> std::optional<int> {
        const int value = number(engine);
        return value % 3 == 0 ? std::nullopt : std::optional(value);
    };
    LayoutRequest request;
    for (auto* member : {&request.nodes, &request.gpusPerNode, &request.worldSize, &request.tensor,
             &request.context, &request.expert, &request.expertTensor, &request.data,
             &request.pipeline, &request.virtualStages, &request.zeroStage, &request.shardSize,
             &request.layers, &request.microbatches, &request.microbatchGroup})
        *member = maybe();
    if (maybe())
        request.fsdp = number(engine) % 2 == 0;
    request.embeddingCounts = number(engine) % 2 == 0;
    request.lossCounts = number(engine) % 2 == 0;
    constexpr std::array<std::string_view, 3> orders{"tp-cp-ep-dp-pp", "pp-dp-tp", "tp-pp-dp"};
    if (maybe())
        request.order
            = rankOrderFromString(orders[static_cast<std::size_t>(number(engine) % 3)]).value();
    if (maybe())
        request.schedule = static_cast<ScheduleKind>(number(engine) % 4);
    for (int i = number(engine) % 5; i > 0; --i)
        request.stageLayers.push_back(number(engine));
    return request;
}

} // namespace

class tst_Layout : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void dataParallelismFillsTheWorld() {
        auto request = cluster(4, 8);
        request.tensor = 4;
        request.pipeline = 2;
        const auto made = makeLayout(request).value();
        QCOMPARE(made.grid.degrees().data, 4);
        QCOMPARE(made.nodeOf(13), 1);
        QCOMPARE(made.localOf(13), 5);
        request.data = 2;
        QCOMPARE(refusalOf(request),
            std::string(
                "TP 4 × CP 1 × DP 2 × PP 2 = 16 is not the 32 ranks there are; DP would be 4."));
    }

    // Its bubbles and its memory are another schedule's otherwise.
    void theScheduleOfALaunch() {
        LaunchConfig launch;
        launch.nodes = 1;
        launch.gpusPerNode = 8;
        launch.pipelineParallel = 4;
        launch.virtualPipeline = 2;
        const auto scheduleOf = [&launch] {
            return makeLayout(layoutFromLaunch(launch, std::nullopt).value()).value().schedule;
        };
        QVERIFY(scheduleOf() == ScheduleKind::Interleaved);
        launch.virtualPipeline.reset();
        launch.pipelineSchedule = "zero-bubble";
        QVERIFY(scheduleOf() == ScheduleKind::ZeroBubble);
        launch.pipelineSchedule = "backwards";
        QVERIFY(!layoutFromLaunch(launch, std::nullopt).hasValue());
    }

    void saysWhatDoesNotFit() {
        auto request = cluster(4, 8);
        request.tensor = 6;
        request.pipeline = 2;
        QCOMPARE(refusalOf(request),
            std::string("32 ranks are not divisible by TP 6 × CP 1 × PP 2 = 12."));
        request = cluster(4, 8);
        request.tensor = 8;
        request.expert = 8;
        QCOMPARE(refusalOf(request),
            std::string("32 ranks are not divisible by ETP 8 × EP 8 × PP 1 = 64."));
        request.expertTensor = 1;
        QCOMPARE(makeLayout(request).value().grid.expertData(), 4);
        request = cluster(0, 8);
        QVERIFY(refusalOf(request) != "accepted");
        VERIFY_SAYS(refusalOf({}), "how many GPUs");
        request = cluster(1, 8);
        request.virtualStages = 2;
        VERIFY_SAYS(refusalOf(request), "PP must be above 1");
    }

    void layersOfTheStages() {
        auto request = cluster(8, 8);
        request.pipeline = 32;
        request.layers = 80;
        QCOMPARE(refusalOf(request),
            std::string("80 layers cannot be divided equally over 32 pipeline stages: say how with "
                        "a list of layers per stage."));
        request.pipeline = 4;
        request.stageLayers = stageLayersFromString("19,21,21,19").value();
        const auto made = makeLayout(request).value();
        QCOMPARE(layersOf(made.chunks, 1), 21);
        QCOMPARE(made.chunks[2].firstLayer, 40);
        request.stageLayers = {19, 21, 21, 18};
        QCOMPARE(refusalOf(request),
            std::string("The layers of the stages sum to 79, but the model has 80."));
        request.stageLayers = {40, 40};
        QCOMPARE(refusalOf(request),
            std::string("Layers are given for 2 stages, but there are 4 pipeline stages."));
        for (const char* text : {"", "4,", "4,x", "4;4", "-4,8", "4 4"})
            QVERIFY2(!stageLayersFromString(text).hasValue(), text);
    }

    // 16 layers on 4 stages of 2 virtual stages each: the example of initialize_model_parallel, GPU
    // 1 has the layers 3, 4, 11 and 12, counted from 1.
    void interleavedLayers() {
        const auto chunks = planStages({4, 2, 16, {}, false, false}).value();
        QCOMPARE(chunks.size(), std::size_t{8});
        QVERIFY((chunks[1] == StageChunk{1, 0, 2, 2}));
        QVERIFY((chunks[5] == StageChunk{1, 1, 10, 2}));
        const auto perStage = planStages({2, 2, 0, {4, 6}, false, false}).value();
        QVERIFY((perStage[3] == StageChunk{1, 1, 7, 3}));
        QVERIFY(!planStages({2, 2, 0, {4, 5}, false, false}).hasValue());
        const auto perPiece = planStages({2, 2, 10, {1, 2, 3, 4}, false, false}).value();
        QCOMPARE(layersOf(perPiece, 0), 4);
    }

    // 30 layers, embedding and loss as one each, over 4 stages: 7, 8, 8, 7.
    void embeddingAndLossCountAsLayers() {
        const auto chunks = planStages({4, 1, 30, {}, true, true}).value();
        QCOMPARE(chunks[0].layers, 7);
        QCOMPARE(chunks[1].layers, 8);
        QCOMPARE(chunks[3].layers, 7);
        QCOMPARE(chunks[3].firstLayer, 23);
        QVERIFY(!planStages({4, 1, 30, {}, true, false}).hasValue());
    }

    // DP 4 × CP 2, TP 1: one dp_cp group of 8, cut in two.
    void shardingOverDataAndContext() {
        auto request = cluster(1, 8);
        request.context = 2;
        request.zeroStage = 2;
        const auto whole = makeLayout(request).value();
        QCOMPARE(whole.sharding->optimizer(), 8);
        QCOMPARE(whole.sharding->gradients(), 8);
        QCOMPARE(whole.sharding->parameters(), 1);
        request.zeroStage.reset();
        request.fsdp = true;
        request.shardSize = 4;
        const auto hybrid = makeLayout(request).value();
        QCOMPARE(hybrid.sharding->parameters(), 4);
        QCOMPARE(
            shardGroups(hybrid.grid, *hybrid.sharding), (RankGroups{{0, 1, 2, 3}, {4, 5, 6, 7}}));
        QCOMPARE(replicaGroups(hybrid.grid, *hybrid.sharding),
            (RankGroups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
        request.shardSize = 3;
        QVERIFY(!makeLayout(request).hasValue());
        request.shardSize.reset();
        request.zeroStage = 4;
        QVERIFY(!makeLayout(request).hasValue());
    }

    void plansItsSchedule() {
        auto request = cluster(1, 4);
        request.pipeline = 4;
        QVERIFY(!planSchedule(makeLayout(request).value()).hasValue());
        request.microbatches = 8;
        VERIFY_NEAR(
            planSchedule(makeLayout(request).value()).value().bubbleFraction, 3.0 / 11.0, 1e-12);
        request.virtualStages = 2;
        VERIFY_NEAR(
            planSchedule(makeLayout(request).value()).value().bubbleFraction, 3.0 / 19.0, 1e-12);
        request.microbatches = 9;
        VERIFY_NEAR(
            planSchedule(makeLayout(request).value()).value().bubbleFraction, 3.0 / 21.0, 1e-12);
        request.microbatches = 3;
        VERIFY_SAYS(
            planSchedule(makeLayout(request).value()).error().message, "3 are fewer than 4");
    }

    // Two stages of 1 and 3 layers: see tst_Schedule's unevenStages.
    void unevenStagesWeighTheSchedule() {
        auto request = cluster(1, 2);
        request.pipeline = 2;
        request.stageLayers = {1, 3};
        request.microbatches = 4;
        const auto plan = planSchedule(makeLayout(request).value()).value();
        QCOMPARE(plan.makespan, 39.0);
    }

    // Layouts as JSON: any request comes back as it was, and what cannot be understood is named.
    void comesBack() {
        std::mt19937 engine(7);
        for (int i = 0; i < 500; ++i) {
            const auto request = randomRequest(engine);
            const auto text = requestToJson(request);
            const auto read = requestFromJson(text);
            QVERIFY2(read.hasValue() && read.value() == request, text.c_str());
        }
    }

    void asItIsStored() {
        LayoutRequest request;
        request.tensor = 2;
        request.stageLayers = {19, 21};
        request.order = rankOrderFromString("tp-pp-dp").value();
        request.schedule = ScheduleKind::ZeroBubble;
        QCOMPARE(requestToJson(request),
            std::string(R"({"order":"tp-pp-dp","schedule":"zero-bubble","stage_layers":[19,21],)"
                        R"("tp":2})"));
    }

    void whatCannotBeUnderstood_data() {
        const auto row = test::columns<QByteArray, QByteArray>("text", "named");
        row("nothing", "", "no JSON object");
        row("list", "[1]", "no JSON object");
        row("number", QByteArray(R"({"pp":1.5})"), "\"pp\"");
        row("flag", QByteArray(R"({"fsdp":1})"), "\"fsdp\"");
        row("order", QByteArray(R"({"order":"tp-tp"})"), "\"order\"");
        row("schedule", QByteArray(R"({"schedule":3})"), "\"schedule\"");
        row("layers", QByteArray(R"({"stage_layers":[1,"x"]})"), "\"stage_layers\"");
    }
    void whatCannotBeUnderstood() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, named);
        const auto read = requestFromJson(text.toStdString());
        QVERIFY(!read.hasValue() && read.error().code == ErrorCode::Unrecognised);
        QVERIFY(QByteArray::fromStdString(read.error().message).contains(named));
    }

    void unknownKeysArePassedOver() {
        QCOMPARE(requestFromJson(R"({"tp":4,"of_tomorrow":1})").value().tensor.value_or(0), 4);
    }
};

TRAINSCOPE_TEST(tst_Layout)
#include "tst_Layout.moc"
