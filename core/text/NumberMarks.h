#pragma once
// The marks in numbers that people read, and the form of dates: before decimals a point, between
// groups of digits a comma and dates of ISO 8601, and on threads that make texts for the screen the
// reader's own. A mark of the reader's is followed by a word joiner (U+2060), which is drawn as
// nothing and tells it from a comma or point in a name, and a date stands between two pairs of
// them, so that forFiles() finds both in every text that leaves the screen. Data never has them.

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace trainscope::text {

// Behind a mark of the reader's.
inline constexpr std::string_view kWordJoiner = "\u2060";

// "," and "." of a German reader. To be called before the first WordingFor.
void setReadersMarks(std::string_view decimal, std::string_view group);

// "dd.MM.yy" of the same, as Unicode's date patterns are written (UTS #35); years have four digits
// anyway. Dates stay as they are where a pattern names months. Before the first WordingFor, too.
void setReadersDates(std::string_view pattern);

enum class Medium { File, Screen };
// While it lives, this thread words numbers for that medium. Threads begin with files.
class WordingFor {
public:
    explicit WordingFor(Medium medium);
    WordingFor(const WordingFor&) = delete;
    WordingFor& operator=(const WordingFor&) = delete;
    ~WordingFor();

private:
    Medium m_before;
};

// The digits of a number, "1,234.75", with this thread's marks.
std::string withMarks(std::string_view digits);
// The date "2026-11-21" in this thread's form; another text as it is.
std::string withDateForm(std::string_view iso);
// The text with points, commas and ISO dates where it has the reader's. Any thread.
std::string forFiles(std::string text);

// A number that fmt::format() writes with this thread's marks: "{:.2f}" of worded(x).
struct Worded {
    double value;
};
inline Worded worded(double value) {
    return {value};
}

} // namespace trainscope::text

template <>
struct fmt::formatter<trainscope::text::Worded> : fmt::formatter<double> {
    fmt::format_context::iterator format(
        const trainscope::text::Worded& number, fmt::format_context& context) const;
};
