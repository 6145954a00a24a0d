#include "app/cli/commands/PredictRun.h"

#include "app/cli/options/RunSelection.h"
#include "app/cli/output/PredictionOutput.h"
#include "core/figures/prediction/AskedJob.h"
#include "core/figures/prediction/PredictionFigure.h"
#include "core/model/Try.h"
#include "core/plot/prediction/PredictionWords.h"
#include "core/text/Numbers.h"
#include "core/text/Table.h"

#include <fmt/format.h>

#include <ostream>

namespace trainscope::cli {

namespace {

struct JobOfRun {
    figures::AskedJob job;
    std::optional<plot::MeasuredStep> measured;
    std::vector<plot::PredictedJob> predicted; // as launched where that can be, then as asked
    predict::TrainingAsked training;
};

Result<JobOfRun> readAndPredict(const PredictOptions& options, const Console& console) {
    ASSIGN_OR_RETURN(const auto store, openDatabase(options.from));
    figures::Request request;
    ASSIGN_OR_RETURN(auto run, selectRunOrOnly(store, options.run));
    request.runs = {std::move(run)};
    request.options = options.asked;
    const analysis::RunStudies studies(store, untilCancelled(console));
    JobOfRun out;
    ASSIGN_OR_RETURN(out.job, figures::askedJobOf(studies, request));
    ASSIGN_OR_RETURN(out.training, trainingAskedOf(options, out.job.asked.workload));
    if (out.job.run->kind == RunKind::Measured) {
        ASSIGN_OR_RETURN(out.measured, figures::measuredStepOf(studies.of(*out.job.run)));
    }
    if (out.job.launched) {
        // The run itself may be one that cannot be predicted.
        auto own = figures::predictedJob(*out.job.launched, "as launched");
        if (own.hasValue())
            out.predicted.push_back(std::move(own).value());
    }
    ASSIGN_OR_RETURN(auto asked,
        figures::predictedJob(out.job.asked, out.job.isAsLaunched ? "as launched" : ""));
    out.predicted.push_back(std::move(asked));
    return out;
}

Json predictedRunJson(const JobOfRun& run) {
    Json rows = Json::array();
    for (std::size_t i = 0; i < run.predicted.size(); ++i) {
        Json row{{"row", i}, {"name", run.predicted[i].name}};
        row.update(predictionJson(run.predicted[i].prediction));
        addTraining(
            trainingOf(run.predicted[i].job, run.predicted[i].prediction, run.training), row);
        rows.push_back(std::move(row));
    }
    return object({{"run", run.job.run->name},
        {"measured_step_time_s",
            run.measured ? std::optional(run.measured->seconds) : std::nullopt},
        {"notes", run.job.notes}, {"rows", rows}});
}

void printPredictedRun(std::ostream& out, const JobOfRun& run) {
    text::Table table;
    table.title = "Prediction of " + run.job.run->name;
    table.columns = {{"", text::Align::Left}, text::inUnit("Step", "s"), text::inUnit("Low", "s"),
        text::inUnit("High", "s"), text::inUnit("Tokens/s per GPU", "1"),
        text::inUnit("Memory", "B"), text::inUnit("Energy", "J"), text::inUnit("Power", "W")};
    if (run.measured)
        table.add({"measured", run.measured->seconds, {}, {}, {}, {}, {}, {}});
    for (const auto& one : run.predicted) {
        const auto& made = one.prediction;
        table.add({one.name + (made.isOom ? ", out of memory" : ""), made.seconds, made.low,
            made.high, made.tokensPerSecondPerGpu, made.memoryB, made.energyJ, made.outlook.meanW});
    }
    out << table.title << '\n';
    text::print(out, table);
    for (const auto& one : run.predicted) {
        const auto training = trainingOf(one.job, one.prediction, run.training);
        if (!training)
            continue;
        out << fmt::format("{}: {} of {}, {}\n", one.name, plot::timeWords(*training),
            plot::tokenWords(training->tokens), plot::energyWords(*training));
    }
    for (const auto& note : run.job.notes)
        out << note << '\n';
}

} // namespace

Outcome predictRun(const PredictOptions& options, const Console& console) {
    ASSIGN_OR_RETURN(const auto run, readAndPredict(options, console));
    return show(
        console, options.json, [&] { return predictedRunJson(run); },
        [&](std::ostream& out) { printPredictedRun(out, run); });
}

} // namespace trainscope::cli
