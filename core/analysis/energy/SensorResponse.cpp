#include "core/analysis/energy/SensorResponse.h"

#include "core/model/Gather.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace trainscope::analysis {
namespace {

constexpr double kShortestNs = 6e6;
constexpr double kLongestNs = 2e9;
constexpr double kSparseRatio = 1.8; // between neighbouring windows, if all delays are tried
constexpr double kDenseRatio = 1.1; // the same, if only delays around one are tried
constexpr double kAroundNs = 80e6; // reach around that delay
constexpr double kFinestStepNs = 8e6; // step of the first looks: phases are seldom shorter

// Spreads are those of the prior; it has long tails.
constexpr double kUsualWindowNs = 150e6; // a sensor of unknown kind
constexpr double kKnownSpread = 0.5; // spread of ln w around the kind's window
constexpr double kUnknownSpread = 2.0;
constexpr double kEarlySpreadNs = 20e6; // a sensor does not foresee, clocks differ a little
constexpr double kLateSpreadNs = 100e6;
constexpr double kMovedSpreadNs = 0.3e9;
constexpr double kIdleShare = 0.2; // share of the GPU's highest power, between kernels
constexpr double kIdleSpread = 0.1;
constexpr double kExcessShare = 0.05; // share of the GPU's highest power

constexpr std::size_t kCoarseReadings = 300;
constexpr std::size_t kFineReadings = 1000;
constexpr std::size_t kAllReadings = 5000;
constexpr std::size_t kMostOpenResponses = 6;
constexpr double kBesideEdgeNs = 2.2e9; // behind an edge of the timeline, and before it a third
constexpr double kOpen = 9.0; // difference of −2 ln likelihood that readings do not tell apart
constexpr double kSame = 0.02; // share of the window
constexpr double kHopNs = 150e6;
constexpr double kHopSlack = 60.0; // the same for few readings
constexpr double kEdgeNoiseW2 = 1.0;
constexpr double kRoundingW2 = 1.0 / 12.0; // variance of a reading in whole watts
constexpr double kWhollyTraced = 0.999; // share of a window that reaches over no gap
constexpr double kNotExplained = std::numeric_limits<double>::infinity();

struct TriedResponse {
    SensorResponse response;
    double score = kNotExplained; // −2 ln of the likelihood and the prior
};

class ResponseSearch {
public:
    ResponseSearch(
        const ClassTimes& times, std::span<const PowerReading> readings, const SensorFacts& facts)
        : m_times(times)
        , m_readings(readings)
        , m_facts(facts)
        , m_shares(times.classes()) {
        for (const PowerReading& reading : readings) {
            if (reading.atNs < 0.0 || reading.atNs > times.lengthNs())
                continue;
            const double beyond = reading.watts - m_mean;
            m_mean += beyond / static_cast<double>(++m_inside);
            m_variance += beyond * (reading.watts - m_mean);
        }
        m_variance /= static_cast<double>(std::max<std::size_t>(1, m_inside));
    }

    std::vector<SensorResponse> find() {
        take(kCoarseReadings);
        const TriedResponse wide = widest();
        std::vector<TriedResponse> found = valleys(wide.response);
        found.push_back(wide);
        for (TriedResponse& one : found)
            one = refined(one, 12, 0.5);
        keepBest(found);
        for (std::size_t i = 0, count = found.size(); i < count; ++i)
            hop(found[i], found);
        keepBest(found);
        take(kFineReadings);
        for (TriedResponse& one : found) {
            one.score = score(one.response);
            one = refined(refined(one, 20, 0.25), 15, 0.03);
        }
        keepWithin(found, 3.0 * kOpen);
        take(kAllReadings);
        for (TriedResponse& one : found) {
            one.score = score(one.response);
            one = refined(one, 15, 0.01);
        }
        keepWithin(found, kOpen);
        keepBest(found);
        const std::vector<SensorResponse> responses = vectorOf(found, &TriedResponse::response);
        return responses.empty() ? std::vector{usual()} : responses;
    }

private:
    static bool isBetter(const TriedResponse& a, const TriedResponse& b) {
        return a.score < b.score;
    }

