#pragma once
// The rows of the view Kernels as a tree of plain values, and what of it is seen: sorted within
// each caller, with what is searched, unfolded. Any thread.

#include "core/analysis/energy/EstimatedEnergy.h"
#include "core/analysis/operators/CallTree.h"

namespace trainscope::app {

struct OutlineColumn {
    std::string title;
    std::string unit; // SI; "1": a count; "%": a fraction; "×": a ratio; empty: words
    std::string tip;
    int order = 0; // rank by importance: the greatest gives way first where there is no room
    bool isByMagnitude = false; // sorted whatever the sign
    bool operator==(const OutlineColumn&) const = default;
};

struct OutlineNode {
    static constexpr std::uint32_t kNone = analysis::CallNode::kNone;

    std::uint32_t parent = kNone; // stands before its children
    // Node of the call tree, operator or compared frame; kNone: it is no work.
    std::size_t source = 0;
    std::string name;
    std::string note; // shapes of its inputs, callers
    analysis::FrameKind kind = analysis::FrameKind::Operator;
    analysis::StepPass pass = analysis::StepPass::None;
    std::string category; // kernels only
    std::vector<std::optional<double>> values; // by column; absent: not known
    std::string words; // cell of the column without a unit
    std::optional<analysis::EstimatedEnergy> energy; // the column in J, with its interval
};

class OperatorOutline {
public:
    struct Seen {
        std::uint32_t node = 0;
        int depth = 0;
        bool hasChildren = false;
        bool isUnfolded = false;
        bool isFound = false; // it has what is searched itself
        bool operator==(const Seen&) const = default;
    };

    OperatorOutline() = default;
    // Sorted by that column, largest first.
    OperatorOutline(std::vector<OutlineColumn> columns, std::vector<OutlineNode> nodes, int column);

    [[nodiscard]] const std::vector<OutlineColumn>& columns() const { return m_columns; }
    [[nodiscard]] const std::vector<OutlineNode>& nodes() const { return m_nodes; }
    [[nodiscard]] int sortColumn() const { return m_sortColumn; } // -1: by name
    [[nodiscard]] bool isDescending() const { return m_isDescending; }

    [[nodiscard]] OutlineNode& node(std::uint32_t node) { return m_nodes[node]; }
    // Values of a column more, by node.
    void addColumn(OutlineColumn column, const std::vector<std::optional<double>>& values);
    void sortBy(int column, bool isDescending);
    // Words that a name or note must have, all of them in any case; empty: everything is seen.
    void search(std::string_view words);
    [[nodiscard]] const std::vector<bool>& found() const { return m_found; } // empty: no search
    void setUnfolded(std::uint32_t node, bool isUnfolded);
    // Its callers are unfolded, so that it is seen.
    void unfoldTo(std::uint32_t node);
    // The longest first, until about so many rows are seen.
    void unfoldLongest(std::size_t rows);
    [[nodiscard]] bool isTree() const { return m_isTree; }

    [[nodiscard]] std::vector<Seen> seen() const;
    // Node that is made of that source, else kNone.
    [[nodiscard]] std::uint32_t nodeOf(std::size_t source) const;

private:
    [[nodiscard]] bool isBefore(std::uint32_t one, std::uint32_t other) const;
    void sort();
    void addSeen(std::uint32_t node, int depth, std::vector<Seen>& rows) const;
    [[nodiscard]] bool isLeftOut(std::uint32_t node) const;

    std::vector<OutlineColumn> m_columns;
    std::vector<OutlineNode> m_nodes;
    std::vector<std::uint32_t> m_roots;
    std::vector<std::vector<std::uint32_t>> m_children; // by node, as sorted
    std::vector<bool> m_unfolded;
    std::vector<bool> m_found; // by node
    std::vector<bool> m_holds; // it or something below it is found
    int m_sortColumn = -1;
    bool m_isDescending = true;
    bool m_isTree = false;
};

} // namespace trainscope::app
