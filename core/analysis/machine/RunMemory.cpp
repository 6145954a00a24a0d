#include "core/analysis/machine/RunMemory.h"

#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/machine/KeptNumbers.h"
#include "core/analysis/machine/ModelShape.h"
#include "core/analysis/machine/RunLayout.h"
#include "core/catalogue/GpuModel.h"
#include "core/layout/LayoutRequest.h"
#include "core/model/Try.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

namespace trainscope::analysis {

namespace {

using DeviceKey = std::pair<int, std::string>;

class AllocationCount {
public:
    explicit AllocationCount(const std::vector<Iteration>& iterations) {
        for (const Iteration& one : iterations)
            m_steps.push_back({one.index, one.range, 0, 0.0, 0.0});
        std::stable_sort(m_steps.begin(), m_steps.end(),
            [](const auto& a, const auto& b) { return a.range.begin < b.range.begin; });
    }

    void take(TimeNs time, double value) {
        if (std::isnan(value))
            return;
        const double rise = m_last ? value - *m_last : 0.0;
        m_last = value;
        while (m_at < m_steps.size() && m_steps[m_at].range.end <= time)
            ++m_at;
        if (m_at == m_steps.size() || time < m_steps[m_at].range.begin)
            return;
        StepAllocations& step = m_steps[m_at];
        step.peak = std::max(step.peak, value);
        if (rise <= 0.0)
            return;
        ++step.count;
        step.bytes += rise;
    }

    std::vector<StepAllocations> within(TimeRange recorded) {
        std::erase_if(m_steps, [recorded](const StepAllocations& step) {
            return step.range.begin < recorded.begin || step.range.begin >= recorded.end;
        });
        return std::move(m_steps);
    }

private:
    std::vector<StepAllocations> m_steps;
    std::size_t m_at = 0;
    std::optional<double> m_last;
};

class MemoryReading {
public:
    explicit MemoryReading(const RunStudy& study)
        : m_study(study) { }

    Result<std::vector<DeviceMemory>> read() {
        ASSIGN_OR_RETURN(const auto all, m_study.store.series(m_study.run.id));
        std::map<DeviceKey, const Series*> reserved;
        for (const Series& series : all) {
            if (series.description.metric.name == metric::kTorchReserved)
                reserved[keyOf(series)] = &series;
        }
        RunIterations iterations;
        std::map<DeviceKey, DeviceMemory> found;
        for (const Series& series : all) {
            if (series.description.metric.name != metric::kTorchAllocated || series.count == 0)
                continue;
            if (found.empty()) {
                ASSIGN_OR_RETURN(iterations, iterationsOf(m_study));
            }
            const auto other = reserved.find(keyOf(series));
            ASSIGN_OR_RETURN(auto device,
                deviceOf(series, other == reserved.end() ? nullptr : other->second,
                    iterations.of(series.description.subject.rank)));
            auto& known = found[keyOf(series)];
            if (device.peakAllocated >= known.peakAllocated)
                known = std::move(device);
        }
        RETURN_IF_ERROR(addRecords(found));
        RETURN_IF_ERROR(addPredictions(found));
        std::vector<DeviceMemory> devices;
        for (auto& [key, device] : found)
            devices.push_back(std::move(device));
        return devices;
    }

private:
    static DeviceKey keyOf(const Series& series) {
        return {series.description.subject.rank, series.description.subject.device};
    }

    Result<DeviceMemory> deviceOf(const Series& allocated, const Series* reserved,
        const std::vector<Iteration>& iterations) const {
        DeviceMemory device;
        device.rank = allocated.description.subject.rank;
        device.device = allocated.description.subject.device;
        device.peakAllocated = allocated.max;
        device.peakTime = allocated.range.begin;
        AllocationCount count(iterations);
        bool isFound = false;
        RETURN_IF_ERROR(m_study.store.forEachSample(
            allocated.id, allocated.range, [&](auto times, auto values) {
                for (std::size_t i = 0; i < times.size(); ++i) {
                    count.take(times[i], values[i]);
                    if (!isFound && values[i] >= allocated.max) {
                        device.peakTime = times[i];
                        isFound = true;
                    }
                }
                return !m_study.progress || m_study.progress({"Reading allocations", 0, 0});
            }));
        if (m_study.progress && !m_study.progress({"Reading allocations", 0, 0}))
            return cancelled();
        device.steps = count.within(allocated.range);
        if (reserved != nullptr && reserved->count > 0) {
            device.peakReserved = reserved->max;
            ASSIGN_OR_RETURN(
                device.reservedThen, m_study.store.valueAt(reserved->id, device.peakTime));
        }
        return device;
    }

