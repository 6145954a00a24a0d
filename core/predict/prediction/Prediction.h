#pragma once
// Prediction: what is said of a job before it is run: its step, memory, power, energy and
// temperature, each with the interval that a measurement lies in nine times of ten (Intervals).

#include "core/analysis/machine/MemoryNeed.h"
#include "core/layout/Cluster.h"
#include "core/predict/Job.h"
#include "core/predict/calibration/Calibration.h"
#include "core/predict/power/PowerModel.h"
#include "core/predict/power/StepLoads.h"
#include "core/predict/profile/ProfiledCosts.h"
#include "core/predict/step/Step.h"

namespace trainscope::predict {

// Intervals: the bounds between which a measurement of each figure of a prediction lies nine times
// of ten. Pure; any thread.
//
//   step            how well the constants are known, or what neighbours tell (Prediction.cpp);
//                   tokens/s, FLOP/s and MFU follow it
//   memory          published tables and logs of what allocators reserved
//   power, clock    the constants of PowerSpread moved one by one through the power model, so that
//                   at the power limit the clock takes what the power cannot; what the model leaves
//   temperature     the same, with the air that machines stand in
//   energy          mean power × time, which go against each other: a step that waits longer draws
//                   less, one that computes more slowly draws almost as much for longer

struct Prediction;

inline constexpr double kNinetyPercent = 1.645; // standard deviations to each side

struct Interval {
    double low = 0.0;
    double high = 0.0;
};
// 90 % interval of a value whose logarithm has this standard deviation.
Interval intervalOf(double value, double spread);

struct Intervals {
    Interval tokensPerSecondPerGpu;
    Interval flopsPerGpu;
    Interval mfu;
    Interval memoryB;
    Interval energyJ;
    Interval meanW;
    Interval peakW;
    Interval clockHz;
    Interval hottestC;
};

// Standard deviation of the logarithm of a GPU's memory need.
double memorySpreadOf(int stages, int experts);

// Energy that a longer step adds, as a share of the energy of a step as long as predicted: d ln E /
// d ln t.
double lastingShare(const PowerBasis& basis, double meanW, bool isHeldByPower);

// Intervals of everything but the step, whose bounds the prediction has.
Intervals intervalsOf(const Job& job, const PowerBasis& basis, const Prediction& prediction);

// One GPU of a node, by its place in the air.
struct GpuOutlook {
    int slot = 0; // 0 in front
    double watts = 0.0; // mean
    double celsius = 0.0; // steady
};

struct Outlook {
    double meanW = 0.0; // a GPU's, over stages
    double peakW = 0.0; // a GPU's, while it is not waiting, at its limit at most
    double clockHz = 0.0;
    ClockLimit limit = ClockLimit::None; // the clock is held by it
    std::vector<double> stageW; // mean of a GPU of each stage
    std::vector<GpuOutlook> node; // the node with the hottest GPU
    double hottestC = 0.0;
};

// Times of inference.
struct Serving {
    double firstTokenSeconds = 0.0; // from the prompts of the samples that are served together
    double tokenSeconds = 0.0; // from a sample's token to its next; 0 where none follows
    double prefillSeconds = 0.0; // both add up to the step
    double decodeSeconds = 0.0;
    double generatedPerSecondPerGpu = 0.0; // tokens
};

struct Prediction {
    Step step;
    double seconds = 0.0; // a step's
    double low = 0.0; // 90 % interval
    double high = 0.0;
    StepSpread spread; // its part that is not the software's or the machine's
    double tokensPerSecondPerGpu = 0.0;
    double flopsPerGpu = 0.0; // 1/s, of the model, recomputation not counted
    double mfu = 0.0; // share of the peak in the job's precision
    std::vector<analysis::StageNeed> memory; // by stage
    double memoryB = 0.0; // a GPU's, in the fullest
    std::optional<double> capacityB; // a GPU's
    bool isOom = false;
    bool isSampled = false; // from a profile's samples
    bool isFromDataSheet = false; // nothing of the GPU was measured: intervals are wider
    Outlook outlook;
    double energyJ = 0.0; // a step's, all GPUs
    std::optional<Serving> serving; // absent unless it is inference
    PowerBasis power; // constants that power and heat were predicted from
    Intervals intervals;

