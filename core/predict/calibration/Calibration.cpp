#include "core/predict/calibration/Calibration.h"

#include "core/analysis/statistics/Means.h"
#include "core/predict/power/StepLoads.h"

#include <Eigen/Cholesky>
#include <fmt/format.h>

namespace trainscope::predict {

namespace {

constexpr double kScale = 0.10; // standard deviation of what a cost model gets wrong
constexpr double kExpertScale = 0.20; // for models with experts
constexpr double kLeastNoise = 0.025;
constexpr double kMostNoise = 0.12;
constexpr double kUsualNoise = 0.035;
constexpr double kQualified = 8.0; // times the noise
constexpr double kOutlier = 4.0; // standard deviations from what neighbours say
constexpr int kRounds = 8;
constexpr std::size_t kFewRows = 4; // rows of a source before its own noise is believed

double square(double x) {
    return x * x;
}

} // namespace

double StepSpread::total() const {
    double squares = square(own);
    for (const auto& [name, moved] : constants)
        squares += square(moved);
    return std::sqrt(squares);
}

double spreadOfRatio(const StepSpread& a, const StepSpread& b, double likeness) {
    StepSpread apart{a.constants, 0.0};
    for (const auto& [name, moved] : b.constants)
        apart.constants[name] -= moved;
    apart.own = std::sqrt(square(a.own - b.own) + 2.0 * (1.0 - likeness) * a.own * b.own);
    return apart.total();
}

Residuals::Point Residuals::pointOf(const Job& job, double version) {
    const layout::Degrees& degrees = job.layout.grid.degrees();
    Point point;
    point.gpu = job.machine.gpu.name;
    point.precision = job.precision;
    point.layout = fmt::format("{} {} {} {} {} {}", degrees.tensor, degrees.pipeline,
        degrees.context, degrees.expert, job.layout.virtualStages,
        job.layout.sharding ? job.layout.sharding->zeroStage : 0);
    point.recompute = job.recompute;
    point.stack = job.stack;
    point.sequence = std::log2(job.sequence);
    point.gpus = std::log2(job.gpus());
    point.tokens = std::log2(1.0 * job.microBatch * job.sequence);
    point.hidden = std::log2(job.model.hidden);
    point.experts = std::log2(job.model.experts);
    point.version = version;
    return point;
}

double Residuals::covariance(const Point& a, const Point& b) {
    double distance = 0.0;
    distance += a.gpu == b.gpu ? 0.0 : 1.0;
    distance += a.precision == b.precision ? 0.0 : 1.0;
    distance += a.layout == b.layout ? 0.0 : 0.7;
    distance += a.recompute == b.recompute ? 0.0 : 1.0;
    distance += a.stack == b.stack ? 0.0 : 1.0;
    distance += square((a.sequence - b.sequence) / 2.0);
    distance += square((a.gpus - b.gpus) / 2.5);
    distance += square((a.tokens - b.tokens) / 2.0);
    distance += square(a.hidden - b.hidden);
    distance += square(a.experts - b.experts);
    if (a.version > 0.0 && b.version > 0.0)
        distance += square((a.version - b.version) * 12.0) * 0.01;
    const double scaleA = a.experts > 0.0 ? kExpertScale : kScale;
    const double scaleB = b.experts > 0.0 ? kExpertScale : kScale;
    return scaleA * scaleB * std::exp(-distance);
}

Residuals::Residuals(const std::vector<MeasuredJob>& rows, const std::vector<double>& logs) {
    for (const MeasuredJob& row : rows)
        m_points.push_back(pointOf(row.job, row.version));
    m_logs = logs;
    m_noise.assign(rows.size(), kUsualNoise);
    for (int round = 0; round < kRounds; ++round) {
        factorize(logs);
        learnNoise(rows);
    }
    factorize(logs);
}

// Each row against what the others say of it, in the standard deviations that it would have were
// its noise its source's.
void Residuals::learnNoise(const std::vector<MeasuredJob>& rows) {
    const auto others = leftOut();
    std::vector<double> deviations;
    std::map<std::string, std::vector<double>> ofSource;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double open = square(others[i].spread.own) - square(m_noise[i]);
        const double usual = std::sqrt(std::max(0.0, open) + square(noiseOf(rows[i].source)));
        deviations.push_back(std::abs(m_logs[i] - others[i].log) / usual);
        ofSource[rows[i].source].push_back(deviations.back());
    }
    // The noise of a source follows from the median, so that outliers do not count.
    for (auto& [source, ratios] : ofSource) {
        // A normal distribution has 0.6745; this is less, since constants were fitted to the same
        // rows.
        constexpr double kMedian = 0.62;
        if (ratios.size() < kFewRows)
            continue;
        const double middle = analysis::upperMedian(std::move(ratios));
        m_sourceNoise[source]
            = std::clamp(noiseOf(source) * middle / kMedian, kLeastNoise, kMostNoise);
    }
    m_outliers.clear();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double usual = noiseOf(rows[i].source) * (rows[i].isQualified ? kQualified : 1.0);
        const double deviation = std::abs(m_logs[i] - others[i].log);
        m_noise[i] = deviations[i] > kOutlier ? usual + deviation : usual;
        if (deviations[i] > kOutlier)
            m_outliers.push_back(i);
    }
}

