#pragma once
// The call tree of a rank: what was called by what on its host threads, and the work on its devices
// under what launched it. Calls of one path are one node: "ProfilerStep#3" and "ProfilerStep#4" are
// one frame, operators of other shapes are others. Plain values; any thread.
//
// Backward operators hang under the forward operator that they belong to (PyTorch's sequence
// numbers, core/model/SpanFacts.h), so that a module holds both of its passes. If a trace
// says nothing of its host, all work hangs under the root. An operator of XLA is a kernel and the
// operator above it at once.
//
// The work of a run without a traced device is the host's own: the self time of each call, which is
// its time less that of the calls in it.

#include "core/model/EnumNames.h"
#include "core/model/Time.h"

#include <vector>

namespace trainscope::analysis {

enum class FrameKind : std::uint8_t {
    Root,
    Annotation, // made by users: record_function, NVTX
    Module, // nn.Module of PyTorch's Python stack
    Python, // a function
    Operator,
    Kernel, // this and what follows: work on a device, leaves of the tree
    Copy,
    Set,
    Self, // self time of a call on the host
};
constexpr auto namesOf(FrameKind) {
    return enumNames(
        "root", "annotation", "module", "python", "operator", "kernel", "copy", "set", "self");
}
inline bool isWork(FrameKind kind) {
    return kind >= FrameKind::Kernel;
}

// The pass of a training step that a call belongs to.
enum class StepPass : std::uint8_t {
    None, // nothing tells
    Forward,
    Backward,
    Recomputation, // forward work done again for the backward pass
    Optimizer,
};
constexpr auto namesOf(StepPass) {
    return enumNames("", "forward", "backward", "recomputation", "optimizer");
}
inline constexpr std::size_t kPasses = 5;

// Sums of a frame in a window. Times of work are cut at its edges, and work counts where it begins,
// as in the kernel table. Own: launched by the frame itself, not by what it calls.
struct FrameSums {
    // Calls of an operator or function that launches work itself: those whose first own work begins
    // in the window. Calls of all others (annotations, modules): those that begin there on the
    // host.
    std::int64_t calls = 0;
    std::int64_t works = 0; // kernels, copies and sets of the whole subtree
    DurationNs time; // their sum
    DurationNs busy; // their union, over all streams of a device; summed over devices
    std::int64_t ownWorks = 0;
    DurationNs ownTime;
    DurationNs ownBusy;
    DurationNs hostTime; // calls that begin in the window, whole; callees included

    FrameSums& operator+=(const FrameSums& other);
    bool operator==(const FrameSums&) const = default;
};

struct CallNode {
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    FrameKind kind = FrameKind::Root;
    StepPass pass = StepPass::None;
    std::uint32_t parent = kNone; // stands before its children; the root has none
    std::uint32_t name = 0; // index into names
    std::uint32_t signature = 0; // index into signatures; 0: none
    FrameSums sums;
    // Shortest and longest work that begins in the window, and begin and rank of the longest, on
    // that rank's clock.
    DurationNs shortest;
    DurationNs longest;
    TimeNs longestAt;
    int longestRank = -1;
};

// A row of a table, and a sum over nodes, is of one of these.
enum class OperatorGrouping : std::uint8_t {
    Operator, // one name: own work
    Module, // one name: with all that it calls
    Annotation, // the same
    Shape, // one operator's name and signature: own work
    Pass, // own work of its frames; name: toString(pass)
};
constexpr auto namesOf(OperatorGrouping) {
    return enumNames("operator", "module", "annotation", "shape", "pass");
}
constexpr auto titlesOf(OperatorGrouping) {
    return enumNames("Operator", "Module", "Annotation", "Operator and inputs", "Pass");
}

// Sums over all nodes of one kind, by what a table asks: unions over all of them, which those of
// single nodes do not add up to where they overlap.
struct CallTotal {
    using Of = OperatorGrouping;
    Of of = Of::Operator;
    StepPass pass = StepPass::None; // with Of::Pass only
    std::uint32_t name = 0;
    std::uint32_t signature = 0; // with Of::Shape only
    FrameSums sums;
};

struct CallTree {
    int rank = -1; // -1: several ranks together
    TimeRange window;
    // The traced time of the windows of its ranks together, for each device with kernels.
    DurationNs rankTime;
    bool hasHost = false; // calls were recorded; without them all work hangs under the root
    bool isOfHost = false; // the work is self time of calls; devices are host threads
    bool hasModules = false;
    bool hasShapes = false;
    bool isFull = false; // there are more paths than are kept: the rest counts in their callers
    std::vector<std::string> names;
    std::vector<std::string> signatures; // details of operators as JSON; [0] is empty
    std::vector<CallNode> nodes; // [0] is the root
    std::vector<CallTotal> totals;
};

// Children of all nodes: of node i those in children[first[i] … first[i + 1]).
struct CallChildren {
    std::vector<std::uint32_t> first;
    std::vector<std::uint32_t> children;
};
CallChildren childrenOf(const CallTree& tree);

} // namespace trainscope::analysis
