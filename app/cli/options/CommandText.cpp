#include "app/cli/options/CommandText.h"

#include "core/model/AsciiText.h"
#include "core/model/Metric.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>

namespace trainscope::cli {

namespace {

bool isWord(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '+' || c == '.';
    });
}

// The values that a description lists: "What to draw: timeline, heatmap", "paper, light or dark".
std::vector<std::string> listedWords(std::string_view text) {
    text = mainClause(text);
    if (const std::size_t colon = text.rfind(": "); colon != std::string_view::npos)
        text.remove_prefix(colon + 2);
    std::string items = replaced(std::string(text), ", or ", ", ");
    items = replaced(std::move(items), " or ", ", ");
    std::vector<std::string> words;
    for (std::string_view rest = items; !rest.empty();) {
        std::string_view item = rest.substr(0, rest.find(", "));
        rest.remove_prefix(std::min(rest.size(), item.size() + 2));
        if (const std::size_t remark = item.find(" ("); remark != std::string_view::npos)
            item = item.substr(0, remark);
        if (isWord(item))
            words.emplace_back(item);
    }
    return words.size() > 1 ? words : std::vector<std::string>();
}

std::vector<std::string> metricNames() {
    std::vector<std::string> names;
    for (const KnownMetric& known : metricRegistry())
        names.push_back(known.name);
    names.emplace_back("kernels");
    return names;
}

Argument::Kind kindOf(const Argument& argument) {
    if (argument.value.empty())
        return Argument::Kind::Flag;
    if (argument.value == "DB")
        return Argument::Kind::Database;
    if (argument.name == "--run")
        return Argument::Kind::Run;
    if (argument.value == "DIR")
        return Argument::Kind::Folder;
    const bool isFile = argument.value == "F" || argument.value == "FILE" || argument.value == "SRC"
        || argument.text.find("JSON file") != std::string::npos;
    return isFile ? Argument::Kind::File : Argument::Kind::Other;
}

Argument argumentOf(const CLI::Option& option) {
    Argument argument;
    argument.text = option.get_description();
    const bool isFlag = option.get_items_expected_max() == 0;
    // The type's name, then what its checks allow: "BY:{per-gpu,per-node}", "N:UINT in [1 - 64]".
    const std::string type = option.get_type_name();
    if (option.nonpositional()) {
        argument.name = "--" + option.get_lnames().front();
        argument.value = isFlag ? std::string() : type.substr(0, type.find_first_of(": "));
    } else {
        argument.name = argument.value = option.get_name(true);
    }
    argument.kind = kindOf(argument);
    if (const std::size_t brace = type.find('{'); brace != std::string::npos) {
        const std::string allowed = type.substr(brace);
        for (const std::string_view word : words(allowed, "{,}"))
            argument.words.emplace_back(word);
    } else if (argument.name == "--metric")
        argument.words = metricNames();
    else if (argument.kind == Argument::Kind::Other || argument.kind == Argument::Kind::File)
        argument.words = listedWords(argument.text);
    argument.isRequired = option.get_required();
    argument.isRepeated = !isFlag
        && (option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll
            || option.get_items_expected_max() > 1);
    return argument;
}

} // namespace

std::string replaced(std::string text, std::string_view what, std::string_view with) {
    for (std::size_t at = text.find(what); at != std::string::npos;
         at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
    return text;
}

std::string_view mainClause(std::string_view text) {
    return text.substr(0, text.find(';'));
}

std::vector<CommandText> commandsOf(const CLI::App& app) {
    std::vector<CommandText> commands;
    const auto isShown = [](const CLI::App* one) { return !one->get_group().empty(); };
    for (const CLI::App* command : app.get_subcommands(isShown)) {
        CommandText text{command->get_name(), command->get_description(), {}, {}};
        for (const CLI::Option* option : command->get_options())
            (option->nonpositional() ? text.options : text.positionals)
                .push_back(argumentOf(*option));
        commands.push_back(std::move(text));
    }
    return commands;
}

} // namespace trainscope::cli
