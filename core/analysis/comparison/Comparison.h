#pragma once
// Runs side by side: how each differs from the first one, by how much against the spread over
// iterations, what is configured differently, and whether scale-up or scale-out served better.

#include "core/analysis/RunStudy.h"
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

} // namespace trainscope::analysis
