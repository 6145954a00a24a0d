#include "importers/trace/TraceName.h"

#include "core/model/AsciiText.h"
#include "core/model/WholeNumber.h"
#include "importers/common/RunFolders.h"

namespace trainscope::importers {
namespace {

constexpr std::size_t kMaxRankDigits = 5;

bool isSeparator(char c) {
    return c == '-' || c == '_' || c == '.' || c == '=' || c == ' ';
}

// The number that starts at `begin`, if it is short enough for a rank.
std::optional<int> numberAt(std::string_view text, std::size_t begin) {
    const std::string_view rest = text.substr(begin);
    const std::string_view digits = rest.substr(0, rest.find_first_not_of("0123456789"));
    return digits.size() <= kMaxRankDigits ? wholeNumber<int>(digits) : std::nullopt;
}

std::optional<NamedRank> rankBehind(std::string_view stem, std::string_view word) {
    for (std::size_t at = stem.find(word); at != std::string_view::npos;
         at = stem.find(word, at + 1)) {
        std::size_t digits = at + word.size();
        if (digits < stem.size() && isSeparator(stem[digits]))
            ++digits;
        if (const auto rank = numberAt(stem, digits))
            return NamedRank{*rank, at};
    }
    return std::nullopt;
}

bool isHexId(std::string_view token) {
    constexpr std::size_t kShortestId = 6;
    return token.size() >= kShortestId && std::ranges::any_of(token, isDigit)
        && std::ranges::all_of(token, [](char c) { return isDigit(c) || (c >= 'a' && c <= 'f'); });
}

void appendPattern(std::string_view token, std::string& out) {
    if (isHexId(token)) {
        out.push_back('#');
        return;
    }
    for (const char c : token) {
        if (!isDigit(c))
            out.push_back(c);
        else if (out.empty() || out.back() != '#')
            out.push_back('#');
    }
}

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

std::string_view traceStem(std::string_view path) {
    static constexpr std::array<std::string_view, 19> kSuffixes{".gz", ".zst", ".json", ".trace",
        ".pt", ".jsonl", ".sqlite", ".nsys-rep", ".db", ".csv", ".pickle", ".pkl", ".pb", ".xplane",
        ".rpd", ".et", ".chakra", ".pftrace", ".perfetto-trace"};
    return withoutEndings(namePart(path), kSuffixes);
}

std::optional<NamedRank> rankInStem(std::string_view stem) {
    const std::string name = lowered(stem);
    for (const std::string_view word : {"rank", "worker", "gpu"}) {
        const auto rank = rankBehind(name, word);
        // "8gpu_16" counts GPUs.
        const bool isCounted
            = rank && word == "gpu" && rank->begin > 0 && !isSeparator(name[rank->begin - 1]);
        if (rank && !isCounted)
            return rank;
    }
    return std::nullopt;
}

std::optional<NamedRank> numberInStem(std::string_view name) {
    const std::size_t separator = name.find_last_not_of("0123456789");
    if (separator == std::string::npos || separator == 0 || separator + 1 == name.size())
        return std::nullopt;
    if (name[separator] != '_' && name[separator] != '-')
        return std::nullopt;
    if (const auto rank = numberAt(name, separator + 1))
        return NamedRank{*rank, separator};
    return std::nullopt;
}

std::optional<int> numberAtEnd(std::string_view stem) {
    const auto before = stem.find_last_not_of("0123456789");
    constexpr std::size_t kMostDigits = 6;
    const std::string_view digits
        = before == std::string_view::npos ? stem : stem.substr(before + 1);
    return digits.size() <= kMostDigits ? wholeNumber<int>(digits) : std::nullopt;
}

std::optional<int> rankOfFolder(std::string_view folderName) {
    const std::string name = lowered(folderName);
    const auto marked = rankBehind(name, "rank");
    return marked && marked->begin == 0 ? std::optional(marked->rank) : std::nullopt;
}

std::optional<int> numberOfFolder(std::string_view name) {
    return std::ranges::all_of(name, isDigit) ? numberAt(name, 0) : std::nullopt;
}

std::string_view processInStem(std::string_view stem) {
    const std::size_t dot = stem.rfind('.');
    const std::size_t parting = stem.substr(0, dot).rfind('_');
    if (dot == std::string_view::npos || parting == std::string_view::npos || parting == 0)
        return {};
    const std::string_view process = stem.substr(parting + 1, dot - parting - 1);
    const std::string_view moment = stem.substr(dot + 1);
    constexpr std::size_t kMilliseconds = 13; // since the epoch; newer PyTorch writes nanoseconds
    const auto isNumber
        = [](std::string_view text) { return !text.empty() && std::ranges::all_of(text, isDigit); };
    return isNumber(process) && isNumber(moment) && moment.size() >= kMilliseconds
        ? stem.substr(0, dot)
        : std::string_view();
}

std::string stemPattern(std::string_view stem) {
    const std::string name = lowered(stem);
    std::string pattern;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= name.size(); ++i) {
        if (i < name.size() && !isSeparator(name[i]))
            continue;
        appendPattern(std::string_view(name).substr(begin, i - begin), pattern);
        if (i < name.size())
            pattern.push_back(name[i]);
        begin = i + 1;
    }
    return pattern;
}

std::string stemWithoutRank(std::string_view stem) {
    auto rank = rankInStem(stem);
    if (!rank)
        rank = numberInStem(stem);
    std::string_view rest = stem.substr(0, rank ? rank->begin : stem.size());
    while (!rest.empty() && isSeparator(rest.back()))
        rest.remove_suffix(1);
    return std::string(rest.empty() ? stem : rest);
}

std::string captureName(std::string_view path) {
    const std::string_view stem = traceStem(path);
    const auto rank = rankInStem(stem);
    if (!rank)
        return std::string(stem);
    std::size_t end = stem.find_first_of("0123456789", rank->begin);
    end = std::min(stem.find_first_not_of("0123456789", end), stem.size());
    std::string_view before = stem.substr(0, rank->begin);
    std::string_view behind = stem.substr(end);
    while (!before.empty() && isSeparator(before.back()))
        before.remove_suffix(1);
    while (!behind.empty() && isSeparator(behind.front()))
        behind.remove_prefix(1);
    if (before.empty() && behind.empty())
        return std::string(stem);
    const bool hasBoth = !before.empty() && !behind.empty();
    std::string name = std::string(before) + (hasBoth ? "_" : "") + std::string(behind);
    // Behind a number of its own stands the moment at which the file was written, which differs
    // from rank to rank.
    constexpr std::size_t kMilliseconds = 13;
    const std::size_t dot = name.find_last_not_of("0123456789");
    const bool isMoment
        = dot != name.npos && name[dot] == '.' && name.size() - dot - 1 >= kMilliseconds;
    if (isMoment
        && std::any_of(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(dot), isDigit))
        name.resize(dot);
    return name;
}

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
