#include "app/engine/EngineLanes.h"

#include "app/engine/TileColumns.h"
#include "core/model/InteractiveThread.h"
#include "core/model/Try.h"
#include "core/text/Times.h"
#include "importers/engine/Reduction.h"

#include <QThreadPool>

#include <fmt/format.h>

#include <deque>
#include <thread>

namespace trainscope::app {
namespace {

constexpr int kAskingThreads = 3;
constexpr std::size_t kMostWishes = 48;
constexpr std::chrono::seconds kTryAgainAfter{15};

using importers::engine::IsCancelled;

// A question to an engine with what is done with its answer.
struct Wish {
    std::string name; // the same for the same question
    std::function<Status(const IsCancelled&)> ask;
    bool isPatient = false; // it is asked alone, once no other is
};

// Questions that are wanted, asked by threads of its own, the latest wish first; a wish that has
// waited behind many others is dropped: whoever still wants it asks again. Thread-safe.
class AskingQueue {
public:
    // `changed` is called by its threads when something came or failed.
    explicit AskingQueue(std::function<void()> changed)
        : m_changed(std::move(changed)) {
        for (int i = 0; i < kAskingThreads; ++i)
            m_threads.emplace_back([this] { work(); });
    }
    // Gives up what is under way.
    ~AskingQueue() {
        assertMayBlock("waits for the threads that ask an engine");
        {
            const std::lock_guard lock(m_mutex);
            m_isStopping = true;
        }
        m_wake.notify_all();
        for (std::thread& thread : m_threads)
            thread.join();
    }
    AskingQueue(const AskingQueue&) = delete;
    AskingQueue& operator=(const AskingQueue&) = delete;

    // Nothing where it is under way, or the engine is gone.
    void wish(Wish wish) {
        const std::lock_guard lock(m_mutex);
        Kind& kind = kindOf(wish.isPatient);
        if (m_underway.contains(wish.name)
            || (kind.error && std::chrono::steady_clock::now() - kind.failed < kTryAgainAfter))
            return;
        std::erase_if(kind.wishes, [&wish](const Wish& other) { return other.name == wish.name; });
        kind.wishes.push_back(std::move(wish));
        if (kind.wishes.size() > kMostWishes)
            kind.wishes.pop_front();
        m_wake.notify_one();
    }

    // Asks all of them and waits; several at once.
    static Status fetch(const std::vector<Wish>& wishes, const IsCancelled& isCancelled) {
        std::atomic<std::size_t> next = 0;
        std::atomic<bool> hasFailed = false;
        std::mutex mutex;
        Status status;
        const auto stop = [&] { return hasFailed || (isCancelled && isCancelled()); };
        const auto take = [&] {
            for (std::size_t at = next++; at < wishes.size() && !hasFailed; at = next++) {
                if (Status one = wishes[at].ask(stop); !one.hasValue()) {
                    const std::lock_guard lock(mutex);
                    // Only the first error counts: the others come from being stopped for it.
                    if (!hasFailed.exchange(true))
                        status = std::move(one);
                }
            }
        };
        std::vector<std::thread> threads;
        for (std::size_t i = 1; i < std::min<std::size_t>(kAskingThreads, wishes.size()); ++i)
            threads.emplace_back(take);
        take();
        for (std::thread& thread : threads)
            thread.join();
        return status;
    }

    // Patient ones do not count.
    [[nodiscard]] bool isAsking() const {
        const std::lock_guard lock(m_mutex);
        return !m_kinds[0].wishes.empty()
            || std::ranges::any_of(m_underway, [](const auto& one) { return !one.second; });
    }
    [[nodiscard]] std::optional<Error> error(bool isPatient = false) const {
        const std::lock_guard lock(m_mutex);
        return m_kinds[isPatient ? 1 : 0].error;
    }
    void forgetErrors() {
        const std::lock_guard lock(m_mutex);
        for (Kind& kind : m_kinds)
            kind.error.reset();
    }

private:
    struct Kind {
        std::deque<Wish> wishes; // the latest at the back
        std::optional<Error> error;
        std::chrono::steady_clock::time_point failed;
    };

    Kind& kindOf(bool isPatient) { return m_kinds[isPatient ? 1 : 0]; }

    [[nodiscard]] bool hasNext() const {
        return !m_kinds[0].wishes.empty() || (!m_kinds[1].wishes.empty() && m_underway.empty());
    }

