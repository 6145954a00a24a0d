#include "core/analysis/energy/PowerFit.h"

#include "core/analysis/energy/SensorResponse.h"
#include "core/analysis/statistics/Means.h"

#include <Eigen/Dense>

#include <numeric>

namespace trainscope::analysis {

namespace {

constexpr double kWidest = 0.5; // share of the mean power's energy, to either side

constexpr double kIntervalShare = 0.9;
constexpr std::size_t kLeastBlocks = 12;
constexpr double kDelaySpreadNs = 0.2e9;
constexpr double kWholeWattsW2 = 1.0 / 12.0; // variance of a reading in whole watts
constexpr Eigen::Index kUnknowns = 2; // w and d, behind the classes

// The sums of the estimating equations over blocks of one length.
struct BlockSums {
    std::size_t length = 1;
    std::size_t inBlock = 0;
    std::size_t blocks = 0;
    Eigen::VectorXd block;
    Eigen::MatrixXd products;

    void add(const Eigen::VectorXd& scores) {
        block += scores;
        if (++inBlock == length)
            close();
    }
    void close() {
        if (inBlock == 0)
            return;
        products += block * block.transpose();
        block.setZero();
        inBlock = 0;
        ++blocks;
    }
};

} // namespace

PowerEstimate PowerEstimate::of(const ClassTimes& times, std::span<const PowerReading> readings,
    std::span<const SensorResponse> responses, const SensorFacts& facts, const PowerPrior* prior) {
    PowerEstimate result;
    result.m_highestW = facts.highestW;
    for (const SensorResponse& response : responses) {
        PowerFit fit = PowerFit::of(times, readings, response, facts, prior);
        if (!fit.isUsable())
            continue;
        if (result.m_fits.empty())
            result.m_response = response;
        result.m_fits.push_back(std::move(fit));
    }
    return result;
}

// The intervals of all responses together.
std::optional<EstimatedEnergy> PowerEstimate::around(
    double joules, double uncertainty, std::span<const double> seconds) const {
    if (!isUsable())
        return std::nullopt;
    const double base = m_fits.front().joules(seconds);
    EstimatedEnergy result{joules, joules, joules};
    for (const PowerFit& fit : m_fits) {
        const double moved = joules + fit.joules(seconds) - base;
        const double half = std::hypot(fit.uncertainty(seconds), uncertainty);
        result.low = std::min(result.low, moved - half);
        result.high = std::max(result.high, moved + half);
    }
    const double length = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    const double widest = kWidest * m_fits.front().meanW() * length;
    if (std::max(joules - result.low, result.high - joules) > widest)
        return std::nullopt;
    result.joules = std::clamp(result.joules, 0.0, m_highestW * length);
    result.low = std::clamp(result.low, 0.0, result.joules);
    result.high = std::clamp(result.high, result.joules, m_highestW * length);
    return result;
}

std::optional<EstimatedEnergy> PowerEstimate::of(
    std::span<const double> seconds, double beginNs, double endNs) const {
    if (!isUsable())
        return std::nullopt;
    const PowerFit& fit = m_fits.front();
    const double rest = fit.restUntil(endNs) - fit.restUntil(beginNs);
    return around(fit.joules(seconds) + rest,
        fit.restUncertainty(std::max(0.0, endNs - beginNs), m_response.windowNs), seconds);
}

std::vector<std::optional<EstimatedEnergy>> PowerEstimate::split(
    std::span<const std::vector<double>> parts, double joules) const {
    std::vector<std::optional<EstimatedEnergy>> result(parts.size());
    if (!isUsable() || parts.empty())
        return result;
    const PowerFit& fit = m_fits.front();
    std::vector<double> all(parts.front().size(), 0.0);
    for (const std::vector<double>& part : parts) {
        for (std::size_t k = 0; k < all.size(); ++k)
            all[k] += part[k];
    }
    const double left = joules - fit.joules(all);
    const std::vector<double> spread = fit.spread(all);
    const auto weight = [&spread](const std::vector<double>& seconds) {
        return std::inner_product(seconds.begin(), seconds.end(), spread.begin(), 0.0);
    };
    const double whole = weight(all);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const double share = whole > 0.0 ? weight(parts[i]) / whole : 0.0;
        // The share of the remainder is a guess, so it counts whole as uncertainty.
        result[i] = around(fit.joules(parts[i]) + share * left, std::abs(share * left), parts[i]);
    }
    return result;
}

class PowerFitter {
public:
    PowerFitter(const ClassTimes& times, std::span<const PowerReading> readings,
        const SensorResponse& response, const SensorFacts& facts, const PowerPrior* prior)
        : m_times(times)
        , m_readings(readings)
        , m_response(response)
        , m_facts(facts)
        , m_prior(prior)
        , m_classes(static_cast<Eigen::Index>(times.classes()))
        , m_shares(times.classes()) { }

