#include "app/viewmodels/timeline/MarkListModel.h"

#include <algorithm>
#include <utility>

namespace trainscope::app {

MarkListModel::MarkListModel(TimelineContext& context, TimelineNavigation& navigation,
    TimelineCursor& cursor, QObject* parent)
    : QAbstractListModel(parent)
    , m_context(context)
    , m_navigation(navigation)
    , m_cursor(cursor) { }

void MarkListModel::setMarks(std::vector<Mark> marks) {
    beginResetModel();
    m_marks = std::move(marks);
    m_places.assign(m_marks.size(), {});
    endResetModel();
}

// What the user looks at where nothing is pointed at.
DurationNs MarkListModel::middle() const {
    const plot::ViewWindow& seen = m_context.window.window();
    return seen.begin + DurationNs{seen.length().ns / 2};
}

void MarkListModel::mark() {
    if (!m_context.isReady())
        return;
    const DurationNs point = m_context.isCursorVisible() ? *m_context.cursor : middle();
    const auto stretch = m_context.selection.value_or(plot::ViewWindow{point, point});
    const plot::ShownRun& run = m_context.runs.front();
    const int row = rowCount();
    beginInsertRows({}, row, row);
    m_marks.push_back({run.name, {run.origin + stretch.begin, run.origin + stretch.end},
        tr("Mark %1").arg(row + 1)});
    m_places.emplace_back();
    endInsertRows();
    told();
}

void MarkListModel::rename(int row, const QString& label) {
    if (!isThere(row) || label.trimmed().isEmpty())
        return;
    m_marks[static_cast<std::size_t>(row)].label = label.trimmed();
    Q_EMIT dataChanged(index(row), index(row), {MarkLabel, Qt::DisplayRole});
    told();
}

void MarkListModel::remove(int row) {
    if (!isThere(row))
        return;
    beginRemoveRows({}, row, row);
    m_marks.erase(m_marks.begin() + row);
    m_places.erase(m_places.begin() + row);
    endRemoveRows();
    told();
}

void MarkListModel::told() {
    layOut();
    Q_EMIT edited();
}

void MarkListModel::jumpTo(int row) {
    const auto window = windowOf(row);
    if (!window)
        return;
    m_navigation.frame(*window);
    m_cursor.moveTo(window->begin, std::nullopt);
}

void MarkListModel::step(int direction) {
    const DurationNs from = m_context.cursor.value_or(middle());
    int best = -1;
    DurationNs bestTime;
    for (int row = 0; row < rowCount(); ++row) {
        const auto window = windowOf(row);
        if (!window || (direction > 0 ? window->begin <= from : window->begin >= from))
            continue;
        const bool nearer = direction > 0 ? window->begin < bestTime : window->begin > bestTime;
        if (best < 0 || nearer) {
            best = row;
            bestTime = window->begin;
        }
    }
    jumpTo(best);
}

void MarkListModel::removeAtCursor() {
    if (!m_context.cursor)
        return;
    const DurationNs reach{m_context.pixelLength().ns * 6};
    for (int row = 0; row < rowCount(); ++row) {
        const auto window = windowOf(row);
        if (window && window->begin - reach <= *m_context.cursor
            && *m_context.cursor <= window->end + reach)
            return remove(row);
    }
}

void MarkListModel::layOut() {
    const auto& axis = m_context.axis;
    for (int row = 0; row < rowCount(); ++row) {
        Place place;
        if (const auto window = windowOf(row)) {
            const double left = std::max(axis.x, axis.toX(window->begin));
            const double right = std::min(axis.right(), axis.toX(window->end));
            place = {left, std::max(0.0, right - left), right >= axis.x && left <= axis.right()};
        }
        if (place == m_places[static_cast<std::size_t>(row)])
            continue;
        m_places[static_cast<std::size_t>(row)] = place;
        Q_EMIT dataChanged(index(row), index(row), {MarkX, MarkWidth, MarkVisible});
    }
}

std::optional<plot::ViewWindow> MarkListModel::windowOf(int row) const {
    if (!isThere(row))
        return std::nullopt;
    const Mark& mark = m_marks[static_cast<std::size_t>(row)];
    const auto& runs = m_context.runs;
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
