#include "app/viewmodels/timeline/TimelineLanes.h"

#include "app/viewmodels/lanes/LaneListModel.h"
#include "core/figures/timeline/DerivedLane.h"

#include <QStringList>

namespace trainscope::app {
namespace {

constexpr double kLaneMargin = 16.0; // free space under the last lane, px
constexpr int kSummaryDelayMs = 300;

bool anyLaneKnown(const plot::Arrangement& saved, const TimelineCatalogue& catalogue,
    const std::vector<plot::ShownRun>& runs) {
    return std::ranges::any_of(saved.lanes, [&](const plot::LaneSpec& lane) {
        if (analysis::isFormula(lane.metric))
            return figures::resolveDerived(lane, catalogue.tables, runs).hasValue();
        return std::ranges::any_of(catalogue.choices,
            [&](const plot::LaneChoice& choice) { return choice.lane.metric == lane.metric; });
    });
}

// Several, so that each can have a lane of its own.
bool isOfGpus(const plot::LaneData& lane) {
    return lane.series.size() > 1 && lane.series.front().subject.kind == SubjectKind::Gpu;
}

} // namespace

TimelineLanes::TimelineLanes(TimelineContext& context, QObject* parent)
    : QObject(parent)
    , m_context(context) {
    m_summaryTimer.setSingleShot(true);
    m_summaryTimer.setInterval(kSummaryDelayMs);
    connect(&m_summaryTimer, &QTimer::timeout, this, &TimelineLanes::summarise);
}

void TimelineLanes::restore(const std::optional<plot::Arrangement>& saved) {
    m_own = saved;
    m_presetOf.reset();
}

void TimelineLanes::own() {
    if (!m_presetOf)
        m_own = m_context.arrangement;
}

void TimelineLanes::applyPreset(plot::Arrangement arrangement) {
    m_presetOf = m_context.runs.front().id;
    arrange(std::move(arrangement));
}

void TimelineLanes::restored() {
    own();
    Q_EMIT edited();
    Q_EMIT changed();
}

void TimelineLanes::setUp() {
    const bool isOwn = m_own && anyLaneKnown(*m_own, *m_context.catalogue, m_context.runs);
    if (m_presetOf != m_context.runs.front().id) {
        m_presetOf.reset();
        m_context.arrangement = isOwn ? *m_own : m_context.catalogue->defaults;
    }
    Q_EMIT changed();
}

void TimelineLanes::setArrangement(plot::Arrangement arrangement, ViewChange change) {
    if (arrangement == m_context.arrangement)
        return;
    m_context.arrangement = std::move(arrangement);
    own();
    Q_EMIT edited();
    Q_EMIT arranged(change);
    Q_EMIT changed();
}

void TimelineLanes::showOrAdd(const plot::LaneSpec& wanted) {
    const auto isWanted = [&wanted](const auto& lane) { return sameLane(wanted, lane); };
    const auto& lanes = m_context.arrangement.lanes;
    if (std::ranges::none_of(lanes, isWanted))
        setArrangement(withLane(m_context.arrangement, wanted, count()), ViewChange::Lanes);
    const auto there = std::ranges::find_if(lanes, isWanted);
    show(static_cast<int>(there - lanes.begin()));
}

void TimelineLanes::setMetric(int lane, const std::string& metric) {
    if (lane < 0 || lane >= count())
        return;
    plot::Arrangement next = m_context.arrangement;
    next.lanes[static_cast<std::size_t>(lane)].metric = metric;
    setArrangement(std::move(next), ViewChange::Lanes);
}

void TimelineLanes::find(const plot::LaneSpec& wanted) {
    const auto& lanes = m_context.arrangement.lanes;
    const auto lane = std::ranges::find_if(lanes, [&wanted](const auto& shown) {
        return shown.metric == wanted.metric
            && (!shown.metric.empty() || shown.style == wanted.style);
    });
    if (lane != lanes.end())
        show(static_cast<int>(lane - lanes.begin()));
    else
        showOrAdd(wanted);
}

void TimelineLanes::choose(const std::function<bool(const plot::LaneSpec&)>& matches) {
    const auto& lanes = m_context.arrangement.lanes;
    const auto lane = std::ranges::find_if(lanes, matches);
    if (lane != lanes.end())
        return setCurrent(static_cast<int>(lane - lanes.begin()));
    const auto& offered = m_context.catalogue->choices;
    const auto choice = std::ranges::find_if(
        offered, [&matches](const plot::LaneChoice& other) { return matches(other.lane); });
    if (choice == offered.end())
        return;
    showOrAdd(choice->lane);
    setCurrent(count() - 1);
}

void TimelineLanes::remove(int lane) {
    if (lane >= 0 && lane < m_current) {
        --m_current; // it stays the same lane
        Q_EMIT currentChanged();
    } else if (m_current >= count() - 1) {
        setCurrent(m_current - 1);
    }
    setArrangement(withoutLane(m_context.arrangement, lane), ViewChange::Lanes);
}

void TimelineLanes::move(int lane, int to) {
    const int last = count() - 1;
    if (lane < 0 || lane > last || last < 1)
        return;
    const int target = std::clamp(to, 0, last);
    m_model.moveRow(lane, target);
    if (m_current == lane)
        m_current = target;
    m_wanted = target;
    setArrangement(withLaneMoved(m_context.arrangement, lane, target), ViewChange::Lanes);
    Q_EMIT currentChanged();
}

void TimelineLanes::setCurrent(int lane) {
    const int next = std::clamp(lane, -1, count() - 1);
    if (next == m_current)
        return;
    m_current = next;
    show(next);
    Q_EMIT currentChanged();
}

void TimelineLanes::resize(int lane, double height) {
    setArrangement(
        withLaneHeight(m_context.arrangement, lane, std::round(height)), ViewChange::Resize);
}

void TimelineLanes::resizeBy(int lane, double pixels) {
    if (lane >= 0 && lane < std::min(count(), m_model.count()))
        resize(lane, m_model.rows()[static_cast<std::size_t>(lane)].height + pixels);
}

void TimelineLanes::share(int lane) {
    if (lane < 0 || lane >= count())
        return;
    const plot::LaneSpec& spec = m_context.arrangement.lanes[static_cast<std::size_t>(lane)];
    const auto& choices = m_context.catalogue->choices;
    const auto choice = std::ranges::find_if(choices, [&spec](const auto& one) {
        return one.lane.metric == spec.metric && one.lane.rank == spec.rank;
    });
    const double wish = choice == choices.end() ? plot::LaneSpec().height : choice->lane.height;
    setArrangement(withLaneShared(m_context.arrangement, lane, wish), ViewChange::Resize);
}

void TimelineLanes::setStyle(int lane, int style) {
    setArrangement(withLaneStyle(m_context.arrangement, lane, static_cast<plot::LaneStyle>(style)),
        ViewChange::Lanes);
}

void TimelineLanes::toggleRows(int lane) {
    if (lane < 0 || lane >= std::min(count(), m_model.count()))
        return;
    const LaneRow& row = m_model.rows()[static_cast<std::size_t>(lane)];
    const bool hasRows = row.style == static_cast<int>(plot::LaneStyle::Heat);
    if (!row.toggleText.isEmpty())
        setStyle(lane, static_cast<int>(hasRows ? plot::LaneStyle::Lines : plot::LaneStyle::Heat));
}

void TimelineLanes::split(int lane) {
    setArrangement(
        withLaneSplit(m_context.arrangement, lane, m_context.ranks()), ViewChange::Lanes);
}

void TimelineLanes::reset() {
    if (!m_context.catalogue)
        return;
    setArrangement(m_context.catalogue->defaults, ViewChange::Lanes);
    m_presetOf.reset();
    m_own.reset();
    Q_EMIT edited();
}

int TimelineLanes::at(double y) const {
    const auto& rows = m_model.rows();
    const auto below
        = std::ranges::find_if(rows, [y](const LaneRow& row) { return y < row.y + row.height; });
    return std::min(static_cast<int>(below - rows.begin()), m_model.count() - 1);
}

void TimelineLanes::show(int lane) {
    if (lane < 0 || lane >= count())
        return;
    // A lane that was just added is not laid out yet.
    if (m_model.count() == count())
        scrollTo(m_model.rows()[static_cast<std::size_t>(lane)]);
    else
        m_wanted = lane;
}

void TimelineLanes::scrollTo(const LaneRow& row) {
    const double top = row.y - m_context.lanesTop + m_scroll;
    const double bottom = top + row.height;
    const double visible = visibleHeight();
    if (top < m_scroll)
        setScroll(top);
    else if (bottom > m_scroll + visible)
        setScroll(std::min(top, bottom - visible));
}

QString TimelineLanes::styleText(int lane, int style) const {
    static const QStringList kNames{
        QStringLiteral("Lines"), QStringLiteral("Band"), QStringLiteral("Heat")};
    const QString name = kNames.value(style);
    if (!m_context.catalogue || lane < 0 || lane >= count())
        return name;
    const auto& spec = m_context.arrangement.lanes[static_cast<std::size_t>(lane)];
    const auto chosen = figures::defaultStyle(m_context.catalogue->tables, spec.metric);
    if (spec.rank || chosen.of.empty() || style != static_cast<int>(chosen.style))
        return name;
    return QStringLiteral("%1 (default for %2)").arg(name, QString::fromStdString(chosen.of));
}

plot::Arrangement TimelineLanes::asDrawn() const {
    plot::Arrangement drawn = m_context.arrangement;
    if (!m_context.isDrawn() || m_context.geometry->lanes.size() != drawn.lanes.size())
        return drawn;
    for (std::size_t i = 0; i < drawn.lanes.size(); ++i)
        drawn.lanes[i].height = m_context.geometry->lanes[i].lane.height;
    return drawn;
}

void TimelineLanes::setScroll(double scroll) {
    const double before = std::exchange(m_scroll, scroll);
    clampScroll();
    if (m_scroll != before)
        Q_EMIT scrolled();
}

// Lanes that fill the window do not scroll.
double TimelineLanes::scrollRoom() const {
    const double visible = visibleHeight();
    return m_contentHeight > visible + 1.0 ? m_contentHeight + kLaneMargin
                                           : std::min(m_contentHeight, visible);
}

void TimelineLanes::layOut() {
    const auto& known = m_model.rows();
    const bool several = m_context.ranks().size() > 1;
    std::vector<LaneRow> rows;
    double bottom = m_context.lanesTop - m_scroll;
    for (const plot::LaneData& lane : m_context.drawn->lanes) {
        const plot::Rect& place = m_context.geometry->lanes[rows.size()].lane;
        LaneRow row;
        row.title = QString::fromStdString(lane.title);
        row.subtitle = QString::fromStdString(lane.subtitle);
        row.y = place.y;
        row.height = place.height;
        row.isFixed = lane.spec.isFixed;
        row.style = static_cast<int>(lane.spec.style);
        row.hasStyles = hasStyles(lane.spec);
        const bool isMany = row.hasStyles && lane.series.size() > plot::kMostOverlaidSeries
            && lane.states.empty() && lane.series.front().subject.kind != SubjectKind::Run;
        if (isMany)
            row.toggleText = lane.spec.style == plot::LaneStyle::Heat
                ? QStringLiteral("A click draws the median, and outliers by name")
                : QStringLiteral("A click draws a row for each");
        row.isDerived = analysis::isFormula(lane.spec.metric);
        row.canSplit = several && !lane.spec.rank && (!row.isDerived || isOfGpus(lane));
        row.hasSpectrum = lane.spec.metric == metric::kGpuPower;
        row.canMerge = lane.spec.rank.has_value() && lane.spec.style != plot::LaneStyle::Thread;
        const std::size_t at = rows.size();
        row.summary
            = at < known.size() && known[at].title == row.title ? known[at].summary : row.title;
        bottom = place.bottom();
        rows.push_back(std::move(row));
    }
    m_contentHeight = bottom + m_scroll - m_context.lanesTop;
    m_model.setLanes(std::move(rows));
    // The lanes may be lower now.
    setScroll(m_scroll);
    if (m_wanted >= 0 && m_model.count() == count())
        show(std::exchange(m_wanted, -1));
    Q_EMIT placed();
}

void TimelineLanes::summarise() {
    if (!m_context.drawn)
        return;
    const plot::ViewWindow& seen = m_context.window.window();
    QStringList all;
    auto rows = m_model.rows();
    for (std::size_t i = 0; i < rows.size() && i < m_context.drawn->lanes.size(); ++i) {
        rows[i].summary = laneSummary(m_context.drawn->lanes[i], m_context.drawn->window, seen);
        all.append(rows[i].summary);
    }
    m_model.setLanes(std::move(rows));
    m_summary = QStringLiteral("Timeline from %1 to %2. %3")
                    .arg(m_context.textOf(seen.begin), m_context.textOf(seen.end),
                        all.join(QStringLiteral(". ")));
    Q_EMIT summaryChanged();
}

} // namespace trainscope::app
