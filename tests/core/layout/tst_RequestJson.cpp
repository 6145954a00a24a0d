// Layouts as JSON: any request comes back as it was, and what cannot be understood is named.

#include "core/layout/LayoutRequest.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::layout;

namespace {

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

class tst_RequestJson : public QObject {
    Q_OBJECT

private Q_SLOTS:
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
        QVERIFY(!read.hasValue());
        QVERIFY(read.error().code == ErrorCode::Unrecognised);
        QVERIFY(QByteArray::fromStdString(read.error().message).contains(named));
    }

    void unknownKeysArePassedOver() {
        QCOMPARE(requestFromJson(R"({"tp":4,"of_tomorrow":1})").value().tensor.value_or(0), 4);
    }
};

TRAINSCOPE_TEST(tst_RequestJson)
#include "tst_RequestJson.moc"
