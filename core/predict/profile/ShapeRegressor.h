#pragma once
// ShapeRegressor: what one direction of a family of operators takes, by its samples: the logarithm
// of measured over ideal time as a function of the logarithms of the shape. Immutable; any thread.

#include "core/predict/profile/Timings.h"

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

namespace trainscope::predict {

struct GpuPeaks {
    double flops = 0.0; // 1/s
    double memoryBandwidth = 0.0; // B/s
};

// Least seconds of the work, with the start of a kernel. An optimizer's step is "forward".
double idealSeconds(const Operator& work, Direction direction, const GpuPeaks& peaks);

class ShapeRegressor {
public:
    static constexpr std::size_t kFeatures = 5;
    using Features = std::array<float, kFeatures>;

    struct Answer {
        double seconds = 0.0;
        double distance = 0.0; // to the nearest sample, in e-folds of the shape
    };

    ShapeRegressor() = default;
    // Samples without a time of that direction are passed over.
    ShapeRegressor(const std::vector<TimedOperator>& samples, Direction direction, GpuPeaks peaks);

    [[nodiscard]] bool isEmpty() const { return m_points.empty(); }
    [[nodiscard]] Answer secondsOf(const Operator& work) const;

    // For each sample (in order; NaN where it has no time) the logarithm of its ratio over the
    // median of its nearest ones: how far it stands out.
    static std::vector<double> standOut(
        const std::vector<TimedOperator>& samples, Direction direction, const GpuPeaks& peaks);

private:
    struct Point {
        Features features;
        float logRatio = 0.0F;
    };

    std::vector<Point> m_points;
    Direction m_direction = Direction::Forward;
    GpuPeaks m_peaks;
};

} // namespace trainscope::predict
