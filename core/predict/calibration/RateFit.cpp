#include "core/predict/calibration/RateFit.h"

#include "core/model/Gather.h"
#include "core/predict/power/StepLoads.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <nlohmann/json.hpp>

#include <cmath>

namespace trainscope::predict {

namespace {

constexpr double kStep = 0.02; // change of a logarithm, for derivatives
constexpr double kTail = 3.0; // degrees of freedom of Student's t
constexpr double kQualifiedNoise = 4.0; // times that of other rows
constexpr double kSettled = 1e-4; // change of every logarithm
constexpr double kMostChange = 0.3; // change of a logarithm in a round
constexpr double kToldBy = 0.05; // slope of a row that tells of a factor

using RowSlopes = std::vector<std::pair<std::size_t, double>>;

struct Parameter {
    std::string name;
    double prior = 0.0;
};

constexpr double kKnownBetter = 0.8; // spread after the rows over that before
constexpr double kMovedBy = 0.02; // logarithm

class RateFitter {
public:
    RateFitter(const std::vector<MeasuredJob>& rows, const RateTable& table, RateFactors start,
        const FitOptions& options)
        : m_rows(rows)
        , m_table(table)
        , m_start(std::move(start))
        , m_options(options) {
        collectParameters();
    }

    RateFit fit() {
        Eigen::VectorXd logs = Eigen::VectorXd::Zero(count());
        if (count() == 0)
            return {m_start, {}, std::vector<RowSlopes>(m_rows.size())};
        for (int round = 0; round < m_options.rounds; ++round) {
            const Eigen::VectorXd change = roundFrom(logs);
            logs += change;
            if (change.cwiseAbs().maxCoeff() < kSettled)
                break;
        }
        return resultOf(logs);
    }

private:
    [[nodiscard]] Eigen::Index count() const {
        return static_cast<Eigen::Index>(m_parameters.size());
    }

    void collectParameters() {
        for (const MeasuredJob& row : m_rows) {
            auto& own = m_ofRow.emplace_back();
            for (const RateField& field : rateFields()) {
                if (field.prior <= 0.0)
                    continue;
                const std::string name = m_table.factorName(field, row.job);
                const auto [at, isNew] = m_index.emplace(name, m_parameters.size());
                if (isNew)
                    m_parameters.push_back({name, field.prior});
                own.push_back(at->second);
            }
        }
    }

    [[nodiscard]] RateFactors factorsOf(const Eigen::VectorXd& logs) const {
        RateFactors factors = m_start;
        for (Eigen::Index i = 0; i < count(); ++i) {
            const std::string& name = m_parameters[static_cast<std::size_t>(i)].name;
            const auto before = m_start.find(name);
            factors[name] = std::exp(logs[i]) * (before == m_start.end() ? 1.0 : before->second);
        }
        return factors;
    }

    [[nodiscard]] std::optional<double> logSeconds(
        const Job& job, const RateFactors& factors, bool simulate) const {
        const auto rates = m_table.ratesOf(job, factors);
        if (!rates.hasValue())
            return std::nullopt;
        const auto step = stepAtClock(job, rates.value(), simulate);
        return step.hasValue() && step.value().seconds > 0.0
            ? std::optional(std::log(step.value().seconds))
            : std::nullopt;
    }

    [[nodiscard]] RateFit resultOf(const Eigen::VectorXd& logs) const {
        RateFit out{factorsOf(logs), {}, {}};
        const Eigen::MatrixXd covariance
            = m_normal.ldlt().solve(Eigen::MatrixXd::Identity(count(), count()));
        for (Eigen::Index i = 0; i < count(); ++i) {
            const Parameter& parameter = m_parameters[static_cast<std::size_t>(i)];
            out.fitted.push_back({parameter.name, logs[i], parameter.prior,
                std::sqrt(std::max(0.0, covariance(i, i))), 0});
        }
        for (const auto& slopes : m_slopes) {
            RowSlopes& row = out.slopes.emplace_back();
            for (const auto& [i, slope] : slopes) {
                row.emplace_back(static_cast<std::size_t>(i), slope);
                out.fitted[static_cast<std::size_t>(i)].rows += std::abs(slope) >= kToldBy ? 1 : 0;
            }
        }
        return out;
    }

