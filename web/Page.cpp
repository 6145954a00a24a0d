// The program in a page: what its script calls. Input lies in a buffer that the script fills, the
// answer in one that it reads; a call answers 0 done, 1 parts are wanted (the answer has their
// names, a line each), 2 failed (the answer says why). View times are nanoseconds as doubles.
// Texts are lines of fields between tabs. One thread.

#include "core/analysis/traces/KernelCategory.h"
#include "core/figures/timeline/DerivedLane.h"
#include "core/figures/timeline/TimelineLoad.h"
#include "core/model/Try.h"
#include "core/plot/timeline/TimeTicks.h"
#include "core/plot/timeline/TraceClock.h"
#include "core/store/Connection.h"
#include "core/text/Numbers.h"
#include "core/text/Times.h"
#include "web/DisplayList.h"
#include "web/PageDatabase.h"

#include <fmt/format.h>

// The script's fonts: width of a text in pixels.
extern "C" double page_measure(const char* text, std::size_t size, double pixels, int isBold);

namespace trainscope {
namespace web {
namespace {

struct Runs {
    plot::Catalogue catalogue;
    std::vector<plot::ShownRun> runs;
    std::vector<plot::RunOverlay> overlays; // with the critical paths
};
struct Session : Runs { // those that are shown
    Runs all;
    bool showsPath = false;
    std::vector<plot::TimelineMark> marks; // of the file
    std::vector<plot::TimelineMark> ownMarks; // of whoever reads it
    std::optional<store::Store> store;
    plot::Arrangement arrangement;
    plot::Arrangement usual;
    std::shared_ptr<const plot::TimelineData> whole; // behind what is being read
    std::shared_ptr<const plot::TimelineData> data;
    plot::TimelineGeometry geometry;
    plot::ViewWindow window{};
    std::map<std::string, std::string, std::less<>> categories; // by name of a kernel
    std::map<std::string, std::string, std::less<>> labels; // by category
};

Session& session() {
    static Session one;
    return one;
}
store::Bytes& input() {
    static store::Bytes bytes;
    return bytes;
}
store::Bytes& output() {
    static store::Bytes bytes;
    return bytes;
}
std::string_view inputText() {
    return {reinterpret_cast<const char*>(input().data()), input().size()};
}

void answer(std::string_view text) {
    output().assign(text.begin(), text.end());
}

int outcome(const Status& status) {
    const auto wanted = std::exchange(wantedParts(), {});
    if (!status.hasValue() && !wanted.empty()) {
        answer(fmt::format("{}", fmt::join(wanted, "\n")));
        return 1;
    }
    endCall();
    if (status.hasValue())
        return 0;
    answer(status.error().describe());
    return 2;
}

template <typename Visit, typename... Args>
Status rows(std::string_view sql, Visit&& visit, const Args&... args) {
    return session().store->connection().database.forEach(sql, visit, args...);
}

TimeRange rangeAt(const store::Row& row, int column) {
    return {{row.integer(column)}, {row.integer(column + 1)}};
}

std::string_view causeOf(std::string_view text) { // of static storage
    return text == "thermal" ? "thermal" : text == "power" ? "power" : "other";
}

Status readOverlay(RunId run, plot::RunOverlay& overlay) {
    RETURN_IF_ERROR(rows(
        "SELECT gpus, from_clocks, unsettled_begin, unsettled_end FROM page_overlay WHERE run=?",
        [&](const store::Row& row) {
            overlay.gpus = static_cast<std::size_t>(row.integer(0));
            overlay.isFromClocks = row.integer(1) != 0;
            if (!row.isNull(2))
                overlay.unsettled = rangeAt(row, 2);
        },
        run.value));
    RETURN_IF_ERROR(rows(
        "SELECT rank, begin_ns, end_ns, cause, lost_s FROM page_throttle WHERE run=?",
        [&](const store::Row& row) {
            overlay.throttles.push_back(
                {row.smallInteger(0), rangeAt(row, 1), causeOf(row.text(3)), row.real(4)});
        },
        run.value));
    RETURN_IF_ERROR(rows(
        "SELECT begin_ns, end_ns FROM page_above WHERE run=?",
        [&](const store::Row& row) { overlay.aboveLimit.push_back(rangeAt(row, 0)); }, run.value));
    RETURN_IF_ERROR(rows(
        "SELECT number, begin_ns, end_ns FROM page_iteration WHERE run=?",
        [&](const store::Row& row) {
            overlay.iterations.push_back({row.integer(0), rangeAt(row, 1)});
        },
        run.value));
    RETURN_IF_ERROR(rows(
        "SELECT track, rank, begin_ns, end_ns FROM page_path WHERE run=?",
        [&](const store::Row& row) {
            overlay.path.push_back({{row.integer(0)}, row.smallInteger(1), rangeAt(row, 2)});
        },
        run.value));
    return rows(
        "SELECT number FROM page_warmup WHERE run=?",
        [&](const store::Row& row) { overlay.warmup.push_back(row.integer(0)); }, run.value);
}

Status readRun(const plot::ShownRun& run) {
    const Session& own = session();
    auto& facts = session().catalogue.runs.emplace_back();
    ASSIGN_OR_RETURN(facts.gpus, own.store->gpus(run.id));
    ASSIGN_OR_RETURN(facts.series, own.store->series(run.id));
    ASSIGN_OR_RETURN(facts.tracks, own.store->tracks(run.id));
    ASSIGN_OR_RETURN(facts.iterations, own.store->iterations(run.id));
    ASSIGN_OR_RETURN(facts.captures, own.store->captures(run.id));
    facts.iterations = plot::mainIterations(facts.iterations);
    RETURN_IF_ERROR(rows(
        "SELECT name, begin_ns, end_ns FROM page_phase WHERE run=?",
        [&](const store::Row& row) {
            facts.phases.push_back({row.string(0), rangeAt(row, 1)});
        },
        run.id.value));
    RETURN_IF_ERROR(rows(
        "SELECT rank, watts FROM page_limit WHERE run=?",
        [&](const store::Row& row) { facts.powerLimitsW[row.smallInteger(0)] = row.real(1); },
        run.id.value));
    return readOverlay(run.id, session().overlays.emplace_back());
}

Status open() {
    const auto [before, usual] = std::pair(session().arrangement, session().usual);
    session() = {};
    if (!openTables(input()))
        return Error{ErrorCode::Unreadable, "This page is damaged.", {}};
    ASSIGN_OR_RETURN(auto store, store::Store::open("page", store::OpenMode::ReadOnly));
    Session& own = session();
    own.store = std::move(store);
    RETURN_IF_ERROR(rows("SELECT id, name, origin_ns FROM run", [&](const store::Row& row) {
        own.runs.push_back({{row.integer(0)}, row.string(1), {row.integer(2)}, own.runs.size()});
    }));
    for (const auto& run : own.runs)
        RETURN_IF_ERROR(readRun(run));
    RETURN_IF_ERROR(rows("SELECT text, category, label FROM name", [&](const store::Row& row) {
        own.categories.emplace(row.string(0), row.string(1));
        own.labels.emplace(row.string(1), row.string(2));
    }));
    RETURN_IF_ERROR(
        rows("SELECT run, begin_ns, end_ns, label FROM page_mark", [&](const store::Row& row) {
            own.marks.push_back({row.string(0), rangeAt(row, 1), row.string(3)});
        }));
    own.usual = figures::defaultArrangement(own.catalogue);
    own.arrangement = before == usual ? own.usual : before; // lanes that were chosen stay
    own.all = own;
    std::string names;
    for (const auto& run : own.runs)
        names += run.name + "\n";
    answer(names);
    return {};
}

// What lies over the lanes, where it was not among the tables.
Status more() {
    if (!addTables(input()))
        return Error{ErrorCode::Unreadable, "This page is damaged.", {}};
    for (std::size_t i = 0; i < session().all.runs.size(); ++i) {
        session().all.overlays[i] = {};
        RETURN_IF_ERROR(readOverlay(session().all.runs[i].id, session().all.overlays[i]));
    }
    return {};
}

void show(std::uint32_t mask) {
    Session& own = session();
    static_cast<Runs&>(own) = {};
    for (std::size_t i = 0; i < std::min<std::size_t>(own.all.runs.size(), 31); ++i) {
        if ((mask >> i & 1U) == 0)
            continue;
        own.runs.push_back(own.all.runs[i]);
        own.overlays.push_back(own.all.overlays[i]);
        if (!own.showsPath)
            own.overlays.back().path.clear();
        own.catalogue.runs.push_back(own.all.catalogue.runs[i]);
    }
    own.whole = nullptr;
    own.data = nullptr;
}

std::optional<plot::ViewWindow> wholeWindow() {
    std::optional<plot::ViewWindow> whole;
    for (std::size_t i = 0; i < session().runs.size(); ++i) {
        const auto& run = session().runs[i];
        const auto extent = plot::extentOf(session().catalogue.runs[i], run);
        if (!extent)
            continue;
        const plot::ViewWindow own{extent->begin - run.origin, extent->end - run.origin};
        whole = !whole
            ? own
            : plot::ViewWindow{std::min(whole->begin, own.begin), std::max(whole->end, own.end)};
    }
    return whole;
}

plot::ViewWindow windowFrom(double begin, double end) {
    return {{static_cast<std::int64_t>(begin)}, {static_cast<std::int64_t>(end)}};
}

Result<plot::TimelineData> timeline(
    const plot::Arrangement& arrangement, plot::ViewWindow window, int columns) {
    const Session& own = session();
    return figures::loadTimeline(*own.store, own.catalogue, own.runs, arrangement, window, columns);
}

// A reading ends at the first part that is missing: those of all ranks are wanted together.
void wantAll(plot::ViewWindow window, int columns) {
    std::set<int> ranks;
    for (const auto& run : session().catalogue.runs) {
        for (const Gpu& gpu : run.gpus)
            ranks.insert(gpu.rank);
        for (const Track& track : run.tracks)
            ranks.insert(track.description.rank);
    }
    for (plot::LaneSpec lane : session().arrangement.lanes) {
        (void)timeline({{lane}}, window, columns);
        for (const int rank : ranks) {
            lane.rank = rank;
            (void)timeline({{lane}}, window, columns);
        }
    }
}

Status load(plot::ViewWindow window, int columns) {
    Session& own = session();
    auto loaded = timeline(own.arrangement, window, columns);
    if (!loaded.hasValue()) {
        if (isWanting())
            wantAll(window, columns);
        return loaded.error();
    }
    plot::TimelineData data = std::move(loaded).value();
    const auto whole = wholeWindow();
    if (whole && window.begin <= whole->begin && window.end >= whole->end)
        own.whole = std::make_shared<const plot::TimelineData>(data);
    else
        data.behind = own.whole;
    own.data = std::make_shared<const plot::TimelineData>(std::move(data));
    return {};
}

std::string lanesText() {
    std::string text;
    for (const auto& choice : figures::laneChoices(session().catalogue)) {
        const auto shown = std::ranges::find(session().arrangement.lanes, choice.lane);
        text += fmt::format(
            "{}\t{}\n", shown == session().arrangement.lanes.end() ? 0 : 1, choice.title);
    }
    return text;
}

TimeRange absolute(const plot::ShownRun& run, plot::ViewWindow window) {
    return {run.origin + window.begin, run.origin + window.end};
}

// Marks in lines: place of the run, begin and end in view time, label.
void takeMarks(std::string_view lines) {
    Session& own = session();
    own.ownMarks.clear();
    while (!lines.empty()) {
        const std::size_t end = std::min(lines.find('\n'), lines.size());
        const std::string line(lines.substr(0, end));
        lines.remove_prefix(std::min(end + 1, lines.size()));
        char* rest = nullptr;
        const auto run = static_cast<std::size_t>(std::strtoull(line.c_str(), &rest, 10));
        const DurationNs from{std::strtoll(rest, &rest, 10)};
        const DurationNs to{std::strtoll(rest, &rest, 10)};
        if (run < own.all.runs.size())
            own.ownMarks.push_back({own.all.runs[run].name, absolute(own.all.runs[run], {from, to}),
                *rest == '\t' ? rest + 1 : rest});
    }
}

// The marks of shown runs in lines: of the reader (1) or the file (0), begin and end in view time,
// run, label.
std::string marksText() {
    std::string text;
    for (const auto* marks : {&session().marks, &session().ownMarks}) {
        for (const auto& mark : *marks) {
            if (const auto at = plot::windowOf(session().runs, mark))
                text += fmt::format("{}\t{}\t{}\t{}\t{}\n", marks == &session().ownMarks ? 1 : 0,
                    at->begin.ns, at->end.ns, mark.run, mark.label);
        }
    }
    return text;
}

// Per series: run, metric, subject's rank and node, samples, mean, min, max, total or integral.
Status addSamples(std::size_t index, plot::ViewWindow window, std::string& text) {
    const auto& run = session().runs[index];
    Status failed; // the parts of all are wanted together
    for (const Series& series : session().catalogue.runs[index].series) {
        const auto& description = series.description;
        const auto read = session().store->statistics(series.id, absolute(run, window));
        if (!read.hasValue()) {
            failed = read.error();
            continue;
        }
        const auto& found = read.value();
        if (found.count == found.missing && found.coveredSeconds <= 0.0)
            continue;
        text += fmt::format("series\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", run.color,
            description.metric.name, description.metric.label, description.metric.unit,
            description.subject.rank, description.subject.node, found.count, found.mean, found.min,
            found.max, found.integral);
    }
    return failed;
}

// Kernels that begin in the window, by rank and name: run, rank, name, category, count, seconds.
Status addKernels(std::size_t index, plot::ViewWindow window, std::string& text) {
    const auto& run = session().runs[index];
    struct Sum {
        std::int64_t count = 0;
        double seconds = 0.0;
    };
    std::map<std::pair<int, NameId>, Sum> sums;
    Status failed;
    for (const Track& track : session().catalogue.runs[index].tracks) {
        if (track.description.kind != TrackKind::Stream)
            continue;
        const TimeRange inside = absolute(run, window);
        Status read
            = session().store->forEachSpan(track.id, inside, [&](std::span<const Span> spans) {
                  for (const Span& span : spans) {
                      if (span.kind != SpanKind::Kernel || !inside.contains(span.start))
                          continue;
                      Sum& sum = sums[{track.description.rank, span.name}];
                      ++sum.count;
                      sum.seconds += span.duration.seconds();
                  }
                  return true;
              });
        if (!read.hasValue())
            failed = std::move(read);
    }
    RETURN_IF_ERROR(failed);
    for (const auto& [key, sum] : sums) {
        ASSIGN_OR_RETURN(const auto name, session().store->name(key.second));
        text += fmt::format("kernel\t{}\t{}\t{}\t{}\t{}\t{}\n", run.color, key.first, name,
            session().categories[name], sum.count, sum.seconds);
    }
    return {};
}

Status statistics(plot::ViewWindow window) {
    std::string text;
    Status failed;
    for (std::size_t i = 0; i < session().runs.size(); ++i) {
        for (Status added : {addSamples(i, window, text), addKernels(i, window, text)}) {
            if (!added.hasValue())
                failed = std::move(added);
        }
    }
    RETURN_IF_ERROR(failed);
    answer(text);
    return {};
}

// Per place: run, track, name, begin in view time, duration.
Status find(std::string_view wanted, std::size_t most) {
    std::string text;
    std::size_t found = 0;
    for (std::size_t i = 0; i < session().runs.size(); ++i) {
        std::map<TrackId, const Track*> tracks;
        for (const Track& track : session().catalogue.runs[i].tracks)
            tracks[track.id] = &track;
        Status failed;
        const auto visit = [&](TrackId track, std::span<const Span> spans) {
            for (const Span& span : spans) {
                const auto name = session().store->name(span.name);
                if (!name.hasValue())
                    failed = name.error();
                if (!name.hasValue() || ++found > most)
                    return false;
                const auto& of = tracks[track]->description;
                text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", session().runs[i].color, of.rank,
                    of.name, name.value(), (span.start - session().runs[i].origin).ns,
                    span.duration.ns);
            }
            return true;
        };
        RETURN_IF_ERROR(
            session().store->forEachFound(session().runs[i].id, {std::string(wanted), {}}, visit));
        RETURN_IF_ERROR(failed);
    }
    answer(text);
    return {};
}

// The values of a lane's series at a time: label, value in the lane's unit.
Status addValues(const plot::LaneData& lane, DurationNs time, std::string& text) {
    constexpr std::size_t kMostTold = 16;
    std::size_t told = 0;
    for (const auto& series : lane.series) {
        if (!series.id.isValid() || ++told > kMostTold)
            continue;
        const TimeNs at = session().runs[series.run].origin + time;
        const auto& known = session().catalogue.runs[series.run].series;
        const auto stored = std::ranges::find(known, series.id, &Series::id);
        double value = std::nan("");
        if (stored->description.metric.kind == MetricKind::Counter) {
            ASSIGN_OR_RETURN(value, figures::counterRateAt(*session().store, *stored, at));
        } else {
            ASSIGN_OR_RETURN(const auto held, session().store->valueAt(series.id, at));
            value = held.value_or(value);
        }
        const auto& run = session().runs[series.run].name;
        if (!std::isnan(value))
            text += fmt::format("{}\t{} {}\n",
                session().runs.size() > 1 ? series.label + " · " + run : series.label,
                text::number(value * lane.displayScale, 4), lane.unit);
    }
    if (told > kMostTold)
        text += fmt::format("\tand {} more\n", told - kMostTold);
    return {};
}

void addSpan(const plot::LaneData& lane, const plot::LaneGeometry& geometry, plot::Point at,
    DurationNs time, std::string& text) {
    for (const auto& row : geometry.rows) {
        if (!row.rect.contains(at) || row.item >= lane.spans.size())
            continue;
        for (const auto& track : lane.spans) { // captures of one row have their own tracks
            if (track.label != lane.spans[row.item].label || track.run != lane.spans[row.item].run)
                continue;
            const TimeNs moment = session().runs[track.run].origin + time;
            const store::LodNode* found = nullptr;
            for (const auto& node : track.spans) {
                if (node.range.contains(moment))
                    found = &node;
            }
            if (found == nullptr)
                continue;
            const auto name = session().data->names.find(found->name);
            text += fmt::format("{}\t{}\n", track.label,
                name == session().data->names.end() ? "" : name->second.text);
            text += found->count > 1
                ? fmt::format("\t{} in {}, {} busy\n", found->count,
                    text::alignedDuration(found->range.length()),
                    text::alignedPercent(static_cast<double>(found->busyFraction)))
                : fmt::format("\t{}\n", text::alignedDuration(found->range.length()));
            return;
        }
    }
}

Status readout(plot::Point at) {
    const Session& own = session();
    const plot::Rect& plot = own.geometry.plot;
    std::string text;
    if (own.data == nullptr || plot.width <= 0.0)
        return {};
    const double fraction = (at.x - plot.x) / plot.width;
    const DurationNs time = own.window.begin
        + DurationNs{
            static_cast<std::int64_t>(fraction * static_cast<double>(own.window.length().ns))};
    for (std::size_t i = 0; i < own.geometry.lanes.size() && i < own.data->lanes.size(); ++i) {
        const auto& geometry = own.geometry.lanes[i];
        if (!geometry.area.contains(at))
            continue;
        const auto& lane = own.data->lanes[i];
        text += lane.title + "\n";
        addSpan(lane, geometry, at, time, text);
        RETURN_IF_ERROR(addValues(lane, time, text));
    }
    if (const auto* stretch = plot::stretchUnder(own.geometry, at)) {
        const auto named = plot::stretchAt(
            *own.data, &own.overlays, own.geometry.strips[stretch->strip], stretch->item);
        text += fmt::format("{}\t{}\n", named.name, text::alignedDuration(named.range.length()));
    }
    answer(text);
    return {};
}

void draw(plot::ViewWindow window, double width, double height, double scroll, bool isDark) {
    Session& own = session();
    plot::TimelineStyle style;
    style.theme = isDark ? &plot::darkTheme() : &plot::lightTheme();
    style.width = width;
    style.height = height;
    style.sharesHeight = true;
    style.scroll = scroll;
    style.measure = [theme = style.theme](std::string_view text, plot::TextRole role, bool isBold) {
        return page_measure(text.data(), text.size(), theme->size(role), isBold ? 1 : 0);
    };
    style.overlays = &own.overlays;
    style.marks = own.marks;
    style.marks.insert(style.marks.end(), own.ownMarks.begin(), own.ownMarks.end());
    own.window = window;
    own.geometry = plot::buildTimeline(*own.data, window, style);
    output() = displayList(own.geometry.scene);
}

} // namespace
} // namespace web

