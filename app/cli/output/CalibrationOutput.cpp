#include "app/cli/output/CalibrationOutput.h"

#include "core/predict/calibration/FactorMeaning.h"
#include "core/text/Numbers.h"
#include "core/text/Table.h"

#include <fmt/format.h>

#include <cmath>
#include <ostream>

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
    double sum = 0.0;
    int count = 0;
    for (const RunResidual::Gpu& gpu : run.gpus) {
        if (!gpu.celsius)
            continue;
        sum += std::abs(gpu.predictedC - *gpu.celsius);
        ++count;
    }
    return count > 0 ? std::optional(sum / count) : std::nullopt;
}

Json constantJson(const FittedFactor& factor) {
    const auto [owner, key] = predict::factorNameOf(factor.name);
    return {{"constant", key}, {"of", owner}, {"meaning", predict::meaningOf(key)},
        {"factor", std::exp(factor.log)},
        {"factor_low", std::exp(factor.log - predict::kNinetyPercent * factor.spread)},
        {"factor_high", std::exp(factor.log + predict::kNinetyPercent * factor.spread)},
        {"rows", factor.rows}};
}

Json powerBasisJson(const std::string& gpu, const PowerBasis& basis) {
    return object({{"gpu", gpu}, {"source", basis.source}, {"idle_w", basis.gpu.idleW},
        {"parked_w", basis.gpu.parkedW}, {"limit_w", basis.gpu.limitW},
        {"demand_factor", basis.demandFactor}, {"resistance_c_per_w", basis.gpu.thermal.resistance},
        {"time_constant_s", basis.gpu.thermal.seconds},
        {"inlet_c", basis.air ? std::optional(basis.air->inletC) : std::nullopt},
        {"air_rise_c_per_w", basis.air ? std::optional(basis.air->risePerW) : std::nullopt}});
}

Json gpuResidualJson(const RunResidual::Gpu& gpu) {
    return object({{"rank", gpu.rank}, {"measured_w", gpu.watts}, {"predicted_w", gpu.predictedW},
        {"measured_c", gpu.celsius}, {"predicted_c", gpu.predictedC}});
}

Json calibratedRunJson(const predict::MeasuredRun& run, const RunResidual& residual) {
    Json json
        = object({{"run", run.name}, {"gpu", run.gpu}, {"unsupported", when(!run.job, run.refused)},
            {"measured_step_time_s", residual.seconds}, {"step_time_s", residual.predictedSeconds},
            {"error", errorOf(residual.predictedSeconds, residual.seconds)},
            {"measured_mean_power_w", residual.meanW}, {"mean_power_w", residual.predictedW},
            {"power_error", errorOf(residual.predictedW, residual.meanW)},
            {"temperature_error_c", meanErrorC(residual)}});
    json["gpus"] = listOf(residual.gpus, gpuResidualJson);
    json["notes"] = run.notes;
    return json;
}

text::Table factorTable(const RunCalibration& calibration) {
    text::Table table;
    table.title = "Constants that the measured steps tell, times what they were";
    table.columns = {{"of", text::Align::Left}, {"factor"}, {"known to"}, {"rows"},
        {"meaning", text::Align::Left}};
    for (const FittedFactor& factor : toldOf(calibration)) {
        const auto [owner, key] = predict::factorNameOf(factor.name);
        table.add({owner, text::number(std::exp(factor.log)),
            "± " + text::roundedPercent(predict::kNinetyPercent * factor.spread), factor.rows,
            std::string(predict::meaningOf(key))});
    }
    return table;
}

text::Table errorTable(const RunCalibration& calibration) {
    text::Table table;
    table.title = "Errors of measured steps, each predicted without itself";
    table.columns = {{"source", text::Align::Left}, {"rows"}, text::inUnit("from all others", "%"),
        text::inUnit("from other configurations", "%")};
    for (const auto& [source, errors] : leftOutErrors(calibration))
        table.add({source, errors.rows, errors.row, errors.configuration});
    return table;
}