    void work() {
        while (true) {
            Wish wish;
            {
                std::unique_lock lock(m_mutex);
                m_wake.wait(lock, [this] { return m_isStopping || hasNext(); });
                if (m_isStopping)
                    return;
                auto& wishes = kindOf(m_kinds[0].wishes.empty()).wishes;
                wish = std::move(wishes.back());
                wishes.pop_back();
                m_underway.emplace(wish.name, wish.isPatient);
            }
            const Status status = wish.ask([this] { return m_isStopping.load(); });
            {
                const std::lock_guard lock(m_mutex);
                m_underway.erase(wish.name);
                note(kindOf(wish.isPatient), status);
            }
            m_wake.notify_all();
            const bool isCancelled
                = !status.hasValue() && status.error().code == ErrorCode::Cancelled;
            if (!isCancelled && m_changed)
                m_changed();
        }
    }

    void note(Kind& kind, const Status& status) {
        if (status.hasValue()) {
            // An engine that is back for lanes answers the patient too.
            if (std::exchange(kind.error, std::nullopt))
                m_kinds[1].error.reset();
        } else if (status.error().code != ErrorCode::Cancelled) {
            kind.error = status.error();
            kind.failed = std::chrono::steady_clock::now();
            kind.wishes.clear();
        }
    }

    std::function<void()> m_changed;
    mutable std::mutex m_mutex;
    std::condition_variable m_wake;
    std::array<Kind, 2> m_kinds; // lanes, and the patient
    std::map<std::string, bool> m_underway; // by name: it is a patient one
    std::atomic<bool> m_isStopping = false;
    std::vector<std::thread> m_threads;
};

// Consecutive tiles of a lane.
struct TileWish {
    std::shared_ptr<EngineLink> link;
    LaneScope scope;
    std::int64_t stepMs = 0;
    std::int64_t first = 0;
    int count = 0; // 0: only what the link has to learn of its engine
};

using figures::RemoteAnswer;
using figures::RemoteQuestion;

// Columns of an answer are few enough for any engine: 11,000 points at most; and what the engine
// reads for it is soon read, so that something is seen while the rest is asked for.
constexpr int kTilesPerQuestion = 8;
constexpr double kReadsPerQuestion = 60e6; // samples
// Samples to read for a window above which a glance comes first: a few of the series, in longer
// columns.
constexpr double kGlanceAbove = 30e6;
constexpr double kGlanceReads = 6e6;
constexpr std::size_t kMostOfGlance = 128; // series
constexpr std::size_t kLeastOfGlance = 16;
constexpr int kGlanceRungs = 6; // steps of the ladder: columns are eight times as long
constexpr std::int64_t kShortestStep = 250; // ms
constexpr std::int64_t kUsualShortest = 1000; // between samples, where that is not known
constexpr int kCoarserLooked = 12; // steps of the ladder
constexpr int kFinerLooked = 4;

std::int64_t stepOf(int rung) {
    return std::llround(static_cast<double>(kShortestStep) * std::pow(2.0, rung / 2.0));
}

// The longest columns that are no longer than those of the window; not much shorter than the time
// between samples, which would be asking for nothing.
int rungFor(TimeRange window, int columns, std::int64_t periodMs) {
    constexpr double least = 0.7;
    const double wanted = std::max(
        static_cast<double>(window.length().ns) / text::kMillisecond / std::max(1, columns),
        least * static_cast<double>(std::max(periodMs, kUsualShortest)));
    int rung = 0;
    while (static_cast<double>(stepOf(rung + 1)) <= wanted * 1.001)
        ++rung;
    return rung;
}

class LanesOfEngines final : public EngineLanes {
public:
    LanesOfEngines(Settings settings, std::vector<std::shared_ptr<EngineLink>> links)
        : m_settings(std::move(settings))
        , m_links(std::move(links))
        , m_tiles(m_settings.cacheFolder, m_settings.mostBytes, m_settings.mostFileBytes)
        , m_queue(m_settings.changed) { }

    [[nodiscard]] bool has(const Series& series) const override {
        return linkOf(series) != nullptr;
    }

    Result<RemoteAnswer> lane(
        const RemoteQuestion& question, const std::function<bool()>& isCancelled) override {
        const auto link = linkOf(*question.series.front());
        const LaneScope scope = scopeOf(*link, question);
        ASSIGN_OR_RETURN(const auto known, columnsOf(link, scope, question, isCancelled));
        return answerOf(*link, scope, question, known);
    }

