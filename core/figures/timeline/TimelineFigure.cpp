#include "core/figures/timeline/TimelineFigure.h"

#include "core/figures/timeline/DerivedLane.h"
#include "core/figures/timeline/TimelineLoad.h"
#include "core/model/Try.h"
#include "core/plot/timeline/TraceClock.h"

#include <fmt/format.h>

#include <ctime>

namespace trainscope::figures {

using namespace plot;

namespace {

constexpr int kMostColumns = 6000;
// A lane of 120 px on the screen is 60 pt on paper.
constexpr double kPaperLane = 0.5;
// Lower ones have no room for their unit beside the name.
constexpr double kLeastLane = 20.0;
constexpr double kScreenNames = 148.0;
constexpr double kAskedLane = 120.0; // height of the lane of a metric that is asked for

ViewWindow wholeWindow(const Catalogue& catalogue, const std::vector<ShownRun>& runs) {
    ViewWindow window{{0}, {0}};
    bool isFirst = true;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto extent = extentOf(catalogue.runs[i], runs[i]);
        if (!extent)
            continue;
        const ViewWindow own{extent->begin - runs[i].origin, extent->end - runs[i].origin};
        window.begin = isFirst ? own.begin : std::min(window.begin, own.begin);
        window.end = isFirst ? own.end : std::max(window.end, own.end);
        isFirst = false;
    }
    return window;
}

double nameWidth(const FigureStyle& style) {
    const double names = style.theme->size(TextRole::Body) * kScreenNames / 13.0;
    return std::min(names, std::max(0.29 * style.width, 48.0));
}

bool showsSpansIn(const LaneData& lane) {
    return lane.spec.style == LaneStyle::Kernels || lane.spec.style == LaneStyle::Thread;
}

// Heights of the lanes for a figure of the style's height; without one as on the screen, smaller
// where the text is. Lanes of kernels and threads are no higher than their rows fill; the others
// share what is left.
void fitLanes(TimelineData& data, const TimelineStyle& style, double height) {
    double scale = style.theme->size(TextRole::Body) < 10.0 ? kPaperLane : 1.0;
    double room = 0.0;
    double all = 0.0;
    for (const auto& lane : data.lanes)
        all += lane.spec.height;
    if (height > 0.0) {
        TimelineData empty = data;
        for (auto& lane : empty.lanes)
            lane.spec.height = 0.0;
        const auto head = buildTimeline(empty, data.window, style);
        room = std::max(height - head.plot.y - style.theme->lineWidth, 1.0);
        scale = room / std::max(all, 1.0);
    }
    double others = 0.0;
    for (auto& lane : data.lanes) {
        lane.spec.height *= scale;
        if (showsSpansIn(lane)) {
            lane.spec.height = std::min(lane.spec.height, spansHeight(lane, *style.theme));
            room -= lane.spec.height;
        } else {
            others += lane.spec.height;
        }
    }
    if (height <= 0.0 || others <= 0.0)
        return;
    for (auto& lane : data.lanes) {
        if (!showsSpansIn(lane))
            lane.spec.height *= room / others;
    }
}

Picture drawTimeline(
    const TimelineData& read, const TimelineRequest& timeline, const FigureStyle& asked) {
    TimelineStyle style;
    style.theme = asked.theme;
    style.width = asked.width;
    style.time = timeline.time;
    style.utcOffsetSeconds = timeline.utcOffsetSeconds;
    style.measure = asked.measure;
    style.legend = true;
    style.overlays = timeline.overlays.get();
    style.marks = timeline.marks;
    style.nameWidth = nameWidth(asked);
    style.columnsPerUnit
        = std::max(1.0, read.columns / std::max(style.width - style.nameWidth, 1.0));
    TimelineData data = read;
    fitLanes(data, style, asked.height);
    auto geometry = buildTimeline(data, data.window, style);
    if (asked.height > 0.0)
        geometry.scene.height = asked.height;
    Picture picture;
    picture.scene = std::move(geometry.scene);
    picture.preferredHeight = picture.scene.height;
    const bool isLow = std::ranges::any_of(
        data.lanes, [](const LaneData& lane) { return lane.spec.height < kLeastLane; });
    if (isLow)
        picture.warnings.push_back(
            fmt::format("The figure is too low for its {} lanes; make it higher or take lanes out.",
                data.lanes.size()));
    return picture;
}

// Puts the traces of each run's ranks on one clock; the runs start where the first rank does.
Status alignClocks(const store::Store& store, const Catalogue& catalogue,
    std::vector<ShownRun>& runs, const Progress& progress) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
        Run run;
        run.id = runs[i].id;
        ASSIGN_OR_RETURN(auto clocks, analysis::alignRanks({store, run, progress}));
        runs[i].clocks = std::make_shared<const analysis::RankClocks>(std::move(clocks));
        if (const auto extent = extentOf(catalogue.runs[i], runs[i]))
            runs[i].origin = extent->begin;
    }
    return {};
}

