#include "app/cli/commands/Command.h"
#include "app/cli/commands/PredictRun.h"
#include "app/cli/options/AddOption.h"
#include "app/cli/options/CommandText.h"
#include "app/cli/options/KnownCosts.h"
#include "app/cli/options/PredictOptions.h"
#include "app/cli/options/Suggestions.h"
#include "app/cli/options/TableInput.h"
#include "app/cli/output/CalibrationOutput.h"
#include "app/cli/output/PredictionOutput.h"
#include "app/cli/output/SearchOutput.h"
#include "core/model/Try.h"
#include "core/predict/prediction/JobRequest.h"
#include "core/predict/prediction/PredictedRun.h"
#include "importers/trainingtable/TrainingTable.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::cli {

namespace {

PredictedRow predictRow(const importers::TableRow& row, const predict::Predictor& predictor) {
    PredictedRow one{&row, {}, row.unsupported};
    if (!row.job)
        return one;
    auto prediction = predictor.predict(*row.job, {row.publisher, row.version});
    if (prediction.hasValue())
        one.prediction = std::move(prediction).value();
    else
        one.unsupported = prediction.error().message;
    return one;
}

TablePredictions predictTable(
    const std::vector<importers::TableRow>& rows, const predict::Predictor& predictor) {
    TablePredictions table;
    for (const importers::TableRow& row : rows)
        table.rows.push_back(predictRow(row, predictor));
    return table;
}

// Each group of rows from constants that were estimated before any was fitted, fitted to the rows
// of the other groups.
class LeftOutPredictors {
public:
    LeftOutPredictors(predict::LeaveOut how, std::vector<PlacedJob> rows)
        : m_how(how)
        , m_rows(std::move(rows)) { }

