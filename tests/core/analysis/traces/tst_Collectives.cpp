// Collectives with planted sizes, waits and stragglers on clocks that are hours apart: bandwidths
// and waits derived by hand must come out.

#include "core/analysis/traces/CommunicationSummary.h"
#include "core/analysis/traces/PlantedRun.h"
#include "core/analysis/traces/RankClocks.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;
using test::PlantedRun;
using trainscope::test::PlantedRun;

namespace {

using Random = std::mt19937_64;

std::int64_t uniform(Random& random, std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

const auto kNoJitter = [] { return std::int64_t{0}; };

bool isNear(const std::optional<double>& value, double expected, double share = 1e-3) {
    return value && std::abs(*value - expected) <= share * std::abs(expected);
}

} // namespace

class tst_Collectives : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void bandwidthsAndWaitsByHand() {
        // 4 ranks on one node all-reduce 1 Mi elements of 2 B. Rank 3 comes 300 µs after rank 0,
        // and the transfer takes 100 µs: 2 MiB / 100 µs = 20.97 GB/s, × 2·3/4 on the bus.
        PlantedRun planted;
        planted.run.gpuModel = "NVIDIA H100 80GB HBM3";
        const std::vector<int> ranks{0, 1, 2, 3};
        for (const int rank : ranks)
            planted.gpus.push_back({rank, 0, rank, "H100", ""});
        for (std::int64_t i = 0; i < 10; ++i) {
            const std::int64_t at = i * 1'000'000 + i * i * 1000;
            planted.addCollective(ranks, {at, at + 100'000, at + 200'000, at + 300'000}, 100'000,
                test::collectiveDetail("allreduce", 1 << 20, "tp", ranks), kNoJitter);
        }
        const auto summary = summaryOf(planted);
        QCOMPARE(summary.collectives, 10);
        QCOMPARE(summary.incomplete, 0);
        QCOMPARE(summary.unmatched, 0);
        QCOMPARE(summary.rows.size(), std::size_t{1});
        const CommunicationRow& row = summary.rows[0];
        QVERIFY(row.kind == CollectiveKind::AllReduce);
        QVERIFY(row.link == LinkClass::ScaleUp);
        QCOMPARE(row.count, 10);
        QCOMPARE(row.ranks, 4);
        QCOMPARE(row.bytes.value_or(0.0), 10.0 * (1 << 21));
        QCOMPARE(row.leastBytes.value_or(0.0), double(1 << 21));
        QVERIFY(isNear(row.transferS, 10 * 100e-6));
        QVERIFY(isNear(row.waitS, 10 * 600e-6));
        const double bandwidth = (1 << 21) / 100e-6;
        QVERIFY(isNear(row.algorithmBandwidth, bandwidth));
        QVERIFY(isNear(row.algorithmBandwidthMedian, bandwidth));
        QVERIFY(isNear(row.busBandwidth, 1.5 * bandwidth));
        QVERIFY(isNear(row.linkPeak, 450e9));
        QVERIFY(isNear(row.utilisation, 1.5 * bandwidth / 450e9));
        QCOMPARE(summary.straggler.value_or(-1), 3);
        QCOMPARE(summary.ranks[3].timesLast, 10);
        QCOMPARE(summary.ranks[3].timesLastForCertain, 10);
        QVERIFY(isNear(summary.ranks[3].causedWaitS, 10 * 600e-6));
        QVERIFY(isNear(summary.ranks[3].latenessS, 300e-6));
        QVERIFY(isNear(summary.ranks[1].waitS, 10 * 200e-6));
        QCOMPARE(summary.ranks[0].timesLast, 0);
    }
    void stragglerAcrossClocksHoursApart() {
        Random random(11);
        PlantedRun planted;
        const std::vector<int> ranks{0, 1, 2, 3, 4, 5, 6, 7};
        for (const int rank : ranks)
            planted.gpus.push_back({rank, rank / 4, rank % 4, "", ""});
        for (int rank = 1; rank < 8; ++rank)
            planted.clocks[rank] = {uniform(random, -7'200'000'000'000, 7'200'000'000'000),
                std::uniform_real_distribution<double>(-80.0, 80.0)(random)};
        double waited = 0.0; // by rank 0
        int lastOfFive = 0;
        for (std::int64_t i = 0; i < 200; ++i) {
            const std::int64_t at = i * 4'000'000 + uniform(random, 0, 500'000);
            std::vector<std::int64_t> starts;
            for (std::size_t r = 0; r < ranks.size(); ++r)
                starts.push_back(at + uniform(random, 0, 200'000));
            if (i % 3 != 0) {
                starts[5] = at + 1'000'000;
                ++lastOfFive;
            }
            const auto last = *std::max_element(starts.begin(), starts.end());
            lastOfFive += i % 3 == 0 && starts[5] == last ? 1 : 0;
            waited += static_cast<double>(last - starts[0]) * 1e-9;
            planted.addCollective(ranks, starts, 400'000,
                test::collectiveDetail("_allgather_base", 1 << 24, "dp", ranks),
                [&random] { return uniform(random, 0, 5'000); });
        }
        CommunicationOptions options;
        options.networkBandwidth = 50e9;
        const auto summary = summaryOf(planted, options);
        QCOMPARE(summary.collectives, 200);
        QCOMPARE(summary.straggler.value_or(-1), 5);
        QVERIFY(std::abs(summary.ranks[5].timesLast - lastOfFive) <= 6); // near ties may turn
        QVERIFY(isNear(summary.ranks[0].waitS, waited, 0.02));
        QCOMPARE(summary.rows.size(), std::size_t{1});
        QVERIFY(summary.rows[0].link == LinkClass::ScaleOut);
        const double bus = (1 << 25) / 402.5e-6 * 7.0 / 8.0;
        QVERIFY(isNear(summary.rows[0].busBandwidthMedian, bus, 0.02));
        QVERIFY(isNear(summary.rows[0].utilisation, bus / 50e9, 0.02));
    }
    void lostCallsAreReported() {
        // 1 of 3 ranks lost every tenth part, and began to record 20 collectives late.
        Random random(2);
        PlantedRun planted;
        planted.clocks[2] = {-5'000'000'000, 40.0};
        const std::vector<int> ranks{0, 1, 2};
        for (std::int64_t i = 0; i < 100; ++i) {
            const std::int64_t at = i * 700'000 + uniform(random, 0, 200'000);
            planted.addCollective(ranks,
                {at, at + uniform(random, 0, 90'000), at + uniform(random, 0, 90'000)}, 60'000,
                test::collectiveDetail("allreduce", 4096, "dp", ranks),
                [&random] { return uniform(random, 0, 3'000); });
            if (i < 20 || i % 10 == 0)
                planted.calls.pop_back();
        }
        const auto summary = summaryOf(planted);
        QCOMPARE(summary.collectives, 100);
        QCOMPARE(summary.incomplete, 20 + 8);
        QCOMPARE(summary.unmatched, 0);
        QCOMPARE(summary.ranks[2].collectives, 100 - 28);
    }
    void equalNamesOfDifferentGroupsStayApart() {
        // Group "3" is {0,1} on ranks 0 and 1, and {2,3} on 2 and 3; both run at the same time. The
        // group {0,1,2,3} joins the clocks.
        PlantedRun planted;
        const std::vector<int> all{0, 1, 2, 3};
        for (std::int64_t i = 0; i < 50; ++i) {
            const std::int64_t at = i * (1'000'000 + 700 * i);
            planted.addCollective({0, 1}, {at, at + 10'000}, 50'000,
                test::collectiveDetail("allreduce", 512, "3", {0, 1}), kNoJitter);
            planted.addCollective({2, 3}, {at, at + 30'000}, 30'000,
                test::collectiveDetail("allreduce", 512, "3", {2, 3}), kNoJitter);
            planted.addCollective(all, {at + 300'000, at + 300'000, at + 300'000, at + 300'000},
                20'000, test::collectiveDetail("allreduce", 512, "0", all), kNoJitter);
        }
        const auto store = planted.stored();
        const auto clocks = alignRanks(test::studyOf(store)).value();
        int pairs = 0;
        TimeNs last;
        const auto scan
            = forEachCollective(test::studyOf(store), clocks, [&](const Collective& one) {
                  if (one.group->ranks.size() == 2) {
                      ++pairs;
                      for (const CollectiveRank& rank : one.ranks) {
                          if (!one.group->mayHold(rank.rank))
                              return false;
                      }
                  }
                  last = one.ranks.front().start;
                  return one.isComplete;
              });
        QVERIFY(scan.hasValue());
        QCOMPARE(scan.value().complete, 150);
        QCOMPARE(pairs, 100);
        // A short stretch is read at once, each rank's calls with one look at the progress.
        int looks = 0;
        const RunStudy watched{store, test::studyOf(store).run,
            [&looks](const ProgressState&) { return ++looks > 0; }};
        const auto some = forEachCollective(watched, clocks, [](const Collective&) { return true; },
            true, kAllTime, {last, last + DurationNs{100}});
        QVERIFY(some.hasValue());
        QCOMPARE(looks, 4);
    }
    void messagesByDirection() {
        // Pipeline stages {0,1}: activations of 8 MiB forth, gradients back. A sender that is done
        // before the receiver has begun is still the same message.
        PlantedRun planted;
        for (const int rank : {0, 1, 2})
            planted.gpus.push_back({rank, rank, 0, "", ""});
        const std::vector<int> group{0, 1, 2};
        const auto detail = [&](const char* name, int from, int to) {
            return test::collectiveDetail(name, 1 << 22, "pp", group,
                R"(,"Src Rank":)" + std::to_string(from) + R"(,"Dst Rank":)" + std::to_string(to));
        };
        for (std::int64_t i = 0; i < 40; ++i) {
            const std::int64_t at = i * 3'000'000 + i * i * 500;
            planted.calls.push_back(
                {0, at, at + 200'000, "ncclDevKernel_SendRecv", detail("send", 0, 1)});
            planted.calls.push_back(
                {1, at + 50'000, at + 201'000, "ncclDevKernel_SendRecv", detail("recv", 0, 1)});
            planted.calls.push_back({1, at + 1'000'000, at + 1'300'000, "ncclDevKernel_SendRecv",
                detail("send", 1, 0)});
            planted.calls.push_back({0, at + 1'100'000, at + 1'300'000, "ncclDevKernel_SendRecv",
                detail("recv", 1, 0)});
            // Rank 2 is not recorded.
            planted.calls.push_back({1, at + 2'000'000, at + 2'100'000, "ncclDevKernel_SendRecv",
                detail("send", 1, 2)});
        }
        const auto summary = summaryOf(planted);
        QCOMPARE(summary.collectives, 80);
        QCOMPARE(summary.unmatched, 0);
        QCOMPARE(summary.alone, 40);
        QCOMPARE(summary.rows.size(), std::size_t{1});
        const CommunicationRow& row = summary.rows[0];
        QVERIFY(row.kind == CollectiveKind::SendRecv);
        QVERIFY(row.link == LinkClass::ScaleOut);
        QCOMPARE(row.leastBytes.value_or(0.0), double(1 << 23));
        // 151 µs and 200 µs from the last start.
        QVERIFY(isNear(row.transferS, 40 * 351e-6));
        QVERIFY(isNear(row.busBandwidth, 80.0 * (1 << 23) / (40 * 351e-6)));
        QCOMPARE(summary.ranks[0].messages, 80);
        QCOMPARE(summary.ranks[0].collectives, 0);
    }
    void oldTracesWithoutArguments() {
        Random random(4);
        PlantedRun planted;
        planted.clocks[1] = {1'000'000'000, 0.0};
        for (std::int64_t i = 0; i < 80; ++i) {
            const std::int64_t at = i * 900'000 + uniform(random, 0, 300'000);
            planted.addCollective({0, 1, 2}, {at, at + uniform(random, 0, 50'000), at}, 40'000, {},
                [&random] { return uniform(random, 0, 2'000); });
        }
        const auto summary = summaryOf(planted);
        QCOMPARE(summary.collectives, 80);
        QCOMPARE(summary.incomplete, 0);
        QVERIFY(!summary.rows[0].bytes);
        QVERIFY(!summary.rows[0].busBandwidth);
        QVERIFY(summary.rows[0].link == LinkClass::Unknown);
    }
    void elidedRanksOfTheWorld() {
        // 64 ranks, of which two were recorded; the list is cut off.
        PlantedRun planted;
        planted.run.worldSize = 64;
        const std::string detail
            = R"({"Collective name":"allreduce","In msg nelems":1000,)"
              R"("Out msg nelems":1000,"Group size":64,"dtype":"Float",)"
              R"("Process Group Name":"0","Process Group Ranks":"[0, 1, ...]"})";
        for (std::int64_t i = 0; i < 20; ++i) {
            const std::int64_t at = i * (900'000 + i * 1000);
            planted.addCollective({0, 40}, {at, at + 10'000}, 40'000, detail, kNoJitter);
        }
        const auto summary = summaryOf(planted);
        QCOMPARE(summary.collectives, 20);
        QCOMPARE(summary.incomplete, 0);
        QCOMPARE(summary.rows[0].ranks, 64);
        QCOMPARE(summary.rows[0].dimension, std::string("world"));
        QVERIFY(isNear(summary.rows[0].busBandwidth, 4000 / 40e-6 * 2.0 * 63.0 / 64.0));
    }
    void ranksThatWereNotRecorded() {
        // Ranks 2 and 3 of one node have no trace. All wait for them for 900 µs of every 1 ms, so
        // that 4 MB take 1 ms where the transfer takes 100 µs: 4 GB/s, × 2·3/4, is a lower bound.
        PlantedRun planted;
        planted.run.gpuModel = "NVIDIA H100 80GB HBM3";
        const std::vector<int> ranks{0, 1, 2, 3};
        for (const int rank : ranks)
            planted.gpus.push_back({rank, 0, rank, "H100", ""});
        const std::string detail
            = test::collectiveDetail("allreduce", 1'000'000, "0", ranks, {}, "Float");
        for (std::int64_t i = 0; i < 20; ++i)
            planted.addCollective(
                {0, 1}, {i * 2'000'000, i * 2'000'000}, 1'000'000, detail, kNoJitter);
        const auto summary = summaryOf(planted);
        QCOMPARE(summary.incomplete, 0);
        const CommunicationRow& row = summary.rows[0];
        QCOMPARE(row.count, 20);
        QCOMPARE(row.partial, 20);
        QVERIFY(isNear(row.busBandwidth, 1.5 * 4e9));
        QVERIFY(row.linkPeak);
        QVERIFY(!row.utilisation);
    }
    void wholeOnesTellTheBandwidth() {
        // Rank 1 of three begins to record after ten all-reduces of which the others' parts last
        // 500 µs, since it is late; from then on each takes 50 µs: 2 MB / 50 µs = 40 GB/s, × 2·2/3
        // on the bus.
        PlantedRun planted;
        planted.run.gpuModel = "NVIDIA H100 80GB HBM3";
        const std::vector<int> ranks{0, 1, 2};
        for (const int rank : ranks)
            planted.gpus.push_back({rank, 0, rank, "H100", ""});
        const std::string detail = test::collectiveDetail("allreduce", 1'000'000, "0", ranks);
        for (std::int64_t i = 0; i < 40; ++i) {
            const std::int64_t at = i * 2'000'000 + i * i * 500;
            if (i < 10)
                planted.addCollective({0, 2}, {at, at}, 500'000, detail, kNoJitter);
            else
                planted.addCollective(ranks, {at, at, at}, 50'000, detail, kNoJitter);
        }
        const auto summary = summaryOf(planted);
        QCOMPARE(summary.rows.size(), std::size_t{1});
        const CommunicationRow& row = summary.rows[0];
        QCOMPARE(row.count, 40);
        QCOMPARE(row.partial, 10);
        QVERIFY(isNear(row.bytes, 40 * 2e6));
        QVERIFY(isNear(row.transferS, 10 * 500e-6 + 30 * 50e-6));
        QVERIFY(isNear(row.algorithmBandwidth, 40e9));
        QVERIFY(isNear(row.busBandwidth, 40e9 * 4.0 / 3.0));
        QVERIFY(isNear(row.utilisation, 40e9 * 4.0 / 3.0 / 450e9));
    }
    void dimensionsOfTheLayout() {
        Run run;
        run.worldSize = 16;
        run.launch.tensorParallel = 4;
        run.launch.pipelineParallel = 2;
        run.launch.gpusPerNode = 8;
        const CommunicatorPlaces places(run, {});
        const auto named = [&](std::vector<int> ranks, const char* description = "") {
            const layout::ProcessGroup group{"7", description, ranks};
            return places.dimensionOf(group, std::move(ranks));
        };
        QCOMPARE(named({4, 5, 6, 7}), std::string("tp"));
        QCOMPARE(named({1, 5}), std::string("dp")); // DP 2, then PP
        QCOMPARE(named({1, 9}), std::string("pp"));
        QCOMPARE(named({0, 1}), std::string("tp")); // a part of one
        QCOMPARE(named({0, 4}, "EXPERT_MODEL_PARALLEL_GROUP"), std::string("ep"));
        std::vector<int> all(16);
        std::iota(all.begin(), all.end(), 0);
        QCOMPARE(named(all, "default_pg"), std::string("world"));
        QCOMPARE(named({0, 5, 10}), std::string("7"));
        QVERIFY(places.linkOf({0, 7}) == LinkClass::ScaleUp);
        QVERIFY(places.linkOf({0, 8}) == LinkClass::ScaleOut);
        const CommunicatorPlaces nothing(Run{}, {});
        QVERIFY(nothing.linkOf({0, 1}) == LinkClass::Unknown);
        layout::ProcessGroup group{"9", "TENSOR_MODEL_PARALLEL_GROUP", {0, 1}};
        QCOMPARE(nothing.dimensionOf(group, {0, 1}), std::string("tp"));
        group.description = "DATA_PARALLEL_GROUP_WITH_CP";
        QCOMPARE(nothing.dimensionOf(group, {0, 1}), std::string("dp_cp"));
        QCOMPARE(named({1, 5}, "DATA_PARALLEL_GROUP_WITH_CP"), std::string("dp"));
    }
    void ownClocksOnRequest() {
        // Rank 1's clock is 2 ms ahead: by its own clock it always comes last.
        PlantedRun planted;
        planted.clocks[1] = {2'000'000, 0.0};
        for (std::int64_t i = 0; i < 30; ++i) {
            const std::int64_t at = i * 5'000'000 + i * i * 1000;
            planted.addCollective({0, 1}, {at + 100'000, at}, 50'000,
                test::collectiveDetail("allreduce", 64, "0", {0, 1}), kNoJitter);
        }
        QCOMPARE(summaryOf(planted).straggler.value_or(-1), 0);
        CommunicationOptions options;
        options.onCommonClock = false;
        const auto raw = summaryOf(planted, options);
        QCOMPARE(raw.straggler.value_or(-1), 1);
        QCOMPARE(raw.collectives, 30);
        QVERIFY(isNear(raw.ranks[0].waitS, 30 * 1.9e-3));
    }
    void windowsMakeNoDifference() {
        // Parts that end in one of two windows add up to the whole.
        Random random(8);
        PlantedRun planted;
        for (std::int64_t i = 0; i < 60; ++i) {
            const std::int64_t at = i * 1'000'000 + uniform(random, 0, 100'000);
            planted.addCollective({0, 1}, {at, at + uniform(random, 0, 90'000)}, 50'000,
                test::collectiveDetail("allreduce", 64, "0", {0, 1}), kNoJitter);
        }
        CommunicationOptions options;
        options.window = {kAllTime.begin, {test::kEpoch + 20'500'000}};
        const auto first = summaryOf(planted, options);
        options.window = {{test::kEpoch + 20'500'000}, kAllTime.end};
        const auto second = summaryOf(planted, options);
        const auto whole = summaryOf(planted);
        QCOMPARE(first.collectives, 21);
        QCOMPARE(first.collectives + second.collectives, whole.collectives);
        QVERIFY(isNear(first.ranks[0].waitS + second.ranks[0].waitS, whole.ranks[0].waitS, 1e-9));
    }

    // Messages of which the trace does not say who takes part.

    // A message of stage 1 does not tell which of the other two stages it goes to: clocks that are
    // right must not be put wrong.
    void connectNobody() {
        PlantedRun planted;
        for (std::int64_t i = 0; i < 60; ++i) {
            const int first = static_cast<int>(i % 2);
            const std::int64_t at = i * 5'000'000;
            planted.addCollective(
                {first, first + 1}, {at, at}, 200'000,
                test::collectiveDetail("send", 1 << 22, "pp", {0, 1, 2}, {}),
                [] { return std::int64_t{0}; }, "ncclDevKernel_SendRecv");
        }
        const auto store = planted.stored();
        const auto found = alignRanks(test::studyOf(store)).value();
        QCOMPARE(found.ranks.size(), std::size_t{1});
        QCOMPARE(found.unaligned.size(), std::size_t{2});
    }

private:
    static CommunicationSummary summaryOf(
        const PlantedRun& planted, const CommunicationOptions& options = {}) {
        const auto store = planted.stored();
        const auto summary = communicationOf(test::studyOf(store), options);
        if (!summary.hasValue())
            qFatal("%s", summary.error().describe().c_str());
        return summary.value();
    }
};

TRAINSCOPE_TEST(tst_Collectives)
#include "tst_Collectives.moc"
