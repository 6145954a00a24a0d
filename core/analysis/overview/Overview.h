#pragma once
// Overview of a run: a line of what it is, the sentences that tell most of it, each with its
// numbers and the place that proves it, and what was checked or could not be for want of data.
// With one GPU no sentence speaks of ranks; without a trace none speaks of kernels.

#include "core/analysis/comparison/Spread.h"
#include "core/analysis/energy/EnergyByPhase.h"
#include "core/analysis/findings/Findings.h"
#include "core/analysis/findings/RunFacts.h"
#include "core/analysis/iterations/Goodput.h"
#include "core/analysis/machine/RunMemory.h"
#include "core/analysis/operators/HostSelfTime.h"

namespace trainscope::analysis {

inline constexpr double kRestUtilization = 0.05;
inline constexpr double kLevelsApart = 2.0;

struct SubjectWork {
    std::string name; // "rank 3", "node 0"
    TimeSum work; // W
    TimeSum rest;
    [[nodiscard]] double workShare() const; // share of the recorded time
};
struct WorkAndRest {
    bool isByUtilization = false;
    bool isOfNodes = false;
    std::vector<SubjectWork> subjects; // one at least
    [[nodiscard]] SubjectWork together() const;
};

// Absent where the two cannot be told apart. Cancelled by progress.
Result<std::optional<WorkAndRest>> workAndRestOf(const RunStudy& study);

// In the order in which they are told.
enum class Topic {
    Steps,
    Goodput,
    Shift,
    Loss,
    Time,
    Path,
    Energy,
    Heat,
    Limit,
    Memory,
    Ranks,
    Captures,
    Change
};
constexpr auto namesOf(Topic) {
    return enumNames("steps", "goodput", "shift", "loss", "time", "path", "energy", "heat", "limit",
        "memory", "ranks", "captures", "change");
}
constexpr auto titlesOf(Topic) {
    return enumNames("Steps and tokens", "Goodput", "Steps that change for good", "Loss",
        "Where time went", "What the step waits for", "Where energy went", "Heat and throttling",
        "The power limit", "Memory", "Between the ranks", "Between its captures",
        "Against the run before");
}
using trainscope::titleOf;

inline constexpr std::size_t kMostTold = 9;

// A part of a whole, or one of things beside each other.
struct OverviewPart {
    std::string key; // a kernel category's, "copy", "idle"; empty: none of these
    std::string name; // for people
    double value = 0.0; // SI
};

// Counts in equal steps from the first bound to the second; beyond them in the outermost.
struct Histogram {
    double from = 0.0;
    double to = 0.0;
    std::vector<std::int64_t> counts;
};

struct OverviewSentence {
    Topic topic = Topic::Time;
    std::string text;
    std::map<std::string, double> values; // SI; names end in their unit, but for shares and counts
    Evidence evidence; // it shows there
    std::optional<int> picturedRank; // shown beside it; absent: the evidence's
    std::vector<OverviewPart> parts; // the largest first; of Change: this run, then the other one
    std::string unit; // the parts'
    bool isWhole = false; // the parts sum to a whole
    Histogram spread; // in that unit; drawn in place of the parts
    double weight = 0.0; // the least telling are left out
};

// Checks that were not made, by the data that they want.
struct MissingData {
    std::string data; // "a trace", "the power of the nodes"
    std::vector<std::string> checks; // "idle time"
};

struct OverviewChecks {
    int made = 0;
    std::vector<std::string> findings; // the sentence of each, the costliest first
    std::vector<MissingData> missing; // most checks first
    [[nodiscard]] int notMade() const;
};

struct Overview {
    Run run;
    std::string line; // "1 × NVIDIA H100 · 2 min 33 s · a recording, 4 traces and a log"
    std::string window; // stretches of time that the sentences speak of, each said once
    bool hasTrace = false; // a trace of its GPUs, or of its host alone
    std::vector<OverviewSentence> sentences;
    OverviewChecks checks;
    bool isPartial = false; // the checks and further sentences are still to be read
};

// Work of the traced devices over all that was traced, exclusive: kernels that run at once share
// the time, collectives have it where no compute runs.
struct TimeOfWork {
    int devices = 0;
    double tracedS = 0.0; // summed over the devices
    double busyS = 0.0;
    double idleS = 0.0;
    double copyS = 0.0; // nothing but copies and sets ran
    double exposedS = 0.0;
    std::map<std::string, double> categoriesS; // exposed collectives by their kind
    TimeRange window; // the first device's
};
// Sums the devices that were traced (allTraced()). Pure.
TimeOfWork timeOfWork(std::span<const DeviceTrace> devices);

// The latest run that began before it: of its kind and model, on as many GPUs of theirs. Runs of
// which no model is known are of one job where their names differ in numbers alone. nullptr: none.
// Pure.
const Run* runBefore(const std::vector<Run>& runs, const Run& run);

// The run before this one, and what a step took in both.
struct RunBefore {
    std::string name;
    Spread stepsBefore; // s, of the iterations that are not warm-up
    Spread steps;
    double stepTimeBeforeS = 0.0; // as everywhere (Efficiency.h)
    double stepTimeS = 0.0;
};

// The first capture of a run beside the one whose step differs most in speed.
struct CaptureChange {
    std::string headline; // as a comparison says it (Speed.h)
    std::vector<OverviewPart> stepsS; // a step of each capture
};

struct OverviewInputs {
    RunFacts facts;
    TimeOfWork work;
    std::optional<HostSelfTime> host; // absent if a device was traced
    EnergyByPhase energy; // the traced GPUs'
    std::optional<WorkAndRest> workAndRest; // absent where a device was traced
    std::vector<DeviceMemory> memory;
    std::optional<CaptureChange> captures;
    std::optional<RunBefore> before;
    Goodput goodput;
    std::vector<std::string> sources; // importers of its sources, "kineto 1"
    bool hasFlightRecords = false;
};

int overviewGpus(const OverviewInputs& inputs); // all the run had; 0: not known

// Pure.
Overview overviewFrom(const OverviewInputs& inputs);

// Reads everything that is recorded of the run; cancelled by progress. `studies` may hold those of
// the other runs.
Result<Overview> overviewOf(const RunStudies& studies, const Run& run);

// Runs with more samples and spans are told in two parts.
inline constexpr std::int64_t kManySamples = 200'000;
// The sentences that power and utilisation alone give, for a run that has more than `few` samples
// and spans; absent for others. They are those of overviewOf(), word for word; of a traced run
// without those that its traces tell, or tell more of.
Result<std::optional<Overview>> firstSentences(
    const RunStudies& studies, const Run& run, std::int64_t few = kManySamples);

// The sentences, one function each; absent where the data cannot carry it. Pure.
std::optional<OverviewSentence> stepsSentence(const OverviewInputs& inputs);
std::optional<OverviewSentence> goodputSentence(const OverviewInputs& inputs);
std::optional<OverviewSentence> lossSentence(const OverviewInputs& inputs);
std::optional<OverviewSentence> memorySentence(const OverviewInputs& inputs);
std::optional<OverviewSentence> capturesSentence(const OverviewInputs& inputs);
std::optional<OverviewSentence> timeSentence(const OverviewInputs& inputs);
std::optional<OverviewSentence> shiftSentence(const OverviewInputs& inputs);
std::optional<OverviewSentence> pathSentence(const OverviewInputs& inputs);
std::optional<OverviewSentence> energySentence(const OverviewInputs& inputs);
std::optional<OverviewSentence> heatSentence(const OverviewInputs& inputs);
std::optional<OverviewSentence> limitSentence(const OverviewInputs& inputs);
std::optional<OverviewSentence> ranksSentence(const OverviewInputs& inputs);
std::optional<OverviewSentence> changeSentence(const OverviewInputs& inputs);

// The checks that were made, and for want of which data the rest was not. Checks that do not apply,
// as those between GPUs of a run that has one, are in neither. Pure.
OverviewChecks checksOf(const OverviewInputs& inputs);
// "14 checks gave 3 findings:"
std::string checkedText(const OverviewChecks& checks);
// "6 checks could not be made, for want of a trace and marked steps."
std::string notCheckedText(const OverviewChecks& checks);

// Title of the place that proves it: "Kernels".
std::string proofPlace(const Overview& overview, const OverviewSentence& told);

// "1 × NVIDIA H100 · 2 min 33 s · a recording, 4 traces": machine, time and sources. Pure.
std::string overviewLine(const OverviewInputs& inputs);
// "Of the whole run, 2 min 33 s; step time: the median of iterations 22 to 173; traced: 2.12 s of
// it." Pure.
std::string overviewWindow(const OverviewInputs& inputs);

} // namespace trainscope::analysis
