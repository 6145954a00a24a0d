#pragma once
// JsonValue: a JSON text as a tree whose keys are found in any case, for the arguments of operators
// and the tables of their work. Pure; any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::work {

struct JsonValue {
    enum class Kind { Null, Bool, Number, String, List, Object };

    Kind kind = Kind::Null;
    std::string text; // a string's content; a number or a truth value as written
    std::vector<JsonValue> items; // elements of a list, values of an object
    std::vector<std::string> keys; // an object's, one per item

    [[nodiscard]] bool isList() const { return kind == Kind::List; }
    [[nodiscard]] const JsonValue* find(std::string_view key) const; // letter case ignored
    [[nodiscard]] std::optional<std::int64_t> whole() const;
};

// Absent where the text is not one whole value, or is nested deeper than 32.
std::optional<JsonValue> parseJson(std::string_view text);

} // namespace trainscope::work
