#pragma once
// Which GPU a row belongs to when no column says so: nvidia-smi prints one row per GPU, in order,
// every period, so rows come in bursts and the place in its burst is the GPU.

#include "core/model/Time.h"

#include <cstddef>
#include <span>

namespace trainscope::importers::nvsmi {

struct Rhythm {
    int gpus = 1; // rows of a burst
    DurationNs pause; // a longer step between rows starts the next burst
};

// From the stamps of the first rows. Falls back to one GPU where bursts are not regular. With
// stamps in whole seconds (`hasFraction` false) rows of equal stamp make a burst.
Rhythm findRhythm(std::span<const TimeNs> stamps, bool hasFraction);

// Deals rows out to GPUs.
class Rotation {
public:
    explicit Rotation(Rhythm rhythm)
        : m_rhythm(rhythm) { }
    // The GPU of the next row.
    int next(TimeNs stamp);

private:
    Rhythm m_rhythm;
    TimeNs m_last;
    int m_position = -1; // before the first row
};

} // namespace trainscope::importers::nvsmi
