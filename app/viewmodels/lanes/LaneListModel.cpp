#include "app/viewmodels/lanes/LaneListModel.h"

#include "app/viewmodels/text/Texts.h"

namespace trainscope::app {

namespace {

struct Columns {
    std::size_t first = 0;
    std::size_t last = 0;
};

Columns visibleColumns(
    std::size_t count, const plot::ViewWindow& loaded, const plot::ViewWindow& visible) {
    const auto length = static_cast<double>(loaded.length().ns);
    if (length <= 0.0)
        return {};
    const auto place = [&](DurationNs time) {
        const double share = static_cast<double>((time - loaded.begin).ns) / length;
        return std::clamp(share, 0.0, 1.0) * static_cast<double>(count);
    };
    return {static_cast<std::size_t>(place(visible.begin)),
        static_cast<std::size_t>(std::ceil(place(visible.end)))};
}

struct Summary {
    double low = std::numeric_limits<double>::max();
    double high = std::numeric_limits<double>::lowest();
    double sum = 0.0;
    std::size_t filled = 0;

    void add(float min, float max, float mean) {
        if (std::isnan(mean))
            return;
        low = std::min(low, static_cast<double>(min));
        high = std::max(high, static_cast<double>(max));
        sum += static_cast<double>(mean);
        ++filled;
    }
};

// Adds the drawn values: extents and the middle of each column.
void addDrawn(Summary& summary, const std::vector<float>& low, const std::vector<float>& high,
    const std::vector<float>& middle, Columns columns) {
    for (std::size_t i = columns.first; i < std::min(columns.last, middle.size()); ++i)
        summary.add(low[i], high[i], middle[i]);
}

Summary summaryOf(
    const plot::LaneData& lane, const plot::ViewWindow& loaded, const plot::ViewWindow& visible) {
    Summary summary;
    for (const auto& series : lane.series) {
        const auto [first, last] = visibleColumns(series.buckets.size(), loaded, visible);
        for (std::size_t i = first; i < last; ++i)
            summary.add(series.buckets[i].min, series.buckets[i].max, series.buckets[i].mean);
        if (series.buckets.empty() && lane.bands.empty())
            addDrawn(summary, series.means, series.means, series.means,
                visibleColumns(series.means.size(), loaded, visible));
    }
    for (const auto& band : lane.bands)
        addDrawn(summary, band.range.low, band.range.high, band.median.low,
            visibleColumns(band.median.low.size(), loaded, visible));
    return summary;
}

using plot::Arrangement;
using plot::LaneSpec;
using plot::LaneStyle;

// Split lanes share the height that the lane had, but stay readable.
constexpr double kSplitHeight = 56.0;
constexpr double kMergedHeight = 120.0;

// nullptr: there is none.
LaneSpec* laneAt(Arrangement& arrangement, int lane) {
    const bool isThere = lane >= 0 && lane < static_cast<int>(arrangement.lanes.size());
    return isThere ? &arrangement.lanes[static_cast<std::size_t>(lane)] : nullptr;
}

} // namespace

LaneListModel::LaneListModel(QObject* parent)
    : RowListModel({{"title", &LaneRow::title}, {"subtitle", &LaneRow::subtitle},
                       {"laneY", &LaneRow::y}, {"laneHeight", &LaneRow::height},
                       {"laneStyle", &LaneRow::style}, {"hasStyles", &LaneRow::hasStyles},
                       {"toggleText", &LaneRow::toggleText}, {"canSplit", &LaneRow::canSplit},
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

QString laneSummary(
    const plot::LaneData& lane, const plot::ViewWindow& loaded, const plot::ViewWindow& visible) {
    const QString title = QString::fromStdString(lane.title);
    if (!lane.spans.empty())
        return QStringLiteral("%1, %2 tracks").arg(title).arg(lane.spans.size());
    const auto [low, high, sum, filled] = summaryOf(lane, loaded, visible);
    if (filled == 0)
        return QStringLiteral("%1: no data in view").arg(title);
    const auto text = [&lane](double si) {
        return QStringLiteral("%1 %2")
            .arg(decimalText(si * lane.displayScale, 'g', 4), QString::fromStdString(lane.unit))
            .trimmed();
    };
    const char* const words = lane.bands.empty() ? "%1, %2 series: %3 to %4, mean %5"
                                                 : "%1, %2 series: %3 to %4, median %5";
    return textOf(words)
        .arg(title)
        .arg(lane.series.size())
        .arg(text(low), text(high), text(sum / static_cast<double>(filled)));
}

Arrangement withLane(Arrangement from, const LaneSpec& lane, int at) {
    from.lanes.insert(from.lanes.begin() + std::min(at, static_cast<int>(from.lanes.size())), lane);
    return from;
}

Arrangement withoutLane(Arrangement from, int lane) {
    if (laneAt(from, lane) != nullptr)
        from.lanes.erase(from.lanes.begin() + lane);
    return from;
}

Arrangement withLaneMoved(Arrangement from, int lane, int to) {
    if (laneAt(from, lane) == nullptr || laneAt(from, to) == nullptr)
        return from;
    const LaneSpec moved = *laneAt(from, lane);
    return withLane(withoutLane(std::move(from), lane), moved, to);
}

Arrangement withLaneHeight(Arrangement from, int lane, double height) {
    if (auto* found = laneAt(from, lane))
        *found = {found->style, found->metric, found->rank,
            std::clamp(height, kLeastLaneHeight, kMostLaneHeight), true};
    return from;
}

Arrangement withLaneShared(Arrangement from, int lane, double wish) {
    if (auto* found = laneAt(from, lane))
        *found = {found->style, found->metric, found->rank, wish, false};
    return from;
}

Arrangement withLaneStyle(Arrangement from, int lane, LaneStyle style) {
    auto* found = laneAt(from, lane);
    if (found == nullptr || !hasStyles(*found))
        return from;
    LaneSpec styled = *found;
    styled.style = style;
    if (hasStyles(styled))
        *found = styled;
    return from;
}

Arrangement withLaneSplit(Arrangement from, int lane, const std::vector<int>& ranks) {
    const auto* found = laneAt(from, lane);
    if (found == nullptr || found->rank || ranks.size() < 2)
        return from;
    LaneSpec one = *found;
    one.height = std::min(one.height, kSplitHeight);
    one.isFixed = false;
    from.lanes.erase(from.lanes.begin() + lane);
    for (const int rank : ranks) {
        one.rank = rank;
        from.lanes.insert(from.lanes.begin() + lane++, one);
    }
    return from;
}

Arrangement withLanesMerged(Arrangement from, int lane) {
    const auto* found = laneAt(from, lane);
    if (found == nullptr || !found->rank)
        return from;
    LaneSpec all = *found;
    all.rank.reset();
    all.height = std::max(all.height, kMergedHeight);
    all.isFixed = false;
    const auto isPart = [&all](const LaneSpec& other) {
        return other.rank && other.metric == all.metric && other.style == all.style;
    };
    const auto first = std::ranges::find_if(from.lanes, isPart);
    const auto at = static_cast<int>(first - from.lanes.begin());
    std::erase_if(from.lanes, isPart);
    return withLane(std::move(from), all, at);
}

bool hasStyles(const LaneSpec& lane) {
    return lane.style == LaneStyle::Lines || lane.style == LaneStyle::Band
        || lane.style == LaneStyle::Heat;
}

bool containsLanes(const plot::Arrangement& loaded, const plot::Arrangement& wanted) {
    return std::ranges::all_of(wanted.lanes, [&loaded](const auto& lane) {
        return std::ranges::any_of(
            loaded.lanes, [&lane](const auto& other) { return sameLane(lane, other); });
    });
}

void rearrange(plot::TimelineData& data, const plot::Arrangement& arrangement) {
    std::vector<plot::LaneData> lanes;
    lanes.reserve(arrangement.lanes.size());
    for (const auto& spec : arrangement.lanes) {
        const auto found = std::ranges::find_if(
            data.lanes, [&spec](const plot::LaneData& lane) { return sameLane(lane.spec, spec); });
        plot::LaneData lane;
        if (found != data.lanes.end()) {
            lane = std::move(*found);
            data.lanes.erase(found);
        }
        lane.spec = spec;
        lanes.push_back(std::move(lane));
    }
    data.lanes = std::move(lanes);
}

} // namespace trainscope::app
