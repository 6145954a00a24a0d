#pragma once
// A placement of a run's pipeline that allows for heat: which GPUs serve which stage, and how many
// layers each stage has. An estimate throughout, from the settled part of the run.
//
// Model. A GPU's speed is 1 − the share of its clock that is lost while it is busy (Throttling.h);
// a stage is as fast as its slowest GPU, since tensor groups wait in every layer and replicas in
// every step. A step takes what the schedule of the pipeline takes with (layers + what first and
// last stage do besides) / speed per pass, sending in no time, and where ranks move
// between nodes what their groups exchange longer, none of it hidden. Power above idle follows the
// work that a GPU does in a step; temperature = air + R · power, R from the record of temperature
// over power (Temperature.h), and a rear GPU's air is warmed by what the front ones draw, as much
// as the measured gap leaves unexplained. Throttling follows the temperature as the run's GPUs show
// it, but becomes no worse than that of the worst of them; the range of each change reaches from
// throttling that stays as it is to throttling that follows, and a quarter of the change further.
// Facts on what such placements brought elsewhere: arXiv 2509.10371 (19/21 layers, 11/13 layers).

#include "core/analysis/RunStudy.h"
#include "core/layout/Layout.h"

namespace trainscope::analysis {

// A place in the machine and who works there.
struct GpuPlace {
    int node = 0;
    int local = 0; // index in its node
    int slot = 0; // in the order of the air, 0 in front
    bool isRear = false;
    double temperatureC = 0.0; // settled mean
    double watts = 0.0;
    double lost = 0.0; // share of its clock that is lost while it is busy
    int rankBefore = -1;
    int rankAfter = -1;
    int stageBefore = 0;
    int stageAfter = 0;
};

struct StagePlacement {
    int layersBefore = 0;
    int layersAfter = 0;
    double speedBefore = 1.0; // relative, slowest GPU of the stage; 1: not throttled
    double speedAfter = 1.0; // the same for GPUs that would serve it, throttled as now
    double temperatureBefore = 0.0; // mean of its GPUs
    int mostLayers = 0; // layers that fit into memory; 0: not known
};

struct Estimate {
    double value = 0.0;
    double low = 0.0;
    double high = 0.0;
};

struct Placement {
    bool helps = false;
    std::string headline; // "Fewer layers on the rear GPUs …", or why nothing would help
    std::string reason; // in a sentence or two
    std::vector<GpuPlace> gpus; // by node, then slot
    std::vector<StagePlacement> stages;
    bool movesRanks = false;
    std::optional<double> gradientC; // rear − front, measured
    double gradientNoiseC = 0.0; // two standard errors of it
    double lostShare = 0.0; // mean over GPUs
    // Expected changes; absent where they cannot be estimated.
    std::optional<Estimate> stepTime; // relative, −0.03: 3 % shorter
    std::optional<Estimate> gradientChangeC;
    std::optional<Estimate> lostChange; // change of lostShare
    std::vector<std::string> assumptions;
    std::vector<std::string> notes; // other changes needed, unknown facts
    std::string layoutWording; // source of the layout
    int virtualStages = 1;
    layout::ScheduleKind schedule = layout::ScheduleKind::OneForwardOneBackward;
    layout::Degrees degrees;
    int nodes = 1;
    int gpusPerNode = 1;

    [[nodiscard]] std::vector<int> layersBefore() const;
    [[nodiscard]] std::vector<int> layersAfter() const;
};

// NotFound says what of layout, layers or telemetry is missing. Cancelled by progress.
Result<Placement> proposePlacement(const RunStudy& study);

// As launch arguments: Megatron-LM's options, the fields of NeMo and Megatron Bridge, the order of
// the ranks. Text to copy, comments behind '#'.
std::string launchArguments(const Placement& placement);

} // namespace trainscope::analysis
