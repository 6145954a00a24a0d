#pragma once
// Shares out the energy of one GPU while its trace is walked.

#include "core/analysis/energy/EnergyByPhase.h"
#include "core/analysis/energy/PowerEstimate.h"
#include "core/analysis/energy/PowerIntegral.h"
#include "core/analysis/energy/SensorBlur.h"
#include "core/analysis/traces/DeviceWalk.h"

#include <unordered_map>

namespace trainscope::analysis {

// The categories of the time in which nothing runs, and of that in which only copies do.
inline const std::string kIdleCategory = "idle";
inline const std::string kCopyCategory = "copy";

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

    Status piece(TimeRange range, const Running& running) override;
    // After the walk. The iterations' totals are still those of the pieces.
    AttributedEnergy result(const MarkEvidence& evidence);
    // After result(): the iteration lasted so long, and so much of it has power.
    void completeIteration(std::size_t number, TimeRange range, DurationNs covered);
    // After both: adds the estimates; readings: of the extent and of a few seconds around it, from
    // its begin. What is absent could not be told by them.
    std::optional<GpuEnergy::Sensor> estimate(const MarkEvidence& evidence,
        std::span<const PowerReading> readings, SensorFacts facts, AttributedEnergy& energy);
    [[nodiscard]] TimeRange window() const { return m_window; }
    [[nodiscard]] DurationNs covered() const { return m_covered; }

private:
    // Joules, and seconds that have power.
    struct Amount {
        double joules = 0.0;
        double seconds = 0.0;
        Amount& operator+=(const Amount& more) {
            joules += more.joules;
            seconds += more.seconds;
            return *this;
        }
        [[nodiscard]] Amount part(double share) const { return {share * joules, share * seconds}; }
    };
    struct CategoryAmount {
        std::size_t label = 0;
        Amount amount;
    };
    struct CollectiveAmount {
        std::string category;
        Amount exposed;
        Amount hidden;
    };
    using Collectives = std::map<std::string, CollectiveAmount>;

    Status take(TimeRange range, const Running& running);
    Status share(TimeRange range, const Running& running, const Amount& amount);
    Status shareCollectives(
        std::span<const ActiveKernel> running, const Amount& amount, bool isHidden);
    void count(TimeRange range, const std::string& category, double share, const Amount& amount);
    std::size_t phaseLabel(Phase phase);
    void estimatePhases(
        const PowerEstimate& powers, const MarkEvidence& evidence, AttributedEnergy& energy) const;
    void estimateCategories(const PowerEstimate& powers, AttributedEnergy& energy) const;
    void estimateIterations(
        const PowerEstimate& powers, const MarkEvidence& evidence, AttributedEnergy& energy) const;
    void estimateCollectives(const Collectives& amounts, const AttributedEnergy& energy,
        std::map<std::string, CollectiveEnergy>& collectives) const;
    [[nodiscard]] std::vector<double> labelled(
        const ByPhase<double>& seconds, const MarkEvidence& evidence) const;
    Result<const std::string*> communicator(const ActiveKernel& kernel);

    const store::Store& m_store;
    PowerIntegral m_power;
    SensorBlur m_phaseBlur;
    SensorBlur m_categoryBlur;
    TimeRange m_window;
    bool m_isFirst = true;
    DurationNs m_covered;
    double m_total = 0.0;
    ByPhase<Amount> m_phases;
    ByPhase<std::optional<std::size_t>> m_phaseLabels; // in order of their first time
    std::size_t m_labels = 0;
    ClassTimes m_phaseTimes;
    std::map<std::string, CategoryAmount> m_categories;
    ClassTimes m_categoryTimes;
    Collectives m_collectives;
    Collectives m_communicators;
    std::unordered_map<NameId, std::string> m_communicatorNames; // by detail
    std::vector<IterationEnergy> m_iterations;
    struct IterationTime {
        TimeRange range;
        ByPhase<double> seconds; // that have power
    };
    std::vector<IterationTime> m_iterationTimes;
    std::vector<TimeNs> m_borders; // of the iterations, in order
    std::size_t m_nextBorder = 0;
    OpenWindows m_windows; // as the iterations
};

} // namespace trainscope::analysis
