#include "importers/trainlog/StepLine.h"

#include "core/model/AsciiText.h"
#include "importers/common/Stamp.h"

#include <algorithm>
#include <array>

namespace trainscope::importers::trainlog {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr int kMostParts = 6; // before what the line says
constexpr std::size_t kLongestPart = 96;

// Number with that many digits at `at`; −1 for other text.
int digitsAt(std::string_view text, std::size_t at, std::size_t count) {
    if (at + count > text.size())
        return -1;
    int value = 0;
    for (std::size_t i = at; i < at + count; ++i) {
        if (!isDigit(text[i]))
            return -1;
        value = value * 10 + (text[i] - '0');
    }
    return value;
}

// "2026-01-06 14:37:35", "01/06/2026 14:37:35".
bool isDateAt(std::string_view text) {
    if (text.size() < 19 || !isDigit(text[0]) || (text[10] != ' ' && text[10] != 'T'))
        return false;
    const bool isYearFirst = (text[4] == '-' || text[4] == '/') && text[7] == text[4];
    const bool isYearLast = text[2] == '/' && text[5] == '/';
    return (isYearFirst || isYearLast) && text[13] == ':' && text[16] == ':';
}

// Seconds east of UTC; takes the zone off.
std::optional<std::int64_t> takeZone(std::string_view& text) {
    if (text.starts_with('Z')) {
        text.remove_prefix(1);
        return 0;
    }
    if (text.empty() || (text[0] != '+' && text[0] != '-'))
        return std::nullopt;
    const int hours = digitsAt(text, 1, 2);
    const bool hasColon = text.size() > 3 && text[3] == ':';
    const int minutes = digitsAt(text, hasColon ? 4 : 3, 2);
    if (hours < 0 || hours > 14 || minutes < 0 || minutes > 59)
        return std::nullopt;
    const std::int64_t seconds = std::int64_t{hours} * 3600 + std::int64_t{minutes} * 60;
    const bool isWest = text[0] == '-';
    text.remove_prefix(hasColon ? 6 : 5);
    return isWest ? -seconds : seconds;
}

void skipBlanks(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

// "step 10", "Iter: 10/500", "10/500", which belong to the message.
bool countsIterations(std::string_view inside) {
    if (inside.find_first_not_of("0123456789/ ") == inside.npos)
        return inside.find('/') != inside.npos;
    const std::size_t word = inside.find_first_of(" :=");
    if (word == std::string_view::npos || !isDigit(inside.back()))
        return false;
    constexpr std::array<std::string_view, 3> kCounts{"step", "iter", "iteration"};
    return std::any_of(kCounts.begin(), kCounts.end(),
        [&](std::string_view count) { return equalsIgnoringCase(inside.substr(0, word), count); });
}

// "[2024-10-24 16:30:14,123]", "[NeMo I 2024-10-24 16:30:14 module:12]", "[default0]:".
bool takeBracket(LineHead& head) {
    const char closing = head.rest.front() == '[' ? ']' : ')';
    const std::size_t end = head.rest.find(closing);
    if (end == std::string_view::npos || end > kLongestPart)
        return false;
    const std::string_view inside = head.rest.substr(1, end - 1);
    if (countsIterations(inside))
        return false;
    for (std::size_t at = 0; at < inside.size() && at < 16; ++at) {
        std::string_view date = inside.substr(at);
        if (head.stamp || !isDateAt(date))
            continue;
        head.stamp = takeStamp(date);
        break;
    }
    const bool isRank = inside.starts_with("default") || inside.starts_with("rank")
        || inside.starts_with("pod/") || closing == ')';
    if (isRank)
        head.rank = inside;
    head.rest.remove_prefix(end + 1);
    if (head.rest.starts_with(':'))
        head.rest.remove_prefix(1);
    return true;
}

// Skips the level that Python's logging puts between the date and the message.
void skipLevel(std::string_view& text) {
    constexpr std::array<std::string_view, 5> kLevels{
        " INFO ", " WARNING ", " ERROR ", " DEBUG ", " CRITICAL "};
    const std::string_view before = text.substr(0, kLongestPart);
    if (!before.starts_with(" - ") && !before.starts_with(" | "))
        return;
    for (const std::string_view level : kLevels) {
        const std::size_t at = before.find(level);
        if (at == std::string_view::npos)
            continue;
        text.remove_prefix(at + level.size());
        if (text.starts_with("- ") || text.starts_with("| "))
            text.remove_prefix(2);
        return;
    }
}

bool isHostChar(char c) {
    return isDigit(c) || (lowerChar(c) >= 'a' && lowerChar(c) <= 'z') || c == '-' || c == '.'
        || c == '_';
}

// "1: " and "nid008276: "; a word without a digit is no host.
bool takeLabel(LineHead& head) {
    constexpr std::array<std::string_view, 4> kSaid{"step", "iter", "loss", "epoch"};
    std::size_t end = 0;
    bool hasDigit = false;
    for (; end < head.rest.size() && isHostChar(head.rest[end]); ++end)
        hasDigit = hasDigit || isDigit(head.rest[end]);
    if (!hasDigit || end > kLongestPart || end + 1 >= head.rest.size() || head.rest[end] != ':'
        || head.rest[end + 1] != ' ')
        return false;
    const std::string_view word = head.rest.substr(0, end);
    if (std::any_of(kSaid.begin(), kSaid.end(),
            [word](std::string_view said) { return word.starts_with(said); }))
        return false;
    head.rank = word;
    head.rest.remove_prefix(end + 2);
    return true;
}

bool takePart(LineHead& head) {
    skipBlanks(head.rest);
    if (head.rest.empty())
        return false;
    const char first = head.rest.front();
    if (first == '[' || first == '(')
        return takeBracket(head);
    if (isDigit(first) && isDateAt(head.rest)) {
        const auto stamp = takeStamp(head.rest);
        if (!stamp)
            return false;
        head.stamp = stamp;
        skipLevel(head.rest);
        return true;
    }
    return isHostChar(first) && takeLabel(head);
}

bool startsNumber(std::string_view text) {
    if (text.starts_with('-') || text.starts_with('+'))
        text.remove_prefix(1);
    return !text.empty() && isDigit(text.front());
}

// "123.4 ms" → {"dt", "123.4 ms"}; "1234 tok/s", "48.4% bf16 MFU".
LoggedValue bareNumber(std::string_view part) {
    const std::size_t end = std::min(part.find_first_not_of("0123456789.,eE+-"), part.size());
    std::string_view rest = part.substr(end);
    const std::string_view unit = trimmed(rest.substr(0, rest.find(' ', 1)));
    if (equalsIgnoringCase(unit, "ms") || equalsIgnoringCase(unit, "s"))
        return {"dt", part};
    if (rest.starts_with('%'))
        rest.remove_prefix(1);
    const std::string_view key = trimmed(rest);
    return {key, part.substr(0, rest.data() == part.data() + end ? end : end + 1)};
}

void readPart(std::string_view part, std::vector<LoggedValue>& values) {
    part = trimmed(part);
    if (part.empty())
        return;
    if (startsNumber(part)) {
        const LoggedValue value = bareNumber(part);
        if (!value.key.empty())
            values.push_back(value);
        return;
    }
    std::size_t parting = part.rfind(": ");
    if (parting == std::string_view::npos)
        parting = part.rfind(':');
    if (parting == std::string_view::npos)
        parting = part.rfind('=');
    if (parting == std::string_view::npos) {
        for (parting = part.find(' ');
             parting != std::string_view::npos && !startsNumber(part.substr(parting + 1));)
            parting = part.find(' ', parting + 1);
    }
    if (parting == std::string_view::npos || parting == 0)
        return;
    values.push_back({trimmed(part.substr(0, parting)), trimmed(part.substr(parting + 1))});
}

void readParted(std::string_view text, std::string_view parting, std::vector<LoggedValue>& values) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(parting), text.size());
        readPart(text.substr(0, end), values);
        text.remove_prefix(std::min(end + parting.size(), text.size()));
    }
}

} // namespace

