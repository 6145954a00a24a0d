// Layouts planted as process groups and found again, named and unnamed, from all ranks' traces and
// from some; and what fits no layout.

#include "core/layout/InferLayout.h"
#include "core/layout/LayoutRequest.h"
#include "core/layout/ProcessGroup.h"
#include "support/TestProgram.h"

using namespace trainscope::layout;

namespace {

bool isIn(const std::vector<int>& group, const std::vector<int>& ranks) {
    return std::any_of(ranks.begin(), ranks.end(),
        [&](int rank) { return std::find(group.begin(), group.end(), rank) != group.end(); });
}

// The groups that the traced ranks have joined, numbered in the order in which Megatron-LM makes
// them.
std::vector<ProcessGroup> plant(
    const RankGrid& grid, const std::vector<int>& traced, bool isNamed) {
    std::vector<ProcessGroup> groups;
    int number = 0;
    std::vector<int> world;
    for (int rank = 0; rank < grid.worldSize(); ++rank)
        world.push_back(rank);
    groups.push_back({"0", "default_pg", world});
    for (const auto kind :
        {CommunicatorKind::DataContext, CommunicatorKind::Data, CommunicatorKind::Context,
            CommunicatorKind::Model, CommunicatorKind::Tensor, CommunicatorKind::Pipeline,
            CommunicatorKind::TensorDataContext, CommunicatorKind::TensorData,
            CommunicatorKind::TensorContext, CommunicatorKind::Expert,
            CommunicatorKind::ExpertTensor, CommunicatorKind::TensorExpert,
            CommunicatorKind::TensorExpertPipeline, CommunicatorKind::ExpertData}) {
        for (const auto& ranks : grid.groups(kind)) {
            ++number;
            if (isIn(ranks, traced))
                groups.push_back({std::to_string(number),
                    isNamed ? std::string(infoOf(kind).description) : "undefined", ranks});
            if (kind == CommunicatorKind::Pipeline && ranks.size() > 1)
                groups.push_back({std::to_string(++number),
                    isNamed ? "EMBEDDING_GROUP" : "undefined", {ranks.front(), ranks.back()}});
        }
    }
    return groups;
}

bool isMade(const RankGrid& grid, const std::vector<int>& ranks) {
    const bool isAll = static_cast<int>(ranks.size()) == grid.worldSize();
    const auto embeddings = grid.embeddingGroups();
    bool result
        = isAll || std::find(embeddings.begin(), embeddings.end(), ranks) != embeddings.end();
    for (const auto& info : communicatorKinds()) {
        const auto groups = grid.groups(info.kind);
        result = result || std::find(groups.begin(), groups.end(), ranks) != groups.end();
    }
    return result;
}

std::string text(const Degrees& degrees, const RankOrder& order) {
    return "tp " + std::to_string(degrees.tensor) + " cp " + std::to_string(degrees.context)
        + " dp " + std::to_string(degrees.data) + " pp " + std::to_string(degrees.pipeline) + " ep "
        + std::to_string(degrees.expert) + " etp " + std::to_string(degrees.expertTensor) + " "
        + order.text();
}

class GridDice {
public:
    int pick(const std::vector<int>& from) {
        return from[std::uniform_int_distribution<std::size_t>(0, from.size() - 1)(m_engine)];
    }

    RankGrid grid(bool withExperts) {
        while (true) {
            const Degrees degrees{pick({1, 2, 4, 8}), pick({1, 1, 2}),
                withExperts ? pick({1, 2, 4}) : 1, withExperts ? pick({0, 1}) : 0,
                pick({1, 2, 3, 4}), pick({1, 2, 4})};
            const auto order
                = rankOrderFromString(pick({0, 1}) == 0 ? "tp-cp-ep-dp-pp" : "tp-cp-ep-pp-dp");
            const auto made = RankGrid::make(degrees, order.value());
            if (made.hasValue() && made.value().worldSize() > 1)
                return made.value();
        }
    }

private:
    std::mt19937 m_engine{20260801};
};

} // namespace