    // Every so many readings count, and of those at the edges as many again.
    void take(std::size_t most) {
        m_stride = std::max<std::size_t>(1, (m_inside + most - 1) / most);
        m_edge.clear();
        for (const double edge : {0.0, m_times.lengthNs()}) {
            for (const PowerReading& reading : m_readings) {
                if (reading.atNs > edge - kBesideEdgeNs / 3.0
                    && reading.atNs < edge + kBesideEdgeNs)
                    m_edge.push_back(reading);
            }
        }
        const std::size_t stride = std::max<std::size_t>(1, 3 * m_edge.size() / most);
        for (std::size_t i = 0; i * stride < m_edge.size(); ++i)
            m_edge[i] = m_edge[i * stride];
        m_edge.resize(m_edge.size() / stride);
    }

    static void keepBest(std::vector<TriedResponse>& found) {
        std::ranges::sort(found, isBetter);
        std::vector<TriedResponse> kept;
        for (const TriedResponse& one : found) {
            const bool isKnown = std::ranges::any_of(kept,
                [&](const TriedResponse& other) { return isSame(one.response, other.response); });
            if (!isKnown && kept.size() < kMostOpenResponses)
                kept.push_back(one);
        }
        found = std::move(kept);
    }
    static bool isSame(const SensorResponse& a, const SensorResponse& b) {
        const double near = std::max(kSame * b.windowNs, 0.5e6);
        return std::abs(a.windowNs - b.windowNs) < near && std::abs(a.delayNs - b.delayNs) < near;
    }

    // Other delays of the same window: work that repeats itself fits again a period later.
    void hop(TriedResponse from, std::vector<TriedResponse>& found) {
        const double step = std::max(2e6, from.response.windowNs / 16.0);
        std::array<TriedResponse, 3> last;
        for (double moved = -kHopNs; moved <= kHopNs; moved += step) {
            last = {last[1], last[2], at(from.response.windowNs, from.response.delayNs + moved)};
            if (isBetter(last[1], last[0]) && !isBetter(last[2], last[1])
                && last[1].score < from.score + kHopSlack)
                found.push_back(refined(last[1], 8, 0.1));
        }
    }

    [[nodiscard]] SensorResponse usual() const {
        const double window = m_facts.windowNs > 0.0 ? m_facts.windowNs : kUsualWindowNs;
        return {window, m_facts.isMoved ? 0.0 : window / 2.0};
    }

    static void keepWithin(std::vector<TriedResponse>& found, double slack) {
        if (found.empty())
            return;
        const double best = std::ranges::min_element(found, isBetter)->score;
        std::erase_if(
            found, [&](const TriedResponse& one) { return !(one.score <= best + slack); });
    }

    // The best with a delay between two, for one window.
    TriedResponse bestOf(double windowNs, double earliest, double latest) {
        TriedResponse found;
        const double step = std::max(kFinestStepNs, windowNs / 4.0);
        for (double delay = earliest; delay <= latest; delay += step) {
            const SensorResponse response{windowNs, delay};
            found = std::min(found, {response, score(response)}, isBetter);
        }
        return found;
    }

    // Few windows, all delays.
    TriedResponse widest() {
        TriedResponse found{usual(), kNotExplained};
        for (double window = 2.5 * kShortestNs; window <= kLongestNs; window *= kSparseRatio)
            found = std::min(found,
                m_facts.isMoved ? bestOf(window, -1e9, 1e9) : bestOf(window, -0.5e9, 1.5e9),
                isBetter);
        return found;
    }

    // Windows that do better than their neighbours, with delays around what is known: work that
    // repeats itself is explained nearly as well by windows that differ by its period.
    std::vector<TriedResponse> valleys(const SensorResponse& around) {
        std::vector<TriedResponse> all;
        for (double window = kShortestNs; window <= kLongestNs; window *= kDenseRatio) {
            const double moved
                = around.delayNs + (m_facts.isMoved ? 0.0 : window - around.windowNs) / 2.0;
            all.push_back(bestOf(window, moved - kAroundNs, moved + kAroundNs));
            if (!m_facts.isMoved)
                all.back() = std::min(
                    all.back(), bestOf(window, window / 2.0, window / 2.0 + kAroundNs), isBetter);
        }
        std::vector<TriedResponse> found;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const bool isLow = (i == 0 || all[i].score <= all[i - 1].score)
                && (i + 1 == all.size() || all[i].score <= all[i + 1].score);
            if (isLow && all[i].score < kNotExplained)
                found.push_back(all[i]);
        }
        return found;
    }

    TriedResponse at(double windowNs, double delayNs) {
        const SensorResponse response{windowNs, delayNs};
        const bool isAllowed = windowNs >= kShortestNs / 2.0 && windowNs <= 1.25 * kLongestNs;
        return {response, isAllowed ? score(response) : kNotExplained};
    }

