#pragma once
// As much of a shell script as is needed to read the arguments of a command in it.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers::launch {

class ShellText {
public:
    // Takes out comments (not #SBATCH lines), joins continued lines, notes assignments.
    explicit ShellText(std::string_view text);

    // Everything that blanks, quotes, brackets of arrays and semicolons separate.
    [[nodiscard]] std::vector<std::string> words() const;
    // The word with its variables put in; absent where one is not assigned here.
    [[nodiscard]] std::optional<std::string> resolve(std::string_view word) const;

private:
    void noteAssignments();
    [[nodiscard]] std::optional<std::string> resolve(std::string_view word, int hops) const;
    [[nodiscard]] std::optional<std::string> variable(std::string_view name, int hops) const;
    [[nodiscard]] std::optional<std::string> product(std::string_view expression, int hops) const;

    std::string m_text;
    std::map<std::string, std::string, std::less<>> m_variables;
};

} // namespace trainscope::importers::launch