    const predict::Predictor& of(const importers::TableRow& row) {
        const std::string group = predict::leftOutGroup(m_how, row.publisher, row.row);
        const auto known = m_predictors.find(group);
        if (known != m_predictors.end())
            return known->second;
        std::vector<predict::MeasuredJob> others;
        for (const PlacedJob& one : m_rows) {
            if (predict::leftOutGroup(m_how, one.job.source, one.row) != group)
                others.push_back(one.job);
        }
        const predict::RateTable& table = predict::RateTable::estimated();
        return m_predictors
            .emplace(group, predict::Predictor(table, predict::Calibration::of(others, table)))
            .first->second;
    }

private:
    predict::LeaveOut m_how;
    std::vector<PlacedJob> m_rows;
    std::map<std::string, predict::Predictor> m_predictors; // by the group that is left out
};

Outcome predictLeftOut(const PredictOptions& options, const Console& console) {
    const auto how = predict::leaveOutFrom(options.leaveOut);
    if (!how)
        return usageError(fmt::format(
            "\"{}\" are no groups of rows: leave out sources or tenths.", options.leaveOut));
    if (options.calibration.paths.empty() || !options.calibration.runs.empty()
        || !options.profile.empty())
        return usageError("--leave-out needs the tables that constants are fitted to: name them "
                          "with --calibrate, and leave --calibrate-run and --profile out.");
    ASSIGN_OR_RETURN(const auto rows, tableFrom(options.table));
    ASSIGN_OR_RETURN(auto placed, readPlacedJobs(options.calibration));
    LeftOutPredictors predictors(*how, std::move(placed));
    TablePredictions table;
    ProgressLine line(console);
    const Progress progress = shownOn(line, console);
    for (const importers::TableRow& row : rows) {
        table.rows.push_back(row.job ? predictRow(row, predictors.of(row))
                                     : PredictedRow{&row, {}, row.unsupported});
        if (!progress({"Predicting rows", table.rows.size(), rows.size()}))
            return cancelled();
    }
    line.clear();
    return show(
        console, options.json, [&] { return tableJson(table); },
        [&](std::ostream& out) { printPredictions(out, table); });
}

Outcome predictRows(const PredictOptions& options, const Console& console) {
    if (!options.leaveOut.empty())
        return predictLeftOut(options, console);
    ASSIGN_OR_RETURN(const auto rows, tableFrom(options.table));
    ASSIGN_OR_RETURN(auto known, readKnownCosts(options.calibration, options.profile, console));
    TablePredictions table = predictTable(rows, known.predictor());
    table.calibration = std::move(known.calibration);
    return show(
        console, options.json, [&] { return tableJson(table); },
        [&](std::ostream& out) { printPredictions(out, table); });
}

// As a run of a database, which is made where there is none.
Status keep(const PredictOptions& options, const Console& console, const predict::Job& job,
    const predict::Prediction& prediction) {
    ASSIGN_OR_RETURN(auto store, store::Store::openOrCreate(options.database));
    const std::string name = options.name.empty() ? predict::nameOf(job) : options.name;
    return predict::writePrediction(store, name, job, prediction, untilCancelled(console));
}

Outcome predictOne(const PredictOptions& options, const Console& console) {
    ASSIGN_OR_RETURN(auto request, jobRequestOf(options));
    ASSIGN_OR_RETURN(const auto asked, trainingAskedOf(options, request.workload));
    ASSIGN_OR_RETURN(
        const auto known, readKnownCosts(options.calibration, options.profile, console));
    known.placeAtSite(request.cluster);
    ASSIGN_OR_RETURN(const auto job, predict::jobOf(request));
    const predict::Predictor predictor = known.predictor();
    ASSIGN_OR_RETURN(
        const auto prediction, predictor.predict(job, {predict::kMeasuredRunsSource, 0.0}));
    if (!options.database.empty())
        RETURN_IF_ERROR(keep(options, console, job, prediction));
    WhatIfFacts whatIf;
    if (options.whatIf) {
        ASSIGN_OR_RETURN(whatIf, whatIfOf(job, prediction.seconds, asked, predictor));
    }
    const auto training = trainingOf(job, prediction, asked);
    return show(
        console, options.json,
        [&] {
            Json row{{"row", 0}};
            row.update(predictionJson(prediction));
            addTraining(training, row);
            if (options.whatIf)
                row["what_if"] = whatIfJson(whatIf);
            Json json{{"rows", Json::array({row})}};
            if (known.calibration)
                json["calibration"] = calibrationJson(*known.calibration);
            return json;
        },
        [&](std::ostream& out) {
            printPrediction(out, job, prediction, training);
            if (options.whatIf) {
                out << '\n';
                printWhatIf(out, whatIf);
            }
            if (known.calibration)
                printCalibration(out, *known.calibration);
        });
}

Outcome compareClusters(const PredictOptions& options, const predict::SearchRequest& request,
    const predict::TrainingAsked& asked, const KnownCosts& known, const Console& console) {
    ASSIGN_OR_RETURN(auto other, clusterRequestOf(options, 1));
    known.placeAtSite(other);
    ProgressLine line(console);
    ASSIGN_OR_RETURN(const auto comparison,
        predict::compareScales(request, other, known.predictor(), shownOn(line, console)));
    line.clear();
    const std::array<std::string, 2> names{textOf(request.cluster), textOf(other)};
    return show(
        console, options.json, [&] { return scalesJson(names, comparison, asked); },
        [&](std::ostream& out) { printScales(out, names, comparison, asked); });
}

// A ranking, and what would change its best layout.
struct Ranking {
    predict::SearchResult found;
    std::optional<WhatIfFacts> whatIf;
};
Result<Ranking> rank(const PredictOptions& options, const predict::SearchRequest& request,
    const predict::TrainingAsked& asked, const predict::Predictor& predictor,
    const Console& console) {
    ProgressLine line(console);
    Ranking ranking;
    ASSIGN_OR_RETURN(
        ranking.found, predict::searchLayouts(request, predictor, shownOn(line, console)));
    if (options.whatIf && !ranking.found.top.empty()) {
        const predict::RankedLayout& best = ranking.found.top.front();
        ASSIGN_OR_RETURN(
            ranking.whatIf, whatIfOf(best.job, best.prediction.seconds, asked, predictor));
        ASSIGN_OR_RETURN(ranking.whatIf->memory,
            predict::memoryChangesOf(request, predictor, shownOn(line, console)));
    }
    line.clear();
    return ranking;
}

Outcome searchAny(const PredictOptions& options, const Console& console) {
    ASSIGN_OR_RETURN(auto request, searchRequestOf(options));
    ASSIGN_OR_RETURN(const auto asked, trainingAskedOf(options, request.workload));
    if (options.clusters.size() > 2)
        return usageError("A search compares two clusters at most.");
    if (options.clusters.size() == 2 && !options.database.empty())
        return usageError("Of two clusters no run is made: leave --into or a --cluster out.");
    if (options.clusters.size() == 2 && options.whatIf)
        return usageError("--what-if is of one cluster: leave it or a --cluster out.");
    ASSIGN_OR_RETURN(
        const auto known, readKnownCosts(options.calibration, options.profile, console));
    known.placeAtSite(request.cluster);
    if (options.clusters.size() == 2)
        return compareClusters(options, request, asked, known, console);
    const predict::Predictor predictor = known.predictor();
    ASSIGN_OR_RETURN(const auto ranking, rank(options, request, asked, predictor, console));
    const predict::SearchResult& result = ranking.found;
    const bool isLost = !options.database.empty() && result.top.empty();
    if (isLost)
        console.warn("No layout is possible, so nothing goes into " + options.database + ".");
    if (!options.database.empty() && !isLost) {
        const predict::Job& best = result.top.front().job;
        ASSIGN_OR_RETURN(const auto whole, predictor.predict(best)); // with its schedule
        RETURN_IF_ERROR(keep(options, console, best, whole));
    }
    show(
        console, options.json,
        [&] {
            Json json = searchJson(result, asked);
            if (ranking.whatIf)
                json["answer"]["what_if"] = whatIfJson(*ranking.whatIf);
            return json;
        },
        [&](std::ostream& out) {
            printSearch(out, request.model.name + " on " + textOf(request.cluster), result, asked);
            if (ranking.whatIf) {
                out << '\n';
                printWhatIf(out, *ranking.whatIf);
            }
        });
    return isLost ? ExitStatus::Partly : ExitStatus::Done;
}

Outcome predictAny(const PredictOptions& options, const Console& console) {
    if (!options.from.empty()) {
        const bool hasOther = options.search || options.whatIf || options.clusters.size() > 1
            || !options.table.empty() || !options.profile.empty()
            || !options.calibration.paths.empty() || !options.calibration.runs.empty()
            || !options.database.empty() || options.sayWork() || options.sayLimits();
        if (hasOther)
            return usageError("--from predicts the job of one run, with another --model, "
                              "--cluster, --layout, --micro-batch, --global-batch, --seq-len, "
                              "--power-limit or --clock: leave the rest out.");
        return predictRun(options, console);
    }
    if (!options.table.empty()) {
        const bool hasJob = !options.model.empty() || !options.clusters.empty()
            || !options.layout.empty() || options.microBatch || options.globalBatch > 0
            || options.sequence || options.powerLimitW || options.clockMhz || options.sayWork();
        if (hasJob || options.search || options.whatIf || options.sayLimits()
            || options.sayTraining() || !options.database.empty())
            return usageError("--table predicts the rows of a table, which say their jobs: leave "
                              "all but --calibrate, --profile and --json out.");
        return predictRows(options, console);
    }
    if (!options.leaveOut.empty())
        return usageError("--leave-out is of the rows of a --table.");
    if (options.search)
        return searchAny(options, console);
    if (options.sayLimits())
        return usageError(
            "--memory-share and --cluster-power are limits of a search: say --search.");
    if (options.clusters.size() > 1)
        return usageError("Two clusters are compared by the best layout on each: say --search.");
    return predictOne(options, console);
}

} // namespace

