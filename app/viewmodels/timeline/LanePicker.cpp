#include "app/viewmodels/timeline/LanePicker.h"

#include "app/viewmodels/lanes/LaneListModel.h"
#include "app/viewmodels/text/Texts.h"
#include "core/figures/timeline/DerivedLane.h"

namespace trainscope::app {
namespace {

// More threads' lanes are listed where a word asks for them.
constexpr int kMostThreadLanes = 8;

bool isOfTraces(const plot::LaneSpec& lane) {
    return lane.metric.empty();
}

// True where the lane is what the choice stands for, however it is drawn.
bool isDrawnBy(const plot::LaneSpec& choice, const plot::LaneSpec& lane) {
    return choice.metric == lane.metric && (!isOfTraces(choice) || choice.style == lane.style)
        && (!choice.rank || choice.rank == lane.rank);
}

bool asksForRanks(const QString& filter) {
    return filter.contains(QStringLiteral("rank"), Qt::CaseInsensitive)
        || std::ranges::any_of(filter, [](QChar c) { return c.isDigit(); });
}

QString laneKey(const plot::LaneSpec& lane) {
    return QStringLiteral("%1/%2/%3")
        .arg(isOfTraces(lane) ? static_cast<int>(lane.style) : -1)
        .arg(QString::fromStdString(lane.metric))
        .arg(lane.rank.value_or(-1));
}

QString groupWord(plot::LaneGroup group) {
    return textOf(figures::nameOf(group));
}

QString shownSection() {
    return QStringLiteral("Shown, from above");
}

} // namespace

LanePicker::LanePicker(TimelineContext& context, TimelineLanes& lanes, QObject* parent)
    : RowListModel({{"title", &LanePickerRow::title}, {"section", &LanePickerRow::section},
                       {"first", &LanePickerRow::isFirst}, {"lane", &LanePickerRow::lane},
                       {"choice", &LanePickerRow::choice}, {"shown", &LanePickerRow::shown},
                       {"fold", &LanePickerRow::isFold}, {"styles", &LanePickerRow::styles},
                       {"style", &LanePickerRow::style}, {"derived", &LanePickerRow::isDerived},
                       {"chosenHeight", &LanePickerRow::height}},
        parent)
    , m_context(context)
    , m_lanes(lanes) {
    connect(&lanes, &TimelineLanes::changed, this, &LanePicker::refresh);
}

void LanePicker::setFilter(const QString& filter) {
    if (filter == m_filter)
        return;
    m_filter = filter;
    refresh();
    Q_EMIT filterChanged();
}

bool LanePicker::passes(const QString& text) const {
    const auto words = m_filter.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    return std::ranges::all_of(
        words, [&text](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

const plot::LaneChoice* LanePicker::choiceFor(const plot::LaneSpec& lane) const {
    const auto& choices = m_context.catalogue->choices;
    const auto exact = std::ranges::find_if(choices, [&lane](const auto& choice) {
        return choice.lane.rank == lane.rank && isDrawnBy(choice.lane, lane);
    });
    const auto any = exact != choices.end()
        ? exact
        : std::ranges::find_if(
            choices, [&lane](const auto& choice) { return isDrawnBy(choice.lane, lane); });
    return any == choices.end() ? nullptr : &*any;
}

QString LanePicker::titleOf(const plot::LaneSpec& lane) const {
    if (analysis::isFormula(lane.metric)) {
        const QString title = QString::fromStdString(
            figures::derivedTitle(lane.metric, m_context.catalogue->tables, m_context.runs));
        return lane.rank ? QStringLiteral("%1, rank %2").arg(title).arg(*lane.rank) : title;
    }
    const auto* choice = choiceFor(lane);
    if (choice != nullptr && choice->lane.rank == lane.rank)
        return QString::fromStdString(choice->title);
    const auto& missing = m_context.catalogue->missing;
    const auto known = std::ranges::find_if(
        missing, [&lane](const auto& other) { return other.lane.metric == lane.metric; });
    QString title = choice != nullptr ? QString::fromStdString(choice->title)
        : known != missing.end()      ? QString::fromStdString(known->title)
                                      : QString::fromStdString(lane.metric);
    if (lane.rank)
        title += QStringLiteral(", rank %1").arg(*lane.rank);
    return choice != nullptr ? title : title + QStringLiteral(" (not recorded)");
}

// False for a derived lane of something else.
bool LanePicker::isOfGpus(const plot::LaneSpec& lane) const {
    if (!analysis::isFormula(lane.metric))
        return true;
    const auto set = figures::resolveDerived(lane, m_context.catalogue->tables, m_context.runs);
    return set.hasValue() && set.value().series.size() > 1
        && set.value().series.front().subject.kind == SubjectKind::Gpu;
}

void LanePicker::addShown(Rows& rows) const {
    const bool several = m_context.ranks().size() > 1;
    const auto& lanes = m_context.arrangement.lanes;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        const plot::LaneSpec& lane = lanes[i];
        LanePickerRow row;
        row.title = titleOf(lane);
        if (!passes(row.title + QLatin1Char(' ') + QString::fromStdString(lane.metric)))
            continue;
        row.section = shownSection();
        row.lane = static_cast<int>(i);
        row.isDerived = analysis::isFormula(lane.metric);
        row.shown = true;
        row.height = lane.isFixed ? QString::number(std::lround(lane.height)) : QString();
        if (hasStyles(lane)) {
            row.styles = {QStringLiteral("Lines"), QStringLiteral("Band"), QStringLiteral("Heat")};
            row.style = static_cast<int>(lane.style);
        } else if (lane.style == plot::LaneStyle::Kernels) {
            row.styles = {QStringLiteral("Kernels")};
            row.style = 0;
        }
        if (lane.rank && lane.style != plot::LaneStyle::Thread)
            row.styles.append(QStringLiteral("All in one"));
        else if (several && !lane.rank && isOfGpus(lane))
            row.styles.append(QStringLiteral("One each"));
        if (row.styles.size() < 2)
            row.styles.clear();
        // Two lanes may be the same.
        const auto same
            = std::count_if(lanes.begin(), lanes.begin() + static_cast<std::ptrdiff_t>(i),
                [&lane](const auto& before) { return laneKey(before) == laneKey(lane); });
        row.key = QStringLiteral("shown %1 %2").arg(laneKey(lane)).arg(same);
        rows.push_back(std::move(row));
    }
}

void LanePicker::addChoices(Rows& rows) const {
    const bool hasRanks = asksForRanks(m_filter);
    const auto& choices = m_context.catalogue->choices;
    const auto& lanes = m_context.arrangement.lanes;
    Rows found;
    int threads = 0;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        const plot::LaneChoice& choice = choices[i];
        const bool isThread = choice.lane.style == plot::LaneStyle::Thread;
        const bool isExtra = isThread ? ++threads > kMostThreadLanes : choice.lane.rank.has_value();
        if (isExtra && !hasRanks)
            continue;
        LanePickerRow row;
        row.title = QString::fromStdString(choice.title);
        row.section = groupWord(choice.group);
        if (!passes(row.title + QLatin1Char(' ') + QString::fromStdString(choice.lane.metric)
                + QLatin1Char(' ') + row.section))
            continue;
        row.choice = static_cast<int>(i);
        row.shown = std::ranges::any_of(
            lanes, [&choice](const auto& lane) { return isDrawnBy(choice.lane, lane); });
        row.key = QStringLiteral("choice ") + laneKey(choice.lane);
        found.push_back(std::move(row));
    }
    std::ranges::stable_sort(found, [&](const auto& a, const auto& b) {
        return choices[static_cast<std::size_t>(a.choice)].group
            < choices[static_cast<std::size_t>(b.choice)].group;
    });
    std::move(found.begin(), found.end(), std::back_inserter(rows));
}

void LanePicker::addMissing(Rows& rows) const {
    const QString section = QStringLiteral("Not recorded");
    Rows found;
    for (const auto& choice : m_context.catalogue->missing) {
        LanePickerRow row;
        row.title = QString::fromStdString(choice.title);
        if (!passes(row.title + QLatin1Char(' ') + QString::fromStdString(choice.lane.metric)
                + QLatin1Char(' ') + groupWord(choice.group)))
            continue;
        row.section = section;
        row.key = QStringLiteral("missing ") + laneKey(choice.lane);
        found.push_back(std::move(row));
    }
    if (found.empty())
        return;
    LanePickerRow fold;
    fold.title = (m_context.runs.size() == 1 ? QStringLiteral("%1 that this run lacks")
                                             : QStringLiteral("%1 that these runs lack"))
                     .arg(found.size());
    fold.section = section;
    fold.key = QStringLiteral("fold");
    fold.isFold = true;
    fold.shown = m_isUnfolded;
    rows.push_back(std::move(fold));
    if (m_isUnfolded)
        std::move(found.begin(), found.end(), std::back_inserter(rows));
}

void LanePicker::refresh() {
    Rows next;
    if (m_context.isReady()) {
        addShown(next);
        addChoices(next);
        addMissing(next);
    }
    for (std::size_t i = 0; i < next.size(); ++i)
        next[i].isFirst = i == 0 || next[i].section != next[i - 1].section;
    setRows(std::move(next),
        [](const LanePickerRow& a, const LanePickerRow& b) { return a.key == b.key; });
    Q_EMIT presetsChanged();
}

int LanePicker::laneAt(int row) const {
    if (!isThere(row))
        return -1;
    const LanePickerRow& told = rows()[static_cast<std::size_t>(row)];
    if (told.lane >= 0 || told.choice < 0)
        return told.lane;
    const auto& wanted = m_context.catalogue->choices[static_cast<std::size_t>(told.choice)].lane;
    const auto& lanes = m_context.arrangement.lanes;
    const auto found = std::ranges::find_if(
        lanes, [&wanted](const auto& lane) { return isDrawnBy(wanted, lane); });
    return found == lanes.end() ? -1 : static_cast<int>(found - lanes.begin());
}

void LanePicker::toggle(int row) {
    if (!isThere(row))
        return;
    const LanePickerRow told = rows()[static_cast<std::size_t>(row)];
    if (told.isFold) {
        m_isUnfolded = !m_isUnfolded;
        return refresh();
    }
    if (told.lane >= 0)
        return m_lanes.remove(told.lane);
    if (told.choice < 0)
        return;
    if (!told.shown)
        return reveal(row);
    const auto wanted = m_context.catalogue->choices[static_cast<std::size_t>(told.choice)].lane;
    plot::Arrangement without = m_context.arrangement;
    std::erase_if(without.lanes, [&wanted](const auto& lane) { return isDrawnBy(wanted, lane); });
    m_lanes.setCurrent(-1);
    m_lanes.arrange(std::move(without));
}

void LanePicker::reveal(int row) {
    if (!isThere(row))
        return;
    const LanePickerRow told = rows()[static_cast<std::size_t>(row)];
    if (told.isFold)
        return toggle(row);
    if (const int lane = laneAt(row); lane >= 0) {
        m_lanes.setCurrent(lane);
        return m_lanes.show(lane);
    }
    if (told.choice < 0)
        return;
    m_lanes.showOrAdd(m_context.catalogue->choices[static_cast<std::size_t>(told.choice)].lane);
    m_lanes.setCurrent(static_cast<int>(m_context.arrangement.lanes.size()) - 1);
}

int LanePicker::moveBy(int row, int by) {
    const int lane = laneAt(row);
    if (lane < 0)
        return row;
    const bool isOrdered = rows()[static_cast<std::size_t>(row)].lane >= 0;
    const int target
        = std::clamp(lane + by, 0, static_cast<int>(m_context.arrangement.lanes.size()) - 1);
    m_lanes.move(lane, target);
    if (!isOrdered)
        return row;
    const auto moved = std::ranges::find(rows(), target, &LanePickerRow::lane);
    return moved == rows().end() ? row : static_cast<int>(moved - rows().begin());
}

void LanePicker::drop(int row, int to) {
    if (!isThere(row) || !isThere(to) || rows()[static_cast<std::size_t>(row)].lane < 0)
        return;
    const int below = rows()[static_cast<std::size_t>(to)].lane;
    const auto last = static_cast<int>(m_context.arrangement.lanes.size()) - 1;
    m_lanes.move(rows()[static_cast<std::size_t>(row)].lane, below < 0 ? last : below);
}

void LanePicker::setStyle(int row, int style) {
    const int lane = laneAt(row);
    if (lane < 0)
        return;
    const LanePickerRow told = rows()[static_cast<std::size_t>(row)];
    const plot::LaneSpec& spec = m_context.arrangement.lanes[static_cast<std::size_t>(lane)];
    const bool isLast = style == told.styles.size() - 1;
    const bool isAboutGpus = isLast && told.styles.size() != 3;
    if (!isAboutGpus)
        return m_lanes.setStyle(lane, style);
    if (spec.rank)
        m_lanes.merge(lane);
    else
        m_lanes.split(lane);
}

bool LanePicker::setHeight(int row, const QString& pixels) {
    const int lane = laneAt(row);
    const QString text = pixels.trimmed();
    if (lane < 0 || text.isEmpty()) {
        m_lanes.share(lane);
        return true;
    }
    bool isNumber = false;
    const double height = text.toDouble(&isNumber);
    if (!isNumber || height < kLeastLaneHeight || height > kMostLaneHeight)
        return false;
    m_lanes.resize(lane, height);
    return true;
}

QStringList LanePicker::presets() const {
    QStringList titles;
    if (m_context.isReady()) {
        for (const auto& preset : m_context.catalogue->presets)
            titles.append(textOf(preset.title));
    }
    return titles;
}

QStringList LanePicker::presetReasons() const {
    QStringList reasons;
    if (!m_context.isReady())
        return reasons;
    for (const auto& preset : m_context.catalogue->presets) {
        const QString words = m_context.runs.size() == 1 ? QStringLiteral("This run has %1.")
                                                         : QStringLiteral("These runs have %1.");
        reasons.append(
            preset.arrangement.lanes.empty() ? words.arg(textOf(preset.lacks)) : QString());
    }
    return reasons;
}

void LanePicker::apply(int preset) {
    if (!m_context.isReady() || preset < 0
        || preset >= static_cast<int>(m_context.catalogue->presets.size()))
        return;
    auto wanted = m_context.catalogue->presets[static_cast<std::size_t>(preset)].arrangement;
    if (wanted.lanes.empty())
        return;
    // Lanes of one rank are of the one that is looked at, where it has them.
    plot::Arrangement focused = wanted;
    for (plot::LaneSpec& lane : focused.lanes) {
        if (lane.rank)
            lane.rank = m_context.focusRank;
    }
    const bool areThere = std::ranges::all_of(focused.lanes, [this](const auto& lane) {
        return !lane.rank
            || std::ranges::any_of(m_context.catalogue->choices,
                [&lane](const auto& choice) { return sameLane(choice.lane, lane); });
    });
    m_lanes.setCurrent(-1);
    m_lanes.applyPreset(areThere ? std::move(focused) : std::move(wanted));
}

} // namespace trainscope::app