    std::optional<StretchFigures> figures(RunId run, TimeRange stretch) override {
        const auto at
            = std::ranges::find_if(m_links, [run](const auto& link) { return link->run() == run; });
        if (at == m_links.end())
            return std::nullopt;
        if (const auto& refusal = (*at)->refusal()) {
            tellUnnamed(*at);
            return StretchFigures{{}, (*at)->metrics().size(), 0, refusal};
        }
        return stretchOf(*at, (*at)->link().isLive ? settled(stretch) : stretch);
    }

    [[nodiscard]] EngineState state() const override {
        const std::lock_guard lock(m_mutex);
        if (m_unnamed)
            return {m_queue.isAsking(), m_unnamed->refusal(), m_unnamed->link().address};
        return {m_queue.isAsking(), m_queue.error(), {}};
    }
    void tryAgain() override {
        m_queue.forgetErrors();
        if (m_settings.changed)
            m_settings.changed();
    }
    [[nodiscard]] std::vector<RunId> liveRuns() const override {
        std::vector<RunId> runs;
        for (const auto& link : m_links) {
            if (link->link().isLive)
                runs.push_back(link->run());
        }
        return runs;
    }

private:
    struct Known {
        TileColumns columns;
        bool isComplete = true; // nothing is missing
        std::size_t some = 0; // series that stand for all of them somewhere; 0: nowhere
    };

    [[nodiscard]] std::shared_ptr<EngineLink> linkOf(const Series& series) const {
        const auto at = std::ranges::find_if(
            m_links, [&series](const auto& link) { return link->source() == series.source; });
        return at == m_links.end() ? nullptr : *at;
    }

    // The figures that are known, and one more of them is asked for.
    StretchFigures stretchOf(const std::shared_ptr<EngineLink>& link, TimeRange stretch) {
        StretchFigures told;
        std::string lacking;
        {
            const std::lock_guard lock(m_mutex);
            m_wanted[link->run()] = stretch;
            for (const std::string& metric : link->metrics()) {
                ++told.metrics;
                auto kept = m_stretches.find(keyOf(*link, metric, stretch));
                TimeRange& shown = m_shown[{link->run(), metric}];
                if (kept != m_stretches.end())
                    shown = stretch;
                else if (lacking.empty())
                    lacking = metric;
                // A live run shows the values of the stretch before until those of the present one
                // are there.
                if (kept == m_stretches.end() && link->link().isLive
                    && shown.length() == stretch.length())
                    kept = m_stretches.find(keyOf(*link, metric, shown));
                if (kept == m_stretches.end())
                    continue;
                ++told.told;
                told.series.insert(told.series.end(), kept->second.begin(), kept->second.end());
            }
        }
        if (!lacking.empty())
            m_queue.wish({keyOf(*link, lacking, stretch),
                [this, link, lacking, stretch](const IsCancelled& isCancelled) {
                    return readStretch(*link, lacking, stretch, isCancelled);
                },
                true});
        told.error = m_queue.error(true);
        return told;
    }

    Status readStretch(EngineLink& link, const std::string& metric, TimeRange stretch,
        const IsCancelled& isCancelled) {
        const auto isOver = [&] { return isCancelled() || !isWanted(link.run(), stretch); };
        if (isOver())
            return cancelled();
        ASSIGN_OR_RETURN(auto figures, link.figures(metric, stretch, isOver));
        constexpr std::size_t most = 256; // metrics of stretches
        const std::lock_guard lock(m_mutex);
        const std::string key = keyOf(link, metric, stretch);
        m_stretches[key] = std::move(figures);
        m_stretchKeys.push_back(key);
        if (m_stretchKeys.size() > most) {
            m_stretches.erase(m_stretchKeys.front());
            m_stretchKeys.pop_front();
        }
        return {};
    }
    bool isWanted(RunId run, TimeRange stretch) {
        const std::lock_guard lock(m_mutex);
        return m_wanted[run] == stretch;
    }
    static std::string keyOf(const EngineLink& link, const std::string& metric, TimeRange stretch) {
        return fmt::format("{} {} {}", link.keyOf({metric, TileRows::Series, 0, {}, 0}),
            stretch.begin.ns, stretch.end.ns);
    }

    void tellUnnamed(const std::shared_ptr<EngineLink>& link) {
        {
            const std::lock_guard lock(m_mutex);
            if (m_unnamed)
                return;
            m_unnamed = link;
        }
        if (m_settings.changed)
            m_settings.changed();
    }

