#include "core/predict/profile/ShapeRegressor.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace trainscope::predict {

namespace {

constexpr double kKernelStart = 5e-6; // s
constexpr std::size_t kNearest = 4;
constexpr std::size_t kNeighbourhood = 8; // samples by whose median one stands out
constexpr float kSameShape = 0.02F; // e-folds within which samples count alike

// Head sizes that are multiples of 64, 32, 16 take different kernels: how far a doubling sets
// shapes apart, in e-folds.
constexpr float kAlignmentStep = 0.3F;
float alignmentOf(const Operator& work) {
    double headSize = 0.0;
    if (work.kind == OperatorKind::AttentionScores)
        headSize = work.k;
    else if (work.kind == OperatorKind::AttentionValues
        || work.kind == OperatorKind::FlashAttention)
        headSize = work.n;
    else
        return 0.0F;
    constexpr int kLargest = 6; // 2⁶
    const auto size = static_cast<std::uint64_t>(headSize);
    int power = 0;
    while (power < kLargest && size % (std::uint64_t{2} << power) == 0)
        ++power;
    return kAlignmentStep * static_cast<float>(power);
}

ShapeRegressor::Features featuresOf(const Operator& work) {
    const auto logarithm = [](double size) { return static_cast<float>(std::log(size)); };
    return {logarithm(work.batch), logarithm(work.m), logarithm(work.n), logarithm(work.k),
        alignmentOf(work)};
}

float squaredDistance(const ShapeRegressor::Features& a, const ShapeRegressor::Features& b) {
    float sum = 0.0F;
    for (std::size_t i = 0; i < ShapeRegressor::kFeatures; ++i)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

// The nearest of so many, in ascending distance.
template <std::size_t Most>
class Nearest {
public:
    struct Found {
        float squared = std::numeric_limits<float>::infinity();
        float value = 0.0F;
    };

    void offer(float squared, float value) {
        if (m_count == Most && squared >= m_found[Most - 1].squared)
            return;
        std::size_t at = m_count < Most ? m_count++ : Most - 1;
        for (; at > 0 && m_found[at - 1].squared > squared; --at)
            m_found[at] = m_found[at - 1];
        m_found[at] = {squared, value};
    }
    [[nodiscard]] std::size_t size() const { return m_count; }
    [[nodiscard]] const Found& operator[](std::size_t i) const { return m_found[i]; }
    [[nodiscard]] float medianValue() const {
        std::array<float, Most> values{};
        for (std::size_t i = 0; i < m_count; ++i)
            values[i] = m_found[i].value;
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(m_count / 2);
        std::nth_element(
            values.begin(), middle, values.begin() + static_cast<std::ptrdiff_t>(m_count));
        return *middle;
    }

private:
    std::array<Found, Most> m_found;
    std::size_t m_count = 0;
};

} // namespace

double idealSeconds(const Operator& work, Direction direction, const GpuPeaks& peaks) {
    const Work needed = workIn(work, direction);
    return std::max(needed.flop / peaks.flops, needed.bytes / peaks.memoryBandwidth) + kKernelStart;
}

ShapeRegressor::ShapeRegressor(
    const std::vector<TimedOperator>& samples, Direction direction, GpuPeaks peaks)
    : m_direction(direction)
    , m_peaks(peaks) {
    m_points.reserve(samples.size());
    for (const TimedOperator& sample : samples) {
        const double seconds = sample.in(direction);
        if (std::isnan(seconds))
            continue;
        const double ratio = std::log(seconds / idealSeconds(sample.work, direction, peaks));
        m_points.push_back({featuresOf(sample.work), static_cast<float>(ratio)});
    }
}

ShapeRegressor::Answer ShapeRegressor::secondsOf(const Operator& work) const {
    if (m_points.empty())
        return {};
    const Features at = featuresOf(work);
    Nearest<kNearest> nearest;
    for (const Point& point : m_points)
        nearest.offer(squaredDistance(at, point.features), point.logRatio);
    double sum = 0.0;
    double weights = 0.0;
    for (std::size_t i = 0; i < nearest.size(); ++i) {
        const double reach = std::sqrt(nearest[i].squared) + kSameShape;
        const double weight = 1.0 / (reach * reach);
        sum += weight * static_cast<double>(nearest[i].value);
        weights += weight;
    }
    const double ideal = idealSeconds(work, m_direction, m_peaks);
    return {ideal * std::exp(sum / weights), std::sqrt(nearest[0].squared)};
}

std::vector<double> ShapeRegressor::standOut(
    const std::vector<TimedOperator>& samples, Direction direction, const GpuPeaks& peaks) {
    const ShapeRegressor all(samples, direction, peaks);
    std::vector<double> distances;
    distances.reserve(samples.size());
    std::size_t at = 0;
    for (const TimedOperator& sample : samples) {
        if (std::isnan(sample.in(direction))) {
            distances.push_back(kNotTimed);
            continue;
        }
        Nearest<kNeighbourhood> others;
        for (std::size_t i = 0; i < all.m_points.size(); ++i) {
            if (i != at)
                others.offer(squaredDistance(all.m_points[at].features, all.m_points[i].features),
                    all.m_points[i].logRatio);
        }
        const float usual = others.size() == 0 ? all.m_points[at].logRatio : others.medianValue();
        distances.push_back(static_cast<double>(all.m_points[at].logRatio - usual));
        ++at;
    }
    return distances;
}

} // namespace trainscope::predict
