#include "app/cli/options/CommandText.h"

#include "app/cli/options/AddOption.h"
#include "core/model/AsciiText.h"

#include <algorithm>
#include <map>
#include <utility>

namespace trainscope::cli {

namespace {

// Kind of an argument's values, by the name that the help gives them.
Argument::Kind kindOf(const Argument& argument) {
    using Is = Argument::Kind;
    static const std::map<std::string_view, Is> kByValue{{"", Is::Flag}, {"DB", Is::Database},
        {"DIR", Is::Folder}, {"COMMAND", Is::Command}, {"F", Is::File}, {"FILE", Is::File},
        {"PATH", Is::File}, {"SOURCE", Is::File}, {"SRC", Is::File}, {"TABLE", Is::File},
        {"T.csv", Is::File}};
    if (argument.name == "--run")
        return Is::Run;
    const auto found = kByValue.find(argument.value);
    return found == kByValue.end() ? Is::Other : found->second;
}

// Texts of an option's checks: behind the name of its value, and its words.
struct Checks {
    std::string text; // ":UINT in [1 - 64]"
    std::vector<std::string> words;
    bool isOneOfThese = false;
    std::string type = "string";
};

Checks checksOf(CLI::Option& option) {
    Checks checks;
    const auto add = [&checks](std::string_view some, std::string_view between) {
        for (const std::string_view word : words(some, between)) {
            if (std::find(checks.words.begin(), checks.words.end(), word) == checks.words.end())
                checks.words.emplace_back(word);
        }
    };
    try {
        for (int i = 0;; ++i) {
            const CLI::Validator& check = *option.get_validator(i);
            const std::string text = check.get_description();
            if (!text.empty())
                checks.text += ":" + text;
            const std::string_view note = check.get_name();
            if (text.starts_with('{')) {
                add(text, "{,}");
                checks.isOneOfThese = true;
            }
            if (note.starts_with(kSuggestedBy))
                add(note.substr(kSuggestedBy.size()), " ");
            if (note.starts_with(kOfType))
                checks.type = note.substr(kOfType.size());
        }
    } catch (const CLI::OptionNotFound&) { // CLI11's way to say that there are no more
        return checks;
    }
}

Argument argumentOf(CLI::Option& option) {
    Argument argument;
    argument.text = option.get_description();
    const bool isFlag = option.get_items_expected_max() == 0;
    Checks checks = checksOf(option);
    if (option.nonpositional()) {
        argument.name = "--" + option.get_lnames().front();
        if (!isFlag) {
            argument.value = option.get_type_name();
            argument.value.resize(argument.value.size() - checks.text.size());
        }
    } else {
        argument.name = argument.value = option.get_name(true);
    }
    argument.kind = kindOf(argument);
    argument.type = isFlag ? "boolean" : checks.type;
    argument.words = std::move(checks.words);
    argument.isOneOfThese = checks.isOneOfThese;
    argument.isRequired = option.get_required();
    argument.isRepeated = !isFlag
        && (option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll
            || option.get_items_expected_max() > 1);
    return argument;
}

} // namespace

std::string_view mainClause(std::string_view text) {
    return text.substr(0, text.find(';'));
}

std::vector<CommandText> commandsOf(CLI::App& app) {
    std::vector<CommandText> commands;
    const auto isShown = [](const CLI::App* one) { return !one->get_group().empty(); };
    for (CLI::App* command : app.get_subcommands(isShown)) {
        CommandText text{
            command->get_name(), command->get_description(), command->get_footer(), {}, {}};
        for (CLI::Option* option : command->get_options())
            (option->nonpositional() ? text.options : text.positionals)
                .push_back(argumentOf(*option));
        commands.push_back(std::move(text));
    }
    return commands;
}

} // namespace trainscope::cli
