#include "importers/trainlog/StepLine.h"

#include "core/model/AsciiText.h"

#include <algorithm>

namespace trainscope::importers::trainlog {

namespace {

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