    static LaneScope scopeOf(const EngineLink& link, const RemoteQuestion& question) {
        LaneScope scope;
        scope.metric = question.metric.name;
        scope.series = link.countOf(scope.metric);
        if (question.isTogether)
            scope.rows = TileRows::Mean;
        else if (scope.series <= kMostRows)
            scope.rows
                = question.style == plot::LaneStyle::Band ? TileRows::Band : TileRows::Series;
        else if (question.isOnly || question.series.size() == 1)
            scope.uuid = link.uuidOf(question.series.front()->description.subject.rank);
        else
            scope.rows = question.style == plot::LaneStyle::Heat ? TileRows::Nodes : TileRows::Band;
        if (!scope.uuid.empty())
            scope.series = 1;
        return scope;
    }

    // The columns of the window as far as they are known; what is missing is asked for.
    Result<Known> columnsOf(const std::shared_ptr<EngineLink>& link, const LaneScope& scope,
        const RemoteQuestion& question, const std::function<bool()>& isCancelled) {
        if (m_settings.waits)
            RETURN_IF_ERROR(link->learn(isCancelled));
        const int rung = rungFor(question.window, question.columns, link->knownPeriod());
        const std::int64_t step = stepOf(rung);
        const TimeRange known{link->link().range.begin, knownEnd(*link)};
        Known found{TileColumns(question.window, question.columns)};
        TileColumns& columns = found.columns;
        const TileRange range = tilesOver(question.window, known, step);
        const auto missing = addKnown(*link, scope, step, range, columns);
        const auto wishes = wishesFor(link, scope, step, missing);
        if (m_settings.waits) {
            RETURN_IF_ERROR(AskingQueue::fetch(wished(wishes), isCancelled));
            for (const std::int64_t index : missing) {
                if (const auto tile = m_tiles.find({link->keyOf(scope), step, index}))
                    columns.add(*tile, step, index);
            }
            return found;
        }
        if (missing.empty())
            return found;
        found.isComplete = false;
        addOthers(*link, scope, rung, known, question, columns);
        if (link->refusal()) {
            tellUnnamed(link);
            return found;
        }
        wishAll(wishes, std::midpoint(range.first, range.end));
        if (const auto glance = glanceOf(*link, scope, question.window);
            glance && !columns.isComplete())
            found.some = lookAtSome(link, *glance, rung + kGlanceRungs, known, question, columns);
        return found;
    }

    // Fills columns with the answers of a few series while others are still awaited. Returns how
    // many series there are, where any has answered.
    std::size_t lookAtSome(const std::shared_ptr<EngineLink>& link, const LaneScope& glance,
        int rung, TimeRange known, const RemoteQuestion& question, TileColumns& columns) {
        const std::int64_t step = stepOf(rung);
        const TileRange range = tilesOver(question.window, known, step);
        std::vector<std::int64_t> missing;
        bool isAnything = false;
        for (std::int64_t index = range.first; index < range.end; ++index) {
            const LaneTilePtr tile = m_tiles.find({link->keyOf(glance), step, index});
            if (!tile || isOld(*tile, step))
                missing.push_back(index);
            if (tile)
                columns.addWhereNothing(*tile, step, index);
            isAnything = isAnything || tile;
        }
        wishAll(wishesFor(link, glance, step, missing), std::midpoint(range.first, range.end));
        return isAnything ? glance.some : 0;
    }

    // Indices of those that are not there, or no longer true.
    std::vector<std::int64_t> addKnown(const EngineLink& link, const LaneScope& scope,
        std::int64_t step, TileRange range, TileColumns& columns) {
        std::vector<std::int64_t> missing;
        for (std::int64_t index = range.first; index < range.end; ++index) {
            const LaneTilePtr tile = m_tiles.find({link.keyOf(scope), step, index});
            if (!tile || isOld(*tile, step))
                missing.push_back(index);
            // While it waits nothing old counts, or it would count twice.
            if (tile && !(m_settings.waits && isOld(*tile, step)))
                columns.add(*tile, step, index);
        }
        return missing;
    }

    // The last that is wished for is the first that is asked: the middle of the window.
    void wishAll(std::vector<TileWish> wishes, std::int64_t middle) {
        std::ranges::sort(wishes, [middle](const TileWish& a, const TileWish& b) {
            return std::abs(a.first + a.count / 2 - middle)
                > std::abs(b.first + b.count / 2 - middle);
        });
        for (Wish& wish : wished(wishes))
            m_queue.wish(std::move(wish));
    }