// Seconds ahead of UTC at that time, where the program runs.
std::int64_t localOffset(TimeNs time) {
    const std::time_t seconds = time.ns / 1'000'000'000;
    std::tm local{};
    return localtime_r(&seconds, &local) == nullptr ? 0 : local.tm_gmtoff;
}

// Aligns runs by the begin of iteration k; a run without it by its start.
void alignByIteration(std::int64_t index, const Catalogue& catalogue, std::vector<ShownRun>& runs) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
        for (const Iteration& iteration : catalogue.runs[i].iterations) {
            if (iteration.index == index)
                runs[i].origin = shownTime(runs[i], iteration.rank, iteration.range.begin);
        }
    }
}

// The runs come aligned by their starts.
Status alignRuns(const Request& request, const TimelineAsked& options, const Catalogue& catalogue,
    std::vector<ShownRun>& runs) {
    const std::string& asked = options.align;
    const bool isOfClock = options.axis == TimeDisplay::Utc || options.axis == TimeDisplay::Local;
    if (asked == "clock" || (asked.empty() && (isOfClock || overlapInTime(request.runs)))) {
        TimeNs earliest = runs.front().origin;
        for (const auto& run : runs)
            earliest = std::min(earliest, run.origin);
        for (auto& run : runs)
            run.origin = earliest;
        return {};
    }
    if (!asked.empty() && isOfClock && runs.size() > 1)
        return usageError(
            "Times of the clock need --align clock, or runs would stand at wrong ones.");
    if (asked.empty() || asked == "start")
        return {};
    const auto iteration = integerGiven("align", asked);
    if (!iteration.hasValue())
        return unknownChoice("alignment", asked, "start, clock or the number of an iteration");
    alignByIteration(iteration.value(), catalogue, runs);
    return {};
}

Error noSuchMetric(const std::string& metric, const std::vector<LaneChoice>& choices) {
    std::string known;
    std::set<std::string> told;
    for (const auto& choice : choices) {
        if (!choice.lane.metric.empty() && told.insert(choice.lane.metric).second)
            known += (known.empty() ? "" : ", ") + choice.lane.metric;
    }
    return {ErrorCode::NotFound,
        "The runs have no metric '" + metric + "'. They have: " + known + ", and kernels.", {}};
}

// Lanes for the metrics and formulas asked for; "kernels" is the lane of kernels.
Result<Arrangement> arrangementOf(
    const TimelineAsked& options, const Catalogue& catalogue, const std::vector<ShownRun>& runs) {
    const auto& rank = options.rank;
    Arrangement arrangement;
    const auto choices = laneChoices(catalogue);
    for (const auto& metric : options.metrics) {
        const bool isKernels = metric == "kernels";
        LaneSpec lane{isKernels ? LaneStyle::Kernels : LaneStyle::Lines,
            isKernels ? std::string() : metric, rank, kAskedLane};
        if (isDerivedIn(catalogue, lane)) {
            RETURN_IF_ERROR(resolveDerived(lane, catalogue, runs));
            arrangement.lanes.push_back(std::move(lane));
            continue;
        }
        const bool isKnown = isKernels
            || std::ranges::any_of(
                choices, [&metric](const auto& choice) { return choice.lane.metric == metric; });
        if (!isKnown)
            return noSuchMetric(metric, choices);
        arrangement.lanes.push_back(std::move(lane));
    }
    if (!arrangement.lanes.empty() || !rank)
        return arrangement;
    arrangement = defaultArrangement(catalogue);
    for (auto& lane : arrangement.lanes)
        lane.rank = rank;
    return arrangement;
}

