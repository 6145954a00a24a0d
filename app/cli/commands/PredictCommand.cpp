#include "app/cli/commands/Command.h"
#include "app/cli/console/Console.h"
#include "app/cli/output/PredictionOutput.h"
#include "core/figures/prediction/AskedJob.h"
#include "core/figures/prediction/PredictionFigure.h"
#include "core/model/TextOfFile.h"
#include "core/plot/prediction/PredictionWords.h"
#include "core/predict/prediction/JobRequest.h"
#include "core/predict/prediction/MeasuredRuns.h"
#include "core/predict/prediction/PredictedRun.h"
#include "core/predict/profile/ProfiledCosts.h"
#include "core/store/database/StoreFile.h"
#include "importers/trainingtable/TrainingTable.h"

namespace trainscope::cli {
namespace {

// Costs that the user adds to the constants that Trainscope comes with: measured runs that the
// constants are fitted to, of tables and databases, and samples of operators.

struct CalibrationFiles {
    std::vector<std::string> paths; // each a CSV table or a run database
    std::vector<std::string> runs; // names of runs in the databases; none: all measured ones
};

// A row of a table whose job and time are known, and its place in the table.
struct PlacedJob {
    int row = 0;
    predict::MeasuredJob job;
};

struct KnownCosts {
    std::optional<predict::RunCalibration> calibration;
    std::shared_ptr<const predict::ProfiledCosts> profile; // may be absent

    [[nodiscard]] predict::Predictor predictor() const;
    // Takes the cluster to be where the profile was measured, if the profile has one fabric for its
    // GPU.
    void placeAtSite(predict::ClusterRequest& cluster) const;
};

// A table of training runs.
Result<std::vector<importers::TableRow>> tableFrom(const std::string& path) {
    ASSIGN_OR_RETURN(const auto text, textOfFile(path));
    auto rows = importers::readTrainingTable(text, catalogue::modelCatalogue());
    if (rows.hasValue())
        return rows;
    Error error = rows.error();
    error.where = path;
    return error;
}

Status takePlaced(const std::string& path, std::vector<PlacedJob>& rows) {
    ASSIGN_OR_RETURN(const auto table, tableFrom(path));
    for (const importers::TableRow& row : table) {
        const auto seconds = row.measuredSeconds();
        if (row.job && seconds)
            rows.push_back({row.row,
                {*row.job, *seconds, row.publisher, row.version, row.isQualified,
                    row.configuration}});
    }
    return {};
}

Status takeTable(const std::string& path, std::vector<predict::MeasuredJob>& rows) {
    std::vector<PlacedJob> placed;
    RETURN_IF_ERROR(takePlaced(path, placed));
    for (PlacedJob& one : placed)
        rows.push_back(std::move(one.job));
    return {};
}

// Runs that are named have to be such as can be used; of all those of a database some may not.
Status takeDatabase(const std::string& path, const std::vector<std::string>& names,
    const Progress& progress, std::vector<predict::MeasuredRun>& runs) {
    ASSIGN_OR_RETURN(const auto store, openDatabase(path));
    ASSIGN_OR_RETURN(const auto chosen, selectRuns(store, names));
    for (const Run& run : chosen) {
        if (names.empty() && (run.kind != RunKind::Measured || run.status != RunStatus::Ok))
            continue;
        auto measured = predict::measuredRun({store, run, progress});
        if (measured.hasValue())
            runs.push_back(std::move(measured).value());
        else if (!names.empty() || measured.error().code == ErrorCode::Cancelled)
            return measured.error();
    }
    return {};
}

// Absent without paths. Usage for runs that are named where there is no database; Unrecognised
// where nothing of them can be used.
Result<std::optional<predict::RunCalibration>> readCalibration(
    const CalibrationFiles& files, const Console& console) {
    if (files.paths.empty() && files.runs.empty())
        return std::optional<predict::RunCalibration>();
    const bool hasDatabase = std::any_of(files.paths.begin(), files.paths.end(),
        [](const std::string& path) { return store::StoreFile(path).isSqlite(); });
    if (!files.runs.empty() && !hasDatabase)
        return usageError("--calibrate-run names a run of a database: say which with --calibrate.");
    std::vector<predict::MeasuredRun> runs;
    std::vector<predict::MeasuredJob> rows;
    const Progress progress = shownOn(console);
    for (const std::string& path : files.paths)
        RETURN_IF_ERROR(store::StoreFile(path).isSqlite()
                ? takeDatabase(path, files.runs, progress, runs)
                : takeTable(path, rows));
    const bool isUseless = rows.empty() && runs.empty();
    if (isUseless)
        return Error{ErrorCode::Unrecognised,
            hasDatabase ? "No run of the database was measured on GPUs of a known kind."
                        : "No row of the table has both a complete configuration and a measured "
                          "time.",
            files.paths.front()};
    return std::optional(predict::calibrationOf(std::move(runs), std::move(rows)));
}

// None for an empty path.
Result<std::shared_ptr<const predict::ProfiledCosts>> readProfiledCosts(const std::string& path) {
    std::shared_ptr<const predict::ProfiledCosts> costs;
    if (path.empty())
        return costs;
    ASSIGN_OR_RETURN(auto profile, predict::readProfile(path));
    costs = std::make_shared<const predict::ProfiledCosts>(std::move(profile));
    return costs;
}

// Those of all tables. Usage where there is a database among them.
Result<std::vector<PlacedJob>> readPlacedJobs(const CalibrationFiles& files) {
    std::vector<PlacedJob> rows;
    for (const std::string& path : files.paths) {
        if (store::StoreFile(path).isSqlite())
            return usageError(path
                + " is a database; rows are left out of tables: name tables alone with "
                  "--calibrate.");
        RETURN_IF_ERROR(takePlaced(path, rows));
    }
    return rows;
}

predict::Predictor KnownCosts::predictor() const {
    auto made = calibration ? calibration->predictor() : predict::Predictor();
    made.use(profile);
    return made;
}

void KnownCosts::placeAtSite(predict::ClusterRequest& cluster) const {
    if (profile)
        cluster.site = profile->onlyFabricOf(cluster.gpu.name);
}

// Reads measured runs and a profile; empty paths give neither.
Result<KnownCosts> readKnownCosts(
    const CalibrationFiles& files, const std::string& profile, const Console& console) {
    KnownCosts known;
    ASSIGN_OR_RETURN(known.profile, readProfiledCosts(profile));
    ASSIGN_OR_RETURN(known.calibration, readCalibration(files, console));
    return known;
}

struct PredictOptions {
    figures::OptionValues asked; // for the job, a search of its layouts, and a training
    std::string table;
    CalibrationFiles calibration;
    std::string leaveOut; // groups of the table's rows; empty: none
    std::string profile;
    std::string database; // target of the prediction
    std::string name; // name of the predicted run
    std::string from; // a database of the run whose job is predicted
    std::string run;
    bool search = false;
    bool whatIf = false;
    bool json = false;

