#include "importers/common/Stamp.h"

#include "core/model/AsciiText.h"
#include "importers/common/Number.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>

namespace trainscope::importers {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

struct Scanner {
    std::string_view text;
    std::size_t at = 0;

    [[nodiscard]] bool done() const { return at >= text.size(); }
    [[nodiscard]] char peek() const { return done() ? '\0' : text[at]; }
    bool take(std::string_view anyOf) {
        if (done() || anyOf.find(text[at]) == std::string_view::npos)
            return false;
        ++at;
        return true;
    }
    // A number of minDigits to maxDigits digits, -1 without.
    int number(int minDigits, int maxDigits) {
        int value = 0;
        int digits = 0;
        while (digits < maxDigits && isDigit(peek())) {
            value = value * 10 + (text[at++] - '0');
            ++digits;
        }
        return digits < minDigits ? -1 : value;
    }
};

struct CivilTime {
    int year = 0;
    int month = 0;
    int day = 0;
    int hour = 0;
    int minute = 0;
    int second = 0;
    std::int64_t fractionNs = 0;
    bool hasFraction = false;
};

bool isPlausible(const CivilTime& t) {
    return t.year >= 1990 && t.year <= 2200 && daysOf(t.year, t.month, t.day) && t.hour >= 0
        && t.hour <= 23 && t.minute >= 0 && t.minute <= 59 && t.second >= 0 && t.second <= 60;
}

TimeNs toTime(const CivilTime& t) {
    const std::int64_t hours = *daysOf(t.year, t.month, t.day) * 24 + t.hour;
    return {((hours * 60 + t.minute) * 60 + t.second) * kSecond + t.fractionNs};
}

int monthOf(std::string_view name) {
    constexpr std::array<std::string_view, 12> kMonths{
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"};
    for (std::size_t i = 0; i < kMonths.size(); ++i) {
        if (equalsIgnoringCase(name.substr(0, 3), kMonths[i]))
            return static_cast<int>(i) + 1;
    }
    return 0;
}

bool isDayFirst(int first, int second, char separator, DateOrder order) {
    if (first > 12 || second > 12)
        return first > 12;
    if (order != DateOrder::Unknown)
        return order == DateOrder::DayFirst;
    return separator != '/';
}

// "20260313".
bool scanPlainDate(Scanner& in, CivilTime& t) {
    constexpr std::size_t kDigits = 8;
    const std::string_view digits = in.text.substr(in.at, kDigits);
    const auto end = in.at + kDigits;
    const bool isPlain = digits.size() == kDigits && std::ranges::all_of(digits, isDigit)
        && (end >= in.text.size() || !isDigit(in.text[end]));
    if (!isPlain)
        return false;
    t.year = in.number(4, 4);
    t.month = in.number(2, 2);
    t.day = in.number(2, 2);
    return true;
}

// "13-Mar-2026", "13 Mar 2026" behind the day.
bool scanMonthName(Scanner& in, CivilTime& t, char separator) {
    const std::size_t begin = in.at;
    while (!in.done() && !isDigit(in.peek()) && in.peek() != separator)
        ++in.at;
    t.month = monthOf(in.text.substr(begin, in.at - begin));
    return t.month > 0 && in.at - begin >= 3;
}

bool scanDate(Scanner& in, CivilTime& t, DateOrder order) {
    if (scanPlainDate(in, t))
        return true;
    const std::size_t begin = in.at;
    const int first = in.number(1, 4);
    const bool isYear = in.at - begin > 2;
    constexpr std::string_view kSeparators = "/-. ";
    if (first < 0 || in.done() || kSeparators.find(in.peek()) == std::string_view::npos)
        return false;
    const char separator = in.text[in.at++];
    const bool isNamed = !isYear && !isDigit(in.peek());
    if (isNamed && !scanMonthName(in, t, separator))
        return false;
    const int second = isNamed ? t.month : in.number(1, 2);
    if (second < 0 || !in.take(std::string_view(&separator, 1)) || (separator == ' ' && !isNamed))
        return false;
    const int last = in.number(isYear ? 1 : 4, isYear ? 2 : 4);
    if (isYear) {
        t.year = first;
        t.month = second;
        t.day = last;
        return last >= 0;
    }
    const bool dayFirst = isNamed || isDayFirst(first, second, separator, order);
    t.year = last;
    t.month = dayFirst ? second : first;
    t.day = dayFirst ? first : second;
    return last >= 0;
}

void scanFraction(Scanner& in, CivilTime& t) {
    if (!in.take(".,"))
        return;
    std::int64_t unit = kSecond / 10;
    while (isDigit(in.peek())) {
        t.fractionNs += (in.text[in.at++] - '0') * unit;
        unit /= 10;
        t.hasFraction = true;
    }
}

bool scanClock(Scanner& in, CivilTime& t) {
    t.hour = in.number(1, 2);
    if (t.hour < 0 || !in.take(":"))
        return false;
    t.minute = in.number(2, 2);
    if (t.minute < 0)
        return false;
    if (!in.take(":"))
        return true; // spreadsheets drop the seconds
    t.second = in.number(2, 2);
    scanFraction(in, t);
    return t.second >= 0;
}

// "10:00:00 PM": of a clock of twelve hours.
bool scanHalf(Scanner& in, CivilTime& t) {
    while (in.take(" ")) { }
    std::string_view rest = in.text.substr(in.at);
    rest = rest.substr(0, rest.find(' '));
    const bool isMorning = rest.size() >= 2 && lowerChar(rest[0]) == 'a';
    const bool isAfternoon = rest.size() >= 2 && lowerChar(rest[0]) == 'p';
    if (!isMorning && !isAfternoon)
        return true;
    std::string letters(rest);
    std::erase(letters, '.');
    if (letters.size() < 2 || lowerChar(letters[1]) != 'm' || letters.size() > 2 || t.hour < 1
        || t.hour > 12)
        return false;
    t.hour = t.hour % 12 + (isAfternoon ? 12 : 0);
    in.at += rest.size();
    return true;
}

// Seconds east of UTC; absent where there is no zone. `ok` turns false for a broken one.
std::optional<std::int64_t> scanZone(Scanner& in, bool& ok) {
    while (in.take(" ")) { }
    if (in.take("Zz"))
        return 0;
    if (in.text.substr(in.at) == "UTC" || in.text.substr(in.at) == "GMT") {
        in.at = in.text.size();
        return 0;
    }
    const bool negative = in.peek() == '-';
    if (!in.take("+-"))
        return std::nullopt;
    const int hours = in.number(2, 2);
    in.take(":");
    const int minutes = in.done() ? 0 : in.number(2, 2);
    ok = hours >= 0 && hours <= 18 && minutes >= 0 && minutes < 60;
    const std::int64_t seconds = std::int64_t{hours} * 3600 + std::int64_t{minutes} * 60;
    return negative ? -seconds : seconds;
}

std::optional<Stamp> parseCivil(std::string_view text, DateOrder order) {
    Scanner in{text};
    CivilTime t;
    if (!scanDate(in, t, order) || !in.take(" Tt_,"))
        return std::nullopt;
    while (in.take(" ")) { }
    if (!scanClock(in, t) || !scanHalf(in, t) || !isPlausible(t))
        return std::nullopt;
    bool ok = true;
    const auto offset = scanZone(in, ok);
    if (!ok || !in.done())
        return std::nullopt;
    const TimeNs wall = toTime(t);
    if (!offset)
        return Stamp{wall, StampKind::Local, t.hasFraction};
    return Stamp{wall - DurationNs{*offset * kSecond}, StampKind::Zoned, t.hasFraction};
}

// "12,5" of a spreadsheet.
bool hasDecimalComma(std::string_view text) {
    const std::size_t comma = text.find(',');
    return comma != std::string_view::npos
        && text.find_first_of(",.:", comma + 1) == std::string_view::npos
        && text.find('.') == std::string_view::npos;
}

std::string withPoint(std::string_view text) {
    std::string plain(text);
    std::replace(plain.begin(), plain.end(), ',', '.');
    return plain;
}

bool isWeekday(std::string_view word) {
    constexpr std::array<std::string_view, 7> kDays{
        "mon", "tue", "wed", "thu", "fri", "sat", "sun"};
    return word.size() >= 3 && std::ranges::any_of(kDays, [word](std::string_view day) {
        return equalsIgnoringCase(word.substr(0, 3), day);
    });
}

// "Tue Jan  6 10:00:00 UTC 2026", "Tue, 06 Jan 2026 10:00:00 GMT", "Jan 6, 2026 10:00:00 AM": any
// order of these words. A zone by its letters alone counts as none, except UTC.
std::optional<Stamp> parseWorded(std::string_view text) {
    constexpr std::size_t kShortest = 14;
    constexpr std::size_t kLongest = 44;
    if (text.size() < kShortest || text.size() > kLongest
        || text.find(':') == std::string_view::npos)
        return std::nullopt;
    std::string_view day;
    std::string_view month;
    std::string_view year;
    std::string behind; // the clock, its half of the day, its zone
    for (const std::string_view word : words(text, " ,")) {
        const bool isClock = word.find(':') != std::string_view::npos;
        const bool isHalf = equalsIgnoringCase(word, "AM") || equalsIgnoringCase(word, "PM");
        const bool isZone = word == "UTC" || word == "GMT" || word.front() == '+'
            || word.front() == '-' || word == "Z";
        if (isClock || isHalf || isZone)
            behind.append(" ").append(word);
        else if (isDigit(word.front()))
            (word.size() == 4 ? year : day) = word;
        else if (month.empty() && monthOf(word) > 0 && word.size() >= 3)
            month = word;
        else if (!isWeekday(word) && behind.empty())
            return std::nullopt;
    }
    std::string plain(day);
    plain.append(" ").append(month).append(" ").append(year).append(behind);
    return parseCivil(plain, DateOrder::Unknown);
}

// nvidia-smi's own: "2026/04/22 00:03:09.407" with any fraction or none.
std::optional<Stamp> parseUsual(std::string_view text) {
    if (text.size() < 19 || text[4] != '/' || text[7] != '/' || text[10] != ' ' || text[13] != ':'
        || text[16] != ':')
        return std::nullopt;
    bool areDigits = true;
    const auto number = [&](std::size_t at, std::size_t count) {
        int value = 0;
        for (; count > 0; --count, ++at) {
            areDigits = areDigits && isDigit(text[at]);
            value = value * 10 + (text[at] - '0');
        }
        return value;
    };
    CivilTime t{
        number(0, 4), number(5, 2), number(8, 2), number(11, 2), number(14, 2), number(17, 2)};
    Scanner rest{text, 19};
    scanFraction(rest, t);
    if (!areDigits || !rest.done() || !isPlausible(t))
        return std::nullopt;
    return Stamp{toTime(t), StampKind::Local, t.hasFraction};
}

std::optional<Stamp> parseNumeric(std::string_view text) {
    const auto value = parseNumber(text);
    if (!value || *value < 0.0 || *value > 9.2e18)
        return std::nullopt;
    const bool fraction = text.find_first_of(".eE") != std::string_view::npos;
    // Unix time of 1990 to 2200 in s, ms, µs and ns fills four separate ranges.
    constexpr double kEarliest = 6.3e8;
    constexpr double kLatest = 7.3e9;
    if (*value < kEarliest) {
        const auto ns = decimalToNs(text, kSecond);
        return ns ? std::optional(Stamp{{*ns}, StampKind::Relative, fraction}) : std::nullopt;
    }
    double factor = 1.0;
    for (const std::int64_t nsPerUnit :
        {kSecond, kSecond / 1000, kSecond / 1'000'000, std::int64_t{1}}) {
        if (*value >= kEarliest * factor && *value <= kLatest * factor) {
            const auto ns = decimalToNs(text, nsPerUnit);
            if (!ns)
                return std::nullopt;
            return Stamp{{*ns}, StampKind::Unix, fraction || nsPerUnit < kSecond};
        }
        factor *= 1e3;
    }
    return std::nullopt;
}

} // namespace

std::optional<std::int64_t> daysOf(int year, int month, int day) {
    const std::chrono::year_month_day date{std::chrono::year(year),
        std::chrono::month(static_cast<unsigned>(month)),
        std::chrono::day(static_cast<unsigned>(day))};
    if (month < 1 || day < 1 || !date.ok())
        return std::nullopt;
    return std::chrono::sys_days(date).time_since_epoch().count();
}

std::optional<Stamp> parseStamp(std::string_view text, DateOrder order) {
    text = trimmed(text);
    if (const auto usual = parseUsual(text))
        return usual;
    if (text.empty() || !isDigit(text.front()))
        return text.empty() ? std::nullopt : parseWorded(text);
    if (text.find(':') != std::string_view::npos)
        return parseCivil(text, order);
    return hasDecimalComma(text) ? parseNumeric(withPoint(text)) : parseNumeric(text);
}

std::optional<Stamp> parseStampIn(std::string_view text, std::int64_t nsPerUnit) {
    constexpr double kEarliest = 6.3e8; // 1990
    constexpr double kLatest = 7.3e9; // 2200
    if (hasDecimalComma(text))
        return parseStampIn(withPoint(text), nsPerUnit);
    const auto value = parseNumber(trimmed(text));
    const double seconds
        = value ? *value * static_cast<double>(nsPerUnit) / static_cast<double>(kSecond) : -1.0;
    if (seconds < 0.0 || seconds > kLatest)
        return parseStamp(text);
    const auto ns = decimalToNs(trimmed(text), nsPerUnit);
    const StampKind kind = seconds < kEarliest ? StampKind::Relative : StampKind::Unix;
    return ns ? std::optional(Stamp{{*ns}, kind, *ns % kSecond != 0}) : std::nullopt;
}

std::optional<std::int64_t> timeUnit(std::string_view text) {
    struct Named {
        std::string_view names;
        std::int64_t ns;
    };
    constexpr std::array<Named, 6> kUnits{Named{"ns nsec nanoseconds", 1},
        {"us \u00b5s \u03bcs usec microseconds", kSecond / 1'000'000},
        {"ms msec millis milliseconds", kSecond / 1000}, {"s sec secs second seconds", kSecond},
        {"min mins minutes", 60 * kSecond}, {"h hr hours", 3600 * kSecond}};
    for (const Named& unit : kUnits) {
        for (const std::string_view name : words(unit.names, " ")) {
            if (equalsIgnoringCase(name, trimmed(text)))
                return unit.ns;
        }
    }
    return std::nullopt;
}

std::optional<Stamp> parseStamp(std::string_view date, std::string_view time, DateOrder order) {
    constexpr std::size_t kLongest = 64;
    date = trimmed(date);
    time = trimmed(time);
    if (date.size() > kLongest || time.size() > kLongest || date.empty() || time.empty())
        return std::nullopt;
    std::string both(date);
    return parseStamp(both.append(" ").append(time), order);
}

bool isDate(std::string_view text) {
    text = trimmed(text);
    Scanner in{text};
    CivilTime t;
    return scanDate(in, t, DateOrder::Unknown) && in.done() && t.year >= 1990 && t.year <= 2200
        && daysOf(t.year, t.month, t.day);
}

void DateOrderEvidence::see(std::string_view stamp) {
    Scanner in{trimmed(stamp)};
    const int first = in.number(1, 4);
    if (in.at > 2 || first < 1 || !(in.peek() == '/' || in.peek() == '-' || in.peek() == '.'))
        return;
    const char separator = in.text[in.at++];
    const int second = in.number(1, 2);
    if (second < 1 || !in.take(std::string_view(&separator, 1)))
        return;
    const int year = in.number(4, 4);
    if (year < 0)
        return;
    m_isDayFirst = m_isDayFirst || (first > 12 && second <= 12);
    m_isMonthFirst = m_isMonthFirst || (second > 12 && first <= 12);
    const auto dayFirst = daysOf(year, second, first);
    const auto monthFirst = daysOf(year, first, second);
    if (!dayFirst || !monthFirst)
        return;
    m_open = m_open || first != second;
    const std::int64_t days[2] = {*dayFirst, *monthFirst};
    for (int i = 0; i < 2; ++i) {
        m_leaps[i] += m_hasLast ? std::abs(days[i] - m_lastDay[i]) : 0;
        m_lastDay[i] = days[i];
    }
    m_hasLast = true;
}

DateOrder DateOrderEvidence::order() const {
    if (m_isDayFirst != m_isMonthFirst)
        return m_isDayFirst ? DateOrder::DayFirst : DateOrder::MonthFirst;
    constexpr std::int64_t kClearly = 8; // a month is some 30 days
    if (m_leaps[1] >= kClearly * std::max<std::int64_t>(m_leaps[0], 1))
        return DateOrder::DayFirst;
    if (m_leaps[0] >= kClearly * std::max<std::int64_t>(m_leaps[1], 1))
        return DateOrder::MonthFirst;
    return DateOrder::Unknown;
}

std::optional<Stamp> parseDateLine(std::string_view line) {
    constexpr std::size_t kLongest = 80;
    constexpr std::string_view kAround = "=#-*\" \t\r";
    if (line.size() > kLongest)
        return std::nullopt;
    line.remove_prefix(std::min(line.find_first_not_of(kAround), line.size()));
    line = line.substr(0, line.find_last_not_of(kAround) + 1);
    const std::string_view label = line.substr(0, std::min(line.find(':'), line.size()));
    for (const std::string_view known : {"date", "time", "timestamp"}) {
        if (equalsIgnoringCase(trimmed(label), known))
            line = trimmed(line.substr(std::min(label.size() + 1, line.size())));
    }
    if (line.empty() || isDate(line))
        return std::nullopt;
    const auto stamp = parseStamp(line);
    return stamp && stamp->kind != StampKind::Relative ? stamp : parseTimeOfDay(line);
}

std::optional<Stamp> parseTimeOfDay(std::string_view text) {
    Scanner in{trimmed(text)};
    CivilTime t{1970, 1, 1};
    if (!scanClock(in, t) || !scanHalf(in, t) || !in.done() || t.hour > 23 || t.minute > 59
        || t.second > 59)
        return std::nullopt;
    return Stamp{toTime(t), StampKind::TimeOfDay, t.hasFraction};
}

ClockKind clockOf(std::optional<StampKind> stamps) {
    if (!stamps || *stamps == StampKind::Relative || *stamps == StampKind::TimeOfDay)
        return ClockKind::None;
    return *stamps == StampKind::Local ? ClockKind::Local : ClockKind::Utc;
}

std::string clockText(
    std::optional<StampKind> stamps, std::optional<std::int64_t> localOffsetSeconds) {
    if (!stamps)
        return "no stamps: placed by start and period";
    switch (*stamps) {
    case StampKind::Unix:
        return "unix time";
    case StampKind::Zoned:
        return "ISO time with zone";
    case StampKind::Relative:
        return "seconds since the start of the recording";
    case StampKind::TimeOfDay:
        return "time of day without date: the first is of the day of the start";
    case StampKind::Local:
        break;
    }
    return localOffsetSeconds
        ? "local time, " + std::to_string(*localOffsetSeconds) + " s ahead of UTC"
        : std::string("local time without zone, taken as UTC");
}

std::string stepBackText(DurationNs back, std::optional<StampKind> stamps) {
    constexpr std::int64_t kHour = 3600 * kSecond;
    constexpr std::int64_t kNear = 300 * kSecond; // may pass between the two readings
    const bool isWall = stamps == StampKind::Local || stamps == StampKind::TimeOfDay;
    return "The time goes back by " + secondsText(back, 1)
        + " here, so that readings lie over one another and energy and length come out wrong. "
        + (isWall && std::abs(back.ns - kHour) <= kNear
                ? "If summer time ended here, part the file at this line and import each part with "
                  "its own --utc-offset."
                : "If the clock was set or two recordings were put together here, part the file at "
                  "this line and import the parts one by one.");
}

} // namespace trainscope::importers
