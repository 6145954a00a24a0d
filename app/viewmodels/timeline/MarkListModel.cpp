#include "app/viewmodels/timeline/MarkListModel.h"

#include "app/viewmodels/text/Texts.h"

namespace trainscope::app {
MarkListModel::MarkListModel(TimelineContext& context, TimelineNavigation& navigation,
    TimelineCursor& cursor, QObject* parent)
    : RowListModel(
        {{"markLabel", [](const MarkRow& row) { return QString::fromStdString(row.mark.label); }},
            {"flagPlace", &MarkRow::flag}},
        parent)
    , m_context(context)
    , m_navigation(navigation)
    , m_cursor(cursor) {
    connect(&navigation, &TimelineNavigation::marksRestored, this, [this] {
        setMarks(std::vector<Mark>(m_context.marks));
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
            "Mark " + std::to_string(count() + 1)}}});
    told();
}

void MarkListModel::rename(int row, const QString& label) {
    if (!isThere(row) || label.trimmed().isEmpty())
        return;
    ownRows()[static_cast<std::size_t>(row)].mark.label = label.trimmed().toStdString();
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
    m_context.marks = marks();
    m_navigation.record(ViewChange::Jump);
    Q_EMIT edited();
}

void MarkListModel::jumpTo(int row) {
    const auto window = isThere(row)
        ? plot::windowOf(m_context.runs, rows()[static_cast<std::size_t>(row)].mark)
        : std::nullopt;
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
        const auto window
            = plot::windowOf(m_context.runs, rows()[static_cast<std::size_t>(row)].mark);
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
        const auto window
            = plot::windowOf(m_context.runs, rows()[static_cast<std::size_t>(row)].mark);
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
        row.flag = {};
    for (std::size_t i = 0; m_context.geometry && i < m_context.geometry->flags.size(); ++i) {
        const auto& [mark, place] = m_context.geometry->flags[i];
        if (mark < placed.size())
            placed[mark].flag = {place.x, place.y, place.width, place.height};
    }
    setRows(std::move(placed));
    tellDistances();
}

void MarkListModel::tellDistances() {
    std::vector<std::pair<plot::ViewWindow, const Mark*>> order;
    for (const MarkRow& row : rows()) {
        if (const auto at = plot::windowOf(m_context.runs, row.mark))
            order.emplace_back(*at, &row.mark);
    }
    std::ranges::sort(order);
    std::vector<Fact> facts;
    const auto& cursor = m_context.cursor;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto& [at, mark] = order[i];
        Fact fact{QString::fromStdString(mark->label), m_context.textOf(at.begin)};
        if (at.end > at.begin)
            fact.note = QStringLiteral("%1 long").arg(durationText(at.length()));
        facts.push_back(fact);
        if (i + 1 < order.size())
            facts.push_back(
                {QStringLiteral("to %1").arg(QString::fromStdString(order[i + 1].second->label)),
                    durationText(order[i + 1].first.begin - at.begin)});
        const bool isBefore = cursor && at.begin <= *cursor;
        const bool isNearest
            = isBefore && (i + 1 == order.size() || order[i + 1].first.begin > *cursor);
        if (isNearest || (cursor && !isBefore && i == 0))
            facts.push_back(
                {isBefore ? QStringLiteral("to the cursor") : QStringLiteral("from the cursor"),
                    durationText(isBefore ? *cursor - at.begin : at.begin - *cursor)});
    }
    m_distances.setFacts(std::move(facts));
}

} // namespace trainscope::app
