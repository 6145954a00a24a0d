#include "app/sample/Sample.h"

#include "app/importing/ImportRunner.h"
#include "app/sample/Simulation.h"
#include "core/model/InteractiveThread.h"
#include "core/model/Try.h"
#include "core/store/Writing.h"
#include "importers/registry/Registry.h"

#include <system_error>

namespace trainscope::app {

namespace {

using namespace importers;

// A tree whose files are shown under another folder than theirs.
class RenamedTree final : public SourceTree {
public:
    RenamedTree(std::unique_ptr<SourceTree> inner, std::string folder)
        : m_inner(std::move(inner))
        , m_folder(std::move(folder)) { }

    [[nodiscard]] const std::vector<SourceFile>& files() const override { return m_inner->files(); }
    [[nodiscard]] Result<std::unique_ptr<ByteStream>> openRaw(
        const std::string& path) const override {
        return m_inner->openRaw(path);
    }
    [[nodiscard]] std::string displayPath(const std::string& path) const override {
        return path.empty() ? m_folder : m_folder + "/" + path;
    }

private:
    std::unique_ptr<SourceTree> m_inner;
    std::string m_folder;
};

// Everything in the folder is of one GPU.
void nameRun(ImportPlan& plan) {
    for (ImportUnit& unit : plan.units) {
        unit.runName = kRecordedRun;
        unit.rank = 0;
    }
}

using namespace sample;

Run describe(const ClusterParameters& cluster) {
    Run run;
    run.name = cluster.runName;
    run.simulated = true;
    run.gpuModel = cluster.gpuModel;
    run.worldSize = cluster.gpus();
    run.nodeCount = cluster.nodes;
    run.launch.model = "gpt3-175b";
    run.launch.precision = "bf16";
    run.launch.nodes = cluster.nodes;
    run.launch.gpusPerNode = cluster.gpusPerNode;
    run.launch.tensorParallel = cluster.gpusPerNode;
    run.launch.pipelineParallel = cluster.stages();
    run.launch.dataParallel = 1;
    run.launch.microBatch = kMicroBatch;
    run.launch.globalBatch = kMicrobatches * kMicroBatch;
    run.launch.sequenceLength = kSequence;
    run.launch.layers = kLayers;
    run.launch.hiddenSize = kHidden;
    run.launch.attentionHeads = 96;
    run.launch.ffnSize = 4 * kHidden;
    run.launch.gatedMlp = false;
    run.launch.vocabulary = kVocabulary;
    run.launch.workload = Workload::Training;
    run.launch.origin = "the built-in generator";
    return run;
}

Status writeMachine(const ClusterParameters& cluster, RunId run, Sink& sink) {
    for (int rank = 0; rank < cluster.gpus(); ++rank) {
        RETURN_IF_ERROR(sink.gpu(run,
            {rank, rank / cluster.gpusPerNode, rank % cluster.gpusPerNode, cluster.gpuModel, {}}));
    }
    return {};
}

Status writeIterations(const PipelineRun& pipeline, RunId run, Sink& sink) {
    const auto at = [](double seconds) {
        return kStart + DurationNs{static_cast<std::int64_t>(seconds * 1e9)};
    };
    for (std::size_t i = 0; i < pipeline.iterations.size(); ++i) {
        const auto& step = pipeline.iterations[i];
        RETURN_IF_ERROR(sink.iteration(
            run, {static_cast<std::int64_t>(i) + 1, {at(step.begin), at(step.end)}, -1, i == 0}));
    }
    return {};
}

Status writeRun(const ClusterParameters& cluster, Sink& sink, ImportReport& report) {
    const auto pipeline = simulatePipeline(cluster);
    ASSIGN_OR_RETURN(const auto run, sink.run(describe(cluster)));
    RETURN_IF_ERROR(writeMachine(cluster, run, sink));
    RETURN_IF_ERROR(writeTelemetry(cluster, pipeline, run, sink, report));
    RETURN_IF_ERROR(writeTrace(cluster, pipeline, run, sink, report));
    return writeIterations(pipeline, run, sink);
}

Status importRun(store::Store& database, const ClusterParameters& cluster) {
    ASSIGN_OR_RETURN(auto session,
        store::beginImport(
            database, {"simulated: " + cluster.runName, 0, "simulated", cluster.runName}));
    ImportReport report;
    report.importer = "sample 1";
    report.ranksExpected = cluster.gpus();
    for (int rank = 0; rank < cluster.gpus(); ++rank)
        report.ranksFound.push_back(rank);
    report.facts["origin"] = "simulated by a deterministic generator; no number here was measured";
    report.facts["power kind"] = "instant";
    report.facts["sensor period"] = "0.1 s";
    RETURN_IF_ERROR(writeRun(cluster, *session, report));
    return session->finish(report, "simulated", 0, {});
}

} // namespace

Status addRecording(const std::filesystem::path& database, const std::filesystem::path& folder) {
    ASSIGN_OR_RETURN(auto disk, openDiskTree(folder.string()));
    const RenamedTree tree(std::move(disk), "resources/recording");
    ASSIGN_OR_RETURN(auto plan, planImport(tree, {}));
    nameRun(plan);
    ASSIGN_OR_RETURN(const auto outcomes,
        runImport(tree, plan, database, [](const ImportProgress&) { return true; }));
    for (const UnitOutcome& outcome : outcomes) {
        if (outcome.error)
            return *outcome.error;
    }
    return {};
}

Status writeSample(const std::filesystem::path& database) {
    ASSIGN_OR_RETURN(auto opened, store::Store::openOrCreate(database));
    for (const auto& cluster : {h200Cluster(), h100Cluster()}) {
        RETURN_IF_ERROR(importRun(opened, cluster));
    }
    return {};
}

Result<std::filesystem::path> sampleDatabase() {
    assertMayBlock("looks for the built-in sample");
    std::error_code failure;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", failure).parent_path();
    const auto sample = (program / "../share/trainscope/sample.trainscope").lexically_normal();
    if (std::filesystem::exists(sample, failure))
        return sample;
    return Error{ErrorCode::NotFound,
        "The built-in sample is missing. It is made when Trainscope is built; build or install it "
        "again. Looked for "
            + sample.string() + ".",
        {}};
}

} // namespace trainscope::app
