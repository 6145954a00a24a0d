// `document`, which --help does not list: the shell completions and the option lists of the man
// page, written from the command line's own description, and the pages of the manual as man pages.
// The build calls it and installs what it prints.

#include "app/cli/commands/Command.h"
#include "app/cli/options/CommandText.h"
#include "app/manual/ManPage.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::cli {

namespace {

std::string namesOf(const std::vector<CommandText>& commands) {
    std::vector<std::string> names;
    for (const CommandText& command : commands)
        names.push_back(command.name);
    return fmt::format("{}", fmt::join(names, " "));
}

std::string wordsOf(const Argument& argument) {
    return fmt::format("{}", fmt::join(argument.words, " "));
}

// What a shell completes a value of that kind with; empty: its words alone.
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

constexpr std::string_view kRunQuery
    = "'SELECT name FROM run ORDER BY name' 2>/dev/null | tail -n +2";

std::string bashValue(const Argument& argument) {
    static const Completers kOwn{
        {Kind::Run, "_trainscope_cli_runs"}, {Kind::Database, "_trainscope_cli_databases"}};
    static const Completers kBeside{{Kind::Folder, R"(compgen -d -- "$current"; )"},
        {Kind::File, R"(compgen -f -- "$current"; )"}};
    if (const auto own = completerOf(kOwn, argument.kind); !own.empty())
        return std::string(own);
    std::string sources;
    if (!argument.words.empty())
        sources = fmt::format("compgen -W {} -- \"$current\"; ", shellQuoted(wordsOf(argument)));
    sources += completerOf(kBeside, argument.kind);
    return sources.empty() ? ":" : "mapfile -t COMPREPLY < <(" + sources + ")";
}

void printBash(const std::vector<CommandText>& commands, std::ostream& out) {
    out << R"(# bash completion of trainscope-cli, written by it

_trainscope_cli_databases() {
  mapfile -t COMPREPLY < <(compgen -d -- "$current"; compgen -f -X '!*.trainscope' -- "$current")
}

# Names of the runs in the database on the command line.
_trainscope_cli_runs() {
  local names
  [ -f "${words[2]}" ] || return
  names=$(trainscope-cli query "${words[2]}" )"
        << kRunQuery << R"()
  local IFS=$'\n'
  mapfile -t COMPREPLY < <(compgen -W "$names" -- "$current")
}

_trainscope_cli() {
  local cur prev words cword current options positional command=
  _get_comp_words_by_ref -n : cur prev words cword
  current=$cur
  COMPREPLY=()
  [ "$cword" -gt 1 ] && command=${words[1]}
  case "$command:$prev" in
)";
    for (const CommandText& command : commands) {
        for (const Argument& option : command.options) {
            if (option.kind != Kind::Flag)
                out << fmt::format(
                    "    {}:{}) {}; return ;;\n", command.name, option.name, bashValue(option));
        }
    }
    out << "  esac\n  case \"$command\" in\n";
    for (const CommandText& command : commands) {
        std::vector<std::string_view> names;
        for (const Argument& option : command.options)
            names.push_back(option.name);
        const std::string positional
            = command.positionals.empty() ? ":" : bashValue(command.positionals.front());
        out << fmt::format("    {}) options=\"{}\"; positional={} ;;\n", command.name,
            fmt::join(names, " "), shellQuoted(positional));
    }
    out << fmt::format(R"(    *)
      mapfile -t COMPREPLY < <(compgen -W "{} --help --version" -- "$current")
      return ;;
  esac
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
  else
    eval "$positional"
  fi
}}

complete -o filenames -F _trainscope_cli trainscope-cli
)",
        namesOf(commands));
}

std::string zshAction(const Argument& argument) {
    static const Completers kOwn{{Kind::Run, "_trainscope_cli_runs"},
        {Kind::Database, R"x(_files -g "*.trainscope(-.)")x"}, {Kind::Folder, "_files -/"},
        {Kind::File, "_files"}};
    const std::string_view own = completerOf(kOwn, argument.kind);
    if (argument.words.empty())
        return std::string(own);
    return own.empty() ? fmt::format("({})", wordsOf(argument))
                       : fmt::format("{{compadd {}; {}}}", wordsOf(argument), own);
}

