#pragma once
// An energy that was estimated, with the bounds of its 90 % interval, and why one is not known.

#include <cmath>
#include <optional>
#include <string_view>

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

// Reason that the energy of traced work is not known.
enum class NoEnergy {
    NoPower, // none was recorded at that time
    SeveralDevices, // power is known by rank, and the rank has several
    TooFewReadings, // inside the trace
    NotTold, // too brief, or always beside the same other work
};
constexpr std::string_view reasonOf(NoEnergy why) {
    switch (why) {
    case NoEnergy::NoPower:
        return "no power was recorded while it was traced";
    case NoEnergy::SeveralDevices:
        return "the rank has several devices, of which power is known together only";
    case NoEnergy::TooFewReadings:
        return "too few readings of the power while it was traced";
    case NoEnergy::NotTold:
        break;
    }
    return "the readings do not tell it from the work beside it";
}

// The energy of a part of the work, or why it is not known; neither where the part does not occur.
struct PartEnergy {
    std::optional<EstimatedEnergy> known;
    std::optional<NoEnergy> unknown;

    static PartEnergy of(const std::optional<EstimatedEnergy>& found, NoEnergy otherwise) {
        return found ? PartEnergy{found, {}} : PartEnergy{{}, otherwise};
    }
    [[nodiscard]] bool isNothing() const { return !known && !unknown; }
    [[nodiscard]] PartEnergy part(double share) const {
        return known ? PartEnergy{known->part(share), {}} : *this;
    }
    // A sum is known where all that is in it is.
    PartEnergy& operator+=(const PartEnergy& more) {
        if (unknown || more.isNothing())
            return *this;
        if (more.unknown)
            *this = more;
        else if (known)
            *known += *more.known;
        else
            known = more.known;
        return *this;
    }
};

} // namespace trainscope::analysis
