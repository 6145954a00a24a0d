#include "app/viewmodels/lanes/TimelineLoader.h"

#include "app/viewmodels/lanes/LaneListModel.h"
#include "app/viewmodels/text/Texts.h"
#include "core/model/Try.h"

namespace trainscope::app {

namespace {

constexpr int kAgainMs = 300;
constexpr int kOverviewColumns = 1200;
// The very first picture: as many as can be read at once, however many series there are.
constexpr int kFirstColumns = 256;
// A read whose columns are that much too wide or narrow by now is not worth waiting for.
constexpr double kMostStale = 2.0;

bool covers(const plot::TimelineData& data, const plot::ViewWindow& window) {
    return data.window.begin <= window.begin && window.end <= data.window.end;
}

bool sameRuns(const std::vector<plot::ShownRun>& a, const std::vector<plot::ShownRun>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
        return x.id == y.id && x.origin == y.origin && x.color == y.color && x.clocks == y.clocks;
    });
}

plot::Arrangement arrangementOf(const plot::TimelineData& data) {
    plot::Arrangement arrangement;
    for (const auto& lane : data.lanes)
        arrangement.lanes.push_back(lane.spec);
    return arrangement;
}

double columnNs(const plot::ViewWindow& window, int columns) {
    return static_cast<double>(window.length().ns) / std::max(1, columns);
}

int paddedColumns(const LoadRequest& request, const plot::ViewWindow& stretch) {
    const double column = columnNs(request.window, request.columns);
    return std::max(
        1, static_cast<int>(std::lround(static_cast<double>(stretch.length().ns) / column)));
}

// Lanes that were not loaded have no title yet.
bool isComplete(const plot::TimelineData& data) {
    return std::ranges::none_of(data.lanes, [](const auto& lane) { return lane.title.empty(); });
}

bool isComing(const plot::TimelineData& data) {
    return std::ranges::any_of(data.lanes, [](const auto& lane) { return lane.isComing; });
}

} // namespace

const Iteration* RunFacts::findIteration(std::int64_t index) const {
    const auto found = std::ranges::find(iterations, index, &Iteration::index);
    return found == iterations.end() ? nullptr : &*found;
}

bool RunFacts::isBetweenCaptures(int rank, TimeNs time) const {
    bool isCaptured = false;
    for (const Capture& one : captures) {
        if (one.rank != rank)
            continue;
        // The end is the last moment of what was recorded.
        if (one.range.begin <= time && time <= one.range.end)
            return false;
        isCaptured = true;
    }
    return isCaptured;
}

RunFacts TimelineCatalogue::facts(std::size_t run) const {
    const auto& of = tables.runs[run];
    return {runs[run], of.gpus, of.series, of.tracks, of.iterations, of.captures};
}

Result<CataloguePtr> loadCatalogue(const store::Store& store,
    const std::vector<plot::ShownRun>& shown, const std::function<bool()>& isCancelled) {
    auto catalogue = std::make_shared<TimelineCatalogue>();
    catalogue->uuid = store.uuid();
    ASSIGN_OR_RETURN(auto runs, store.runs());
    for (const auto& wanted : shown) {
        const auto run = std::ranges::find(runs, wanted.id, &Run::id);
        if (run == runs.end())
            return Error{ErrorCode::NotFound,
                "The run is no longer in the database; open it again.", wanted.name};
        catalogue->runs.push_back(*run);
    }
    if (isCancelled())
        return cancelled();
    ASSIGN_OR_RETURN(auto tables, figures::readCatalogue(store, shown));
    catalogue->tables = std::move(tables);
    catalogue->defaults = figures::defaultArrangement(catalogue->tables);
    catalogue->choices = figures::laneChoices(catalogue->tables);
    catalogue->missing = figures::missingLanes(catalogue->tables);
    catalogue->presets = figures::lanePresets(catalogue->tables);
    return CataloguePtr(std::move(catalogue));
}

TimelineLoader::TimelineLoader(QObject* parent)
    : QObject(parent) {
    m_again.setSingleShot(true);
    m_again.setInterval(kAgainMs);
    connect(&m_again, &QTimer::timeout, this, &TimelineLoader::readAgain);
}

void TimelineLoader::readAgain() {
    if (!m_last)
        return;
    invalidate();
    request(LoadRequest(*m_last));
}

plot::ViewWindow TimelineLoader::padded(
    const plot::ViewWindow& window, const plot::ViewWindow& limits) {
    const DurationNs pad{window.length().ns / 2};
    return {std::max(window.begin - pad, std::min(limits.begin, window.begin)),
        std::min(window.end + pad, std::max(limits.end, window.end))};
}

void TimelineLoader::request(LoadRequest request) {
    if (request.runs.empty() || request.columns <= 0 || !request.readers)
        return;
    const bool otherRuns = m_data && !sameRuns(m_data->runs, request.runs);
    if (otherRuns) {
        m_overview.reset();
        m_stale = true;
    }
    for (const auto& data : {m_data, m_overview}) {
        if (data && arrangementOf(*data) != request.arrangement)
            rearrange(*data, request.arrangement);
    }
    m_last = request;
    if (serves(request)) {
        m_pending.reset();
        return;
    }
    if (m_running && isStillUseful(*m_running, request)) {
        m_pending = std::move(request);
        return;
    }
    m_pending.reset();
    start(request, m_data || m_overview ? Stage::Exact : Stage::First);
}