    // The simplex of J. A. Nelder and R. Mead (1965): window and delay trade against each other
    // along narrow valleys.
    TriedResponse refined(const TriedResponse& start, int trials, double size) {
        const double step = std::max(kFinestStepNs, start.response.windowNs / 4.0) * size;
        std::array<TriedResponse, 3> corners{start,
            at(start.response.windowNs + step, start.response.delayNs),
            at(start.response.windowNs, start.response.delayNs + step)};
        const auto between
            = [&](double share, const TriedResponse& from, const SensorResponse& to) {
                  return at(from.response.windowNs + share * (to.windowNs - from.response.windowNs),
                      from.response.delayNs + share * (to.delayNs - from.response.delayNs));
              };
        for (int trial = 0; trial < trials; ++trial) {
            std::ranges::sort(corners, isBetter);
            TriedResponse& worst = corners[2];
            const SensorResponse middle{
                (corners[0].response.windowNs + corners[1].response.windowNs) / 2.0,
                (corners[0].response.delayNs + corners[1].response.delayNs) / 2.0};
            const TriedResponse reflected = between(2.0, worst, middle);
            if (isBetter(reflected, corners[0])) {
                worst = std::min(reflected, between(3.0, worst, middle), isBetter);
            } else if (isBetter(reflected, corners[1])) {
                worst = reflected;
            } else {
                const TriedResponse inner
                    = std::min(between(0.5, worst, middle), between(1.5, worst, middle), isBetter);
                if (isBetter(inner, worst)) {
                    worst = inner;
                } else {
                    corners[1] = between(0.5, corners[1], corners[0].response);
                    corners[2] = between(0.5, corners[2], corners[0].response);
                }
            }
        }
        return *std::ranges::min_element(corners, isBetter);
    }

    double score(const SensorResponse& response) {
        const auto classes = static_cast<Eigen::Index>(m_times.classes());
        m_normal.setZero(classes, classes);
        m_right.setZero(classes);
        double squares = 0.0;
        std::size_t count = 0;
        const Eigen::Map<const Eigen::VectorXd> x(m_shares.data(), classes);
        for (std::size_t i = 0; i < m_readings.size(); i += m_stride) {
            if (!windowShares(m_times, response, m_readings[i].atNs, m_shares))
                continue;
            const double y = m_readings[i].watts - m_mean;
            for (Eigen::Index a = 0; a < classes; ++a) {
                m_right[a] += x[a] * y;
                for (Eigen::Index b = 0; b < classes; ++b)
                    m_normal(b, a) += x[a] * x[b];
            }
            squares += y * y;
            ++count;
        }
        // Candidates see different numbers of readings: each counts as if it saw all. One that sees
        // too few explains nothing but the edges.
        const double all = static_cast<double>(m_inside) / static_cast<double>(m_stride);
        if (count < 2 * m_times.classes() + 4 || 4 * count * m_stride < m_inside) {
            const Eigen::VectorXd same = Eigen::VectorXd::Constant(classes, m_mean);
            return all * std::log(m_variance + kRoundingW2) + edgeScore(response, same)
                + prior(response, same);
        }
        const auto n = static_cast<double>(count);
        const Eigen::VectorXd right = m_right + m_mean * m_normal.rowwise().sum();
        m_normal.diagonal().array() += 1e-5 * n;
        const Eigen::VectorXd watts
            = leastSquaresAbove(m_normal, right.array() + 1e-5 * n * m_mean, m_facts.idle);
        const Eigen::VectorXd beyond = watts.array() - m_mean;
        const double explained = 2.0 * beyond.dot(m_right) - beyond.dot(m_normal * beyond);
        const double left = std::max(squares - explained, 1e-9 * squares + 1e-3 * n);
        return all * std::log(left / (n - static_cast<double>(classes)))
            + edgeScore(response, watts) + prior(response, watts);
    }

