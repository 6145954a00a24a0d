#include "app/viewmodels/timeline/MarkListModel.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace trainscope::app {

MarkListModel::MarkListModel(TimelineContext& context, TimelineNavigation& navigation,
    TimelineCursor& cursor, QObject* parent)
    : RowListModel(
        {{"markLabel", [](const MarkRow& row) { return row.mark.label; }}, {"markX", &MarkRow::x},
            {"markWidth", &MarkRow::width}, {"markVisible", &MarkRow::visible}},
        parent)
    , m_context(context)
    , m_navigation(navigation)
    , m_cursor(cursor) {
    connect(&navigation, &TimelineNavigation::marksRestored, this, [this] {
        setMarks(std::vector<Mark>(m_context.marks));
        layOut();
        Q_EMIT edited();
    });
}

std::vector<Mark> MarkListModel::marks() const {
    std::vector<Mark> marks;
    for (const auto& row : rows())
        marks.push_back(row.mark);
    return marks;
}

void MarkListModel::setMarks(std::vector<Mark> marks) {
    m_context.marks = marks;
    std::vector<MarkRow> rows;
    for (auto& mark : marks)
        rows.push_back({std::move(mark)});
    resetRows(std::move(rows));
}

void MarkListModel::mark() {
    if (!m_context.isReady())
        return;
    const DurationNs point = m_context.point();
    const auto stretch = m_context.selection.value_or(plot::ViewWindow{point, point});
    const plot::ShownRun& run = m_context.runs.front();
    addRows(count(),
        {MarkRow{{run.name, {run.origin + stretch.begin, run.origin + stretch.end},
            QStringLiteral("Mark %1").arg(count() + 1)}}});
    told();
}

void MarkListModel::rename(int row, const QString& label) {
    if (!isThere(row) || label.trimmed().isEmpty())
        return;
    ownRows()[static_cast<std::size_t>(row)].mark.label = label.trimmed();
    rowChanged(row);
    told();
}

void MarkListModel::remove(int row) {
    if (!isThere(row))
        return;
    eraseRows(row);
    told();
}

void MarkListModel::told() {
    layOut();
    m_context.marks = marks();
    m_navigation.record(ViewChange::Jump);
    Q_EMIT edited();
}

void MarkListModel::jumpTo(int row) {
    const auto window
        = isThere(row) ? windowOf(rows()[static_cast<std::size_t>(row)].mark) : std::nullopt;
    if (!window)
        return;
    m_navigation.frame(*window);
    m_cursor.moveTo(window->begin, std::nullopt);
}

void MarkListModel::step(int direction) {
    const DurationNs from = m_context.cursor.value_or(m_context.middle());
    int best = -1;
    DurationNs bestTime;
    for (int row = 0; row < count(); ++row) {
        const auto window = windowOf(rows()[static_cast<std::size_t>(row)].mark);
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
    const DurationNs at = *m_context.cursor;
    int best = -1;
    auto least = std::pair(DurationNs{m_context.pixelLength().ns * 6},
        DurationNs{std::numeric_limits<std::int64_t>::max()});
    for (int row = 0; row < count(); ++row) {
        const auto window = windowOf(rows()[static_cast<std::size_t>(row)].mark);
        if (!window)
            continue;
        // The nearest; where several lie there, the shortest.
        const DurationNs away = std::max({window->begin - at, at - window->end, DurationNs{0}});
        const auto rating = std::pair(away, window->length());
        if (rating <= least) {
            best = row;
            least = rating;
        }
    }
    remove(best);
}

void MarkListModel::layOut() {
    auto placed = rows();
    for (auto& row : placed)
        placeRow(row);
    setRows(std::move(placed));
}

void MarkListModel::placeRow(MarkRow& row) const {
    const auto& axis = m_context.axis;
    const auto window = windowOf(row.mark);
    const double left = window ? std::max(axis.x, axis.toX(window->begin)) : 0.0;
    const double right = window ? std::min(axis.right(), axis.toX(window->end)) : 0.0;
    row.x = left;
    row.width = std::max(0.0, right - left);
    row.visible = window && right >= axis.x && left <= axis.right();
}

std::optional<plot::ViewWindow> MarkListModel::windowOf(const Mark& mark) const {
    const auto& runs = m_context.runs;
    const auto run
        = std::ranges::find_if(runs, [&mark](const auto& shown) { return shown.name == mark.run; });
    if (run == runs.end())
        return std::nullopt;
    return plot::ViewWindow{mark.range.begin - run->origin, mark.range.end - run->origin};
}

} // namespace trainscope::app
