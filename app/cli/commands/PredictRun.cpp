#include "app/cli/commands/PredictRun.h"

#include "app/cli/options/RunSelection.h"
#include "app/cli/output/PredictionOutput.h"
#include "app/cli/text/Rows.h"
#include "core/figures/prediction/PredictionFigure.h"
#include "core/model/Try.h"
#include "core/plot/prediction/PredictionWords.h"
#include "core/text/Numbers.h"
#include "core/text/Table.h"

#include <fmt/format.h>

#include <ostream>

namespace trainscope::cli {

namespace {

Json predictedRunJson(const Run& run, const plot::PredictionFigureData& board,
    const std::vector<std::string>& notes) {
    Json rows = Json::array();
    for (const plot::PredictedJob* one : board.predicted()) {
        Json row{{"row", rows.size()}, {"name", one->name}};
        row.update(predictionJson(one->prediction));
        addTraining(trainingOf(one->job, one->prediction, board.training), row);
        rows.push_back(std::move(row));
    }
    return object({{"run", run.name},
        {"measured_step_time_s",
            board.measured ? std::optional(board.measured->seconds) : std::nullopt},
        {"notes", notes}, {"rows", rows}});
}

void printPredictedRun(std::ostream& out, const Run& run, const plot::PredictionFigureData& board,
    const std::vector<std::string>& notes) {
    text::Table table;
    table.title = "Prediction of " + run.name;
    table.columns = {{"", text::Align::Left}, text::inUnit("Step", "s"), text::inUnit("Low", "s"),
        text::inUnit("High", "s"), text::inUnit("Tokens/s per GPU", "1"),
        text::inUnit("Memory", "B"), text::inUnit("Energy", "J"), text::inUnit("Power", "W")};
    if (board.measured)
        table.add({"measured", board.measured->seconds, {}, {}, {}, {}, {}, {}});
    for (const plot::PredictedJob* one : board.predicted()) {
        const auto& made = one->prediction;
        table.add({one->name + (made.isOom ? ", out of memory" : ""), made.seconds, made.low,
            made.high, made.tokensPerSecondPerGpu, made.memoryB, made.energyJ, made.outlook.meanW});
        if (const auto training = trainingOf(one->job, made, board.training))
            table.notes.push_back(
                fmt::format("{}: {} of {}, {}", one->name, plot::timeWords(*training),
                    plot::tokenWords(training->tokens), plot::energyWords(*training)));
    }
    table.notes.insert(table.notes.end(), notes.begin(), notes.end());
    printTable(out, table);
}

} // namespace

Outcome predictRun(const PredictOptions& options, const Console& console) {
    ASSIGN_OR_RETURN(const auto store, openDatabase(options.from));
    figures::Request request;
    ASSIGN_OR_RETURN(auto run, selectRunOrOnly(store, options.run));
    request.runs = {std::move(run)};
    request.options = options.asked;
    const analysis::RunStudies studies(store, untilCancelled(console));
    figures::AskedJob job;
    ASSIGN_OR_RETURN(auto board, figures::askedBoard(studies, request, job));
    ASSIGN_OR_RETURN(board.training, trainingAskedOf(options, job.asked.workload));
    return show(
        console, options.json, [&] { return predictedRunJson(*job.run, board, job.notes); },
        [&](std::ostream& out) { printPredictedRun(out, *job.run, board, job.notes); });
}

} // namespace trainscope::cli
