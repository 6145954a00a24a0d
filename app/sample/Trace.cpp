#include "app/sample/Simulation.h"
#include "core/model/Try.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <iterator>
#include <numeric>

namespace trainscope::app::sample {
namespace {

// The trace of one rank: collects its spans, as its node's clock would stamp them, and hands them
// to the sink.

enum class Stream { Compute, TensorParallel, Send, Receive };

// One kernel of a transformer layer and its share of the layer's time.
struct LayerKernel {
    std::string_view name;
    Stream stream;
    double share;
};

// The kernels of a layer under tensor parallelism, in order.
constexpr std::array<LayerKernel, 11> kForwardLayer{{
    {"layer_norm_fwd_kernel<bf16, 12288>", Stream::Compute, 0.02},
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x256x64_qkv", Stream::Compute, 0.17},
    {"flash_fwd_kernel<bf16, 128, causal>", Stream::Compute, 0.09},
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x256x64_proj", Stream::Compute, 0.07},
    {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL", Stream::TensorParallel, 0.09},
    {"bias_dropout_add_elementwise_kernel<bf16>", Stream::Compute, 0.02},
    {"layer_norm_fwd_kernel<bf16, 12288>", Stream::Compute, 0.02},
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x256x64_fc1", Stream::Compute, 0.21},
    {"gelu_elementwise_kernel<bf16>", Stream::Compute, 0.02},
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x256x64_fc2", Stream::Compute, 0.20},
    {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL", Stream::TensorParallel, 0.09},
}};
constexpr std::array<LayerKernel, 11> kBackwardLayer{{
    {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL", Stream::TensorParallel, 0.06},
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_nn_n_tilesize128x256x64_fc2_dgrad", Stream::Compute,
        0.16},
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_nt_n_tilesize128x256x64_fc2_wgrad", Stream::Compute,
        0.16},
    {"gelu_backward_elementwise_kernel<bf16>", Stream::Compute, 0.02},
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_nn_n_tilesize128x256x64_fc1_dgrad", Stream::Compute,
        0.15},
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_nt_n_tilesize128x256x64_fc1_wgrad", Stream::Compute,
        0.15},
    {"layer_norm_bwd_kernel<bf16, 12288>", Stream::Compute, 0.02},
    {"flash_bwd_kernel<bf16, 128, causal>", Stream::Compute, 0.11},
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_nn_n_tilesize128x256x64_qkv_dgrad", Stream::Compute,
        0.08},
    {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL", Stream::TensorParallel, 0.06},
    {"layer_norm_bwd_kernel<bf16, 12288>", Stream::Compute, 0.03},
}};

constexpr std::string_view kSendRecvKernel = "ncclDevKernel_SendRecv";
constexpr std::string_view kNormKernel = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";
constexpr std::string_view kAdamKernel = "multi_tensor_apply_kernel<AdamFunctor>";

constexpr const char* kComputeDetail = R"({"grid":"[132, 1, 1]","block":"[384, 1, 1]"})";

std::vector<int> tensorGroup(const ClusterParameters& cluster, int rank) {
    std::vector<int> ranks;
    for (int local = 0; local < cluster.gpusPerNode; ++local)
        ranks.push_back(rank - rank % cluster.gpusPerNode + local);
    return ranks;
}

std::vector<int> pipelineGroup(const ClusterParameters& cluster, int rank) {
    std::vector<int> ranks;
    for (int stage = 0; stage < cluster.stages(); ++stage)
        ranks.push_back(stage * cluster.gpusPerNode + rank % cluster.gpusPerNode);
    return ranks;
}

// So many numbers of a type.
struct Message {
    int elements;
    std::string_view type;
};

std::string collectiveDetail(std::string_view collective, Message message, std::string_view group,
    std::string_view description, const std::vector<int>& ranks) {
    return fmt::format(
        R"({{"Collective name":"{}","In msg nelems":{},"Out msg nelems":{},"dtype":"{}",)"
        R"("Group size":{},"Process Group Name":"{}","Process Group Description":"{}",)"
        R"("Process Group Ranks":"[{}]"}})",
        collective, message.elements, message.elements, message.type, ranks.size(), group,
        description, fmt::join(ranks, ", "));
}

class RankTrace {
public:
    RankTrace(const ClusterParameters& cluster, int rank, RunId run, Sink& sink)
        : m_cluster(cluster)
        , m_rank(rank)
        , m_run(run)
        , m_sink(sink)
        , m_pace(cluster.pace(rank))
        , m_tensorDetail(collectiveDetail("allreduce", {kActivations, "BFloat16"}, "tp",
              "TENSOR_MODEL_PARALLEL_GROUP", tensorGroup(cluster, rank))) { }

