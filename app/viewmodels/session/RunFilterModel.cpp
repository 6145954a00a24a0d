#include "app/viewmodels/session/RunFilterModel.h"

#include <algorithm>

namespace trainscope::app {

RunFilterModel::RunFilterModel(QObject* parent)
    : QSortFilterProxyModel(parent) {
    setSourceModel(&m_runs);
    connect(this, &QAbstractItemModel::rowsInserted, this, &RunFilterModel::countChanged);
    connect(this, &QAbstractItemModel::rowsRemoved, this, &RunFilterModel::countChanged);
    connect(this, &QAbstractItemModel::modelReset, this, &RunFilterModel::countChanged);
}

void RunFilterModel::setWorkspace(Workspace* workspace) {
    if (workspace == m_runs.workspace())
        return;
    m_runs.setWorkspace(workspace);
    Q_EMIT workspaceChanged();
}

void RunFilterModel::setFilter(const QString& filter) {
    if (filter == m_filter)
        return;
    m_filter = filter;
    m_words = filter.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    invalidateFilter();
    Q_EMIT filterChanged();
    Q_EMIT countChanged();
}

bool RunFilterModel::filterAcceptsRow(int sourceRow, const QModelIndex& sourceParent) const {
    const auto text
        = m_runs.index(sourceRow, 0, sourceParent).data(RunListModel::SearchTextRole).toString();
    return std::all_of(m_words.begin(), m_words.end(),
        [&text](const QString& word) { return text.contains(word); });
}

QString RunFilterModel::countText() const {
    const int all = m_runs.rowCount();
    if (count() != all)
        return tr("%1 of %2 runs").arg(count()).arg(all);
    return all == 1 ? tr("1 run") : tr("%1 runs").arg(all);
}

RunId RunFilterModel::runAt(int row) const {
    const auto source = mapToSource(index(row, 0));
    const auto* space = workspace();
    if (!source.isValid() || space == nullptr)
        return {};
    return space->runs()[static_cast<std::size_t>(source.row())].id;
}

void RunFilterModel::showOnly(int row) {
    const auto run = runAt(row);
    if (run.isValid())
        workspace()->setShown({run});
}

void RunFilterModel::toggle(int row) {
    const auto run = runAt(row);
    if (!run.isValid())
        return;
    std::vector<RunId> shown;
    for (const auto& one : workspace()->shownRuns())
        shown.push_back(one.id);
    const auto found = std::find(shown.begin(), shown.end(), run);
    if (found == shown.end())
        shown.push_back(run);
    else if (shown.size() > 1)
        shown.erase(found);
    workspace()->setShown(shown);
}

void RunFilterModel::showAllFiltered() {
    std::vector<RunId> shown;
    for (int row = 0; row < std::min(count(), kMostShown); ++row)
        shown.push_back(runAt(row));
    if (!shown.empty())
        workspace()->setShown(shown);
}

QString RunFilterModel::nameAt(int row) const {
    return index(row, 0).data(RunListModel::NameRole).toString();
}

} // namespace trainscope::app
