#pragma once
// How far the energy that a power sensor gives to the parts of a timeline may be off.
//
// What a sensor shows at a moment is no power of that moment: it averages over a window w, is read
// once per period T, lines are drawn between its values, and its clock may be off by a. So the
// power shown at t is a mean of the true power around t, at most from t − w − T − a to t + T + a.
// At one border between two levels that differ by Δ that gives the part behind it at most Δ·((w +
// T)/2 + a) too little or too much: a mean over w ends half a w late on average, a line between two
// readings takes half a period from either side.
//
// The bound of a label k sums what is mixed, over small cells of time:
//     2 · Σ_cells c_k · Σ_{j≠k} F_j · Δ_kj,  but at most  Σ_cells c_k · P_hi
// c_k: time of k in the cell, F_j: share of j within ±H of it, H = w + T + 2a. At a lonely border
// this is Δ·H/2, the value above. Δ_kj is the range of the power shown within ±2H where both k and
// j have the sensor for themselves nearby (a share of 95 % within ±H), since then both levels are
// seen, else P_hi, the highest power the GPU can draw: parts shorter than the sensor's reach are
// not resolved, and the bound says so by being as large as the value. What is outside the timeline
// counts as another label. Work that repeats exactly with the sensor's period can deceive any such
// bound where the sensor does not average over that period.

#include "core/model/Time.h"

#include <cstddef>
#include <span>
#include <vector>

namespace trainscope::analysis {

struct SensorReach {
    double windowNs = 0.0; // w
    double periodNs = 0.0; // T: of the readings, or of the sensor's updates where these are rarer
    double alignmentNs = 0.0; // a
    double highestW = 0.0; // P_hi

    [[nodiscard]] double reachNs() const { return windowNs + periodNs + 2.0 * alignmentNs; } // H
};

// Memory is bounded by kMostCells and the number of labels; longer timelines get coarser cells,
// which makes the bound larger.
class SensorBlur {
public:
    static constexpr std::size_t kMostCells = std::size_t{1} << 15U;

    SensorBlur(TimeRange timeline, const SensorReach& reach);

    // A part of the timeline belongs to a label, with a share of it. Any order.
    void add(TimeRange range, std::size_t label, double share = 1.0);
    // A reading of the sensor, also from around the timeline.
    void addReading(TimeNs time, double watts);

    // After everything was added, before the bounds.
    void finish();
    // In joules, by label; as many as were added.
    [[nodiscard]] const std::vector<double>& bounds() const { return m_bounds; }
    // In joules, of all that is in the range.
    [[nodiscard]] double boundOfRange(TimeRange range) const;

private:
    struct Extremes {
        double low;
        double high;
    };
    [[nodiscard]] std::size_t cellOf(TimeNs time) const;
    [[nodiscard]] double shownAround(std::size_t cell) const;
    [[nodiscard]] std::vector<double> sharesAround(const std::vector<double>& times) const;
    [[nodiscard]] std::vector<bool> isSeenNearby(const std::vector<double>& shares) const;

    TimeRange m_timeline;
    SensorReach m_reach;
    double m_cellNs = 1.0;
    std::size_t m_cells = 0;
    std::size_t m_half = 1; // cells in H
    std::vector<std::vector<double>> m_times; // by label and cell, ns
    std::vector<Extremes> m_shown; // by cell, with 2H before and behind the timeline
    std::vector<double> m_bounds;
    std::vector<double> m_mixedBefore; // J, summed over labels and the cells before
};

} // namespace trainscope::analysis
