#include "app/cli/CommandLine.h"

#include "app/cli/commands/Command.h"
#include "app/cli/commands/ImportJob.h"
#include "app/cli/console/Interrupt.h"
#include "app/manual/Manual.h"
#include "core/model/HarmlessText.h"

#include <exception>
#include <iostream>
#include <sstream>

#include <unistd.h>

namespace trainscope::cli {

namespace {

constexpr const char* kDescription
    = R"(Power, heat, time and layout of distributed LLM training runs.
Reads what a run left behind into a run database, and answers from there.)";

// Examples are written for this program, and shown for the one that runs.
constexpr const char* kUsual = "trainscope-cli";

// Footers with the name of the program that runs.
class NamedFooters : public CLI::Formatter {
public:
    explicit NamedFooters(const char* program)
        : m_program(program) { }
    std::string make_footer(const CLI::App* app) const override {
        return replaced(Formatter::make_footer(app), kUsual, m_program);
    }

private:
    const char* m_program;
};

void addCommands(CLI::App& app, CommandContext& context, const Program& program) {
    app.require_subcommand(1);
    app.set_help_flag("-h,--help", "Print this help and end");
    app.set_version_flag("--version", std::string(program.name) + " " + TRAINSCOPE_VERSION,
        "Print the version and end");
    app.footer(std::string(app::manual::helpOf(kUsual)));
    app.formatter(std::make_shared<NamedFooters>(program.name)); // commands take it over
    for (AddCommand* const add : commandsIn(program))
        add(app, context);
}

// Number of values that follow an option that may be given several times. One each, so that in
// "--run A DB" the database is no run; "--run A B" is tried where that leaves words over.
enum class Values { One, AllThatFollow };

void parse(CLI::App& app, CommandContext& context, const Program& program,
    const std::vector<std::string>& arguments, Values values) {
    if (program.remote != nullptr)
        context.remote = program.remote();
    addCommands(app, context, program);
    for (CLI::App* command : app.get_subcommands({})) {
        for (CLI::Option* option : command->get_options()) {
            if (values == Values::One && !option->get_positional())
                option->allow_extra_args(false);
        }
    }
    // CLI11 takes the arguments from the back.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
}

std::optional<std::string> unknownCommand(
    const CLI::App& app, const std::vector<std::string>& arguments) {
    if (arguments.empty() || arguments.front().starts_with('-'))
        return std::nullopt;
    std::string known;
    for (const CLI::App* command : app.get_subcommands({})) {
        if (command->get_name() == arguments.front())
            return std::nullopt;
        if (!command->get_group().empty())
            known += (known.empty() ? "" : ", ") + command->get_name();
    }
    return "There is no command \"" + arguments.front() + "\"; there are " + known + ".";
}

// Usage, unless help or the version was asked for.
ExitStatus tell(const CLI::App& app, const CLI::ParseError& error,
    const std::vector<std::string>& arguments, const Console& console) {
    if (const auto unknown = unknownCommand(app, arguments))
        return console.fail(usageError(*unknown));
    std::ostringstream complaint;
    const bool isAsked = app.exit(error, console.out(), complaint) == 0;
    console.err() << harmless(complaint.str());
    return isAsked ? ExitStatus::Done : ExitStatus::Usage;
}

ExitStatus parseAndRun(
    const Program& program, const std::vector<std::string>& arguments, Console& console) {
    CLI::App app(kDescription, program.name);
    CommandContext context{console, program};
    try {
        parse(app, context, program, arguments, Values::One);
        return context.action();
    } catch (const CLI::ParseError& error) {
        CLI::App other(kDescription, program.name);
        CommandContext otherContext{console, program};
        try {
            if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr)
                return tell(app, error, arguments, console);
            parse(other, otherContext, program, arguments, Values::AllThatFollow);
        } catch (const CLI::ParseError&) {
            return tell(app, error, arguments, console);
        }
        return otherContext.action();
    }
}

} // namespace

std::vector<AddCommand*> commandsIn(const Program& program) {
    if (program.alone != nullptr)
        return {program.alone};
    std::vector<AddCommand*> all{addImportCommand, addInfoCommand, addSummaryCommand,
        addKernelsCommand, addOperatorsCommand, addLayoutCommand, addAlignCommand,
        addCollectivesCommand, addReplayCommand, addMemoryCommand, addFindingsCommand,
        addHistoryCommand, addOverviewCommand, addPlacementCommand, addTopologyCommand,
        addProfileCommand, addRecordCommand, addCorrelateCommand, addClusterCommand,
        addPredictCommand, addPowerCommand};
    all.insert(all.end(), program.more.begin(), program.more.end());
    all.insert(all.end(),
        {addExportCommand, addQueryCommand, addRemoveCommand, addVacuumCommand, addCheckCommand,
            addServeCommand, addMcpCommand});
    return all;
}

int runCommandLine(
    const Program& program, const std::vector<std::string>& arguments, Console& console) {
    try {
        return static_cast<int>(console.finish(parseAndRun(program, arguments, console)));
    } catch (const std::exception& error) {
        return static_cast<int>(console.fail({ErrorCode::Internal,
            std::string("Unexpected failure: ") + error.what() + ". Please report it.", {}}));
    }
}

int runProgram(const Program& program, int argc, char** argv) {
    Console console(std::cout, std::cerr, {isatty(STDOUT_FILENO) == 1, isatty(STDERR_FILENO) == 1});
    endOnSignals(console.cancelFlag());
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return runCommandLine(program, arguments, console);
}

} // namespace trainscope::cli
