#include "app/cli/commands/Command.h"
#include "app/cli/output/CompareOutput.h"
#include "app/cli/text/TextFile.h"
#include "app/comparing/SavedComparison.h"
#include "app/drawing/FullProgram.h"
#include "core/report/WarningLines.h"

namespace trainscope::cli {

namespace {

using analysis::Normalisation;

struct CompareOptions : SomeRunsOptions {
    std::vector<std::string> captures; // none: of no part
    std::string saved;
    std::string save;
    bool list = false;
    bool wholeRun = false;
    std::string normalise; // empty: as saved, else absolute
    std::string sortedBy;
    std::vector<std::string> gates;
    std::string junit; // empty: no file
};

// A run given twice stays there twice, so that comparing it with itself is refused.
Result<std::vector<Run>> runsOf(const store::Store& store, const CompareOptions& options) {
    if (options.runs.empty()) {
        auto all = store.runs();
        const bool isOnlyOne = all.hasValue() && all.value().size() == 1;
        if (isOnlyOne && options.captures.size() > 1)
            return all;
        if (all.hasValue() && all.value().size() != 2)
            return Error{ErrorCode::Usage,
                "Say which runs to compare with --run A --run B; the database holds "
                    + std::to_string(all.value().size()) + ".",
                options.database};
        return all;
    }
    std::vector<Run> runs;
    for (const std::string& name : options.runs) {
        ASSIGN_OR_RETURN(auto run, selectRun(store, name));
        runs.push_back(std::move(run));
    }
    return runs;
}

// Several captures of one run, one capture of several runs, or each run's own.
Result<std::vector<analysis::ComparedRun>> partsOf(
    const std::vector<Run>& runs, const CompareOptions& options) {
    std::vector<analysis::ComparedRun> parts;
    const auto& captures = options.captures;
    const bool fits = captures.size() <= 1 || runs.size() == 1 || runs.size() == captures.size();
    if (!fits)
        return usageError(
            "Say --capture once for all runs, once for each of them, or several times "
            "for one run.");
    if (captures.size() == 1 && runs.size() == 1)
        return usageError(
            "One capture of one run has nothing to be compared with: say --capture or "
            "--run twice.");
    for (std::size_t i = 0; i < std::max(runs.size(), captures.size()); ++i) {
        const std::string capture = captures.empty() ? "" : captures[captures.size() == 1 ? 0 : i];
        parts.push_back({runs[runs.size() == 1 ? 0 : i], {false, capture}});
    }
    return parts;
}

std::string shownName(const analysis::ComparedRun& compared) {
    return analysis::partName(compared.run.name, compared.scope.capture);
}

// The compared runs and the settings of their comparison.
struct Wanted {
    app::ComparisonSettings settings;
    std::vector<analysis::ComparedRun> runs;
};

Result<Wanted> savedOnes(
    const store::Store& store, const CompareOptions& options, const Console& console) {
    ASSIGN_OR_RETURN(auto saved, app::savedComparison(store, options.saved));
    for (const std::string& note : saved.notes)
        console.warn(note);
    if (saved.runs.size() < 2)
        return Error{ErrorCode::NotFound,
            "'" + options.saved + "' compares runs of which fewer than two are left.",
            options.database};
    return Wanted{std::move(saved.settings), std::move(saved.runs)};
}

Result<Wanted> wantedOf(
    const store::Store& store, const CompareOptions& options, const Console& console) {
    Wanted wanted;
    if (!options.saved.empty()) {
        if (!options.runs.empty())
            return usageError("--saved brings its own runs; leave --run out, or --saved.");
        ASSIGN_OR_RETURN(wanted, savedOnes(store, options, console));
    } else {
        ASSIGN_OR_RETURN(const auto runs, runsOf(store, options));
        ASSIGN_OR_RETURN(wanted.runs, partsOf(runs, options));
        for (const auto& part : wanted.runs)
            wanted.settings.runs.push_back(app::comparedName(part));
    }
    auto& query = wanted.settings.query;
    query.wholeRun = query.wholeRun || options.wholeRun;
    if (!options.normalise.empty())
        query.normalisation = fromString(options.normalise, Normalisation::Absolute);
    if (!options.sortedBy.empty())
        query.sortedBy
            = analysis::comparedQuantities()[analysis::namedQuantity(options.sortedBy).valueOr(0)]
                  .key;
    for (auto& part : wanted.runs)
        part.scope.wholeRun = query.wholeRun;
    return wanted;
}

Status keep(const CompareOptions& options, const app::ComparisonSettings& settings) {
    ASSIGN_OR_RETURN(auto store, openDatabase(options.database, store::OpenMode::ReadWrite));
    return app::saveComparison(store, options.save, settings);
}

Row savedRow(const app::SavedComparison& saved) {
    const auto& query = saved.settings.query;
    Json panels = Json::array();
    for (const auto panel : plot::kComparisonPanels) {
        if (saved.settings.shows(panel))
            panels.push_back(toString(panel));
    }
    const auto base
        = saved.runs.empty() ? std::nullopt : std::optional(shownName(saved.runs.front()));
    return {{"name", {"comparison", Left}, saved.name},
        {"runs", listOf(saved.runs, shownName), {"runs"}, saved.runs.size()},
        {"", {"base", Left}, base}, {"normalisation", {"normalised", Left}, query.normalisation},
        {"alignment", {"aligned", Left}, query.alignment}, {"stretched", query.stretched},
        {"whole_run", query.wholeRun}, {"panels", panels}, {"notes", saved.notes},
        {"sorted_by", given(query.sortedBy)}, {"theme", given(saved.settings.theme.toStdString())}};
}

void printSaved(const std::vector<app::SavedComparison>& all, const Console& console) {
    if (all.empty())
        console.out() << "The database keeps no comparison; compare --save keeps one.\n";
    printTable(console.out(), tableOf(all, savedRow), "");
    for (const auto& saved : all) {
        for (const std::string& note : saved.notes)
            console.warn(saved.name + ": " + note);
    }
}

Outcome printSavedComparisons(const store::Store& store, bool json, const Console& console) {
    ASSIGN_OR_RETURN(const auto all, app::savedComparisons(store));
    return show(
        console, json,
        [&] {
            return Json{{"comparisons", rowsJson(all, savedRow)}};
        },
        [&](std::ostream&) { printSaved(all, console); });
}

// Prints the gates in place of the comparison, or adds them to its JSON.
Outcome printGated(
    const CompareOptions& options, const Console& console, const analysis::Comparison& compared) {
    Gated gated;
    for (auto run = compared.runs.begin() + 1; run != compared.runs.end(); ++run) {
        for (const std::string& text : options.gates) {
            ASSIGN_OR_RETURN(const auto gate, analysis::gateOf(text));
            gated.push_back(analysis::outcomeOf(gate, compared.runs.front(), *run));
        }
    }
    if (!options.junit.empty()) {
        ASSIGN_OR_RETURN(auto file, TextFile::create(options.junit));
        file.write(junitText(gated));
        RETURN_IF_ERROR(file.close());
    }
    Json json = comparisonJson(compared, Normalisation::Absolute);
    json["gates"] = gatesJson(gated);
    show(
        console, options.json, [&json] { return json; },
        [&](auto& out) { printGates(out, gated); });
    constexpr ExitStatus byResult[]{ExitStatus::Done, ExitStatus::GateUntold,
        ExitStatus::GateFailed, ExitStatus::NotComparable};
    const auto worst = std::ranges::max(gated, {}, &analysis::GateOutcome::result).result;
    return byResult[static_cast<std::size_t>(worst)];
}

// Takes the settings of the comparison, so that they can be kept.
Outcome printCompared(const CompareOptions& options, const Console& console,
    const store::Store& store, app::ComparisonSettings& settings) {
    ASSIGN_OR_RETURN(auto wanted, wantedOf(store, options, console));
    settings = std::move(wanted.settings);
    const auto& query = settings.query;
    ASSIGN_OR_RETURN(const auto compared,
        analysis::compareRuns(store, wanted.runs, shownOn(console),
            analysis::quantityIndex(query.sortedBy), query.normalisation));
    for (const auto& run : compared.runs) {
        for (const auto& warning : report::groupedWarnings(report::warningsOf(run.summary)))
            console.warn(warning.text);
    }
    if (!options.gates.empty())
        return printGated(options, console, compared);
    return show(
        console, options.json, comparisonJson, printComparison, compared, query.normalisation);
}

Outcome compare(const CompareOptions& options, const Console& console) {
    app::ComparisonSettings settings;
    ExitStatus status = ExitStatus::Done;
    {
        // Closed before anything is saved: whoever reads keeps others from writing.
        ASSIGN_OR_RETURN(const auto store, openDatabase(options.database));
        if (options.list)
            return printSavedComparisons(store, options.json, console);
        ASSIGN_OR_RETURN(status, printCompared(options, console, store, settings));
    }
    if (!options.save.empty())
        RETURN_IF_ERROR(keep(options, settings));
    return status;
}

template <typename Value>
std::string messageOf(const Result<Value>& made) {
    return made.hasValue() ? std::string() : made.error().message;
}
std::string checkQuantity(const std::string& name) {
    return messageOf(analysis::namedQuantity(name));
}
std::string checkGate(const std::string& text) {
    return messageOf(analysis::gateOf(text));
}

void addSavingOptions(CLI::App& command, CompareOptions& options) {
    addOption(command, "--saved", options.saved,
        "The runs and settings of the comparison that the database keeps under this name", "NAME");
    addOption(command, "--save", options.save,
        "Keep the runs and settings in the database under this name, for the window too", "NAME");
    auto* list
        = command.add_flag("--list", options.list, "Only the comparisons that the database keeps");
    for (const char* name :
        {"--whole-run", "--normalise", "--sort", "--saved", "--save", "--capture"})
        list->excludes(name);
    for (const char* name : {"--whole-run", "--saved"})
        command.get_option("--capture")->excludes(name);
}

} // namespace

void addCompareCommand(CLI::App& app, CommandContext& context) {
    auto* command = app.add_subcommand(
        "compare", "Runs side by side, and whether scale-up or scale-out served better");
    auto options = std::make_shared<CompareOptions>();
    addRuns(*command, *options,
        "A run, at least twice; the first is the base. May be left out where there are two");
    addOption(*command, "--capture", options->captures,
        "Only this capture of the runs; several times: these captures of one run beside each other",
        "NAME")
        ->expected(1)
        ->take_all();
    command->add_flag("--whole-run", options->wholeRun,
        "Warm-up and unsettled time too, instead of settled iterations alone");
    addOption(*command, "--normalise", options->normalise,
        "Divide what grows with machine or work: absolute, per-gpu, per-node, per-token", "BY")
        ->check(CLI::IsMember({"absolute", "per-gpu", "per-node", "per-token"}));
    addOption(*command, "--sort", options->sortedBy,
        "The runs behind the first by this quantity, the best first; as given without", "QUANTITY")
        ->check(checkQuantity);
    auto* gates = addOption(*command, "--gate", options->gates,
        "A limit that the later runs keep, as step_time<=+2%: a line for each, and exit status 5 "
        "where one failed, 6 where the runs cannot be compared, 7 where the data cannot tell",
        "GATE");
    gates->expected(1)->take_all()->check(checkGate);
    addOption(*command, "--junit", options->junit, "The gates as JUnit XML, for CI systems", "FILE")
        ->needs(gates);
    addSavingOptions(*command, *options);
    gates->excludes("--list")->excludes("--normalise");
    addJson(*command, options->json);
    setFooter(
        *command, {"compare#when-a-difference-counts", "compare#the-verdict", "compare#gates"});
    runs(*command, context, options, compare);
}

} // namespace trainscope::cli
