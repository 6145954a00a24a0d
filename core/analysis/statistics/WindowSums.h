#pragma once
// Sums of a gauge over many windows at once.

#include "core/model/Time.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace trainscope::analysis {

// A gauge over many windows at once, in one pass: each sample holds until the
// next, and energy is the trapezoid between neighbouring samples that are not missing and not
// farther apart than the gap limit, cut at the windows' ends.
//
// Feed the samples once, in time order, in blocks of any size. Pure.
class WindowSums {
public:
    struct Sums {
        double weighted = 0.0; // Σ value·s
        double heldSeconds = 0.0;
        double integral = 0.0; // of the line between samples, unit·s: joules of a power
        double coveredSeconds = 0.0; // of that line
        std::optional<double> max; // of the samples inside

        [[nodiscard]] std::optional<double> mean() const {
            return heldSeconds > 0.0 ? std::optional(weighted / heldSeconds) : std::nullopt;
        }
    };

    // Windows in order of time that do not overlap.
    WindowSums(std::vector<TimeRange> windows, DurationNs gapLimit);

    void add(std::span<const TimeNs> times, std::span<const double> values);
    [[nodiscard]] const std::vector<Sums>& sums() const { return m_sums; }

private:
    struct Sample {
        TimeNs time;
        double value = 0.0;
    };
    void hold(const Sample& from, TimeNs until);
    void bridge(const Sample& from, const Sample& to);

    std::vector<TimeRange> m_windows;
    std::vector<Sums> m_sums;
    DurationNs m_gapLimit;
    std::optional<Sample> m_last; // missing ones too
    std::optional<Sample> m_lastKnown;
    std::size_t m_heldFrom = 0; // the first window that does not lie before it
    std::size_t m_bridgedFrom = 0;
};

} // namespace trainscope::analysis
