#include "app/viewmodels/timeline/TimelineContext.h"

#include "app/viewmodels/text/Texts.h"
#include "core/figures/timeline/TimelineFigure.h"

namespace trainscope::app {

namespace {

constexpr double kReachPixels = 1.5;

bool inside(const plot::Rect& rect, plot::Point point) {
    return point.x >= rect.x && point.x < rect.right() && point.y >= rect.y
        && point.y < rect.bottom();
}

// A series' values in a column: their mean, and their extremes where they are known.
struct ColumnValues {
    double low;
    double high;
    double mean;
};

std::optional<ColumnValues> valuesAt(
    const plot::LaneSeries& series, const plot::ViewWindow& window, DurationNs time) {
    const auto mean = plot::columnAt(series.means.size(), window, time);
    const auto column = plot::columnAt(series.buckets.size(), window, time);
    if (column) {
        const Bucket& bucket = series.buckets[*column];
        return ColumnValues{bucket.min, bucket.max, bucket.mean};
    }
    if (!mean)
        return std::nullopt;
    const double value = series.means[*mean];
    return ColumnValues{value, value, value};
}

// 0 within the envelope of the column.
double distance(const ColumnValues& values, double value) {
    return std::max({0.0, values.low - value, value - values.high});
}

// Among envelopes that contain the point, the one whose mean is nearest.
std::optional<std::size_t> nearestSeries(
    const plot::LaneData& lane, const plot::ViewWindow& window, DurationNs time, double value) {
    std::optional<std::size_t> best;
    auto least = std::pair{std::numeric_limits<double>::max(), 0.0};
    for (std::size_t i = 0; i < lane.series.size(); ++i) {
        const auto values = valuesAt(lane.series[i], window, time);
        if (!values || std::isnan(values->mean))
            continue;
        const auto rating = std::pair{distance(*values, value), std::abs(values->mean - value)};
        if (!best || rating < least) {
            best = i;
            least = rating;
        }
    }
    return best;
}

void takeSeries(TimelineHit& hit, const plot::LaneData& lane, std::size_t index) {
    if (index >= lane.series.size())
        return;
    hit.item = static_cast<int>(index);
    hit.run = lane.series[index].run;
    hit.rank = lane.series[index].subject.rank;
}

// The shortest group of the track under the time, within reach of it.
const store::LodNode* groupAt(
    const plot::LaneSpans& track, TimeNs time, DurationNs reach, int depth) {
    const store::LodNode* best = nullptr;
    for (const auto& group : track.spans) {
        if (depth >= 0 && group.depth != depth)
            continue;
        if (time < group.range.begin - reach || group.range.end + reach < time)
            continue;
        if (best == nullptr || group.range.length() < best->range.length())
            best = &group;
    }
    return best;
}

// The bar of a group in its row, or in its level of the row.
plot::Rect barOf(const plot::TimelineData& data, const plot::TimeScale& axis,
    const plot::LaneGeometry::Row& row, int levels, const TimelineHit& hit) {
    const TimeNs origin = data.runs[hit.run].origin;
    const double left = std::max(axis.toX(hit.group->range.begin - origin), axis.x);
    const double right = std::min(axis.toX(hit.group->range.end - origin), axis.right());
    const double height = row.rect.height / levels;
    const double y = row.rect.y + (levels > 1 ? height * hit.group->depth : 0.0);
    return {left, y, std::max(right - left, 1.0), height};
}

// Rows of several streams may share their place: the one with something under the point wins.
void takeSpans(TimelineHit& hit, const plot::TimelineData& data, const plot::LaneData& lane,
    const plot::LaneGeometry::Row& row, const plot::TimeScale& axis, plot::Point point) {
    const DurationNs reach = axis.toTime(point.x + kReachPixels) - hit.time;
    if (row.item >= lane.spans.size())
        return;
    const plot::LaneSpans& track = lane.spans[row.item];
    const int levels = lane.spec.style == plot::LaneStyle::Thread ? std::max(1, row.depth) : 1;
    const double place = (point.y - row.rect.y) / row.rect.height * levels;
    const int depth = levels > 1 ? static_cast<int>(place) : -1;
    const store::LodNode* group
        = groupAt(track, data.runs[track.run].origin + hit.time, reach, depth);
    const bool better
        = group != nullptr && (!hit.group || group->range.length() < hit.group->range.length());
    if (hit.item >= 0 && !better)
        return;
    hit.item = static_cast<int>(row.item);
    hit.run = track.run;
    hit.rank = track.rank;
    if (group == nullptr)
        return;
    hit.group = *group;
    hit.place = barOf(data, axis, row, levels, hit);
}

void takeStretch(TimelineHit& hit, const plot::TimelineData& data,
    const plot::TimelineGeometry& geometry, plot::Point point,
    const std::vector<plot::RunOverlay>* overlays) {
    const plot::StretchPlace* place = plot::stretchUnder(geometry, point);
    if (place == nullptr)
        return;
    const plot::StretchStrip& strip = geometry.strips[place->strip];
    if (place->item >= plot::stretchCount(data, overlays, strip))
        return;
    hit.stretch = stretchHit(data, overlays, strip, place->item);
    hit.place = place->rect;
}

using plot::ViewWindow;

// Rounds to whole nanoseconds without leaving the range of the type.
std::int64_t roundedNs(double value) {
    constexpr double kLimit = 4.0e18;
    return static_cast<std::int64_t>(std::llround(std::clamp(value, -kLimit, kLimit)));
}

bool isContinuous(ViewChange change) {
    return change == ViewChange::Zoom || change == ViewChange::Pan || change == ViewChange::Resize;
}

} // namespace

StretchHit stretchHit(const plot::TimelineData& data, const std::vector<plot::RunOverlay>* overlays,
    const plot::StretchStrip& strip, std::size_t item) {
    NamedPhase named = plot::stretchAt(data, overlays, strip, item);
    const TimeNs origin = data.runs[strip.run].origin;
    return {strip.run, strip.kind, item, std::move(named.name),
        {named.range.begin - origin, named.range.end - origin}};
}

TimelineHit hitTest(const plot::TimelineData& data, const plot::TimelineGeometry& geometry,
    const plot::TimeScale& axis, plot::Point point, const std::vector<plot::RunOverlay>* overlays) {
    TimelineHit hit;
    hit.time = axis.toTime(point.x);
    if (point.y < geometry.plot.y) {
        takeStretch(hit, data, geometry, point, overlays);
        return hit;
    }
    const std::size_t count = std::min(data.lanes.size(), geometry.lanes.size());
    for (std::size_t i = 0; i < count; ++i) {
        const plot::LaneGeometry& place = geometry.lanes[i];
        if (!inside(place.area, point))
            continue;
        const plot::LaneData& lane = data.lanes[i];
        hit.lane = static_cast<int>(i);
        for (const auto& row : place.rows) {
            if (point.y < row.rect.y || point.y >= row.rect.bottom())
                continue;
            if (lane.spans.empty())
                takeSeries(hit, lane, row.item);
            else
                takeSpans(hit, data, lane, row, axis, point);
        }
        if (hit.item >= 0)
            return hit;
        if (place.rows.empty() && place.area.height > 0.0) {
            const double up = (place.area.bottom() - point.y) / place.area.height;
            const double value = place.low + up * (place.high - place.low);
            if (const auto series = nearestSeries(lane, data.window, hit.time, value))
                takeSeries(hit, lane, *series);
        }
        return hit;
    }
    return hit;
}

void TimeWindow::setLimits(ViewWindow limits) {
    if (limits.length() < kShortest)
        limits.end = limits.begin + kShortest;
    m_limits = limits;
    m_window = clamped(m_window);
}

void TimeWindow::set(ViewWindow window) {
    if (window.end < window.begin)
        std::swap(window.begin, window.end);
    m_window = clamped(window);
}

void TimeWindow::zoom(double factor, DurationNs anchor) {
    if (!(factor > 0.0))
        return;
    const double length = static_cast<double>(m_window.length().ns);
    const DurationNs wanted{roundedNs(length * factor)};
    const DurationNs next = std::clamp(wanted, kShortest, m_limits.length());
    const double place = static_cast<double>((anchor - m_window.begin).ns) / length;
    const DurationNs begin = anchor - DurationNs{roundedNs(place * static_cast<double>(next.ns))};
    m_window = clamped({begin, begin + next});
}

void TimeWindow::reveal(DurationNs time) {
    if (time < m_window.begin)
        pan(time - m_window.begin);
    else if (m_window.end < time)
        pan(time - m_window.end);
}

DurationNs TimeWindow::beside(DurationNs time, double windows) const {
    const std::int64_t share = roundedNs(windows * static_cast<double>(m_window.length().ns));
    const DurationNs step{share != 0 ? share : windows < 0.0 ? -1 : 1};
    return std::clamp(time + step, m_limits.begin, m_limits.end);
}

void TimeWindow::centreOn(DurationNs time) {
    const DurationNs begin = time - DurationNs{m_window.length().ns / 2};
    m_window = clamped({begin, begin + m_window.length()});
}

void TimeWindow::frame(ViewWindow stretch) {
    const DurationNs margin{stretch.length().ns / 10};
    set({stretch.begin - margin, stretch.end + margin});
}

ViewWindow TimeWindow::clamped(ViewWindow window) const {
    const DurationNs length = std::clamp(window.length(), kShortest, m_limits.length());
    const DurationNs centred = window.begin + DurationNs{(window.length() - length).ns / 2};
    const DurationNs begin = std::clamp(centred, m_limits.begin, m_limits.end - length);
    return {begin, begin + length};
}

void ViewHistory::reset(const ViewState& state) {
    m_states.assign(1, state);
    m_position = 0;
    m_inGesture = false;
}

void ViewHistory::shift(DurationNs by) {
    for (ViewState& state : m_states)
        state.window = {state.window.begin + by, state.window.end + by};
}

void ViewHistory::record(ViewState state, ViewChange change, std::int64_t nowMs) {
    if (m_states[m_position] == state)
        return;
    const bool sameGesture = m_inGesture && isContinuous(change) && change == m_lastChange
        && nowMs - m_lastMs <= kGestureMs && !canRedo();
    m_lastChange = change;
    m_lastMs = nowMs;
    m_inGesture = true;
    if (sameGesture) {
        m_states[m_position] = std::move(state);
        return;
    }
    m_states.resize(m_position + 1);
    m_states.push_back(std::move(state));
    if (m_states.size() > kMost)
        m_states.erase(m_states.begin());
    m_position = m_states.size() - 1;
}

const ViewState& ViewHistory::undo() {
    m_inGesture = false;
    return m_states[--m_position];
}

const ViewState& ViewHistory::redo() {
    m_inGesture = false;
    return m_states[++m_position];
}

const plot::ShownRun* findRun(const std::vector<plot::ShownRun>& runs, RunId id) {
    const auto found = std::ranges::find(runs, id, &plot::ShownRun::id);
    return found == runs.end() ? nullptr : &*found;
}

bool TimelineContext::isCursorVisible() const {
    return isReady() && cursor && window.window().begin <= *cursor
        && *cursor <= window.window().end;
}

DurationNs TimelineContext::middle() const {
    const plot::ViewWindow& seen = window.window();
    return seen.begin + DurationNs{seen.length().ns / 2};
}

std::vector<int> TimelineContext::ranks() const {
    std::vector<int> ranks;
    if (!catalogue)
        return ranks;
    for (const auto& run : catalogue->tables.runs) {
        for (const auto& gpu : run.gpus)
            ranks.push_back(gpu.rank);
    }
    std::ranges::sort(ranks);
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    return ranks;
}

bool TimelineContext::shows(const std::vector<plot::ShownRun>& those) const {
    return std::equal(those.begin(), those.end(), runs.begin(), runs.end(),
        [](const auto& one, const auto& other) { return one.id == other.id; });
}

TimelineHit TimelineContext::hitAt(double x, double y) const {
    // The picture may still be of runs that have just been changed for others.
    if (isDrawn() && shows(drawn->runs))
        return hitTest(*drawn, *geometry, axis, {x, y}, overlays.get());
    TimelineHit hit;
    hit.time = axis.toTime(x);
    return hit;
}

DurationNs TimelineContext::pixelLength() const {
    const double pixels = std::max(1.0, axis.width);
    const auto length = static_cast<double>(window.window().length().ns);
    return {std::max<std::int64_t>(1, std::llround(length / pixels))};
}

plot::TimeContext TimelineContext::wording() const {
    plot::TimeContext context;
    context.display = display;
    if (runs.empty() || !catalogue)
        return context;
    context.origin = runs.front().origin;
    context.utcOffsetSeconds
        = display == plot::TimeDisplay::Local ? localUtcOffsetSeconds(context.origin) : 0;
    context.iterations = &catalogue->tables.runs.front().iterations;
    const plot::ViewWindow shown = window.window();
    context.farthest = {std::max(std::abs(shown.begin.ns), std::abs(shown.end.ns))};
    return context;
}

} // namespace trainscope::app
