#include "app/sample/RankTrace.h"

#include "core/model/Try.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

namespace trainscope::app::sample {

namespace {

constexpr double kTracedMoment = 90.0; // s; the iteration that holds it is traced

// The stage that the input of a pass comes from: the one before for a forward, the one behind for a
// backward.
int inputStage(const StageWork& work, int stage) {
    return work.kind == StageWork::Kind::Forward ? stage - 1 : stage + 1;
}

// The moment when the neighbouring stage was done with the same micro-batch.
std::optional<double> inputDone(const PipelineRun& pipeline, int stage, const StageWork& work) {
    const int from = inputStage(work, stage);
    if (work.kind == StageWork::Kind::Optimizer || from < 0
        || from >= static_cast<int>(pipeline.stages.size()))
        return std::nullopt;
    const auto& works = pipeline.stages[static_cast<std::size_t>(from)];
    auto later = std::partition_point(works.begin(), works.end(),
        [&work](const StageWork& other) { return other.end <= work.begin; });
    while (later != works.begin()) {
        --later;
        if (later->kind == work.kind && later->microbatch == work.microbatch)
            return later->end;
    }
    return std::nullopt;
}

std::size_t tracedIteration(const PipelineRun& pipeline) {
    const auto& all = pipeline.iterations;
    const auto found = std::find_if(
        all.begin(), all.end(), [](const auto& step) { return step.end > kTracedMoment; });
    return static_cast<std::size_t>(std::min(found, std::prev(all.end())) - all.begin());
}

class TraceWriter {
public:
    TraceWriter(const ClusterParameters& cluster, const PipelineRun& pipeline, int rank, RunId run,
        Sink& sink)
        : m_cluster(cluster)
        , m_pipeline(pipeline)
        , m_rank(rank)
        , m_stage(rank / cluster.gpusPerNode)
        , m_traced(tracedIteration(pipeline))
        , m_step(pipeline.iterations[m_traced])
        , m_trace(cluster, rank, run, sink) { }

    Status write(ImportReport& report) {
        Status status = m_trace.open();
        double before = 0.0; // end of the work before
        for (const auto& work : m_pipeline.stages[static_cast<std::size_t>(m_stage)]) {
            if (status.hasValue() && isTraced(work))
                status = writeWork(work, before);
            before = work.end;
        }
        if (status.hasValue())
            status = m_trace.annotate(
                fmt::format("ProfilerStep#{}", m_traced + 1), m_step.begin, m_step.end);
        report.spans += 2 * m_trace.kernels() + 1;
        report.counts["cat:kernel"] += m_trace.kernels();
        return status;
    }

private:
    [[nodiscard]] bool isTraced(const StageWork& work) const {
        return work.begin >= m_step.begin && work.begin < m_step.end;
    }

    Status writeWork(const StageWork& work, double before) {
        if (work.kind == StageWork::Kind::Optimizer) {
            const auto norm = m_trace.gradientNorm(before, work.begin);
            return norm.hasValue() ? m_trace.optimizer(work) : norm;
        }
        if (const auto done = inputDone(m_pipeline, m_stage, work)) {
            // The kernel of the receiver is there as soon as nothing else is to do, and waits.
            RETURN_IF_ERROR(m_trace.handOver(false, peer(inputStage(work, m_stage)),
                std::max(std::min(before, *done), m_step.begin), *done + kHandOverSeconds));
        }
        RETURN_IF_ERROR(m_trace.pass(work));
        const int next = 2 * m_stage - inputStage(work, m_stage);
        if (next < 0 || next >= m_cluster.stages())
            return {};
        return m_trace.handOver(true, peer(next), work.end, work.end + kHandOverSeconds);
    }

    [[nodiscard]] int peer(int stage) const {
        return stage * m_cluster.gpusPerNode + m_rank % m_cluster.gpusPerNode;
    }

    const ClusterParameters& m_cluster;
    const PipelineRun& m_pipeline;
    int m_rank;
    int m_stage;
    std::size_t m_traced;
    PipelineRun::IterationTimes m_step;
    RankTrace m_trace;
};

} // namespace

Status writeTrace(const ClusterParameters& cluster, const PipelineRun& pipeline, RunId run,
    Sink& sink, ImportReport& report) {
    for (int stage = 0; stage < cluster.stages(); ++stage) {
        for (const int local : {0, cluster.gpusPerNode - 1}) {
            TraceWriter writer(cluster, pipeline, stage * cluster.gpusPerNode + local, run, sink);
            RETURN_IF_ERROR(writer.write(report));
        }
    }
    return {};
}

} // namespace trainscope::app::sample