    PowerFit fit() {
        PowerFit result;
        accumulate();
        const auto used = static_cast<std::size_t>((m_normal.diagonal().array() > 0.0).count());
        if (m_count < 3 * ((m_prior == nullptr ? used : 1) + kUnknowns)
            || m_count <= static_cast<std::size_t>(m_classes + kUnknowns))
            return result;
        takePrior();
        result.m_readings = m_count;
        result.m_meanW = m_mean;
        solve();
        result.m_watts.assign(m_watts.data(), m_watts.data() + m_classes);
        result.m_noiseW = std::sqrt(m_noise);
        takeRest(result);
        return result;
    }

private:
    void accumulate() {
        m_normal.setZero(m_classes, m_classes);
        m_right.setZero(m_classes);
        const Eigen::Map<const Eigen::VectorXd> x(m_shares.data(), m_classes);
        double sum = 0.0;
        double squares = 0.0;
        for (const PowerReading& reading : m_readings) {
            if (!windowShares(m_times, m_response, reading.atNs, m_shares))
                continue;
            m_normal.noalias() += x * x.transpose();
            m_right += reading.watts * x;
            sum += reading.watts;
            squares += reading.watts * reading.watts;
            ++m_count;
        }
        m_mean = m_count > 0 ? sum / static_cast<double>(m_count) : 0.0;
        m_squares = squares;
    }

    void takePrior() {
        m_priorMean = Eigen::VectorXd::Constant(m_classes, m_mean);
        m_priorW = Eigen::VectorXd::Constant(m_classes, m_facts.highestW / 2.0);
        if (m_prior == nullptr)
            return;
        for (Eigen::Index k = 0; k < m_classes; ++k) {
            m_priorMean[k] = m_prior->meanW[static_cast<std::size_t>(k)];
            m_priorW[k] = m_prior->spreadW[static_cast<std::size_t>(k)];
        }
    }

    // The prior weighs as much as the noise that is left says, which depends on it.
    void solve() {
        const auto n = static_cast<double>(m_count);
        m_watts.setConstant(m_classes, m_mean);
        m_noise = std::max(m_squares / n - m_mean * m_mean, kWholeWattsW2);
        for (int round = 0; round < 5; ++round) {
            const Eigen::VectorXd ridge = m_noise * m_priorW.array().square().inverse();
            Eigen::MatrixXd normal = m_normal;
            normal.diagonal() += ridge;
            m_watts = leastSquaresAbove(
                normal, m_right + ridge.cwiseProduct(m_priorMean), m_facts.idle);
            const double left
                = m_squares - 2.0 * m_watts.dot(m_right) + m_watts.dot(m_normal * m_watts);
            m_noise
                = std::max(left / (n - static_cast<double>(m_classes + kUnknowns)), kWholeWattsW2);
        }
    }

    // Residual of each reading, and its effect on the estimate.
    void takeRest(PowerFit& result) {
        const Eigen::Index all = m_classes + kUnknowns;
        std::vector<BlockSums> sums;
        for (std::size_t length = 1; length == 1 || m_count / length >= kLeastBlocks; length *= 2)
            sums.push_back(
                {length, 0, 0, Eigen::VectorXd::Zero(all), Eigen::MatrixXd::Zero(all, all)});
        Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(all, all);
        Eigen::VectorXd row(all);
        std::vector<double> moved(m_shares.size());
        const double step = std::max(1e6, m_response.windowNs / 50.0);
        for (const PowerReading& reading : m_readings) {
            if (!windowShares(m_times, m_response, reading.atNs, m_shares))
                continue;
            const Eigen::Map<const Eigen::VectorXd> x(m_shares.data(), m_classes);
            const double expected = x.dot(m_watts);
            const double rest = reading.watts - expected;
            row.head(m_classes) = x;
            row[m_classes]
                = slope({m_response.windowNs + step, m_response.delayNs},
                      {m_response.windowNs - step, m_response.delayNs}, reading.atNs, moved)
                / (2.0 * step);
            row[m_classes + 1]
                = slope({m_response.windowNs, m_response.delayNs + step},
                      {m_response.windowNs, m_response.delayNs - step}, reading.atNs, moved)
                / (2.0 * step);
            normal.noalias() += row * row.transpose();
            for (BlockSums& one : sums)
                one.add(rest * row);
            keepRest(result, reading.atNs - m_response.delayNs, rest);
        }
        takeCovariances(result, normal, sums);
    }

    double slope(const SensorResponse& above, const SensorResponse& below, double atNs,
        std::vector<double>& moved) const {
        double difference = 0.0;
        for (const auto& [response, sign] : {std::pair{above, 1.0}, std::pair{below, -1.0}}) {
            if (response.windowNs <= 0.0 || !windowShares(m_times, response, atNs, moved))
                return 0.0;
            difference
                += sign * Eigen::Map<const Eigen::VectorXd>(moved.data(), m_classes).dot(m_watts);
        }
        return difference;
    }

    static void keepRest(PowerFit& result, double atNs, double watts) {
        auto& rest = result.m_rest;
        const double joules = rest.empty()
            ? 0.0
            : rest.back().joules + 0.5e-9 * (rest.back().watts + watts) * (atNs - rest.back().atNs);
        rest.push_back({atNs, watts, joules});
    }

