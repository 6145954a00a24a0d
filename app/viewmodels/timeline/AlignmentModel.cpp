#include "app/viewmodels/timeline/AlignmentModel.h"

#include "app/viewmodels/text/Texts.h"
#include "core/figures/timeline/TimelineLoad.h"
#include "core/plot/timeline/TraceClock.h"

#include <QColor>

namespace trainscope::app {
namespace {

constexpr DurationNs kAroundAnInstant{500'000'000};

TimeRange rangeOf(
    const TimelineCatalogue& catalogue, std::size_t run, const plot::ShownRun& shown) {
    const TimeRange& whole = catalogue.runs[run].range;
    return shown.clocks ? plot::extentOf(catalogue.tables.runs[run], shown).value_or(whole) : whole;
}

TimeNs earliestOf(const TimelineCatalogue& catalogue, const std::vector<plot::ShownRun>& shown) {
    TimeNs earliest = kAllTime.end;
    for (std::size_t i = 0; i < std::min(shown.size(), catalogue.runs.size()); ++i) {
        const TimeRange range = rangeOf(catalogue, i, shown[i]);
        if (!range.isEmpty())
            earliest = std::min(earliest, range.begin);
    }
    return earliest;
}

TimeNs originOf(const TimelineCatalogue& catalogue, std::size_t run, const plot::ShownRun& shown,
    const RunAlignment& alignment, TimeNs earliest) {
    const RunFacts facts = catalogue.facts(run);
    TimeNs origin = rangeOf(catalogue, run, shown).begin;
    if (alignment.mode == RunAlignment::Mode::Clock && earliest != kAllTime.end)
        origin = earliest;
    if (alignment.mode == RunAlignment::Mode::Iteration) {
        if (const Iteration* iteration = facts.findIteration(alignment.iteration))
            origin = plot::shownTime(shown, iteration->rank, iteration->range.begin);
    }
    const auto moved = alignment.moved.find(facts.run.id);
    return moved == alignment.moved.end() ? origin : origin - moved->second;
}

QColor colorOf(const AlignedRow& row) {
    const plot::Color color = plot::seriesColor(row.run.color);
    return {color.r, color.g, color.b};
}

// The decimal text of nanoseconds as seconds, without digits that say nothing.
QString secondsText(const AlignedRow& row) {
    const DurationNs time = row.moved;
    const std::int64_t magnitude = time.ns < 0 ? -time.ns : time.ns;
    QString text = QStringLiteral("%1.%2")
                       .arg(magnitude / 1'000'000'000)
                       .arg(magnitude % 1'000'000'000, 9, 10, QLatin1Char('0'));
    while (text.endsWith(QLatin1Char('0')) && !text.endsWith(QLatin1String(".0")))
        text.chop(1);
    return typedNumber(time.ns < 0 ? QLatin1Char('-') + text : text);
}

} // namespace

std::vector<plot::ShownRun> alignedRuns(std::vector<plot::ShownRun> shown,
    const TimelineCatalogue& catalogue, const RunAlignment& alignment) {
    const std::size_t count = std::min(shown.size(), catalogue.runs.size());
    for (std::size_t i = 0; i < count; ++i) {
        const auto known = alignment.clocks.find(shown[i].id);
        const bool differ = known != alignment.clocks.end() && !known->second->agree;
        shown[i].clocks = alignment.onOneClock && differ ? known->second : nullptr;
    }
    const TimeNs earliest = earliestOf(catalogue, shown);
    for (std::size_t i = 0; i < count; ++i)
        shown[i].origin = originOf(catalogue, i, shown[i], alignment, earliest);
    return shown;
}

plot::ViewWindow viewLimits(
    const std::vector<plot::ShownRun>& runs, const TimelineCatalogue& catalogue) {
    plot::ViewWindow limits;
    bool first = true;
    const std::size_t count = std::min(runs.size(), catalogue.runs.size());
    for (std::size_t i = 0; i < count; ++i) {
        const TimeRange range = rangeOf(catalogue, i, runs[i]);
        if (range.isEmpty())
            continue;
        const plot::ViewWindow own{range.begin - runs[i].origin, range.end - runs[i].origin};
        limits.begin = first ? own.begin : std::min(limits.begin, own.begin);
        limits.end = first ? own.end : std::max(limits.end, own.end);
        first = false;
    }
    if (!first && limits.length().ns <= 1)
        return {limits.begin - kAroundAnInstant, limits.begin + kAroundAnInstant};
    return limits;
}

AlignmentModel::AlignmentModel(QObject* parent)
    : RowListModel(
        {{"runName", [](const AlignedRow& row) { return QString::fromStdString(row.name); }},
            {"runColor", colorOf}, {"offsetText", secondsText}},
        parent) { }

void AlignmentModel::forget() {
    m_alignment.mode = RunAlignment::Mode::Start;
    m_alignment.moved.clear();
    m_alignment.clocks.clear();
    m_chosen.reset();
}

void AlignmentModel::setScope(
    const CataloguePtr& catalogue, const std::vector<plot::ShownRun>& runs, bool showsClock) {
    std::vector<AlignedRow> rows;
    std::vector<std::string> names;
    for (const auto& run : runs)
        names.push_back(run.name);
    names = text::tellingNames(names);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto moved = m_alignment.moved.find(runs[i].id);
        rows.push_back(
            {names[i], runs[i], moved == m_alignment.moved.end() ? DurationNs{} : moved->second});
    }
    resetRows(std::move(rows));
    m_alignment.clocks.clear(); // perhaps of other data
    m_catalogue = catalogue;
    m_first = std::numeric_limits<std::int64_t>::max();
    m_last = -1;
    for (const auto& run : catalogue->tables.runs) {
        for (const auto& iteration : run.iterations) {
            m_first = std::min(m_first, iteration.index);
            m_last = std::max(m_last, iteration.index);
        }
    }
    if (m_last < 0)
        m_first = 0;
    m_alignment.mode = usualMode(showsClock);
    if (hasIterations())
        m_alignment.iteration = std::clamp(m_alignment.iteration, m_first, m_last);
    Q_EMIT scopeChanged();
    Q_EMIT clocksChanged();
    Q_EMIT alignmentChanged();
}

RunAlignment::Mode AlignmentModel::usualMode(bool showsClock) const {
    using enum AlignmentMode;
    const bool areSeveral = m_catalogue->runs.size() > 1;
    if (areSeveral && showsClock)
        return Clock;
    if (m_chosen && (hasIterations() || *m_chosen != Iteration))
        return *m_chosen;
    return figures::overlapInTime(m_catalogue->runs) ? Clock : Start;
}

QString AlignmentModel::title() const {
    const QString base = baseTitle();
    return m_alignment.moved.empty() ? base : QStringLiteral("%1, moved by hand").arg(base);
}

QString AlignmentModel::baseTitle() const {
    if (byClock())
        return QStringLiteral("Aligned by clock");
    if (byStart())
        return QStringLiteral("Aligned by start");
    const QString base = QStringLiteral("Aligned by iteration %1").arg(m_alignment.iteration);
    std::int64_t without = 0;
    for (std::size_t run = 0; m_catalogue && run < m_catalogue->runs.size(); ++run)
        without += m_catalogue->facts(run).findIteration(m_alignment.iteration) == nullptr ? 1 : 0;
    return without == 0 ? base
                        : QStringLiteral("%1, %2 by start")
                              .arg(base, QString::fromStdString(text::counted(without, "run")));
}

void AlignmentModel::choose(RunAlignment::Mode mode) {
    m_chosen = mode;
    m_alignment.mode = mode;
    Q_EMIT alignmentChanged();
    Q_EMIT edited();
}

void AlignmentModel::alignByStart() {
    if (!byStart() || m_chosen != RunAlignment::Mode::Start)
        choose(RunAlignment::Mode::Start);
}

void AlignmentModel::alignByClock() {
    if (takeBack() || !byClock() || m_chosen != RunAlignment::Mode::Clock)
        choose(RunAlignment::Mode::Clock);
}

void AlignmentModel::alignByIteration(int index) {
    if (!hasIterations() || (byIteration() && m_alignment.iteration == index))
        return;
    m_alignment.iteration = std::clamp<std::int64_t>(index, m_first, m_last);
    choose(RunAlignment::Mode::Iteration);
}

bool AlignmentModel::moveRun(int row, const QString& seconds) {
    const auto value = parseTyped(seconds);
    if (!value || !(std::abs(*value) < 1e8) || !isThere(row))
        return false;
    move(row, DurationNs{std::llround(*value * 1e9)});
    return true;
}

void AlignmentModel::move(int row, DurationNs to) {
    AlignedRow& own = ownRows()[static_cast<std::size_t>(row)];
    if (own.moved == to)
        return;
    own.moved = to;
    if (to.ns == 0)
        m_alignment.moved.erase(own.run.id);
    else
        m_alignment.moved[own.run.id] = to;
    rowChanged(row);
    Q_EMIT alignmentChanged();
}

void AlignmentModel::resetOffsets() {
    if (takeBack())
        Q_EMIT alignmentChanged();
}

// Returns true where any run had been moved.
bool AlignmentModel::takeBack() {
    if (m_alignment.moved.empty())
        return false;
    m_alignment.moved.clear();
    for (int row = 0; row < count(); ++row) {
        ownRows()[static_cast<std::size_t>(row)].moved = {};
        rowChanged(row);
    }
    return true;
}

void AlignmentModel::setClocks(const std::vector<Clocks>& clocks) {
    const bool differed = clocksDiffer();
    m_alignment.clocks.clear();
    for (std::size_t i = 0; i < std::min(clocks.size(), rows().size()); ++i) {
        if (clocks[i])
            m_alignment.clocks[rows()[i].run.id] = clocks[i];
    }
    Q_EMIT clocksChanged();
    if (m_alignment.onOneClock && (differed || clocksDiffer()))
        Q_EMIT alignmentChanged();
}

void AlignmentModel::setOnOneClock(bool on) {
    if (m_alignment.onOneClock == on)
        return;
    m_alignment.onOneClock = on;
    Q_EMIT alignmentChanged();
}

bool AlignmentModel::clocksDiffer() const {
    return std::ranges::any_of(
        m_alignment.clocks, [](const auto& known) { return !known.second->agree; });
}

QString AlignmentModel::clockText() const {
    const analysis::RankClocks* worst = nullptr;
    std::size_t unaligned = 0;
    for (const auto& [run, clocks] : m_alignment.clocks) {
        unaligned += clocks->unaligned.size();
        const bool isComparison = clocks->ranks.size() > 1;
        if (isComparison
            && (worst == nullptr
                || std::abs(clocks->largestCorrection.ns) > std::abs(worst->largestCorrection.ns)))
            worst = clocks.get();
    }
    QStringList lines;
    if (worst != nullptr) {
        const QString error
            = durationText(DurationNs{std::llround(worst->largestTraceUncertaintyNs)});
        lines << (clocksDiffer()
                ? QStringLiteral("Clocks differ by up to %1, known to %2.")
                      .arg(durationText(DurationNs{std::abs(worst->largestCorrection.ns)}), error)
                : QStringLiteral("The clocks of the ranks agree, within %1.").arg(error));
    }
    if (unaligned > 0)
        lines << QStringLiteral("%1 cannot be compared.")
                     .arg(QString::fromStdString(
                         text::counted(static_cast<std::int64_t>(unaligned), "rank")));
    return lines.join(QLatin1Char('\n'));
}

} // namespace trainscope::app
