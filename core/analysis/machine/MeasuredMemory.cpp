#include "core/analysis/machine/MeasuredMemory.h"

#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/machine/RunLayout.h"
#include "core/analysis/machine/RunMemory.h"
#include "core/model/Try.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

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

} // namespace trainscope::analysis