std::optional<LogStamp> takeStamp(std::string_view& text) {
    if (!isDateAt(text))
        return std::nullopt;
    std::size_t end = 19;
    std::int64_t unit = kSecond;
    const bool hasFraction
        = text.size() > end + 1 && (text[end] == '.' || text[end] == ',') && isDigit(text[end + 1]);
    for (end += hasFraction ? 1 : 0; hasFraction && end < text.size() && isDigit(text[end]); ++end)
        unit /= 10;
    const auto stamp = parseStamp(text.substr(0, end));
    if (!stamp || stamp->kind != StampKind::Local)
        return std::nullopt;
    std::string_view rest = text.substr(end);
    const auto zone = takeZone(rest);
    text = rest;
    return LogStamp{stamp->time - DurationNs{zone.value_or(0) * kSecond}, zone.has_value(),
        {std::max<std::int64_t>(unit, 1'000)}};
}

LineHead splitHead(std::string_view line) {
    LineHead head;
    head.rest = line;
    head.whole = line;
    for (int i = 0; i < kMostParts && takePart(head); ++i) { }
    return head;
}

void readBars(std::string_view text, std::vector<LoggedValue>& values) {
    readParted(text, "|", values);
}

void readCommas(std::string_view text, std::vector<LoggedValue>& values) {
    readParted(text, ", ", values);
}

void readWords(std::string_view text, std::vector<LoggedValue>& values) {
    while (true) {
        text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
        const std::size_t colon = text.find(':');
        if (colon == std::string_view::npos)
            return;
        const std::string_view before = text.substr(0, colon);
        const std::size_t blank = before.find_last_of(" \t");
        const std::string_view key
            = blank == std::string_view::npos ? before : before.substr(blank + 1);
        text.remove_prefix(colon + 1);
        text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
        const std::string_view value = text.substr(0, text.find_first_of(" \t"));
        text.remove_prefix(value.size());
        if (!key.empty())
            values.push_back({key, value});
    }
}

KeptLine::KeptLine(const StepLine& line, std::string_view rank)
    : m_rank(rank)
    , m_opens(line.opens)
    , m_closes(line.closes)
    , m_interval(line.interval) {
    m_line.kind = line.kind;
    m_line.between = line.between;
    m_line.index = line.index;
    m_line.secondsEach = line.secondsEach;
    m_line.elapsedS = line.elapsedS;
    m_line.stamp = line.stamp;
    for (const LoggedValue& value : line.values)
        m_values.emplace_back(value.key, value.text);
}

StepLine KeptLine::line() const {
    StepLine line = m_line;
    line.rank = m_rank;
    line.opens = m_opens;
    line.closes = m_closes;
    line.interval = m_interval;
    for (const auto& [key, text] : m_values)
        line.values.push_back({key, text});
    return line;
}

} // namespace trainscope::importers::trainlog
