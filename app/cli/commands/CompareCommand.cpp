#include "app/cli/commands/Command.h"
#include "app/cli/commands/SavedComparisonList.h"
#include "app/cli/console/ProgressLine.h"
#include "app/cli/options/OneRun.h"
#include "app/cli/options/RunSelection.h"
#include "app/cli/output/CompareJson.h"
#include "app/cli/output/CompareText.h"
#include "app/comparing/SavedComparison.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace trainscope::cli {

namespace {

using analysis::Normalisation;

struct CompareOptions {
    std::string database;
    std::vector<std::string> runs;
    std::string saved;
    std::string save;
    bool list = false;
    bool wholeRun = false;
    std::string normalise; // empty: as saved, else absolute
    std::string sortedBy;
    bool json = false;
};

Error usage(std::string message) {
    return {ErrorCode::Usage, std::move(message), {}};
}

// A run given twice stays there twice, so that comparing it with itself is refused.
Result<std::vector<Run>> runsOf(const store::Store& store, const CompareOptions& options) {
    if (options.runs.empty()) {
        auto all = store.runs();
        if (all.hasValue() && all.value().size() != 2)
            return Error{ErrorCode::Usage,
                "Say which runs to compare with --run A --run B; the database holds "
                    + std::to_string(all.value().size()) + ".",
                options.database};
        return all;
    }
    std::vector<Run> runs;
    for (const std::string& name : options.runs) {
        auto run = selectRun(store, name);
        if (!run.hasValue())
            return run.error();
        runs.push_back(std::move(run).value());
    }
    return runs;
}

// Which runs, and how.
struct Wanted {
    app::ComparisonSettings settings;
    std::vector<Run> runs;
};

Result<Wanted> savedOnes(
    const store::Store& store, const CompareOptions& options, const Console& console) {
    auto saved = app::savedComparison(store, options.saved);
    if (!saved.hasValue())
        return saved.error();
    for (const std::string& note : saved.value().notes)
        console.warn(note);
    if (saved.value().runs.size() < 2)
        return Error{ErrorCode::NotFound,
            "Of the runs of '" + options.saved + "' fewer than two are left to compare.",
            options.database};
    return Wanted{std::move(saved.value().settings), std::move(saved.value().runs)};
}

Result<Wanted> wantedOf(
    const store::Store& store, const CompareOptions& options, const Console& console) {
    Wanted wanted;
    if (!options.saved.empty()) {
        if (!options.runs.empty())
            return usage("--saved brings its own runs; leave --run out, or --saved.");
        auto saved = savedOnes(store, options, console);
        if (!saved.hasValue())
            return saved;
        wanted = std::move(saved).value();
    } else {
        auto runs = runsOf(store, options);
        if (!runs.hasValue())
            return runs.error();
        wanted.runs = std::move(runs).value();
        for (const Run& run : wanted.runs)
            wanted.settings.runs.push_back(run.name);
    }
    auto& query = wanted.settings.query;
    query.wholeRun = query.wholeRun || options.wholeRun;
    if (!options.normalise.empty())
        query.normalisation
            = analysis::normalisationFrom(options.normalise).value_or(Normalisation::Absolute);
    if (!options.sortedBy.empty())
        query.sortedBy = options.sortedBy;
    return wanted;
}

Status keep(const CompareOptions& options, const app::ComparisonSettings& settings) {
    auto store = openDatabase(options.database, store::OpenMode::ReadWrite);
    if (!store.hasValue())
        return store.error();
    return app::saveComparison(store.value(), options.save, settings);
}

ExitStatus printCompared(const CompareOptions& options, const Console& console) {
    const auto store = openDatabase(options.database);
    if (!store.hasValue())
        return console.fail(store.error());
    if (options.list)
        return printSavedComparisons(store.value(), options.json, console);
    const auto wanted = wantedOf(store.value(), options, console);
    if (!wanted.hasValue())
        return console.fail(wanted.error());
    const auto& query = wanted.value().settings.query;
    ProgressLine line(console);
    const auto compared = analysis::compareRuns(
        store.value(), wanted.value().runs, {query.wholeRun},
        [&](const ProgressState& state) {
            line.update(std::string(state.phase), state.bytesDone, state.bytesTotal);
            return !console.isCancelled();
        },
        analysis::quantityIndex(query.sortedBy), query.normalisation);
    line.clear();
    if (!compared.hasValue())
        return console.fail(compared.error());
    for (const auto& run : compared.value().runs) {
        for (const auto& warning : run.summary.warnings)
            console.warn(run.run.name + ": " + warning);
    }
    if (!options.save.empty()) {
        const Status kept = keep(options, wanted.value().settings);
        if (!kept.hasValue())
            return console.fail(kept.error());
    }
    if (options.json)
        printJson(console.out(), comparisonJson(compared.value(), query.normalisation));
    else
        printComparison(compared.value(), query.normalisation, console.out());
    return ExitStatus::Done;
}

std::string checkQuantity(const std::string& key) {
    if (analysis::quantityIndex(key))
        return {};
    std::string list;
    for (const auto& quantity : analysis::comparedQuantities())
        list += (list.empty() ? "" : ", ") + quantity.key;
    return "There is no quantity '" + key + "'; there are " + list + ".";
}

void addSavingOptions(CLI::App& command, CompareOptions& options) {
    command
        .add_option("--saved", options.saved,
            "The runs and settings of the comparison that the database keeps under this name")
        ->type_name("NAME");
    command
        .add_option("--save", options.save,
            "Keep the runs and settings in the database under this name, for the window too")
        ->type_name("NAME");
    command.add_flag("--list", options.list, "Only the comparisons that the database keeps");
}

} // namespace

void addCompareCommand(CLI::App& app, CommandContext& context) {
    auto* command = app.add_subcommand(
        "compare", "Runs side by side, and whether scale-up or scale-out served better");
    auto options = std::make_shared<CompareOptions>();
    command->add_option("DB", options->database, "The run database")->required();
    command
        ->add_option("--run", options->runs,
            "A run, at least twice; the first is the base. May be left out where there are two")
        ->type_name("N")
        ->expected(1)
        ->take_all();
    command->add_flag("--whole-run", options->wholeRun,
        "Warm-up and unsettled time too, instead of settled iterations alone");
    command
        ->add_option("--normalise", options->normalise,
            "Divide what grows with machine or work: absolute, per-gpu, per-node, per-token")
        ->type_name("BY")
        ->check(CLI::IsMember({"absolute", "per-gpu", "per-node", "per-token"}));
    command
        ->add_option("--sort", options->sortedBy,
            "The runs behind the first by this quantity, the best first; as given without")
        ->type_name("QUANTITY")
        ->check(checkQuantity);
    addSavingOptions(*command, *options);
    addJson(*command, options->json);
    command->footer(
        R"(Only settled iterations count unless --whole-run is given; the output says which. A difference
is beyond the spread where Welch's t-test on the iterations says so at 95 %. The verdict goes by tokens
per joule and per second and GPU, and is "undecided" where the data does not carry one.

Examples:
  trainscope-cli compare runs.trainscope --run gpt3-175b_h200 --run gpt3-175b_h100
  trainscope-cli compare runs.trainscope --run A --run B --run C --normalise per-gpu
  trainscope-cli compare runs.trainscope --run A --run B --json
  trainscope-cli compare runs.trainscope --run A --run B --save "H200 against H100"
  trainscope-cli compare runs.trainscope --saved "H200 against H100" --json)");
    command->callback([options, &context] {
        context.action = [options, &context] { return printCompared(*options, context.console); };
    });
}

} // namespace trainscope::cli
