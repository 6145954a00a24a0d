#pragma once
// Dates in digits in a form of somebody's: "21.11.2026", "11/21/2026". Any thread.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::text {

class DateForm {
public:
    // The form of ISO 8601: "2026-11-21".
    DateForm();
    // "dd.MM.yy", as Unicode writes patterns of dates (UTS #35); years have four digits whatever it
    // says. nullopt where it has other fields than a day, a month and a year in digits.
    static std::optional<DateForm> of(std::string_view pattern);

    // A date of this form in another one; nullopt for a text that is no such date.
    [[nodiscard]] std::optional<std::string> rewritten(
        std::string_view date, const DateForm& as) const;

private:
    enum class Field { Year, Month, Day, Between };
    struct Part {
        Field field = Field::Between;
        int digits = 0; // at least
        std::string between;
    };
    explicit DateForm(std::vector<Part> parts);
    static std::optional<Part> partOf(char letter, std::size_t count);

    std::vector<Part> m_parts;
};

} // namespace trainscope::text