    std::vector<Wish> wished(const std::vector<TileWish>& tiles) {
        std::vector<Wish> wishes;
        for (const TileWish& tile : tiles)
            wishes.push_back(
                {fmt::format("{} {} {}", tile.link->keyOf(tile.scope), tile.stepMs, tile.first),
                    [this, tile](
                        const IsCancelled& isCancelled) { return readTiles(tile, isCancelled); }});
        return wishes;
    }

    Status readTiles(const TileWish& wish, const IsCancelled& isCancelled) {
        ASSIGN_OR_RETURN(const auto fetched,
            wish.link->fetch(wish.scope, wish.stepMs, wish.first, wish.count, isCancelled));
        const std::string scope = wish.link->keyOf(wish.scope);
        for (std::size_t i = 0; i < fetched.size(); ++i)
            m_tiles.put(
                {scope, wish.stepMs, wish.first + static_cast<std::int64_t>(i)}, fetched[i]);
        return {};
    }

    // A few of the series, where all of them take a while.
    static std::optional<LaneScope> glanceOf(
        const EngineLink& link, const LaneScope& scope, TimeRange window) {
        const double ms = static_cast<double>(window.length().ns) / text::kMillisecond;
        const bool isOfAll = scope.rows == TileRows::Band || scope.rows == TileRows::Mean;
        if (!isOfAll || link.readsFor(scope, ms) < kGlanceAbove || !link.canAskSome(scope.metric))
            return std::nullopt;
        const double each = link.readsFor(scope, ms) / static_cast<double>(scope.series);
        LaneScope some = scope;
        some.some = kMostOfGlance;
        while (some.some > kLeastOfGlance && each * static_cast<double>(some.some) > kGlanceReads)
            some.some /= 2;
        return some.some < scope.series ? std::optional(some) : std::nullopt;
    }

    // Rounds the stretch of a live run, whose values are computed anew for every 64th of it only.
    static TimeRange settled(TimeRange stretch) {
        constexpr std::int64_t parts = 64;
        constexpr std::int64_t shortest = 5 * text::kSecond;
        const std::int64_t unit = std::max(shortest, stretch.length().ns / parts);
        const std::int64_t end = text::floorTo(stretch.end.ns, unit);
        const std::int64_t length = text::floorTo(stretch.length().ns + unit - 1, unit);
        return {{end - length}, {end}};
    }

    static TimeNs knownEnd(const EngineLink& link) {
        return link.link().isLive ? wallClock() : link.link().range.end;
    }

    // Columns that can still change are asked for again after the time of one column, 2 s at least.
    static bool isOld(const LaneTile& tile, std::int64_t step) {
        constexpr std::int64_t soonest = 2000;
        const std::int64_t now = wallClock().ns / text::kMillisecond;
        return !tile.isFinal && now - tile.askedMs > std::max(step, soonest);
    }

    static std::vector<TileWish> wishesFor(const std::shared_ptr<EngineLink>& link,
        const LaneScope& scope, std::int64_t step, const std::vector<std::int64_t>& missing) {
        std::vector<TileWish> wishes;
        if (missing.empty())
            return wishes;
        // The number of samples to read decides how many tiles a question has.
        if (!link->isKnown())
            return {{link, scope, step, missing.front(), 0}};
        const double reads = link->readsFor(scope, static_cast<double>(LaneTile::kColumns * step));
        const int most = static_cast<int>(
            std::clamp(kReadsPerQuestion / std::max(1.0, reads), 1.0, double{kTilesPerQuestion}));
        for (const std::int64_t index : missing) {
            TileWish* last = wishes.empty() ? nullptr : &wishes.back();
            if (last != nullptr && last->first + last->count == index && last->count < most)
                ++last->count;
            else
                wishes.push_back({link, scope, step, index, 1});
        }
        return wishes;
    }

