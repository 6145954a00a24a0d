#include "app/cli/output/PredictionOutput.h"

#include "core/predict/calibration/RateFit.h"

#include <fmt/format.h>

namespace trainscope::cli {

namespace {

using predict::FittedFactor;
using predict::PowerBasis;
using predict::RunCalibration;
using predict::RunResidual;

std::vector<FittedFactor> toldOf(const RunCalibration& calibration) {
    return calibration.steps ? predict::toldFactors(calibration.steps->fit())
                             : std::vector<FittedFactor>();
}

std::optional<double> errorOf(
    const std::optional<double>& predicted, const std::optional<double>& measured) {
    return predicted && measured && *measured > 0.0 ? std::optional(*predicted / *measured - 1.0)
                                                    : std::nullopt;
}

// Mean absolute error over the GPUs whose temperature was measured, K.
std::optional<double> meanErrorC(const RunResidual& run) {
    analysis::RunningMean mean;
    for (const RunResidual::Gpu& gpu : run.gpus) {
        if (gpu.celsius)
            mean.add(std::abs(gpu.predictedC - *gpu.celsius));
    }
    return when(mean.count > 0, mean.value());
}

Row constantRow(const FittedFactor& factor) {
    const auto [owner, key] = predict::factorNameOf(factor.name);
    const double bound = predict::kNinetyPercent * factor.spread;
    const double value = std::exp(factor.log);
    return {{"constant", key}, {"of", {"of", Left}, owner},
        {"factor", value, {"factor"}, text::number(value)},
        {"factor_low", std::exp(factor.log - bound)}, {"factor_high", std::exp(factor.log + bound)},
        {"", {"known to"}, "± " + text::roundedPercent(bound)}, {"rows", {"rows"}, factor.rows},
        {"meaning", {"meaning", Left}, predict::meaningOf(key)}};
}

Row errorRow(const LeftOutErrors& errors) {
    return {{"rows", {"rows"}, errors.row.count},
        {"left_out_mape", inUnit("from all others", "%"), errors.row.value()},
        {"left_configuration_out_mape", inUnit("from other configurations", "%"),
            errors.configuration.value()}};
}

Row basisRow(const std::pair<const std::string, PowerBasis>& one) {
    const auto& [gpu, basis] = one;
    const auto ofAir = [&air = basis.air](double predict::NodeAir::*member) {
        return air ? std::optional((*air).*member) : std::nullopt;
    };
    const double resistance = basis.gpu.thermal.resistance;
    return {{"gpu", {"GPU", Left}, gpu}, {"idle_w", inUnit("idle", "W"), basis.gpu.idleW},
        {"parked_w", basis.gpu.parkedW}, {"limit_w", inUnit("limit", "W"), basis.gpu.limitW},
        {"demand_factor", basis.demandFactor, {"work draws, times"},
            text::number(basis.demandFactor)},
        {"resistance_c_per_w", resistance, {"chip to air, °C/W"}, text::number(resistance)},
        {"time_constant_s", basis.gpu.thermal.seconds},
        {"inlet_c", inUnit("inlet", "°C"), ofAir(&predict::NodeAir::inletC)},
        {"air_rise_c_per_w", ofAir(&predict::NodeAir::risePerW)},
        {"source", {"from", Left}, basis.source}};
}

Row runResidualRow(const RunResidual& run) {
    return {{"run", {"run", Left}, run.name},
        {"measured_step_time_s", inUnit("measured step", "s"), run.seconds},
        {"step_time_s", inUnit("predicted", "s"), run.predictedSeconds},
        {"error", inUnit("off by", "%"), errorOf(run.predictedSeconds, run.seconds)},
        {"measured_mean_power_w", inUnit("measured power", "W"), run.meanW},
        {"mean_power_w", inUnit("predicted", "W"), run.predictedW},
        {"power_error", inUnit("off by", "%"), errorOf(run.predictedW, run.meanW)},
        {"temperature_error_c", inUnit("temperatures off by", "°C"), meanErrorC(run)}};
}

Row gpuResidualRow(const RunResidual::Gpu& gpu) {
    return {{"rank", {"rank"}, gpu.rank}, {"measured_w", inUnit("measured", "W"), gpu.watts},
        {"predicted_w", inUnit("predicted", "W"), gpu.predictedW},
        {"measured_c", inUnit("measured", "°C"), gpu.celsius},
        {"predicted_c", inUnit("predicted", "°C"), gpu.predictedC}};
}

Json calibratedRunJson(const predict::MeasuredRun& run, const RunResidual& residual) {
    Json json = rowJson(runResidualRow(residual));
    add(json,
        {{"gpu", run.gpu}, {"unsupported", when(!run.job, run.refused)},
            {"gpus", rowsJson(residual.gpus, gpuResidualRow)}, {"notes", run.notes}});
    return json;
}

} // namespace

std::map<std::string, LeftOutErrors> leftOutErrors(const RunCalibration& calibration) {
    std::map<std::string, LeftOutErrors> errors;
    if (!calibration.steps)
        return errors;
    const auto& rows = calibration.steps->rows();
    const auto left = calibration.steps->leftOut();
    for (std::size_t i = 0; i < left.size(); ++i) {
        LeftOutErrors& one = errors[rows[i].source];
        one.row.add(std::abs(std::expm1(-left[i].row)));
        one.configuration.add(std::abs(std::expm1(-left[i].configuration)));
    }
    return errors;
}

Json calibrationJson(const RunCalibration& calibration) {
    Json json{{"rows", calibration.jobs()}};
    json["constants"] = rowsJson(toldOf(calibration), constantRow);
    Json factors = Json::object();
    if (calibration.steps) {
        for (const auto& [name, factor] : calibration.steps->factors())
            factors[name] = factor;
    }
    json["factors"] = std::move(factors);
    json["sources"] = objectOf(leftOutErrors(calibration),
        [](const auto& one) { return Member(one.first, rowJson(errorRow(one.second))); });
    if (calibration.steps)
        json["outliers"] = calibration.steps->residuals().outliers();
    json["power"] = rowsJson(*calibration.powers, basisRow);
    const auto residuals = predict::residualsOf(calibration);
    Json runs = Json::array();
    for (std::size_t i = 0; i < residuals.size(); ++i)
        runs.push_back(calibratedRunJson(calibration.runs[i], residuals[i]));
    json["runs"] = std::move(runs);
    return json;
}

void printCalibration(std::ostream& out, const RunCalibration& calibration) {
    const auto print = [&out](std::string title, text::Table table) {
        table.title = std::move(title);
        printTable(out, table);
        out << (table.isEmpty() ? "" : "\n");
    };
    const auto residuals = predict::residualsOf(calibration);
    print("Constants that the measured steps tell, times what they were",
        tableOf(toldOf(calibration), constantRow));
    print("Errors of measured steps, each predicted without itself",
        tableOf(leftOutErrors(calibration), [](const auto& one) {
            return joined({{"", {"source", Left}, one.first}}, errorRow(one.second));
        }));
    print("Power and heat as measured", tableOf(*calibration.powers, basisRow));
    print("Measured runs against their own calibration", tableOf(residuals, runResidualRow));
    for (const RunResidual& run : residuals)
        print("GPUs of " + run.name, tableOf(run.gpus, gpuResidualRow));
    for (const predict::MeasuredRun& run : calibration.runs) {
        if (!run.job)
            out << fmt::format("The step of {} is not taken: {}\n", run.name, run.refused);
        for (const std::string& note : run.notes)
            out << fmt::format("{}: {}\n", run.name, note);
    }
}

} // namespace trainscope::cli
