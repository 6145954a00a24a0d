#include "core/text/DateForm.h"

#include "core/model/AsciiText.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace trainscope::text {

namespace {

constexpr int kYearDigits = 4;

std::optional<int> takeField(std::string_view& text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number < 0)
        return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

} // namespace

DateForm::DateForm()
    : m_parts{{Field::Year, kYearDigits, {}}, {Field::Between, 0, "-"}, {Field::Month, 2, {}},
        {Field::Between, 0, "-"}, {Field::Day, 2, {}}} { }

DateForm::DateForm(std::vector<Part> parts)
    : m_parts(std::move(parts)) { }

std::optional<DateForm::Part> DateForm::partOf(char letter, std::size_t count) {
    if (letter == 'y')
        return Part{Field::Year, kYearDigits, {}};
    if ((letter != 'M' && letter != 'd') || count > 2)
        return std::nullopt; // names of months and days, eras
    return Part{letter == 'M' ? Field::Month : Field::Day, static_cast<int>(count), {}};
}

std::optional<DateForm> DateForm::of(std::string_view pattern) {
    std::vector<Part> parts;
    std::array<int, 3> seen{};
    while (!pattern.empty()) {
        const char c = pattern.front();
        const std::size_t count
            = std::min(pattern.find_first_not_of(c), pattern.size()); // alike, one after another
        if (isLetter(c)) {
            const auto part = partOf(c, count);
            if (!part || ++seen.at(static_cast<std::size_t>(part->field)) > 1)
                return std::nullopt;
            parts.push_back(*part);
        } else if (c == '\'') {
            return std::nullopt; // words
        } else {
            parts.push_back({Field::Between, 0, std::string(count, c)});
        }
        pattern.remove_prefix(count);
    }
    if (std::find(seen.begin(), seen.end(), 0) != seen.end())
        return std::nullopt;
    return DateForm(std::move(parts));
}

std::optional<std::string> DateForm::rewritten(std::string_view date, const DateForm& as) const {
    std::array<int, 3> fields{};
    for (const Part& part : m_parts) {
        if (part.field == Field::Between) {
            if (!date.starts_with(part.between))
                return std::nullopt;
            date.remove_prefix(part.between.size());
            continue;
        }
        const auto number = takeField(date);
        if (!number)
            return std::nullopt;
        fields.at(static_cast<std::size_t>(part.field)) = *number;
    }
    if (!date.empty())
        return std::nullopt;
    std::string written;
    for (const Part& part : as.m_parts) {
        written += part.field == Field::Between
            ? part.between
            : fmt::format("{:0{}}", fields.at(static_cast<std::size_t>(part.field)), part.digits);
    }
    return written;
}

} // namespace trainscope::text