    [[nodiscard]] std::vector<std::string> clusters() const { return asked.all("cluster"); }
    // Limits that layouts are searched under.
    [[nodiscard]] bool sayLimits() const {
        return asked.has("memory-share") || asked.has("cluster-power");
    }
};

// Usage names the first text that cannot be read, whatever it would be needed for.
Status checkAsked(const figures::OptionValues& asked) {
    predict::JobRequest job;
    figures::SearchAsked search;
    predict::TrainingAsked training;
    RETURN_IF_ERROR(figures::jobOptions().apply(asked, job));
    RETURN_IF_ERROR(figures::searchOptions().apply(asked, search));
    return figures::trainingOptions().apply(asked, training);
}

// One job, on the first cluster; Usage names what is missing or cannot be read.
Result<predict::JobRequest> jobRequestOf(const PredictOptions& options) {
    const auto& asked = options.asked;
    if (!asked.has("model") || !asked.has("cluster") || !asked.has("global-batch"))
        return usageError(
            "A prediction needs --model, --cluster and --global-batch, or a --table.");
    predict::JobRequest request;
    RETURN_IF_ERROR(figures::jobOptions().apply(asked, request));
    return request;
}

// The second cluster, with what is said of the first one's GPUs and network.
Result<predict::ClusterRequest> otherClusterOf(
    const PredictOptions& options, const predict::ClusterRequest& first) {
    ASSIGN_OR_RETURN(auto other, predict::clusterFrom(options.clusters().at(1)));
    other.networkBandwidth = first.networkBandwidth;
    other.powerLimitW = first.powerLimitW;
    other.clockHz = first.clockHz;
    return other;
}

// Usage names what cannot be read, or does not go together with the workload.
Result<predict::TrainingAsked> trainingAskedOf(const PredictOptions& options, Workload workload) {
    predict::TrainingAsked asked;
    RETURN_IF_ERROR(figures::trainingOptions().apply(options.asked, asked));
    RETURN_IF_ERROR(predict::checkTraining(asked, workload));
    return asked;
}

// A layout, micro-batch or recomputation that is given is not searched.
Result<predict::SearchRequest> searchRequestOf(const PredictOptions& options) {
    ASSIGN_OR_RETURN(const auto job, jobRequestOf(options));
    RETURN_IF_ERROR(predict::checkWorkload(job));
    const layout::LayoutRequest& asked = job.layout;
    if (options.asked.has("offload"))
        return usageError("A search keeps all numbers on the GPUs: leave --offload out.");
    if (asked.order || !asked.stageLayers.empty())
        return usageError("A search takes the usual order of ranks and division of layers: leave "
                          "order and stage-layers out.");
    ASSIGN_OR_RETURN(const auto search, figures::searchOf(job, options.asked));
    predict::SearchRequest request = search.search;
    request.layout = asked;
    if (request.layout.fsdp.value_or(false))
        request.layout.zeroStage = 3;
    request.isMicroBatchFixed = options.asked.has("micro-batch");
    request.isRecomputeFixed = options.asked.has("recompute");
    return request;
}

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
    const Progress progress = shownOn(console);
    for (const importers::TableRow& row : rows) {
        table.rows.push_back(row.job ? predictRow(row, predictors.of(row))
                                     : PredictedRow{&row, {}, row.unsupported});
        if (!progress({"Predicting rows", table.rows.size(), rows.size()}))
            return cancelled();
    }
    return show(console, options.json, tableJson, printPredictions, table);
}

Outcome predictRows(const PredictOptions& options, const Console& console) {
    if (!options.leaveOut.empty())
        return predictLeftOut(options, console);
    ASSIGN_OR_RETURN(const auto rows, tableFrom(options.table));
    ASSIGN_OR_RETURN(auto known, readKnownCosts(options.calibration, options.profile, console));
    const predict::Predictor predictor = known.predictor();
    TablePredictions table;
    for (const importers::TableRow& row : rows)
        table.rows.push_back(predictRow(row, predictor));
    table.calibration = std::move(known.calibration);
    return show(console, options.json, tableJson, printPredictions, table);
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
    ASSIGN_OR_RETURN(const auto prediction, predictor.predict(job));
    if (!options.database.empty())
        RETURN_IF_ERROR(keep(options, console, job, prediction));
    const plot::PredictedJob made{{}, job, prediction};
    std::vector<predict::WhatIfRow> whatIf;
    if (options.whatIf) {
        ASSIGN_OR_RETURN(whatIf, predict::whatIfsOf(job, predictor));
    }
    return show(
        console, options.json,
        [&] {
            Json row{{"row", 0}};
            row.update(predictionJson(prediction));
            addTraining(trainingOf(job, prediction, asked), row);
            if (options.whatIf)
                row["what_if"] = whatIfJson(whatIf, asked.tokens, job.gpus());
            Json json{{"rows", Json::array({row})}};
            if (known.calibration)
                json["calibration"] = calibrationJson(*known.calibration);
            return json;
        },
        [&](std::ostream& out) {
            printPrediction(out, job, prediction, asked);
            if (options.whatIf)
                printWhatIf(out, made, whatIf, asked);
            if (known.calibration)
                printCalibration(out, *known.calibration);
        });
}

Outcome compareClusters(const PredictOptions& options, const predict::SearchRequest& request,
    const predict::TrainingAsked& asked, const KnownCosts& known, const Console& console) {
    ASSIGN_OR_RETURN(auto other, otherClusterOf(options, request.cluster));
    known.placeAtSite(other);
    ASSIGN_OR_RETURN(const auto comparison,
        predict::compareScales(request, other, known.predictor(), shownOn(console)));
    const std::array<std::string, 2> names{textOf(request.cluster), textOf(other)};
    return show(console, options.json, scalesJson, printScales, names, comparison, asked);
}

// A ranking, and what would change its best layout.
struct Ranking {
    predict::SearchResult found;
    std::vector<predict::WhatIfRow> whatIf; // empty: it was not asked for
};
Result<Ranking> rank(const PredictOptions& options, const predict::SearchRequest& request,
    const predict::Predictor& predictor, const Console& console) {
    Ranking ranking;
    ASSIGN_OR_RETURN(ranking.found, predict::searchLayouts(request, predictor, shownOn(console)));
    if (options.whatIf && !ranking.found.top.empty()) {
        ASSIGN_OR_RETURN(
            ranking.whatIf, predict::whatIfsOf(ranking.found.top.front().job, predictor));
        ASSIGN_OR_RETURN(
            const auto memory, predict::memoryWhatIf(request, predictor, shownOn(console)));
        predict::takeMemory(memory, ranking.whatIf);
    }
    return ranking;
}

Outcome searchAny(const PredictOptions& options, const Console& console) {
    ASSIGN_OR_RETURN(auto request, searchRequestOf(options));
    ASSIGN_OR_RETURN(const auto asked, trainingAskedOf(options, request.workload));
    const std::size_t clusters = options.clusters().size();
    if (clusters > 2)
        return usageError("A search compares two clusters at most.");
    if (clusters == 2 && !options.database.empty())
        return usageError("Of two clusters no run is made: leave --into or a --cluster out.");
    if (clusters == 2 && options.whatIf)
        return usageError("--what-if is of one cluster: leave it or a --cluster out.");
    ASSIGN_OR_RETURN(
        const auto known, readKnownCosts(options.calibration, options.profile, console));
    known.placeAtSite(request.cluster);
    if (clusters == 2)
        return compareClusters(options, request, asked, known, console);
    const predict::Predictor predictor = known.predictor();
    ASSIGN_OR_RETURN(const auto ranking, rank(options, request, predictor, console));
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
            if (!ranking.whatIf.empty())
                json["answer"]["what_if"]
                    = whatIfJson(ranking.whatIf, asked.tokens, request.cluster.gpus());
            return json;
        },
        [&](std::ostream& out) {
            printSearch(out, request.model.name + " on " + textOf(request.cluster), result, asked);
            if (ranking.whatIf.empty())
                return;
            const predict::RankedLayout& best = result.top.front();
            printWhatIf(out, {{}, best.job, best.prediction}, ranking.whatIf, asked);
        });
    return isLost ? ExitStatus::Partly : ExitStatus::Done;
}