bool TimelineLoader::isStillUseful(const LoadRequest& running, const LoadRequest& wanted) const {
    if (!sameRuns(running.runs, wanted.runs)
        || !containsLanes(running.arrangement, wanted.arrangement))
        return false;
    if (m_stage != Stage::Exact)
        return true;
    const auto stretch = padded(running.window, running.limits);
    const double ratio
        = columnNs(running.window, running.columns) / columnNs(wanted.window, wanted.columns);
    return stretch.begin < wanted.window.end && wanted.window.begin < stretch.end
        && ratio < kMostStale && ratio > 1.0 / kMostStale;
}

void TimelineLoader::invalidate() {
    m_stale = true;
    m_isOutdated = true;
    m_overview.reset();
}

void TimelineLoader::clear() {
    m_task.cancel();
    m_again.stop();
    m_running.reset();
    m_pending.reset();
    m_last.reset();
    m_data.reset();
    m_overview.reset();
    m_error.clear();
    m_stale = false;
    Q_EMIT loadingChanged();
    Q_EMIT dataChanged();
}

TimelineDataPtr TimelineLoader::dataFor(const plot::ViewWindow& window) const {
    if (!m_data)
        return m_overview;
    const bool beside = m_data->window.end <= window.begin || window.end <= m_data->window.begin;
    return beside && m_overview ? m_overview : m_data;
}

void TimelineLoader::putBehind() {
    if (m_data && m_overview && m_data != m_overview)
        m_data->behind = m_overview;
}

bool TimelineLoader::serves(const LoadRequest& request) const {
    if (!m_data || m_stale || !sameRuns(m_data->runs, request.runs) || !isComplete(*m_data))
        return false;
    if (!covers(*m_data, request.window))
        return false;
    const double ratio
        = columnNs(m_data->window, m_data->columns) / columnNs(request.window, request.columns);
    return std::abs(ratio - 1.0) < 0.01;
}

bool TimelineLoader::overviewMissing(const LoadRequest& request) const {
    const bool fine = m_overview && m_overview->columns >= kOverviewColumns;
    if (fine || request.limits.length() <= request.window.length())
        return false;
    return !m_data || !covers(*m_data, request.limits);
}

void TimelineLoader::start(const LoadRequest& request, Stage stage) {
    m_running = request;
    m_stage = stage;
    m_isOutdated = false;
    Q_EMIT loadingChanged();
    const bool exact = stage == Stage::Exact;
    const auto stretch = exact ? padded(request.window, request.limits) : request.limits;
    const int columns = exact   ? paddedColumns(request, stretch)
        : stage == Stage::First ? kFirstColumns
                                : kOverviewColumns;
    m_task.ask(
        *request.readers,
        [request, stretch, columns](const store::Store& store,
            const TaskStage<TimelineDataPtr>& task) -> Result<TimelineDataPtr> {
            ASSIGN_OR_RETURN(auto data,
                figures::loadTimeline(store, request.catalogue->tables, request.runs,
                    request.arrangement, stretch, columns, task.cancelCheck(),
                    plot::LoadDetail::Drawn, request.remote.get(), figures::Patience::None));
            return std::make_shared<plot::TimelineData>(std::move(data));
        },
        [this, request, stage](
            Result<TimelineDataPtr> result) { take(request, stage, std::move(result)); });
}

void TimelineLoader::take(const LoadRequest& request, Stage stage, Result<TimelineDataPtr> result) {
    m_running.reset();
    if (!result.hasValue()) {
        m_error = shownText(result.error());
        m_pending.reset();
        Q_EMIT loadingChanged();
        if (result.error().code != ErrorCode::Cancelled)
            Q_EMIT failed();
        return;
    }
    m_error.clear();
    auto data = std::move(result).value();
    if (m_last && arrangementOf(*data) != m_last->arrangement)
        rearrange(*data, m_last->arrangement);
    if (isComing(*data))
        m_again.start();
    const bool isOverview = stage == Stage::Overview || covers(*data, request.limits);
    if (stage == Stage::First || (isOverview && !m_isOutdated))
        m_overview = data;
    if (stage == Stage::Exact) {
        m_data = std::move(data);
        m_stale = m_isOutdated;
    }
    putBehind();
    Q_EMIT dataChanged();
    continueWithPending();
}

void TimelineLoader::continueWithPending() {
    if (const auto next = std::exchange(m_pending, std::nullopt); next && !serves(*next))
        start(*next, Stage::Exact);
    else if (m_stage == Stage::First && m_last && !serves(*m_last))
        start(*m_last, Stage::Exact);
    else if (m_last && overviewMissing(*m_last))
        start(*m_last, Stage::Overview);
    else
        Q_EMIT loadingChanged();
}

} // namespace trainscope::app