class tst_InferLayout : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Every rank's groups are named: degrees come back, and all groups of the order with them.
    void namedGroupsGiveTheLayout() {
        GridDice dice;
        for (int i = 0; i < 300; ++i) {
            const auto grid = dice.grid(true);
            std::vector<int> traced;
            for (int rank = 0; rank < grid.worldSize(); ++rank)
                traced.push_back(rank);
            const auto found = inferLayout(plant(grid, traced, true), grid.worldSize());
            QVERIFY2(found.hasValue(),
                (text(grid.degrees(), grid.order())
                    + (found.hasValue() ? "" : found.error().message))
                    .c_str());
            const auto made = RankGrid::make(found.value().degrees, found.value().order).value();
            QVERIFY2(found.value().degrees == grid.degrees(),
                (text(grid.degrees(), grid.order()) + " found "
                    + text(made.degrees(), made.order()))
                    .c_str());
            for (const auto& info : communicatorKinds())
                QCOMPARE(made.groups(info.kind), grid.groups(info.kind));
        }
    }

    // One traced rank has a group of each kind; its place and the degrees follow all the same.
    void oneRankIsEnough() {
        GridDice dice;
        for (int i = 0; i < 300; ++i) {
            const auto grid = dice.grid(true);
            const std::vector<int> traced{grid.worldSize() / 2};
            const auto found = inferLayout(plant(grid, traced, true), grid.worldSize()).value();
            QVERIFY2(found.degrees == grid.degrees(), text(grid.degrees(), grid.order()).c_str());
        }
    }

    // Numbered only, as before torch 2.4: the order in which groups are made tells DP from the
    // rest.
    void unnamedGroupsOfMegatron() {
        GridDice dice;
        int exact = 0;
        constexpr int kTries = 300;
        for (int i = 0; i < kTries; ++i) {
            const auto grid = dice.grid(false);
            const std::vector<int> traced{0, grid.worldSize() - 1};
            const auto groups = plant(grid, traced, false);
            const auto found = inferLayout(groups, grid.worldSize());
            if (!found.hasValue()) {
                QVERIFY2(false,
                    (text(grid.degrees(), grid.order()) + ": " + found.error().message).c_str());
            }
            exact += found.value().degrees == grid.degrees() ? 1 : 0;
            const auto made = RankGrid::make(found.value().degrees, found.value().order).value();
            for (const auto& group : groups)
                QVERIFY(isMade(made, group.ranks));
        }
        // Several layouts may make the same groups; the likeliest is taken.
        QVERIFY2(exact * 100 >= kTries * 80, std::to_string(exact).c_str());
    }

    void pairsOfNeighboursAreOnePipeline() {
        std::vector<ProcessGroup> groups;
        for (int stage = 0; stage < 3; ++stage) {
            for (int rank = 0; rank < 2; ++rank)
                groups.push_back({"pp", "", {stage * 2 + rank, stage * 2 + rank + 2}});
        }
        for (int stage = 0; stage < 4; ++stage)
            groups.push_back({"tp", "", {stage * 2, stage * 2 + 1}});
        const auto found = inferLayout(groups, 8).value();
        QCOMPARE(found.degrees.tensor, 2);
        QCOMPARE(found.degrees.pipeline, 4);
        QCOMPARE(found.degrees.data, 1);
    }

    void whatNoGroupShowsIsData() {
        const auto found
            = inferLayout({{"1", "TENSOR_MODEL_PARALLEL_GROUP", {0, 1, 2, 3}}}, 16).value();
        QCOMPARE(found.degrees.tensor, 4);
        QCOMPARE(found.degrees.data, 4);
        VERIFY_SAYS(found.wording, "assumed, for no group shows it: dp 4");
    }

    void onlyTheDefaultGroupIsDataParallel() {
        const auto found = inferLayout({{"0", "default_pg", {0, 1, 2, 3, 4, 5, 6, 7}}}, 8).value();
        QCOMPARE(found.degrees.data, 8);
    }

    void whatFitsNothingIsRefused() {
        QVERIFY(!inferLayout({}, 8).hasValue());
        QVERIFY(!inferLayout({{"1", "tp", {0}}}, 8).hasValue());
        const auto odd = inferLayout({{"1", "tp", {0, 1}}, {"2", "tp", {2, 3, 4, 5}}}, 8);
        QCOMPARE(odd.error().message,
            std::string("No layout of 8 ranks makes the process groups of the traces: groups of tp "
                        "have 2 and 4 ranks."));
        QVERIFY(!inferLayout({{"1", "tp", {0, 3}}, {"2", "dp", {0, 1}}, {"2", "dp", {2, 5}}}, 8)
                     .hasValue());
    }

    // Orders that nobody uses are tried where the usual ones do not fit.
    void otherOrders() {
        const auto order = rankOrderFromString("dp-tp-pp").value();
        const auto grid = RankGrid::make({4, 1, 1, 0, 2, 2}, order).value();
        const auto found = inferLayout(plant(grid, {0, 5}, true), 16).value();
        QVERIFY(found.degrees == grid.degrees());
        const auto made = RankGrid::make(found.degrees, found.order).value();
        QCOMPARE(made.groups(CommunicatorKind::Tensor), grid.groups(CommunicatorKind::Tensor));
    }

    // 16 GPUs, TP 2: shard groups of 4 and 2 replicas of each make data parallelism of 8 with ranks
    // two apart. All groups, and those of rank 5 alone, whose shards are 1, 3, 5, 7 and whose
    // replica is 13; they contradict that layout as little as it does them.
    void hybridSharding() {
        std::vector<ProcessGroup> all;
        for (int tensor = 0; tensor < 2; ++tensor) {
            for (const int replica : {0, 8}) {
                const int first = replica + tensor;
                all.push_back({"3", "mesh_dp_shard", {first, first + 2, first + 4, first + 6}});
            }
            for (int shard = 0; shard < 8; shard += 2)
                all.push_back({"2", "mesh_dp_replicate", {shard + tensor, shard + tensor + 8}});
        }
        for (int rank = 0; rank < 16; rank += 2)
            all.push_back({"1", "mesh_tp", {rank, rank + 1}});
        const std::vector<ProcessGroup> ofOne{{"3", "mesh_dp_shard", {1, 3, 5, 7}},
            {"2", "mesh_dp_replicate", {5, 13}}, {"1", "mesh_tp", {4, 5}}};
        for (const auto& groups : {all, ofOne}) {
            const auto found = inferLayout(groups, 16).value();
            QCOMPARE(found.degrees.tensor, 2);
            QCOMPARE(found.degrees.data, 8);
            QCOMPARE(found.degrees.pipeline, 1);
            const auto grid = RankGrid::make(found.degrees, found.order).value();
            QVERIFY(contradictions(groups, grid).empty());
        }
        const auto other = RankGrid::make({4, 1, 1, 0, 4, 1}).value();
        QVERIFY(!contradictions(all, other).empty());
        // Replicas alone are all of data parallelism.
        const auto replicas = inferLayout({{"2", "mesh_dp_replicate", {0, 2, 4, 6}}}, 8).value();
        QCOMPARE(replicas.degrees.data, 4);
    }

    // As torchtitan names them, 16 GPUs: 2 replicas of shard groups of 8, experts over 4 of these.
    // The shards outside an expert group, 0 and 4, with their replicas are all that hold the same
    // experts: 0, 4, 8, 12.
    void expertsInShardGroups() {
        std::vector<int> all;
        for (int rank = 0; rank < 16; ++rank)
            all.push_back(rank);
        const std::vector<ProcessGroup> groups{{"1", "mesh_dp_replicate", {0, 8}},
            {"2", "mesh_dp_shard_mod_ep", {0, 4}}, {"3", "mesh_dp_shard_in_ep", {0, 1, 2, 3}},
            {"4", "mesh_dp", all}, {"5", "mesh_dp_shard_cp", {0, 1, 2, 3, 4, 5, 6, 7}},
            {"6", "mesh_ep", {0, 1, 2, 3}}};
        const auto found = inferLayout(groups, 16).value();
        QCOMPARE(found.degrees.data, 16);
        QCOMPARE(found.degrees.expert, 4);
        const auto grid = RankGrid::make(found.degrees, found.order).value();
        QCOMPARE(grid.groupOf(CommunicatorKind::ExpertData, 0), (std::vector<int>{0, 4, 8, 12}));
        QVERIFY(contradictions(groups, grid).empty());
        QCOMPARE(shardSizeOf(groups).value_or(0), 8);
    }

    void contradictionsAreListed() {
        const auto grid = RankGrid::make({2, 1, 1, 0, 4, 1}).value();
        const auto others = contradictions(
            {{"1", "tp", {0, 1}}, {"2", "dp", {0, 4}}, {"3", "undefined", {0, 3}}}, grid);
        QCOMPARE(others.size(), std::size_t{1});
        QCOMPARE(others[0].name, std::string("2"));
    }

    void names_data() {
        // degrees: tp, pp, ep, dp, cp, vpp; 0: not said
        const auto row = test::keyed<QString, QList<int>>("name", "degrees");
        row("TP4-PP8", {4, 8, 0, 0, 0, 0});
        row("sweep/gpt3/tp8_pp4", {8, 4, 0, 0, 0, 0});
        row("EP8-TP1-PP4", {1, 4, 8, 0, 0, 0});
        row("mixtral-8x7b_tp2pp4cp2", {2, 4, 0, 0, 2, 0});
        row("run tp=2,pp=4,dp=16", {2, 4, 0, 16, 0, 0});
        row("gpt_tp_4_pp_2_vpp3", {4, 2, 0, 0, 0, 3});
        row("TP8-PP2/run_1", {8, 2, 0, 0, 0, 0});
        row("TP8-FSDP", {8, 0, 0, 0, 0, 0});
        row("dp32", {0, 0, 0, 32, 0, 0});
        row("step4", {});
        row("http2_app3", {});
        row("gpt3-175b_3_00000", {});
        row("mixtral-8x22b", {});
        row("TP0-PP", {});
        row("tp-", {});
        row("", {});
    }

    void names() {
        QFETCH(QString, name);
        QFETCH(QList<int>, degrees);
        const auto found = layoutFromName(name.toStdString());
        QCOMPARE(found.has_value(), !degrees.isEmpty());
        if (!found)
            return;
        const QList<int> actual{found->tensor.value_or(0), found->pipeline.value_or(0),
            found->expert.value_or(0), found->data.value_or(0), found->context.value_or(0),
            found->virtualStages.value_or(0)};
        QCOMPARE(actual, degrees);
        QCOMPARE(found->fsdp.value_or(false), name.contains(QStringLiteral("FSDP")));
    }

    // Names of communicators, and the text that groups are stored as.
    void megatronsDescriptions() {
        for (const auto& info : communicatorKinds())
            QVERIFY(kindFromName("7", info.description) == info.kind);
    }

    void othersNames() {
        QVERIFY(kindFromName("tp", "") == CommunicatorKind::Tensor);
        QVERIFY(kindFromName("3", "mesh_dp_shard") == CommunicatorKind::Data);
        QVERIFY(kindFromName("3", "mesh_dp_cp") == CommunicatorKind::DataContext);
        QVERIFY(kindFromName("3", "ep_dp") == CommunicatorKind::ExpertData);
        QVERIFY(kindFromName("pipe-parallel", "undefined") == CommunicatorKind::Pipeline);
        QVERIFY(!kindFromName("0", "default_pg"));
        QVERIFY(!kindFromName("13", "undefined"));
        QVERIFY(!kindFromName("5", "EMBEDDING_GROUP"));
        QVERIFY(!kindFromName("5", "POSITION_EMBEDDING_GROUP"));
        QVERIFY(!kindFromName("5", "INTRA_PARTIAL_DATA_PARALLEL_GROUP_WITH_CP"));
        QVERIFY(!kindFromName("5", "DATA_PARALLEL_GROUP_GLOO"));
        QVERIFY(!kindFromName("5", "stpid"));
    }

    void textOfGroups() {
        const std::vector<ProcessGroup> groups{{"1", "TENSOR_MODEL_PARALLEL_GROUP", {0, 1, 2, 3}},
            {"2", "", {0, 8, 16}}, {"3", "odd; (name)", {5}}, {"4", "x", {1, 2, 9}}};
        const std::string text = processGroupsText(groups);
        QCOMPARE(text,
            std::string("TENSOR_MODEL_PARALLEL_GROUP (1): 0-3;  (2): 0-16/8; odd   name  (3): 5; x "
                        "(4): 1,2,9"));
        const auto read = processGroupsFromText(text);
        QCOMPARE(read.size(), std::size_t{4});
        QVERIFY(read[0] == groups[0]);
        QVERIFY(read[1] == groups[1]);
        QCOMPARE(read[3].ranks, groups[3].ranks);
    }

    void anyRanksComeBack() {
        std::mt19937 dice(3);
        for (int i = 0; i < 500; ++i) {
            ProcessGroup group{std::to_string(i), "d", {}};
            for (int rank = 0; rank < 40; ++rank) {
                if (dice() % 3 == 0)
                    group.ranks.push_back(rank * static_cast<int>(1 + dice() % 2) + rank * 3);
            }
            std::sort(group.ranks.begin(), group.ranks.end());
            if (group.ranks.empty())
                continue;
            const auto read = processGroupsFromText(processGroupsText({group}));
            QCOMPARE(read.size(), std::size_t{1});
            QVERIFY(read[0] == group);
        }
    }

    void brokenText() {
        for (const char* text : {"x", "x (1): ", "x (1): a", "x (1): 4-", "x (1): 0-3/0",
                 "x (1): 0-3,", "x): (1): 3", "x (1): -4", "x (1): 0-99999999"})
            QVERIFY2(processGroupsFromText(text).empty(), text);
        QCOMPARE(processGroupsFromText("x; y (1): 3").size(), std::size_t{1});
    }
};

TRAINSCOPE_TEST(tst_InferLayout)
#include "tst_InferLayout.moc"
