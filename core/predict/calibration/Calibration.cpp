#include "core/predict/calibration/Calibration.h"

#include <algorithm>
#include <cmath>

namespace trainscope::predict {

namespace {

constexpr double kModelSpread = 0.045; // of a step about the model's, constants known
constexpr double kExpertSpread = 0.13;
constexpr double kFittedShare = 0.3; // of its prior, a constant that was fitted
constexpr double kDerivative = 0.02; // of a logarithm

} // namespace

Calibration Calibration::of(
    const std::vector<MeasuredJob>& rows, const RateTable& table, const FitOptions& options) {
    Calibration calibration;
    calibration.m_factors = fitRates(rows, table, {}, options);
    std::vector<MeasuredJob> used;
    std::vector<double> logs;
    for (const MeasuredJob& row : rows) {
        const auto rates = table.ratesOf(row.job, calibration.m_factors);
        if (!rates.hasValue())
            continue;
        const auto step = predictStep(row.job, rates.value());
        if (!step.hasValue() || step.value().seconds <= 0.0 || row.seconds <= 0.0)
            continue;
        used.push_back(row);
        logs.push_back(std::log(row.seconds / step.value().seconds));
    }
    if (!used.empty())
        calibration.m_residuals = Residuals(used, logs);
    return calibration;
}

double spreadOf(const Job& job, const RateTable& table, const RateFactors& factors) {
    const auto secondsWith = [&](const RateFactors& with) {
        const auto rates = table.ratesOf(job, with);
        const auto step = rates.hasValue() ? predictStep(job, rates.value(), false)
                                           : Result<Step>(rates.error());
        return step.hasValue() ? step.value().seconds : 0.0;
    };
    const double base = secondsWith(factors);
    const double model = job.model.experts > 1 ? kExpertSpread : kModelSpread;
    double variance = model * model;
    RateFactors moved = factors;
    for (const RateField& field : rateFields()) {
        if (field.prior <= 0.0 || base <= 0.0)
            continue;
        const std::string name = table.factorName(field, job);
        const double before = moved.contains(name) ? moved.at(name) : 1.0;
        moved[name] = before * std::exp(kDerivative);
        const double slope = std::log(secondsWith(moved) / base) / kDerivative;
        moved[name] = before;
        const bool isKnown = factors.contains(name) || table.isFitted(field, job);
        const double own = field.prior * (isKnown ? kFittedShare : 1.0) * slope;
        variance += own * own;
    }
    return std::sqrt(variance);
}

} // namespace trainscope::predict
