#pragma once
// Memory that PyTorch's caching allocator held on a device: the record that an importer makes of a
// memory snapshot, the words of its categories, and the form in which it is kept with its source.
// Plain values; any thread. Sizes are B.

#include "core/analysis/RunStudy.h"

namespace trainscope::analysis {

// Use of an allocation, as far as the calls that made it say.
enum class MemoryUse {
    Parameter, // made where modules are built, moved or loaded
    Gradient, // made in the backward pass
    OptimizerState, // made by an optimizer
    Activation, // made in the forward pass of a module
    Other, // workspaces, collectives, data, caches of keys and values
    Unknown, // the calls are not recorded, or say nothing of it
};
constexpr auto namesOf(MemoryUse) {
    return enumNames(
        "parameter", "gradient", "optimizer_state", "activation", "other", "not_known");
}
constexpr auto titlesOf(MemoryUse) {
    return enumNames("Parameters", "Gradients", "Optimizer", "Activations", "Other", "Not known");
}
using trainscope::titleOf;

// Allocations of one size that the same calls made, alive at one moment.
struct LiveAllocations {
    MemoryUse use = MemoryUse::Unknown;
    std::int64_t size = 0; // size of each
    std::int64_t count = 0;
    std::vector<std::string> calls; // innermost first: "forward (model.py:12)"

    [[nodiscard]] std::int64_t bytes() const;
    bool operator==(const LiveAllocations&) const = default;
};

// Moment at which the most was allocated.
struct MemoryPeak {
    std::optional<TimeNs> time; // absent: the snapshot has no times
    std::int64_t allocated = 0;
    std::int64_t reserved = 0; // meanwhile
    std::int64_t count = 0; // live allocations
    std::vector<std::pair<MemoryUse, std::int64_t>> byUse; // most bytes first; they add up
    std::vector<LiveAllocations> largest; // most bytes first, kMostLive of them at most
    bool operator==(const MemoryPeak&) const = default;
};

// Request that the device could not serve.
struct OutOfMemory {
    std::optional<TimeNs> time;
    std::int64_t requested = 0;
    std::optional<std::int64_t> deviceFree; // as the driver said
    std::int64_t reserved = 0;
    std::int64_t allocated = 0;
    std::int64_t freePieces = 0; // reserved, not allocated
    std::int64_t largestFree = 0; // the largest of them
    std::vector<std::string> calls; // the calls that asked, innermost first
    bool operator==(const OutOfMemory&) const = default;

    [[nodiscard]] std::int64_t unallocated() const {
        return clampedDifference(reserved, allocated);
    }
};

struct AllocatorRecord {
    static constexpr std::size_t kMostLive = 200;
    static constexpr std::size_t kMostOutOfMemory = 20;
    static constexpr std::size_t kMostCalls = 16;

    int rank = 0;
    int device = 0; // as its process counts
    std::int64_t events = 0; // recorded; 0: the state at the snapshot is all that is known
    MemoryPeak peak;
    std::vector<OutOfMemory> outOfMemory; // the first of outOfMemoryCount
    std::int64_t outOfMemoryCount = 0;
    bool endedSo = false; // nothing was allocated behind the last of them
    std::string settings; // PYTORCH_CUDA_ALLOC_CONF
    bool operator==(const AllocatorRecord&) const = default;
};

// The form in which records stand in an ImportReport's facts, JSON. Other text gives none.
inline constexpr std::string_view kAllocatorFact = "allocator record";
std::string allocatorText(const std::vector<AllocatorRecord>& records);
std::vector<AllocatorRecord> allocatorFromText(std::string_view text);

// Records from all sources of a run, by rank and device.
Result<std::vector<AllocatorRecord>> allocatorRecordsOf(const RunStudy& study);

// "2.15 GB", in sentences.
std::string memoryText(std::int64_t bytes);

// "Ran out of memory at 12.3 s: asked for 2.15 GB, 1.18 GB free on the device, 3.44 GB reserved but
// not allocated in 14 pieces, the largest 859 MB." `start` of the run; then the reason.
std::string outOfMemoryText(const OutOfMemory& one, TimeNs start);
std::string outOfMemoryReason(const OutOfMemory& one);

} // namespace trainscope::analysis
