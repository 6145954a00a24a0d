#include "importers/launch/JsonSettings.h"

#include <nlohmann/json.hpp>

namespace trainscope::importers::launch {

namespace {

using Json = nlohmann::json;

constexpr int kMaxDepth = 8;
constexpr std::size_t kMaxScalars = 200'000;

std::string scalarText(const Json& value) {
    if (value.is_string())
        return value.get<std::string>();
    if (value.is_null())
        return {};
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void flatten(const Json& value, const std::string& path, int depth, YamlScalars& into) {
    if (into.size() >= kMaxScalars)
        return;
    if (!value.is_structured()) {
        into.insert_or_assign(path, scalarText(value));
        return;
    }
    if (depth == 0)
        return;
    if (value.is_array()) {
        into.insert_or_assign(path + "#", std::to_string(value.size()));
        return;
    }
    for (const auto& item : value.items())
        flatten(item.value(), path.empty() ? item.key() : path + "." + item.key(), depth - 1, into);
}

} // namespace

Result<YamlScalars> readJsonSettings(std::string_view text, const std::string& where) {
    if (text.size() > kMaxYamlBytes)
        return Error{ErrorCode::Unrecognised,
            "This is too large for a launch configuration (4 MiB at most).", where};
    const auto shallow = [](int depth, Json::parse_event_t, Json&) { return depth <= kMaxDepth; };
    const Json object = Json::parse(text, shallow, false);
    if (!object.is_object())
        return Error{ErrorCode::Unrecognised, "This is no JSON object.", where};
    YamlScalars scalars;
    flatten(object, {}, kMaxDepth, scalars);
    return scalars;
}

} // namespace trainscope::importers::launch
