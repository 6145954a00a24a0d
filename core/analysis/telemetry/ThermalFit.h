#pragma once
// How a GPU's temperature follows its power: a first-order thermal model
//     τ · dT/dt = T_rest + R · P(t) − T
// fitted over the whole record at once (the model is simulated from its first moment and compared
// with every temperature), so that the rounding of sensors to whole degrees does not bias τ as it
// would a regression of differences.

#include "core/analysis/telemetry/UniformSeries.h"

#include <optional>

namespace trainscope::analysis {

struct ThermalFit {
    double timeConstantS = 0.0; // τ
    double resistanceCPerW = 0.0; // R
    double restC = 0.0; // T_rest: without power
    double residualC = 0.0; // root mean square of measured − model
    double explained = 0.0; // 1 − residual variance / variance of the temperature
};

// Power and temperature on the same grid. Absent where the record cannot tell: fewer than 32
// moments with both, hardly any change of temperature (< 2 °C), a τ at the edge of what the record
// can show (shorter than two steps or longer than the record), or a model that explains less than
// half.
std::optional<ThermalFit> fitThermal(const UniformSeries& power, const UniformSeries& temperature);

} // namespace trainscope::analysis
