#pragma once
// LaneFrame: the values that every lane's drawing gets: the data, the style, the time scale, the
// scene to add to, and its own place.

#include "core/plot/Canvas.h"
#include "core/plot/Palette.h"
#include "core/plot/SceneParts.h"
#include "core/plot/TextFit.h"
#include "core/plot/timeline/TimeScale.h"
#include "core/plot/timeline/TimeTicks.h"
#include "core/plot/timeline/Timeline.h"

#include <numeric>
#include <tuple>

namespace trainscope::plot {

// The loaded columns that each drawn column stands for. They differ while the window moves and
// newer data is on its way. Identity when the data's window is the shown one.
struct ColumnMap {
    Rect area; // x and width: the drawn columns; y and height: the plot
    struct Source {
        int first = 0; // -1: of nothing
        int last = -1; // inclusive
        bool behind = false; // columns of the coarser data
    };
    std::vector<Source> columns;
    // Every drawn column is one loaded column of the data itself, one after the other.
    bool isShift = false;
    // Number of the first column on a grid that stays in place while the window is panned.
    std::int64_t first = 0;
};
ColumnMap mapColumns(const TimelineData& data, const TimeScale& scale, double columnsPerUnit);

// Free space at the upper and lower edge of a lane.
inline double lanePadding(const Theme& theme) {
    return 2.0 * theme.spacing;
}
inline constexpr float kRoundHalf = 0.5F; // rounds what is not negative
// Strips of so many runs stand above the lanes; more would leave them no room.
inline constexpr std::size_t kMostStrips = 3;

struct LaneFrame : Canvas {
    const TimelineData& data;
    const TimelineStyle& style;
    TimeScale scale; // x and width are those of the plot
    Rect lane; // name column and data
    Rect area; // data
    const ColumnMap* map = nullptr; // metric lanes only
    const LaneData* behind
        = nullptr; // the lane in the coarser data, with the same series or tracks
    std::size_t index = 0; // the lane's

