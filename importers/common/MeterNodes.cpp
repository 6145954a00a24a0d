#include "importers/common/MeterNodes.h"

#include "core/text/NaturalOrder.h"
#include "importers/common/Cells.h"

#include <algorithm>

namespace trainscope::importers {

void MeterNodes::startFile(std::optional<int> node) {
    ++m_files;
    m_fileNode = node;
}

std::size_t MeterNodes::node(const std::string& name) {
    // A file's own node has no name; a line feed keeps it apart from named ones.
    const std::string known = !name.empty() ? name
        : m_fileNode                        ? "\nnode " + std::to_string(*m_fileNode)
                                            : "\nfile " + std::to_string(m_files);
    const auto [at, isNew] = m_places.try_emplace(known, m_nodes.size());
    if (isNew) {
        m_nodes.push_back({known, name.empty() ? m_fileNode : std::nullopt});
        if (m_isSettled)
            number();
    }
    return at->second;
}

int MeterNodes::addGpu(std::size_t place, std::string_view id) {
    Node& node = m_nodes[place];
    const auto index = gpuIndexOf(id);
    const int local = index ? *index : node.unnumbered++;
    node.gpus = std::max(node.gpus, local + 1);
    return local;
}

void MeterNodes::settle() {
    if (!m_isSettled)
        number();
    m_isSettled = true;
}

void MeterNodes::number() {
    std::set<int> taken;
    std::vector<Node*> open;
    for (Node& node : m_nodes) {
        if (node.number)
            taken.insert(*node.number);
        else
            open.push_back(&node);
    }
    std::stable_sort(open.begin(), open.end(),
        [](const Node* a, const Node* b) { return text::naturalOrder(a->name, b->name) < 0; });
    int next = 0;
    for (Node* node : open) {
        while (taken.contains(next))
            ++next;
        node->number = next;
        taken.insert(next);
    }
    countGpusPerNode();
}

// A number known when the second node turns up stays.
void MeterNodes::countGpusPerNode() {
    const bool hasHigherNode = std::any_of(
        m_nodes.begin(), m_nodes.end(), [](const Node& node) { return node.number > 0; });
    if (!hasHigherNode || m_gpusPerNode > 0)
        return;
    for (const Node& node : m_nodes)
        m_gpusPerNode = std::max(m_gpusPerNode, node.gpus);
}

int MeterNodes::numberOf(std::size_t node) const {
    return node < m_nodes.size() ? m_nodes[node].number.value_or(0) : 0;
}

int MeterNodes::rankOf(int number, int local) {
    const auto [at, isNew]
        = m_ranks.try_emplace({number, local}, m_firstRank + number * m_gpusPerNode + local);
    if (isNew && !m_takenRanks.insert(at->second).second) {
        at->second = *m_takenRanks.rbegin() + 1;
        m_takenRanks.insert(at->second);
    }
    return at->second;
}

} // namespace trainscope::importers
