#include "app/cli/output/PredictionOutput.h"

#include "core/plot/prediction/PredictionWords.h"
#include "core/predict/prediction/JobRequest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trainscope::cli {

namespace {

using analysis::RunningMean;
using predict::Prediction;

// Over rows of a source.
struct SourceErrors {
    int rows = 0;
    RunningMean error; // absolute ones
    RunningMean errorByConstants;
    RunningMean bias;
    RunningMean medianError;
    RunningMean covered;
    double worst = 0.0;
    int worstRow = -1;

    void add(const PredictedRow& row) {
        ++rows;
        if (const auto median = row.medianError())
            medianError.add(std::abs(*median));
        const auto one = row.error();
        if (!one)
            return;
        error.add(std::abs(*one));
        errorByConstants.add(std::abs(row.errorByConstants().value_or(0.0)));
        bias.add(*one);
        covered.add(row.isCovered() ? 1.0 : 0.0);
        if (std::abs(*one) > std::abs(worst)) {
            worst = *one;
            worstRow = row.row->row;
        }
    }
};

std::map<std::string, SourceErrors> errorsBySource(const TablePredictions& table) {
    std::map<std::string, SourceErrors> errors;
    for (const PredictedRow& row : table.rows) {
        if (row.prediction)
            errors[row.row->publisher].add(row);
    }
    std::erase_if(errors, [](const auto& one) { return one.second.error.count == 0; });
    return errors;
}

// "step_time_low_s".
std::string keyOf(const predict::PredictedFigure& figure, std::string_view bound) {
    return fmt::format(
        "{}{}{}{}", figure.key, bound, figure.suffix.empty() ? "" : "_", figure.suffix);
}

void addBounded(Json& json, const std::string& key, const std::string& unit,
    const predict::BoundedValue& one, double scale = 1.0) {
    json[key + unit] = one.value * scale;
    json[key + "_low" + unit] = one.interval.low * scale;
    json[key + "_high" + unit] = one.interval.high * scale;
}

Json breakdownJson(const predict::Breakdown& breakdown) {
    Json json = Json::object();
    for (const predict::StepPart part : predict::kAllStepParts)
        json[std::string(toString(part))] = breakdown[part];
    return json;
}

Row stageMemoryRow(const analysis::StageNeed& need) {
    return {{"stage", {"stage"}, need.stage}, {"weights_b", inUnit("weights", "B"), need.weights},
        {"gradients_b", inUnit("gradients", "B"), need.gradients},
        {"optimizer_b", inUnit("optimizer", "B"), need.optimizer},
        {"activations_b", inUnit("activations", "B"), need.activations()},
        {"logits_b", inUnit("logits", "B"), need.logits},
        {"buffers_b", inUnit("buffers", "B"), need.buffers},
        {"total_b", inUnit("all", "B"), need.total()}};
}

Json predictedRowJson(const PredictedRow& row) {
    Json json{{"row", row.row->row}};
    if (!row.prediction) {
        json["unsupported"] = row.unsupported;
        return json;
    }
    json.update(predictionJson(*row.prediction));
    add(json,
        {{"measured_step_time_s", row.row->measuredSeconds()}, {"error", row.error()},
            {"error_by_constants", row.errorByConstants()}, {"median_error", row.medianError()},
            {"assumed", when(!row.row->assumed.empty(), row.row->assumed)}});
    return json;
}

// Mean absolute errors over the rows of which the table says that quantity.
Json meanErrors(const TablePredictions& table) {
    RunningMean steps;
    RunningMean tokens;
    for (const PredictedRow& row : table.rows) {
        if (!row.prediction)
            continue;
        const auto& measured = row.row->measured;
        if (measured.seconds)
            steps.add(std::abs(row.prediction->seconds / *measured.seconds - 1.0));
        if (measured.tokensPerSecondPerGpu)
            tokens.add(std::abs(
                row.prediction->tokensPerSecondPerGpu / *measured.tokensPerSecondPerGpu - 1.0));
    }
    return object({{"step_time_s", when(steps.count > 0, steps.value())},
        {"tokens_per_s_per_gpu", when(tokens.count > 0, tokens.value())}});
}

Row sourceRow(const SourceErrors& errors) {
    return {{"rows", {"rows"}, errors.rows},
        {"mape", inUnit("mean error", "%"), errors.error.value()},
        {"mape_by_constants", errors.errorByConstants.value()},
        {"bias", inUnit("bias", "%"), errors.bias.value()},
        {"covered", inUnit("in the interval", "%"), errors.covered.value()},
        {"median_mape", inUnit("of the median", "%"),
            when(errors.medianError.count > 0, errors.medianError.value())},
        {"worst", inUnit("worst", "%"), errors.worst}, {"worst_row", {"row"}, errors.worstRow}};
}

Json sourcesJson(const TablePredictions& table) {
    const auto left = table.calibration ? leftOutErrors(*table.calibration)
                                        : std::map<std::string, LeftOutErrors>();
    return objectOf(errorsBySource(table), [&left](const auto& one) {
        Json json = rowJson(sourceRow(one.second));
        if (const auto found = left.find(one.first); found != left.end())
            add(json,
                {{"left_out_mape", found->second.row.value()},
                    {"left_configuration_out_mape", found->second.configuration.value()}});
        return Member(one.first, json);
    });
}

text::Table summaryTable(const TablePredictions& table) {
    return titled("Errors by source", tableOf(errorsBySource(table), [](const auto& one) {
        return joined({{"", {"source", Left}, one.first}}, sourceRow(one.second));
    }));
}

text::Table rowsTable(const TablePredictions& table) {
    text::Table rows;
    rows.title = "Predictions";
    rows.columns = {{"row"}, {"model", Left}, {"GPUs"}, {"layout", Left}, inUnit("step", "s"),
        inUnit("low", "s"), inUnit("high", "s"), inUnit("measured", "s"), inUnit("error", "%"),
        inUnit("memory", "B"), {"", Left}};
    for (const PredictedRow& row : table.rows) {
        if (!row.prediction)
            continue;
        const Prediction& one = *row.prediction;
        rows.add({row.row->row, row.row->job->model.name, row.row->job->gpus(),
            predict::textOf(row.row->job->layout), one.seconds, one.low, one.high,
            row.row->measuredSeconds(), row.error(), one.memoryB, one.isOom ? "OOM" : ""});
    }
    return rows;
}

text::Table breakdownTable(const Prediction& prediction) {
    text::Table table;
    table.title = "Step of the slowest stage";
    table.columns = {{"part", Left}, inUnit("time", "s"), inUnit("share", "%")};
    const predict::Breakdown parts = prediction.breakdown();
    for (const predict::StepPart part : predict::kAllStepParts) {
        const double seconds = parts[part];
        if (seconds <= 0.0)
            continue;
        std::string name(toString(part));
        std::replace(name.begin(), name.end(), '_', ' ');
        table.add({name, seconds, seconds / prediction.seconds});
    }
    return table;
}

} // namespace

