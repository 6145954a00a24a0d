#include "core/layout/ProcessGroup.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

namespace trainscope::layout {

namespace {

constexpr int kMaxRank = 1'000'000;

bool isWordChar(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

std::vector<std::string> wordsOf(std::string_view text) {
    std::vector<std::string> words;
    bool isInside = false;
    for (const char c : text) {
        if (!isWordChar(c)) {
            isInside = false;
            continue;
        }
        if (!isInside)
            words.emplace_back();
        isInside = true;
        words.back() += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return words;
}

bool hasAny(const std::vector<std::string>& words, std::initializer_list<std::string_view> wanted) {
    return std::any_of(wanted.begin(), wanted.end(), [&](std::string_view word) {
        return std::find(words.begin(), words.end(), word) != words.end();
    });
}

std::optional<CommunicatorKind> kindFromWords(const std::vector<std::string>& words) {
    const bool tensor = hasAny(words, {"tp", "tensor"});
    const bool pipeline = hasAny(words, {"pp", "pipe", "pipeline"});
    const bool context = hasAny(words, {"cp", "context"});
    const bool expert = hasAny(words, {"ep", "expert", "moe"});
    const bool data = hasAny(words, {"dp", "ddp", "data", "fsdp", "zero"});
    if (hasAny(words, {"etp"}))
        return CommunicatorKind::ExpertTensor;
    if (hasAny(words, {"edp"}) || (expert && data))
        return CommunicatorKind::ExpertData;
    if (expert && tensor)
        return pipeline ? CommunicatorKind::TensorExpertPipeline : CommunicatorKind::TensorExpert;
    if (expert)
        return CommunicatorKind::Expert;
    if (tensor && pipeline)
        return CommunicatorKind::Model;
    if (tensor && data)
        return context ? CommunicatorKind::TensorDataContext : CommunicatorKind::TensorData;
    if (tensor)
        return context ? CommunicatorKind::TensorContext : CommunicatorKind::Tensor;
    if (data)
        return context ? CommunicatorKind::DataContext : CommunicatorKind::Data;
    if (context)
        return CommunicatorKind::Context;
    if (pipeline)
        return CommunicatorKind::Pipeline;
    return hasAny(words, {"mp"}) ? std::optional(CommunicatorKind::Model) : std::nullopt;
}

std::string rangeText(const std::vector<int>& ranks) {
    const int step = ranks.size() > 1 ? ranks[1] - ranks[0] : 1;
    bool isEven = ranks.size() > 2 && step > 0;
    for (std::size_t i = 1; i < ranks.size(); ++i)
        isEven = isEven && ranks[i] - ranks[i - 1] == step;
    if (!isEven)
        return fmt::format("{}", fmt::join(ranks, ","));
    return step == 1 ? fmt::format("{}-{}", ranks.front(), ranks.back())
                     : fmt::format("{}-{}/{}", ranks.front(), ranks.back(), step);
}

std::optional<int> takeNumber(std::string_view& text) {
    int value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || value < 0 || value >= kMaxRank)
        return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

bool takeChar(std::string_view& text, char wanted) {
    if (text.empty() || text.front() != wanted)
        return false;
    text.remove_prefix(1);
    return true;
}

std::vector<int> ranksFromText(std::string_view text) {
    std::vector<int> ranks;
    do {
        const auto first = takeNumber(text);
        if (!first)
            return {};
        std::optional<int> last = first;
        std::optional<int> step = 1;
        if (takeChar(text, '-'))
            last = takeNumber(text);
        if (takeChar(text, '/'))
            step = takeNumber(text);
        if (!last || !step || *step < 1)
            return {};
        for (int rank = *first; rank <= *last && ranks.size() < kMaxRank; rank += *step)
            ranks.push_back(rank);
    } while (takeChar(text, ','));
    return text.empty() ? ranks : std::vector<int>();
}

std::string cleaned(std::string_view text) {
    std::string result(text);
    std::replace_if(
        result.begin(), result.end(), [](char c) { return c == ';' || c == '(' || c == ')'; }, ' ');
    return result;
}

std::optional<ProcessGroup> groupFromText(std::string_view text) {
    const auto open = text.find(" (");
    const auto close = text.find("): ");
    if (open == std::string_view::npos || close == std::string_view::npos || close < open)
        return std::nullopt;
    ProcessGroup group{std::string(text.substr(open + 2, close - open - 2)),
        std::string(text.substr(0, open)), ranksFromText(text.substr(close + 3))};
    if (group.ranks.empty())
        return std::nullopt;
    return group;
}

} // namespace

bool isAuxiliary(std::string_view description) {
    const auto words = wordsOf(description);
    // torchtitan's "dp_shard_in_ep": the part of a shard group that lies in an expert group.
    const bool isPartOfShards = hasAny(words, {"shard"}) && hasAny(words, {"in"});
    return isPartOfShards
        || hasAny(words,
            {"embedding", "embd", "intra", "inter", "partial", "hierarchical", "hybrid", "gloo",
                "optimizer"});
}

std::optional<CommunicatorKind> kindFromName(std::string_view name, std::string_view description) {
    for (const auto& info : communicatorKinds()) {
        if (info.description == description)
            return info.kind;
    }
    if (isAuxiliary(description) || isAuxiliary(name))
        return std::nullopt;
    if (const auto kind = kindFromWords(wordsOf(description)))
        return kind;
    return kindFromWords(wordsOf(name));
}

std::string processGroupsText(const std::vector<ProcessGroup>& groups) {
    std::string text;
    for (const ProcessGroup& group : groups) {
        if (group.ranks.empty())
            continue;
        text += fmt::format("{}{} ({}): {}", text.empty() ? "" : "; ", cleaned(group.description),
            cleaned(group.name), rangeText(group.ranks));
    }
    return text;
}

std::vector<ProcessGroup> processGroupsFromText(std::string_view text) {
    // A text of ours is far shorter; another must not fill the memory.
    constexpr std::size_t kMostRanks = 10'000'000;
    std::vector<ProcessGroup> groups;
    std::size_t ranks = 0;
    while (!text.empty() && ranks < kMostRanks) {
        const auto end = text.find(';');
        if (auto group = groupFromText(text.substr(0, end))) {
            ranks += group->ranks.size();
            groups.push_back(std::move(*group));
        }
        text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
        takeChar(text, ' ');
    }
    return groups;
}

} // namespace trainscope::layout
