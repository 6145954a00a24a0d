#include "app/sample/SampleTrace.h"

#include "app/sample/Noise.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

namespace trainscope::app::sample {

namespace {

enum class Stream { Compute, TensorParallel, Pipeline };

// One kernel of a transformer layer and its share of the layer's time.
struct LayerKernel {
    std::string_view name;
    Stream stream;
    double share;
};
constexpr std::array<LayerKernel, 11> kForwardLayer{{
    {"layer_norm_fwd_kernel<bf16, 12288>", Stream::Compute, 0.02},
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x256x64_qkv", Stream::Compute, 0.17},
    {"flash_fwd_kernel<bf16, 128, causal>", Stream::Compute, 0.09},
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x256x64_proj", Stream::Compute, 0.07},
    {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL", Stream::TensorParallel, 0.08},
    {"bias_dropout_add_elementwise_kernel<bf16>", Stream::Compute, 0.02},
    {"layer_norm_fwd_kernel<bf16, 12288>", Stream::Compute, 0.02},
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x256x64_fc1", Stream::Compute, 0.22},
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

constexpr double kTraceBefore = 1.1; // seconds around the turn of the iteration
constexpr double kTraceAfter = 1.3;

TimeNs at(double seconds) {
    return {kStart.ns + std::llround(seconds * 1e9)};
}

// Collects the spans of one rank and hands them to the sink.
class RankTrace {
public:
    RankTrace(const ClusterParameters& cluster, int rank, RunId run, Sink& sink)
        : m_cluster(cluster)
        , m_rank(rank)
        , m_run(run)
        , m_sink(sink) { }

    Status open() {
        constexpr std::array<std::string_view, 3> names{
            "stream 7", "stream 20 (tensor parallel)", "stream 24 (pipeline)"};
        constexpr std::array<std::string_view, 3> threads{"7", "20", "24"};
        for (std::size_t i = 0; i < names.size(); ++i) {
            const auto track = m_sink.track(m_run,
                {TrackKind::Stream, m_rank, m_rank % m_cluster.gpusPerNode, "0",
                    std::string(threads[i]), std::string(names[i])});
            if (!track.hasValue())
                return track.error();
            m_streams[i] = track.value();
        }
        const auto host = m_sink.track(
            m_run, {TrackKind::Thread, m_rank, -1, "4242", "4242", "thread 4242 (python)"});
        if (!host.hasValue())
            return host.error();
        m_host = host.value();
        return {};
    }

    Status pass(const StageWork& work) {
        const bool forward = work.kind == StageWork::Kind::Forward;
        const auto& layer = forward ? kForwardLayer : kBackwardLayer;
        const int layers = kLayers / m_cluster.stages();
        const double layerSeconds = (work.end - work.begin) / layers;
        double now = work.begin;
        for (int l = 0; l < layers; ++l) {
            double kernelStart = now;
            for (const auto& kernel : layer) {
                const double length = kernel.share * layerSeconds;
                // Each kernel ends a little before the next: launch gaps.
                const auto done = add(kernel, kernelStart, 0.97 * length, tensorDetail());
                if (!done.hasValue())
                    return done;
                kernelStart += length;
            }
            now += layerSeconds;
        }
        return handOver(work, forward);
    }

    Status optimizer(const StageWork& work) {
        constexpr int kParts = 40;
        const double part = (work.end - work.begin) / kParts;
        for (int i = 0; i < kParts; ++i) {
            const auto done = add({"multi_tensor_apply_kernel<AdamFunctor>", Stream::Compute, 1.0},
                work.begin + i * part, 0.95 * part, {});
            if (!done.hasValue())
                return done;
        }
        return {};
    }

    Status annotate(const std::string& name, double begin, double end) {
        const auto id = m_sink.intern(name);
        if (!id.hasValue())
            return id.error();
        Span span;
        span.start = at(begin);
        span.duration = at(end) - span.start;
        span.name = id.value();
        span.kind = SpanKind::Annotation;
        return m_sink.spans(m_host, {&span, 1});
    }

    [[nodiscard]] std::int64_t kernels() const { return m_kernels; }

private:
    Status handOver(const StageWork& work, bool forward) {
        const int stage = m_rank / m_cluster.gpusPerNode;
        const int peer = m_rank + (forward ? m_cluster.gpusPerNode : -m_cluster.gpusPerNode);
        const bool last = forward ? stage + 1 == m_cluster.stages() : stage == 0;
        if (last)
            return {};
        return add({"ncclDevKernel_SendRecv", Stream::Pipeline, 1.0}, work.end, kHandOverSeconds,
            fmt::format(
                R"({{"Collective name":"send","In msg nelems":3145728,"dtype":"BFloat16","Group size":2,)"
                R"("Process Group Name":"pp","Process Group Ranks":"[{}, {}]"}})",
                m_rank, peer));
    }

    [[nodiscard]] std::string tensorDetail() const {
        const int first = m_rank - m_rank % m_cluster.gpusPerNode;
        return fmt::format(
            R"({{"Collective name":"allreduce","In msg nelems":25165824,"Out msg nelems":25165824,"dtype":"BFloat16",)"
            R"("Group size":8,"Process Group Name":"tp","Process Group Ranks":"[{}, {}, {}, {}, {}, {}, {}, {}]"}})",
            first, first + 1, first + 2, first + 3, first + 4, first + 5, first + 6, first + 7);
    }

    Status add(
        const LayerKernel& kernel, double start, double length, const std::string& collective) {
        const auto name = m_sink.intern(kernel.name);
        if (!name.hasValue())
            return name.error();
        const bool isCollective = kernel.stream != Stream::Compute;
        const auto detail = m_sink.intern(
            isCollective ? collective : R"({"grid":"[132, 1, 1]","block":"[384, 1, 1]"})");
        if (!detail.hasValue())
            return detail.error();
        Span span;
        ++m_kernels;
        const double wobble = 1.0
            + 0.01
                * noise(m_cluster.seed + 31, static_cast<std::uint64_t>(m_rank),
                    static_cast<std::uint64_t>(m_kernels));
        span.start = at(start);
        span.duration = {std::llround(length * wobble * 1e9)};
        span.name = name.value();
        span.kind = SpanKind::Kernel;
        span.correlation = m_kernels;
        span.detail = detail.value();
        const auto written
            = m_sink.spans(m_streams[static_cast<std::size_t>(kernel.stream)], {&span, 1});
        return written.hasValue() ? launch(span) : written;
    }

    // The host runs ahead of the device.
    Status launch(const Span& kernel) {
        const auto name = m_sink.intern("cudaLaunchKernelExC");
        if (!name.hasValue())
            return name.error();
        Span call;
        call.start = kernel.start - DurationNs{180'000};
        call.duration = {4'200};
        call.name = name.value();
        call.kind = SpanKind::Runtime;
        call.correlation = kernel.correlation;
        return m_sink.spans(m_host, {&call, 1});
    }

    const ClusterParameters& m_cluster;
    int m_rank;
    RunId m_run;
    Sink& m_sink;
    std::array<TrackId, 3> m_streams;
    TrackId m_host;
    std::int64_t m_kernels = 0;
};

Status writeRank(const ClusterParameters& cluster, const PipelineRun& pipeline, int stage,
    RunId run, Sink& sink, ImportReport& report) {
    const double turn = pipeline.iterations[1].end;
    RankTrace trace(cluster, stage * cluster.gpusPerNode, run, sink);
    auto status = trace.open();
    if (!status.hasValue())
        return status;
    for (const auto& work : pipeline.stages[static_cast<std::size_t>(stage)]) {
        if (work.end < turn - kTraceBefore || work.begin > turn + kTraceAfter)
            continue;
        status = work.kind == StageWork::Kind::Optimizer ? trace.optimizer(work) : trace.pass(work);
        if (!status.hasValue())
            return status;
    }
    for (std::size_t i = 1; i < 3 && i < pipeline.iterations.size(); ++i) {
        const auto& step = pipeline.iterations[i];
        status = trace.annotate(fmt::format("ProfilerStep#{}", i + 1), step.begin, step.end);
        if (!status.hasValue())
            return status;
    }
    report.spans += 2 * trace.kernels() + 2;
    report.counts["cat:kernel"] += trace.kernels();
    return {};
}

} // namespace

Status writeTrace(const ClusterParameters& cluster, const PipelineRun& pipeline, RunId run,
    Sink& sink, ImportReport& report) {
    for (int stage = 0; stage < cluster.stages(); ++stage) {
        const auto written = writeRank(cluster, pipeline, stage, run, sink, report);
        if (!written.hasValue())
            return written;
    }
    return {};
}

} // namespace trainscope::app::sample
