#pragma once
// The columns of a window, put together from tiles of other lengths: extremes of what touches a
// column, means of it.

#include "app/engine/LaneTiles.h"
#include "core/model/Series.h"
#include "core/plot/timeline/Timeline.h"

#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace trainscope::app {

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