    // One weighted least-squares step. Derivatives come from the schedules' closed forms.
    Eigen::VectorXd roundFrom(const Eigen::VectorXd& logs) {
        m_slopes.assign(m_rows.size(), {});
        RateFactors factors = factorsOf(logs);
        Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(count(), count());
        Eigen::VectorXd right = Eigen::VectorXd::Zero(count());
        for (Eigen::Index i = 0; i < count(); ++i) {
            const double prior = m_parameters[static_cast<std::size_t>(i)].prior;
            normal(i, i) += 1.0 / (prior * prior);
            right[i] -= logs[i] / (prior * prior);
        }
        for (std::size_t row = 0; row < m_rows.size(); ++row)
            addRow(row, factors, normal, right);
        m_normal = normal;
        const Eigen::VectorXd change = normal.ldlt().solve(right);
        return change.cwiseMax(-kMostChange).cwiseMin(kMostChange);
    }

    void addRow(
        std::size_t row, RateFactors& factors, Eigen::MatrixXd& normal, Eigen::VectorXd& right) {
        const Job& job = m_rows[row].job;
        const auto now = logSeconds(job, factors, true);
        const auto base = logSeconds(job, factors, false);
        if (!now || !base || !(m_rows[row].seconds > 0.0))
            return;
        auto& slopes = m_slopes[row];
        for (const std::size_t parameter : m_ofRow[row]) {
            double& factor = factors[m_parameters[parameter].name];
            const double before = factor;
            factor = before * std::exp(kStep);
            const auto moved = logSeconds(job, factors, false);
            factor = before;
            if (moved && std::abs(*moved - *base) > 0.0)
                slopes.emplace_back(static_cast<Eigen::Index>(parameter), (*moved - *base) / kStep);
        }
        const double residual = std::log(m_rows[row].seconds) - *now;
        const double noise = m_options.noise * (m_rows[row].isQualified ? kQualifiedNoise : 1.0);
        const double scaled = residual / noise;
        const double weight = (kTail + 1.0) / (kTail + scaled * scaled) / (noise * noise);
        for (const auto& [i, slope] : slopes) {
            right[i] += weight * slope * residual;
            for (const auto& [j, other] : slopes)
                normal(i, j) += weight * slope * other;
        }
    }

    const std::vector<MeasuredJob>& m_rows;
    const RateTable& m_table;
    RateFactors m_start;
    FitOptions m_options;
    std::vector<Parameter> m_parameters;
    std::map<std::string, std::size_t> m_index;
    std::vector<std::vector<std::size_t>> m_ofRow;
    std::vector<std::vector<std::pair<Eigen::Index, double>>> m_slopes; // as in the last round
    Eigen::MatrixXd m_normal;
};

} // namespace

RateFit fitRateFactors(const std::vector<MeasuredJob>& rows, const RateTable& table,
    const RateFactors& start, const FitOptions& options) {
    return RateFitter(rows, table, start, options).fit();
}

std::string_view meaningOf(std::string_view key) {
    using Meanings = std::map<std::string, std::string, std::less<>>;
    static const auto meanings
        = nlohmann::json::parse(builtInRates()).value("meanings", Meanings());
    const auto found = meanings.find(key);
    return found == meanings.end() ? std::string_view() : found->second;
}

FactorName factorNameOf(std::string_view name) {
    const std::size_t first = name.find('/');
    const std::size_t last = name.rfind('/');
    const std::string key(name.substr(last == std::string_view::npos ? 0 : last + 1));
    if (first == last)
        return {"all", key};
    return {std::string(name.substr(first + 1, last - first - 1)), key};
}

std::vector<FittedFactor> toldFactors(const RateFit& fit) {
    std::vector<FittedFactor> told = thoseOf(fit.fitted, [](const FittedFactor& factor) {
        return factor.spread < kKnownBetter * factor.prior || std::abs(factor.log) > kMovedBy;
    });
    std::stable_sort(told.begin(), told.end(), [](const FittedFactor& a, const FittedFactor& b) {
        return a.spread / a.prior < b.spread / b.prior;
    });
    return told;
}

} // namespace trainscope::predict
