#include "app/viewmodels/lanes/LaneListModel.h"

#include <algorithm>
#include <utility>

namespace trainscope::app {

void LaneListModel::setLanes(std::vector<LaneRow> lanes) {
    const std::size_t before = rows().size();
    if (lanes.size() != before)
        resize(lanes);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        lanes[i].readout = rows()[i].readout;
        setRow(i, std::move(lanes[i]));
    }
    if (rows().size() != before)
        Q_EMIT countChanged();
}

void LaneListModel::setReadouts(const std::vector<QString>& readouts) {
    for (std::size_t i = 0; i < rows().size(); ++i) {
        const QString text = i < readouts.size() ? readouts[i] : QString();
        if (rows()[i].readout == text)
            continue;
        ownRows()[i].readout = text;
        const QModelIndex changed = index(static_cast<int>(i));
        Q_EMIT dataChanged(changed, changed, {Readout});
    }
}

void LaneListModel::moveRow(int from, int to) {
    if (from == to || from < 0 || to < 0 || from >= count() || to >= count())
        return;
    beginMoveRows({}, from, from, {}, to > from ? to + 1 : to);
    const auto begin = ownRows().begin();
    if (from < to)
        std::rotate(begin + from, begin + from + 1, begin + to + 1);
    else
        std::rotate(begin + to, begin + from, begin + from + 1);
    endMoveRows();
}

QVariant LaneListModel::value(const LaneRow& row, int role) const {
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

void LaneListModel::resize(const std::vector<LaneRow>& lanes) {
    auto& held = ownRows();
    const auto sameHead = [&](std::size_t i) {
        return i < held.size() && i < lanes.size() && held[i].title == lanes[i].title;
    };
    std::size_t at = 0;
    while (sameHead(at))
        ++at;
    if (lanes.size() > held.size()) {
        const std::size_t added = lanes.size() - held.size();
        beginInsertRows({}, static_cast<int>(at), static_cast<int>(at + added - 1));
        held.insert(held.begin() + static_cast<std::ptrdiff_t>(at), added, LaneRow{});
        endInsertRows();
        return;
    }
    const std::size_t removed = held.size() - lanes.size();
    at = std::min(at, lanes.size());
    beginRemoveRows({}, static_cast<int>(at), static_cast<int>(at + removed - 1));
    const auto first = held.begin() + static_cast<std::ptrdiff_t>(at);
    held.erase(first, first + static_cast<std::ptrdiff_t>(removed));
    endRemoveRows();
}

} // namespace trainscope::app
