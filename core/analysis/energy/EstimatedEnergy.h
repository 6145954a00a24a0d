#pragma once
// An energy that was estimated, with the bounds of its 90 % interval.

#include <cmath>

namespace trainscope::analysis {

struct EstimatedEnergy {
    double joules = 0.0;
    double low = 0.0;
    double high = 0.0;

    // The sensors' errors are taken to be independent: distances add as squares.
    EstimatedEnergy& operator+=(const EstimatedEnergy& more) {
        const double below = std::hypot(joules - low, more.joules - more.low);
        const double above = std::hypot(high - joules, more.high - more.joules);
        joules += more.joules;
        low = joules - below;
        high = joules + above;
        return *this;
    }
    // A part of it that is known.
    [[nodiscard]] EstimatedEnergy part(double share) const {
        return {share * joules, share * low, share * high};
    }
};

} // namespace trainscope::analysis
