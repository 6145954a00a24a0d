#include "app/viewmodels/timeline/TimelineSearch.h"

#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/text/Texts.h"
#include "core/model/Try.h"
#include "core/plot/TextFit.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace trainscope::app {
namespace {

using Hits = std::vector<SearchHit>;

constexpr std::int64_t kPageHits = 512;

// Nanoseconds of a part of a range. Unsigned, since ranges of damaged files may be longer than a
// duration can tell.
std::uint64_t partWidth(const TimeRange& range) {
    const auto begin = static_cast<std::uint64_t>(range.begin.ns);
    const auto end = static_cast<std::uint64_t>(range.end.ns);
    return range.isEmpty() ? 1 : (end - begin) / HitCounts::kParts + 1;
}

std::size_t partOf(const TimeRange& range, TimeNs start) {
    if (start <= range.begin)
        return 0;
    const std::uint64_t behind
        = static_cast<std::uint64_t>(start.ns) - static_cast<std::uint64_t>(range.begin.ns);
    const auto part = static_cast<std::size_t>(behind / partWidth(range));
    return std::min(part, HitCounts::kParts - 1);
}

TimeNs partBegin(const TimeRange& range, std::size_t part) {
    const auto begin = static_cast<std::uint64_t>(range.begin.ns);
    const std::uint64_t room = static_cast<std::uint64_t>(kAllTime.end.ns) - begin;
    const std::uint64_t behind = static_cast<std::uint64_t>(part) * partWidth(range);
    return behind >= room ? kAllTime.end : TimeNs{static_cast<std::int64_t>(begin + behind)};
}

TimeRange overlapOf(const TimeRange& a, const TimeRange& b) {
    return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

using Sums = std::unordered_map<std::int64_t, TimelineSearch::Group>;

// The groups with most time, with their names.
Status nameGroups(const store::Store& store, const Sums& sums, TimelineSearch::Counted& counted) {
    for (const auto& [name, group] : sums)
        counted.groups.push_back(group);
    counted.names = counted.groups.size();
    const auto isBefore = [](const auto& a, const auto& b) {
        return std::tuple(-a.seconds, -a.count, a.name) < std::tuple(-b.seconds, -b.count, b.name);
    };
    const std::size_t most = std::min(counted.groups.size(), TimelineSearch::kMostRows);
    std::partial_sort(counted.groups.begin(),
        counted.groups.begin() + static_cast<std::ptrdiff_t>(most), counted.groups.end(), isBefore);
    counted.groups.resize(most);
    for (auto& group : counted.groups) {
        ASSIGN_OR_RETURN(group.text, store.name(group.name));
    }
    return {};
}

Result<TimelineSearch::Counted> countSpans(const store::Store& store, const std::vector<Run>& runs,
    const store::SpanWish& wanted, const std::function<bool()>& isCancelled) {
    TimelineSearch::Counted counted;
    Sums sums;
    for (const Run& run : runs) {
        HitCounts hits(run.range);
        RETURN_IF_ERROR(
            store.forEachFound(run.id, wanted, [&](TrackId, std::span<const Span> spans) {
                for (const Span& span : spans) {
                    hits.add(span.start);
                    auto& group = sums[span.name.value];
                    group.name = span.name;
                    ++group.count;
                    group.seconds += static_cast<double>(span.duration.ns) * 1e-9;
                }
                return !isCancelled();
            }));
        if (isCancelled())
            return cancelled();
        counted.runs.push_back(std::move(hits));
    }
    RETURN_IF_ERROR(nameGroups(store, sums, counted));
    return counted;
}

// The page with that hit, counted finer where a part alone has more than a page.
Result<HitPage> findPage(const store::Store& store, RunId run, const store::SpanWish& wanted,
    const HitCounts& counts, std::int64_t hit, const std::function<bool()>& isCancelled) {
    HitPage page = pageOf(counts, hit, kPageHits);
    TimeRange range = overlapOf(counts.range, page.window);
    while (page.count > kPageHits && range.length().ns > 1) {
        HitCounts finer(range);
        RETURN_IF_ERROR(store.forEachFound(run, wanted, [&](TrackId, std::span<const Span> spans) {
            for (const Span& span : spans) {
                if (page.window.contains(span.start))
                    finer.add(span.start);
            }
            return !isCancelled();
        }));
        if (isCancelled())
            return cancelled();
        HitPage inner = pageOf(finer, hit - page.first, kPageHits);
        inner.first += page.first;
        inner.window = overlapOf(inner.window, page.window);
        if (inner.window == page.window)
            break;
        page = inner;
        range = overlapOf(range, page.window);
    }
    return page;
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

void HitCounts::add(TimeNs start) {
    ++parts[partOf(range, start)];
    ++total;
}

HitPage pageOf(const HitCounts& counts, std::int64_t hit, std::int64_t most) {
    HitPage page;
    std::size_t begin = 0;
    std::size_t end = 0;
    // Whole parts, until they would be more than a page; then from the next part on.
    for (; end < HitCounts::kParts; ++end) {
        const std::int64_t more = counts.parts[end];
        if (page.count > 0 && page.count + more > most) {
            if (hit < page.first + page.count)
                break;
            page.first += page.count;
            page.count = 0;
            begin = end;
        }
        page.count += more;
    }
    page.window.begin = begin == 0 ? kAllTime.begin : partBegin(counts.range, begin);
    page.window.end = end == HitCounts::kParts ? kAllTime.end : partBegin(counts.range, end);
    return page;
}

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

const std::vector<HitCounts>& TimelineSearch::counts() const {
    return m_name.isValid() ? m_named.runs : m_counted.runs;
}

std::int64_t TimelineSearch::fixed() const {
    return m_name.isValid() ? 0 : static_cast<std::int64_t>(m_fixed.size());
}

std::int64_t TimelineSearch::total() const {
    std::int64_t total = fixed();
    for (const HitCounts& run : counts())
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

void TimelineSearch::next() {
    go(1);
}

void TimelineSearch::previous() {
    go(-1);
}

void TimelineSearch::clear() {
    setText({});
}

void TimelineSearch::forgetPosition() {
    m_pageTask.cancel();
    m_page.reset();
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

store::SpanWish TimelineSearch::wish(NameId name) const {
    return {m_text.toStdString(), name};
}

void TimelineSearch::count(NameId name, std::function<void(Result<Counted>)> done) {
    m_task.ask(
        *m_readers,
        [catalogue = m_catalogue, wanted = wish(name)](
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
        for (const HitCounts& run : m_counted.runs)
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
    const std::int64_t count = total();
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
    std::int64_t hit = m_current;
    if (hit < fixed()) {
        m_pageTask.cancel();
        Q_EMIT jumped(m_fixed[static_cast<std::size_t>(hit)]);
        return;
    }
    hit -= fixed();
    for (std::size_t run = 0; run < counts().size(); ++run) {
        if (hit < counts()[run].total)
            return jumpToSpan(run, hit);
        hit -= counts()[run].total;
    }
}

void TimelineSearch::jumpToSpan(std::size_t run, std::int64_t hit) {
    const std::int64_t place = m_page && m_page->run == run ? hit - m_page->first : -1;
    if (place >= 0 && place < static_cast<std::int64_t>(m_page->spans.size())) {
        const store::FoundSpan& found = m_page->spans[static_cast<std::size_t>(place)];
        SearchHit one;
        one.run = run;
        one.track = found.track;
        one.span = found.span;
        one.range = {found.span.start, found.span.start + found.span.duration};
        Q_EMIT jumped(one);
        return;
    }
    m_pageTask.ask(
        *m_readers,
        [run, hit, catalogue = m_catalogue, wanted = wish(m_name), counts = counts()[run]](
            const store::Store& store, const TaskStage<Page>& stage) -> Result<Page> {
            const RunId id = catalogue->runs[run].id;
            ASSIGN_OR_RETURN(
                const auto page, findPage(store, id, wanted, counts, hit, stage.cancelCheck()));
            // More start in the same nanosecond only where no finer part holds fewer.
            const auto most = static_cast<std::size_t>(
                std::max(std::min(page.count, kPageHits), hit - page.first + 1));
            ASSIGN_OR_RETURN(auto spans, store.findSpans(id, wanted, page.window, most));
            return Page{run, page.first, std::move(spans)};
        },
        [this, run, hit](Result<Page> page) {
            if (!page.hasValue()) {
                m_error = shownText(page.error());
                Q_EMIT statusChanged();
                return;
            }
            m_page = std::move(page).value();
            const std::int64_t behind = hit - m_page->first;
            if (behind >= 0 && behind < static_cast<std::int64_t>(m_page->spans.size()))
                jumpToSpan(run, hit);
        });
}

} // namespace trainscope::app
