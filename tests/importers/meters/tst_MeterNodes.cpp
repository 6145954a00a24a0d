// Nodes and ranks of GPUs that turn up late.

#include "importers/meters/ImportMeters.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::test;

namespace {

constexpr int kLongAnswer = 5000;

// A query engine's answer: the power of each GPU ("n1/0"), 100 W of the first, 200 W of the next …
std::string answerOf(const std::vector<std::string>& gpus) {
    std::string series;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        const std::string& gpu = gpus[i];
        series += std::string(i == 0 ? "" : ",")
            + R"({"metric":{"__name__":"DCGM_FI_DEV_POWER_USAGE","gpu":")" + gpu.back()
            + R"(","UUID":")" + gpu + R"(","Hostname":")" + gpu.substr(0, 2) + R"("},"values":[)";
        for (int second = 0; second < kLongAnswer; ++second)
            series += std::string(second == 0 ? "" : ",") + "["
                + std::to_string(1'700'000'000 + second) + ",\"" + std::to_string(100 * (i + 1))
                + "\"]";
        series += "]}";
    }
    return R"({"status":"success","data":{"resultType":"matrix","result":[)" + series + "]}}";
}

} // namespace

class tst_MeterNodes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    // More readings of the first GPU than are held back until nodes are counted.
    void lateNodes() {
        ImportedMeters imported;
        importMeterText(answerOf({"n1/0", "n1/1", "n2/0", "n2/1"}), imported);
        QCOMPARE(imported.sink.gpus.size(), std::size_t{4});
        for (int rank = 0; rank < 4; ++rank) {
            const auto watts = imported.ofGpu("gpu_power", rank);
            QCOMPARE(watts.size(), std::size_t{kLongAnswer});
            QCOMPARE(watts.back(), 100.0 * (rank + 1));
            QCOMPARE(imported.sink.gpus.at({1, rank}).node, rank / 2);
            QCOMPARE(imported.sink.gpus.at({1, rank}).local, rank % 2);
        }
    }
    // Before the second node turns up one GPU a node is all that was seen.
    void lateNodesOfOtherSize() {
        ImportedMeters imported;
        importMeterText(answerOf({"n1/0", "n2/0", "n2/1", "n3/0", "n1/1"}), imported);
        QCOMPARE(imported.sink.gpus.size(), std::size_t{5});
        for (int rank = 0; rank < 5; ++rank) {
            const auto watts = imported.ofGpu("gpu_power", rank);
            QCOMPARE(watts.size(), std::size_t{kLongAnswer});
            QCOMPARE(watts.back(), 100.0 * (rank + 1));
        }
        QCOMPARE(imported.sink.gpus.at({1, 4}).node, 0);
        QCOMPARE(imported.reports[0].value().skipped, std::int64_t{0});
    }
};

TRAINSCOPE_TEST(tst_MeterNodes)
#include "tst_MeterNodes.moc"
