// `document`, which --help does not list: the shell completions and the option lists of the man
// page, written from the command line's own description, and the pages of the manual as man pages.
// The build calls it and installs what it prints. The completions call it for the runs of a
// database.

#include "app/cli/commands/Command.h"
#include "app/cli/options/CommandText.h"
#include "app/cli/output/Completions.h"
#include "app/manual/ManPage.h"
#include "core/model/HarmlessText.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::cli {

namespace {

// As troff reads it: hyphens of options are no line breaks, and a line never begins with a dot.
std::string troff(std::string_view text) {
    std::string result = replaced(std::string(text), "\\", "\\e");
    result = replaced(std::move(result), "-", "\\-");
    return result.starts_with('.') || result.starts_with('\'') ? "\\&" + result : result;
}

void printSynopsis(const std::vector<CommandText>& commands, std::ostream& out) {
    for (const CommandText& command : commands) {
        out << "\\fBtrainscope\\-cli " << command.name << "\\fR";
        std::string behind; // what stands behind the options
        for (const Argument& one : command.positionals) {
            const std::string name
                = "\\fI" + troff(one.name) + "\\fR" + (one.isRepeated ? "..." : "");
            if (one.kind == Argument::Kind::Command)
                behind = " \\fB\\-\\-\\fR " + name;
            else
                out << ' ' << (one.isRequired ? name : "[" + name + "]");
        }
        for (const Argument& option : command.options) {
            if (option.isRequired)
                out << fmt::format(
                    " \\fB{}\\fR \\fI{}\\fR", troff(option.name), troff(option.value));
        }
        out << " [\\fIOPTIONS\\fR]" << behind << '\n';
    }
}

// A line `.\" options COMMAND` of the template stands for the command's options; up to `.\" end`
// follow remarks that the man page adds to some of them, each behind `.\" of --OPTION`. A line
// `.\" manual PAGE#SECTION` stands for what the manual says there.
constexpr std::string_view kSynopsis = R"(.\" synopsis)";
constexpr std::string_view kOptions = R"(.\" options )";
constexpr std::string_view kManual = R"(.\" manual )";
constexpr std::string_view kRemarks = R"(.\" of )";
constexpr std::string_view kEnd = R"(.\" end)";

std::map<std::string, std::string> readRemarks(std::istream& file) {
    std::map<std::string, std::string> remarks; // by option
    std::string option;
    for (std::string line; std::getline(file, line) && line != kEnd;) {
        if (line.starts_with(kRemarks))
            option = line.substr(kRemarks.size());
        else
            remarks[option] += line + '\n';
    }
    return remarks;
}

// Options that every command has are explained once, by the template. Remarks on others than the
// command's own options are left.
void printManOptions(
    const CommandText& command, std::map<std::string, std::string>& remarks, std::ostream& out) {
    for (const Argument& option : command.options) {
        if (option.name == "--help" || option.name == "--json")
            continue;
        out << ".TP\n";
        if (option.value.empty())
            out << ".B " << troff(option.name) << '\n';
        else
            out << fmt::format(".BI {} \" {}\"\n", troff(option.name), troff(option.value));
        out << troff(option.text) << ".\n";
        if (auto remark = remarks.extract(option.name))
            out << remark.mapped();
    }
}

// The options of the command that is named so, behind its line of the template.
Status printOptionsOf(const std::string& name, const std::vector<CommandText>& commands,
    std::istream& file, std::ostream& out) {
    const auto command = std::find_if(commands.begin(), commands.end(),
        [&name](const CommandText& one) { return one.name == name; });
    if (command == commands.end())
        return Error{ErrorCode::Unrecognised, "There is no command '" + name + "'.", {}};
    auto remarks = readRemarks(file);
    printManOptions(*command, remarks, out);
    if (!remarks.empty())
        return Error{ErrorCode::Unrecognised,
            "'" + name + "' has no option '" + remarks.begin()->first + "' to remark on.", {}};
    return {};
}

Outcome printMan(
    const std::vector<CommandText>& commands, const std::string& path, const Console& console) {
    std::ifstream file(path);
    if (!file)
        return Error{ErrorCode::Unreadable, "The template cannot be read.", path};
    std::ostringstream page;
    std::set<std::string> missing;
    for (const CommandText& command : commands)
        missing.insert(command.name);
    for (std::string line; std::getline(file, line);) {
        if (line == kSynopsis) {
            printSynopsis(commands, page);
        } else if (line.starts_with(kOptions)) {
            const std::string name = line.substr(kOptions.size());
            missing.erase(name);
            RETURN_IF_ERROR(printOptionsOf(name, commands, file, page));
        } else if (line.starts_with(kManual)) {
            const std::string place = line.substr(kManual.size());
            const std::string section = app::manual::manSection(place);
            if (section.empty())
                return Error{ErrorCode::Unrecognised, "The manual has no '" + place + "'.", path};
            page << section;
        } else {
            page << line << '\n';
        }
    }
    if (!missing.empty())
        return Error{ErrorCode::Unrecognised,
            fmt::format(
                "The template has no line '{}NAME' for: {}.", kOptions, fmt::join(missing, ", ")),
            path};
    console.out() << page.str();
    return ExitStatus::Done;
}

Outcome printManual(const std::string& id, const Console& console) {
    const app::manual::Page* page = app::manual::findPage(id);
    if (page == nullptr)
        return Error{ErrorCode::NotFound, "The manual has no page '" + id + "'.", {}};
    console.out() << app::manual::manPage(*page);
    return ExitStatus::Done;
}

// A name a line; those of several lines cannot be completed.
Outcome printRuns(const std::string& database, const Console& console) {
    ASSIGN_OR_RETURN(const auto store, openDatabase(database));
    ASSIGN_OR_RETURN(const auto runs, store.runs());
    for (const Run& run : runs) {
        if (run.name == harmlessLine(run.name))
            console.out() << run.name << '\n';
    }
    return ExitStatus::Done;
}

Outcome document(
    CLI::App& app, const std::string& what, const std::string& source, const Console& console) {
    const auto commands = commandsOf(app);
    if (what == "man")
        return printMan(commands, source, console);
    if (what == "manual")
        return printManual(source, console);
    if (what == "runs")
        return printRuns(source, console);
    if (what == "bash")
        printBashCompletion(commands, console.out());
    else if (what == "zsh")
        printZshCompletion(commands, console.out());
    else
        printFishCompletion(commands, console.out());
    return ExitStatus::Done;
}

} // namespace

void addDocumentCommand(CLI::App& app, CommandContext& context) {
    auto* command = app.add_subcommand("document", "Shell completions and the man page");
    command->group({}); // not listed
    auto what = std::make_shared<std::string>();
    auto source = std::make_shared<std::string>();
    command->add_option("WHAT", *what, "What to print")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish", "man", "manual", "runs"}));
    command->add_option("SOURCE", *source,
        "Of man the page without its lists of options; of manual the name of the page; of runs the "
        "database");
    whenChosen(*command, context, [what, source, &app](const Console& console) {
        return document(app, *what, *source, console);
    });
}

} // namespace trainscope::cli
