#pragma once
// The arithmetic of a placement, without a run: from what was measured of each GPU to stages,
// layers and expected changes. Pure; any thread. The model: Placement.h.

#include "core/analysis/cluster/Placement.h"
#include "core/layout/Schedule.h"
#include "core/layout/Traffic.h"

namespace trainscope::analysis {

struct ThermalFacts {
    double resistance = 0.0; // °C/W
    double low = 0.0; // bounds of the resistance
    double high = 0.0;
    double idleWatts = 0.0;
    std::optional<double> lossPerC; // throttling against temperature, as the GPUs show it
    double lossFromC = 0.0; // from there on
};

// Bytes that the ranks of one group exchange per step.
struct GroupLoad {
    std::vector<int> ranks;
    double bytes = 0.0; // sent by each
};

struct PlacementInput {
    layout::Layout layout;
    std::vector<GpuPlace> gpus; // by rank: rankBefore is the index; rankAfter not set
    int layers = 0;
    std::vector<int> layersBefore; // by stage
    std::vector<double> extra; // by stage, in layers
    std::vector<int> mostLayers; // by stage
    std::optional<ThermalFacts> thermal;
    bool knowsAir = true; // there are front and rear GPUs
    // The groups that a placement may move between nodes; empty: not known.
    std::vector<GroupLoad> loads = {};
    double scaleUp = 0.0; // links of a GPU inside its node, per direction, B/s; 0: not known
    double scaleOut = 0.0; // and out of it
    std::optional<double> stepSeconds = std::nullopt; // as measured
};

inline constexpr double kLeastSpeed = 0.05;
inline constexpr double kLeastLoss = 0.005; // share of the slowest GPU's time; less is not lost
inline constexpr double kLeastGain = 0.005; // share of the step: less is not worth a new placement

Placement placeStages(const PlacementInput& input);

// Everything but the tensor and context groups, which placements keep inside their nodes. Empty
// where the layout or the model does not say what is exchanged.
std::vector<GroupLoad> groupLoads(const layout::Layout& layout, const layout::TrafficModel& model);

// Throttling over temperature as the GPUs of a run show it: a line through those that lose time;
// absent for fewer than three, or where hotter ones do not lose more.
void fitLoss(const std::vector<GpuPlace>& gpus, ThermalFacts& facts);

// Values that a placement's text needs beside the placement.
struct PlacementVerdict {
    double worstLoss = 0.0; // lost share of the slowest GPU
    bool fits = true; // some split fits into memory
    std::optional<Estimate> tooSmall; // change of the step that is not worth it
    bool spansHalves = false; // tensor groups have front and rear GPUs
    std::optional<double> movingCost; // seconds of a step; absent: not known, or nothing moves
};

// Fills headline, reason, assumptions and notes.
void explain(Placement& placement, const PlacementVerdict& verdict);

std::string layerList(const std::vector<int>& layers, std::string_view separator);

// Layers of each stage of a pipeline whose stages differ in speed: by stage, all of one size.
struct SplitRequest {
    int layers = 0;
    std::vector<double> speeds; // > 0, 1 is a GPU that is not throttled
    std::vector<double> extra; // other work of a stage, in layers (embedding, loss)
    std::vector<int> most; // layers that fit into its memory
};

// Whole layers that sum to `layers`, at least one a stage and no more than fit, such that the
// slowest stage, max (layers + extra) / speed, is as fast as can be; of equal splits the one that
// gives the faster stages more. Layer by layer to the stage that is done first with it, which is
// optimal since stages do not depend on each other. Absent where they do not fit.
std::optional<std::vector<int>> bestSplit(const SplitRequest& request);

// max (layers + extra) / speed.
double slowestStage(const SplitRequest& request, const std::vector<int>& split);

using GpuMapping = std::vector<int>; // rank → index of the GPU, which is the rank before

// Duration of a step with a placement: the schedule of the run's pipeline with the layers and
// speeds of its stages, and the exchanges of groups that a placement moves between nodes.
class PlacementSteps {
public:
    explicit PlacementSteps(const PlacementInput& input);

    // In forward passes of a layer on a GPU that is not throttled. `speeds`: by stage.
    [[nodiscard]] double of(const GpuMapping& mapping, const std::vector<int>& split,
        const std::vector<double>& speeds) const;
    // The best split of whole layers that fits: such that the slowest stage is as fast as can be,
    // then layer by layer from stage to stage while the step becomes shorter. Absent: none fits.
    [[nodiscard]] std::optional<std::vector<int>> bestSplitFor(
        const GpuMapping& mapping, const std::vector<double>& speeds) const;

    // Seconds that a step takes longer by what is exchanged over slower links than before, as if
    // nothing of it were hidden; 0 at least. Absent: not known.
    [[nodiscard]] std::optional<double> movingCost(const GpuMapping& mapping) const;

private:
    [[nodiscard]] double pipeline(
        const std::vector<int>& split, const std::vector<double>& speeds) const;
    [[nodiscard]] double exchange(const GpuMapping& mapping) const;
    [[nodiscard]] bool canImprove() const;

    const PlacementInput& m_input;
    std::size_t m_stages;
    double m_exchangeBefore = 0.0;
    double m_unitSeconds = 0.0; // 0: not known
};

} // namespace trainscope::analysis