// Open at one side: from the runs' begin, or to the end of the longest.
Result<ViewWindow> windowOf(
    const Request& request, const TimelineAsked& options, const std::vector<ShownRun>& runs) {
    if (!options.from && !options.to)
        return ViewWindow{};
    DurationNs longest{0};
    for (std::size_t i = 0; i < runs.size(); ++i)
        longest = std::max(longest, request.runs[i].range.end - runs[i].origin);
    const ViewWindow window{options.from.value_or(DurationNs{}), options.to.value_or(longest)};
    if (window.end <= window.begin)
        return usageError(
            "The window is empty: --from must lie before --to and before the run's end.");
    return window;
}

Result<std::vector<RunOverlay>> loadPaths(
    const analysis::RunStudies& studies, const std::vector<Run>& runs) {
    std::vector<RunOverlay> overlays(runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
        ASSIGN_OR_RETURN(overlays[i].path, loadPath(studies.of(runs[i])));
    }
    return overlays;
}

Result<Figure> loadTimelineKind(
    const analysis::RunStudies& studies, const Request& request, const TimelineAsked& options) {
    TimelineRequest timeline;
    for (const Run& run : request.runs)
        timeline.runs.push_back({run.id, run.name, run.range.begin, timeline.runs.size()});
    ASSIGN_OR_RETURN(const auto catalogue, readCatalogue(studies.store, timeline.runs));
    if (options.alignClocks) {
        RETURN_IF_ERROR(alignClocks(studies.store, catalogue, timeline.runs, studies.progress));
    }
    timeline.time = options.axis;
    if (!timeline.runs.empty()) {
        RETURN_IF_ERROR(alignRuns(request, options, catalogue, timeline.runs));
        timeline.utcOffsetSeconds = localOffset(timeline.runs.front().origin);
    }
    ASSIGN_OR_RETURN(auto arrangement, arrangementOf(options, catalogue, timeline.runs));
    ASSIGN_OR_RETURN(const auto window, windowOf(request, options, timeline.runs));
    timeline.arrangement = std::move(arrangement);
    timeline.window = window;
    timeline.remote = request.remote;
    timeline.marks = request.marks;
    for (const std::string& mark : options.marks) {
        const std::size_t sign = std::min(mark.find('='), mark.size());
        ASSIGN_OR_RETURN(const auto at, secondsGiven("mark", mark.substr(0, sign)));
        const TimeNs time = timeline.runs.front().origin + at;
        timeline.marks.push_back({timeline.runs.front().name, {time, time},
            mark.substr(std::min(sign + 1, mark.size()))});
    }
    if (options.path) {
        ASSIGN_OR_RETURN(auto overlays, loadPaths(studies, request.runs));
        timeline.overlays = std::make_shared<const std::vector<RunOverlay>>(std::move(overlays));
    }
    return timelineFigure(studies.store, timeline, request, studies.progress);
}

} // namespace

int timelineColumns(const Request& request) {
    if (request.columns)
        return *request.columns;
    const double drawn = request.style.width - nameWidth(request.style);
    return std::clamp(static_cast<int>(std::lround(drawn * request.density)), 1, kMostColumns);
}