std::optional<double> PredictedRow::error() const {
    const auto measured = row->measuredSeconds();
    return measured && prediction ? std::optional(prediction->seconds / *measured - 1.0)
                                  : std::nullopt;
}

std::optional<double> PredictedRow::errorByConstants() const {
    const auto measured = row->measuredSeconds();
    return measured && prediction ? std::optional(prediction->step.seconds / *measured - 1.0)
                                  : std::nullopt;
}

std::optional<double> PredictedRow::medianError() const {
    const auto& median = row->measured.medianSeconds;
    return median && prediction ? std::optional(prediction->seconds / *median - 1.0) : std::nullopt;
}

bool PredictedRow::isCovered() const {
    const auto measured = row->measuredSeconds();
    return measured && prediction && prediction->low <= *measured && *measured <= prediction->high;
}

void addServing(const Prediction& prediction, Json& json) {
    if (!prediction.serving)
        return;
    const predict::Serving& serving = *prediction.serving;
    const double low = prediction.low / prediction.seconds;
    const double high = prediction.high / prediction.seconds;
    const double first = serving.firstTokenSeconds;
    const double token = serving.tokenSeconds;
    const bool generates = token > 0.0;
    add(json,
        {{"time_to_first_token_s", first}, {"time_to_first_token_low_s", first * low},
            {"time_to_first_token_high_s", first * high},
            {"time_per_output_token_s", when(generates, token)},
            {"time_per_output_token_low_s", when(generates, token * low)},
            {"time_per_output_token_high_s", when(generates, token * high)},
            {"generated_tokens_per_s_per_gpu", serving.generatedPerSecondPerGpu},
            {"prefill_s", serving.prefillSeconds}, {"decode_s", serving.decodeSeconds}});
}

