// Bytes per step, computed beside measured, with traffic planted in traces and counters.

#include "core/analysis/cluster/ClusterDatabase.h"
#include "core/analysis/cluster/RunBytes.h"
#include "core/analysis/machine/RunLayout.h"
#include "core/analysis/traces/PlantedRun.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;

namespace {

constexpr std::int64_t kStep = 10'000'000; // ns of an iteration
constexpr int kSteps = 3;
const auto kNoJitter = [] { return std::int64_t{0}; };

// TP 2 inside two nodes, PP 2 between them, 2 layers, 4 micro-batches. Activations of a
// micro-batch: 16 tokens × 8 × 2 B = 256 B. Per step a rank sends 1 layer × 4 × 4 all-reduces of
// 2 · 1/2 · 256 B = 4096 B in tp, and 4 × 256 B in pp.
LaunchConfig launch() {
    LaunchConfig launch;
    launch.origin = "test";
    launch.nodes = 2;
    launch.gpusPerNode = 2;
    launch.tensorParallel = 2;
    launch.pipelineParallel = 2;
    launch.layers = 2;
    launch.hiddenSize = 8;
    launch.attentionHeads = 2;
    launch.ffnSize = 32;
    launch.vocabulary = 100;
    launch.tiedEmbeddings = false;
    launch.sequenceLength = 16;
    launch.microBatch = 1;
    launch.globalBatch = 4;
    launch.sequenceParallel = false;
    return launch;
}

void addMessage(test::PlantedRun& planted, int from, int to, std::int64_t at) {
    for (const int rank : {from, to})
        planted.addCollective({rank}, {at}, 10'000,
            test::collectiveDetail(rank == from ? "send" : "recv", 128, "pp",
                {std::min(from, to), std::max(from, to)},
                R"(,"Src Rank":)" + std::to_string(from) + R"(,"Dst Rank":)" + std::to_string(to)),
            kNoJitter, "ncclDevKernel_SendRecv");
}

// Every all-reduce takes 20 µs, every message 10.
test::PlantedRun traced(const std::vector<int>& ranks, int allReduces) {
    test::PlantedRun planted;
    planted.run.launch = launch();
    planted.run.worldSize = 4;
    for (int rank = 0; rank < 4; ++rank)
        planted.gpus.push_back({rank, rank / 2, rank % 2, "", ""});
    for (int step = 0; step < kSteps; ++step) {
        const std::int64_t begin = step * kStep;
        for (const int rank : ranks)
            planted.iterations.push_back({step, {{begin}, {begin + kStep}}, rank, false});
        for (int i = 0; i < allReduces; ++i) {
            const std::int64_t at = begin + i * kStep / allReduces;
            for (const int first : {0, 2})
                planted.addCollective({first, first + 1}, {at, at}, 20'000,
                    test::collectiveDetail("allreduce", 128, "tp", {first, first + 1}), kNoJitter);
        }
        for (int i = 0; i < 4; ++i) {
            for (const int rank : {0, 1}) {
                addMessage(planted, rank, rank + 2, begin + 100'000 + i * 1'000'000);
                addMessage(planted, rank + 2, rank, begin + 300'000 + i * 1'000'000);
            }
        }
        // The step's end is traced too.
        for (const int first : {0, 2})
            planted.addCollective({first, first + 1}, {begin + kStep - 1000, begin + kStep - 1000},
                1000, test::collectiveDetail("barrier", 0, "tp", {first, first + 1}), kNoJitter,
                "ncclDevKernel_Barrier");
    }
    std::erase_if(planted.calls, [&](const test::PlantedCall& call) {
        return std::find(ranks.begin(), ranks.end(), call.rank) == ranks.end();
    });
    return planted;
}

RunBytes bytesOf(const store::Store& store, const Run& run) {
    const auto layout = layout::makeLayout(runLayout({store, run}).value().request).value();
    const auto bytes = runBytes({store, run}, layout);
    if (!bytes.hasValue())
        qFatal("%s", bytes.error().describe().c_str());
    return bytes.value();
}

RunBytes bytesOf(const test::PlantedRun& planted) {
    const auto store = planted.stored();
    return bytesOf(store, store.findRun("planted").value());
}

const GroupBytes& groupOf(const RunBytes& bytes, std::size_t rank, const char* group) {
    const auto& all = bytes.ranks.at(rank);
    const auto found = std::find_if(
        all.begin(), all.end(), [&](const GroupBytes& one) { return one.group == group; });
    if (found == all.end())
        qFatal("rank %zu exchanges nothing in %s", rank, group);
    return *found;
}

bool says(const RunBytes& bytes, const char* text) {
    return std::any_of(bytes.notes.begin(), bytes.notes.end(),
        [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

} // namespace

class tst_RunBytes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Shard groups of two in each of two nodes: reduce-scatters of 256 B stay inside, all-reduces
    // of the replicas, 2 · 1/2 · 256 B of each of four ranks and step, are all that crosses.
    void hybridSharding() {
        test::PlantedRun planted;
        planted.run.launch = launch();
        planted.run.launch.tensorParallel = planted.run.launch.pipelineParallel = 1;
        planted.run.launch.fsdp = true;
        planted.run.launch.shardGroup = 2;
        planted.run.worldSize = 4;
        for (int rank = 0; rank < 4; ++rank)
            planted.gpus.push_back({rank, rank / 2, rank % 2, "", ""});
        const std::string shard = R"(,"Process Group Description":"mesh_dp_shard")";
        const std::string replicate = R"(,"Process Group Description":"mesh_dp_replicate")";
        for (std::int64_t begin = 0; begin < kSteps * kStep; begin += kStep) {
            for (int rank = 0; rank < 4; ++rank)
                planted.iterations.push_back(
                    {begin / kStep, {{begin}, {begin + kStep}}, rank, false});
            for (const int first : {0, 2})
                planted.addCollective({first, first + 1}, {begin, begin}, 20'000,
                    test::collectiveDetail(
                        "_reduce_scatter_base", 128, "1", {first, first + 1}, shard),
                    kNoJitter, "ncclDevKernel_ReduceScatter");
            for (const int first : {0, 1})
                planted.addCollective({first, first + 2},
                    {begin + kStep - 20'000, begin + kStep - 20'000}, 20'000,
                    test::collectiveDetail("allreduce", 128, "2", {first, first + 2}, replicate),
                    kNoJitter);
        }
        const RunBytes bytes = bytesOf(planted);
        const auto edge = std::find_if(bytes.edges.begin(), bytes.edges.end(),
            [](const EdgeBytes& one) { return one.measured.has_value(); });
        QVERIFY(edge != bytes.edges.end());
        QCOMPARE(edge->group, std::string("dp_cp"));
        QVERIFY(std::abs(*edge->measured - 4 * 256.0) < 1e-9);
    }

    void tracesAgreeWithTheModel() {
        const auto bytes = bytesOf(traced({0, 1, 2, 3}, 16));
        for (std::size_t rank = 0; rank < 4; ++rank) {
            const auto& tensor = groupOf(bytes, rank, "tp");
            QCOMPARE(tensor.computed.value_or(0), 4096.0);
            QCOMPARE(tensor.measured.value_or(0), 4096.0);
            QVERIFY(std::abs(tensor.busySeconds.value_or(0) - 16 * 20e-6 - 1e-6) < 1e-9);
            QVERIFY(tensor.link == layout::LinkClass::ScaleUp);
            const auto& pipeline = groupOf(bytes, rank, "pp");
            QCOMPARE(pipeline.computed.value_or(0), 1024.0);
            QCOMPARE(pipeline.measured.value_or(0), 1024.0);
            QVERIFY(pipeline.link == layout::LinkClass::ScaleOut);
        }
        QCOMPARE(bytes.edges.size(), std::size_t{1});
        QCOMPARE(bytes.edges[0].group, std::string("pp"));
        QCOMPARE(bytes.edges[0].computed.value_or(0), 4 * 1024.0);
        QCOMPARE(bytes.edges[0].measured.value_or(0), 4 * 1024.0);
        QVERIFY(!says(bytes, "against"));
    }

    // Half as many all-reduces as the model needs: it is said.
    void disagreementIsSaid() {
        const auto bytes = bytesOf(traced({0, 1, 2, 3}, 8));
        QCOMPARE(groupOf(bytes, 0, "tp").measured.value_or(0), 2048.0);
        VERIFY_SAYS(bytes.notes, "In tp the traces' collectives show -50 %");
        QVERIFY(!says(bytes, "In pp"));
    }

    // One rank of each node: its own bytes are known, those of the link between nodes are not.
    void someRanksTraced() {
        const auto bytes = bytesOf(traced({0, 2}, 16));
        QCOMPARE(groupOf(bytes, 0, "pp").measured.value_or(0), 1024.0);
        QVERIFY(!groupOf(bytes, 1, "pp").measured.has_value());
        QVERIFY(!bytes.edges[0].measured.has_value());
        VERIFY_SAYS(bytes.notes, "measured of 2 of 4 ranks");
    }

    void tracesWithoutAWholeIteration() {
        auto planted = traced({0, 1, 2, 3}, 16);
        for (auto& iteration : planted.iterations)
            iteration.range = {{-kStep}, {10 * kStep}};
        const auto bytes = bytesOf(planted);
        QVERIFY(!groupOf(bytes, 0, "tp").measured.has_value());
        VERIFY_SAYS(bytes.notes, "hold no whole iteration");
    }

    // Counters over three iterations of 10 s: every GPU sends 4096 B a step over NVLink, every node
    // 3000 B over InfiniBand where 2048 B are computed.
    void countersOfLinks() {
        test::PlantedCluster planted;
        planted.run.launch = launch();
        planted.gpus = 4;
        planted.perNode = 2;
        planted.iterations = {{0, 10}, {10, 20}, {20, 30}};
        const auto counter = [](double perSecond) {
            std::vector<double> values;
            for (int i = 0; i <= 30; ++i)
                values.push_back(perSecond * i);
            return values;
        };
        for (int rank = 0; rank < 4; ++rank)
            planted.series.push_back(
                {"nvlink_tx", {SubjectKind::Gpu, rank, -1, {}}, counter(409.6)});
        for (int node = 0; node < 2; ++node) {
            for (const char* device : {"ib0", "ib1"})
                planted.series.push_back(
                    {"ib_tx", {SubjectKind::Link, -1, node, device}, counter(150.0)});
        }
        test::ClusterDatabase database(planted);
        const auto bytes = bytesOf(database.store(), database.run());
        QCOMPARE(bytes.stepSeconds.value_or(0), 10.0);
        for (const NodeBytes& node : bytes.nodes) {
            QVERIFY(std::abs(node.scaleUp.computed.value_or(0) - 8192.0) < 1e-6);
            QVERIFY(std::abs(node.scaleUp.counters.value_or(0) - 8192.0) < 1e-3);
            QVERIFY(std::abs(node.scaleUpRate.value_or(0) - 409.6) < 1e-3);
            QVERIFY(std::abs(node.scaleOut.computed.value_or(0) - 2048.0) < 1e-6);
            QVERIFY(std::abs(node.scaleOut.counters.value_or(0) - 3000.0) < 1e-3);
        }
        VERIFY_SAYS(bytes.notes, "Between nodes the counters show +46 %");
        QVERIFY(!says(bytes, "Inside nodes"));
        VERIFY_SAYS(bytes.notes, "there are no traces");
    }

    // An MI250 is linked by xGMI, whatever the catalogue knows of its speed: PCIe is not that link.
    // Rank 3 has no counters: what is counted of its neighbour is not of the node.
    void countersOfSomeGpus() {
        test::PlantedCluster planted;
        planted.run.launch = launch();
        planted.run.gpuModel = "AMD Instinct MI250";
        planted.gpus = 4;
        planted.perNode = 2;
        planted.iterations = {{0, 10}, {10, 20}};
        const auto counter = [](double perSecond) {
            std::vector<double> values;
            for (int i = 0; i <= 20; ++i)
                values.push_back(perSecond * i);
            return values;
        };
        for (int rank = 0; rank < 3; ++rank) {
            const Subject gpu{SubjectKind::Gpu, rank, -1, {}};
            planted.series.push_back({"nvlink_tx", gpu, counter(100.0)});
            planted.series.push_back({"pcie_tx", gpu, counter(7.0)});
        }
        test::ClusterDatabase database(planted);
        const auto bytes = bytesOf(database.store(), database.run());
        QVERIFY(std::abs(bytes.nodes[0].scaleUp.counters.value_or(0) - 2 * 1000.0) < 1e-3);
        QVERIFY(std::abs(bytes.nodes[0].pcie.value_or(0) - 2 * 70.0) < 1e-3);
        QVERIFY(!bytes.nodes[1].scaleUp.counters && !bytes.nodes[1].pcie);
        QVERIFY(std::abs(bytes.nodes[1].scaleUpRate.value_or(0) - 100.0) < 1e-3);
        VERIFY_SAYS(bytes.notes, "The NVLink counters of 1 node are of some of the GPUs only");
    }

    void withoutTheModel() {
        auto planted = traced({0, 1, 2, 3}, 16);
        planted.run.launch.hiddenSize.reset();
        const auto bytes = bytesOf(planted);
        QVERIFY(!groupOf(bytes, 0, "tp").computed.has_value());
        QCOMPARE(groupOf(bytes, 0, "tp").measured.value_or(0), 4096.0);
        VERIFY_SAYS(bytes.notes, "Not computed");
    }
};

TRAINSCOPE_TEST(tst_RunBytes)
#include "tst_RunBytes.moc"