    // The step's parts, which add up to `seconds`: a calibration's correction is in each.
    [[nodiscard]] Breakdown breakdown() const {
        return step.breakdown.times(seconds / step.seconds);
    }
};

// A figure as it is told: step_time in s, between its bounds.
struct PredictedFigure {
    std::string_view key; // "mean_power"
    std::string_view suffix; // end of the key that says the unit: "w"; empty for none
    std::string_view unit; // SI: "W"
    double value = 0.0;
    Interval interval;
};
// All that a prediction tells with an interval, the step first.
std::vector<PredictedFigure> figuresOf(const Prediction& prediction);

// Facts about the measurement that a prediction is of, beside the job: one of the user's own unless
// it is said otherwise.
struct MeasurementContext {
    std::string source = kMeasuredRunsSource;
    double version = 0.0; // the software's, in years
};

// Immutable; any thread.
class Predictor {
public:
    explicit Predictor(const RateTable& table = RateTable::builtIn())
        : m_table(&table) { }
    Predictor(const RateTable& table, Calibration calibration)
        : m_table(&table)
        , m_calibration(std::move(calibration)) { }

    // Jobs that the profile covers are predicted from its samples, which a calibration of the
    // formulas does not correct.
    void use(std::shared_ptr<const ProfiledCosts> profile) { m_profile = std::move(profile); }
    // Constants of power and heat that measured runs tell in place of the catalogue's.
    void use(std::shared_ptr<const PowerBases> powers) { m_powers = std::move(powers); }

    // NotFound where nothing is known of the GPU or its precision; Usage for a job that cannot be.
    [[nodiscard]] Result<Prediction> predict(
        const Job& job, const MeasurementContext& context = {}) const;
    // Seconds and memory alone, by the schedule's closed form: for searches.
    [[nodiscard]] Result<Prediction> estimate(const Job& job) const;

    // The constants of the job's cost model, calibrated where there is a calibration.
    [[nodiscard]] Result<Rates> ratesOf(const Job& job) const;
    // The way that power limit and clock make operators slower than the costs say.
    [[nodiscard]] Slowing slowingOf(const Job& job) const;
    [[nodiscard]] PowerBasis powerOf(const Job& job) const;

    // Costs that the job's step is predicted from: samples where the profile has them, else
    // formulas.
    [[nodiscard]] Result<JobCosts> costsOf(const Job& job) const;
    // The logarithm that a calibration adds to that of the job's seconds; 0 without one, and of
    // samples.
    [[nodiscard]] double correctionOf(const Job& job) const;
    // None of jobs that differ in layout, micro-batch and recomputation alone is below.
    [[nodiscard]] double leastCorrectionOf(const Job& job) const;

private:
    [[nodiscard]] const Residuals* residualsFor(
        const Job& job, const JobCosts& costs) const; // nullptr: none
    [[nodiscard]] static Slowing slowingOf(const Job& job, const JobCosts& costs);
    [[nodiscard]] Result<Step> stepOf(const Job& job, const JobCosts& costs, bool simulate) const;
    void addInterval(const Job& job, const MeasurementContext& context, const JobCosts& costs,
        Prediction& prediction) const;

    const RateTable* m_table;
    std::optional<Calibration> m_calibration;
    std::shared_ptr<const ProfiledCosts> m_profile; // may be absent
    std::shared_ptr<const PowerBases> m_powers; // may be absent
};

analysis::MemoryRequest memoryRequestOf(const Job& job);

// The machine of a job: nodes of GPUs in the order of the air, ascending.
layout::Cluster clusterOf(const Job& job);

// Power, clock and heat of a predicted step: what each stage does is played through the power model
// of its GPU and the air of its node. Pure; any thread.
Outlook outlookOf(const Job& job, const Step& step, const PowerBasis& basis);
// GPUs of a node of the job's cluster, each with the power of its stage and the temperature that it
// settles at.
std::vector<GpuOutlook> nodeOutlook(const Job& job, const std::vector<double>& stageW,
    const PowerBasis& basis, const layout::ClusterNode& node);

} // namespace trainscope::predict
