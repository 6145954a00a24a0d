#pragma once
// Tiles and what they are made of and make. They are filled from the answers to one question of a
// lane: if the same GPU or node has several series in a column, since its labels changed there, the
// mean is that of all their samples; how many each has is asked for once that is known. The columns
// of a window are put together from tiles of other lengths: extremes of what touches a column,
// means of it.

#include "app/engine/LaneTiles.h"
#include "core/plot/timeline/Timeline.h"
#include "importers/engine/Answer.h"
#include "importers/engine/Reduction.h"

namespace trainscope::app {

class TileFilling {
public:
    using Tiles = std::vector<std::shared_ptr<LaneTile>>;

    TileFilling(Tiles& tiles, const importers::engine::Columns& columns)
        : m_tiles(tiles)
        , m_columns(columns) { }

    // Values of a row of the tiles, from that metric of the engine: a statistic, or all of them by
    // one number. Extremes of several series are those of all.
    void add(std::int64_t row, const std::string& engineName,
        const importers::engine::AnsweredSeries& series, double scale,
        std::optional<importers::engine::Reduced> what = {});

    // Notes answers that tell of numbers that are no readings.
    void lookForBlanks(const importers::engine::ReductionScope& scope,
        const importers::engine::AnsweredSeries& series);
    [[nodiscard]] bool hasBlanks() const { return m_hasBlanks; }

    // Metrics of the engine of which several series have a mean in the same column of a row.
    [[nodiscard]] std::set<std::string> contested() const;
    void addCount(std::int64_t row, const std::string& engineName,
        const importers::engine::AnsweredSeries& series);
    // Puts the means into the tiles. Without counts all series of a column weigh the same.
    void finish();

private:
    struct Part {
        std::string series; // name and labels
        std::string engineName;
        std::vector<float> means; // by column; NaN: none
        std::vector<float> counts; // empty: not told
    };
    using Parts = std::vector<Part>;

    template <typename Take>
    void forEachColumn(const importers::engine::AnsweredSeries& series, Take&& take) const;
    LaneTile::Row& rowIn(std::size_t column, std::int64_t row);
    [[nodiscard]] bool isContested(const Parts& parts) const;

    Tiles& m_tiles;
    importers::engine::Columns m_columns;
    std::map<std::int64_t, Parts> m_parts; // by row
    bool m_hasBlanks = false;
};

// Quantiles of columns from how many series have which value in each.
class BandCounts {
public:
    // Series of that value, by time. A value that is no number makes all quantiles unknown.
    void add(double value, const importers::engine::AnsweredSeries& counts);
    [[nodiscard]] bool isKnown() const { return m_isKnown; }
    // Between two ranks linear, as engines compute quantiles.
    [[nodiscard]] importers::engine::AnsweredSeries quantile(double share) const;

private:
    using Counts = std::map<double, double>; // by value
    std::map<std::int64_t, Counts> m_columns; // by time
    bool m_isKnown = true;
};

struct TileRange {
    std::int64_t first = 0;
    std::int64_t end = 0;
};
// Those that touch the part of the window that the engine knows.
TileRange tilesOver(TimeRange window, TimeRange known, std::int64_t stepMs);

class TileColumns {
public:
    TileColumns(TimeRange window, int columns);

    void add(const LaneTile& tile, std::int64_t stepMs, std::int64_t index);
    // Only in columns that no tile has touched yet.
    void addWhereNothing(const LaneTile& tile, std::int64_t stepMs, std::int64_t index);
    [[nodiscard]] bool isComplete() const;
    [[nodiscard]] bool isSampled() const { return m_isSampled; }

    // Buckets of a row. A value holds until the next one, ten periods at most; then there is a gap.
    // NaN where nothing is known yet.
    [[nodiscard]] std::vector<Bucket> buckets(std::int64_t row, std::int64_t periodMs) const;
    [[nodiscard]] plot::LaneBand band() const;
    [[nodiscard]] std::pair<double, double> extent() const; // low > high: nothing

private:
    struct Sum {
        float low = std::numeric_limits<float>::quiet_NaN(); // over all that touches the column
        float high = std::numeric_limits<float>::quiet_NaN();
        double sum = 0.0;
        std::uint32_t count = 0;
        float last = 0.0F;
    };
    using Row = std::vector<Sum>;
    template <typename Wanted>
    void addTo(const LaneTile& tile, std::int64_t stepMs, std::int64_t index, Wanted&& isWanted);
    void addBefore(const LaneTile& tile, std::size_t column, std::int64_t ns);
    [[nodiscard]] const Row* find(std::int64_t row) const;

    TimeRange m_window;
    std::size_t m_columns;
    std::vector<std::uint8_t> m_known; // a tile has touched it
    std::map<std::int64_t, Row> m_rows;
    struct Before {
        std::int64_t ns = 0; // before the window
        float value = 0.0F;
    };
    std::map<std::int64_t, Before> m_before; // the last sample in front of the window
    bool m_isSampled = false;
};

} // namespace trainscope::app
