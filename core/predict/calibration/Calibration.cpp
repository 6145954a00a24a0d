#include "core/predict/calibration/Calibration.h"

#include "core/predict/power/StepLoads.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace trainscope::predict {

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
