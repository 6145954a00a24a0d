#pragma once
// One metric of all GPUs of a run at a moment, or at many: what a diagram of the ranks is coloured
// by. A reading costs ranks × frames, whatever lies beneath. Values are SI; of a counter its rate
// of change.

#include "core/analysis/RunStudy.h"

namespace trainscope::analysis {

using RankValues = std::vector<std::optional<double>>; // by rank

// Moments that are equally far apart.
struct RankFrames {
    TimeRange window;
    int count = 0;
    int ranks = 0;
    std::vector<float> values; // frame by frame, in each by rank; NaN: absent

    [[nodiscard]] RankValues at(int frame) const; // 0 <= frame < count
    [[nodiscard]] int frameAt(TimeNs time) const; // the nearest, for times outside the window too
};

// The least and the greatest over the run, which a scale of colours spans.
struct ValueBounds {
    double low = 0.0;
    double high = 0.0;
};

class RankSeries {
public:
    // NotFound names the metrics that the run's GPUs have. If sources overlap, the series with
    // more values is taken, as in summaries.
    static Result<RankSeries> open(const RunStudy& study, std::string_view metric);

    [[nodiscard]] const Metric& metric() const { return m_metric; }
    [[nodiscard]] int ranks() const { return static_cast<int>(m_series.size()); }
    [[nodiscard]] TimeRange range() const { return m_range; } // over all ranks
    // Absent where every sample is missing.
    Result<std::optional<ValueBounds>> bounds(const store::Store& store) const;

    // As held at t; absent in a gap, before the first sample and a period after the last.
    Result<RankValues> at(const store::Store& store, TimeNs t) const;
    // The time-weighted mean of each of `count` equal parts of the window. Cancelled by progress.
    Result<RankFrames> frames(const store::Store& store, TimeRange window, int count,
        const Progress& progress = {}) const;

private:
    Result<std::vector<Bucket>> buckets(
        const store::Store& store, const Series& series, TimeRange window, int count) const;

    Metric m_metric;
    TimeRange m_range{{0}, {0}};
    std::vector<std::optional<Series>> m_series; // by rank
};

} // namespace trainscope::analysis