Json predictionJson(const Prediction& prediction) {
    Json json = object({{"oom", prediction.isOom}, {"sampled", when(prediction.isSampled, true)},
        {"gpu_source", when(prediction.isFromDataSheet, std::string("data sheet"))},
        {"clock_limit", prediction.outlook.limit},
        {"power_source", when(!prediction.power.source.empty(), prediction.power.source)}});
    for (const predict::PredictedFigure& figure : predict::figuresOf(prediction)) {
        json[keyOf(figure, "")] = figure.value;
        json[keyOf(figure, "_low")] = figure.interval.low;
        json[keyOf(figure, "_high")] = figure.interval.high;
    }
    addServing(prediction, json);
    json["breakdown"] = breakdownJson(prediction.breakdown());
    json["memory"] = rowsJson(prediction.memory, stageMemoryRow);
    json["temperature_c"] = listOf(
        prediction.outlook.node, [](const predict::GpuOutlook& gpu) { return Json(gpu.celsius); });
    return json;
}

void addTraining(const std::optional<predict::Training>& training, Json& json) {
    if (!training)
        return;
    Json one{{"tokens", training->tokens}, {"steps", training->steps}};
    addBounded(one, "time", "_s", training->seconds);
    addBounded(one, "days", "", training->seconds, 1.0 / predict::kSecondsOfDay);
    addBounded(one, "gpu_hours", "", training->gpuHours);
    addBounded(one, "energy", "_j", training->energyJ);
    addBounded(one, "energy", "_mwh", training->energyJ, 1e-3 / predict::kJoulesOfKwh);
    const predict::Goodput& goodput = training->goodput;
    addBounded(one, "goodput", "", goodput.share);
    one["between_interruptions_s"] = goodput.betweenSeconds;
    one["checkpoint_interval_s"] = goodput.checkpointInterval;
    one["checkpoint_time_s"] = goodput.checkpointSeconds;
    one["restart_time_s"] = goodput.restartSeconds;
    one["slowdown"] = goodput.slowdown;
    addBounded(one, "elapsed", "_s", training->elapsedSeconds);
    addBounded(one, "elapsed_days", "", training->elapsedSeconds, 1.0 / predict::kSecondsOfDay);
    addBounded(one, "elapsed_energy", "_mwh", training->elapsedJ, 1e-3 / predict::kJoulesOfKwh);
    json["training"] = std::move(one);
}

Json tableJson(const TablePredictions& table) {
    Json json = Json::object();
    json["rows"] = listOf(table.rows, predictedRowJson);
    json["mape"] = meanErrors(table);
    json["sources"] = sourcesJson(table);
    if (table.calibration)
        json["calibration"] = calibrationJson(*table.calibration);
    return json;
}

void printFigures(std::ostream& out, const predict::Job& job, const predict::Prediction& prediction,
    const predict::TrainingAsked& asked) {
    out << fmt::format("{} on {} × {}, {}: {} of {} a step, {} in a micro-batch\n", job.model.name,
        job.gpus(), job.machine.gpu.name, predict::textOf(job.layout),
        text::counted(job.globalBatch, "sample"), text::counted(job.sequence, "token"),
        job.microBatch);
    for (const plot::PredictedCard& card : plot::predictedCards(job, prediction, asked)) {
        out << fmt::format("  {:<28}{} ({}){}{}\n", card.title, card.number(card.value.value),
            card.bounds(), card.note.empty() ? "" : ", ", card.note);
    }
    if (!prediction.power.source.empty())
        out << fmt::format(
            "  power and heat by what was measured of {}\n", prediction.power.source);
    out << '\n';
}

void printPrediction(std::ostream& out, const predict::Job& job,
    const predict::Prediction& prediction, const predict::TrainingAsked& asked) {
    printFigures(out, job, prediction, asked);
    if (prediction.isFromDataSheet)
        out << "This GPU is known by its data sheet alone, so that intervals are wider.\n\n";
    for (const Excerpt& table : {Excerpt(breakdownTable(prediction)),
             titled("Memory of a GPU, by stage", tableOf(prediction.memory, stageMemoryRow))}) {
        printTable(out, table);
        out << '\n';
    }
}

void printPredictions(std::ostream& out, const TablePredictions& table) {
    for (const text::Table& one : {rowsTable(table), summaryTable(table)}) {
        printTable(out, one);
        out << (one.isEmpty() ? "" : "\n");
    }
    if (table.calibration)
        printCalibration(out, *table.calibration);
    for (const PredictedRow& row : table.rows) {
        if (!row.prediction)
            out << fmt::format("row {}: {}\n", row.row->row, row.unsupported);
        else if (!row.row->assumed.empty())
            out << fmt::format("row {}: since it ran, it is taken to have {}\n", row.row->row,
                fmt::join(row.row->assumed, ", "));
    }
}

} // namespace trainscope::cli
