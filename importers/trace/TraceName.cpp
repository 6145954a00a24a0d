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

} // namespace trainscope::importers
