#include "app/viewmodels/timeline/TimelineSearch.h"

#include "app/viewmodels/text/Texts.h"
#include "core/model/Try.h"
#include "core/plot/TextFit.h"

#include <tuple>

namespace trainscope::app {
namespace {

using Hits = std::vector<SearchHit>;

using Sums = std::unordered_map<std::int64_t, TimelineSearch::Group>;

// The groups with most time, with their names.
Status nameGroups(const store::Store& store, const Sums& sums, TimelineSearch::Counted& counted) {
    for (const auto& [name, group] : sums)
        counted.groups.push_back(group);
    counted.names = counted.groups.size();
    const auto isLonger = [](const auto& a, const auto& b) {
        return std::tuple(-a.seconds, -a.count, a.name) < std::tuple(-b.seconds, -b.count, b.name);
    };
    const std::size_t most = std::min(counted.groups.size(), TimelineSearch::kMostRows);
    std::partial_sort(counted.groups.begin(),
        counted.groups.begin() + static_cast<std::ptrdiff_t>(most), counted.groups.end(), isLonger);
    counted.groups.resize(most);
    for (auto& group : counted.groups) {
        ASSIGN_OR_RETURN(group.text, store.name(group.name));
    }
    return {};
}

bool startsBefore(const store::FoundSpan& a, const store::FoundSpan& b) {
    return std::tuple(a.span.start, a.track, a.span.depth)
        < std::tuple(b.span.start, b.track, b.span.depth);
}

// So that memory does not grow with their number.
void keepFirst(std::vector<store::FoundSpan>& hits) {
    if (hits.size() <= TimelineSearch::kMostHits)
        return;
    const auto end = hits.begin() + static_cast<std::ptrdiff_t>(TimelineSearch::kMostHits);
    std::nth_element(hits.begin(), end, hits.end(), startsBefore);
    hits.erase(end, hits.end());
}

Result<TimelineSearch::Counted> countSpans(const store::Store& store, const std::vector<Run>& runs,
    const store::SpanWish& wanted, const std::function<bool()>& isCancelled) {
    TimelineSearch::Counted counted;
    Sums sums;
    for (const Run& run : runs) {
        TimelineSearch::RunHits hits;
        RETURN_IF_ERROR(
            store.forEachFound(run.id, wanted, [&](TrackId track, std::span<const Span> spans) {
                hits.total += std::ssize(spans);
                for (const Span& span : spans) {
                    hits.first.push_back({track, span});
                    if (hits.first.size() == 2 * TimelineSearch::kMostHits)
                        keepFirst(hits.first);
                    auto& group = sums[span.name.value];
                    group.name = span.name;
                    ++group.count;
                    group.seconds += static_cast<double>(span.duration.ns) * 1e-9;
                }
                return !isCancelled();
            }));
        if (isCancelled())
            return cancelled();
        keepFirst(hits.first);
        std::ranges::sort(hits.first, startsBefore);
        counted.runs.push_back(std::move(hits));
    }
    RETURN_IF_ERROR(nameGroups(store, sums, counted));
    return counted;
}

// Length of what the two names begin with alike, up to a border of words.
std::size_t commonBegin(std::string_view a, std::string_view b) {
    std::size_t length = 0;
    while (length < std::min(a.size(), b.size()) && a[length] == b[length])
        ++length;
    while (length > 0 && a[length - 1] != '<' && a[length - 1] != ':' && a[length - 1] != ' ')
        --length;
    return length;
}

// Short names of kernels; those that are alike go on with what differs:
// "vectorized_elementwise_kernel … MulFunctor<float>".
std::vector<std::string> shownNames(const std::vector<TimelineSearch::Group>& groups) {
    std::vector<std::string> names;
    for (const auto& group : groups) {
        const std::string_view brief = plot::shortKernelName(group.text);
        std::optional<std::size_t> alike;
        for (const auto& other : groups) {
            if (other.name == group.name || plot::shortKernelName(other.text) != brief)
                continue;
            const std::size_t begin = commonBegin(group.text, other.text);
            alike = alike ? std::max(*alike, begin) : begin;
        }
        const bool hasMore = alike && *alike < group.text.size();
        names.push_back(std::string(brief) + (hasMore ? " … " + group.text.substr(*alike) : ""));
    }
    return names;
}

QString hitsText(std::int64_t count, double seconds) {
    const QString hits
        = count == 1 ? QStringLiteral("1 hit") : QStringLiteral("%1 hits").arg(wholeText(count));
    return QStringLiteral("%1, %2").arg(hits, metricText("seconds", seconds, "s"));
}

} // namespace

SearchListModel::SearchListModel(QObject* parent)
    : RowListModel({{"name", &SearchRow::name}, {"full", &SearchRow::full},
                       {"detail", &SearchRow::detail}, {"chosen", &SearchRow::isChosen}},
        parent) { }

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

std::int64_t TimelineSearch::fixed() const {
    return m_name.isValid() ? 0 : static_cast<std::int64_t>(m_fixed.size());
}

std::int64_t TimelineSearch::walked() const {
    std::int64_t walked = fixed();
    for (const RunHits& run : hits())
        walked += std::ssize(run.first);
    return walked;
}

std::int64_t TimelineSearch::total() const {
    std::int64_t total = fixed();
    for (const RunHits& run : hits())
        total += run.total;
    return total;
}

QString TimelineSearch::statusText() const {
    if (m_text.isEmpty())
        return {};
    if (!m_error.isEmpty())
        return m_error;
    if (m_searching)
        return QStringLiteral("searching…");
    if (total() == 0)
        return QStringLiteral("no match");
    return m_current < 0
        ? QStringLiteral("%1 found").arg(wholeText(total()))
        : QStringLiteral("%1 of %2").arg(wholeText(m_current + 1), wholeText(total()));
}

QString TimelineSearch::moreText() const {
    const std::size_t more = m_counted.names - m_counted.groups.size();
    return more == 0 ? QString()
                     : QStringLiteral("and %1 more names with less time")
                           .arg(wholeText(static_cast<std::int64_t>(more)));
}

void TimelineSearch::forgetPosition() {
    m_current = -1;
    m_waiting = 0;
}

void TimelineSearch::start() {
    m_task.cancel();
    forgetPosition();
    m_fixed.clear();
    m_counted = {};
    m_named = {};
    m_name = {};
    m_error.clear();
    m_searching = !m_text.isEmpty() && m_catalogue != nullptr && m_readers;
    if (m_searching)
        count({}, [this](Result<Counted> counted) { take(std::move(counted)); });
    else
        showRows();
    Q_EMIT statusChanged();
}

void TimelineSearch::count(NameId name, std::function<void(Result<Counted>)> done) {
    m_task.ask(
        *m_readers,
        [catalogue = m_catalogue, wanted = store::SpanWish{m_text.toStdString(), name}](
            const store::Store& store, const TaskStage<Counted>& stage) {
            return countSpans(store, catalogue->runs, wanted, stage.cancelCheck());
        },
        std::move(done));
}

void TimelineSearch::take(Result<Counted> counted) {
    m_searching = false;
    if (counted.hasValue()) {
        m_fixed = lanesAndMarks();
        m_counted = std::move(counted).value();
    } else {
        m_error = shownText(counted.error());
    }
    showRows();
    const int waiting = std::exchange(m_waiting, 0);
    if (waiting != 0)
        go(waiting);
    else
        Q_EMIT statusChanged();
}

void TimelineSearch::showRows() {
    std::vector<SearchRow> rows;
    for (const SearchHit& hit : m_fixed)
        rows.push_back({hit.text, hit.text,
            hit.kind == SearchHit::Kind::Lane ? QStringLiteral("lane") : QStringLiteral("mark"),
            false});
    if (hasRowOfAll()) {
        std::int64_t hits = 0;
        for (const RunHits& run : m_counted.runs)
            hits += run.total;
        const QString name = QStringLiteral("All %1 names")
                                 .arg(wholeText(static_cast<std::int64_t>(m_counted.names)));
        rows.push_back(
            {name, name, QStringLiteral("%1 hits").arg(wholeText(hits)), !m_name.isValid()});
    }
    const std::vector<std::string> names = shownNames(m_counted.groups);
    for (std::size_t i = 0; i < names.size(); ++i) {
        const Group& group = m_counted.groups[i];
        rows.push_back({QString::fromStdString(names[i]), QString::fromStdString(group.text),
            hitsText(group.count, group.seconds), group.name == m_name});
    }
    m_rows.setRows(std::move(rows));
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
        const auto run = std::ranges::find_if(
            m_runs, [&](const auto& shown) { return shown.name == m_marks[i].run; });
        const QString label = QString::fromStdString(m_marks[i].label);
        if (run == m_runs.end() || !label.contains(m_text, Qt::CaseInsensitive))
            continue;
        SearchHit hit;
        hit.kind = SearchHit::Kind::OwnMark;
        hit.run = static_cast<std::size_t>(run - m_runs.begin());
        hit.mark = i;
        hit.range = m_marks[i].range;
        hit.text = label;
        hits.push_back(std::move(hit));
    }
    return hits;
}

