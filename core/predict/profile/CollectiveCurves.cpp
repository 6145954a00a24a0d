#include "core/predict/profile/CollectiveCurves.h"

#include "core/predict/profile/Running.h"

#include <algorithm>
#include <cmath>

namespace trainscope::predict {

namespace {

constexpr std::size_t kSmoothedOver = 15; // samples
constexpr std::size_t kMostPoints = 200; // of a curve

} // namespace

CollectiveCurve curveOf(const CollectiveTimings& timings) {
    CollectiveCurve curve{timings.kind, timings.nodes, timings.gpusPerNode, {}, {}, 0.0};
    const auto& rows = timings.rows;
    // A run makes many exchanges: where times alternate between two, their mean is what counts.
    const auto smooth = runningMean(rows, kSmoothedOver);
    const std::size_t step = (rows.size() + kMostPoints - 1) / kMostPoints;
    double squares = 0.0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double bytes = rows[i].bytes;
        const double off = std::log(rows[i].seconds / bytes / smooth[i]);
        squares += off * off;
        const bool isTaken = i % step == 0 || i + 1 == rows.size();
        if (isTaken && (curve.bytes.empty() || bytes > curve.bytes.back())) {
            curve.bytes.push_back(bytes);
            curve.secondsPerByte.push_back(smooth[i]);
        }
    }
    curve.spread = std::sqrt(squares / static_cast<double>(rows.size()));
    return curve;
}

double secondsOn(const CollectiveCurve& curve, double bytes) {
    const auto& at = curve.bytes;
    const auto above = std::upper_bound(at.begin(), at.end(), bytes);
    if (above == at.begin())
        return bytes * curve.secondsPerByte.front();
    if (above == at.end())
        return bytes * curve.secondsPerByte.back();
    const auto i = static_cast<std::size_t>(above - at.begin());
    const double part = std::log(bytes / at[i - 1]) / std::log(at[i] / at[i - 1]);
    const double before = curve.secondsPerByte[i - 1];
    return bytes * (before + part * (curve.secondsPerByte[i] - before));
}

} // namespace trainscope::predict