void addPredictCommand(CLI::App& app, CommandContext& context) {
    auto* command = app.add_subcommand("predict",
        "The step time, memory, power, energy and temperature of a run that nobody has made yet");
    auto options = std::make_shared<PredictOptions>();
    addOption(*command, "--model", options->model, "A model of the catalogue", "M");
    addOption(*command, "--cluster", options->clusters,
        "Nodes, GPUs per node and GPU: 4x8xH200; or GPUs and GPU: 64xH100. Twice with --search: "
        "which of the two serves better",
        "C");
    addOption(*command, "--layout", options->layout,
        "tp=8,pp=4,…: tp, pp, cp, ep, etp, dp, vpp, zero, shard, fsdp, embedding-layer, "
        "loss-layer, order, schedule and stage-layers; data parallelism fills the cluster",
        "L");
    addOption(*command, "--micro-batch", options->microBatch, "Samples of a micro-batch", "B");
    addOption(*command, "--global-batch", options->globalBatch, "Samples of a step", "G")
        ->check(aboveZero());
    addOption(
        *command, "--seq-len", options->sequence, "Tokens of a sample; 4096 unless given", "S")
        ->check(aboveZero());
    addOption(*command, "--precision", options->precision,
        "fp32, fp16, bf16 (unless given), fp8, mxfp8 or nvfp4; with what numbers are kept in: "
        "bf16-pure, bf16-autocast, bf16-master, or weights, gradients, states, master, attention "
        "and function one by one, as in bf16,states=bf16 or fp8,weights=fp8,attention=fp8",
        "P")
        ->check(suggesting("fp32 fp16 bf16 bf16-pure bf16-autocast bf16-master fp8 mxfp8 nvfp4"));
    addOption(*command, "--recompute", options->recompute,
        "none (unless given), selective, per-operator, full, or block:N", "R")
        ->check(suggesting("none selective per-operator full"));
    addOption(*command, "--offload", options->offload,
        "Kept in the host's memory: optimizer, a share of it (optimizer:0.5), activations:N of N "
        "layers of each stage, or both with a comma between",
        "O")
        ->check(suggesting("optimizer activations:N"));
    addOption(*command, "--workload", options->workload,
        "training (unless given), lora or inference", "W")
        ->check(suggesting("training lora inference"));
    addOption(*command, "--generated", options->generated,
        "Inference: tokens of a sample that are generated, the rest being its prompt", "N")
        ->check(zeroOrMore());
    addOption(*command, "--adapters", options->adapters,
        "LoRA: their rank and the matrices of qkv, out, up and down; 16:qkv unless given", "A");
    command->add_flag("--unfused-attention", options->unfusedAttention,
        "Attention as separate products and softmax instead of one kernel");
    addOption(*command, "--context-exchange", options->contextExchange,
        "Context parallelism: ring (unless given), all-to-all or gather", "X")
        ->check(suggesting("ring all-to-all gather"));
    addOption(*command, "--attention-precision", options->attentionPrecision,
        "Of attention beside products in 8 bits: bf16 (unless given) or fp8", "P")
        ->check(suggesting("bf16 fp8"));
    command->add_flag("--cuda-graphs", options->graphs,
        "Layers are launched as graphs, so that no GPU waits for its host");
    addOption(*command, "--stack", options->stack,
        std::string("Software whose habits are taken: ") + kStacks, "S")
        ->check(suggesting(replaced(kStacks, ",", "")));
    addOption(*command, "--network-gbit", options->networkGbit,
        "Network of a GPU out of its node, Gbit/s", "N")
        ->check(aboveZero());
    addOption(*command, "--power-limit", options->powerLimitW, "Power limit of a GPU, W", "W")
        ->check(aboveZero());
    addOption(*command, "--clock", options->clockMhz, "Locked clock of a GPU, MHz", "MHZ")
        ->check(aboveZero());
    command->add_flag("--what-if", options->whatIf,
        "Also the step at other bandwidths, memory, batch, sequence and power limit; with --search "
        "of the best layout, and the best one with other memory");
    command->add_flag("--search", options->search,
        "All possible layouts, ranked; what --layout, --micro-batch and --recompute say is not "
        "searched");
    addOption(*command, "--objective", options->objective,
        "Rank by time (unless given), energy or peak-power", "O")
        ->check(suggesting("time energy peak-power"));
    addOption(*command, "--top", options->top, "Layouts that are listed; 10 unless given", "K")
        ->check(aboveZero());
    addOption(*command, "--memory-share", options->memoryShare,
        "Share of a GPU's memory that a layout may use; 1 unless given", "X")
        ->check(aboveZero());
    addOption(*command, "--cluster-power", options->clusterPowerW,
        "Power of all GPUs together that is kept by capping each, W", "W")
        ->check(aboveZero());
    addOption(*command, "--tokens", options->tokens,
        "Tokens to train on, as in 300e9, 300B or 1.5T: also the days and the energy of the "
        "training",
        "N");
    addOption(*command, "--price-gpu-hour", options->gpuHourPrice,
        "With --tokens the price of an hour of a GPU, in any currency: also the cost", "X");
    addOption(*command, "--price-kwh", options->kwhPrice,
        "With --tokens the price of a kWh, in the same currency", "Y");
    addOption(*command, "--gpu-hours-between", options->reliability.gpuHours,
        "With --tokens the hours of all GPUs together between two interruptions; 38,700 unless "
        "given",
        "H")
        ->check(aboveZero());
    addOption(*command, "--checkpoint-interval", options->reliability.checkpointInterval,
        "With --tokens the work between two checkpoints, s; the best by Young unless given", "S")
        ->check(aboveZero());
    addOption(*command, "--checkpoint-time", options->reliability.checkpointSeconds,
        "With --tokens the time that a training stands still for a checkpoint, s", "S")
        ->check(zeroOrMore());
    addOption(*command, "--restart-time", options->reliability.restartSeconds,
        "With --tokens the time from an interruption until it goes on, s; 600 unless given", "S")
        ->check(zeroOrMore());
    addOption(*command, "--table", options->table,
        "A CSV table of runs: one prediction for each of its rows, with errors where it was "
        "measured",
        "T.csv");
    addOption(*command, "--calibrate", options->calibration.paths,
        "A table of measured runs, or a run database, that the constants and what they leave are "
        "fitted to; several times: all of them together",
        "FILE");
    addOption(*command, "--calibrate-run", options->calibration.runs,
        "Of the databases of --calibrate that run alone; several times: those runs", "NAME");
    addOption(*command, "--leave-out", options->leaveOut,
        "With --table and --calibrate each row from the rows of others alone, beginning with what "
        "was estimated before any fit: sources or tenths",
        "W")
        ->check(suggesting("sources tenths"));
    addOption(*command, "--profile", options->profile,
        "Predict from its samples what runs on a profile's GPUs and fabrics", "FILE");
    addOption(*command, "--into", options->database,
        "A run database that the prediction goes into as a run", "DB");
    addOption(*command, "--name", options->name, "The name of that run", "N");
    addOption(*command, "--from", options->from,
        "A run database: the job of a run of it, as it was launched and with what is asked for "
        "instead, beside what was measured",
        "DB");
    addOption(*command, "--run", options->run,
        "With --from the run; may be left out where there is only one", "N");
    addJson(*command, options->json);
    for (const char* name : {"--objective", "--top"})
        command->get_option(name)->needs("--search");
    command->get_option("--name")->needs("--into");
    command->get_option("--run")->needs("--from");
    command->footer(
        R"(The interval is that in which a measurement lies nine times of ten. The parts of the step are those
of its slowest stage and add up to it. Constants come from published measurements or are estimates;
resources/prediction.json says which. A table is read by its head: gpu, n_gpus, model, layers, hidden,
heads, seq_len, precision, tp, pp, micro_batch, global_batch and more; rows that do not say enough are
refused with the reason.

Examples:
  trainscope-cli predict --model llama3-70b --cluster 8x8xH100 --layout tp=4,pp=4,vpp=5 \
    --micro-batch 1 --global-batch 128 --seq-len 8192
  trainscope-cli predict --model mixtral-8x22b --cluster 4x8xH200 --layout ep=8,pp=4 \
    --micro-batch 1 --global-batch 128 --recompute full --power-limit 500
  trainscope-cli predict --model llama3-8b --cluster 8xH200 --layout tp=2 --micro-batch 2 \
    --global-batch 64 --into runs.trainscope
  trainscope-cli predict --model llama3-70b --cluster 8xH200 --layout tp=8 --workload inference \
    --micro-batch 16 --global-batch 16 --seq-len 2304 --generated 256
  trainscope-cli predict --model llama3-70b --cluster 8xH100 --layout tp=2,pp=4 --workload lora \
    --adapters 16:qkv+out --global-batch 32
  trainscope-cli predict --search --model llama3-70b --cluster 128x8xH100 --global-batch 2048 \
    --seq-len 8192 --top 5
  trainscope-cli predict --search --model llama3-8b --cluster 8xH100 --global-batch 256 \
    --tokens 300B --price-gpu-hour 2.5 --price-kwh 0.12 --what-if
  trainscope-cli predict --search --model mixtral-8x7b --cluster 4x8xH200 --cluster 8x8xH100 \
    --global-batch 256
  trainscope-cli predict --from runs.trainscope --run gpt3-175b_3_00000 --layout tp=4,pp=8
  trainscope-cli predict --table published.csv --calibrate published.csv --json
  trainscope-cli predict --model llama3-8b --cluster 4x8xH100 --global-batch 256 \
    --calibrate runs.trainscope --calibrate-run llama3-8b_4_00000
  trainscope-cli predict --table published.csv --profile profile.json)");
    runs(*command, context, options, predictAny);
}

} // namespace trainscope::cli
