#include "app/viewmodels/operators/OperatorOutline.h"

#include "core/model/AsciiText.h"

namespace trainscope::app {
OperatorOutline::OperatorOutline(
    std::vector<OutlineColumn> columns, std::vector<OutlineNode> nodes, int column)
    : m_columns(std::move(columns))
    , m_nodes(std::move(nodes))
    , m_children(m_nodes.size())
    , m_unfolded(m_nodes.size(), false)
    , m_sortColumn(column) {
    for (std::uint32_t i = 0; i < m_nodes.size(); ++i) {
        const std::uint32_t parent = m_nodes[i].parent;
        (parent == OutlineNode::kNone ? m_roots : m_children[parent]).push_back(i);
        m_isTree = m_isTree || parent != OutlineNode::kNone;
    }
    sort();
}

// Unknown values come last either way.
bool OperatorOutline::isBefore(std::uint32_t one, std::uint32_t other) const {
    const OutlineNode& a = m_nodes[one];
    const OutlineNode& b = m_nodes[other];
    if (m_sortColumn < 0)
        return m_isDescending ? b.name < a.name : a.name < b.name;
    const auto column = static_cast<std::size_t>(m_sortColumn);
    if (m_columns[column].unit.empty())
        return m_isDescending ? b.words < a.words : a.words < b.words;
    const auto& first = a.values[column];
    const auto& second = b.values[column];
    if (!first || !second)
        return first.has_value() && !second;
    const bool isSigned = !m_columns[column].isByMagnitude;
    const double left = isSigned ? *first : std::abs(*first);
    const double right = isSigned ? *second : std::abs(*second);
    return m_isDescending ? left > right : left < right;
}

void OperatorOutline::sort() {
    const auto before
        = [this](std::uint32_t one, std::uint32_t other) { return isBefore(one, other); };
    std::ranges::stable_sort(m_roots, before);
    for (auto& children : m_children)
        std::ranges::stable_sort(children, before);
}

void OperatorOutline::addColumn(
    OutlineColumn column, const std::vector<std::optional<double>>& values) {
    m_columns.push_back(std::move(column));
    for (std::size_t i = 0; i < m_nodes.size(); ++i)
        m_nodes[i].values.push_back(values[i]);
}

void OperatorOutline::sortBy(int column, bool isDescending) {
    m_sortColumn = column;
    m_isDescending = isDescending;
    sort();
}

void OperatorOutline::search(std::string_view words) {
    const std::string lower = lowered(words);
    const auto wanted = trainscope::words(lower, " ");
    m_found.clear();
    m_holds.clear();
    if (wanted.empty())
        return;
    m_found.assign(m_nodes.size(), false);
    m_holds.assign(m_nodes.size(), false);
    for (std::size_t i = m_nodes.size(); i-- > 0;) {
        const std::string text = m_nodes[i].name + ' ' + m_nodes[i].note;
        m_found[i] = std::ranges::all_of(
            wanted, [&text](std::string_view word) { return containsIgnoringCase(text, word); });
        m_holds[i] = m_holds[i] || m_found[i];
        if (m_holds[i] && m_nodes[i].parent != OutlineNode::kNone)
            m_holds[m_nodes[i].parent] = true;
    }
}

void OperatorOutline::setUnfolded(std::uint32_t node, bool isUnfolded) {
    if (node < m_unfolded.size())
        m_unfolded[node] = isUnfolded;
}

void OperatorOutline::unfoldTo(std::uint32_t node) {
    if (node >= m_nodes.size())
        return;
    for (auto at = m_nodes[node].parent; at != OutlineNode::kNone; at = m_nodes[at].parent)
        m_unfolded[at] = true;
}

void OperatorOutline::unfoldLongest(std::size_t rows) {
    std::vector<std::uint32_t> shown = m_roots;
    while (!shown.empty() && shown.size() < rows) {
        // Children are sorted, so that the first of those that can be unfolded are the longest.
        const auto next = std::ranges::min_element(shown, [this](auto one, auto other) {
            const bool isFirst = !m_unfolded[one] && !m_children[one].empty();
            const bool isOther = !m_unfolded[other] && !m_children[other].empty();
            return isFirst != isOther ? isFirst : isBefore(one, other);
        });
        if (m_unfolded[*next] || m_children[*next].empty())
            return;
        const std::uint32_t node = *next;
        m_unfolded[node] = true;
        shown.insert(shown.end(), m_children[node].begin(), m_children[node].end());
    }
}

// Below what is found everything stays.
bool OperatorOutline::isLeftOut(std::uint32_t node) const {
    if (m_holds.empty() || m_holds[node])
        return false;
    for (auto at = m_nodes[node].parent; at != OutlineNode::kNone; at = m_nodes[at].parent) {
        if (m_found[at])
            return false;
    }
    return true;
}

void OperatorOutline::addSeen(std::uint32_t node, int depth, std::vector<Seen>& rows) const {
    if (isLeftOut(node))
        return;
    const bool holdsFound = !m_holds.empty()
        && std::ranges::any_of(
            m_children[node], [this](std::uint32_t child) { return m_holds[child]; });
    const bool isUnfolded = m_unfolded[node] || holdsFound;
    rows.push_back(
        {node, depth, !m_children[node].empty(), isUnfolded, !m_found.empty() && m_found[node]});
    if (!isUnfolded)
        return;
    for (const std::uint32_t child : m_children[node])
        addSeen(child, depth + 1, rows);
}

std::vector<OperatorOutline::Seen> OperatorOutline::seen() const {
    std::vector<Seen> rows;
    for (const std::uint32_t root : m_roots)
        addSeen(root, 0, rows);
    return rows;
}

std::uint32_t OperatorOutline::nodeOf(std::size_t source) const {
    // Most often they are the same.
    if (source < m_nodes.size() && m_nodes[source].source == source)
        return static_cast<std::uint32_t>(source);
    const auto found = std::ranges::find(m_nodes, source, &OutlineNode::source);
    return found == m_nodes.end() ? OutlineNode::kNone
                                  : static_cast<std::uint32_t>(found - m_nodes.begin());
}

} // namespace trainscope::app