    Status open() {
        constexpr std::array<std::string_view, 4> names{"stream 7", "stream 20 (tensor parallel)",
            "stream 24 (sent to stages)", "stream 28 (received from stages)"};
        constexpr std::array<std::string_view, 4> threads{"7", "20", "24", "28"};
        for (std::size_t i = 0; i < names.size(); ++i) {
            ASSIGN_OR_RETURN(const auto track,
                m_sink.track(m_run,
                    {TrackKind::Stream, m_rank, m_rank % m_cluster.gpusPerNode, "0",
                        std::string(threads[i]), std::string(names[i])}));
            m_streams[i] = track;
        }
        ASSIGN_OR_RETURN(const auto host,
            m_sink.track(
                m_run, {TrackKind::Thread, m_rank, -1, "4242", "4242", "thread 4242 (python)"}));
        m_host = host;
        return {};
    }
    // A micro-batch's pass. Compute kernels take what this GPU's pace makes of their share; a
    // collective begins when the GPU gets there and ends for all ranks at once.
    Status pass(const StageWork& work) {
        const auto& kernels
            = work.kind == StageWork::Kind::Forward ? kForwardLayer : kBackwardLayer;
        const int layers = kLayers / m_cluster.stages();
        const double layerSeconds = (work.end - work.begin) / layers;
        for (int l = 0; l < layers; ++l) {
            RETURN_IF_ERROR(layer(kernels, work.begin + l * layerSeconds, layerSeconds));
        }
        return {};
    }
    Status optimizer(const StageWork& work) {
        constexpr int kParts = 40;
        const double part = (work.end - work.begin) / kParts;
        for (int i = 0; i < kParts; ++i) {
            const double begin = work.begin + i * part;
            RETURN_IF_ERROR(
                kernel(kAdamKernel, Stream::Compute, begin, begin + 0.95 * part, kComputeDetail));
        }
        return {};
    }
    // One side of a hand-over to or from the same local index of another stage.
    Status handOver(bool isSend, int peer, double begin, double end) {
        std::string detail = collectiveDetail(isSend ? "send" : "recv",
            {kActivations / m_cluster.gpusPerNode, "BFloat16"}, "pp",
            "PIPELINE_MODEL_PARALLEL_GROUP", pipelineGroup(m_cluster, m_rank));
        detail.insert(detail.size() - 1,
            fmt::format(
                R"(,"Src Rank":{},"Dst Rank":{})", isSend ? m_rank : peer, isSend ? peer : m_rank));
        return kernel(kSendRecvKernel, isSend ? Stream::Send : Stream::Receive, begin, end, detail);
    }
    // The all-reduce of the gradients' norm over all ranks: who is done with its passes waits.
    Status gradientNorm(double begin, double end) {
        std::vector<int> all(static_cast<std::size_t>(m_cluster.gpus()));
        std::iota(all.begin(), all.end(), 0);
        return kernel(kNormKernel, Stream::TensorParallel, begin, end + 0.5e-6 * wobble(),
            collectiveDetail("allreduce", {1, "Float"}, "mp", "MODEL_PARALLEL_GROUP", all));
    }
    Status annotate(const std::string& name, double begin, double end) {
        ASSIGN_OR_RETURN(const auto id, m_sink.intern(name));
        Span span;
        span.start = at(begin);
        span.duration = at(end) - span.start;
        span.name = id;
        span.kind = SpanKind::Annotation;
        return m_sink.spans(m_host, {&span, 1});
    }

    [[nodiscard]] std::int64_t kernels() const { return m_kernels; }

private:
    Status layer(const std::array<LayerKernel, 11>& kernels, double begin, double seconds) {
        constexpr double kGap = 2e-6; // seconds between two kernels of a stream
        double slot = begin; // begin of the kernel's share of the layer
        double free = begin; // time at which this GPU is done with earlier kernels
        for (const LayerKernel& one : kernels) {
            const double slotEnd = slot + one.share * seconds;
            const bool isCollective = one.stream != Stream::Compute;
            const double end = isCollective
                ? slotEnd - kGap + 0.5e-6 * wobble()
                : std::min(free + one.share * seconds * m_pace * (1.0 + 0.004 * wobble()), slotEnd)
                    - kGap;
            RETURN_IF_ERROR(kernel(
                one.name, one.stream, free, end, isCollective ? m_tensorDetail : kComputeDetail));
            free = isCollective ? slotEnd : end + kGap;
            slot = slotEnd;
        }
        return {};
    }
    Status kernel(
        std::string_view name, Stream stream, double begin, double end, const std::string& detail) {
        ASSIGN_OR_RETURN(const auto nameId, m_sink.intern(name));
        ASSIGN_OR_RETURN(const auto detailId, m_sink.intern(detail));
        ++m_kernels;
        Span span;
        span.start = at(begin);
        span.duration = std::max(at(end) - span.start, DurationNs{500});
        span.name = nameId;
        span.kind = SpanKind::Kernel;
        span.correlation = m_kernels;
        span.detail = detailId;
        const auto written = m_sink.spans(m_streams[static_cast<std::size_t>(stream)], {&span, 1});
        return written.hasValue() ? launch(span) : written;
    }
    // The host runs ahead of the device.
    Status launch(const Span& kernel) {
        ASSIGN_OR_RETURN(const auto name, m_sink.intern("cudaLaunchKernelExC"));
        Span call;
        call.start = kernel.start - DurationNs{180'000};
        call.duration = {4'200};
        call.name = name;
        call.kind = SpanKind::Runtime;
        call.correlation = kernel.correlation;
        return m_sink.spans(m_host, {&call, 1});
    }
    [[nodiscard]] TimeNs at(double seconds) const {
        return {kStart.ns
            + std::llround(
                (seconds + m_cluster.clockOffset(m_rank / m_cluster.gpusPerNode)) * 1e9)};
    }
    [[nodiscard]] double wobble() const {
        return noise(m_cluster.seed + 31, static_cast<std::uint64_t>(m_rank),
            static_cast<std::uint64_t>(m_kernels));
    }

    const ClusterParameters& m_cluster;
    int m_rank;
    RunId m_run;
    Sink& m_sink;
    double m_pace; // share of a kernel's time in the layer that this GPU needs
    std::string m_tensorDetail;
    std::array<TrackId, 4> m_streams;
    TrackId m_host;
    std::int64_t m_kernels = 0;
};

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
    const auto found
        = std::ranges::find_if(all, [](const auto& step) { return step.end > kTracedMoment; });
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
