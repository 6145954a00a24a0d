#include "importers/trace/LauncherVariables.h"

#include "core/model/WholeNumber.h"

#include <algorithm>
#include <array>

namespace trainscope::importers {

namespace {

constexpr int kMostLaunched = 1'000'000;

struct RankVariable {
    std::string_view rank;
    std::string_view size;
};
// Slurm's come last: its tasks may be one for all processes of a node.
constexpr auto kRankVariables = std::to_array<RankVariable>(
    {{"RANK", "WORLD_SIZE"}, {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
        {"PMIX_RANK", "PMIX_SIZE"}, {"PMI_RANK", "PMI_SIZE"},
        {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"}, {"SLURM_PROCID", "SLURM_NTASKS"}});
constexpr std::array<std::string_view, 3> kNodeVariables{"SLURM_NODEID", "NODE_RANK", "GROUP_RANK"};

bool isOfLauncher(std::string_view name) {
    return std::any_of(kRankVariables.begin(), kRankVariables.end(), [&](const RankVariable& one) {
        return one.rank == name || one.size == name;
    }) || std::find(kNodeVariables.begin(), kNodeVariables.end(), name) != kNodeVariables.end();
}

} // namespace

LaunchedRank LaunchedRank::ofProcesses(int processes) const {
    LaunchedRank first = *this;
    if (first.rank && processes > 1) {
        first.rank = *first.rank * processes;
        first.worldSize *= processes;
    }
    if (!first.rank || *first.rank >= first.worldSize)
        first.worldSize = 0;
    return first;
}

void LauncherVariables::take(std::string_view name, std::string_view value) {
    if (isOfLauncher(name))
        m_values[std::string(name)] = value;
}

void LauncherVariables::takeAssignment(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos)
        return;
    std::string_view value = text.substr(equals + 1);
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
        value = value.substr(1, value.size() - 2);
    take(text.substr(0, equals), value);
}

void LauncherVariables::takeJson(std::string_view object) {
    const auto takeOne = [&](std::string_view name) {
        const std::string key = "\"" + std::string(name) + "\"";
        const std::size_t at = object.find(key);
        if (at == std::string_view::npos)
            return;
        const std::size_t begin = object.find_first_not_of(" :\"\t\r\n", at + key.size());
        if (begin == std::string_view::npos)
            return;
        const std::string_view rest = object.substr(begin);
        take(name, rest.substr(0, rest.find_first_not_of("0123456789")));
    };
    for (const RankVariable& one : kRankVariables) {
        takeOne(one.rank);
        takeOne(one.size);
    }
    for (const std::string_view name : kNodeVariables)
        takeOne(name);
}

std::optional<int> LauncherVariables::number(std::string_view name) const {
    const auto found = m_values.find(name);
    if (found == m_values.end())
        return std::nullopt;
    const auto value = wholeNumber<int>(found->second);
    return value && *value >= 0 && *value < kMostLaunched ? value : std::nullopt;
}

LaunchedRank LauncherVariables::rank() const {
    LaunchedRank launched;
    for (const RankVariable& one : kRankVariables) {
        launched.rank = number(one.rank);
        launched.worldSize = number(one.size).value_or(0);
        if (launched.rank)
            break;
    }
    for (const std::string_view name : kNodeVariables) {
        if (!launched.node)
            launched.node = number(name);
    }
    return launched;
}

} // namespace trainscope::importers
