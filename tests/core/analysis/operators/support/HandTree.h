#pragma once
// A call tree by hand: frames under frames, and work that counts in all of its callers.

#include "core/analysis/operators/CallTree.h"

#include <cstdint>
#include <string>

namespace trainscope::test {

class HandTree {
public:
    HandTree() {
        m_tree.hasHost = true;
        m_tree.names = {""};
        m_tree.signatures = {""};
        m_tree.nodes.emplace_back();
    }

    std::uint32_t frame(std::uint32_t parent, analysis::FrameKind kind, const std::string& name,
        analysis::StepPass pass = analysis::StepPass::None, const std::string& signature = {}) {
        analysis::CallNode node;
        node.kind = kind;
        node.pass = pass;
        node.parent = parent;
        node.name = placeOf(m_tree.names, name);
        node.signature = placeOf(m_tree.signatures, signature);
        node.sums.calls = 1;
        m_tree.hasModules = m_tree.hasModules || kind == analysis::FrameKind::Module;
        m_tree.nodes.push_back(node);
        return static_cast<std::uint32_t>(m_tree.nodes.size() - 1);
    }

    // One piece of work, launched by that frame.
    std::uint32_t work(std::uint32_t launcher, const std::string& name, std::int64_t ns,
        analysis::FrameKind kind = analysis::FrameKind::Kernel) {
        const std::uint32_t made = frame(launcher, kind, name);
        analysis::CallNode& leaf = m_tree.nodes[made];
        leaf.shortest = leaf.longest = {ns};
        m_tree.nodes[launcher].sums.ownWorks += 1;
        m_tree.nodes[launcher].sums.ownTime.ns += ns;
        m_tree.nodes[launcher].sums.ownBusy.ns += ns;
        for (std::uint32_t at = made; at != analysis::CallNode::kNone;
             at = m_tree.nodes[at].parent) {
            m_tree.nodes[at].sums.works += 1;
            m_tree.nodes[at].sums.time.ns += ns;
            m_tree.nodes[at].sums.busy.ns += ns;
        }
        return made;
    }

    analysis::CallTree& tree() { return m_tree; }

private:
    static std::uint32_t placeOf(std::vector<std::string>& texts, const std::string& text) {
        for (std::size_t i = 0; i < texts.size(); ++i) {
            if (texts[i] == text)
                return static_cast<std::uint32_t>(i);
        }
        texts.push_back(text);
        return static_cast<std::uint32_t>(texts.size() - 1);
    }

    analysis::CallTree m_tree;
};

} // namespace trainscope::test
