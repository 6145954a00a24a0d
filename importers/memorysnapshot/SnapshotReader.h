#pragma once
// Memory snapshots of PyTorch's caching allocator, as torch.cuda.memory._dump_snapshot() pickles
// them (torch/csrc/cuda/Module.cpp and memory_snapshot.cpp, torch 2.0 to 2.9): segments with their
// blocks, the history of each device, annotations and settings. Pieces are given one by one, so
// that memory does not grow with the file.

#include "core/analysis/machine/AllocatorMemory.h"
#include "importers/common/Pickle.h"
#include "importers/common/Source.h"

namespace trainscope::importers::memorysnapshot {

// The call stacks of a snapshot, each kept once: for people as texts, and what they say of the use
// of memory that they allocated.

using StackId = std::uint32_t;
using FrameId = std::uint32_t;
inline constexpr StackId kNoStack = 0;

// A call as a frame tells it.
struct Call {
    std::string_view function;
    std::string_view file;
    std::int64_t line = 0;
};

class StackTable {
public:
    static constexpr std::size_t kMostFrames = std::size_t{1} << 18; // others say nothing
    static constexpr std::size_t kMostStacks = std::size_t{1} << 18;

    StackTable();

    FrameId frame(const Call& call);
    // Innermost first; its first kMostCalls are kept as texts, those in Python where there are any.
    StackId stack(const std::vector<FrameId>& frames);

    // Use of what such calls allocate: the innermost call that says anything decides.
    [[nodiscard]] analysis::MemoryUse useOf(StackId stack) const;
    [[nodiscard]] std::vector<std::string> callsOf(StackId stack) const;

private:
    struct Frame {
        std::string text;
        bool isPython = false;
        std::optional<analysis::MemoryUse> use;
    };
    using Stack = std::pair<std::vector<FrameId>, analysis::MemoryUse>;
    std::vector<Frame> m_frames; // the first is none
    std::unordered_map<std::string, FrameId> m_frameIndex;
    std::map<Stack, StackId> m_stackIndex;
    std::vector<const Stack*> m_stacks; // the first is none
};

// Use that a call says, by its function and file; absent: it says nothing.
std::optional<analysis::MemoryUse> useOfCall(const Call& call);

enum class Action {
    Alloc,
    FreeRequested,
    FreeCompleted,
    SegmentAlloc,
    SegmentFree,
    SegmentMap,
    SegmentUnmap,
    OutOfMemory,
    Other, // a snapshot
};

// List of events of a device, by the place of its list in the pickle, which is the same whenever
// the file is read.
using TraceId = std::int64_t;

struct AllocatorEvent {
    TraceId trace = 0;
    Action action = Action::Other;
    std::int64_t address = 0;
    std::int64_t size = 0;
    std::optional<std::int64_t> deviceFree; // at OutOfMemory
    std::optional<std::int64_t> timeUs; // since 1970
    StackId stack = kNoStack;
};

struct AllocatorBlock {
    std::int64_t address = 0;
    std::int64_t size = 0;
    std::int64_t requested = 0; // by whom it was allocated for
    bool isAllocated = false;
    bool isPending = false; // freed, and still in use by a stream
    StackId stack = kNoStack;
};

struct AllocatorSegment {
    std::int64_t device = 0;
    std::int64_t address = 0;
    std::int64_t size = 0;
    bool isExpandable = false;
    std::vector<AllocatorBlock> blocks;
};

struct SnapshotAnnotation {
    std::int64_t device = 0;
    bool isStart = false;
    std::string_view name; // valid while the call lasts
    std::int64_t timeUs = 0;
};

struct SnapshotVisitor {
    std::function<Status(const AllocatorEvent&)> event;
    std::function<Status(AllocatorSegment&&)> segment;
    std::function<Status(const SnapshotAnnotation&)> annotation;
};

struct SnapshotFacts {
    std::vector<TraceId> traces; // by device
    std::string settings; // PYTORCH_CUDA_ALLOC_CONF
    std::uint64_t bytes = 0;
    std::int64_t broken = 0; // pieces without what makes them one
    std::string problem; // the reason of an early end; empty: none
};

bool isSnapshot(std::string_view head);

// Fails only where it was cancelled, a visitor fails, or nothing was understood.
Result<SnapshotFacts> readSnapshot(const SourceTree& tree, const std::string& path,
    StackTable& stacks, const SnapshotVisitor& visitor, const Progress& progress);

} // namespace trainscope::importers::memorysnapshot
