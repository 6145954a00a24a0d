// Layouts of runs in a database: from the launch configuration, from recorded process groups, from
// the arguments of collectives, from the name, and the notes that go with them.

#include "core/analysis/machine/RunLayout.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;

namespace {

struct Planted {
    Run run;
    std::string processGroups; // as recorded
    std::vector<std::pair<int, std::string>> details; // rank and arguments of a collective
    int gpus = 0;
};

} // namespace

class tst_RunLayout : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void launchComesFirst() {
        Planted planted;
        planted.run.name = "TP1-PP1";
        planted.run.launch.tensorParallel = 2;
        planted.run.launch.pipelineParallel = 4;
        planted.run.launch.globalBatch = 64;
        planted.run.launch.microBatch = 2;
        planted.run.launch.layers = 8;
        planted.run.launch.stageLayers = "1,2,2,3";
        planted.run.launch.origin = "config.yaml";
        planted.gpus = 16;
        const auto known = layoutOf(planted).value();
        QVERIFY(known.origin == LayoutOrigin::Launch);
        VERIFY_SAYS(known.wording, "config.yaml");
        const auto made = layout::makeLayout(known.request).value();
        QCOMPARE(made.grid.degrees().data, 2);
        QCOMPARE(made.nodes, 2);
        QCOMPARE(made.microbatches.value_or(0), 16);
        QCOMPARE(layersOf(made.chunks, 3), 3);
        QVERIFY(known.notes.empty());
    }

    void contradictingTracesAreTold() {
        Planted planted;
        planted.run.name = "run";
        planted.run.launch.tensorParallel = 2;
        planted.gpus = 8;
        planted.processGroups = "TENSOR_MODEL_PARALLEL_GROUP (1): 0-3";
        const auto known = layoutOf(planted).value();
        QCOMPARE(known.notes.size(), std::size_t{1});
        VERIFY_SAYS(known.notes[0], "TENSOR_MODEL_PARALLEL_GROUP (1): 0-3");
    }

    void recordedGroups() {
        Planted planted;
        planted.run.name = "TP8";
        planted.run.worldSize = 16;
        planted.processGroups
            = "default_pg (0): 0-15; TENSOR_MODEL_PARALLEL_GROUP (1): 4-5; "
              "PIPELINE_MODEL_PARALLEL_GROUP (2): 0-12/4; DATA_PARALLEL_GROUP (3): 4,6";
        const auto known = layoutOf(planted).value();
        QVERIFY(known.origin == LayoutOrigin::ProcessGroups);
        const auto made = layout::makeLayout(known.request).value();
        QCOMPARE(made.grid.degrees().tensor, 2);
        QCOMPARE(made.grid.degrees().pipeline, 4);
        QCOMPARE(made.grid.degrees().data, 2);
        QCOMPARE(made.grid.order().text(), std::string("tp-cp-ep-dp-pp"));
    }

    void argumentsOfCollectives() {
        Planted planted;
        planted.run.name = "run";
        planted.gpus = 4;
        for (int rank = 0; rank < 4; ++rank) {
            const int pair = rank / 2 * 2;
            planted.details.emplace_back(rank,
                R"({"Process Group Name":"tp","Process Group Ranks":"[)" + std::to_string(pair)
                    + ", " + std::to_string(pair + 1) + R"(]"})");
            planted.details.emplace_back(rank,
                R"({"Process Group Name":"pp","Process Group Ranks":"[)" + std::to_string(rank % 2)
                    + ", " + std::to_string(rank % 2 + 2) + R"(]"})");
        }
        const auto known = layoutOf(planted).value();
        QVERIFY(known.origin == LayoutOrigin::ProcessGroups);
        QCOMPARE(known.request.tensor.value_or(0), 2);
        QCOMPARE(known.request.pipeline.value_or(0), 2);
    }

    // Numbers for names: who sends and receives is a pipeline, not a data-parallel group.
    void collectivesTellWhatGroupsAreFor() {
        Planted planted;
        planted.run.name = "run";
        planted.run.worldSize = 8;
        planted.processGroups = "default_pg (0): 0-7; undefined (1): 0-1; undefined (2): 0-6/2";
        QCOMPARE(layoutOf(planted).value().request.data.value_or(0), 4);
        planted.details.emplace_back(0,
            R"({"Collective name":"send","Process Group Name":"2","Process Group Ranks":"[0, 2, 4, 6]"})");
        const auto known = layoutOf(planted).value();
        QCOMPARE(known.request.tensor.value_or(0), 2);
        QCOMPARE(known.request.pipeline.value_or(0), 4);
        planted.details.front().second
            = R"({"Collective name":"all_to_allv","Process Group Name":"2","Process Group Ranks":"[0, 2, 4, 6]"})";
        const auto experts = layoutOf(planted).value();
        QCOMPARE(experts.request.expert.value_or(0), 4);
        QCOMPARE(experts.request.data.value_or(0), 4);
    }

    void theNameIsTheLastResort() {
        Planted planted;
        planted.run.name = "sweep/TP2-PP2";
        planted.gpus = 8;
        const auto known = layoutOf(planted).value();
        QVERIFY(known.origin == LayoutOrigin::Name);
        VERIFY_SAYS(known.wording, "nothing recorded confirms it");
        QCOMPARE(layout::makeLayout(known.request).value().grid.degrees().data, 2);
    }

    // Two GPUs were recorded of the 2 · 8 that the degrees make; nodes of eight are usual.
    void partOfTheRanksRecorded() {
        Planted planted;
        planted.run.name = "run";
        planted.run.launch.tensorParallel = 2;
        planted.run.launch.pipelineParallel = 1;
        planted.run.launch.dataParallel = 8;
        planted.gpus = 2;
        const auto made = layout::makeLayout(layoutOf(planted).value().request).value();
        QCOMPARE(made.grid.worldSize(), 16);
        QCOMPARE(made.grid.degrees().data, 8);
        QCOMPARE(made.nodes, 2);
    }

    // A configuration that says how states are sharded, and no degrees: whatever says these.
    void shardingOfTheLaunch() {
        Planted planted;
        planted.run.name = "TP2-PP1";
        planted.run.launch.zeroStage = 3;
        planted.gpus = 8;
        const auto shardingIn = [](const Planted& of, LayoutOrigin origin, auto&& known) {
            QVERIFY(known.value().origin == origin);
            const auto sharding = layout::makeLayout(known.value().request).value().sharding;
            QVERIFY(sharding.has_value());
            QCOMPARE(sharding->zeroStage, of.run.launch.zeroStage.value_or(3));
            QCOMPARE(sharding->group, 4);
        };
        shardingIn(planted, LayoutOrigin::Name, layoutOf(planted));
        planted.processGroups = "tp (1): 0-1; dp (2): 0-6/2";
        shardingIn(planted, LayoutOrigin::ProcessGroups, layoutOf(planted));
        planted.run.launch.zeroStage.reset();
        planted.run.launch.fsdp = true;
        shardingIn(planted, LayoutOrigin::ProcessGroups, layoutOf(planted));
        auto store = storeOf(planted);
        const auto run = store.runs().value().front();
        layout::LayoutRequest request;
        request.tensor = 2;
        QVERIFY(enterLayout(store, run, request).hasValue());
        shardingIn(planted, LayoutOrigin::Entered, runLayout({store, run}));
        request.zeroStage = 0; // by hand, against the launch
        QVERIFY(enterLayout(store, run, request).hasValue());
        const auto none = layout::makeLayout(runLayout({store, run}).value().request).value();
        QCOMPARE(none.sharding->zeroStage, 0);
    }

    // Shard groups of 2 of the launch, in the DP of 4 that the name gives; 3 do not fit. The
    // traces' groups say 2 where the launch does not.
    void shardGroupsOfTheLaunch() {
        Planted planted;
        planted.run.name = "TP2-PP1";
        planted.run.launch.fsdp = true;
        planted.run.launch.shardGroup = 2;
        planted.gpus = 8;
        const auto groupIn = [this](const Planted& of) {
            return layout::makeLayout(layoutOf(of).value().request).value().sharding->group;
        };
        QCOMPARE(groupIn(planted), 2);
        planted.run.launch.shardGroup = 3;
        QCOMPARE(groupIn(planted), 4);
        planted.run.launch.shardGroup.reset();
        planted.processGroups
            = "mesh_tp (1): 0-1; mesh_dp_shard (2): 0,2; mesh_dp_replicate (3): 0,4";
        QVERIFY(layoutOf(planted).value().origin == LayoutOrigin::ProcessGroups);
        QCOMPARE(groupIn(planted), 2);
    }

    // The name gives the stages, the launch how they work.
    void scheduleOfTheLaunch() {
        Planted planted;
        planted.run.name = "TP2-PP4";
        planted.run.launch.pipelineSchedule = "zero-bubble";
        planted.gpus = 8;
        const auto known = layoutOf(planted).value();
        QVERIFY(known.origin == LayoutOrigin::Name);
        QVERIFY(
            layout::makeLayout(known.request).value().schedule == layout::ScheduleKind::ZeroBubble);
        planted.run.name = "TP8-PP1"; // without stages there are no virtual ones
        planted.run.launch.virtualPipeline = 2;
        QVERIFY(layout::makeLayout(layoutOf(planted).value().request).hasValue());
    }

    // FSDP and nothing else: all of the ranks are data-parallel.
    void shardingAlone() {
        Planted planted;
        planted.run.name = "run";
        planted.run.launch.fsdp = true;
        planted.gpus = 8;
        const auto known = layoutOf(planted).value();
        QVERIFY(known.origin == LayoutOrigin::Launch);
        VERIFY_SAYS(known.notes.at(0), "assumed: all 8 ranks");
        const auto made = layout::makeLayout(known.request).value();
        QCOMPARE(made.grid.degrees().data, 8);
        QCOMPARE(made.sharding->zeroStage, 3);
        QCOMPARE(made.sharding->group, 8);
        planted.run.launch.fsdp = false;
        QVERIFY(layoutOf(planted).error().code == ErrorCode::NotFound);
    }

    void nothingSaysIt() {
        Planted planted;
        planted.run.name = "run";
        planted.gpus = 8;
        const auto known = layoutOf(planted);
        QVERIFY(known.error().code == ErrorCode::NotFound);
        VERIFY_SAYS(known.error().message, "by hand");
    }

    // By hand over everything else, kept beside what was read, and taken back.
    void enteredByHand() {
        Planted planted;
        planted.run.name = "TP8-PP1";
        planted.run.launch.tensorParallel = 2;
        planted.run.launch.globalBatch = 64;
        planted.run.launch.microBatch = 1;
        planted.run.launch.layers = 12;
        planted.gpus = 16;
        auto store = storeOf(planted);
        const auto run = store.runs().value().front();
        layout::LayoutRequest request;
        request.tensor = 4;
        request.pipeline = 2;
        QVERIFY(enterLayout(store, run, request).hasValue());
        const auto known = runLayout({store, run}).value();
        QVERIFY(known.origin == LayoutOrigin::Entered);
        QCOMPARE(std::string(toString(known.origin)), std::string("entered"));
        VERIFY_SAYS(known.wording, "by hand");
        const auto made = layout::makeLayout(known.request).value();
        QCOMPARE(made.grid.worldSize(), 16);
        QCOMPARE(made.gpusPerNode, 8);
        QCOMPARE(made.grid.degrees().tensor, 4);
        QCOMPARE(made.grid.degrees().data, 2);
        // Values that were left open are the run's: 64 samples in 2 replicas, 12 layers in 2
        // stages.
        QCOMPARE(made.microbatches.value_or(0), 32);
        QCOMPARE(layersOf(made.chunks, 1), 6);
        QVERIFY(known.notes.empty());
        QCOMPARE(recordedLayout({store, run}).value().request.tensor.value_or(0), 2);
        QVERIFY(enterLayout(store, run, std::nullopt).hasValue());
        QVERIFY(runLayout({store, run}).value().origin == LayoutOrigin::Launch);
    }

    void whatDoesNotFitIsNotKept() {
        Planted planted;
        planted.run.name = "run";
        planted.gpus = 16;
        auto store = storeOf(planted);
        const auto run = store.runs().value().front();
        layout::LayoutRequest request;
        request.tensor = 3;
        const auto refused = enterLayout(store, run, request);
        QVERIFY(refused.error().code == ErrorCode::Usage);
        VERIFY_SAYS(refused.error().message, "16 ranks are not divisible by TP 3");
        QVERIFY(!store.enteredLayout(run.id).value());
        // A cluster by hand that is not the run's is kept, and said.
        request.nodes = 3;
        request.gpusPerNode = 1;
        QVERIFY(enterLayout(store, run, request).hasValue());
        const auto known = runLayout({store, run}).value();
        VERIFY_SAYS(known.notes.at(0), "has 3 ranks, the run shows 16");
    }

    void whatCannotBeReadIsTold() {
        Planted planted;
        planted.run.name = "TP2-PP2";
        planted.gpus = 8;
        auto store = storeOf(planted);
        const auto run = store.runs().value().front();
        QVERIFY(store::setEnteredLayout(store, run.id, R"({"tp":"two"})").hasValue());
        const auto known = runLayout({store, run});
        QVERIFY(known.error().code == ErrorCode::Unrecognised);
        VERIFY_SAYS(known.error().message, "\"tp\"");
        VERIFY_SAYS(known.error().message, "--forget");
    }

    // TP 4 × EP 8 on 16 ranks does not fit: ETP 1 is assumed, and said.
    void foldedExperts() {
        Planted planted;
        planted.run.name = "run";
        planted.run.launch.tensorParallel = 4;
        planted.run.launch.expertParallel = 8;
        planted.gpus = 16;
        const auto known = layoutOf(planted).value();
        QCOMPARE(known.request.expertTensor.value_or(0), 1);
        VERIFY_SAYS(known.notes.at(0), "ETP 1");
        QVERIFY(layout::makeLayout(known.request).hasValue());
    }

private:
    std::optional<test::PlantedTrace> m_trace;

    store::Store storeOf(const Planted& planted) {
        m_trace.emplace();
        m_trace->run = planted.run;
        for (int rank = 0; rank < planted.gpus; ++rank)
            m_trace->gpus.push_back({rank, rank / 8, rank % 8, "GPU", ""});
        for (const auto& [rank, detail] : planted.details)
            m_trace->kernel(rank, "7", "ncclDevKernel_AllReduce", 100, 10, 0, detail);
        if (!planted.processGroups.empty())
            m_trace->report.facts[std::string(layout::kProcessGroupsFact)] = planted.processGroups;
        return m_trace->store();
    }

    Result<RunLayout> layoutOf(const Planted& planted) {
        const auto store = storeOf(planted);
        return runLayout({store, store.runs().value().front()});
    }
};

TRAINSCOPE_TEST(tst_RunLayout)
#include "tst_RunLayout.moc"
