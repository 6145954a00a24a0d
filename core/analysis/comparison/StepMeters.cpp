#include "core/analysis/comparison/StepMeters.h"

#include "core/analysis/statistics/TimeRanges.h"

#include <algorithm>

namespace trainscope::analysis {

namespace {

constexpr double kNanosecond = 1e-9;

double ns(DurationNs time) {
    return static_cast<double>(time.ns);
}

} // namespace

TimeShareMeter::TimeShareMeter(const std::vector<TimeRange>& windows)
    : m_ranges(windows) {
    for (const TimeRange& window : windows)
        m_windows.add(window);
}

Status TimeShareMeter::piece(TimeRange range, const Running& running) {
    if (running.isNothing())
        return {};
    if (m_ranges.empty()) {
        share(ns(range.length()), running);
        return {};
    }
    m_windows.forEachTouched(
        range, [&](std::size_t i) { share(ns(shared(range, m_ranges[i]).length()), running); });
    return {};
}

void TimeShareMeter::share(double ns, const Running& running) {
    if (running.kernels.empty()) {
        m_copyNs += ns;
        return;
    }
    const auto isCompute = [](const ActiveKernel& kernel) { return !kernel.isCommunication; };
    const auto compute = std::count_if(running.kernels.begin(), running.kernels.end(), isCompute);
    const double part
        = ns / static_cast<double>(compute > 0 ? compute : std::ssize(running.kernels));
    for (const ActiveKernel& kernel : running.kernels) {
        if (compute > 0 && !isCompute(kernel))
            continue;
        m_texts.try_emplace(kernel.category, *kernel.category);
        m_ns[kernel.category] += part;
        if (kernel.isCommunication)
            m_exposed[{kernel.category, kernel.detail}] += part;
    }
}

std::map<std::string, double> TimeShareMeter::seconds() const {
    std::map<std::string, double> out;
    for (const auto& [category, time] : m_ns)
        out[m_texts.at(category)] += time * kNanosecond;
    if (m_copyNs > 0.0)
        out[std::string(toString(Phase::Copy))] = m_copyNs * kNanosecond;
    return out;
}

std::map<TimeShareMeter::Collective, double> TimeShareMeter::exposed() const {
    std::map<Collective, double> out;
    for (const auto& [key, time] : m_exposed)
        out[{m_texts.at(key.first), key.second}] += time * kNanosecond;
    return out;
}

KernelMeter::KernelMeter(const std::vector<TimeRange>& windows)
    : m_ranges(windows) {
    for (const TimeRange& window : windows)
        m_windows.add(window);
}

Status KernelMeter::work(const DeviceWork& work) {
    if (work.kernel == nullptr)
        return {};
    auto& entry = m_entries[work.kernel];
    Sum& sum = entry.sum; // by name: a lambda takes no structured binding in every compiler
    if (entry.name.empty()) {
        entry.name = work.kernel->name;
        sum.category = work.kernel->category;
    }
    const TimeRange range{work.span.start, work.span.start + work.span.duration};
    if (m_ranges.empty()) {
        sum.seconds += range.length().seconds();
        sum.count += 1.0;
        return {};
    }
    m_windows.forEachTouched(range, [&](std::size_t i) {
        sum.seconds += shared(range, m_ranges[i]).length().seconds();
        sum.count += range.begin >= m_ranges[i].begin ? 1.0 : 0.0;
    });
    return {};
}

std::map<std::string, KernelMeter::Sum> KernelMeter::sums() const {
    std::map<std::string, Sum> sums;
    for (const auto& [kernel, entry] : m_entries) {
        Sum& sum = sums[entry.name];
        sum.category = entry.sum.category;
        sum.seconds += entry.sum.seconds;
        sum.count += entry.sum.count;
    }
    return sums;
}

} // namespace trainscope::analysis
