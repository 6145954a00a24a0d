#include "app/viewmodels/session/RunFilterModel.h"

#include "app/viewmodels/text/RunWording.h"

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

bool RunFilterModel::filterAcceptsRow(int sourceRow, const QModelIndex& /*sourceParent*/) const {
    const auto text = runSearchText(m_runs.rows()[static_cast<std::size_t>(sourceRow)].run);
    return std::all_of(m_words.begin(), m_words.end(),
        [&text](const QString& word) { return text.contains(word); });
}

QString RunFilterModel::countText() const {
    const int all = m_runs.rowCount();
    if (count() != all)
        return tr("%1 of %2 runs").arg(count()).arg(all);
    return all == 1 ? tr("1 run") : tr("%1 runs").arg(all);
}

const Run* RunFilterModel::runAt(int row) const {
    const auto source = mapToSource(index(row, 0));
    return source.isValid() ? &m_runs.rows()[static_cast<std::size_t>(source.row())].run : nullptr;
}

void RunFilterModel::showOnly(int row) {
    if (const auto* run = runAt(row))
        workspace()->setShown({run->id});
}

void RunFilterModel::toggle(int row) {
    const auto* run = runAt(row);
    if (run == nullptr)
        return;
    std::vector<RunId> shown;
    for (const auto& one : workspace()->shownRuns())
        shown.push_back(one.id);
    const auto found = std::find(shown.begin(), shown.end(), run->id);
    if (found == shown.end())
        shown.push_back(run->id);
    else if (shown.size() > 1)
        shown.erase(found);
    workspace()->setShown(shown);
}

void RunFilterModel::showAllFiltered() {
    std::vector<RunId> shown;
    for (int row = 0; row < std::min(count(), kMostShown); ++row)
        shown.push_back(runAt(row)->id);
    if (!shown.empty())
        workspace()->setShown(shown);
}

QString RunFilterModel::nameAt(int row) const {
    const auto* run = runAt(row);
    return run == nullptr ? QString() : QString::fromStdString(run->name);
}

} // namespace trainscope::app
