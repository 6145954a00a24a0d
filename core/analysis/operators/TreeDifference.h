#pragma once
// Two call trees beside each other: a frame is matched by the names on its path from the root,
// whatever its shapes; work that is left over on both sides is matched by the name of the operator
// that launched it. Kernels have other names on other GPUs, so that operators are compared, not
// their kernels. Plain values; any thread.

#include "core/analysis/operators/CallTree.h"
#include "core/model/EnumNames.h"

namespace trainscope::analysis {

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