double Residuals::noiseOf(const std::string& source) const {
    const auto found = m_sourceNoise.find(source);
    return found == m_sourceNoise.end() ? kUsualNoise : found->second;
}

Eigen::MatrixXd Residuals::covariances() const {
    const auto count = static_cast<Eigen::Index>(m_points.size());
    Eigen::MatrixXd all(count, count);
    for (Eigen::Index i = 0; i < count; ++i) {
        const auto a = static_cast<std::size_t>(i);
        for (Eigen::Index j = 0; j <= i; ++j)
            all(i, j) = all(j, i) = covariance(m_points[a], m_points[static_cast<std::size_t>(j)]);
        all(i, i) += square(m_noise[a]);
    }
    return all;
}

void Residuals::factorize(const std::vector<double>& logs) {
    const auto count = static_cast<Eigen::Index>(m_points.size());
    const Eigen::Map<const Eigen::VectorXd> values(logs.data(), count);
    m_inverse = covariances().llt().solve(Eigen::MatrixXd::Identity(count, count));
    m_weights = m_inverse * values;
}

Correction Residuals::of(const Job& job, const std::string& source, double version) const {
    const Point point = pointOf(job, version);
    const auto count = static_cast<Eigen::Index>(m_points.size());
    Eigen::VectorXd toRows(count);
    for (Eigen::Index i = 0; i < count; ++i)
        toRows[i] = covariance(point, m_points[static_cast<std::size_t>(i)]);
    const double noise = noiseOf(source);
    const double open = covariance(point, point);
    const double explained = count > 0 ? toRows.dot(m_inverse * toRows) : 0.0;
    return {count > 0 ? toRows.dot(m_weights) : 0.0,
        {{}, std::hypot(noise, std::sqrt(std::max(0.0, open - explained)))},
        std::clamp(explained / open, 0.0, 1.0)};
}

double Residuals::likeness(const Job& a, const Job& b) {
    const Point one = pointOf(a, 0.0);
    const Point other = pointOf(b, 0.0);
    return covariance(one, other) / std::sqrt(covariance(one, one) * covariance(other, other));
}

double Residuals::logOf(const Job& job) const {
    const Point point = pointOf(job, 0.0);
    double log = 0.0;
    for (std::size_t i = 0; i < m_points.size(); ++i)
        log += covariance(point, m_points[i]) * m_weights[static_cast<Eigen::Index>(i)];
    return log;
}

// Each row that lowers counts as much as it can, each that raises not at all.
double Residuals::leastLogOf(const Job& job) const {
    Point point = pointOf(job, 0.0);
    double log = 0.0;
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        point.layout = m_points[i].layout;
        point.recompute = m_points[i].recompute;
        point.tokens = m_points[i].tokens;
        const double weight = m_weights[static_cast<Eigen::Index>(i)];
        log += covariance(point, m_points[i]) * std::min(0.0, weight);
    }
    return log;
}

// Rasmussen and Williams 2006, equation 5.12.
std::vector<Correction> Residuals::leftOut() const {
    std::vector<Correction> result;
    for (Eigen::Index i = 0; i < m_weights.size(); ++i) {
        const double variance = 1.0 / m_inverse(i, i);
        result.push_back({m_logs[static_cast<std::size_t>(i)] - m_weights[i] * variance,
            {{}, std::sqrt(variance)}, 0.0});
    }
    return result;
}

namespace {

constexpr double kModelSpread = 0.045; // a step about the model's, constants known
constexpr double kExpertSpread = 0.13;
constexpr double kDerivative = 0.02; // change of a logarithm

} // namespace

Calibration Calibration::of(
    const std::vector<MeasuredJob>& rows, const RateTable& table, const FitOptions& options) {
    Calibration calibration;
    calibration.m_fit = fitRateFactors(rows, table, {}, options);
    std::vector<double> logs;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const MeasuredJob& row = rows[i];
        const auto rates = table.ratesOf(row.job, calibration.factors());
        if (!rates.hasValue())
            continue;
        const auto step = stepAtClock(row.job, rates.value());
        if (!step.hasValue() || step.value().seconds <= 0.0 || row.seconds <= 0.0)
            continue;
        calibration.m_rows.push_back(row);
        calibration.m_places.push_back(i);
        logs.push_back(std::log(row.seconds / step.value().seconds));
    }
    if (!calibration.m_rows.empty())
        calibration.m_residuals = Residuals(calibration.m_rows, logs);
    return calibration;
}

