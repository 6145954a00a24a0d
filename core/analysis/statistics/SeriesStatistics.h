#pragma once
// The statistics of one stored series, by its kind, from one pass over its samples.

#include "core/analysis/statistics/CounterTotal.h"
#include "core/analysis/statistics/Distribution.h"
#include "core/analysis/statistics/EnergyIntegral.h"
#include "core/analysis/statistics/Summary.h"
#include "core/analysis/statistics/TimeWeighted.h"
#include "core/analysis/statistics/WindowEdges.h"
#include "core/model/Series.h"
#include "core/store/Store.h"

#include <functional>
#include <optional>
#include <span>
#include <variant>

namespace trainscope::analysis {

struct SeriesStatistics {
    SubjectStatistics statistics;
    Distribution distribution; // of a gauge or rate, by time held
    std::optional<EnergyIntegral> energy; // of a GPU's power that is not all missing
    // Where energy has bridged a gap longer than this, which it must not: to be integrated again
    // with this limit.
    std::optional<double> gapLimit;
};

// Feed the samples once, in time order, in blocks of any size; or parts of them to several, which
// are added up in order. Pure; one thread at a time.
class SeriesFigures {
public:
    explicit SeriesFigures(const SeriesDescription& description);

    // Of a window: before its first sample, and after its last.
    void enter(const WindowEdges& edges);
    void leave(const WindowEdges& edges);
    void add(std::span<const TimeNs> times, std::span<const double> values);
    // What comes behind the samples so far, of the same series.
    void add(SeriesFigures&& next);
    [[nodiscard]] SeriesStatistics finished() &&;

private:
    void addPoint(TimeNs time, const std::optional<double>& value);

    std::variant<TimeWeighted, CounterTotal> m_values;
    std::optional<EnergyIntegral> m_energy;
    std::int64_t m_points = 0; // of a counter, that are no samples
};

// Asked for every block of samples; false ends the work with Cancelled.
using KeepGoing = std::function<bool()>;

Result<SeriesStatistics> seriesStatistics(
    const store::Store& store, const Series& series, const KeepGoing& keepGoing);

// Energy of a power series within a window, gaps longer than the limit left out.
Result<EnergyIntegral> seriesEnergy(const store::Store& store, const Series& power,
    TimeRange window, double gapLimitNs, const KeepGoing& keepGoing);

} // namespace trainscope::analysis
