#pragma once
// One linked run as its lanes ask it: questions to the engine, answers as tiles.

#include "app/engine/HttpFetch.h"
#include "app/engine/LaneTiles.h"
#include "core/store/RunLinks.h"
#include "core/store/Store.h"
#include "importers/engine/Asking.h"
#include "importers/engine/Catalogue.h"
#include "importers/engine/Link.h"
#include "importers/engine/Reduction.h"

namespace trainscope::app {

class BandCounts;
class StretchReading;
class TileFilling;

// Statistics of one series over a stretch of time. SI.
struct SeriesFigure {
    std::string metric; // ours
    Subject subject;
    double mean = 0.0; // over its samples
    double min = 0.0;
    double max = 0.0;
    double count = 0.0; // samples; 0: none of the numbers before it counts
    double coveredSeconds = 0.0; // seconds of the stretch that samples at their usual period cover
    std::optional<double> total; // counters only: growth
};

// Meaning of the rows of a tile.
enum class TileRows { Series, Band, Nodes, Mean };

// A lane of a link: what its tiles are of.
struct LaneScope {
    std::string metric; // ours
    TileRows rows = TileRows::Series;
    std::size_t series = 0; // series of the metric
    std::string uuid; // only this GPU; empty: all
    std::size_t some = 0; // only that many, evenly chosen; 0: all
};

std::int64_t rowKey(const Subject& subject);

// The access with which the engine of a link is asked; an error, with the reason, where it is not.
using EngineAccessOf = std::function<Result<EngineAccess>(const importers::engine::Link&)>;

class EngineLink {
public:
    static Result<std::shared_ptr<EngineLink>> open(
        const store::Store& store, const store::RunLink& stored, const EngineAccessOf& access);

    // Present: the engine is not to be asked, and every question gets this error.
    [[nodiscard]] const std::optional<Error>& refusal() const { return m_refusal; }

    [[nodiscard]] const importers::engine::Link& link() const { return m_link; }
    [[nodiscard]] SourceId source() const { return m_source; }
    [[nodiscard]] RunId run() const { return m_run; }
    [[nodiscard]] std::string keyOf(const LaneScope& scope) const;
    [[nodiscard]] const std::vector<std::string>& nodes() const { return m_roster.nodes(); }
    [[nodiscard]] std::string uuidOf(int rank) const;
    // Number of series of that metric that the run has.
    [[nodiscard]] std::size_t countOf(const std::string& metric) const;
    // True where some of a metric's series can be asked for alone.
    [[nodiscard]] bool canAskSome(const std::string& metric) const;

    // Asks the engine, once, for its abilities and its sampling period.
    Status learn(const importers::engine::IsCancelled& isCancelled);
    [[nodiscard]] bool isKnown() const { return m_period > 0; }
    [[nodiscard]] std::int64_t knownPeriod() const { return m_period; } // ms; 0: not yet
    // Consecutive tiles from `first` on; none where `tiles` is 0, and then only what learn() says
    // is asked.
    Result<std::vector<std::shared_ptr<LaneTile>>> fetch(const LaneScope& scope,
        std::int64_t stepMs, std::int64_t first, int tiles,
        const importers::engine::IsCancelled& isCancelled);
    // Statistics of each series of a metric over a stretch of time.
    Result<std::vector<SeriesFigure>> figures(const std::string& metric, TimeRange stretch,
        const importers::engine::IsCancelled& isCancelled);
    // Ours, once each.
    [[nodiscard]] std::vector<std::string> metrics() const;
    // Samples that the engine reads for that time, as often as it has to; 0 before isKnown().
    [[nodiscard]] double readsFor(const LaneScope& scope, double ms) const;
    // Time that a column of that length looks at, ms.
    [[nodiscard]] std::int64_t rangeOf(const LaneScope& scope, std::int64_t stepMs) const;

private:
    EngineLink(importers::engine::Link link, importers::engine::Roster roster)
        : m_link(std::move(link))
        , m_roster(std::move(roster)) { }
    using Tiles = std::vector<std::shared_ptr<LaneTile>>;
    // Every sample, or without the numbers that stand for "not known". The second is asked once
    // such have shown in the first, since it has an engine read more.
    enum class Samples { All, Readings };
    // Content of an answer: one statistic, or several by its labels.
    enum class Holds { Statistic, ByLabels, Row, Distribution, Counts, Highest };
    struct Asked {
        const importers::engine::FoundMetric* metric = nullptr;
        importers::engine::ReductionScope reduction;
        Holds holds = Holds::Statistic;
        std::size_t row = 0; // row of a band
        std::optional<importers::engine::Reduced> what; // the statistic; absent: a rate
        std::unique_ptr<importers::engine::Question> question;
        std::shared_ptr<BandCounts> counts = {}; // for a distribution
    };
    using Questions = std::vector<Asked>;