// `predict --from`: the job of a run, as it was launched and with what is asked for instead,
// beside what was measured.

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
        console, options.json, predictedRunJson, printPredictedRun, *job.run, board, job.notes);
}

// Options of a job that may say otherwise than the run whose job it is.
bool isOfRun(std::string_view name) {
    constexpr std::array<std::string_view, 8> changed{"model", "cluster", "layout", "micro-batch",
        "global-batch", "seq-len", "power-limit", "clock"};
    return figures::jobOptions().find(name) == nullptr
        || std::find(changed.begin(), changed.end(), name) != changed.end();
}

Outcome predictOfRun(const PredictOptions& options, const Console& console) {
    const auto names = options.asked.names();
    const bool hasOther = options.search || options.whatIf || options.clusters().size() > 1
        || !options.table.empty() || !options.profile.empty() || !options.calibration.paths.empty()
        || !options.calibration.runs.empty() || !options.database.empty() || options.sayLimits()
        || !std::all_of(names.begin(), names.end(), isOfRun);
    if (hasOther)
        return usageError("--from predicts the job of one run, with another --model, --cluster, "
                          "--layout, --micro-batch, --global-batch, --seq-len, --power-limit or "
                          "--clock: leave the rest out.");
    return predictRun(options, console);
}

Outcome predictOfTable(const PredictOptions& options, const Console& console) {
    const bool hasOther = !options.asked.names().empty() || options.search || options.whatIf
        || !options.database.empty();
    if (hasOther)
        return usageError("--table predicts the rows of a table, which say their jobs: leave all "
                          "but --calibrate, --profile and --json out.");
    return predictRows(options, console);
}

