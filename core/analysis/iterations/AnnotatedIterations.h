#pragma once
// Iterations that a run's sources or the annotations in its traces name, and the stretches that its
// program named while it was recorded (marks: "phase NAME").

#include "core/model/StepFacts.h"
#include "core/store/Store.h"

namespace trainscope::analysis {

// In order of their begin; withIntervals: those that a log tells, too.
Result<std::vector<NamedPhase>> namedPhasesOf(
    const store::Store& store, const std::vector<Track>& tracks, bool withIntervals = false);

// Iteration that an annotation's name tells: "iteration 7" → {"iteration", 7}, "train_step" →
// {"train_step", none}. Absent for any other name, and for parts of an iteration (micro-batches).
struct IterationName {
    std::string stem;
    std::optional<std::int64_t> number;

    bool operator==(const IterationName&) const = default;
};
std::optional<IterationName> iterationName(std::string_view name);

struct AnnotatedIterations {
    std::map<int, std::vector<Iteration>> byRank; // in order of time, not overlapping
    std::string origin; // their name in the source
};

// The store's iterations, else the ranges that cover most time among those whose names say
// "iteration". Empty where there are none.
Result<AnnotatedIterations> annotatedIterations(const store::Store& store, RunId run);

} // namespace trainscope::analysis
