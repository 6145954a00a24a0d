#pragma once
// The call trees of several ranks or runs as one: the same paths are one node. Sums are added up;
// so are unions, since ranks have devices of their own.

#include "core/analysis/operators/CallPaths.h"
#include "core/analysis/operators/CallTree.h"

#include <tuple>

namespace trainscope::analysis {

// Adds the sums of a node that is the same frame.
void addSums(CallNode& into, const CallNode& node);

class TreeMerge {
public:
    void add(const CallTree& tree);
    CallTree take() { return std::move(m_merged); }

private:
    using NodeKey = std::tuple<std::uint32_t, FrameKind, StepPass, std::uint32_t, std::uint32_t>;
    using TotalKey = std::tuple<CallTotal::Of, StepPass, std::uint32_t, std::uint32_t>;
    using Numbers = std::unordered_map<std::string, std::uint32_t>;

    static std::vector<std::uint32_t> addTexts(
        const std::vector<std::string>& texts, std::vector<std::string>& list, Numbers& numbers);
    void addFacts(const CallTree& tree);
    std::uint32_t addNode(const CallNode& node);
    void addTotal(const CallTotal& total);

    CallTree m_merged;
    Numbers m_names;
    Numbers m_signatures;
    std::map<NodeKey, std::uint32_t> m_nodes;
    std::map<TotalKey, std::size_t> m_totals;
};

// The call tree of a stretch of a rank's time, from the sums of the parts that it consists of. One
// thread.

class TreeSums {
public:
    // `paths`: what the parts refer to; it may grow between them.
    explicit TreeSums(CallPaths& paths)
        : m_paths(paths) { }

    // Parts in their order; of the first, work that goes on from before counts as well.
    void add(const CallPart& part, bool isFirst);
    [[nodiscard]] CallTree tree() const;

private:
    void add(const CallPart::Work& row, std::int64_t carried);

    CallPaths& m_paths;
    std::vector<CallPart::Frame> m_frames;
    std::vector<CallPart::Work> m_works;
    std::vector<FrameSums> m_totals;
};

// A call tree without some of its frames: what hangs under a frame that is left out hangs under its
// nearest caller that stays, and what that caller launched through it is its own. Pure; any thread.

struct TreeFolding {
    bool python = false; // functions of Python are left out
    bool modules = false;
    bool work
        = false; // kernels, copies and sets are left out: their sums are in what launched them
    bool signatures = false; // operators of other shapes are one frame

    bool operator==(const TreeFolding&) const = default;
};

struct FoldedTree {
    CallTree tree;
    // By node of the whole tree: its node here, of one that is left out the nearest caller's.
    std::vector<std::uint32_t> placeOf;
};
FoldedTree foldedTree(const CallTree& tree, const TreeFolding& folding);

// Two call trees beside each other: a frame is matched by the names on its path from the root,
// whatever its shapes; work that is left over on both sides is matched by the name of the operator
// that launched it. Kernels have other names on other GPUs, so that operators are compared, not
// their kernels. Plain values; any thread.

enum class Change : std::uint8_t {
    Same, // within 1 % of the greater one
    Faster, // b takes less
    Slower,
    New, // in b alone
    Gone, // in a alone
};
constexpr auto namesOf(Change) {
    return enumNames("same", "faster", "slower", "new", "gone");
}

// Sums of a frame in one of the trees.
struct ComparedSide {
    double seconds = 0.0; // kernel time; of a step where both trees have steps
    double calls = 0.0; // the same
    std::int64_t works = 0; // in all steps
    bool operator==(const ComparedSide&) const = default;
};

struct ComparedTimes {
    std::optional<ComparedSide> a; // absent: the tree does not have it
    std::optional<ComparedSide> b;

    [[nodiscard]] double difference() const; // b − a, s
    [[nodiscard]] std::optional<double> ratio() const; // b / a; absent without either
    [[nodiscard]] Change change() const;
};

// A frame of the tree of both.
struct ComparedFrame {
    FrameKind kind = FrameKind::Root;
    StepPass pass = StepPass::None;
    std::uint32_t parent = CallNode::kNone; // stands before its children
    std::string name;
    ComparedTimes times; // with all that it calls
};

// A frame that launches work itself.
struct ComparedOperator {
    FrameKind kind = FrameKind::Operator;
    StepPass pass = StepPass::None;
    std::string name;
    std::string path; // its callers, the nearest last; empty: matched by name, or under the root
    bool isByName = false; // calls on other paths together
    ComparedTimes times; // own work
    std::vector<std::uint32_t> frames; // its frames
};

struct TreeDifference {
    // Iterations of the trees; times are of one of them where both are known.
    std::int64_t stepsA = 0;
    std::int64_t stepsB = 0;
    std::vector<ComparedFrame> frames; // [0] is the root
    // By node of either tree: its frame, of work and what else is left out the nearest caller's.
    std::vector<std::uint32_t> frameOfA;
    std::vector<std::uint32_t> frameOfB;
    std::vector<ComparedOperator> operators; // by the size of the difference, largest first

    [[nodiscard]] bool isPerStep() const { return stepsA > 0 && stepsB > 0; }
};

TreeDifference treeDifference(const CallTree& a, const CallTree& b);

// The operators of one name and pass together, again by the size of the difference.
std::vector<ComparedOperator> byName(const std::vector<ComparedOperator>& operators);

} // namespace trainscope::analysis
