#include "app/viewmodels/lanes/LaneListModel.h"

#include <algorithm>
#include <utility>

namespace trainscope::app {

LaneListModel::LaneListModel(QObject* parent)
    : RowListModel(
        {{"title", &LaneRow::title}, {"subtitle", &LaneRow::subtitle}, {"laneY", &LaneRow::y},
            {"laneHeight", &LaneRow::height}, {"laneStyle", &LaneRow::style},
            {"hasStyles", &LaneRow::hasStyles}, {"canSplit", &LaneRow::canSplit},
            {"canMerge", &LaneRow::canMerge}, {"hasSpectrum", &LaneRow::hasSpectrum},
            {"isFixed", &LaneRow::isFixed}, {"derived", &LaneRow::isDerived},
            {"readout", &LaneRow::readout}, {"summary", &LaneRow::summary}},
        parent) { }

void LaneListModel::setLanes(std::vector<LaneRow> lanes) {
    fitRows(lanes, [](const LaneRow& a, const LaneRow& b) { return a.title == b.title; });
    const bool areTheirs = !m_waiting.empty() && m_waiting.size() == lanes.size();
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        lanes[i].readout = areTheirs ? m_waiting[i] : rows()[i].readout;
        setRow(i, std::move(lanes[i]));
    }
    if (areTheirs)
        m_waiting.clear();
}

void LaneListModel::setReadouts(const std::vector<QString>& readouts) {
    const bool areOfOthers = !readouts.empty() && readouts.size() != rows().size();
    m_waiting = areOfOthers ? readouts : std::vector<QString>();
    if (areOfOthers)
        return;
    for (std::size_t i = 0; i < rows().size(); ++i) {
        LaneRow row = rows()[i];
        row.readout = i < readouts.size() ? readouts[i] : QString();
        setRow(i, std::move(row));
    }
}

void LaneListModel::moveRow(int from, int to) {
    if (from == to || !isThere(from) || !isThere(to))
        return;
    beginMoveRows({}, from, from, {}, to > from ? to + 1 : to);
    const auto begin = ownRows().begin();
    if (from < to)
        std::rotate(begin + from, begin + from + 1, begin + to + 1);
    else
        std::rotate(begin + to, begin + from, begin + from + 1);
    endMoveRows();
}

} // namespace trainscope::app