void printZsh(const std::vector<CommandText>& commands, std::ostream& out) {
    out << R"x(#compdef trainscope-cli
# zsh completion of trainscope-cli, written by it

_trainscope_cli_runs() {
  local database=${words[(r)*.trainscope]}
  local -a runs
  [[ -f $database ]] || return
  runs=(${(f)"$(trainscope-cli query $database )x"
        << kRunQuery << R"x()"})
  compadd -a runs
}

_trainscope_cli() {
  local -a commands
  commands=(
)x";
    for (const CommandText& command : commands)
        out << "    " << shellQuoted(command.name + ":" + command.text) << '\n';
    out << R"x(  )
  if (( CURRENT == 2 )); then
    _describe command commands
    _arguments '--help[print the help]' '--version[print the version]'
    return
  fi
  local chosen=${words[2]}
  shift words
  (( CURRENT-- ))
  case $chosen in
)x";
    for (const CommandText& command : commands) {
        out << "    " << command.name << ") _arguments";
        for (std::size_t i = 0; i < command.positionals.size(); ++i) {
            const Argument& one = command.positionals[i];
            const std::string place = one.isRepeated ? "*" : std::to_string(i + 1);
            out << " \\\n      " << shellQuoted(place + ":" + one.name + ":" + zshAction(one));
        }
        for (const Argument& option : command.options) {
            std::string text = replaced(std::string(mainClause(option.text)), "]", "\\]");
            text = (option.isRepeated ? "*" : "") + option.name + "[" + text + "]";
            if (option.kind != Kind::Flag)
                text += ":" + option.value + ":" + zshAction(option);
            out << " \\\n      " << shellQuoted(text);
        }
        out << " ;;\n";
    }
    out << "  esac\n}\n\n_trainscope_cli \"$@\"\n";
}

std::string fishValue(const Argument& argument) {
    static const Completers kOwn{{Kind::Flag, ""},
        {Kind::Database, " -x -a '(__trainscope_cli_databases)'"}, {Kind::File, " -r -F"},
        {Kind::Folder, " -r -F"}, {Kind::Run, " -x -a '(__trainscope_cli_runs)'"},
        {Kind::Other, " -x"}};
    std::string value(completerOf(kOwn, argument.kind));
    if (!argument.words.empty())
        value += " -a " + shellQuoted(wordsOf(argument));
    return value;
}

void printFish(const std::vector<CommandText>& commands, std::ostream& out) {
    out << R"(# fish completion of trainscope-cli, written by it

function __trainscope_cli_databases
    __fish_complete_path (commandline -ct) | string match -r '^[^\t]*(?:/|\.trainscope)(?:\t.*)?$'
end

function __trainscope_cli_runs
    for word in (commandline -opc)
        if string match -q '*.trainscope' -- $word; and test -f $word
            trainscope-cli query $word )"
        << kRunQuery << R"(
        end
    end
end

set -l commands )"
        << namesOf(commands) << R"(
set -l chosen __fish_seen_subcommand_from

complete -c trainscope-cli -n "not $chosen $commands" -f
complete -c trainscope-cli -n "not $chosen $commands" -l help -d 'Print the help'
complete -c trainscope-cli -n "not $chosen $commands" -l version -d 'Print the version'
)";
    for (const CommandText& command : commands)
        out << fmt::format("complete -c trainscope-cli -n \"not $chosen $commands\" -a {} -d {}\n",
            command.name, shellQuoted(command.text, "\\"));
    for (const CommandText& command : commands) {
        if (!command.positionals.empty() && command.positionals.front().kind == Kind::Database)
            out << fmt::format("complete -c trainscope-cli -n \"$chosen {}\"{}\n", command.name,
                fishValue(command.positionals.front()));
        for (const Argument& option : command.options)
            out << fmt::format("complete -c trainscope-cli -n \"$chosen {}\" -l {}{} -d {}\n",
                command.name, option.name.substr(2), fishValue(option),
                shellQuoted(mainClause(option.text), "\\"));
    }
}

