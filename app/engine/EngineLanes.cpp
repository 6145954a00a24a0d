#include "app/engine/EngineLanes.h"

#include "app/engine/EngineLink.h"
#include "app/engine/TileColumns.h"
#include "app/engine/TileQueue.h"
#include "core/model/Try.h"
#include "core/text/Times.h"
#include "importers/engine/Reduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace trainscope::app {

namespace {

using figures::RemoteAnswer;
using figures::RemoteQuestion;
using importers::engine::kBandRows;

// Columns of an answer are few enough for any engine: 11,000 points at most, and an answer that
// comes soon.
constexpr int kTilesPerQuestion = 8;
constexpr std::int64_t kShortestStep = 250; // ms
constexpr std::int64_t kUsualShortest = 1000; // between samples, where that is not known
constexpr int kCoarserLooked = 12; // steps of the ladder

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
        , m_queue(m_tiles, m_settings.changed) { }

    [[nodiscard]] bool has(const Series& series) const override {
        return linkOf(series) != nullptr;
    }

    Result<RemoteAnswer> lane(
        const RemoteQuestion& question, const std::function<bool()>& isCancelled) override {
        const auto link = linkOf(*question.series.front());
        const LaneScope scope = scopeOf(*link, question);
        ASSIGN_OR_RETURN(const auto columns, columnsOf(link, scope, question, isCancelled));
        return answerOf(*link, scope, question, columns);
    }

    [[nodiscard]] EngineState state() const override {
        return {m_links.front()->link().address.url, m_queue.isAsking(), m_queue.error()};
    }
    void tryAgain() override {
        m_queue.forgetError();
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
    [[nodiscard]] std::uint64_t wireBytes() const override {
        std::uint64_t sum = 0;
        for (const auto& link : m_links)
            sum += link->wireBytes();
        return sum;
    }

private:
    [[nodiscard]] std::shared_ptr<EngineLink> linkOf(const Series& series) const {
        const auto at = std::find_if(m_links.begin(), m_links.end(),
            [&series](const auto& link) { return link->source() == series.source; });
        return at == m_links.end() ? nullptr : *at;
    }

    static LaneScope scopeOf(const EngineLink& link, const RemoteQuestion& question) {
        LaneScope scope;
        scope.metric = question.metric.name;
        scope.series = link.countOf(scope.metric);
        if (scope.series <= kMostRows)
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
    Result<TileColumns> columnsOf(const std::shared_ptr<EngineLink>& link, const LaneScope& scope,
        const RemoteQuestion& question, const std::function<bool()>& isCancelled) {
        const int rung = rungFor(question.window, question.columns, link->knownPeriod());
        const std::int64_t step = stepOf(rung);
        const TimeRange known{link->link().range.begin, knownEnd(*link)};
        TileColumns columns(question.window, question.columns);
        const TileRange range = tilesOver(question.window, known, step);
        std::vector<std::int64_t> missing;
        for (std::int64_t index = range.first; index < range.end; ++index) {
            LaneTilePtr tile = m_tiles.find({link->keyOf(scope), step, index});
            if (!tile || isOld(*tile, step))
                missing.push_back(index);
            if (tile)
                columns.add(*tile, step, index);
        }
        if (m_settings.waits) {
            for (const TileWish& wish : wishesFor(link, scope, step, missing)) {
                RETURN_IF_ERROR(m_queue.fetch(wish, isCancelled));
                for (int i = 0; i < wish.count; ++i) {
                    if (const auto tile = m_tiles.find({link->keyOf(scope), step, wish.first + i}))
                        columns.add(*tile, step, wish.first + i);
                }
            }
            return columns;
        }
        auto wishes = wishesFor(link, scope, step, missing);
        // The last that is wished for is the first that is asked: the middle of the window.
        const std::int64_t middle = std::midpoint(range.first, range.end);
        std::sort(wishes.begin(), wishes.end(), [middle](const TileWish& a, const TileWish& b) {
            return std::abs(a.first - middle) > std::abs(b.first - middle);
        });
        for (TileWish& wish : wishes)
            m_queue.wish(std::move(wish));
        if (!missing.empty())
            addCoarser(*link, scope, rung, known, question, columns);
        return columns;
    }

    static TimeNs knownEnd(const EngineLink& link) {
        return link.link().isLive ? wallClock() : link.link().range.end;
    }

    // What can still change is asked for again after as long as a column, 2 s at least.
    static bool isOld(const LaneTile& tile, std::int64_t step) {
        constexpr std::int64_t soonest = 2000;
        const std::int64_t now = wallClock().ns / text::kMillisecond;
        return !tile.isFinal && now - tile.askedMs > std::max(step, soonest);
    }

    static std::vector<TileWish> wishesFor(const std::shared_ptr<EngineLink>& link,
        const LaneScope& scope, std::int64_t step, const std::vector<std::int64_t>& missing) {
        std::vector<TileWish> wishes;
        for (const std::int64_t index : missing) {
            TileWish* last = wishes.empty() ? nullptr : &wishes.back();
            if (last != nullptr && last->first + last->count == index
                && last->count < kTilesPerQuestion)
                ++last->count;
            else
                wishes.push_back({link, scope, step, index, 1});
        }
        return wishes;
    }

    // Where nothing is known of the wanted length, longer columns that are there stand in.
    void addCoarser(const EngineLink& link, const LaneScope& scope, int rung, TimeRange known,
        const RemoteQuestion& question, TileColumns& columns) {
        for (int coarser = rung + 1; coarser <= rung + kCoarserLooked; ++coarser) {
            if (columns.isComplete())
                return;
            const std::int64_t step = stepOf(coarser);
            const TileRange range = tilesOver(question.window, known, step);
            for (std::int64_t index = range.first; index < range.end; ++index) {
                if (const auto tile = m_tiles.find({link.keyOf(scope), step, index}))
                    columns.addWhereNothing(*tile, step, index);
            }
        }
    }

    RemoteAnswer answerOf(const EngineLink& link, const LaneScope& scope,
        const RemoteQuestion& question, const TileColumns& columns) {
        RemoteAnswer answer;
        const std::int64_t period = link.knownPeriod();
        if (scope.rows == TileRows::Band) {
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
        answer.remark = columns.isSampled() ? "a sample of each column" : "";
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
    std::mutex m_mutex;
    std::map<std::string, Extent> m_extents; // low > high: nothing seen
    TileQueue m_queue; // its threads end first
};

} // namespace

Result<std::shared_ptr<EngineLanes>> EngineLanes::open(
    const store::Store& store, Settings settings) {
    ASSIGN_OR_RETURN(const auto stored, store::runLinks(store));
    std::vector<std::shared_ptr<EngineLink>> links;
    for (const store::RunLink& one : stored) {
        ASSIGN_OR_RETURN(auto spec, importers::engine::linkFrom(one.spec));
        ASSIGN_OR_RETURN(auto link,
            EngineLink::open(
                store, one, settings.access ? settings.access(spec.address) : EngineAccess{}));
        links.push_back(std::move(link));
    }
    if (links.empty())
        return std::shared_ptr<EngineLanes>();
    return std::shared_ptr<EngineLanes>(
        std::make_shared<LanesOfEngines>(std::move(settings), std::move(links)));
}

} // namespace trainscope::app
