#include "app/viewmodels/timeline/MarkListModel.h"

#include <algorithm>
#include <utility>

namespace trainscope::app {

void MarkListModel::setMarks(std::vector<Mark> marks) {
    beginResetModel();
    m_marks = std::move(marks);
    m_places.assign(m_marks.size(), {});
    endResetModel();
}

void MarkListModel::add(const Mark& mark) {
    const int row = static_cast<int>(m_marks.size());
    beginInsertRows({}, row, row);
    m_marks.push_back(mark);
    m_places.emplace_back();
    endInsertRows();
}

void MarkListModel::remove(std::size_t at) {
    if (at >= m_marks.size())
        return;
    beginRemoveRows({}, static_cast<int>(at), static_cast<int>(at));
    m_marks.erase(m_marks.begin() + static_cast<std::ptrdiff_t>(at));
    m_places.erase(m_places.begin() + static_cast<std::ptrdiff_t>(at));
    endRemoveRows();
}

void MarkListModel::rename(std::size_t at, const QString& label) {
    if (at >= m_marks.size() || m_marks[at].label == label)
        return;
    m_marks[at].label = label;
    const QModelIndex changed = index(static_cast<int>(at));
    Q_EMIT dataChanged(changed, changed, {MarkLabel, Qt::DisplayRole});
}

void MarkListModel::layOut(const std::vector<plot::ShownRun>& runs, const plot::TimeScale& axis) {
    for (std::size_t i = 0; i < m_marks.size(); ++i) {
        Place place;
        if (const auto window = windowOf(i, runs)) {
            const double left = std::max(axis.x, axis.toX(window->begin));
            const double right = std::min(axis.right(), axis.toX(window->end));
            place = {left, std::max(0.0, right - left), right >= axis.x && left <= axis.right()};
        }
        if (place == m_places[i])
            continue;
        m_places[i] = place;
        const QModelIndex changed = index(static_cast<int>(i));
        Q_EMIT dataChanged(changed, changed, {MarkX, MarkWidth, MarkVisible});
    }
}

std::optional<plot::ViewWindow> MarkListModel::windowOf(
    std::size_t at, const std::vector<plot::ShownRun>& runs) const {
    if (at >= m_marks.size())
        return std::nullopt;
    const Mark& mark = m_marks[at];
    const auto run = std::find_if(
        runs.begin(), runs.end(), [&mark](const auto& shown) { return shown.name == mark.run; });
    if (run == runs.end())
        return std::nullopt;
    return plot::ViewWindow{mark.range.begin - run->origin, mark.range.end - run->origin};
}

int MarkListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_marks.size());
}

QVariant MarkListModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const auto row = static_cast<std::size_t>(index.row());
    switch (role) {
    case Qt::DisplayRole:
    case MarkLabel:
        return m_marks[row].label;
    case MarkX:
        return m_places[row].x;
    case MarkWidth:
        return m_places[row].width;
    case MarkVisible:
        return m_places[row].visible;
    default:
        return {};
    }
}

QHash<int, QByteArray> MarkListModel::roleNames() const {
    return {{MarkLabel, "markLabel"}, {MarkX, "markX"}, {MarkWidth, "markWidth"},
        {MarkVisible, "markVisible"}};
}

} // namespace trainscope::app
