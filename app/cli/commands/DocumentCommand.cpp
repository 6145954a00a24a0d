// `document`, which --help does not list: the shell completions and the commands of the man page,
// written from the command line's own description, and the pages of the manual as man pages.
// The build calls it and installs what it prints. The completions call it for the runs of a
// database.
#include "app/cli/commands/Command.h"
#include "app/cli/options/CommandText.h"
#include "app/manual/Manual.h"
#include "core/model/AsciiText.h"
#include "core/model/HarmlessText.h"

#include <fstream>
#include <iterator>
#include <sstream>

namespace trainscope::cli {
namespace {

// Shell completions, written from the command line's own description.

std::string namesOf(const std::vector<CommandText>& commands) {
    std::vector<std::string> names;
    for (const CommandText& command : commands)
        names.push_back(command.name);
    return fmt::format("{}", fmt::join(names, " "));
}

std::string wordsOf(const Argument& argument) {
    return fmt::format("{}", fmt::join(argument.words, " "));
}

// Commands that run another one, which stands behind --.
std::vector<CommandText> runningOthers(const std::vector<CommandText>& commands) {
    std::vector<CommandText> some;
    std::ranges::copy_if(commands, std::back_inserter(some), [](const CommandText& command) {
        return !command.positionals.empty()
            && command.positionals.front().kind == Argument::Kind::Command;
    });
    return some;
}

// The completer of a shell for values of that kind; empty: the argument's words alone.
using Kind = Argument::Kind;
using Completers = std::map<Kind, std::string_view>;
std::string_view completerOf(const Completers& completers, Kind kind) {
    const auto found = completers.find(kind);
    return found == completers.end() ? std::string_view() : found->second;
}

// In single quotes of a shell; `escaped` are characters that mean something to its completion.
std::string shellQuoted(std::string_view text, std::string_view escaped = {}) {
    std::string result = "'";
    for (const char c : text) {
        if (c == '\'')
            result += R"('\'')";
        else if (escaped.find(c) != std::string_view::npos)
            result += std::string("\\") + c;
        else
            result += c;
    }
    return result + "'";
}

std::string bashValue(const Argument& argument) {
    static const Completers kOwn{
        {Kind::Run, "_trainscope_cli_runs"}, {Kind::Database, "_trainscope_cli_databases"}};
    static const Completers kBeside{{Kind::Folder, R"(compgen -d -- "$current"; )"},
        {Kind::File, R"(compgen -f -- "$current"; )"},
        {Kind::Command, R"(compgen -c -- "$current"; compgen -d -- "$current"; )"}};
    if (const auto own = completerOf(kOwn, argument.kind); !own.empty())
        return std::string(own);
    std::string sources;
    if (!argument.words.empty())
        sources = fmt::format("compgen -W {} -- \"$current\"; ", shellQuoted(wordsOf(argument)));
    sources += completerOf(kBeside, argument.kind);
    return sources.empty() ? ":" : "mapfile -t COMPREPLY < <(" + sources + ")";
}

using Parts = std::vector<std::pair<std::string_view, std::string>>; // by the marks of a template

// Names of runs are whatever a stranger's file calls them: no shell may read them as words of its
// own, and `document runs` prints each on one line.
Parts bashParts(const std::vector<CommandText>& commands) {
    std::string values;
    std::string options;
    for (const CommandText& command : commands) {
        std::vector<std::string_view> names;
        for (const Argument& option : command.options) {
            names.push_back(option.name);
            if (option.kind != Kind::Flag)
                values += fmt::format(
                    "    {}:{}) {}; return ;;\n", command.name, option.name, bashValue(option));
        }
        const std::string positional
            = command.positionals.empty() ? ":" : bashValue(command.positionals.front());
        options += fmt::format("    {}) options=\"{}\"; positional={} ;;\n", command.name,
            fmt::join(names, " "), shellQuoted(positional));
    }
    return {{"@RUNNING@", namesOf(runningOthers(commands))}, {"@VALUES@", values},
        {"@OPTIONS@", options}, {"@COMMANDS@", namesOf(commands)}};
}

std::string zshAction(const Argument& argument) {
    static const Completers kOwn{{Kind::Run, "_trainscope_cli_runs"},
        {Kind::Database, R"x(_files -g "*.trainscope(-.)")x"}, {Kind::Folder, "_files -/"},
        {Kind::File, "_files"}, {Kind::Command, "_normal"}};
    const std::string_view own = completerOf(kOwn, argument.kind);
    if (argument.words.empty())
        return std::string(own);
    return own.empty() ? fmt::format("({})", wordsOf(argument))
                       : fmt::format("{{compadd {}; {}}}", wordsOf(argument), own);
}

Parts zshParts(const std::vector<CommandText>& commands) {
    std::string names;
    std::ostringstream out;
    for (const CommandText& command : commands)
        names += "    " + shellQuoted(command.name + ":" + command.text) + '\n';
    for (const CommandText& command : commands) {
        out << "    " << command.name << ") _arguments -S";
        for (std::size_t i = 0; i < command.positionals.size(); ++i) {
            const Argument& one = command.positionals[i];
            const std::string place = one.kind == Kind::Command ? "(-)*:"
                : one.isRepeated                                ? "*"
                                                                : std::to_string(i + 1);
            out << " \\\n      " << shellQuoted(place + ":" + one.name + ":" + zshAction(one));
        }
        for (const Argument& option : command.options) {
            std::string text = replaced(std::string(mainClause(option.text)), "]", "\\]");
            const std::string_view value
                = option.kind == Kind::Flag ? "" : "="; // beside, or behind it
            text
                = fmt::format("{}{}{}[{}]", option.isRepeated ? "*" : "", option.name, value, text);
            if (option.kind != Kind::Flag)
                text += ":" + replaced(option.value, ":", "\\:") + ":" + zshAction(option);
            out << " \\\n      " << shellQuoted(text);
        }
        out << " ;;\n";
    }
    return {{"@COMMANDS@", names}, {"@OPTIONS@", out.str()}};
}

std::string fishValue(const Argument& argument) {
    static const Completers kOwn{{Kind::Flag, ""},
        {Kind::Database, " -x -a '(__trainscope_cli_databases)'"}, {Kind::File, " -r -F"},
        {Kind::Folder, " -r -F"}, {Kind::Run, " -x -a '(__trainscope_cli_runs)'"},
        {Kind::Command, " -x -a '(__trainscope_cli_behind)'"}, {Kind::Other, " -x"}};
    std::string value(completerOf(kOwn, argument.kind));
    if (!argument.words.empty())
        value += " -a " + shellQuoted(wordsOf(argument));
    return value;
}

Parts fishParts(const std::vector<CommandText>& commands) {
    std::ostringstream out;
    for (const CommandText& command : commands)
        out << fmt::format("complete -c trainscope-cli -n __trainscope_cli_begins -a {} -d {}\n",
            command.name, shellQuoted(command.text, "\\"));
    for (const CommandText& command : commands) {
        // Elsewhere fish offers files by itself.
        const Kind kind
            = command.positionals.empty() ? Kind::Other : command.positionals.front().kind;
        if (kind == Kind::Database || kind == Kind::Command)
            out << fmt::format("complete -c trainscope-cli -n '__trainscope_cli_is {}'{}\n",
                command.name, fishValue(command.positionals.front()));
        for (const Argument& option : command.options)
            out << fmt::format(
                "complete -c trainscope-cli -n '__trainscope_cli_is {}' -l {}{} -d {}\n",
                command.name, option.name.substr(2), fishValue(option),
                shellQuoted(mainClause(option.text), "\\"));
    }
    return {{"@COMMANDS@", out.str()}};
}

// As troff reads it: hyphens of options are no line breaks, and a line never begins with a dot.
std::string troff(std::string_view text) {
    std::string result = replaced(std::string(text), "\\", "\\e");
    result = replaced(std::move(result), "-", "\\-");
    return result.starts_with('.') || result.starts_with('\'') ? "\\&" + result : result;
}

std::string synopsisOf(const std::vector<CommandText>& commands) {
    std::ostringstream out;
    for (const CommandText& command : commands) {
        out << "\\fBtrainscope\\-cli " << command.name << "\\fR";
        std::string behind; // words after the options
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
    return out.str();
}

// Options that every command has are explained once, by the template.
void printManOptions(const CommandText& command, std::ostream& out) {
    for (const Argument& option : command.options) {
        if (option.name == "--help" || option.name == "--json")
            continue;
        out << ".TP\n";
        if (option.value.empty())
            out << ".B " << troff(option.name) << '\n';
        else
            out << fmt::format(".BI {} \" {}\"\n", troff(option.name), troff(option.value));
        out << troff(option.text) << ".\n";
    }
}

// Words of --help: lines that stand further in are kept as they are, others are filled.
void printManHelp(const std::string& help, std::ostream& out) {
    std::istringstream lines(help);
    bool isKept = false;
    out << ".PP\n";
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(' ') != isKept)
            out << (isKept ? ".fi\n" : ".nf\n");
        isKept = line.starts_with(' ');
        out << (line.empty() ? ".PP" : troff(line)) << '\n';
    }
    out << (isKept ? ".fi\n" : "");
}

// A section for each command: what it is for, its options, and what --help says below them.
Parts manParts(const std::vector<CommandText>& commands) {
    std::ostringstream out;
    for (const CommandText& command : commands) {
        out << ".SH " << troff(inCapitals(command.name)) << '\n' << troff(command.text) << ".\n";
        printManOptions(command, out);
        printManHelp(command.help, out);
    }
    return {{".\\\" synopsis\n", synopsisOf(commands)}, {".\\\" commands\n", out.str()}};
}

Outcome printFilled(const Parts& parts, const std::string& path, const Console& console) {
    std::ifstream file(path);
    if (!file)
        return Error{ErrorCode::Unreadable, "The template cannot be read.", path};
    std::string text(std::istreambuf_iterator<char>(file), {});
    for (const auto& [mark, part] : parts)
        text = replaced(std::move(text), mark, part);
    console.out() << text;
    return ExitStatus::Done;
}

Outcome printManual(const std::string& id, bool isMarkdown, const Console& console) {
    const app::manual::Page* page = app::manual::findPage(id);
    if (page == nullptr)
        return Error{ErrorCode::NotFound, "The manual has no page '" + id + "'.", {}};
    console.out() << (isMarkdown ? page->text : app::manual::manPage(*page));
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
    if (what == "manual" || what == "markdown")
        return printManual(source, what == "markdown", console);
    if (what == "runs")
        return printRuns(source, console);
    return printFilled(what == "bash" ? bashParts(commands)
            : what == "zsh"           ? zshParts(commands)
            : what == "man"           ? manParts(commands)
                                      : fishParts(commands),
        source, console);
}

} // namespace

void addDocumentCommand(CLI::App& app, CommandContext& context) {
    auto* command = app.add_subcommand("document", "Shell completions and the man page");
    command->group({}); // not listed
    auto what = std::make_shared<std::string>();
    auto source = std::make_shared<std::string>();
    command->add_option("WHAT", *what, "What to print")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish", "man", "manual", "markdown", "runs"}));
    command->add_option("SOURCE", *source,
        "Of completions and man the text without its commands; of manual and markdown the name of "
        "the page; of runs the database");
    whenChosen(*command, context, [what, source, &app](const Console& console) {
        return document(app, *what, *source, console);
    });
}

} // namespace trainscope::cli