text::Table basisTable(const RunCalibration& calibration) {
    text::Table table;
    table.title = "Power and heat as measured";
    table.columns = {{"GPU", text::Align::Left}, text::inUnit("idle", "W"),
        text::inUnit("limit", "W"), {"work draws, times"}, {"chip to air, °C/W"},
        text::inUnit("inlet", "°C"), {"from", text::Align::Left}};
    for (const auto& [gpu, basis] : *calibration.powers)
        table.add({gpu, basis.gpu.idleW, basis.gpu.limitW, text::number(basis.demandFactor),
            text::number(basis.gpu.thermal.resistance),
            basis.air ? text::Cell(basis.air->inletC) : text::Cell(), basis.source});
    return table;
}

text::Table runTable(const std::vector<RunResidual>& residuals) {
    text::Table table;
    table.title = "Measured runs against their own calibration";
    table.columns = {{"run", text::Align::Left}, text::inUnit("measured step", "s"),
        text::inUnit("predicted", "s"), text::inUnit("off by", "%"),
        text::inUnit("measured power", "W"), text::inUnit("predicted", "W"),
        text::inUnit("off by", "%"), text::inUnit("temperatures off by", "°C")};
    for (const RunResidual& run : residuals)
        table.add({run.name, run.seconds, run.predictedSeconds,
            errorOf(run.predictedSeconds, run.seconds), run.meanW, run.predictedW,
            errorOf(run.predictedW, run.meanW), meanErrorC(run)});
    return table;
}

text::Table gpuTable(const RunResidual& run) {
    text::Table table;
    table.title = "GPUs of " + run.name;
    table.columns = {{"rank"}, text::inUnit("measured", "W"), text::inUnit("predicted", "W"),
        text::inUnit("measured", "°C"), text::inUnit("predicted", "°C")};
    for (const RunResidual::Gpu& gpu : run.gpus)
        table.add({gpu.rank, gpu.watts, gpu.predictedW, gpu.celsius, gpu.predictedC});
    return table;
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
        one.row += std::abs(std::expm1(-left[i].row));
        one.configuration += std::abs(std::expm1(-left[i].configuration));
        ++one.rows;
    }
    for (auto& [source, one] : errors) {
        one.row /= one.rows;
        one.configuration /= one.rows;
    }
    return errors;
}

Json calibrationJson(const RunCalibration& calibration) {
    Json json{{"rows", calibration.jobs()}};
    json["constants"] = listOf(toldOf(calibration), constantJson);
    Json factors = Json::object();
    if (calibration.steps) {
        for (const auto& [name, factor] : calibration.steps->factors())
            factors[name] = factor;
    }
    json["factors"] = std::move(factors);
    Json sources = Json::object();
    for (const auto& [source, errors] : leftOutErrors(calibration))
        sources[source] = {{"rows", errors.rows}, {"left_out_mape", errors.row},
            {"left_configuration_out_mape", errors.configuration}};
    json["sources"] = std::move(sources);
    if (calibration.steps)
        json["outliers"] = calibration.steps->residuals().outliers();
    Json powers = Json::array();
    for (const auto& [gpu, basis] : *calibration.powers)
        powers.push_back(powerBasisJson(gpu, basis));
    json["power"] = std::move(powers);
    const auto residuals = predict::residualsOf(calibration);
    Json runs = Json::array();
    for (std::size_t i = 0; i < residuals.size(); ++i)
        runs.push_back(calibratedRunJson(calibration.runs[i], residuals[i]));
    json["runs"] = std::move(runs);
    return json;
}

void printCalibration(std::ostream& out, const RunCalibration& calibration) {
    const auto residuals = predict::residualsOf(calibration);
    std::vector<text::Table> tables{factorTable(calibration), errorTable(calibration),
        basisTable(calibration), runTable(residuals)};
    for (const RunResidual& run : residuals)
        tables.push_back(gpuTable(run));
    for (const text::Table& table : tables) {
        if (table.isEmpty())
            continue;
        out << table.title << '\n';
        text::print(out, table, "  ");
        out << '\n';
    }
    for (const predict::MeasuredRun& run : calibration.runs) {
        if (!run.job)
            out << fmt::format("Of {} the step is not taken: {}\n", run.name, run.refused);
        for (const std::string& note : run.notes)
            out << fmt::format("{}: {}\n", run.name, note);
    }
}

} // namespace trainscope::cli
