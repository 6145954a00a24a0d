#include "core/analysis/comparison/Quantity.h"

#include "core/text/NearWord.h"

#include <nlohmann/json.hpp>

namespace trainscope::analysis {

namespace {

// The built-in text is read by a test.
std::vector<QuantityInfo> makeQuantities() {
    std::vector<QuantityInfo> all;
    const auto table = nlohmann::json::parse(builtInQuantities());
    for (const auto& one : table.at("quantities"))
        all.push_back({one.at("key"), one.at("title"), one.at("unit"),
            fromString(one.at("better").get<std::string>(), Better::Neither), one.at("definition"),
            one.value("of_machine", false),
            fromString(one.value("tokens", std::string()), TokensOf::Nothing),
            one.value("words", std::vector<std::string>())});
    return all;
}

std::string divisorText(TokensOf tokens, Normalisation by) {
    if (by == Normalisation::PerGpu)
        return ", divided by the GPUs of the job";
    if (by == Normalisation::PerNode)
        return ", divided by the nodes of the job";
    return tokens == TokensOf::Window ? ", divided by the tokens of the window's iterations"
                                      : ", divided by the tokens of a step";
}

} // namespace

const std::vector<QuantityInfo>& comparedQuantities() {
    static const std::vector<QuantityInfo> kQuantities = makeQuantities();
    return kQuantities;
}

std::optional<std::size_t> quantityIndex(std::string_view key) {
    const auto& all = comparedQuantities();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].key == key)
            return i;
    }
    return std::nullopt;
}

Result<std::size_t> namedQuantity(std::string_view name) {
    if (const auto exact = quantityIndex(name))
        return *exact;
    const auto& all = comparedQuantities();
    const auto hasWord = [name](const QuantityInfo& one) {
        return std::ranges::find(one.words, name) != one.words.end();
    };
    const auto goesOn = [start = std::string(name) + "_"](
                            const QuantityInfo& one) { return one.key.starts_with(start); };
    const auto isJudged = [](const QuantityInfo& one) { return one.better != Better::Neither; };
    auto found = std::ranges::find_if(
        all, [&](const QuantityInfo& one) { return isJudged(one) && hasWord(one); });
    if (found == all.end())
        found = std::ranges::find_if(
            all, [&](const QuantityInfo& one) { return isJudged(one) && goesOn(one); });
    if (found == all.end())
        found = std::ranges::find_if(all, hasWord);
    if (found != all.end())
        return static_cast<std::size_t>(found - all.begin());
    std::vector<std::string> words;
    for (const QuantityInfo& one : all) {
        words.push_back(one.key);
        words.insert(words.end(), one.words.begin(), one.words.end());
    }
    constexpr std::size_t kMostNear = 3;
    std::string near;
    for (std::size_t i = 0; i < kMostNear; ++i) {
        const std::string word = text::nearWord(name, words);
        if (word.empty())
            break;
        near += (near.empty() ? "; near it: " : ", ") + word;
        std::erase(words, word);
    }
    return Error{ErrorCode::Usage,
        "There is no quantity '" + std::string(name) + "'" + near
            + ". The manual lists them: man trainscope-numbers.",
        {}};
}

bool isDivided(const QuantityInfo& quantity, Normalisation by) {
    switch (by) {
    case Normalisation::PerGpu:
    case Normalisation::PerNode:
        return quantity.isOfMachine;
    case Normalisation::PerToken:
        return quantity.tokens != TokensOf::Nothing;
    case Normalisation::Absolute:
        break;
    }
    return false;
}

bool isShare(const QuantityInfo& quantity) {
    return quantity.unit == "1"
        && (quantity.key.ends_with("_fraction") || quantity.key.ends_with("_utilization")
            || quantity.key == "mfu");
}

std::string unitOf(const QuantityInfo& quantity, Normalisation by) {
    if (!isDivided(quantity, by))
        return quantity.unit;
    const char* divisor = by == Normalisation::PerGpu ? "/GPU"
        : by == Normalisation::PerNode                ? "/node"
                                                      : "/token";
    return quantity.unit + divisor;
}

std::string wordingOf(const QuantityInfo& quantity, Normalisation by) {
    return quantity.title + ": " + quantity.definition
        + (isDivided(quantity, by) ? divisorText(quantity.tokens, by) : std::string());
}

} // namespace trainscope::analysis