    Status addRecords(std::map<DeviceKey, DeviceMemory>& found) const {
        ASSIGN_OR_RETURN(auto records, allocatorRecordsOf(m_study));
        for (AllocatorRecord& record : records) {
            DeviceMemory& device = found[{record.rank, {}}];
            device.rank = record.rank;
            const bool isHigher
                = !device.record || record.peak.allocated > device.record->peak.allocated;
            auto outOfMemory
                = device.record ? device.record->outOfMemory : std::vector<OutOfMemory>();
            auto& own = isHigher ? record.outOfMemory : outOfMemory;
            const auto& more = isHigher ? outOfMemory : record.outOfMemory;
            own.insert(own.end(), more.begin(), more.end());
            if (isHigher)
                device.record = std::move(record);
            else
                device.record->outOfMemory = std::move(own);
            device.peakAllocated = std::max(
                device.peakAllocated, static_cast<double>(device.record->peak.allocated));
            if (!device.reservedThen)
                device.reservedThen = static_cast<double>(device.record->peak.reserved);
        }
        return {};
    }

    Status addPredictions(std::map<DeviceKey, DeviceMemory>& found) const {
        if (found.empty())
            return {};
        ASSIGN_OR_RETURN(const auto fitting, fittingLayout(m_study));
        const auto request
            = fitting ? memoryRequestOf(m_study.run.launch, fitting->layout) : std::nullopt;
        if (!request)
            return {};
        const auto& grid = fitting->layout.grid;
        for (auto& [key, device] : found) {
            if (device.rank >= 0 && device.rank < grid.worldSize())
                device.predicted = stageNeedOf(*request, grid.position(device.rank).pipeline);
        }
        return {};
    }

