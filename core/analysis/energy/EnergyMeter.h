#pragma once
// Shares out the energy of one GPU while its trace is walked.

#include "core/analysis/energy/EnergyByPhase.h"
#include "core/analysis/energy/PowerIntegral.h"
#include "core/analysis/energy/SensorBlur.h"
#include "core/analysis/traces/DeviceWalk.h"

#include <unordered_map>

namespace trainscope::analysis {

class EnergyMeter : public DeviceVisitor {
public:
    // extent: in which pieces will lie.
    EnergyMeter(const store::Store& store, TimeRange extent,
        const std::vector<Iteration>& iterations, PowerIntegral power, SensorBlur phaseBlur,
        SensorBlur categoryBlur);

    // A reading of the sensor, also from around the extent; before the walk's result is asked for.
    void addReading(TimeNs time, double watts) {
        m_phaseBlur.addReading(time, watts);
        m_categoryBlur.addReading(time, watts);
    }
    // After result().
    [[nodiscard]] double boundOfRange(TimeRange range) const {
        return m_phaseBlur.boundOfRange(range);
    }

    Status piece(TimeRange range, std::span<const ActiveKernel> running) override;
    // After the walk. The iterations' totals are still those of the pieces.
    AttributedEnergy result(const MarkEvidence& evidence);
    [[nodiscard]] TimeRange window() const { return m_window; }
    [[nodiscard]] DurationNs covered() const { return m_covered; }

private:
    Status take(TimeRange range, std::span<const ActiveKernel> running);
    Status share(TimeRange range, std::span<const ActiveKernel> running, double joules);
    Status shareCollectives(std::span<const ActiveKernel> running, double joules, bool isHidden);
    void count(TimeRange range, const std::string& category, double share, double joules);
    Result<const std::string*> communicator(const ActiveKernel& kernel);

    const store::Store& m_store;
    PowerIntegral m_power;
    SensorBlur m_phaseBlur;
    SensorBlur m_categoryBlur;
    TimeRange m_window;
    bool m_isFirst = true;
    DurationNs m_covered;
    double m_total = 0.0;
    ByPhase<double> m_phases;
    std::map<std::string, std::pair<std::size_t, double>> m_categories; // label and joules
    std::map<std::string, CollectiveEnergy> m_collectives;
    std::map<std::string, CollectiveEnergy> m_communicators;
    std::unordered_map<NameId, std::string> m_communicatorNames; // by detail
    std::vector<IterationEnergy> m_iterations;
    std::vector<TimeNs> m_borders; // of the iterations, in order
    std::size_t m_nextBorder = 0;
    OpenWindows m_windows; // as the iterations
};

} // namespace trainscope::analysis