Outcome predictAny(const PredictOptions& options, const Console& console) {
    RETURN_IF_ERROR(checkAsked(options.asked));
    if (!options.from.empty())
        return predictOfRun(options, console);
    if (!options.table.empty())
        return predictOfTable(options, console);
    if (!options.leaveOut.empty())
        return usageError("--leave-out is of the rows of a --table.");
    if (options.search)
        return searchAny(options, console);
    if (options.sayLimits())
        return usageError(
            "--memory-share and --cluster-power are limits of a search: say --search.");
    if (options.clusters().size() > 1)
        return usageError("Two clusters are compared by the best layout on each: say --search.");
    return predictOne(options, console);
}

// Those of a job that figures of predictions have too, but for what a search says otherwise.
void addAskedFlags(CLI::App& command, PredictOptions& options) {
    for (figures::Option option : figures::jobOptions().described()) {
        if (option.name == "cluster") {
            option.isList = true;
            option.help += ". Twice with --search: which of the two serves better";
        }
        addFlag(command, option, options.asked);
    }
    command.add_flag("--what-if", options.whatIf,
        "Also the step at other bandwidths, memory, batch, sequence and power limit; with --search "
        "of the best layout, and the best one with other memory");
    command.add_flag("--search", options.search,
        "All possible layouts, ranked; what --layout, --micro-batch and --recompute say is not "
        "searched");
    for (const figures::Option& option : figures::searchOptions().described()) {
        if (option.name != "against") // a second --cluster here
            addFlag(command, option, options.asked);
    }
    for (const figures::Option& option : figures::trainingOptions().described())
        addFlag(command, option, options.asked);
}

} // namespace

void addPredictCommand(CLI::App& app, CommandContext& context) {
    const auto [command, options] = addCommand<PredictOptions>(app, "predict",
        "The step time, memory, power, energy and temperature of a run that nobody has made yet");
    addAskedFlags(*command, *options);
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
    runs(*command, context, options, predictAny);
}

} // namespace trainscope::cli
