#include "core/analysis/energy/EnergyMeter.h"

#include <algorithm>
#include <numeric>

namespace trainscope::analysis {

namespace {

// Compute without a mark is forward where the trace tells directions.
Phase namedPhase(Phase phase, const MarkEvidence& evidence) {
    return phase == Phase::Compute ? evidence.unmarked() : phase;
}

double shareOf(double part, double whole) {
    return whole > 0.0 ? part / whole : 0.0;
}

} // namespace

void EnergyMeter::completeIteration(std::size_t number, TimeRange range, DurationNs covered) {
    IterationTime& time = m_iterationTimes[number];
    double known = 0.0;
    for (const Phase phase : kAllPhases)
        known += time.seconds[phase];
    const double idle = std::max(0.0, covered.seconds() - known);
    time.range = range;
    time.seconds[Phase::Idle] += idle;
    if (idle > 0.0)
        phaseLabel(Phase::Idle);
}

std::optional<GpuEnergy::Sensor> EnergyMeter::estimate(const MarkEvidence& evidence,
    std::span<const PowerReading> readings, SensorFacts facts, AttributedEnergy& energy) {
    if (m_phaseLabels[Phase::Compute] && evidence.unmarked() != Phase::Compute)
        m_phaseTimes.merge(phaseLabel(Phase::Compute), phaseLabel(evidence.unmarked()));
    m_phaseTimes.finish(m_labels);
    m_categoryTimes.finish(m_categories.size());
    facts.idle = m_phaseLabels[Phase::Idle];
    const auto responses = findResponses(m_phaseTimes, readings, facts);
    const auto phases = PowerEstimate::of(m_phaseTimes, readings, responses, facts);
    if (!phases.isUsable())
        return std::nullopt;
    estimatePhases(phases, evidence, energy);
    if (!energy.total.estimate)
        return std::nullopt;
    estimateIterations(phases, evidence, energy);
    const auto idle = m_categories.find(kIdleCategory);
    facts.idle = idle == m_categories.end() ? std::nullopt : std::optional(idle->second.label);
    estimateCategories(PowerEstimate::of(m_categoryTimes, readings, responses, facts), energy);
    estimateCollectives(m_collectives, energy, energy.collectives);
    estimateCollectives(m_communicators, energy, energy.communicators);
    const SensorResponse& response = phases.response();
    return GpuEnergy::Sensor{response.windowNs * 1e-9, response.delayNs * 1e-9, phases.readings()};
}

std::vector<double> EnergyMeter::labelled(
    const ByPhase<double>& seconds, const MarkEvidence& evidence) const {
    std::vector<double> result(m_labels, 0.0);
    for (const Phase phase : kAllPhases) {
        if (const auto label = m_phaseLabels[namedPhase(phase, evidence)])
            result[*label] += seconds[phase];
    }
    return result;
}

void EnergyMeter::estimatePhases(
    const PowerEstimate& powers, const MarkEvidence& evidence, AttributedEnergy& energy) const {
    ByPhase<double> seconds;
    for (const Phase phase : kAllPhases)
        seconds[phase] = m_phases[phase].seconds;
    const std::vector<double> all = labelled(seconds, evidence);
    energy.total.estimate = powers.of(all, 0.0, m_phaseTimes.lengthNs());
    if (!energy.total.estimate)
        return;
    const auto found = powers.byClass(all, energy.total.estimate->joules);
    for (const Phase phase : kAllPhases) {
        const auto label = m_phaseLabels[phase];
        if (label && all[*label] > 0.0)
            energy.phases[phase].estimate = found[*label];
    }
}

void EnergyMeter::estimateCategories(const PowerEstimate& powers, AttributedEnergy& energy) const {
    std::vector<double> seconds(m_categories.size(), 0.0);
    for (const auto& [category, found] : m_categories)
        seconds[found.label] = found.amount.seconds;
    const auto found = powers.byClass(seconds, energy.total.estimate->joules);
    for (const auto& [category, amount] : m_categories)
        energy.categories[category].estimate = found[amount.label];
}

void EnergyMeter::estimateIterations(
    const PowerEstimate& powers, const MarkEvidence& evidence, AttributedEnergy& energy) const {
    for (std::size_t i = 0; i < m_iterationTimes.size(); ++i) {
        const auto& [range, seconds] = m_iterationTimes[i];
        const auto from = [&](TimeNs time) {
            return static_cast<double>((time - m_phaseTimes.extent().begin).ns);
        };
        const std::vector<double> all = labelled(seconds, evidence);
        IterationEnergy& iteration = energy.iterations[i];
        iteration.total.estimate = powers.of(all, from(range.begin), from(range.end));
        if (!iteration.total.estimate)
            continue;
        const double whole = powers.joules(all);
        for (const Phase phase : kAllPhases) {
            const auto label = m_phaseLabels[phase];
            if (!label || all[*label] <= 0.0)
                continue;
            std::vector<double> one(all.size(), 0.0);
            one[*label] = all[*label];
            iteration.estimatedPhases[phase]
                = iteration.total.estimate->joules * shareOf(powers.joules(one), whole);
        }
    }
}

void EnergyMeter::estimateCollectives(const Collectives& amounts, const AttributedEnergy& energy,
    std::map<std::string, CollectiveEnergy>& collectives) const {
    const auto part = [](const std::optional<EstimatedEnergy>& whole, double share) {
        return whole ? std::optional(whole->part(share)) : std::nullopt;
    };
    const double hidden = m_phases[Phase::CommunicationHidden].seconds;
    for (const auto& [name, amount] : amounts) {
        CollectiveEnergy& collective = collectives[name];
        if (amount.exposed.seconds > 0.0)
            collective.exposedEstimate = part(energy.categories.at(amount.category).estimate,
                shareOf(amount.exposed.seconds, m_categories.at(amount.category).amount.seconds));
        if (amount.hidden.seconds > 0.0)
            collective.hiddenEstimate = part(energy.phases[Phase::CommunicationHidden].estimate,
                shareOf(amount.hidden.seconds, hidden));
    }
}

} // namespace trainscope::analysis
