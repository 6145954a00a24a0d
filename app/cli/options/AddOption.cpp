#include "app/cli/options/AddOption.h"

#include "app/manual/Manual.h"
#include "core/figures/Option.h"

namespace trainscope::cli {

void addFlag(CLI::App& command, const figures::Option& option, figures::OptionValues& values) {
    const std::string name(option.name);
    const std::string flag = "--" + name;
    if (option.value.empty()) {
        command.add_flag_callback(
            flag, [&values, name] { values.add(name); }, option.help);
        return;
    }
    auto* added = command.add_option_function<std::vector<std::string>>(
        flag,
        [&values, name](const std::vector<std::string>& given) {
            for (const auto& value : given)
                values.add(name, value);
        },
        option.help);
    std::string words;
    for (const auto& choice : option.choices) {
        if (!choice.key.empty())
            words += (words.empty() ? "" : " ") + choice.key;
    }
    added->type_name(std::string(option.value))->expected(1)->check(suggesting(words));
    if (option.isList)
        added->take_all();
}

std::string metricNames() {
    std::string names;
    for (const KnownMetric& known : metricRegistry())
        names += (names.empty() ? "" : " ") + known.name;
    return names;
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
    for (std::size_t at = text.find(what); at != std::string::npos;
         at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
    return text;
}

void setFooter(CLI::App& command, std::vector<std::string_view> places) {
    constexpr std::size_t kColumns = 100;
    const std::string rest(app::manual::helpOf(command.get_name()));
    command.footer(places.empty() ? rest : std::string()); // else that of all commands
    if (places.empty())
        return;
    command.footer([places = std::move(places), rest] {
        std::string text;
        for (const auto place : places)
            text += app::manual::definitionAt(place, kColumns) + "\n";
        return text + "\n" + rest;
    });
}

} // namespace trainscope::cli
