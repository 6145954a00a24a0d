#pragma once
// Rank of a process in its job, by the variables that launchers set: torchrun, Open MPI, PMI and
// Slurm. Others are not looked at and not kept.

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace trainscope::importers {

struct LaunchedRank {
    std::optional<int> rank;
    std::optional<int> node;
    int worldSize = 0; // 0: not said

    // The first rank of a task that started so many processes: launchers count tasks.
    [[nodiscard]] LaunchedRank ofProcesses(int processes) const;
};

class LauncherVariables {
public:
    void take(std::string_view name, std::string_view value);
    void takeAssignment(std::string_view text); // RANK="3"
    void takeJson(std::string_view object); // {"RANK":"3",…}, with values that are texts
    [[nodiscard]] LaunchedRank rank() const;

private:
    [[nodiscard]] std::optional<int> number(std::string_view name) const;

    std::map<std::string, std::string, std::less<>> m_values;
};

} // namespace trainscope::importers