Result<Figure> timelineFigure(const store::Store& store, const TimelineRequest& asked,
    const Request& request, const Progress& progress) {
    ASSIGN_OR_RETURN(const auto catalogue, readCatalogue(store, asked.runs));
    auto timeline = std::make_shared<TimelineRequest>(asked);
    if (timeline->arrangement.lanes.empty())
        timeline->arrangement = defaultArrangement(catalogue);
    if (timeline->window.length().ns <= 0)
        timeline->window = wholeWindow(catalogue, timeline->runs);
    if (timeline->window.length().ns <= 0 || timeline->arrangement.lanes.empty())
        return Error{
            ErrorCode::NotFound, "The chosen runs hold neither samples nor kernels to draw.", {}};
    const auto isCancelled = [&progress] { return progress && !progress({"Reading", 0, 0}); };
    const auto read = [&](LoadDetail detail) -> Result<std::shared_ptr<const TimelineData>> {
        ASSIGN_OR_RETURN(auto data,
            loadTimeline(store, catalogue, timeline->runs, timeline->arrangement, timeline->window,
                timelineColumns(request), isCancelled, detail, timeline->remote.get()));
        return std::make_shared<const TimelineData>(std::move(data));
    };
    Figure figure;
    for (const auto& run : timeline->runs) {
        figure.title += (figure.title.empty() ? "" : ", ") + run.name;
        figure.runs.emplace_back(run.id, run.name);
    }
    figure.sources = sourcesOf(store, figure.runs);
    if (request.picture) {
        ASSIGN_OR_RETURN(const auto data, read(LoadDetail::Drawn));
        figure.draw = [data, timeline](const FigureStyle& style) {
            return drawTimeline(*data, *timeline, style);
        };
    }
    if (request.numbers) {
        ASSIGN_OR_RETURN(const auto data, read(LoadDetail::Whole));
        figure.csv = [data] { return timelineCsv(*data); };
    }
    return figure;
}

const Options<TimelineAsked>& timelineOptions() {
    static const Options<TimelineAsked> all({
        listOption<TimelineAsked>(
            {"metric", "M",
                "Timeline: a lane for this metric, for kernels, or for a formula of metrics, as "
                "=sum(gpu_power)"},
            &TimelineAsked::metrics),
        numberOption<TimelineAsked>(
            {"rank", "R", "Timeline: only this rank"}, rankGiven, &TimelineAsked::rank),
        textOption<TimelineAsked>(
            {"align", "A",
                "Timeline: lay runs over each other by start, clock (every run at its own time, "
                "the default where they overlap in time), or the number of an iteration",
                false, {}, {}, {{"start", {}}, {"clock", {}}}},
            &TimelineAsked::align),
        choiceOption<TimelineAsked, TimeDisplay>(
            {"axis", "T",
                "Timeline: times as relative, utc or local (both imply --align clock) or by "
                "iteration"},
            "axis",
            {{TimeDisplay::Relative, "relative"}, {TimeDisplay::Utc, "utc"},
                {TimeDisplay::Local, "local"}, {TimeDisplay::Iteration, "iteration"}},
            &TimelineAsked::axis),
        numberOption<TimelineAsked>(
            {"from", "S", "Timeline: begin of the window, in seconds since the run's start"},
            secondsGiven, &TimelineAsked::from),
        numberOption<TimelineAsked>(
            {"to", "S", "Timeline: end of the window, in seconds since the run's start"},
            secondsGiven, &TimelineAsked::to),
        switchOption<TimelineAsked>(
            {"align-clocks", {}, "Timeline: the traces of all ranks on one clock (see align)"},
            &TimelineAsked::alignClocks),
        switchOption<TimelineAsked>(
            {"path", {}, "Timeline: the critical path as a line from track to track (see replay)"},
            &TimelineAsked::path),
        listOption<TimelineAsked>(
            {"mark", "S=TEXT", "Timeline: a flag at S seconds since the run's start"},
            &TimelineAsked::marks),
    });
    return all;
}

std::vector<Kind> timelineKinds() {
    Kind kind = kindWith("timeline", RunsShown::NamedOrOnly, timelineOptions(), loadTimelineKind);
    kind.writesNumbers = false;
    return {std::move(kind)};
}

} // namespace trainscope::figures
