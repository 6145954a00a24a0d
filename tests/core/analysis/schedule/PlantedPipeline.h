#pragma once
// A traced step of a pipeline made from a planned schedule: its passes as kernels, with transfers,
// annotations and what comes after them.

#include "core/analysis/traces/PlantedTrace.h"

#include "core/layout/ScheduleOrder.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

namespace trainscope::test {

using layout::ScheduleKind;
using layout::ScheduleTask;
using layout::TaskKind;

inline constexpr std::int64_t kUnit = 1'000'000; // a unit of the planned schedule

// Evidence of forward and backward in the planted traces.
enum class Evidence {
    Names,
    Launches,
    StreamAnnotations,
    HostAnnotations,
    LayerAnnotations,
    Numbers, // annotations of zero-bubble-pipeline-parallelism: "B3.1.0"
    Pipelining, // torch.distributed.pipelining: "PP:5I3"
    None
};

struct Plant {
    ScheduleKind kind = ScheduleKind::OneForwardOneBackward;
    int stages = 4;
    int microbatches = 8;
    int virtualStages = 1;
    double sendTime = 0.05;
    Evidence evidence = Evidence::Names;
    bool hasTransfers = true;
    int kernels = 5; // in a forward pass
    bool saysMicrobatches = true;
    std::int64_t clockStep = 0; // each stage's clock against the one before
    bool recomputes = false; // layer by layer, inside the backward pass
    bool losesLastWeights = false; // those of the last micro-batch are one W_clear
};

inline std::string detailOf(const char* collective, const char* description, int a, int b) {
    return R"({"Collective name":")" + std::string(collective) + R"(","Process Group Name":"g)"
        + std::to_string(a) + "_" + std::to_string(b) + R"(","Process Group Description":")"
        + description
        + R"(","In msg nelems":1024,"Out msg nelems":1024,"dtype":"BFloat16","Group size":2,)"
        + R"("Process Group Ranks":"[)" + std::to_string(std::min(a, b)) + ", "
        + std::to_string(std::max(a, b)) + R"(]"})";
}

class PlantedPipeline {
public:
    explicit PlantedPipeline(const Plant& plant)
        : m_plant(plant) {
        layout::ScheduleRequest request{
            plant.kind, plant.stages, plant.microbatches, plant.virtualStages, {}, plant.sendTime};
        std::mt19937 dice(5);
        std::uniform_real_distribution<double> vary(0.8, 1.2);
        for (int piece = 0; piece < plant.stages * plant.virtualStages; ++piece) {
            const double size = vary(dice);
            request.times.push_back({size, size, size * vary(dice)});
        }
        times = request.times;
        schedule = layout::makeSchedule(request).value();
        auto& launch = trace.run.launch;
        launch.pipelineParallel = plant.stages;
        if (plant.virtualStages > 1)
            launch.virtualPipeline = plant.virtualStages;
        if (plant.saysMicrobatches) {
            launch.microBatch = 1;
            launch.globalBatch = plant.microbatches;
        }
        launch.origin = "launch.yaml";
        trace.run.worldSize = plant.stages;
        for (const ScheduleTask& task : schedule.tasks)
            addPass(task);
        addEnds();
    }

    layout::Schedule schedule;
    std::vector<layout::PieceTimes> times; // by piece, in units
    PlantedTrace trace;
    static constexpr std::int64_t kOrigin = 1'000'000'000;

    [[nodiscard]] std::int64_t at(int stage, double time) const {
        return kOrigin + stage * m_plant.clockStep
            + static_cast<std::int64_t>(std::llround(time * static_cast<double>(kUnit)));
    }

private:
    void addPass(const ScheduleTask& task) {
        const int count = kernelsOf(task.kind);
        const double each = (task.end - task.start) / count;
        for (int k = 0; k < count; ++k) {
            const std::int64_t from = at(task.stage, task.start + k * each);
            const std::int64_t to = at(task.stage, task.start + (k + 1) * each);
            const std::int64_t correlation = launchOf(task.stage, from);
            // The last one of a pass reaches its end; before that there are gaps.
            trace.kernel(task.stage, "7", nameOf(task.kind, k), from,
                to - from - (k + 1 < count ? kUnit / 100 : 0), correlation);
            if (m_plant.evidence == Evidence::LayerAnnotations)
                annotate(task, from, to - kUnit / 100);
        }
        if (m_plant.evidence != Evidence::LayerAnnotations)
            annotate(task, at(task.stage, task.start), at(task.stage, task.end));
        if (m_plant.hasTransfers)
            addTransfers(task);
    }

    [[nodiscard]] int kernelsOf(TaskKind kind) const {
        if (kind == TaskKind::Forward)
            return m_plant.kernels;
        if (!splitsBackward(m_plant.kind))
            return 2 * m_plant.kernels;
        return kind == TaskKind::Backward ? m_plant.kernels + 2 : m_plant.kernels - 1;
    }

