#pragma once
// Finds the GPU of a log's row by its place among the rows, where no column names it. nvidia-smi
// prints one row per GPU, in order, every period, so rows come in bursts and the place in its burst
// is the GPU. The rows of a burst are some milliseconds apart: one GPU that is read in a loop which
// rests now and then has bursts, too, but slower ones.

#include "core/model/Time.h"

#include <span>

namespace trainscope::importers::meters::smi {

struct Rhythm {
    int gpus = 1; // rows in a burst
    DurationNs pause; // a longer step between rows may start the next burst
    DurationNs within; // usual step in a burst
    DurationNs period; // from one burst to the next
    bool isUneven = false; // rows come in bursts of several lengths: `gpus` is 1 for want of better
};

// From the stamps of the first rows. Falls back to one GPU where bursts are not regular. With
// stamps in whole seconds (`hasFraction` false) rows of equal stamp make a burst.
Rhythm findRhythm(std::span<const TimeNs> stamps, bool hasFraction);

// Deals rows out to GPUs.
class Rotation {
public:
    explicit Rotation(Rhythm rhythm)
        : m_rhythm(rhythm) { }
    // The GPU of the next row. A row that is late, but not a period behind the first of its burst,
    // belongs to that burst.
    int next(TimeNs stamp);
    // Bursts with too few or too many rows, of which some may have gone to a wrong GPU.
    [[nodiscard]] std::int64_t unevenBursts() const { return m_unevenBursts; }

private:
    Rhythm m_rhythm;
    TimeNs m_begin; // the burst's
    TimeNs m_last;
    int m_position = -1; // before the first row
    std::int64_t m_unevenBursts = 0;
};

} // namespace trainscope::importers::meters::smi
