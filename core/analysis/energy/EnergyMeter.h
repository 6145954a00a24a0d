#pragma once
// Shares out the energy of one GPU while its trace is walked.

#include "core/analysis/energy/EnergyByPhase.h"
#include "core/analysis/energy/PowerFit.h"
#include "core/analysis/statistics/SampleWalk.h"
#include "core/analysis/traces/DeviceWalk.h"

#include <unordered_set>

namespace trainscope::analysis {

// The categories of the time in which nothing runs, and of that in which only copies do.
inline const std::string kIdleCategory = "idle";
inline const std::string kCopyCategory = "copy";

// Energies that a counter counted in ranges of the trace, with its clock moved by `lag`; absent
// without a counter that resolves them.
using CountedEnergies = std::function<Result<std::vector<std::optional<EstimatedEnergy>>>(
    const std::vector<TimeRange>& ranges, DurationNs lag)>;

class EnergyMeter : public DeviceVisitor {
public:
    struct Parts {
        TimeRange extent; // in which pieces will lie
        std::vector<Iteration> iterations;
        std::vector<Capture> captures; // captures of the rank, in order; none: all is one
        std::optional<TimeRange> shown; // the part that energies are of; absent: all
        std::unordered_set<NameId> kernels; // those with a power of their own
        bool byKernel = false;
    };
    EnergyMeter(const store::Store& store, Parts parts, SampleWalk power);

    Status piece(TimeRange range, const Running& running) override;
    [[nodiscard]] bool asksForNames() const override { return m_parts.byKernel; }

    // After the walk: the iteration lasted so long, and so much of it has power.
    void completeIteration(std::size_t number, TimeRange range, DurationNs covered);
    // After these. readings: of the extent and of a few seconds around it, from its begin. The
    // iterations are all there, those without power too.
    Status estimate(const MarkEvidence& evidence, std::span<const PowerReading> readings,
        SensorFacts facts, const CountedEnergies& counted, GpuEnergy& result);
    [[nodiscard]] TimeRange window() const { return m_window; }
    [[nodiscard]] DurationNs covered() const { return m_covered; }
    [[nodiscard]] DurationNs traced() const { return m_traced; }

private:
    // The finest class of work: phase and category, which both partitions consist of.
    struct WorkClass {
        Phase phase = Phase::Idle;
        std::string category;
    };
    struct CollectiveTime {
        std::string category;
        double exposed = 0.0; // s that have power
        double hidden = 0.0;
    };
    using Collectives = std::map<std::string, CollectiveTime>;
    // A capture or iteration.
    struct Stretch {
        TimeRange range;
        std::vector<double> seconds; // by label, that have power
    };
    struct KernelTime {
        NameId name;
        std::string category;
        std::size_t label = 0; // its own, or that of the rest of its category
        double seconds = 0.0; // summed
        double exclusive = 0.0; // seconds that have power
    };

    Status pieceInside(TimeRange range, const Running& running);
    Status take(TimeRange range, const Running& running);
    Status share(TimeRange range, const Running& running, double seconds);
    Status shareCollectives(const Running& running, double seconds, bool isHidden);
    void count(
        TimeRange range, Phase phase, const std::string& category, double share, double seconds);
    void countKernel(TimeRange range, const ActiveKernels& alike, const std::string& category,
        double share, double seconds);
    std::size_t labelOf(Phase phase, const std::string& category);
    std::size_t namedLabel(NameId name, const std::string& category);
    [[nodiscard]] bool isShown(TimeRange range) const {
        return !m_parts.shown
            || (range.begin >= m_parts.shown->begin && range.end <= m_parts.shown->end);
    }
    [[nodiscard]] std::optional<std::size_t> captureAt(TimeRange range) const;
    // Label by label those of a phase, else of a category.
    [[nodiscard]] std::vector<double> ofPhase(Phase phase, std::vector<double> seconds) const;
    [[nodiscard]] std::vector<double> ofCategory(const std::string& category) const;
    // Compute without a mark is forward where the trace tells directions.
    [[nodiscard]] Phase named(Phase phase) const {
        return phase == Phase::Compute ? m_unmarked : phase;
    }
    [[nodiscard]] double behindBegin(TimeNs time) const {
        return static_cast<double>((time - m_times.extent().begin).ns);
    }

    Status estimateTotal(
        const PowerEstimate& powers, const CountedEnergies& counted, GpuEnergy& result);
    void estimateParts(const PowerEstimate& powers, AttributedEnergy& energy) const;
    Status estimateStretches(const PowerEstimate& powers, const CountedEnergies& counted,
        AttributedEnergy& energy) const;
    Result<std::vector<PartEnergy>> energiesOf(const std::vector<Stretch>& stretches,
        const PowerEstimate& powers, const CountedEnergies& counted) const;
    void estimateCollectives(const Collectives& times, const AttributedEnergy& energy,
        std::map<std::string, CollectiveEnergy>& collectives) const;
    struct NamedPowers {
        PowerEstimate powers; // by label of m_namedSeconds
        std::map<std::string, double> categorySeconds;
    };
    NamedPowers namedPowers(std::span<const PowerReading> readings,
        std::span<const SensorResponse> responses, SensorFacts facts,
        const AttributedEnergy& energy);
    [[nodiscard]] std::vector<PartEnergy> namedEnergies(
        const NamedPowers& named, const AttributedEnergy& energy) const;
    Status estimateKernels(std::span<const PowerReading> readings,
        std::span<const SensorResponse> responses, const SensorFacts& facts,
        AttributedEnergy& energy);
    Result<const std::string*> communicator(const ActiveKernels& kernel);

    const store::Store& m_store;
    Parts m_parts;
    SampleWalk m_power;
    TimeRange m_window;
    bool m_isFirst = true;
    std::optional<TimeRange> m_idleBefore; // idle time of a capture, until more work of it comes
    bool m_hasWork = false; // in the capture so far
    std::optional<std::size_t> m_capture;
    DurationNs m_covered;
    DurationNs m_traced;
    // The walk keeps one text for each category, so that its place tells it.
    std::map<std::pair<const std::string*, Phase>, std::size_t> m_labels;
    std::vector<WorkClass> m_classes; // by label
    std::vector<double> m_seconds; // by label, that have power
    ClassTimes m_times;
    std::map<std::pair<const std::string*, NameId>, std::size_t> m_kernelPlaces;
    std::vector<KernelTime> m_kernels;
    std::map<std::pair<std::string, NameId>, std::size_t> m_namedLabels;
    std::vector<std::string> m_namedCategories; // by label
    std::vector<double> m_namedSeconds; // by label, exclusive
    ClassTimes m_namedTimes;
    Collectives m_collectives;
    Collectives m_communicators;
    std::unordered_map<NameId, std::string> m_communicatorNames; // by detail
    std::vector<Stretch> m_iterations;
    std::vector<double> m_iterationCovered; // s that have power, of the pieces
    std::vector<Stretch> m_captures;
    std::vector<TimeRange> m_tracedRanges; // in order, with gaps
    std::vector<TimeNs> m_borders; // borders of iterations and captures, in order
    std::size_t m_nextBorder = 0;
    OpenWindows m_windows; // by iteration
    Phase m_unmarked = Phase::Compute;
    DurationNs m_counterLag;
};

} // namespace trainscope::analysis
