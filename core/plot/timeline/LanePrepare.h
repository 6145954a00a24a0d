#pragma once
// From the buckets of a lane's series to what is drawn of them. Series are taken one by one, so
// that a lane of a thousand never holds all of their buckets.

#include "core/plot/timeline/Timeline.h"

namespace trainscope::plot {

class LanePreparation {
public:
    // `style`: what they are drawn as; `series`: how many will be added. The lane's own are kept.
    LanePreparation(
        LaneData& lane, LaneStyle style, int columns, std::size_t series, LoadDetail detail);

    // With `columns` buckets.
    void add(LaneSeries series);
    void finish();

private:
    void addToBand(const LaneSeries& series);
    void addHoles(const std::vector<Bucket>& buckets);

    LaneData& m_lane;
    std::size_t m_columns;
    LaneStyle m_style;
    LoadDetail m_detail;
    std::vector<std::uint8_t> m_present;
};

} // namespace trainscope::plot
