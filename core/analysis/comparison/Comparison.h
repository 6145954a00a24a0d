#pragma once
// Runs side by side: how each differs from the first one, by how much against the spread over
// iterations, what is configured differently, and whether scale-up or scale-out served better.

#include "core/analysis/comparison/RunMeasures.h"
#include "core/analysis/comparison/Verdict.h"

namespace trainscope::analysis {

// Operators by the time of the kernels that they launch in a step, of several runs beside each
// other: those that differ most first.

struct StepOperator {
    std::string name;
    // By run: s of a step, mean over the traced GPUs; absent where the run has no such operator.
    std::vector<std::optional<double>> seconds;

    // Longest less shortest time, a run without it at 0.
    [[nodiscard]] double difference() const;
};

// At most `most`, without those that differ by less than a thousandth of the step. Empty unless the
// traces of two runs or more cover whole steps and name operators. Cancelled by the studies'
// progress.
Result<std::vector<StepOperator>> stepOperators(
    const RunStudies& studies, std::span<const RunMeasures* const> runs, std::size_t most = 20);

// Difference of run b from run a in one quantity.
struct Difference {
    std::size_t quantity = 0; // place in comparedQuantities()
    std::optional<double> a;
    std::optional<double> b;
    // b / a; absent where one is, a is 0 or of the other sign, the windows hold unequal work, or
    // the two were told by different means.
    std::optional<double> ratio;
    // Beyond the spread over iterations (Spread.h), within it, or not to be told.
    enum class Weight { Beyond, Within, Unknown } weight = Weight::Unknown;
    std::string why; // for people: "11 and 16 iterations, 95 %", or why it cannot be told

    [[nodiscard]] std::optional<double> amount() const { // b − a
        return a && b ? std::optional(*b - *a) : std::nullopt;
    }
};
constexpr auto namesOf(Difference::Weight) {
    return enumNames("beyond", "within", "unknown");
}

// One for each quantity, in the order of comparedQuantities().
std::vector<Difference> differencesOf(
    const RunMeasures& a, const RunMeasures& b, Normalisation by = Normalisation::Absolute);

// A setting in which the runs or their machines differ.
struct ConfigDifference {
    std::string key; // "micro_batch": as in LaunchConfig.h, and "gpu_model", "gpus"
    std::string title; // "Micro-batch"
    std::vector<std::optional<std::string>> values; // by run; absent: not stated
};
std::vector<ConfigDifference> configDifferences(std::span<const RunMeasures* const> runs);

// The better of the two in that quantity first (the greater where neither is better); a run without
// it comes last.
bool comesBefore(
    const RunMeasures& a, const RunMeasures& b, std::size_t quantity, Normalisation by);

struct Comparison {
    std::vector<RunMeasures> runs; // the first is the base
    std::vector<std::vector<Difference>> differences; // each later run against the first
    std::vector<Verdict> verdicts; // each later run and the first
    std::vector<ConfigDifference> configuration;
    std::vector<StepOperator> operators; // those that differ most; comparisonOf() leaves this empty
};

// One side of a comparison: a run, or a part of one.
struct ComparedRun {
    Run run;
    MeasureScope scope;
};

// Usage for fewer than two, or one twice. Those behind the first by comesBefore() where a
// quantity is given. Cancelled by progress.
Result<Comparison> compareRuns(const store::Store& store, std::span<const ComparedRun> runs,
    const Progress& progress = {}, std::optional<std::size_t> sortedBy = {},
    Normalisation by = Normalisation::Absolute);
// The same of runs that were measured before.
Comparison comparisonOf(std::vector<RunMeasures> runs);

// The letters by which compared runs are told apart.

// By the run's place: "A" … "Z", "AA", "AB" …
std::string runMark(std::size_t place);
// The letters of several runs in ascending order: "A, C–F".
std::string runMarks(std::span<const std::size_t> places);

// Gates: limits that a run keeps against the run before it, as a training's tests ask for them.
//
// QUANTITY<=LIMIT or QUANTITY>=LIMIT, the quantity by namedQuantity(). A limit with a sign is one
// on the change from the base: "step_time<=+2%" relative to it, "gpu_temperature.max<=+3" in SI
// units. A limit without one is on the value itself: "goodput>=90%", "peak_temperature_c<=85".
//
// A gate passes where the value keeps the limit by more than the margin, fails where it breaks it
// by more, and between cannot tell. The margin is that of Welch's interval over the iterations at
// kConfidence (Spread.h), of value − factor × base. One figure a run is taken as it is: its noise
// is not known, and the text says so. Not comparable are another model, batch, sequence length or
// machine where both state it, a run that ran out of memory, and one without a single value.

struct Gate {
    std::string text; // as it was given
    std::size_t quantity = 0; // place in comparedQuantities()
    bool isUpper = true; // <=
    double factor = 0.0; // × base; 1.02 for +2 %, 0 for a limit on the value
    double shift = 0.0; // SI
};
// Usage for what is no gate, names no quantity or asks for a ratio of degrees. Pure.
Result<Gate> gateOf(std::string_view text);

enum class GateResult { Passed, CannotTell, Failed, NotComparable }; // the worse, the later
constexpr auto namesOf(GateResult) {
    return enumNames("passed", "cannot_tell", "failed", "not_comparable");
}

struct GateOutcome {
    Gate gate;
    std::string base; // names of the runs
    std::string run;
    GateResult result = GateResult::CannotTell;
    std::optional<double> a; // the base's value
    std::optional<double> b;
    std::optional<double> margin; // ± of b at the limit, in the quantity's unit
    std::string text; // "2.00 s to 2.01 s, +0.5 % ± 0.2 %", or the reason for no answer
};
// b against the base a. Pure.
GateOutcome outcomeOf(const Gate& gate, const RunMeasures& a, const RunMeasures& b);

} // namespace trainscope::analysis
