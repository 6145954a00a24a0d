#pragma once
// ShapeRegressor: what one direction of a family of operators takes, by its samples: the logarithm
// of measured over ideal time as a function of the logarithms of the shape. And which samples
// cannot be true, by what a GPU can do at most and by their neighbours, and what stands in for
// them. Immutable; any thread.

#include "core/catalogue/GpuModel.h"
#include "core/predict/profile/Timings.h"

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

// Result of cleaning one list of samples.
struct Cleaned {
    std::size_t leftOut = 0; // samples without one of their times, or without both
    std::vector<std::string> notes;
};

// Faster than the peaks allow, or standing out of their neighbours, becomes kNotTimed. A direction
// most of whose times cannot be true goes as a whole; so does a backward time that only repeats the
// forward one, where its work is another. Samples without any time are taken out.
Cleaned cleanOperators(std::vector<TimedOperator>& samples, const GpuPeaks& peaks);

// Faster than the GPU's links or any network card, or standing out of the running median, is taken
// out. The rows are sorted by bytes.
Cleaned cleanExchanges(CollectiveTimings& timings, const catalogue::GpuModel& gpu);

// Median of backward over forward; absent without a sample that has both.
std::optional<double> backwardRatio(const std::vector<TimedOperator>& samples);

} // namespace trainscope::predict