    const RunStudy& m_study;
};

using layout::CommunicatorKind;

// Sharding where the configuration states neither group nor size.
layout::Sharding plainSharding(const layout::Layout& layout, int zeroStage) {
    return {zeroStage, layout.grid.groupSize(CommunicatorKind::DataContext), 1};
}

bool namesDistributed(const LaunchConfig& launch) {
    return launch.optimizer.value_or("").find("dist") != std::string::npos;
}

MemoryNeed needOf(const MemoryRequest& request, int stage) {
    const StageNeed part = stageNeedOf(request, stage);
    MemoryNeed need;
    need.states = part.states();
    need.perSample = (part.activations() + part.logits) / request.microBatch;
    need.buffers = part.buffers;
    need.perLayer = part.statesPerLayer + part.heldPerLayer;
    return need;
}

struct Assumed {
    bool shardedOptimizer = false;
    bool recomputation = false;
};

std::vector<MemoryNeed> needsWith(MemoryRequest request, const Assumed& assumed) {
    if (assumed.shardedOptimizer)
        request.layout.sharding = plainSharding(request.layout, 1);
    if (assumed.recomputation)
        request.recompute = Recomputation::Full;
    std::vector<MemoryNeed> needs;
    for (int stage = 0; stage < request.layout.grid.degrees().pipeline; ++stage) {
        needs.push_back(needOf(request, stage));
        needs.back().takesShardedOptimizer = assumed.shardedOptimizer;
        needs.back().takesRecomputation = assumed.recomputation;
    }
    return needs;
}

Recomputation recomputationOf(const LaunchConfig& launch) {
    if (!launch.recompute.value_or(false))
        return Recomputation::None;
    return launch.recomputeGranularity.value_or("full") == "full" ? Recomputation::Full
                                                                  : Recomputation::Selective;
}

constexpr double kUsable = 0.95; // share of a GPU's memory
constexpr double kNoLimit = 1e6; // layers

std::optional<double> memoryOf(const Run& run) {
    const auto* model = catalogue::findGpuModel(run.gpuModel);
    if (model == nullptr || !model->memoryBytes)
        return std::nullopt;
    return *model->memoryBytes;
}

std::optional<double> usedBy(const layout::Layout& layout, int stage, const RunSummary& summary) {
    std::optional<double> most;
    for (const GpuSummary& gpu : summary.gpus) {
        const int rank = gpu.gpu.rank;
        const auto used = statisticOf(gpu.metrics, "mem_used", &SubjectStatistics::max);
        if (used && rank >= 0 && rank < layout.grid.worldSize()
            && layout.grid.position(rank).pipeline == stage)
            most = std::max(most.value_or(0.0), *used);
    }
    return most;
}

} // namespace

Result<std::vector<DeviceMemory>> measuredMemoryOf(const RunStudy& study) {
    return MemoryReading(study).read();
}

std::optional<double> predictedOf(const StageNeed& need, MemoryUse use) {
    switch (use) {
    case MemoryUse::Parameter:
        return need.weights;
    case MemoryUse::Gradient:
        return need.gradients;
    case MemoryUse::OptimizerState:
        return need.optimizer;
    case MemoryUse::Activation:
        return need.activations() + need.logits;
    case MemoryUse::Other:
        return need.buffers;
    case MemoryUse::Unknown:
        break;
    }
    return std::nullopt;
}

std::optional<MemoryRequest> memoryRequestOf(
    const LaunchConfig& launch, const layout::Layout& layout) {
    auto shape = shapeOf(launch, catalogue::modelCatalogue());
    if (!shape.hasValue() || !launch.sequenceLength || !launch.microBatch)
        return std::nullopt;
    MemoryRequest request{{std::move(shape).value().model}, layout};
    request.workload = launch.workload.value_or(Workload::Training);
    request.sequence = *launch.sequenceLength;
    if (request.workload == Workload::Inference)
        request.generated
            = std::clamp(launch.generatedTokens.value_or(0), 0, *launch.sequenceLength);
    request.microBatch = *launch.microBatch;
    request.widths = widthsOf(launch.precision.value_or(""));
    request.sequenceParallel = launch.sequenceParallel.value_or(true);
    request.dropout = !request.model.gatedMlp;
    request.recompute = recomputationOf(launch);
    request.recomputedLayers = launch.recomputedLayers.value_or(0);
    request.offload = offloadFrom(launch.offload.value_or("")).valueOr(Offload());
    if (launch.adapters) // unreadable ones are taken as the usual
        request.adapters = adaptersFrom(*launch.adapters).valueOr(Adapters());
    if (!request.layout.sharding && namesDistributed(launch))
        request.layout.sharding = plainSharding(layout, 1);
    if (!request.layout.microbatches)
        request.layout.microbatches = layout::microbatchesOf(launch, layout.grid.degrees().data);
    if (launch.fsdp.value_or(false)) {
        request.gathering = Gathering::Layer;
        if (request.workload == Workload::Training)
            request.widths = request.widths.asFsdp();
    }
    // A precision that cannot be read counts as the usual one.
    statedNumbersFrom(launch.precision.value_or(""))
        .valueOr(StatedNumbers())
        .kept.applyTo(request.widths);
    return request;
}

std::vector<MemoryNeed> memoryNeedsOf(
    const LaunchConfig& launch, const layout::Layout& layout, std::optional<double> capacity) {
    const auto request = memoryRequestOf(launch, layout);
    if (!request)
        return {};
    const auto fit = [&](const std::vector<MemoryNeed>& needs) {
        return !capacity || std::all_of(needs.begin(), needs.end(), [&](const MemoryNeed& one) {
            return one.total(request->microBatch) <= *capacity;
        });
    };
    auto stated = needsWith(*request, {});
    if (fit(stated))
        return stated;
    const bool isShardable = request->workload == Workload::Training && !request->layout.sharding
        && !launch.optimizer && layout.grid.groupSize(CommunicatorKind::DataContext) > 1;
    const bool isSilent = !launch.recompute && request->workload != Workload::Inference;
    for (const Assumed assumed :
        {Assumed{true, false}, Assumed{false, true}, Assumed{true, true}}) {
        if ((assumed.shardedOptimizer && !isShardable) || (assumed.recomputation && !isSilent))
            continue;
        if (auto needs = needsWith(*request, assumed); fit(needs))
            return needs;
    }
    return stated;
}

StageMemory stageMemoryOf(const Run& run, const layout::Layout& layout,
    const std::vector<int>& layers, const RunSummary& summary) {
    StageMemory memory;
    const auto capacity = memoryOf(run);
    const int stages = static_cast<int>(layers.size());
    const int all = std::accumulate(layers.begin(), layers.end(), 0);
    const auto needs = memoryNeedsOf(run.launch, layout);
    bool isKnown = capacity.has_value() && !needs.empty();
    for (int stage = 0; stage < stages; ++stage) {
        const int now = layers[static_cast<std::size_t>(stage)];
        const auto used = usedBy(layout, stage, summary);
        isKnown = isKnown && used;
        if (!isKnown) {
            memory.most.push_back(all);
            continue;
        }
        const double room = std::max(0.0, kUsable * *capacity - *used)
            / needs[static_cast<std::size_t>(stage)].perLayer;
        memory.most.push_back(
            std::min(all, now + static_cast<int>(std::floor(std::min(room, kNoLimit)))));
    }
    memory.wording = isKnown
        ? fmt::format("A stage takes more layers only where its GPUs' memory ({:.0f} GB, {} of "
                      "it usable) has room beside the most it used, weights, optimizer states and "
                      "activations of a layer estimated.",
            *capacity * 1e-9, text::percent(kUsable, 0))
        : "Whether more layers fit into memory was not checked: the memory used, its size or the "
          "model is not known.";
    return memory;
}

} // namespace trainscope::analysis
