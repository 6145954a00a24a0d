#pragma once
// The call trees of several ranks or runs as one: the same paths are one node. Sums are added up;
// so are unions, since ranks have devices of their own.

#include "core/analysis/operators/CallTree.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

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

} // namespace trainscope::analysis