namespace figures {

// Formulas of metrics are not computed in pages.
bool isDerivedIn(const plot::Catalogue& /*catalogue*/, const plot::LaneSpec& /*lane*/) {
    return false;
}
Result<plot::LaneData> loadDerivedLane(
    const LaneRequest& /*request*/, const plot::LaneSpec& /*spec*/) {
    return usageError("A page computes no formulas.");
}

} // namespace figures

namespace analysis {

// The page says the category of each name, as whoever wrote it had them.
const KernelCategories& KernelCategories::builtIn() {
    static const KernelCategories none;
    return none;
}
std::string_view KernelCategories::categoryOf(
    std::string_view kernelName, std::string_view /*collective*/) const {
    const auto found = web::session().categories.find(kernelName);
    return found == web::session().categories.end() ? "other" : std::string_view(found->second);
}
std::string_view KernelCategories::label(std::string_view category) {
    const auto found = web::session().labels.find(category);
    return found == web::session().labels.end() ? category : std::string_view(found->second);
}

} // namespace analysis
} // namespace trainscope

using namespace trainscope;

extern "C" {

std::uint8_t* page_input(std::size_t size) {
    web::input().resize(size);
    return web::input().data();
}
const std::uint8_t* page_answer() {
    return web::output().data();
}
std::size_t page_answer_size() {
    return web::output().size();
}
int page_open() { // the input: the tables
    return web::outcome(web::open());
}
int page_more() { // the input: tables that page_open() was not given
    return web::outcome(web::more());
}
void page_part(std::size_t size) { // the input: the name of that size, and the part
    const store::ByteView all = web::input();
    web::addPart(std::string(web::inputText().substr(0, size)), all.subspan(size));
}
double page_begin() {
    const auto whole = web::wholeWindow();
    return whole ? static_cast<double>(whole->begin.ns) : 0.0;
}
double page_end() {
    const auto whole = web::wholeWindow();
    return whole ? static_cast<double>(whole->end.ns) : 0.0;
}
int page_load(double begin, double end, int columns) {
    return web::outcome(web::load(web::windowFrom(begin, end), columns));
}
int page_draw(double begin, double end, double width, double height, double scroll, int isDark) {
    if (web::session().data == nullptr)
        return 2;
    web::draw(web::windowFrom(begin, end), width, height, scroll, isDark != 0);
    return 0;
}
void page_show(std::uint32_t mask, int showsPath) { // bit i: run i
    web::session().showsPath = showsPath != 0;
    web::show(mask);
}
int page_has_path() {
    return std::ranges::any_of(
        web::session().all.overlays, [](const auto& one) { return !one.path.empty(); });
}
void page_mark() { // the input: all marks of the reader
    web::takeMarks(web::inputText());
}
int page_marks() { // the answer: marks of the file and of the reader
    web::answer(web::marksText());
    return 0;
}
double page_bottom() { // of the last lane
    const auto& lanes = web::session().geometry.lanes;
    return lanes.empty() ? 0.0 : lanes.back().lane.bottom();
}
double page_plot_left() {
    return web::session().geometry.plot.x;
}
double page_plot_width() {
    return web::session().geometry.plot.width;
}
int page_lanes() { // the answer: shown, title
    web::answer(web::lanesText());
    return 0;
}
void page_toggle(std::size_t index) { // of the lanes that there are
    const auto choices = figures::laneChoices(web::session().catalogue);
    auto& lanes = web::session().arrangement.lanes;
    if (index < choices.size() && std::erase(lanes, choices[index].lane) == 0)
        lanes.push_back(choices[index].lane);
    web::session().whole = nullptr;
}
int page_statistics(double begin, double end) {
    return web::outcome(web::statistics(web::windowFrom(begin, end)));
}
int page_find(std::size_t most) { // the input: the text
    return web::outcome(web::find(web::inputText(), most));
}
int page_readout(double x, double y) {
    web::answer({});
    return web::outcome(web::readout({x, y}));
}
}
