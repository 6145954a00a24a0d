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

} // namespace trainscope::analysis
