#include "app/cli/commands/Command.h"
#include "app/cli/console/ProgressLine.h"
#include "app/cli/options/OneRun.h"
#include "app/cli/options/RunSelection.h"
#include "app/cli/output/CompareJson.h"
#include "app/cli/output/CompareText.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace trainscope::cli {

namespace {

struct Options {
    std::string database;
    std::vector<std::string> runs;
    bool wholeRun = false;
    std::string normalise = "absolute";
    bool json = false;
};

// A run given twice stays there twice, so that comparing it with itself is refused.
Result<std::vector<Run>> runsOf(const store::Store& store, const Options& options) {
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

ExitStatus printCompared(const Options& options, const Console& console) {
    const auto store = openDatabase(options.database);
    if (!store.hasValue())
        return console.fail(store.error());
    const auto runs = runsOf(store.value(), options);
    if (!runs.hasValue())
        return console.fail(runs.error());
    ProgressLine line(console);
    const auto compared = analysis::compareRuns(
        store.value(), runs.value(), {options.wholeRun}, [&](const ProgressState& state) {
            line.update(std::string(state.phase), state.bytesDone, state.bytesTotal);
            return !console.isCancelled();
        });
    line.clear();
    if (!compared.hasValue())
        return console.fail(compared.error());
    for (const auto& run : compared.value().runs) {
        for (const auto& warning : run.summary.warnings)
            console.warn(run.run.name + ": " + warning);
    }
    const auto by = analysis::normalisationFrom(options.normalise)
                        .value_or(analysis::Normalisation::Absolute);
    if (options.json)
        printJson(console.out(), comparisonJson(compared.value(), by));
    else
        printComparison(compared.value(), by, console.out());
    return ExitStatus::Done;
}

} // namespace

void addCompareCommand(CLI::App& app, CommandContext& context) {
    auto* command = app.add_subcommand(
        "compare", "Runs side by side, and whether scale-up or scale-out served better");
    auto options = std::make_shared<Options>();
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
    addJson(*command, options->json);
    command->footer(
        R"(Only settled iterations count unless --whole-run is given; the output says which. A difference
is beyond the spread where Welch's t-test on the iterations says so at 95 %. The verdict goes by tokens
per joule and per second and GPU, and is "undecided" where the data does not carry one.

Examples:
  trainscope-cli compare runs.trainscope --run gpt3-175b_h200 --run gpt3-175b_h100
  trainscope-cli compare runs.trainscope --run A --run B --run C --normalise per-gpu
  trainscope-cli compare runs.trainscope --run A --run B --json)");
    command->callback([options, &context] {
        context.action = [options, &context] { return printCompared(*options, context.console); };
    });
}

} // namespace trainscope::cli
