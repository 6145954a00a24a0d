#include "app/sample/RankTrace.h"

#include "core/model/Try.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace trainscope::app::sample {

namespace {

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

} // namespace

RankTrace::RankTrace(const ClusterParameters& cluster, int rank, RunId run, Sink& sink)
    : m_cluster(cluster)
    , m_rank(rank)
    , m_run(run)
    , m_sink(sink)
    , m_pace(cluster.pace(rank))
    , m_tensorDetail(collectiveDetail("allreduce", {kActivations, "BFloat16"}, "tp",
          "TENSOR_MODEL_PARALLEL_GROUP", tensorGroup(cluster, rank))) { }

Status RankTrace::open() {
    constexpr std::array<std::string_view, 3> names{
        "stream 7", "stream 20 (tensor parallel)", "stream 24 (pipeline)"};
    constexpr std::array<std::string_view, 3> threads{"7", "20", "24"};
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

TimeNs RankTrace::at(double seconds) const {
    return {kStart.ns
        + std::llround((seconds + m_cluster.clockOffset(m_rank / m_cluster.gpusPerNode)) * 1e9)};
}

double RankTrace::wobble() const {
    return noise(m_cluster.seed + 31, static_cast<std::uint64_t>(m_rank),
        static_cast<std::uint64_t>(m_kernels));
}

Status RankTrace::pass(const StageWork& work) {
    const auto& kernels = work.kind == StageWork::Kind::Forward ? kForwardLayer : kBackwardLayer;
    const int layers = kLayers / m_cluster.stages();
    const double layerSeconds = (work.end - work.begin) / layers;
    for (int l = 0; l < layers; ++l) {
        RETURN_IF_ERROR(layer(kernels, work.begin + l * layerSeconds, layerSeconds));
    }
    return {};
}

Status RankTrace::layer(const std::array<LayerKernel, 11>& kernels, double begin, double seconds) {
    constexpr double kGap = 2e-6; // between two kernels of a stream
    double slot = begin; // where the kernel's share of the layer begins
    double free = begin; // when this GPU is done with what comes before
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

Status RankTrace::optimizer(const StageWork& work) {
    constexpr int kParts = 40;
    const double part = (work.end - work.begin) / kParts;
    for (int i = 0; i < kParts; ++i) {
        const double begin = work.begin + i * part;
        RETURN_IF_ERROR(
            kernel(kAdamKernel, Stream::Compute, begin, begin + 0.95 * part, kComputeDetail));
    }
    return {};
}

Status RankTrace::handOver(bool isSend, int peer, double begin, double end) {
    std::string detail = collectiveDetail(isSend ? "send" : "recv",
        {kActivations / m_cluster.gpusPerNode, "BFloat16"}, "pp", "PIPELINE_MODEL_PARALLEL_GROUP",
        pipelineGroup(m_cluster, m_rank));
    detail.insert(detail.size() - 1,
        fmt::format(
            R"(,"Src Rank":{},"Dst Rank":{})", isSend ? m_rank : peer, isSend ? peer : m_rank));
    return kernel(kSendRecvKernel, Stream::Pipeline, begin, end, detail);
}

Status RankTrace::gradientNorm(double begin, double end) {
    std::vector<int> all(static_cast<std::size_t>(m_cluster.gpus()));
    std::iota(all.begin(), all.end(), 0);
    return kernel(kNormKernel, Stream::TensorParallel, begin, end + 0.5e-6 * wobble(),
        collectiveDetail("allreduce", {1, "Float"}, "mp", "MODEL_PARALLEL_GROUP", all));
}

Status RankTrace::annotate(const std::string& name, double begin, double end) {
    ASSIGN_OR_RETURN(const auto id, m_sink.intern(name));
    Span span;
    span.start = at(begin);
    span.duration = at(end) - span.start;
    span.name = id;
    span.kind = SpanKind::Annotation;
    return m_sink.spans(m_host, {&span, 1});
}

Status RankTrace::kernel(
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
Status RankTrace::launch(const Span& kernel) {
    ASSIGN_OR_RETURN(const auto name, m_sink.intern("cudaLaunchKernelExC"));
    Span call;
    call.start = kernel.start - DurationNs{180'000};
    call.duration = {4'200};
    call.name = name;
    call.kind = SpanKind::Runtime;
    call.correlation = kernel.correlation;
    return m_sink.spans(m_host, {&call, 1});
}

} // namespace trainscope::app::sample