void TimelineSearch::choose(int row) {
    if (m_searching || !m_rows.isThere(row))
        return;
    const auto lanes = static_cast<int>(m_fixed.size());
    const int groups = lanes + (hasRowOfAll() ? 1 : 0);
    if (row >= groups)
        return choose(m_counted.groups[static_cast<std::size_t>(row - groups)]);
    if (m_name.isValid()) {
        forgetPosition();
        m_name = {};
        showRows();
    }
    if (row >= lanes)
        return next();
    m_current = row;
    jump();
}

void TimelineSearch::choose(const Group& group) {
    if (group.name == m_name)
        return next();
    forgetPosition();
    m_name = group.name;
    m_named = {};
    m_searching = true;
    m_waiting = 1;
    showRows();
    count(m_name, [this](Result<Counted> counted) { takeNamed(std::move(counted)); });
    Q_EMIT statusChanged();
}

void TimelineSearch::takeNamed(Result<Counted> counted) {
    m_searching = false;
    if (counted.hasValue())
        m_named = std::move(counted).value();
    else
        m_error = shownText(counted.error());
    go(std::exchange(m_waiting, 0));
}

void TimelineSearch::go(int step) {
    if (m_searching) {
        m_waiting += step;
        return;
    }
    const std::int64_t count = walked();
    if (count == 0 || step == 0) {
        Q_EMIT statusChanged();
        return;
    }
    m_current
        = m_current < 0 ? (step > 0 ? 0 : count - 1) : (m_current + step % count + count) % count;
    jump();
}

void TimelineSearch::jump() {
    Q_EMIT statusChanged();
    if (m_current < fixed()) {
        Q_EMIT jumped(m_fixed[static_cast<std::size_t>(m_current)]);
        return;
    }
    std::int64_t behind = m_current - fixed();
    for (std::size_t run = 0; run < hits().size(); ++run) {
        const auto& spans = hits()[run].first;
        if (behind >= std::ssize(spans)) {
            behind -= std::ssize(spans);
            continue;
        }
        const auto& [track, span] = spans[static_cast<std::size_t>(behind)];
        SearchHit hit;
        hit.run = run;
        hit.track = track;
        hit.span = span;
        hit.range = {span.start, span.start + span.duration};
        Q_EMIT jumped(hit);
        return;
    }
}

} // namespace trainscope::app
