#pragma once
// A run and the machine it ran on, as plain values. Optional fields are what a source did not say;
// nothing is assumed in their place.

#include "core/model/Id.h"
#include "core/model/LaunchConfig.h"
#include "core/model/Time.h"

namespace trainscope {

enum class RunKind { Measured, Predicted };
constexpr auto namesOf(RunKind) {
    return enumNames("measured", "predicted");
}
enum class RunStatus {
    Ok,
    Oom, // ended in out-of-memory (CharLLM-PPT: under 10 samples on rank 0)
    Partial, // some of it could not be read
};
constexpr auto namesOf(RunStatus) {
    return enumNames("ok", "oom", "partial");
}

struct Run {
    RunId id;
    std::string name;
    RunKind kind = RunKind::Measured;
    RunStatus status = RunStatus::Ok;
    bool simulated = false; // the built-in sample: made by a generator, shown so
    std::string gpuModel; // "NVIDIA H200", empty: unknown
    TimeRange range{{0}, {0}}; // first sample or span to the end of the last; empty: no data
    int gpuCount = 0;
    int nodeCount = 0;
    int worldSize = 0; // ranks expected by the sources, 0: not said
    LaunchConfig launch;
};

struct Gpu {
    int rank = 0; // global
    int node = 0;
    int local = 0; // index in its node
    std::string model;
    std::string uuid;

    bool operator==(const Gpu&) const = default;
};

struct Iteration {
    std::int64_t index = 0; // as the source numbers it
    TimeRange range;
    int rank = -1; // the rank that marked it, -1: the whole run
    bool warmup = false;
};

} // namespace trainscope
