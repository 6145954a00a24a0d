#include "app/viewmodels/lanes/LaneListModel.h"

#include <algorithm>
#include <utility>

namespace trainscope::app {

void LaneListModel::setRows(std::vector<LaneRow> rows) {
    const std::size_t before = m_rows.size();
    if (rows.size() != before)
        resize(rows.size(), rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].readout = m_rows[i].readout;
        if (rows[i] == m_rows[i])
            continue;
        m_rows[i] = std::move(rows[i]);
        const QModelIndex changed = index(static_cast<int>(i));
        Q_EMIT dataChanged(changed, changed);
    }
    if (m_rows.size() != before)
        Q_EMIT countChanged();
}

void LaneListModel::setReadouts(const std::vector<QString>& readouts) {
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const QString text = i < readouts.size() ? readouts[i] : QString();
        if (m_rows[i].readout == text)
            continue;
        m_rows[i].readout = text;
        const QModelIndex changed = index(static_cast<int>(i));
        Q_EMIT dataChanged(changed, changed, {Readout});
    }
}

void LaneListModel::moveRow(int from, int to) {
    if (from == to || from < 0 || to < 0 || from >= count() || to >= count())
        return;
    beginMoveRows({}, from, from, {}, to > from ? to + 1 : to);
    const auto begin = m_rows.begin();
    if (from < to)
        std::rotate(begin + from, begin + from + 1, begin + to + 1);
    else
        std::rotate(begin + to, begin + from, begin + from + 1);
    endMoveRows();
}

int LaneListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : count();
}

QVariant LaneListModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const LaneRow& row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
    case Title:
        return row.title;
    case Subtitle:
        return row.subtitle;
    case LaneY:
        return row.y;
    case LaneHeight:
        return row.height;
    case LaneStyle:
        return row.style;
    case HasStyles:
        return row.hasStyles;
    case CanSplit:
        return row.canSplit;
    case CanMerge:
        return row.canMerge;
    case Readout:
        return row.readout;
    case Summary:
        return row.summary;
    default:
        return {};
    }
}

QHash<int, QByteArray> LaneListModel::roleNames() const {
    return {{Title, "title"}, {Subtitle, "subtitle"}, {LaneY, "laneY"}, {LaneHeight, "laneHeight"},
        {LaneStyle, "laneStyle"}, {HasStyles, "hasStyles"}, {CanSplit, "canSplit"},
        {CanMerge, "canMerge"}, {Readout, "readout"}, {Summary, "summary"}};
}

void LaneListModel::resize(std::size_t count, const std::vector<LaneRow>& rows) {
    const auto sameHead = [&](std::size_t i) {
        return i < m_rows.size() && i < rows.size() && m_rows[i].title == rows[i].title;
    };
    std::size_t at = 0;
    while (sameHead(at))
        ++at;
    if (count > m_rows.size()) {
        const std::size_t added = count - m_rows.size();
        beginInsertRows({}, static_cast<int>(at), static_cast<int>(at + added - 1));
        m_rows.insert(m_rows.begin() + static_cast<std::ptrdiff_t>(at), added, LaneRow{});
        endInsertRows();
        return;
    }
    const std::size_t removed = m_rows.size() - count;
    at = std::min(at, count);
    beginRemoveRows({}, static_cast<int>(at), static_cast<int>(at + removed - 1));
    const auto first = m_rows.begin() + static_cast<std::ptrdiff_t>(at);
    m_rows.erase(first, first + static_cast<std::ptrdiff_t>(removed));
    endRemoveRows();
}

} // namespace trainscope::app
