#include "core/analysis/energy/EnergyMeter.h"

#include "core/analysis/machine/GroupText.h"
#include "core/model/Try.h"

#include <algorithm>
#include <utility>

namespace trainscope::analysis {

EnergyMeter::EnergyMeter(const store::Store& store, Parts parts, SampleWalk power)
    : m_store(store)
    , m_parts(std::move(parts))
    , m_power(std::move(power))
    , m_window{m_parts.extent.begin, m_parts.extent.begin}
    , m_times(m_parts.extent)
    , m_namedTimes(m_parts.extent) {
    const auto addBorders = [this](TimeRange range) {
        m_borders.push_back(range.begin);
        m_borders.push_back(range.end);
    };
    for (const Iteration& iteration : m_parts.iterations) {
        m_iterations.push_back({iteration.range, {}});
        m_iterationCovered.push_back(0.0);
        m_windows.add(iteration.range);
        addBorders(iteration.range);
    }
    for (const Capture& capture : m_parts.captures) {
        m_captures.push_back({{}, {}});
        addBorders(capture.range);
    }
    if (m_parts.shown)
        addBorders(*m_parts.shown);
    std::sort(m_borders.begin(), m_borders.end());
}

// Cut where iterations and captures begin and end.
Status EnergyMeter::piece(TimeRange range, const Running& running) {
    if (m_isFirst) { // idle before the first work counts where the walk's range begins there
        m_capture = captureAt({range.begin, range.begin});
        m_hasWork = true;
        m_isFirst = false;
    }
    TimeNs begin = range.begin;
    while (m_nextBorder < m_borders.size() && m_borders[m_nextBorder] < range.end) {
        const TimeNs border = m_borders[m_nextBorder++];
        if (border <= begin)
            continue;
        RETURN_IF_ERROR(pieceInside({begin, border}, running));
        begin = border;
    }
    return pieceInside({begin, range.end}, running);
}

std::optional<std::size_t> EnergyMeter::captureAt(TimeRange range) const {
    if (m_parts.captures.empty())
        return 0;
    for (std::size_t i = 0; i < m_parts.captures.size(); ++i) {
        const TimeRange& capture = m_parts.captures[i].range;
        if (capture.begin <= range.begin && range.begin < capture.end)
            return i;
    }
    return std::nullopt;
}

// In a capture the device's time ends with its last work.
Status EnergyMeter::pieceInside(TimeRange range, const Running& running) {
    const auto capture = captureAt(range);
    if (std::exchange(m_capture, capture) != capture) {
        m_idleBefore.reset();
        m_hasWork = false;
    }
    if (m_idleBefore && isShown(*m_idleBefore) != isShown(range)) {
        const TimeRange idle = *std::exchange(m_idleBefore, std::nullopt);
        RETURN_IF_ERROR(take(idle, {}));
    }
    if (!capture)
        return {};
    if (running.isNothing()) {
        if (m_hasWork)
            m_idleBefore = {m_idleBefore ? m_idleBefore->begin : range.begin, range.end};
        return {};
    }
    m_hasWork = true;
    if (m_idleBefore) {
        const TimeRange idle = *std::exchange(m_idleBefore, std::nullopt);
        RETURN_IF_ERROR(take(idle, {}));
    }
    return take(range, running);
}

Status EnergyMeter::take(TimeRange range, const Running& running) {
    RETURN_IF_ERROR(m_power.to(range.begin));
    ASSIGN_OR_RETURN(const auto power, m_power.to(range.end));
    const double seconds = power.line.length().seconds();
    if (!isShown(range))
        return share(range, running, 0.0);
    m_covered = m_covered + power.line.length();
    m_traced = m_traced + range.length();
    if (!m_tracedRanges.empty() && m_tracedRanges.back().end == range.begin)
        m_tracedRanges.back().end = range.end;
    else
        m_tracedRanges.push_back(range);
    m_window = {m_tracedRanges.front().begin, range.end};
    m_windows.forEachTouched(range, [&](std::size_t i) { m_iterationCovered[i] += seconds; });
    if (!m_captures.empty() && m_capture) {
        TimeRange& whole = m_captures[*m_capture].range;
        whole = {whole.isEmpty() ? range.begin : whole.begin, range.end};
    }
    return share(range, running, seconds);
}

Status EnergyMeter::share(TimeRange range, const Running& work, double seconds) {
    const std::span<const ActiveKernel> running = work.kernels;
    const Phase phase = phaseOf(work);
    if (running.empty()) {
        const std::string& category = work.isCopying ? kCopyCategory : kIdleCategory;
        count(range, phase, category, 1.0, seconds);
        countKernel(range, {}, category, 1.0, seconds);
        return {};
    }
    const auto isCompute = [](const ActiveKernel& kernel) { return !kernel.isCommunication; };
    const auto compute = std::count_if(running.begin(), running.end(), isCompute);
    const bool isHidden = compute > 0;
    const double part = 1.0 / static_cast<double>(isHidden ? compute : std::ssize(running));
    for (const ActiveKernel& kernel : running) {
        const bool counts = !isHidden || isCompute(kernel);
        if (counts)
            count(range, phase, *kernel.category, part, seconds);
        countKernel(range, kernel.name, *kernel.category, counts ? part : 0.0, seconds);
    }
    return shareCollectives(running, seconds, isHidden);
}

Status EnergyMeter::shareCollectives(
    std::span<const ActiveKernel> running, double seconds, bool isHidden) {
    const auto collectives = std::count_if(running.begin(), running.end(),
        [](const ActiveKernel& kernel) { return kernel.isCommunication; });
    for (const ActiveKernel& kernel : running) {
        if (!kernel.isCommunication || seconds <= 0.0)
            continue;
        ASSIGN_OR_RETURN(const auto name, communicator(kernel));
        const auto add = [&](CollectiveTime& sum) {
            sum.category = *kernel.category;
            (isHidden ? sum.hidden : sum.exposed) += seconds / static_cast<double>(collectives);
        };
        add(m_collectives[*kernel.category]);
        if (!name->empty())
            add(m_communicators[*kernel.category + " in " + *name]);
    }
    return {};
}

std::size_t EnergyMeter::labelOf(Phase phase, const std::string& category) {
    const auto [found, isNew] = m_labels.try_emplace({&category, phase}, m_classes.size());
    if (!isNew)
        return found->second;
    const auto same = std::find_if(m_classes.begin(), m_classes.end(),
        [&](const WorkClass& one) { return one.phase == phase && one.category == category; });
    found->second = static_cast<std::size_t>(same - m_classes.begin());
    if (same == m_classes.end()) {
        m_classes.push_back({phase, category});
        m_seconds.push_back(0.0);
    }
    return found->second;
}

void EnergyMeter::count(
    TimeRange range, Phase phase, const std::string& category, double share, double seconds) {
    const std::size_t label = labelOf(phase, category);
    m_seconds[label] += share * seconds;
    m_times.add(range, label, share);
    const auto addTo = [&](Stretch& stretch) {
        if (stretch.seconds.size() <= label)
            stretch.seconds.resize(label + 1, 0.0);
        stretch.seconds[label] += share * seconds;
    };
    m_windows.forEachTouched(range, [&](std::size_t i) { addTo(m_iterations[i]); });
    if (!m_captures.empty() && m_capture && seconds > 0.0)
        addTo(m_captures[*m_capture]);
}

std::size_t EnergyMeter::namedLabel(NameId name, const std::string& category) {
    const NameId own = m_parts.kernels.contains(name) ? name : NameId{};
    const auto [found, isNew] = m_namedLabels.try_emplace({category, own}, m_namedSeconds.size());
    if (isNew) {
        m_namedSeconds.push_back(0.0);
        m_namedCategories.push_back(category);
    }
    return found->second;
}

void EnergyMeter::countKernel(
    TimeRange range, NameId name, const std::string& category, double share, double seconds) {
    if (!m_parts.byKernel)
        return;
    const auto [found, isNew] = m_kernelPlaces.try_emplace({&category, name}, m_kernels.size());
    if (isNew)
        m_kernels.push_back({name, category, namedLabel(name, category), 0.0, 0.0});
    KernelTime& kernel = m_kernels[found->second];
    if (isShown(range))
        kernel.seconds += range.length().seconds();
    if (share <= 0.0)
        return;
    kernel.exclusive += share * seconds;
    m_namedSeconds[kernel.label] += share * seconds;
    m_namedTimes.add(range, kernel.label, share);
}

Result<const std::string*> EnergyMeter::communicator(const ActiveKernel& kernel) {
    if (const auto known = m_communicatorNames.find(kernel.detail);
        known != m_communicatorNames.end())
        return &known->second;
    std::string text;
    if (kernel.detail.isValid()) {
        ASSIGN_OR_RETURN(const auto detail, collectiveDetail(m_store, kernel.detail));
        text = groupText(detail);
    }
    return &m_communicatorNames.emplace(kernel.detail, std::move(text)).first->second;
}

} // namespace trainscope::analysis
