#pragma once
// Efficiency of a run: samples and tokens per second and per joule, the model's FLOP per second and
// GPU, and the share of the GPU's peak that they are (MFU).
//
//   step time      median duration of the whole iterations in the window that are not warm-up; the
//                  mean of those that the period of the power shows
//   samples/s      global batch / step time; tokens/s = samples/s × sequence (padding included; of
//                  inference the prompt and the generated tokens). Marks of the training script on
//                  its steps (core/model/StepFacts.h) go before both: their mean, where they
//                  differ over the mean step time
//   energy/step    energy of all GPUs within those iterations / their number; what lies between
//                  them, in no iteration, is told by itself: energy between steps
//   power of steps the same energy / the time within those iterations
//   tokens/J       tokens of a step / energy per step
//   samples/(s·MJ) samples/s / energy of all GPUs over the window in MJ (the whole run's, unless
//                  another window is asked for)
//   energy         the trapezoid over what was recorded; absent below 90 % coverage
//   MFU            model FLOP/s per GPU (ModelShape.h) / peak of the GPU in the run's precision
// CharLLM-PPT takes the whole recording as one global batch: samples/s = batch / duration, and
// divides that by the energy in MJ. `asCharllm` gives its two figures, with the run's own batch in
// place of its fixed 128.
// Nothing is assumed: what the data or the launch configuration does not say makes what depends on
// it absent, with the reason.

#include "core/analysis/RunStudy.h"
#include "core/analysis/machine/ModelShape.h"

namespace trainscope::analysis {

struct RunIterations; // iterations/Iterations.h
struct CaptureIterations; // traces/CaptureIterations.h

// The counted steps of a run, and their energy.
struct CountedSteps {
    int gpus = 0; // GPUs of the job, recorded or not
    std::optional<double> stepTimeS;
    std::int64_t steps = 0;
    std::string stepTimeOrigin; // for people: where the iterations come from, or why there is none
    std::string stepWindow; // "the median of iterations 22 to 173"; empty without a step time
    std::optional<double> energyPerStepJ;
    // For each counted step, of all GPUs; absent where next to nothing lies between steps.
    std::optional<double> energyBetweenStepsJ;
    std::optional<double> stepPowerW; // all GPUs together
};

struct Efficiency : CountedSteps {
    std::optional<double> samplesPerS;
    std::optional<double> tokensPerS;
    std::optional<double> tokensPerSPerGpu;
    std::optional<double> tokensPerJ;
    std::optional<double> samplesPerSPerMj;
    std::optional<double> flopPerStep; // the model's
    std::optional<double> flopsPerGpu; // FLOP/s
    std::optional<double> mfu;
    std::optional<double> parameters;
    std::optional<double> activeParameters;
    std::optional<double> peakFlops; // one GPU's
    std::string modelOrigin; // for people: where the model's shape comes from
    std::string formula; // for people: of the FLOP

    struct AsCharllm {
        double samplesPerS = 0.0;
        double samplesPerSPerMj = 0.0;
    };
    std::optional<AsCharllm> asCharllm;

    // By the JSON key of what is absent, why: "mfu" → "The precision is not stated …".
    std::map<std::string, std::string> missing;
    std::optional<Error> catalogueProblem; // reason that the user's own models could not be read
};

// Inputs of the efficiency, as far as they are known.
struct EfficiencyFacts : CountedSteps {
    LaunchConfig launch;
    std::string gpuModel;
    std::optional<double> windowEnergyJ; // all GPUs together
    std::string whyNoEnergy;
    double runDurationS = 0.0; // length of the recording
    // As the training log says, the median; taken where no batch or sequence length is stated.
    std::optional<double> loggedTokensPerS;
    // As the training script marked them: the mean of the counted steps.
    std::optional<double> samplesPerStep;
    std::optional<double> tokensPerStep;
    std::optional<double> meanStepTimeS; // divides tokens and samples of steps whose work differs
    std::optional<double> runEnergyJ;
};
Efficiency efficiencyFrom(const EfficiencyFacts& facts, const catalogue::ModelCatalogue& catalogue);

// The efficiency of a window of the run. Reads the catalogue, the run's iterations and its power;
// cancelled by progress.
Result<Efficiency> efficiencyOf(const RunStudy& study, TimeRange window = kAllTime);
// Without the figures of energy: no power is read.
Result<Efficiency> timeEfficiencyOf(const RunStudy& study, TimeRange window = kAllTime);
// The efficiency of a capture.
Result<Efficiency> efficiencyOf(const RunStudy& study, const CaptureIterations& captured);

// Figures of efficiency that cannot be, for people: what is stated is not what ran.

// True for a share of the GPU's peak that is more than there is.
bool isImplausibleMfu(const std::optional<double>& mfu);
// "An MFU of 143 % is more than the GPUs can do: …", and what is likely wrong; figures: "143 %".
std::string implausibleMfuText(const std::string& figures);

} // namespace trainscope::analysis