    // The name column is too narrow for whole words beside the lane's name.
    [[nodiscard]] bool isNarrow() const;
};

// Colour of a series by node (one run) or by run (several), and of the metric where there is one
// node only.
struct SeriesColors {
    bool byRun = false;
    bool byNode = false;
};
SeriesColors seriesColors(const LaneData& lane);
Color colorOf(const LaneFrame& frame, const LaneData& lane, const SeriesColors& colors,
    const LaneSeries& series);
// Colour of a run's lines among those of several runs.
Color inkOf(const LaneFrame& frame, std::size_t run);

// Grid, ticks and labels of a lane's values.
void drawValueAxis(const LaneFrame& frame, const LaneData& lane);
// Title, subtitle; `reserved`: width on the right of the name column that row and tick labels need.
// Returns the y below the text.
// A narrow column has the title in smaller text.
TextRole titleRole(const LaneFrame& frame);
double drawName(const LaneFrame& frame, const LaneData& lane, double reserved);
// Hatches the drawn columns whose source, in the lane's data or the coarser, is a hole.
template <typename IsHole>
void hatchColumns(
    const LaneFrame& frame, const LaneData& lane, const IsHole& isHole, double y, double height) {
    const ColumnMap& map = *frame.map;
    const std::size_t count = map.columns.size();
    const double step = count == 0 ? 0.0 : map.area.width / static_cast<double>(count);
    const auto isHoleAt = [&](std::size_t column) {
        const auto& source = map.columns[column];
        const LaneData* from = source.behind ? frame.behind : &lane;
        return source.first >= 0 && from != nullptr && isHole(source, *from);
    };
    forEachStretch(count, isHoleAt, [&](std::size_t first, std::size_t end) {
        frame.hatch({map.area.x + step * static_cast<double>(first), y,
            step * static_cast<double>(end - first), height});
    });
}
// Hatches the columns where nothing of the lane was recorded.
void drawHoles(const LaneFrame& frame, const LaneData& lane);
// A mark in the run's colour at the left of the plot, where several runs are shown.
void drawRunMark(const LaneFrame& frame, std::size_t run, double y, double height);
// "no data" in an empty lane.
void drawEmpty(const LaneFrame& frame, const std::string& message);

LaneGeometry drawLines(const LaneFrame& frame, const LaneData& lane);
LaneGeometry drawBand(const LaneFrame& frame, const LaneData& lane);
LaneGeometry drawHeat(const LaneFrame& frame, const LaneData& lane);
LaneGeometry drawStates(const LaneFrame& frame, const LaneData& lane);
LaneGeometry drawSpans(const LaneFrame& frame, const LaneData& lane);

struct TrackOrder {
    bool operator()(const LaneSpans& a, const LaneSpans& b) const {
        return std::tie(a.run, a.rank, a.label) < std::tie(b.run, b.rank, b.label);
    }
};
// Places of the tracks of each row, in order of the first. Tracks of one name are one: the captures
// of a rank each bring their part of a stream. Compares O(n log n) times.
template <typename Order = TrackOrder>
std::vector<std::vector<std::size_t>> tracksByRow(
    std::span<const LaneSpans> tracks, const Order& isBefore = {}) {
    std::vector<std::size_t> order(tracks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(
        order, [&](std::size_t a, std::size_t b) { return isBefore(tracks[a], tracks[b]); });
    std::vector<std::vector<std::size_t>> rows;
    for (const std::size_t track : order) {
        if (rows.empty() || isBefore(tracks[rows.back().front()], tracks[track]))
            rows.emplace_back();
        rows.back().push_back(track);
    }
    std::ranges::sort(rows);
    return rows;
}

// Levels of nested calls in all rows of a lane; of kernels its rows by rank.
int spanLevels(const LaneData& lane);
// The height that the legend under a lane of kernels takes.
double spanLegendHeight(const Theme& theme);

// Legend entries in one row, wrapped. Returns the height used; not drawn: measured alone.
struct LegendEntry {
    std::string text;
    Color color;
    std::optional<std::size_t> run = {}; // the run with these lines
};
double drawLegend(const LaneFrame& frame, const std::vector<LegendEntry>& entries, Point topLeft,
    double width, bool isDrawn = true);
// Place of a category of kernels in legends; of one that is not known after all others.
std::size_t placeInLegend(std::string_view category);
std::vector<LegendEntry> categoryEntries(
    const TimelineData& data, const LaneData& lane, ViewWindow window);
// Kinds of spans without a category: runtime calls, operators, annotations.
std::vector<LegendEntry> kindEntries(
    const TimelineData& data, const LaneData& lane, ViewWindow window);
std::vector<LegendEntry> seriesEntries(const LaneFrame& frame);

// Over a drawn lane: marks the throttle episodes of clock lanes: hatched, of several runs as
// a thin band in the colour of each at the top.
void drawLaneOverlay(const LaneFrame& frame, const LaneData& lane, const LaneGeometry& geometry);
// Under a lane: shades the time before the temperatures have settled, of a single run.
void drawUnsettled(const LaneFrame& frame);
// Over all lanes: the critical paths as lines from track to track, straight where they lead through
// tracks that are not shown.
void drawPaths(const LaneFrame& frame, const TimelineGeometry& geometry);
// Over all lanes: arrows from calls to what they launched, where both tracks are shown.
void drawLaunches(const LaneFrame& frame, const TimelineGeometry& geometry);
// The user's marks in the window, by time; y of a flag is from the foot of all flags.
struct PlacedMark {
    ViewWindow stretch;
    std::size_t mark = 0; // index into TimelineStyle::marks
    Rect flag; // no width: there is no room for it
};
std::vector<PlacedMark> placeMarks(const LaneFrame& frame);
double flagsHeight(const LaneFrame& frame, const std::vector<PlacedMark>& marks);
void drawMarkLines(
    const LaneFrame& frame, const std::vector<PlacedMark>& marks, double top, double bottom);
void drawFlags(const LaneFrame& frame, const std::vector<PlacedMark>& marks, double foot,
    double lanesTop, TimelineGeometry& geometry);
// One strip per run with throttle episodes: the darker, the more of its GPUs are throttled. Several
// runs have their own colours.
double throttleStripsHeight(const TimelineData& data, const TimelineStyle& style);
void drawThrottleStrips(const LaneFrame& frame, double top, TimelineGeometry& geometry);

// Strips of phases and captures. Drawing adds them to the geometry.
double captureStripsHeight(const TimelineData& data, const Theme& theme);
void drawCaptureStrips(const LaneFrame& frame, double top, TimelineGeometry& geometry);

// The time axis with its strips of captures, iterations and throttle episodes.
double timeAxisHeight(const TimelineData& data, const TimelineStyle& style);
TimeTicks ticksOf(const TimelineData& data, const TimelineStyle& style, const TimeScale& scale);
void drawTimeAxis(
    const LaneFrame& frame, const TimeTicks& ticks, double top, TimelineGeometry& geometry);

} // namespace trainscope::plot
