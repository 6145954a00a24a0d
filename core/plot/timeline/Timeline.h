#pragma once
// The timeline: which lanes there are (Arrangement), the data read for a window (TimelineData), and
// its geometry (buildTimeline). Screen, figure export and CSV use the same three steps.
//
// Times here are view times: nanoseconds since each run's origin (its start, or iteration k, or by
// hand), so that several runs share one axis. Absolute time = origin + view time.

#include "core/analysis/statistics/LineBand.h"
#include "core/analysis/traces/RankClocks.h"
#include "core/model/Capture.h"
#include "core/model/EnumNames.h"
#include "core/model/Run.h"
#include "core/model/Series.h"
#include "core/model/StepFacts.h"
#include "core/plot/PlotScene.h"
#include "core/plot/Theme.h"
#include "core/plot/timeline/TimelineMark.h"
#include "core/store/Values.h"

#include <unordered_map>

namespace trainscope::plot {

// Window in view time.
struct ViewWindow {
    DurationNs begin;
    DurationNs end;
    auto operator<=>(const ViewWindow&) const = default;
    [[nodiscard]] DurationNs length() const { return end - begin; }
};
// The one of the columns over a window that has the time; absent outside.
std::optional<std::size_t> columnAt(std::size_t columns, const ViewWindow& window, DurationNs time);

// A run that is shown, with the absolute time that view time 0 stands for.
struct ShownRun {
    RunId id;
    std::string name;
    TimeNs origin;
    std::size_t color = 0; // index of seriesColor
    // Puts the traces of all ranks on one clock; nullptr: shown as recorded. Telemetry is of the
    // nodes' clock and stays where it is.
    std::shared_ptr<const analysis::RankClocks> clocks = {};
};

enum class LaneStyle {
    Lines, // every GPU overlaid, thin columns, coloured by node (one run) or by run (several)
    Band, // over the GPUs: min-max, 5-95 % and 25-75 %, median
    Heat, // one row per GPU
    Kernels, // one row per rank (and stream when there is room): kernels by category
    Thread, // host threads of one rank, nested
};
constexpr auto namesOf(LaneStyle) {
    return enumNames("lines", "band", "heat", "kernels", "threads");
}

// More series than this in a Lines lane are drawn as their median, the band of most, and those that
// keep apart by name: overlaid they would only be a solid block.
inline constexpr std::size_t kMostOverlaidSeries = analysis::kMostLines;
// Lines, Band or Heat: what a lane of that many series is drawn as. Logs of runs stay lines.
LaneStyle drawnStyle(LaneStyle chosen, std::size_t series, SubjectKind of);

// One lane. Lanes are identified by their position; `metric` is empty for Kernels and Thread, and a
// formula for derived lanes (analysis/derived/Formula.h).
struct LaneSpec {
    LaneStyle style = LaneStyle::Lines;
    std::string metric;
    std::optional<int> rank; // only this GPU or rank; absent: all
    double height = 120.0; // a wish, where the lanes share a height
    bool isFixed = false; // the height is what the user chose
    bool operator==(const LaneSpec&) const = default;
};

// The view time of a mark; absent where its run is not shown.
std::optional<ViewWindow> windowOf(const std::vector<ShownRun>& runs, const TimelineMark& mark);

struct Arrangement {
    std::vector<LaneSpec> lanes;
    bool operator==(const Arrangement&) const = default;
};

// GPUs and series of the shown runs, read once from the store: with a thousand GPUs there are many
// thousand series, too many to list again for every window. Same order as the runs.
struct Catalogue {
    struct OfRun {
        std::vector<Gpu> gpus;
        std::vector<Series> series;
        std::vector<Track> tracks;
        std::vector<Iteration> iterations; // those to show, in order (TimeTicks.h, mainIterations)
        std::vector<Capture> captures; // those of its ranks; empty: the whole run was traced
        std::vector<NamedPhase> phases; // named by its program
        std::map<int, double> powerLimitsW = {}; // power limit by rank
    };
    std::vector<OfRun> runs;
};
// Kinds of lanes, in the order of their list.
enum class LaneGroup {
    Power,
    Heat,
    Clocks,
    Utilisation,
    Memory,
    Links,
    Host,
    Traces,
    Training,
    Other,
};
// A lane that could be added, in the style that suits its number of series.
struct LaneChoice {
    LaneSpec lane;
    std::string title; // "GPU power"; of a single GPU "GPU power, rank 3"
    LaneGroup group = LaneGroup::Other;
};

// Extent in every column, NaN where there is nothing.
struct Trace {
    std::vector<float> low;
    std::vector<float> high;
};

// One drawn series. Counters come as rates (B/s).
struct LaneSeries {
    std::size_t run = 0; // index into the shown runs
    Subject subject;
    int node = -1;
    SeriesId id;
    std::string label; // "rank 5 · node 0"
    // count 0: all values are the sample held from before, or NaN where there is nothing to show.
    // Only Lines keep them, and data that was loaded whole.
    std::vector<Bucket> buckets;
    // Values to draw (see LanePreparation): Lines have the extents, joined to the value of the
    // column before; Heat and Band have the means, Heat whether a gap touches the column, outliers
    // of a Band their means joined.
    Trace trace = {};
    Trace middle = {}; // the means, joined; empty unless the extents of Lines hide the course of
                       // the values
    std::vector<float> means = {};
    std::vector<std::uint8_t> gaps = {};
};
// Over the series of one run. Extremes of everything that was measured in the column; quantiles
// of the series' means.
struct LaneBand {
    std::size_t run = 0;
    Trace range;
    Trace most; // 5-95 %
    Trace half; // 25-75 %
    Trace median; // low = high
    std::vector<std::size_t> outliers = {}; // drawn by name: indices into LaneData::series
};
// The kernels of a group that merges several: who ran how much of its busy time.
struct SpanMix {
    struct Part {
        NameId name; // in a category's part: the kernel that took most
        SpanKind kind = SpanKind::Kernel;
        float share = 0.0F; // the parts of a group sum to 1
    };
    std::size_t group = 0; // index into LaneSpans::spans
    std::vector<Part> parts;
};
struct LaneSpans {
    std::size_t run = 0;
    int rank = -1;
    TrackId track;
    std::string label; // "rank 0 · stream 7"
    int depth = 1;
    std::vector<store::LodNode> spans; // absolute time, as shown (TraceClock.h)
    std::vector<SpanMix> mixes = {}; // for groups of kernels, by group; none: not known
};
// A state that series of a run name, as a reason of throttling: the fraction of those with values
// that were in it in every column, at some time of the column; NaN where none has a value.
struct LaneState {
    std::size_t run = 0;
    std::string name; // "Software power cap"
    std::vector<float> shares;
};
// The limit of a run's series in every column, SI; NaN where it is not known.
struct LaneLimit {
    std::size_t run = 0;
    std::vector<float> values;
};
struct LaneData {
    LaneSpec spec;
    std::string title; // "GPU power"
    std::string subtitle; // "W, 32 GPUs, coloured by node"
    std::string unit; // the axis's, scaled: "GB/s"
    double displayScale = 1.0; // axis value = SI × displayScale
    double low = 0.0; // axis range, SI
    double high = 1.0;
    std::vector<LaneSeries> series;
    std::vector<LaneBand> bands; // drawn as Band: by run
    // Rows of a metric that names states, one per state, in place of lines. Empty: values are
    // numbers.
    std::vector<LaneState> states;
    std::vector<LaneLimit> limits; // by run: a line, what is above it tinted
    std::vector<std::uint8_t> holes; // 1: columns in which nothing was recorded though it should
    std::vector<LaneSpans> spans;
    std::vector<NameId> mixed = {}; // names of the parts of its mixes (joinCategories), each once
    bool isStepped = false; // values of a run hold until the next; else, as of logs, they slope
    bool isComing = false; // still computed: what there is will be more
};
LaneStyle drawnStyle(const LaneData& lane);
struct TimelineData {
    ViewWindow window;
    int columns = 0;
    std::vector<ShownRun> runs;
    std::vector<LaneData> lanes;
    std::vector<std::vector<Iteration>> iterations; // per shown run, absolute time
    std::vector<std::vector<Capture>> captures; // the same; analysis::capturesByName()
    std::vector<std::vector<NamedPhase>> phases; // the same
    // Names of the spans' ids, and the category key of each (analysis/KernelCategory.h).
    struct Name {
        std::string text;
        std::string category;
    };
    std::unordered_map<NameId, Name> names;
    // Coarser data of the same lanes, drawn where this has none; nullptr for none.
    std::shared_ptr<const TimelineData> behind;
    std::uint64_t serial = 0; // number of this data in the process; 0: none given
};

// Drawn: what the picture needs, whatever the number of series. Whole: every bucket of every series
// too, for lists of numbers.
enum class LoadDetail { Drawn, Whole };

// Findings of a run, drawn over its lanes. Absolute times.
struct ThrottleMark {
    int rank = 0;
    TimeRange range;
    std::string_view cause; // "thermal", "power", "other"; of static storage
    double lostSeconds = 0.0; // clock lost meanwhile
};
// An operation on the critical path of an iteration, on the clock of its rank's trace.
struct PathMark {
    TrackId track;
    int rank = -1;
    TimeRange range;
};
struct RunOverlay {
    std::vector<ThrottleMark> throttles; // by begin
    std::size_t gpus = 0; // GPUs with enough data to find throttling
    bool isFromClocks = false; // no driver told of it
    std::vector<TimeRange> aboveLimit; // power of any GPU is; in order, apart from each other
    std::optional<TimeRange> unsettled; // before the temperatures have settled
    std::vector<Iteration> iterations; // if none are recorded: from the period of the power
    std::vector<std::int64_t> warmup; // indices of iterations, in ascending order
    std::vector<PathMark> path; // in order; invalid track: begins a line; empty: not asked for
};
// A call of the host and the work on the GPU that it launched, of one run. On the clock of their
// rank's trace.
struct LaunchArrow {
    struct End {
        TrackId track;
        int depth = 0;
        TimeNs time;
        bool operator==(const End&) const = default;
    };
    std::size_t run = 0; // index into the shown runs
    int rank = -1;
    End call;
    End work;
    bool operator==(const LaunchArrow&) const = default;
};
// Those of a moment, of one GPU or of all.
std::vector<ThrottleMark> throttlesAt(
    const RunOverlay& overlay, TimeNs moment, std::optional<int> rank);

enum class TimeDisplay { Relative, Utc, Local, Iteration };
constexpr auto namesOf(TimeDisplay) {
    return enumNames("relative", "utc", "local", "iteration");
}

struct TimelineStyle {
    const Theme* theme = nullptr;
    double width = 0.0;
    double height = 0.0; // 0: as tall as the lanes need
    bool sharesHeight = false; // lanes fill the height, see sharedHeights()
    double scroll = 0.0; // lanes start this far above the top
    double nameWidth = 148.0; // fixed column of lane names
    double columnsPerUnit = 1.0; // pixels of the screen in a unit; where the data has other columns
    TimeDisplay time = TimeDisplay::Relative;
    std::int64_t utcOffsetSeconds = 0; // for TimeDisplay::Local
    MeasureText measure;
    const std::vector<RunOverlay>* overlays = nullptr; // by shown run; nullptr: none
    std::vector<TimelineMark> marks = {};
    std::vector<LaunchArrow> launches = {};
    bool legend = false; // figures carry one
    std::string title; // figures may carry one
};

// Places of a drawn lane, for overlays and hit tests; scene units.
struct LaneGeometry {
    Rect area; // the data's
    double low = 0.0; // SI at the bottom
    double high = 1.0; // SI at the top
    struct Row {
        Rect rect;
        std::size_t item = 0; // index into LaneData::series or ::spans
        int depth = 0; // levels of nesting that share the height
    };
    std::vector<Row> rows; // heat and kernel lanes
    Rect lane = {}; // with its name
};
// Kinds of named stretches that strips of the head show, each of one run and one kind.
enum class StretchKind { Phase, Capture, Iteration, Throttle };
// A strip of the head. Strips are there whether the window shows any of their stretches or not.
struct StretchStrip {
    Rect rect;
    std::size_t run = 0; // index into the shown runs
    StretchKind kind = StretchKind::Phase;
};
// A stretch where its strip shows it.
struct StretchPlace {
    Rect rect;
    std::size_t strip = 0; // index into TimelineGeometry::strips
    std::size_t item = 0; // index among all stretches of the strip, see stretchCount()
};
struct TimelineGeometry {
    PlotScene scene;
    Rect plot; // the time axis' extent
    std::vector<StretchStrip> strips; // from the top
    std::vector<StretchPlace> stretches; // in view
    std::vector<LaneGeometry> lanes;
    std::vector<std::pair<std::size_t, Rect>> flags; // indices into TimelineStyle::marks
};

// `window` may differ from data.window while newer data is on its way: the data is drawn where it
// belongs.
TimelineGeometry buildTimeline(
    const TimelineData& data, ViewWindow window, const TimelineStyle& style);

// Heights of the lanes that share `room`: in proportion to their wishes, none so low that its rows
// cannot be told apart nor their names be read, none higher than its rows need while others can use
// the room. Together higher than the room where that is too little for the least of all; a fixed
// lane has what was chosen.
std::vector<double> sharedHeights(const TimelineData& data, double room, const Theme& theme);

// Height that fills a lane of kernels or threads: its rows as high as they become, and its name.
double spansHeight(const LaneData& lane, const Theme& theme);

// The stretch under a point or beside it; nullptr: none.
const StretchPlace* stretchUnder(const TimelineGeometry& geometry, Point point);

// Iterations of a run as its strip shows them: recorded, else found in the period of its power.
const std::vector<Iteration>& shownIterations(
    const TimelineData& data, const std::vector<RunOverlay>* overlays, std::size_t run);
// All stretches of a run that a strip of that kind shows, by begin, and one of them with its name.
std::size_t stretchCount(
    const TimelineData& data, const std::vector<RunOverlay>* overlays, const StretchStrip& strip);
NamedPhase stretchAt(const TimelineData& data, const std::vector<RunOverlay>* overlays,
    const StretchStrip& strip, std::size_t item);

// The numbers behind the figure: one line per lane, series and column; CSV with a header.
std::string timelineCsv(const TimelineData& data);

} // namespace trainscope::plot
