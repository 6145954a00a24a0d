#pragma once
// Change points: moments from which on the values of a series, as the lengths of iterations, stay
// at another level.
//
// Equal values in a row, as of a log that tells means, are one reading. Outliers are cut to what is
// usual around them. Levels are fitted by least squares, split after
// split; their number is the one whose residuals a first-order autoregression explains best for
// that number (BIC). A change stays if it is kCertain times its standard error, which counts
// neighbours that follow each other, at least kLeastChange of the level before, and surely
// closer than a line through both levels, as a drift is. Pure.

#include <cstddef>
#include <span>
#include <vector>

namespace trainscope::analysis {

inline constexpr double kLeastChange = 0.02; // share of the level before
inline constexpr double kCertain = 6.0; // standard errors; false alarms: fewer than 1 of 100 series

struct LevelChange {
    std::size_t at = 0; // first value of the new level
    // Bounds of `at`, 90 %.
    std::size_t earliest = 0;
    std::size_t latest = 0;
    double before = 0.0; // levels: the means up to the change before, and to the next one
    double after = 0.0;
    double margin = 0.0; // ± of after − before, 90 %
    double errors = 0.0; // the change in standard errors, fewer where few values tell them

    [[nodiscard]] double ratio() const { return after / before; }
};

// In order. The values are positive; fewer than 12 tell nothing.
std::vector<LevelChange> levelChanges(std::span<const double> values);

} // namespace trainscope::analysis
