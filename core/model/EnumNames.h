#pragma once
// Names of an enumeration's values, written once, beside it, in the order of the values from 0:
//
//   enum class RunStatus { Ok, Oom, Partial };
//   constexpr auto namesOf(RunStatus) {
//       return enumNames("ok", "oom", "partial");
//   }
//
// toString(status), fromString<RunStatus>(text), listedNames<RunStatus>() and
// allValues<RunStatus>() follow from them; a name too few or too many does not compile.
// titlesOf(RunStatus), where people read other texts, gives titleOf(status): it needs a "using
// trainscope::titleOf" where the enumeration is in a namespace of its own.

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace trainscope {

template <typename... Text>
constexpr std::array<std::string_view, sizeof...(Text)> enumNames(const Text&... names) {
    return {names...};
}

template <typename Enum>
concept NamedEnum = std::is_enum_v<Enum> && requires(Enum value) {
    namesOf(value);
};

// True where the enumeration has an enumerator of that value: compilers write "Status::Ok", and of
// other values "(Status)3".
template <auto Value>
constexpr bool isEnumerator() {
    const std::string_view text = __PRETTY_FUNCTION__;
    return text[text.find_last_of("):")] == ':';
}
template <NamedEnum Enum>
constexpr bool hasNameForEach() {
    constexpr std::size_t names = namesOf(Enum{}).size();
    return isEnumerator<static_cast<Enum>(names - 1)>()
        && !isEnumerator<static_cast<Enum>(names)>();
}

template <NamedEnum Enum>
constexpr std::string_view toString(Enum value) {
    static_assert(hasNameForEach<Enum>());
    return namesOf(value)[static_cast<std::size_t>(value)];
}
template <typename Enum>
requires requires(Enum value) {
    titlesOf(value);
}
constexpr std::string_view titleOf(Enum value) {
    return titlesOf(value)[static_cast<std::size_t>(value)];
}

template <NamedEnum Enum>
constexpr std::optional<Enum> fromString(std::string_view name) {
    constexpr auto names = namesOf(Enum{});
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? std::nullopt
                                : std::optional(static_cast<Enum>(found - names.begin()));
}
template <NamedEnum Enum>
constexpr Enum fromString(std::string_view name, Enum otherwise) {
    return fromString<Enum>(name).value_or(otherwise);
}

template <NamedEnum Enum>
constexpr auto allValues() {
    std::array<Enum, namesOf(Enum{}).size()> all{};
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = static_cast<Enum>(i);
    return all;
}

// "ok, oom or partial", for help and error messages.
template <NamedEnum Enum>
std::string listedNames() {
    constexpr auto names = namesOf(Enum{});
    std::string text(names.front());
    for (std::size_t i = 1; i < names.size(); ++i)
        text.append(i + 1 == names.size() ? " or " : ", ").append(names[i]);
    return text;
}

// A value for each value of an enumeration, whose values count from 0.

template <typename Enum, std::size_t Count, typename T>
class ByEnum {
public:
    T& operator[](Enum of) { return m_values[static_cast<std::size_t>(of)]; }
    const T& operator[](Enum of) const { return m_values[static_cast<std::size_t>(of)]; }
    bool operator==(const ByEnum&) const = default;

private:
    std::array<T, Count> m_values{};
};

} // namespace trainscope