std::vector<Calibration::LeftOut> Calibration::leftOut() const {
    const auto count = static_cast<Eigen::Index>(m_rows.size());
    if (count == 0)
        return {};
    // In standard deviations of the factors before the rows, and around where their fit began.
    Eigen::MatrixXd slopes
        = Eigen::MatrixXd::Zero(count, static_cast<Eigen::Index>(m_fit.fitted.size()));
    Eigen::VectorXd values(count);
    for (Eigen::Index i = 0; i < count; ++i) {
        const auto row = static_cast<std::size_t>(i);
        values[i] = m_residuals.logs()[row];
        for (const auto& [factor, slope] : m_fit.slopes[m_places[row]]) {
            slopes(i, static_cast<Eigen::Index>(factor)) = slope * m_fit.fitted[factor].prior;
            values[i] += slope * m_fit.fitted[factor].log;
        }
    }
    const Eigen::MatrixXd all = m_residuals.covariances() + slopes * slopes.transpose();
    const Eigen::MatrixXd inverse = all.llt().solve(Eigen::MatrixXd::Identity(count, count));
    const Eigen::VectorXd weights = inverse * values;
    std::vector<LeftOut> out(m_rows.size());
    std::map<std::string, std::vector<Eigen::Index>> groups;
    for (Eigen::Index i = 0; i < count; ++i) {
        const auto row = static_cast<std::size_t>(i);
        out[row].row = weights[i] / inverse(i, i);
        const std::string& name = m_rows[row].configuration;
        groups[name.empty() ? std::to_string(row) : name].push_back(i);
    }
    for (const auto& [name, group] : groups) {
        const Eigen::MatrixXd block = inverse(group, group);
        const Eigen::VectorXd off = block.llt().solve(weights(group));
        for (std::size_t i = 0; i < group.size(); ++i)
            out[static_cast<std::size_t>(group[i])].configuration
                = off[static_cast<Eigen::Index>(i)];
    }
    return out;
}

std::optional<LeaveOut> leaveOutFrom(std::string_view text) {
    return text == "sources" ? std::optional(LeaveOut::Sources)
        : text == "tenths"   ? std::optional(LeaveOut::Tenths)
                             : std::nullopt;
}

std::string leftOutGroup(LeaveOut how, std::string_view source, int row) {
    if (how == LeaveOut::Sources)
        return std::string(source.substr(0, source.find_first_of(" (")));
    // Spread over the table, whose neighbours are like each other.
    constexpr int kStride = 7919;
    constexpr int kPrime = 1009;
    constexpr int kTenths = 10;
    return std::to_string(std::int64_t{row} * kStride % kPrime % kTenths);
}

Correction Calibration::correctionOf(
    const Job& job, const RateTable& table, const std::string& source, double version) const {
    Correction correction = m_residuals.of(job, source, version);
    const double known = std::sqrt(correction.told) * correction.spread.own;
    const double unlike = std::sqrt(1.0 - correction.told);
    correction.spread = spreadOf(job, table, m_fit);
    correction.spread.own = std::hypot(known, unlike * correction.spread.own);
    for (auto& [name, moved] : correction.spread.constants)
        moved *= unlike;
    return correction;
}

StepSpread spreadOf(const Job& job, const RateTable& table, const RateFit& fit) {
    const RateFactors& factors = fit.factors;
    const auto secondsWith = [&](const RateFactors& with) {
        const auto rates = table.ratesOf(job, with);
        const auto step = rates.hasValue() ? stepAtClock(job, rates.value(), false)
                                           : Result<Step>(rates.error());
        return step.hasValue() ? step.value().seconds : 0.0;
    };
    const double base = secondsWith(factors);
    StepSpread spread{{}, job.model.experts > 1 ? kExpertSpread : kModelSpread};
    std::map<std::string_view, double> spreads;
    for (const FittedFactor& factor : fit.fitted)
        spreads.emplace(factor.name, factor.spread);
    RateFactors moved = factors;
    for (const RateField& field : rateFields()) {
        if (field.prior <= 0.0 || base <= 0.0)
            continue;
        const std::string name = table.factorName(field, job);
        const double before = moved.contains(name) ? moved.at(name) : 1.0;
        moved[name] = before * std::exp(kDerivative);
        const double slope = std::log(secondsWith(moved) / base) / kDerivative;
        moved[name] = before;
        double known = table.spreadOf(field, job);
        if (const auto after = spreads.find(name); after != spreads.end())
            known = std::min(known, after->second);
        spread.constants[name] += known * slope;
    }
    return spread;
}

} // namespace trainscope::predict
