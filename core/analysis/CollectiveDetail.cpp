#include "core/analysis/CollectiveDetail.h"

#include <nlohmann/json.hpp>

namespace trainscope::analysis {

namespace {

using Json = nlohmann::json;

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

} // namespace

CollectiveDetail parseCollectiveDetail(std::string_view json) {
    CollectiveDetail detail;
    const auto object = Json::parse(json.begin(), json.end(), nullptr, false);
    if (!object.is_object())
        return detail;
    detail.collective = textOf(object, "Collective name");
    detail.group = textOf(object, "Process Group Name");
    if (const auto ranks = object.find("Process Group Ranks"); ranks != object.end())
        detail.ranks = ranksOf(*ranks);
    return detail;
}

} // namespace trainscope::analysis
