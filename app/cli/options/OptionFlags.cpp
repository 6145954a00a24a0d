#include "app/cli/options/OptionFlags.h"

#include "app/cli/options/AddOption.h"

#include <string>

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

void addFlags(
    CLI::App& command, const std::vector<figures::Option>& options, figures::OptionValues& values) {
    for (const auto& option : options)
        addFlag(command, option, values);
}

} // namespace trainscope::cli
