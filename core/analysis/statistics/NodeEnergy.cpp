#include "core/analysis/statistics/NodeEnergy.h"

#include "core/analysis/statistics/Accumulators.h"

#include <cmath>

namespace trainscope::analysis {

namespace {

// Absent where a GPU has no power, or for another part of the run than its node.
std::optional<double> gpuJoulesOf(const RunSummary& summary, const NodeSummary& node) {
    CompensatedSum joules;
    bool hasGpus = false;
    for (const GpuSummary& gpu : summary.gpus) {
        if (gpu.gpu.node != node.node || summary.secondDies.contains(gpu.gpu.rank))
            continue;
        if (!gpu.energy
            || std::abs(gpu.energy->coverage - node.energy->coverage) > kComparedCoverage)
            return std::nullopt;
        hasGpus = true;
        joules.add(gpu.energy->joules);
    }
    return hasGpus ? std::optional(joules.value()) : std::nullopt;
}

// Coverage is the mean of the parts', 0 for those without.
class EnergySum {
public:
    void add(const std::optional<Energy>& energy) {
        ++m_parts;
        if (!energy)
            return;
        m_isKnown = true;
        m_joules.add(energy->joules);
        m_coverage.add(energy->coverage);
    }
    [[nodiscard]] std::optional<Energy> total() const {
        if (!m_isKnown)
            return std::nullopt;
        return Energy{m_joules.value(), m_coverage.value() / m_parts};
    }

private:
    CompensatedSum m_joules;
    CompensatedSum m_coverage;
    int m_parts = 0;
    bool m_isKnown = false;
};

} // namespace

void addNodeEnergy(RunSummary& summary, const std::map<std::string, Energy>& switches) {
    EnergySum ofNodes;
    EnergySum ofSwitches;
    CompensatedSum rest;
    bool isWhole = true;
    for (NodeSummary& node : summary.nodes) {
        ofNodes.add(node.energy);
        if (!node.energy)
            continue;
        node.gpuJoules = gpuJoulesOf(summary, node);
        if (node.gpuJoules) {
            node.restJoules = node.energy->joules - *node.gpuJoules;
            rest.add(*node.restJoules);
        }
        isWhole = isWhole && node.restJoules.has_value();
    }
    for (const auto& [name, energy] : switches)
        ofSwitches.add(energy);
    summary.nodeEnergy = ofNodes.total();
    summary.switchEnergy = ofSwitches.total();
    if (summary.nodeEnergy && isWhole)
        summary.restJoules = rest.value();
}

} // namespace trainscope::analysis
