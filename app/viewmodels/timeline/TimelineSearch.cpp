#include "app/viewmodels/timeline/TimelineSearch.h"

#include "app/viewmodels/text/ShownText.h"
#include "core/model/Try.h"

#include <algorithm>
#include <utility>

namespace trainscope::app {
namespace {

using Hits = std::vector<SearchHit>;

Result<TimelineSearch::Found> findSpans(const store::Store& store, const std::vector<RunId>& runs,
    const std::string& text, const std::function<bool()>& isCancelled) {
    constexpr std::size_t kMost = TimelineSearch::kMostSpans;
    TimelineSearch::Found all;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (isCancelled())
            return cancelled();
        ASSIGN_OR_RETURN(auto found, store.findSpans(runs[i], text, kMost + 1));
        all.isLimited = all.isLimited || found.size() > kMost;
        found.resize(std::min(found.size(), kMost));
        for (const auto& one : found) {
            SearchHit hit;
            hit.run = i;
            hit.track = one.track;
            hit.span = one.span;
            hit.range = {one.span.start, one.span.start + one.span.duration};
            all.spans.push_back(std::move(hit));
        }
    }
    return all;
}

} // namespace

TimelineSearch::TimelineSearch(QObject* parent)
    : QObject(parent) { }

void TimelineSearch::setScope(
    ReaderPool& readers, CataloguePtr catalogue, std::vector<plot::ShownRun> runs) {
    m_readers = &readers;
    m_catalogue = std::move(catalogue);
    m_runs = std::move(runs);
    start();
}

void TimelineSearch::setMarks(std::vector<Mark> marks) {
    m_marks = std::move(marks);
    // The results name marks by their places.
    start();
}

void TimelineSearch::setText(const QString& text) {
    if (text == m_text)
        return;
    m_text = text;
    Q_EMIT textChanged();
    start();
}

QString TimelineSearch::statusText() const {
    if (m_text.isEmpty())
        return {};
    if (!m_error.isEmpty())
        return m_error;
    if (m_searching)
        return QStringLiteral("searching…");
    if (m_hits.empty())
        return QStringLiteral("no match");
    const QString total = m_limited ? QStringLiteral("more than %1").arg(m_hits.size())
                                    : QString::number(m_hits.size());
    return m_current < 0 ? QStringLiteral("%1 found").arg(total)
                         : QStringLiteral("%1 of %2").arg(m_current + 1).arg(total);
}

void TimelineSearch::next() {
    go(1);
}

void TimelineSearch::previous() {
    go(-1);
}

void TimelineSearch::clear() {
    setText({});
}

void TimelineSearch::start() {
    m_task.cancel();
    m_hits.clear();
    m_current = -1;
    m_waiting = 0;
    m_limited = false;
    m_error.clear();
    m_searching = !m_text.isEmpty() && m_catalogue != nullptr && m_readers;
    Q_EMIT statusChanged();
    if (!m_searching)
        return;
    std::vector<RunId> runs;
    for (const auto& run : m_runs)
        runs.push_back(run.id);
    m_task.ask(
        *m_readers,
        [runs, text = m_text.toStdString()](
            const store::Store& store, const TaskStage<Found>& stage) {
            return findSpans(store, runs, text, stage.cancelCheck());
        },
        [this](Result<Found> found) { take(std::move(found)); });
}

void TimelineSearch::take(Result<Found> found) {
    m_searching = false;
    if (found.hasValue()) {
        m_hits = lanesAndMarks();
        m_limited = found.value().isLimited;
        m_hits.insert(m_hits.end(), found.value().spans.begin(), found.value().spans.end());
    } else {
        m_error = shownText(found.error());
    }
    const int waiting = std::exchange(m_waiting, 0);
    if (waiting != 0)
        go(waiting);
    else
        Q_EMIT statusChanged();
}

Hits TimelineSearch::lanesAndMarks() const {
    Hits hits;
    for (const auto& choice : m_catalogue->choices) {
        const QString title = QString::fromStdString(choice.title);
        if (choice.lane.rank
            || !(title + QString::fromStdString(choice.lane.metric))
                    .contains(m_text, Qt::CaseInsensitive))
            continue;
        SearchHit hit;
        hit.kind = SearchHit::Kind::Lane;
        hit.lane = choice.lane;
        hit.text = title;
        hits.push_back(std::move(hit));
    }
    for (std::size_t i = 0; i < m_marks.size(); ++i) {
        const auto run = std::find_if(m_runs.begin(), m_runs.end(),
            [&](const auto& shown) { return shown.name == m_marks[i].run; });
        if (run == m_runs.end() || !m_marks[i].label.contains(m_text, Qt::CaseInsensitive))
            continue;
        SearchHit hit;
        hit.kind = SearchHit::Kind::Mark;
        hit.run = static_cast<std::size_t>(run - m_runs.begin());
        hit.mark = i;
        hit.range = m_marks[i].range;
        hit.text = m_marks[i].label;
        hits.push_back(std::move(hit));
    }
    return hits;
}

void TimelineSearch::go(int step) {
    if (m_searching) {
        m_waiting += step;
        return;
    }
    if (m_hits.empty()) {
        Q_EMIT statusChanged();
        return;
    }
    const int count = static_cast<int>(m_hits.size());
    m_current
        = m_current < 0 ? (step > 0 ? 0 : count - 1) : (m_current + step % count + count) % count;
    Q_EMIT statusChanged();
    Q_EMIT jumped(m_hits[static_cast<std::size_t>(m_current)]);
}

} // namespace trainscope::app