// As troff reads it: hyphens of options are no line breaks, and a line never begins with a dot.
std::string troff(std::string_view text) {
    std::string result = replaced(std::string(text), "\\", "\\e");
    result = replaced(std::move(result), "-", "\\-");
    return result.starts_with('.') || result.starts_with('\'') ? "\\&" + result : result;
}

void printSynopsis(const std::vector<CommandText>& commands, std::ostream& out) {
    for (const CommandText& command : commands) {
        out << "\\fBtrainscope\\-cli " << command.name << "\\fR";
        for (const Argument& one : command.positionals) {
            const std::string name
                = "\\fI" + troff(one.name) + "\\fR" + (one.isRepeated ? "..." : "");
            out << ' ' << (one.isRequired ? name : "[" + name + "]");
        }
        for (const Argument& option : command.options) {
            if (option.isRequired)
                out << fmt::format(
                    " \\fB{}\\fR \\fI{}\\fR", troff(option.name), troff(option.value));
        }
        out << " [\\fIOPTIONS\\fR]\n";
    }
}

// A line `.\" options COMMAND` of the template stands for the command's options; up to `.\" end`
// follow remarks that the man page adds to some of them, each behind `.\" of --OPTION`.
constexpr std::string_view kSynopsis = R"(.\" synopsis)";
constexpr std::string_view kOptions = R"(.\" options )";
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

// Options that every command has are explained once, by the template.
void printManOptions(const CommandText& command, std::istream& file, std::ostream& out) {
    auto remarks = readRemarks(file);
    for (const Argument& option : command.options) {
        if (option.name == "--help" || option.name == "--json")
            continue;
        out << ".TP\n";
        if (option.value.empty())
            out << ".B " << troff(option.name) << '\n';
        else
            out << fmt::format(".BI {} \" {}\"\n", troff(option.name), troff(option.value));
        out << troff(option.text) << ".\n" << remarks[option.name];
    }
}

Outcome printMan(
    const std::vector<CommandText>& commands, const std::string& path, const Console& console) {
    std::ifstream file(path);
    if (!file)
        return Error{ErrorCode::Unreadable, "The template cannot be read.", path};
    for (std::string line; std::getline(file, line);) {
        const auto command = std::find_if(commands.begin(), commands.end(),
            [&](const CommandText& one) { return line == std::string(kOptions) + one.name; });
        if (line == kSynopsis)
            printSynopsis(commands, console.out());
        else if (command != commands.end())
            printManOptions(*command, file, console.out());
        else
            console.out() << line << '\n';
    }
    return ExitStatus::Done;
}

Outcome printManual(const std::string& id, const Console& console) {
    const app::manual::Page* page = app::manual::findPage(id);
    if (page == nullptr)
        return Error{ErrorCode::NotFound, "The manual has no page '" + id + "'.", {}};
    console.out() << app::manual::manPage(*page);
    return ExitStatus::Done;
}

Outcome document(const CLI::App& app, const std::string& what, const std::string& source,
    const Console& console) {
    const auto commands = commandsOf(app);
    if (what == "man")
        return printMan(commands, source, console);
    if (what == "manual")
        return printManual(source, console);
    if (what == "bash")
        printBash(commands, console.out());
    else if (what == "zsh")
        printZsh(commands, console.out());
    else
        printFish(commands, console.out());
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
        ->check(CLI::IsMember({"bash", "zsh", "fish", "man", "manual"}));
    command->add_option("SOURCE", *source,
        "Of man the page without its lists of options; of manual the name of the page");
    whenChosen(*command, context, [what, source, &app](const Console& console) {
        return document(app, *what, *source, console);
    });
}

} // namespace trainscope::cli