    // Milliseconds; of a metric of ours, asked for once.
    Result<std::int64_t> periodOf(
        const std::string& metric, const importers::engine::IsCancelled& isCancelled);
    [[nodiscard]] bool isMetricsQl() const {
        return m_dialect == importers::engine::Dialect::MetricsQl;
    }
    [[nodiscard]] std::string conditionOf(
        const LaneScope& scope, const importers::engine::FoundMetric& metric) const;
    [[nodiscard]] importers::engine::ReductionScope reductionOf(const LaneScope& scope,
        const importers::engine::FoundMetric& metric, Samples samples) const;
    void ask(Questions& questions, const importers::engine::FoundMetric& metric,
        const importers::engine::ReductionScope& reduction, importers::engine::HttpRequest request,
        Holds holds, std::size_t row = 0, std::optional<importers::engine::Reduced> what = {});
    Result<Tiles> fetch(const LaneScope& scope, std::int64_t stepMs, std::int64_t first, int tiles,
        Samples samples, const importers::engine::IsCancelled& isCancelled);
    Questions askStretch(const std::string& metric, TimeRange stretch, Samples samples);
    // Reads the series of these labels; empty: all.
    Status readStretch(const std::string& metric, TimeRange stretch, Samples samples,
        const std::set<std::string>& wanted, StretchReading& reading,
        const importers::engine::IsCancelled& isCancelled);
    void askColumns(const LaneScope& scope, const importers::engine::FoundMetric& metric,
        const importers::engine::Columns& columns, Samples samples, Questions& questions);
    Status takeAll(Questions& questions, const LaneScope& scope, TileFilling& filling,
        importers::engine::Trouble& trouble, const importers::engine::IsCancelled& isCancelled);
    // The quantiles of a band where an engine has to be asked for each by itself.
    Status takeQuantiles(const LaneScope& scope, const Asked& of,
        const importers::engine::Columns& columns, TileFilling& filling,
        importers::engine::Trouble& trouble, const importers::engine::IsCancelled& isCancelled);
    Status take(const Asked& asked, const std::string& body, const LaneScope& scope,
        TileFilling& filling) const;
    [[nodiscard]] std::optional<Subject> subjectOf(
        importers::engine::Labels labels, const importers::engine::FoundMetric& metric) const;
    [[nodiscard]] std::optional<std::int64_t> rowOf(
        const importers::engine::Labels& labels, const Asked& asked, TileRows rows) const;
    Result<Tiles> fetchHalves(const LaneScope& scope, std::int64_t stepMs, std::int64_t first,
        int tiles, Samples samples, const importers::engine::IsCancelled& isCancelled);

    importers::engine::Link m_link;
    importers::engine::Roster m_roster;
    SourceId m_source;
    RunId m_run;
    std::string m_identity; // for keys
    std::optional<Error> m_refusal;
    std::unique_ptr<importers::engine::Fetcher> m_fetcher; // none behind a refusal
    std::map<std::string, std::size_t> m_counts; // series by metric
    std::mutex m_learning;
    std::map<std::string, std::int64_t> m_periods; // by metric; for one thread at a time
    mutable std::mutex m_periodsMutex;
    std::atomic<importers::engine::Dialect> m_dialect = importers::engine::Dialect::PromQl;
    std::atomic<std::int64_t> m_period = 0;
};

} // namespace trainscope::app