    // Misfit of the readings around the timeline's edges, where the power goes over from its level
    // before and to its level behind. Their noise is apart: nothing is known of the work there.
    double edgeScore(const SensorResponse& response, const Eigen::VectorXd& watts) {
        std::array<double, 2> sums{};
        std::array<double, 2> counts{};
        for (const PowerReading& reading : m_edge) {
            const bool isBefore = response.endNs(reading.atNs) <= 0.0;
            if (isBefore || response.beginNs(reading.atNs) >= m_times.lengthNs()) {
                sums[isBefore ? 0 : 1] += reading.watts;
                counts[isBefore ? 0 : 1] += 1.0;
            }
        }
        const double before = counts[0] > 0.0 ? sums[0] / counts[0] : m_mean;
        const double behind = counts[1] > 0.0 ? sums[1] / counts[1] : m_mean;
        double squares = 0.0;
        for (const PowerReading& reading : m_edge) {
            std::fill(m_shares.begin(), m_shares.end(), 0.0);
            const double begin = response.beginNs(reading.atNs);
            const double end = response.endNs(reading.atNs);
            m_times.addUntil(begin, -1.0 / response.windowNs, m_shares);
            m_times.addUntil(end, 1.0 / response.windowNs, m_shares);
            double expected = 0.0;
            for (std::size_t k = 0; k < m_shares.size(); ++k)
                expected += m_shares[k] * watts[static_cast<Eigen::Index>(k)];
            const double early = std::min(end, 0.0) - std::min(begin, 0.0);
            const double late
                = std::max(end, m_times.lengthNs()) - std::max(begin, m_times.lengthNs());
            expected += (early * before + late * behind) / response.windowNs;
            squares += (reading.watts - expected) * (reading.watts - expected);
        }
        const auto n = static_cast<double>(m_edge.size());
        return m_edge.empty() ? 0.0 : n * std::log(squares / n + kEdgeNoiseW2);
    }

    // −2 ln; with long tails, so that what is not expected can be true.
    [[nodiscard]] double prior(const SensorResponse& response, const Eigen::VectorXd& watts) const {
        const auto unlikely = [](double deviation, double spread) {
            return 2.0 * std::log1p(deviation * deviation / (spread * spread));
        };
        const bool isKnown = m_facts.windowNs > 0.0;
        const double known = isKnown ? m_facts.windowNs : kUsualWindowNs;
        const double lag = response.delayNs - (m_facts.isMoved ? 0.0 : response.windowNs / 2.0);
        const double lagSpread = m_facts.isMoved ? kMovedSpreadNs
            : lag < 0.0                          ? kEarlySpreadNs
                                                 : kLateSpreadNs;
        const double excess = std::max(0.0, watts.maxCoeff() - m_facts.highestW);
        const double idle = m_facts.idle
            ? watts[static_cast<Eigen::Index>(*m_facts.idle)] / m_facts.highestW
            : kIdleShare;
        return unlikely(
                   std::log(response.windowNs / known), isKnown ? kKnownSpread : kUnknownSpread)
            + unlikely(lag, lagSpread) + unlikely(idle - kIdleShare, kIdleSpread)
            + excess * excess / (kExcessShare * kExcessShare * m_facts.highestW * m_facts.highestW);
    }

    const ClassTimes& m_times;
    std::span<const PowerReading> m_readings;
    const SensorFacts& m_facts;
    std::vector<double> m_shares;
    Eigen::MatrixXd m_normal;
    Eigen::VectorXd m_right;
    std::vector<PowerReading> m_edge;
    double m_mean = 0.0; // over the readings while the timeline lasts
    double m_variance = 0.0;
    std::size_t m_inside = 0; // as many
    std::size_t m_stride = 1;
};

// Unknowns that came out negative are held at zero; of those held, the one that would help most
// comes back.
Eigen::VectorXd nonNegative(const Eigen::MatrixXd& normal, const Eigen::VectorXd& right) {
    const Eigen::Index count = right.size();
    std::vector<bool> isFree(static_cast<std::size_t>(count), true);
    Eigen::VectorXd found = Eigen::VectorXd::Zero(count);
    const double tolerance = 1e-9 * right.cwiseAbs().maxCoeff();
    for (Eigen::Index round = 0; round < 4 * count; ++round) {
        std::vector<Eigen::Index> free;
        for (Eigen::Index k = 0; k < count; ++k) {
            if (isFree[static_cast<std::size_t>(k)])
                free.push_back(k);
        }
        found.setZero();
        Eigen::Index worst = 0;
        if (!free.empty()) {
            const Eigen::MatrixXd part = normal(free, free);
            const Eigen::VectorXd partRight = right(free);
            const Eigen::VectorXd solved = part.ldlt().solve(partRight);
            if (solved.minCoeff(&worst) < 0.0) {
                isFree[static_cast<std::size_t>(free[static_cast<std::size_t>(worst)])] = false;
                continue;
            }
            found(free) = solved;
        }
        const Eigen::VectorXd gain = right - normal * found;
        if (gain.maxCoeff(&worst) <= tolerance || isFree[static_cast<std::size_t>(worst)])
            return found;
        isFree[static_cast<std::size_t>(worst)] = true;
    }
    return found;
}

} // namespace

