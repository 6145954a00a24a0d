#pragma once
// Temperatures of GPUs: the gradient from front to rear, the time until they settle, and their
// response to power.

#include "core/analysis/telemetry/UniformSeries.h"

namespace trainscope::analysis {

// Front to rear: how much hotter the GPUs in the exhaust are than those that get fresh air.

// Local indices of a node's GPUs from front (fresh air) to rear. The seat of an index differs
// between machines; unless a cluster description says so, ascending local indices are assumed.
using AirflowOrder = std::vector<int>;

struct NodeGradient {
    int node = 0;
    double frontC = 0.0; // mean of the front half
    double rearC = 0.0;
};

struct AirflowGradient {
    double celsius = 0.0; // mean over nodes of mean(rear half) − mean(front half)
    double frontC = 0.0;
    double rearC = 0.0;
    double hotterBy = 0.0; // rear / front − 1, in °C over °C as operators quote it
    std::vector<NodeGradient> nodes; // nodes with GPUs in both halves
};

// "4,5,6,7,0,1,2,3". Usage names what is wrong.
Result<AirflowOrder> parseAirflow(std::string_view text);
// An order must name each local index that the run's GPUs have once. Usage names what is wrong.
Status checkAirflow(const AirflowOrder& order, const std::vector<Gpu>& gpus);

// means[node][local] = mean temperature. In an odd order the middle GPU belongs to neither half.
// An empty order means ascending local indices. Absent where no node has both halves.
std::optional<AirflowGradient> airflowGradient(
    const std::map<int, std::map<int, double>>& means, const AirflowOrder& order = {});

// Settling of a temperature: the first moment from which on its moving mean (over 5 % of the
// record) stays within a tolerance of its final level (the mean of the last quarter). The tolerance
// is 1 °C, or 5 % of the way from the first moving mean to the final level where that is more.

inline constexpr double kSettledWithinC = 1.0;
inline constexpr double kSettledWithinRise = 0.05;

// Absent where it never settles before the last quarter, or fewer than 40 steps are known.
std::optional<TimeNs> settledFrom(const UniformSeries& temperature);

// Moment from which the last GPU of a run has settled.
struct RunSettling {
    std::optional<TimeNs> from; // absent where one of them never does, or there are none
    int gpus = 0;
    int unsettled = 0; // GPUs that never settle
};
// Found once in a study. Cancelled by progress.
Result<RunSettling> runSettling(const RunStudy& study);

// Response of a GPU's temperature to its power: a first-order thermal model τ · dT/dt = T_rest + R
// · P(t) − T fitted over the whole record at once (the model is simulated from its first moment and
// compared with every temperature), so that the rounding of sensors to whole degrees does not bias
// τ as it would a regression of differences.
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
