#pragma once
// The spectrum of the summed power of a run's GPUs over its steady part, as figure and findings
// tell it. The amplitude of a line is that of its sine, half of the peak-to-peak swing, between the
// bins (Burstiness.h).

#include "core/analysis/RunStudy.h"
#include "core/analysis/iterations/SteadyState.h"
#include "core/analysis/telemetry/Burstiness.h"

#include <optional>
#include <vector>

namespace trainscope::analysis {

struct PowerSpectrum {
    UniformSeries power; // summed over those recorded throughout, W
    std::vector<Series> leftOut; // power of the other GPUs
    SteadyState state; // the window; the whole run where the steady part is too short for lines
    std::vector<SpectralLine> lines; // strongest first
};

// Absent without power of GPUs recorded at the same time. Over the whole run where that is asked
// for. Cancelled by progress.
Result<std::optional<PowerSpectrum>> powerSpectrumOf(
    const RunStudy& study, bool wholeRun, std::size_t mostLines);

} // namespace trainscope::analysis
