#pragma once
// The commands and options of the command line as CLI11 knows them, in the form that shell
// completions, the man page and the schemas of tools need.

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace trainscope::cli {

// An option or a positional argument.
struct Argument {
    enum class Kind { Flag, Database, Run, File, Folder, Command, Other };
    std::string name; // "--into"; of a positional "DB"
    std::string value; // "N"; empty: a flag
    std::string text;
    Kind kind = Kind::Other;
    std::string type = "string"; // or integer, number, boolean, as JSON names them
    std::vector<std::string> words; // suggested by a shell for the value
    bool isOneOfThese = false; // no value but these words
    bool isRequired = false;
    bool isRepeated = false;
};

struct CommandText {
    std::string name;
    std::string text;
    std::string help; // below its options
    std::vector<Argument> options;
    std::vector<Argument> positionals;
};

// Every command that --help lists, in its order.
std::vector<CommandText> commandsOf(CLI::App& app);

// Up to the first semicolon, behind which descriptions say what is so without the option.
std::string_view mainClause(std::string_view text);

} // namespace trainscope::cli
