#pragma once
// EnumNames: the names of an enumeration's values as one table, read in both directions. Write the
// table beside the enumeration and let toString() and the function that reads a name use it:
//
//   constexpr auto kStatusNames = enumNames<RunStatus>({
//       {RunStatus::Ok, "ok"}, {RunStatus::Oom, "oom"}, {RunStatus::Partial, "partial"}});
//   std::string_view toString(RunStatus status) { return kStatusNames.nameOf(status); }
//   std::optional<RunStatus> statusFrom(std::string_view text) { return kStatusNames.find(text); }

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace trainscope {

template <typename Enum>
struct EnumName {
    Enum value;
    std::string_view name;
};

template <typename Enum, std::size_t Count>
class EnumNames {
public:
    constexpr explicit EnumNames(const std::array<EnumName<Enum>, Count>& rows)
        : m_rows(rows) { }

    // Empty for a value that the table does not list.
    [[nodiscard]] constexpr std::string_view nameOf(Enum value) const {
        for (const auto& row : m_rows) {
            if (row.value == value)
                return row.name;
        }
        return {};
    }
    [[nodiscard]] constexpr std::optional<Enum> find(std::string_view name) const {
        for (const auto& row : m_rows) {
            if (row.name == name)
                return row.value;
        }
        return std::nullopt;
    }
    // "ok, oom or partial", for help and error messages.
    [[nodiscard]] std::string list() const {
        std::string text;
        for (std::size_t i = 0; i < Count; ++i) {
            if (i > 0)
                text += i + 1 == Count ? " or " : ", ";
            text += m_rows[i].name;
        }
        return text;
    }
    [[nodiscard]] constexpr auto begin() const { return m_rows.begin(); }
    [[nodiscard]] constexpr auto end() const { return m_rows.end(); }

private:
    std::array<EnumName<Enum>, Count> m_rows;
};

template <typename Enum, std::size_t Count>
constexpr EnumNames<Enum, Count> enumNames(const EnumName<Enum> (&rows)[Count]) {
    return EnumNames<Enum, Count>(std::to_array(rows));
}

} // namespace trainscope
