#include "core/analysis/machine/CollectiveDetail.h"

#include <nlohmann/json.hpp>

#include <charconv>
#include <system_error>

namespace trainscope::analysis {

namespace {

using Json = nlohmann::json;

constexpr int kMostRanks = 1 << 24; // beyond any cluster: a broken number

std::string textOf(const Json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end())
        return {};
    if (found->is_string())
        return found->get<std::string>();
    return found->is_number_integer() ? std::to_string(found->get<std::int64_t>()) : std::string();
}

std::vector<int> ranksOf(const Json& list) {
    if (list.is_string()) {
        const auto inner = Json::parse(list.get_ref<const std::string&>(), nullptr, false);
        return inner.is_array() ? ranksOf(inner) : std::vector<int>();
    }
    std::vector<int> ranks;
    if (!list.is_array())
        return ranks;
    for (const Json& rank : list) {
        if (!rank.is_number_integer())
            return {};
        ranks.push_back(static_cast<int>(rank.get<std::int64_t>()));
    }
    return ranks;
}

std::optional<std::int64_t> integerOf(const Json& object, const char* key) {
    const std::string text = textOf(object, key);
    std::int64_t value = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool isWhole = end.ec == std::errc() && end.ptr == text.data() + text.size();
    return isWhole && !text.empty() ? std::optional(value) : std::nullopt;
}

std::optional<int> rankOf(const Json& object, const char* key) {
    const auto value = integerOf(object, key);
    return value && *value >= 0 && *value <= kMostRanks ? std::optional(static_cast<int>(*value))
                                                        : std::nullopt;
}

std::vector<int> strideRanks(const Json& object, std::int64_t size) {
    const auto start = rankOf(object, "Global rank start");
    const auto stride = rankOf(object, "Global rank stride");
    std::vector<int> ranks;
    if (!start || !stride || *stride < 1 || size < 1 || size > kMostRanks / *stride)
        return ranks;
    for (int i = 0; i < static_cast<int>(size); ++i)
        ranks.push_back(*start + i * *stride);
    return ranks;
}

} // namespace

CollectiveDetail parseCollectiveDetail(std::string_view json) {
    CollectiveDetail detail;
    const auto object = Json::parse(json.begin(), json.end(), nullptr, false);
    if (!object.is_object())
        return detail;
    detail.collective = textOf(object, "Collective name");
    detail.group = textOf(object, "Process Group Name");
    detail.description = textOf(object, "Process Group Description");
    detail.dataType = textOf(object, "dtype");
    detail.groupSize = integerOf(object, "Group size");
    detail.inElements = integerOf(object, "In msg nelems");
    detail.outElements = integerOf(object, "Out msg nelems");
    detail.sequence = integerOf(object, "Seq");
    detail.source = rankOf(object, "Src Rank");
    detail.destination = rankOf(object, "Dst Rank");
    if (const auto ranks = object.find("Process Group Ranks"); ranks != object.end()) {
        detail.ranks = ranksOf(*ranks);
        detail.ranksText = ranks->is_string() ? ranks->get<std::string>() : ranks->dump();
    }
    if (detail.ranks.empty() && detail.groupSize)
        detail.ranks = strideRanks(object, *detail.groupSize);
    return detail;
}

} // namespace trainscope::analysis
