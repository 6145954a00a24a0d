#include "core/text/NumberMarks.h"

#include "core/text/DateForm.h"

#include <algorithm>
#include <utility>

namespace trainscope::text {

namespace {

constexpr std::string_view kPoint = ".";
constexpr std::string_view kComma = ",";
constexpr std::string_view kDateMark = "\u2060\u2060"; // before a date and behind it

struct Marks {
    std::string decimal{kPoint};
    std::string group{kComma};
};

// Written before the threads that read it word anything.
Marks& readersMarks() {
    static Marks marks;
    return marks;
}

DateForm& readersDates() {
    static DateForm form;
    return form;
}

void restoreDates(std::string& text) {
    std::size_t at = text.find(kDateMark);
    while (at != std::string::npos) {
        const std::size_t begin = at + kDateMark.size();
        const std::size_t end = text.find(kDateMark, begin);
        if (end == std::string::npos)
            return;
        const auto iso = readersDates().rewritten(
            std::string_view(text).substr(begin, end - begin), DateForm());
        if (iso)
            text.replace(at, end + kDateMark.size() - at, *iso);
        at = text.find(kDateMark, iso ? at + iso->size() : begin);
    }
}

thread_local Medium medium = Medium::File;

std::string told(std::string_view mark, std::string_view plain) {
    return mark.empty() || mark == plain ? std::string(plain)
                                         : fmt::format("{}{}", mark, kWordJoiner);
}

void replaceAll(std::string& text, std::string_view mark, std::string_view plain) {
    if (mark == plain)
        return;
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at))
        text.replace(at, mark.size(), plain);
}

} // namespace

void setReadersMarks(std::string_view decimal, std::string_view group) {
    readersMarks() = {told(decimal, kPoint), told(group, kComma)};
}

void setReadersDates(std::string_view pattern) {
    readersDates() = DateForm::of(pattern).value_or(DateForm());
}

WordingFor::WordingFor(Medium wanted)
    : m_before(std::exchange(medium, wanted)) { }

WordingFor::~WordingFor() {
    medium = m_before;
}

std::string withMarks(std::string_view digits) {
    if (medium == Medium::File)
        return std::string(digits);
    const Marks& marks = readersMarks();
    std::string text;
    for (const char c : digits) {
        if (c == kPoint.front())
            text += marks.decimal;
        else if (c == kComma.front())
            text += marks.group;
        else
            text += c;
    }
    return text;
}

std::string withDateForm(std::string_view iso) {
    const auto shown
        = medium == Medium::File ? std::nullopt : DateForm().rewritten(iso, readersDates());
    return shown && *shown != iso ? fmt::format("{}{}{}", kDateMark, *shown, kDateMark)
                                  : std::string(iso);
}

std::string forFiles(std::string text) {
    restoreDates(text);
    replaceAll(text, readersMarks().decimal, kPoint);
    replaceAll(text, readersMarks().group, kComma);
    return text;
}

} // namespace trainscope::text

using trainscope::text::Worded;

fmt::format_context::iterator fmt::formatter<Worded>::format(
    const Worded& number, fmt::format_context& context) const {
    fmt::memory_buffer digits;
    fmt::format_context plain(fmt::appender(digits), context.args(), context.locale());
    fmt::formatter<double>::format(number.value, plain);
    const std::string worded = trainscope::text::withMarks({digits.data(), digits.size()});
    return std::copy(worded.begin(), worded.end(), context.out());
}