ClassTimes::ClassTimes(TimeRange extent)
    : m_extent(extent) {
    const double length = std::max(1.0, lengthNs());
    m_cellNs = std::max(kFinestNs, length / static_cast<double>(kMostCells - 1));
    m_cells = static_cast<std::size_t>(length / m_cellNs) + 1;
}

void ClassTimes::add(TimeRange range, std::size_t label, double share) {
    if (label >= m_times.size())
        m_times.resize(label + 1);
    std::vector<double>& times = m_times[label];
    if (times.empty())
        times.assign(m_cells, 0.0);
    double begin = std::max(0.0, static_cast<double>((range.begin - m_extent.begin).ns));
    const double end = std::min(lengthNs(), static_cast<double>((range.end - m_extent.begin).ns));
    for (auto cell = static_cast<std::size_t>(begin / m_cellNs); cell < m_cells && begin < end;
         ++cell) {
        const double until = std::min(end, static_cast<double>(cell + 1) * m_cellNs);
        times[cell] += share * std::max(0.0, until - begin);
        begin = std::max(begin, until);
    }
}

void ClassTimes::merge(std::size_t from, std::size_t into) {
    if (from == into || from >= m_times.size() || m_times[from].empty())
        return;
    if (into >= m_times.size())
        m_times.resize(into + 1);
    if (m_times[into].empty())
        m_times[into].assign(m_cells, 0.0);
    for (std::size_t cell = 0; cell < m_cells; ++cell)
        m_times[into][cell] += m_times[from][cell];
    m_times[from].clear();
}

void ClassTimes::finish(std::size_t classes) {
    m_times.resize(std::max(m_times.size(), classes));
    m_classes = m_times.size();
    m_before.assign((m_cells + 1) * m_classes, 0.0);
    for (std::size_t label = 0; label < m_classes; ++label) {
        double sum = 0.0;
        for (std::size_t cell = 0; cell < m_cells; ++cell) {
            sum += m_times[label].empty() ? 0.0 : m_times[label][cell];
            m_before[(cell + 1) * m_classes + label] = sum;
        }
    }
    m_times = {};
}

void ClassTimes::addUntil(double atNs, double factor, std::span<double> sums) const {
    const double place = std::clamp(atNs / m_cellNs, 0.0, static_cast<double>(m_cells));
    const std::size_t cell = std::min(m_cells - 1, static_cast<std::size_t>(place));
    const double part = place - static_cast<double>(cell);
    const double* const left = &m_before[cell * m_classes];
    const double* const right = left + m_classes;
    for (std::size_t label = 0; label < m_classes; ++label)
        sums[label] += factor * (left[label] + part * (right[label] - left[label]));
}

bool windowShares(const ClassTimes& times, const SensorResponse& response, double atNs,
    std::span<double> shares) {
    const double begin = response.beginNs(atNs);
    const double end = response.endNs(atNs);
    if (begin < 0.0 || end > times.lengthNs())
        return false;
    std::fill(shares.begin(), shares.end(), 0.0);
    const double factor = 1.0 / response.windowNs;
    times.addUntil(begin, -factor, shares);
    times.addUntil(end, factor, shares);
    return std::accumulate(shares.begin(), shares.end(), 0.0) >= kWhollyTraced;
}

std::vector<SensorResponse> findResponses(
    const ClassTimes& times, std::span<const PowerReading> readings, const SensorFacts& facts) {
    return ResponseSearch(times, readings, facts).find();
}

Eigen::VectorXd leastSquaresAbove(const Eigen::MatrixXd& normal, const Eigen::VectorXd& right,
    std::optional<std::size_t> lowest) {
    const Eigen::VectorXd free = normal.ldlt().solve(right);
    const double least = lowest ? free[static_cast<Eigen::Index>(*lowest)] : 0.0;
    if (least >= 0.0 && free.minCoeff() >= least)
        return free;
    if (!lowest)
        return nonNegative(normal, right);
    // x = x[lowest] + what is drawn beyond it.
    const auto base = static_cast<Eigen::Index>(*lowest);
    Eigen::MatrixXd sums = Eigen::MatrixXd::Identity(right.size(), right.size());
    sums.col(base).setOnes();
    return sums * nonNegative(sums.transpose() * normal * sums, sums.transpose() * right);
}

} // namespace trainscope::analysis