    // The gradients of the weights are plain products of matrices.
    [[nodiscard]] std::string nameOf(TaskKind kind, int k) const {
        if (m_plant.evidence != Evidence::Names || kind == TaskKind::WeightGradient)
            return "gemm_kernel";
        const bool isForward = kind == TaskKind::Forward || (m_plant.recomputes && k % 2 == 0);
        return isForward ? "layer_fwd_kernel" : "layer_bwd_kernel";
    }

    [[nodiscard]] std::string annotationOf(const ScheduleTask& task) const {
        const std::string batch = std::to_string(task.microbatch);
        const std::string chunk = std::to_string(task.chunk);
        const bool isWeights = task.kind == TaskKind::WeightGradient;
        const char* letter = task.kind == TaskKind::Forward ? "F" : isWeights ? "W" : "B";
        if (m_plant.evidence == Evidence::Numbers) {
            const bool isLost = m_plant.losesLastWeights && isWeights
                && task.microbatch == m_plant.microbatches - 1;
            return isLost ? "W_clear." + chunk + ".0" : letter + batch + "." + chunk + ".0";
        }
        if (m_plant.evidence == Evidence::Pipelining) {
            const bool isInputs = task.kind == TaskKind::Backward && splitsBackward(m_plant.kind);
            const int piece = pieceOf(m_plant.kind, m_plant.stages, task.stage, task.chunk);
            return "PP:" + std::to_string(piece) + (isInputs ? "I" : letter) + batch;
        }
        return task.kind == TaskKind::Forward ? "forward_step"
            : isWeights                       ? "wgrad_step"
                                              : "backward_step";
    }

    std::int64_t launchOf(int rank, std::int64_t start) {
        if (m_plant.evidence != Evidence::Launches)
            return 0;
        ++m_correlation;
        trace.host(
            rank, "1", SpanKind::Runtime, "cudaLaunchKernel", start - 500, 100, m_correlation);
        return m_correlation;
    }

    void annotate(const ScheduleTask& task, std::int64_t from, std::int64_t to) {
        const std::string name = annotationOf(task);
        switch (m_plant.evidence) {
        case Evidence::Launches:
            trace.host(task.stage, "1", SpanKind::Annotation, name, from - 700, to - from - 200);
            return;
        case Evidence::Numbers:
        case Evidence::Pipelining:
        case Evidence::StreamAnnotations:
            trace.streamAnnotation(task.stage, "7", name, from, to - from);
            return;
        case Evidence::HostAnnotations:
        case Evidence::LayerAnnotations:
            trace.host(task.stage, "1", SpanKind::Annotation, name, from, to - from);
            return;
        default:
            return;
        }
    }

    // To the neighbour that the pass hands over to: the sender's kernel and the receiver's, which
    // waits from its pass before on.
    void addTransfers(const ScheduleTask& task) {
        const int pieces = m_plant.stages * m_plant.virtualStages;
        const int piece = pieceOf(m_plant.kind, m_plant.stages, task.stage, task.chunk);
        const int next = task.kind == TaskKind::Forward ? piece + 1 : piece - 1;
        if (next < 0 || next >= pieces || task.kind == TaskKind::WeightGradient)
            return;
        const int peer = next % m_plant.stages;
        if (peer == task.stage)
            return;
        const double end = task.end + m_plant.sendTime;
        const std::string detail
            = detailOf("send", "PIPELINE_MODEL_PARALLEL_GROUP", task.stage, peer);
        trace.kernel(task.stage, "9", "ncclDevKernel_SendRecv", at(task.stage, task.end),
            at(task.stage, end) - at(task.stage, task.end), 0, detail);
        double free = 0.0;
        for (const ScheduleTask& other : schedule.tasks) {
            if (other.stage == peer && other.end <= end)
                free = std::max(free, other.end);
        }
        const double begin = std::min(free, task.end);
        trace.kernel(peer, "10", "ncclDevKernel_SendRecv", at(peer, begin),
            at(peer, end) - at(peer, begin), 0, detail);
    }

    // The reduction of the gradients beside the last passes, that of their norm, the optimizer.
    void addEnds() {
        for (int stage = 0; stage < m_plant.stages; ++stage) {
            double last = 0.0;
            for (const ScheduleTask& task : schedule.tasks)
                last = task.stage == stage ? std::max(last, task.end) : last;
            trace.kernel(stage, "11", "ncclDevKernel_ReduceScatter", at(stage, last - 0.3), kUnit,
                0, detailOf("reduce_scatter", "DATA_PARALLEL_GROUP", stage, stage));
            trace.kernel(stage, "11", "ncclDevKernel_AllReduce_Sum_f32", at(stage, last + 1.0),
                at(stage, schedule.makespan + 2.0) - at(stage, last + 1.0), 0,
                detailOf("allreduce", "MODEL_PARALLEL_GROUP", 0, m_plant.stages - 1));
            trace.kernel(stage, "7", "multi_tensor_apply_kernel<AdamFunctor>",
                at(stage, schedule.makespan + 2.0), kUnit);
        }
    }

    Plant m_plant;
    std::int64_t m_correlation = 0;
};

} // namespace trainscope::test
