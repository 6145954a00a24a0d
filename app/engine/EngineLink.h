#pragma once
// A linked run as its lanes need it: what the database keeps of it, who is who, and how to ask.

#include "app/engine/HttpFetch.h"
#include "app/engine/LaneTiles.h"
#include "core/model/Series.h"
#include "core/store/RunLinks.h"
#include "core/store/Store.h"
#include "importers/engine/Link.h"
#include "importers/engine/Reduction.h"
#include "importers/engine/Roster.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace trainscope::app {

// What the rows of a tile are.
enum class TileRows { Series, Band, Nodes };

// A lane of a link: what its tiles are of.
struct LaneScope {
    std::string metric; // ours
    TileRows rows = TileRows::Series;
    std::size_t series = 0; // that the engine reads for it
    std::string uuid; // only this GPU; empty: all
};

std::int64_t rowKey(const Subject& subject);

class EngineLink {
public:
    static Result<std::shared_ptr<EngineLink>> open(
        const store::Store& store, const store::RunLink& stored, const EngineAccess& access);

    [[nodiscard]] const importers::engine::Link& link() const { return m_link; }
    [[nodiscard]] SourceId source() const { return m_source; }
    [[nodiscard]] RunId run() const { return m_run; }
    [[nodiscard]] std::string keyOf(const LaneScope& scope) const;
    [[nodiscard]] const std::vector<std::string>& nodes() const { return m_roster.nodes(); }
    [[nodiscard]] std::string uuidOf(int rank) const;
    // How many series of that metric the run has.
    [[nodiscard]] std::size_t countOf(const std::string& metric) const;

    // Milliseconds between samples; asked for once.
    Result<std::int64_t> period(const importers::engine::IsCancelled& isCancelled);
    [[nodiscard]] std::int64_t knownPeriod() const { return m_period; } // 0: not yet
    // Consecutive tiles from `first` on.
    Result<std::vector<std::shared_ptr<LaneTile>>> fetch(const LaneScope& scope,
        std::int64_t stepMs, std::int64_t first, int tiles,
        const importers::engine::IsCancelled& isCancelled);
    [[nodiscard]] std::uint64_t wireBytes() const { return m_wireBytes; }
    // What a column of that length looks at.
    [[nodiscard]] std::int64_t rangeOf(const LaneScope& scope, std::int64_t stepMs) const;

private:
    EngineLink(importers::engine::Link link, importers::engine::Roster roster)
        : m_link(std::move(link))
        , m_roster(std::move(roster)) { }
    using Tiles = std::vector<std::shared_ptr<LaneTile>>;
    struct Asked;
    void ask(const LaneScope& scope, const importers::engine::FoundMetric& metric,
        const importers::engine::Columns& columns, std::vector<Asked>& questions);
    Status take(const Asked& asked, const std::string& body, const LaneScope& scope,
        const importers::engine::Columns& columns, Tiles& tiles) const;
    [[nodiscard]] std::optional<std::int64_t> rowOf(
        const importers::engine::Labels& labels, const Asked& asked, TileRows rows) const;

    importers::engine::Link m_link;
    importers::engine::Roster m_roster;
    SourceId m_source;
    RunId m_run;
    std::string m_identity; // for keys
    std::unique_ptr<importers::engine::Fetcher> m_fetcher;
    std::map<std::string, std::size_t> m_counts; // series by metric
    std::atomic<std::int64_t> m_period = 0;
    std::atomic<std::uint64_t> m_wireBytes = 0;
};

} // namespace trainscope::app