    // Columns of other lengths stand in where nothing is known of the wanted one: shorter ones
    // first, else longer ones.
    void addOthers(const EngineLink& link, const LaneScope& scope, int rung, TimeRange known,
        const RemoteQuestion& question, TileColumns& columns) {
        for (int away = -kFinerLooked; away <= kCoarserLooked; ++away) {
            // -1, -2 … first.
            const int other = rung + (away < 0 ? -1 - kFinerLooked - away : away);
            if (away == 0 || other < 0)
                continue;
            if (columns.isComplete())
                return;
            const std::int64_t step = stepOf(other);
            const TileRange range = tilesOver(question.window, known, step);
            for (std::int64_t index = range.first; index < range.end; ++index) {
                if (const auto tile = m_tiles.find({link.keyOf(scope), step, index}))
                    columns.addWhereNothing(*tile, step, index);
            }
        }
    }

    RemoteAnswer answerOf(const EngineLink& link, const LaneScope& scope,
        const RemoteQuestion& question, const Known& known) {
        const TileColumns& columns = known.columns;
        RemoteAnswer answer;
        const std::int64_t period = link.knownPeriod();
        answer.isComplete = known.isComplete;
        if (scope.rows == TileRows::Mean) {
            answer.buckets = {columns.buckets(0, period)};
        } else if (scope.rows == TileRows::Band) {
            answer.band = columns.band();
        } else if (scope.rows == TileRows::Nodes) {
            answer.groups = groupsOf(link, question, columns, period);
        } else {
            for (const Series* series : question.series)
                answer.buckets.push_back(
                    columns.buckets(rowKey(series->description.subject), period));
        }
        const auto [low, high] = columns.extent();
        {
            const std::lock_guard lock(m_mutex);
            auto& seen = m_extents[link.keyOf({scope.metric, TileRows::Series, 0, {}})];
            if (low <= high) {
                seen.first = seen.first <= seen.second ? std::min(seen.first, low) : low;
                seen.second = std::max(seen.second, high);
            }
            answer.low = seen.first;
            answer.high = seen.second;
        }
        if (known.some > 0)
            answer.remark = fmt::format("{} of {} so far", known.some,
                text::counted(static_cast<std::int64_t>(scope.series), "series", "series"));
        else if (columns.isSampled())
            answer.remark = "a sample of each column";
        return answer;
    }

    static std::vector<RemoteAnswer::Group> groupsOf(const EngineLink& link,
        const RemoteQuestion& question, const TileColumns& columns, std::int64_t period) {
        std::vector<RemoteAnswer::Group> groups;
        for (std::size_t node = 0; node < link.nodes().size(); ++node) {
            RemoteAnswer::Group group;
            group.node = static_cast<int>(node);
            group.label = fmt::format("node {} · {} · mean", node, link.nodes()[node]);
            group.buckets = columns.buckets(static_cast<std::int64_t>(node), period);
            groups.push_back(std::move(group));
        }
        if (groups.empty())
            groups.push_back(
                {-1, "", std::vector<Bucket>(static_cast<std::size_t>(question.columns))});
        return groups;
    }

    struct Extent {
        double first = 1.0;
        double second = 0.0;
    };

    Settings m_settings;
    std::vector<std::shared_ptr<EngineLink>> m_links;
    LaneTiles m_tiles;
    mutable std::mutex m_mutex;
    std::map<std::string, Extent> m_extents; // low > high: nothing seen
    std::shared_ptr<EngineLink> m_unnamed; // the first that was looked at and may not be asked
    std::map<RunId, TimeRange> m_wanted; // stretch whose figures are wanted
    std::map<std::pair<RunId, std::string>, TimeRange> m_shown; // last stretch, of a metric
    std::map<std::string, std::vector<SeriesFigure>> m_stretches;
    std::deque<std::string> m_stretchKeys; // the oldest first
    AskingQueue m_queue; // its threads end before the rest
};

// They wait for their threads when they go, which the thread that draws must not.
void letGo(LanesOfEngines* lanes) {
    if (isInteractiveThread())
        QThreadPool::globalInstance()->start([lanes] { delete lanes; });
    else
        delete lanes;
}

} // namespace

Result<std::shared_ptr<EngineLanes>> EngineLanes::open(
    const store::Store& store, Settings settings) {
    ASSIGN_OR_RETURN(const auto stored, store::runLinks(store));
    std::vector<std::shared_ptr<EngineLink>> links;
    for (const store::RunLink& one : stored) {
        ASSIGN_OR_RETURN(auto link, EngineLink::open(store, one, settings.access));
        links.push_back(std::move(link));
    }
    if (links.empty())
        return std::shared_ptr<EngineLanes>();
    return std::shared_ptr<EngineLanes>(
        new LanesOfEngines(std::move(settings), std::move(links)), letGo);
}

} // namespace trainscope::app
