#include "core/analysis/steps/IterationTable.h"

#include "core/analysis/statistics/Means.h"

namespace trainscope::analysis {

namespace {

constexpr std::size_t kLeastValues = 12;
constexpr std::size_t kMostChanges = 12;
constexpr std::size_t kOnEachSide = 5; // values on each side of one; as many in a row are outliers
constexpr double kMostFromMedian = 5.0; // standard deviations
constexpr double kEqual = 1e-7; // share of a value by which means of one reading may differ
constexpr double kLeastLevel = 0.08; // part of a level of the series, up to kMostLeast values
constexpr double kLeastConstant = 0.25; // the same where nothing tells the noise
constexpr std::size_t kMostLeast = 200;
constexpr double kWarmup = 0.05; // share of the series: what is slower up to there is warm-up
constexpr double kPenalty = 6.0; // for each change, times log n
constexpr double kMostCorrelation = 0.98;
constexpr double kStandsAlone
    = 3.0; // a deviation of few values that stand alone is itself uncertain
constexpr double kNormal90 = 1.645;
constexpr double kMoment90 = 5.94; // 2 log likelihood ratio (Siegmund 1988)
constexpr double kSteeper = 10.0; // levels lie closer than a line by it, variances of a mean

std::vector<double> withoutOutliers(std::span<const double> values) {
    std::vector<double> usual;
    std::vector<double> apart;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t from = i - std::min(i, kOnEachSide);
        const auto around
            = values.subspan(from, std::min(values.size(), i + kOnEachSide + 1) - from);
        usual.push_back(medianOf({around.begin(), around.end()}));
        apart.push_back(std::abs(values[i] - usual.back()));
    }
    const double most = kMostFromMedian * 1.4826 * medianOf(apart);
    for (std::size_t i = 0; i < values.size(); ++i)
        usual[i] = std::clamp(values[i], usual[i] - most, usual[i] + most);
    return usual;
}

using Bounds = std::vector<std::size_t>; // 0, the changes, and the number of values

struct Noise {
    double innovations = 0.0; // squares of what the value before does not explain
    double variance = 0.0;
    double alike = 1.0; // values that tell as much as one that stands alone
};

class Segmentation {
public:
    Segmentation(std::span<const double> values, double leastShare)
        : m_raw(values)
        , m_values(withoutOutliers(values))
        , m_centre(medianOf(m_values))
        , m_least(std::clamp(static_cast<std::size_t>(leastShare * double(values.size())),
              kOnEachSide + 1, leastShare < kLeastConstant ? kMostLeast : values.size())) {
        m_upTo.emplace_back();
        for (std::size_t i = 0; i < m_values.size(); ++i) {
            const double y = m_values[i] - m_centre;
            const auto& [sum, squares, products] = m_upTo.back();
            m_upTo.push_back({sum + y, squares + y * y, products + static_cast<double>(i) * y});
        }
    }

    std::vector<LevelChange> find() {
        Bounds best = bounded();
        while (best.size() > 2) {
            const auto changes = changesAt(best);
            const auto weakest = std::ranges::min_element(changes, {}, &LevelChange::errors);
            if (weakest->errors >= kCertain)
                return changes;
            best.erase(best.begin() + 1 + (weakest - changes.begin()));
            refine(best);
        }
        return {};
    }

private:
    [[nodiscard]] double sum(std::size_t from, std::size_t end, std::size_t of) const {
        return m_upTo[end][of] - m_upTo[from][of];
    }
    [[nodiscard]] double mean(std::size_t from, std::size_t end) const {
        return m_centre + sum(from, end, 0) / static_cast<double>(end - from);
    }
    // About the mean.
    [[nodiscard]] double squares(std::size_t from, std::size_t end) const {
        const double all = sum(from, end, 0);
        return std::max(0.0, sum(from, end, 1) - all * all / static_cast<double>(end - from));
    }
    // About the line that fits best.
    [[nodiscard]] double squaresOfLine(std::size_t from, std::size_t end) const {
        const auto n = static_cast<double>(end - from);
        const double middle = static_cast<double>(from + end - 1) / 2.0;
        const double product = sum(from, end, 2) - middle * sum(from, end, 0);
        return squares(from, end) - product * product / (n * (n * n - 1.0) / 12.0);
    }

    // Gain, and place.
    [[nodiscard]] std::pair<double, std::size_t> split(std::size_t from, std::size_t end) const {
        std::pair<double, std::size_t> best;
        const double whole = squares(from, end);
        for (std::size_t at = from + m_least; at + m_least <= end; ++at)
            best = std::max(best, std::pair(whole - squares(from, at) - squares(at, end), at));
        return best;
    }
    // Each change to where it fits best between its neighbours.
    void refine(Bounds& bounds) const {
        for (std::size_t i = 1; i + 1 < bounds.size(); ++i) {
            if (const auto found = split(bounds[i - 1], bounds[i + 1]); found.first > 0.0)
                bounds[i] = found.second;
        }
    }

