#include "core/work/JsonValue.h"

#include "core/model/AsciiText.h"
#include "core/model/JsonDepth.h"
#include "core/model/WholeNumber.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <utility>

namespace trainscope::work {

namespace {

using ReadJson = nlohmann::ordered_json; // its keys as they were written

constexpr int kDeepest = 32;

std::optional<JsonValue> valueOf(const ReadJson& read, int depth) {
    if (depth > kDeepest)
        return std::nullopt;
    JsonValue value;
    if (read.is_string()) {
        value.kind = JsonValue::Kind::String;
        value.text = read.get<std::string>();
        return value;
    }
    if (!read.is_structured()) {
        value.kind = read.is_boolean() ? JsonValue::Kind::Bool
            : read.is_number()         ? JsonValue::Kind::Number
                                       : JsonValue::Kind::Null;
        value.text = read.dump();
        return value;
    }
    value.kind = read.is_object() ? JsonValue::Kind::Object : JsonValue::Kind::List;
    for (auto item = read.begin(); item != read.end(); ++item) {
        auto inner = valueOf(*item, depth + 1);
        if (!inner)
            return std::nullopt;
        value.items.push_back(std::move(*inner));
        if (read.is_object())
            value.keys.push_back(item.key());
    }
    return value;
}

} // namespace

const JsonValue* JsonValue::find(std::string_view key) const {
    for (std::size_t i = 0; i < keys.size() && i < items.size(); ++i) {
        if (equalsIgnoringCase(keys[i], key))
            return &items[i];
    }
    return nullptr;
}

std::optional<std::int64_t> JsonValue::whole() const {
    return kind == Kind::Number ? wholeNumber<std::int64_t>(text) : std::nullopt;
}

std::optional<JsonValue> parseJson(std::string_view text) {
    if (isNestedTooDeep(text))
        return std::nullopt;
    const auto read = ReadJson::parse(text, nullptr, false);
    return read.is_discarded() ? std::nullopt : valueOf(read, 0);
}

} // namespace trainscope::work
