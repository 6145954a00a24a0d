#include "core/analysis/energy/EnergyMeter.h"

#include "core/analysis/machine/GroupText.h"
#include "core/model/Try.h"

#include <algorithm>

namespace trainscope::analysis {

EnergyMeter::EnergyMeter(const store::Store& store, TimeRange extent,
    const std::vector<Iteration>& iterations, PowerIntegral power, SensorBlur phaseBlur,
    SensorBlur categoryBlur)
    : m_store(store)
    , m_power(std::move(power))
    , m_phaseBlur(std::move(phaseBlur))
    , m_categoryBlur(std::move(categoryBlur))
    , m_window{extent.begin, extent.begin}
    , m_phaseTimes(extent)
    , m_categoryTimes(extent) {
    for (const Iteration& iteration : iterations) {
        IterationEnergy energy;
        energy.index = iteration.index;
        m_iterations.push_back(energy);
        m_iterationTimes.push_back({iteration.range, {}});
        m_windows.add(iteration.range);
        m_borders.push_back(iteration.range.begin);
        m_borders.push_back(iteration.range.end);
    }
    std::sort(m_borders.begin(), m_borders.end());
}

// Cut where iterations begin and end.
Status EnergyMeter::piece(TimeRange range, const Running& running) {
    if (m_isFirst || range.begin > m_window.end) // what lies before it was not traced
        RETURN_IF_ERROR(m_power.to(range.begin));
    m_window = m_isFirst ? range : TimeRange{m_window.begin, range.end};
    m_isFirst = false;
    TimeNs begin = range.begin;
    while (m_nextBorder < m_borders.size() && m_borders[m_nextBorder] < range.end) {
        const TimeNs border = m_borders[m_nextBorder++];
        if (border <= begin)
            continue;
        RETURN_IF_ERROR(take({begin, border}, running));
        begin = border;
    }
    return take({begin, range.end}, running);
}

Status EnergyMeter::take(TimeRange range, const Running& running) {
    ASSIGN_OR_RETURN(const auto energy, m_power.to(range.end));
    const Amount amount{energy.joules, energy.covered.seconds()};
    m_covered = m_covered + energy.covered;
    m_total += amount.joules;
    const Phase phase = phaseOf(running);
    m_phases[phase] += amount;
    m_phaseBlur.add(range, static_cast<std::size_t>(phase));
    m_phaseTimes.add(range, phaseLabel(phase));
    m_windows.forEachTouched(range, [&](std::size_t i) {
        m_iterations[i].phases[phase] += amount.joules;
        m_iterations[i].total.joules += amount.joules;
        m_iterationTimes[i].seconds[phase] += amount.seconds;
    });
    return share(range, running, amount);
}

std::size_t EnergyMeter::phaseLabel(Phase phase) {
    auto& label = m_phaseLabels[phase];
    if (!label)
        label = m_labels++;
    return *label;
}

Status EnergyMeter::share(TimeRange range, const Running& work, const Amount& amount) {
    const std::span<const ActiveKernel> running = work.kernels;
    if (running.empty()) {
        count(range, work.isCopying ? kCopyCategory : kIdleCategory, 1.0, amount);
        return {};
    }
    const auto isCompute = [](const ActiveKernel& kernel) { return !kernel.isCommunication; };
    const auto compute = std::count_if(running.begin(), running.end(), isCompute);
    const bool isHidden = compute > 0;
    const double part = 1.0 / static_cast<double>(isHidden ? compute : std::ssize(running));
    for (const ActiveKernel& kernel : running) {
        if (!isHidden || isCompute(kernel))
            count(range, *kernel.category, part, amount.part(part));
    }
    return shareCollectives(running, amount, isHidden);
}

Status EnergyMeter::shareCollectives(
    std::span<const ActiveKernel> running, const Amount& amount, bool isHidden) {
    const auto collectives = std::count_if(running.begin(), running.end(),
        [](const ActiveKernel& kernel) { return kernel.isCommunication; });
    for (const ActiveKernel& kernel : running) {
        if (!kernel.isCommunication)
            continue;
        const Amount part = amount.part(1.0 / static_cast<double>(collectives));
        ASSIGN_OR_RETURN(const auto name, communicator(kernel));
        const auto add = [&](CollectiveAmount& sum) {
            sum.category = *kernel.category;
            (isHidden ? sum.hidden : sum.exposed) += part;
        };
        add(m_collectives[*kernel.category]);
        if (!name->empty())
            add(m_communicators[*kernel.category + " in " + *name]);
    }
    return {};
}

void EnergyMeter::count(
    TimeRange range, const std::string& category, double share, const Amount& amount) {
    const auto found
        = m_categories.emplace(category, CategoryAmount{m_categories.size(), {}}).first;
    found->second.amount += amount;
    m_categoryBlur.add(range, found->second.label, share);
    m_categoryTimes.add(range, found->second.label, share);
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

AttributedEnergy EnergyMeter::result(const MarkEvidence& evidence) {
    m_phaseBlur.finish();
    m_categoryBlur.finish();
    AttributedEnergy result;
    const Phase unmarked = evidence.unmarked();
    const auto named = [&](Phase phase) { return phase == Phase::Compute ? unmarked : phase; };
    const std::vector<double>& phaseBounds = m_phaseBlur.bounds();
    const std::vector<double>& categoryBounds = m_categoryBlur.bounds();
    for (const Phase phase : kAllPhases) {
        const auto label = static_cast<std::size_t>(phase);
        const double bound = label < phaseBounds.size() ? phaseBounds[label] : 0.0;
        result.phases[named(phase)] += {m_phases[phase].joules, bound, std::nullopt};
    }
    for (const auto& [category, found] : m_categories)
        result.categories[category]
            = {found.amount.joules, categoryBounds[found.label], std::nullopt};
    result.total = {m_total, m_phaseBlur.boundOfRange(m_window), std::nullopt};
    for (const auto& [name, found] : m_collectives)
        result.collectives[name] = {found.exposed.joules, found.hidden.joules, {}, {}};
    for (const auto& [name, found] : m_communicators)
        result.communicators[name] = {found.exposed.joules, found.hidden.joules, {}, {}};
    result.iterations = m_iterations;
    for (IterationEnergy& iteration : result.iterations) {
        ByPhase<double> phases;
        for (const Phase phase : kAllPhases)
            phases[named(phase)] += iteration.phases[phase];
        iteration.phases = phases;
    }
    return result;
}

} // namespace trainscope::analysis
