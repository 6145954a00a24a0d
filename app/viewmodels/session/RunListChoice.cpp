// The part of RunListModel that carries out what is chosen in the list: runs to show, groups to
// fold.
#include "app/viewmodels/session/RunListModel.h"
#include "app/viewmodels/workspace/ShownRuns.h"

#include <algorithm>

namespace trainscope::app {

void RunListModel::addRunsOf(const RunListEntry& entry, std::vector<RunId>& runs) const {
    if (!entry.isHead)
        return runs.push_back(entry.run.id);
    for (const RunListRow& run : m_runs) {
        if (run->group == entry.group && matches(*run))
            runs.push_back(run->run.id);
    }
}

void RunListModel::showOnly(int row) {
    const auto* entry = entryAt(row);
    if (entry == nullptr)
        return;
    m_rangeBegin = rows()[static_cast<std::size_t>(row)];
    std::vector<RunId> runs;
    addRunsOf(*entry, runs);
    app::showOnly(*m_workspace, runs);
}

void RunListModel::toggle(int row) {
    const auto* entry = entryAt(row);
    if (entry == nullptr)
        return;
    m_rangeBegin = rows()[static_cast<std::size_t>(row)];
    std::vector<RunId> runs;
    addRunsOf(*entry, runs);
    toggleShown(*m_workspace, runs);
}

void RunListModel::showRange(int row, bool besideOthers) {
    if (entryAt(row) == nullptr)
        return;
    const auto begin = std::find(rows().begin(), rows().end(), m_rangeBegin);
    const auto from = begin == rows().end() ? row : static_cast<int>(begin - rows().begin());
    std::vector<RunId> runs;
    const auto [first, last] = std::minmax(from, row);
    for (int at = first; at <= last; ++at) {
        const auto* entry = entryAt(at);
        // The runs of an open group stand below its head.
        if (!entry->isHead || entry->folded)
            addRunsOf(*entry, runs);
    }
    if (besideOthers)
        showBeside(*m_workspace, runs);
    else
        app::showOnly(*m_workspace, runs);
}

void RunListModel::beginRange(int row) {
    if (isThere(row))
        m_rangeBegin = rows()[static_cast<std::size_t>(row)];
}

void RunListModel::showAll() {
    if (!m_workspace)
        return;
    std::vector<RunId> runs;
    for (const RunListRow& run : m_runs) {
        if (matches(*run))
            runs.push_back(run->run.id);
    }
    app::showOnly(*m_workspace, runs);
}

int RunListModel::headOf(int row) const {
    const auto* entry = entryAt(row);
    if (entry == nullptr || m_heads.empty())
        return -1;
    const auto head = std::find(rows().begin(), rows().end(), m_heads[entry->group]);
    return head == rows().end() ? -1 : static_cast<int>(head - rows().begin());
}

void RunListModel::setFolded(int row, bool folded) {
    const int head = headOf(row);
    if (head < 0 || rows()[static_cast<std::size_t>(head)]->folded == folded)
        return;
    rows()[static_cast<std::size_t>(head)]->folded = folded;
    refreshRows();
    Q_EMIT foldedChanged();
}

void RunListModel::toggleFolded(int row) {
    if (const auto* entry = entryAt(row); entry != nullptr && entry->isHead)
        setFolded(row, !entry->folded);
}

void RunListModel::foldAll(bool folded) {
    for (const RunListRow& head : m_heads)
        head->folded = folded;
    refreshRows();
    Q_EMIT foldedChanged();
}

bool RunListModel::areAllFolded() const {
    return std::all_of(
        m_heads.begin(), m_heads.end(), [](const RunListRow& head) { return head->folded; });
}

} // namespace trainscope::app