    // The levels of the best number.
    [[nodiscard]] Bounds bounded() const {
        Bounds bounds{0, m_values.size()};
        Bounds best = bounds;
        double least = costOf(bounds);
        while (bounds.size() < kMostChanges + 2) {
            std::pair<double, std::size_t> next;
            for (std::size_t i = 1; i < bounds.size(); ++i)
                next = std::max(next, split(bounds[i - 1], bounds[i]));
            if (next.first <= 0.0)
                break;
            bounds.insert(std::ranges::upper_bound(bounds, next.second), next.second);
            refine(bounds);
            if (const double cost = costOf(bounds); cost < least) {
                least = cost;
                best = bounds;
            }
        }
        return best;
    }
    [[nodiscard]] double costOf(const Bounds& bounds) const {
        const auto n = static_cast<double>(m_values.size());
        const double tiny = 1e-9 * m_centre;
        return n * std::log(noiseOf(bounds).innovations / n + tiny * tiny)
            + kPenalty * std::log(n) * static_cast<double>(bounds.size() - 2);
    }

    [[nodiscard]] Noise noiseOf(const Bounds& bounds) const {
        const auto n = static_cast<double>(m_values.size());
        const auto levels = static_cast<double>(bounds.size() - 1);
        std::vector<double> rest;
        double all = 0.0;
        double products = 0.0;
        for (std::size_t i = 1; i < bounds.size(); ++i) {
            const double level = mean(bounds[i - 1], bounds[i]);
            for (std::size_t at = bounds[i - 1]; at < bounds[i]; ++at) {
                products += at > 0 ? (m_values[at] - level) * rest.back() : 0.0;
                rest.push_back(m_values[at] - level);
                all += rest.back() * rest.back();
            }
        }
        // Means that are taken off make neighbours look less alike.
        const double seen = all > 0.0 ? products / all : 0.0;
        const double correlation
            = std::clamp(seen + levels * (1.0 + 4.0 * seen) / n, 0.0, kMostCorrelation);
        Noise noise{rest[0] * rest[0], all / std::max(n - levels, 1.0),
            (1.0 + correlation) / (1.0 - correlation)};
        for (std::size_t i = 1; i < rest.size(); ++i) {
            const double own = rest[i] - correlation * rest[i - 1];
            noise.innovations += own * own;
        }
        return noise;
    }

    [[nodiscard]] std::vector<LevelChange> changesAt(const Bounds& bounds) const {
        const Noise noise = noiseOf(bounds);
        const double variance
            = noise.variance * noise.alike; // variance of a mean, times its values
        const double few = kStandsAlone * noise.alike / static_cast<double>(m_values.size());
        std::vector<LevelChange> changes;
        for (std::size_t i = 1; i + 1 < bounds.size(); ++i) {
            const std::size_t from = bounds[i - 1];
            const std::size_t at = bounds[i];
            const std::size_t end = bounds[i + 1];
            LevelChange one{at, at, at, mean(from, at), mean(at, end)};
            const double error = std::sqrt(variance
                * (1.0 / static_cast<double>(at - from) + 1.0 / static_cast<double>(end - at)));
            one.margin = kNormal90 * error;
            const double rest = squares(from, at) + squares(at, end);
            const bool isDrift = squaresOfLine(from, end) - rest < kSteeper * variance;
            const bool isWarmup = one.ratio() < 1.0
                && static_cast<double>(at) < kWarmup * static_cast<double>(m_values.size());
            if (!isDrift && !isWarmup && std::abs(one.ratio() - 1.0) >= kLeastChange)
                one.errors = error > 0.0 ? std::abs(one.after - one.before) / error / (1.0 + few)
                                         : std::numeric_limits<double>::max();
            bound(one, from, end, rest + kMoment90 * variance);
            changes.push_back(one);
        }
        return changes;
    }

    // Moments whose fit is not much worse, with means over iterations before and behind the change.
    void bound(LevelChange& one, std::size_t from, std::size_t end, double most) const {
        const auto fits
            = [&](std::size_t at) { return squares(from, at) + squares(at, end) <= most; };
        const auto isBetween = [&](std::size_t at) {
            const double share = (m_raw[at] - one.before) / (one.after - one.before);
            return share > 0.1 && share < 0.9;
        };
        while (one.earliest > from + 1 && fits(one.earliest - 1))
            --one.earliest;
        while (one.latest + 1 < end && fits(one.latest + 1))
            ++one.latest;
        one.latest += isBetween(one.latest) ? 1U : 0U;
        one.earliest -= isBetween(one.earliest - 1) ? 1U : 0U;
    }

    std::span<const double> m_raw;
    std::vector<double> m_values;
    double m_centre;
    std::size_t m_least; // values of a level
    // Sums of the values, of their squares and of their products with their places.
    std::vector<std::array<double, 3>> m_upTo;
};

} // namespace

std::vector<LevelChange> levelChanges(std::span<const double> values) {
    std::vector<std::size_t> first; // value of each reading
    std::vector<double> readings;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i > 0 && std::abs(values[i] - readings.back()) <= kEqual * values[i])
            continue;
        first.push_back(i);
        readings.push_back(values[i]);
    }
    const bool areMeans = readings.size() >= kLeastValues;
    if (!areMeans && values.size() < kLeastValues)
        return {};
    auto changes = areMeans ? Segmentation(readings, kLeastLevel).find()
                            : Segmentation(values, kLeastConstant).find();
    for (LevelChange& one : changes) {
        for (std::size_t* const place : {&one.at, &one.earliest, &one.latest})
            *place = areMeans ? first[*place] : *place;
    }
    return changes;
}

} // namespace trainscope::analysis