    void takeCovariances(
        PowerFit& result, const Eigen::MatrixXd& normal, std::vector<BlockSums>& sums) const {
        const Eigen::Index all = m_classes + kUnknowns;
        Eigen::VectorXd prior(all);
        prior.head(m_classes) = m_noise * m_priorW.array().square().inverse();
        prior[m_classes] = m_noise / (m_response.windowNs * m_response.windowNs);
        prior[m_classes + 1] = m_noise / (kDelaySpreadNs * kDelaySpreadNs);
        Eigen::MatrixXd weighted = normal;
        weighted.diagonal() += prior;
        // Columns of very different units: scaled before the inversion.
        const Eigen::VectorXd scale = weighted.diagonal().array().rsqrt();
        const Eigen::MatrixXd scaled = scale.asDiagonal() * weighted * scale.asDiagonal();
        const Eigen::MatrixXd inverse = scale.asDiagonal()
            * Eigen::MatrixXd(scaled.ldlt().solve(Eigen::MatrixXd::Identity(all, all)))
            * scale.asDiagonal();
        const auto keep = [&](const Eigen::MatrixXd& middle, double degrees) {
            const double t = studentT(kIntervalShare, std::max(1.0, degrees));
            const Eigen::MatrixXd covariance
                = (t * t * inverse * middle * inverse).topLeftCorner(m_classes, m_classes);
            PowerFit::Blocks blocks;
            blocks.covariance.assign(covariance.data(), covariance.data() + covariance.size());
            result.m_blocks.push_back(std::move(blocks));
        };
        Eigen::MatrixXd priorPart = Eigen::MatrixXd::Zero(all, all);
        priorPart.diagonal() = m_noise * prior;
        const auto n = static_cast<double>(m_count);
        const double degrees = n - static_cast<double>(all);
        keep(m_noise * weighted, degrees);
        for (BlockSums& one : sums) {
            one.close();
            const auto blocks = static_cast<double>(one.blocks);
            const double widened = blocks / (blocks - 1.0) * n / degrees;
            keep(widened * one.products + priorPart, std::min(degrees, blocks - 1.0));
        }
    }

    const ClassTimes& m_times;
    std::span<const PowerReading> m_readings;
    SensorResponse m_response;
    const SensorFacts& m_facts;
    const PowerPrior* m_prior;
    Eigen::VectorXd m_priorMean;
    Eigen::VectorXd m_priorW;
    Eigen::Index m_classes;
    std::vector<double> m_shares;
    Eigen::MatrixXd m_normal;
    Eigen::VectorXd m_right;
    Eigen::VectorXd m_watts;
    std::size_t m_count = 0;
    double m_mean = 0.0;
    double m_squares = 0.0;
    double m_noise = 0.0; // variance of a reading
};

PowerFit PowerFit::of(const ClassTimes& times, std::span<const PowerReading> readings,
    const SensorResponse& response, const SensorFacts& facts, const PowerPrior* prior) {
    return PowerFitter(times, readings, response, facts, prior).fit();
}

double PowerFit::joules(std::span<const double> times) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < m_watts.size(); ++k)
        sum += m_watts[k] * times[k];
    return sum;
}

double PowerFit::uncertainty(std::span<const double> times) const {
    const std::size_t classes = m_watts.size();
    double largest = 0.0;
    for (const Blocks& one : m_blocks) {
        double variance = 0.0;
        for (std::size_t a = 0; a < classes; ++a) {
            for (std::size_t b = 0; b < classes; ++b)
                variance += times[a] * one.covariance[a * classes + b] * times[b];
        }
        largest = std::max(largest, variance);
    }
    return std::sqrt(largest);
}

std::vector<double> PowerFit::spread(std::span<const double> times) const {
    const std::size_t classes = m_watts.size();
    std::vector<double> result(classes, 0.0);
    for (std::size_t a = 0; a < classes; ++a) {
        for (std::size_t b = 0; b < classes; ++b)
            result[a] += m_blocks.front().covariance[a * classes + b] * times[b];
    }
    return result;
}

double PowerFit::restUncertainty(double lengthNs, double windowNs) const {
    const double span = m_rest.back().atNs - m_rest.front().atNs;
    const double alike = std::max(windowNs, span / static_cast<double>(m_readings));
    return kNormal90 * m_noiseW * 1e-9
        * std::sqrt(lengthNs * std::min(alike, std::max(lengthNs, 1.0)));
}

double PowerFit::restUntil(double atNs) const {
    const auto right = std::ranges::lower_bound(m_rest, atNs, {}, &Rest::atNs);
    if (right == m_rest.begin())
        return 0.0;
    if (right == m_rest.end())
        return m_rest.back().joules;
    const Rest& left = *(right - 1);
    const double passed = atNs - left.atNs;
    const double slope = (right->watts - left.watts) / (right->atNs - left.atNs);
    return left.joules + 1e-9 * passed * (left.watts + 0.5 * slope * passed);
}

} // namespace trainscope::analysis
