#pragma once
// The JSON that the command line prints: one object, keys in the order they are written, SI units.

#include "core/model/EnumNames.h"
#include "core/model/Time.h"

#include <nlohmann/json.hpp>

#include <initializer_list>
#include <ostream>

namespace trainscope::cli {

using Json = nlohmann::ordered_json;

// Compact, on one line; text that is not UTF-8 gets replacement characters.
inline std::string jsonText(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}
inline void printJson(std::ostream& out, const Json& json) {
    out << jsonText(json) << '\n';
}

// Whole ns as µs with three decimals: the division is exact to the last digit that is printed.
inline double microseconds(DurationNs duration) {
    return static_cast<double>(duration.ns) / 1000.0;
}
inline double seconds(DurationNs duration) {
    return static_cast<double>(duration.ns) / 1e9;
}

// A key and its value; a quantity that the data cannot give is absent, never null or 0.
// Enumerations go by their names, moments in ns, lengths of time in µs where the key ends so, else
// in s.
struct Member {
    template <typename T>
    Member(std::string name, const T& given)
        : key(std::move(name)) {
        if constexpr (std::is_enum_v<T>)
            value.emplace(toString(given));
        else if constexpr (std::is_same_v<T, TimeNs>)
            value.emplace(given.ns);
        else if constexpr (std::is_same_v<T, DurationNs>)
            value.emplace(key.ends_with("_us") ? microseconds(given) : seconds(given));
        else
            value.emplace(given);
    }
    template <typename T>
    Member(std::string name, const std::optional<T>& given)
        : key(std::move(name)) {
        if (given)
            value = Member(key, *given).value;
    }

    std::string key;
    std::optional<Json> value;
};

inline void add(Json& object, std::initializer_list<Member> members) {
    for (const Member& one : members) {
        if (one.value)
            object[one.key] = *one.value;
    }
}
inline Json object(std::initializer_list<Member> members) {
    Json json = Json::object();
    add(json, members);
    return json;
}

// The value where the condition holds; a text where it is not empty.
template <typename T>
std::optional<T> when(bool condition, const T& value) {
    return condition ? std::optional<T>(std::in_place, value) : std::nullopt;
}
inline std::optional<std::string> given(const std::string& text) {
    return when(!text.empty(), text);
}

// Array of the values that `of` makes of each; an object where it makes members.
template <typename List, typename Of>
Json listOf(const List& list, Of&& of) {
    Json json = Json::array();
    for (const auto& one : list)
        json.push_back(of(one));
    return json;
}
template <typename List, typename Of>
Json objectOf(const List& list, const Of& of) {
    Json json = Json::object();
    for (const auto& one : list)
        add(json, {of(one)});
    return json;
}

// Ranks that are left out, each with the reason.
template <typename List>
Json reasonsJson(const List& leftOut) {
    return listOf(leftOut, [](const auto& one) {
        return Json{{"rank", one.rank}, {"reason", one.reason}};
    });
}

} // namespace trainscope::cli
