#include "core/predict/profile/ShapeRegressor.h"

#include "core/analysis/statistics/Means.h"
#include "core/predict/profile/ProfiledCosts.h"

#include <fmt/format.h>

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

namespace {

// Tensors that the chip's own memory holds need not move.
constexpr double kOnChip = 128.0 * 1024.0 * 1024.0; // B
// Least traffic, as a share of the ideal bytes: inputs that repeat (rows of an embedding) stay on
// the chip.
constexpr double kLeastTraffic = 0.45;
constexpr double kBroken = 0.2; // share of impossible times from which none is believed
constexpr double kRepeats = 0.9;
const double kOperatorOutlier = std::log(3.0);
const double kExchangeOutlier = std::log(2.0);
constexpr double kFastestCard = 100e9; // B/s of a GPU's network: 800 Gbit/s
constexpr double kFastestLink = 1.8e12; // B/s, where the catalogue does not say
constexpr std::size_t kMedianWindow = 31;
constexpr double kTwoModes = 0.15; // share of samples off the median from which it is two

double leastSeconds(const Operator& work, Direction direction, const GpuPeaks& peaks) {
    const Work needed = workIn(work, direction);
    return std::max(needed.flop / peaks.flops,
        kLeastTraffic * (needed.bytes - kOnChip) / peaks.memoryBandwidth);
}

std::string_view nameOf(Direction direction) {
    return direction == Direction::Forward ? "forward" : "backward";
}

void dropAll(std::vector<TimedOperator>& samples, Direction direction) {
    for (TimedOperator& sample : samples)
        sample.in(direction) = kNotTimed;
}

void dropImpossible(std::vector<TimedOperator>& samples, Direction direction, const GpuPeaks& peaks,
    std::vector<std::string>& notes) {
    std::size_t timed = 0;
    std::vector<TimedOperator*> impossible;
    for (TimedOperator& sample : samples) {
        const double seconds = sample.in(direction);
        timed += std::isnan(seconds) ? 0U : 1U;
        if (seconds <= 0.0 || seconds < leastSeconds(sample.work, direction, peaks))
            impossible.push_back(&sample);
    }
    if (impossible.empty())
        return;
    const bool isBroken
        = static_cast<double>(impossible.size()) > kBroken * static_cast<double>(timed);
    if (isBroken)
        dropAll(samples, direction);
    for (TimedOperator* sample : impossible)
        sample->in(direction) = kNotTimed;
    notes.push_back(fmt::format("{} of {} {} times are shorter than the GPU's peaks allow{}",
        impossible.size(), timed, nameOf(direction), isBroken ? ": none is used" : ""));
}

void dropOutliers(std::vector<TimedOperator>& samples, Direction direction, const GpuPeaks& peaks,
    std::vector<std::string>& notes) {
    const auto distances = ShapeRegressor::standOut(samples, direction, peaks);
    std::size_t dropped = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        if (std::abs(distances[i]) > kOperatorOutlier) { // false for NaN
            samples[i].in(direction) = kNotTimed;
            ++dropped;
        }
    }
    if (dropped > 0)
        notes.push_back(fmt::format("{} {} time{} more than 3 times off the neighbours' median",
            dropped, nameOf(direction), dropped == 1 ? " is" : "s are"));
}

// A column that was filled with another one.
void noteRepeated(const std::vector<TimedOperator>& samples, std::vector<std::string>& notes) {
    std::size_t both = 0;
    std::size_t equal = 0;
    for (const TimedOperator& sample : samples) {
        if (std::isnan(sample.forward) || std::isnan(sample.backward))
            continue;
        ++both;
        equal += sample.forward == sample.backward ? 1U : 0U;
    }
    if (both > 0 && static_cast<double>(equal) > kRepeats * static_cast<double>(both))
        notes.push_back("backward times repeat the forward ones");
}

// B/s of the bus that an exchange cannot exceed.
double fastestBus(const CollectiveTimings& timings, const catalogue::GpuModel& gpu) {
    if (timings.nodes == 1)
        return gpu.linkBandwidth.value_or(kFastestLink);
    return kFastestCard * timings.gpusPerNode;
}

} // namespace

std::optional<double> backwardRatio(const std::vector<TimedOperator>& samples) {
    std::vector<double> ratios;
    for (const TimedOperator& sample : samples) {
        const double ratio = sample.backward / sample.forward;
        if (std::isfinite(ratio))
            ratios.push_back(ratio);
    }
    return ratios.empty() ? std::nullopt : std::optional(analysis::upperMedian(std::move(ratios)));
}

Cleaned cleanOperators(std::vector<TimedOperator>& samples, const GpuPeaks& peaks) {
    std::vector<std::string> notes;
    const auto timesIn = [&samples] {
        std::vector<bool> timed;
        for (const TimedOperator& sample : samples) {
            timed.push_back(!std::isnan(sample.forward));
            timed.push_back(!std::isnan(sample.backward));
        }
        return timed;
    };
    const auto before = timesIn();
    noteRepeated(samples, notes);
    for (const Direction direction : {Direction::Forward, Direction::Backward}) {
        dropImpossible(samples, direction, peaks, notes);
        dropOutliers(samples, direction, peaks, notes);
    }
    const auto after = timesIn();
    std::size_t leftOut = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        if (before[2 * i] != after[2 * i] || before[2 * i + 1] != after[2 * i + 1])
            ++leftOut;
    }
    std::erase_if(samples, [](const TimedOperator& sample) {
        return std::isnan(sample.forward) && std::isnan(sample.backward);
    });
    return {leftOut, std::move(notes)};
}

Cleaned cleanExchanges(CollectiveTimings& timings, const catalogue::GpuModel& gpu) {
    Cleaned cleaned;
    auto& rows = timings.rows;
    std::stable_sort(
        rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
    const std::size_t all = rows.size();
    const double perByte
        = analysis::busFactor(timings.kind, 1.0 * timings.nodes * timings.gpusPerNode);
    const double fastest = fastestBus(timings, gpu);
    std::erase_if(rows, [&](const TimedExchange& row) {
        return row.seconds <= 0.0 || perByte * row.bytes / row.seconds > fastest;
    });
    if (rows.size() < all)
        cleaned.notes.push_back(fmt::format(
            "{} of {} are faster than links and network cards are", all - rows.size(), all));
    const auto medians = runningMedian(rows, kMedianWindow);
    std::vector<TimedExchange> kept;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (std::abs(std::log(rows[i].seconds / rows[i].bytes / medians[i])) < kExchangeOutlier)
            kept.push_back(rows[i]);
    }
    const std::size_t off = rows.size() - kept.size();
    if (off > 0)
        cleaned.notes.push_back(fmt::format("{} more than twice off the running median", off));
    if (static_cast<double>(off) > kTwoModes * static_cast<double>(rows.size()))
        cleaned.notes.push_back("the times have two modes: the more frequent one is used");
    rows = std::move(kept);
    cleaned.leftOut = all - rows.size();
    return cleaned;
}

} // namespace trainscope::predict
