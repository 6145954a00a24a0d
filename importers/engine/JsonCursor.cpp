#include "importers/engine/JsonCursor.h"

#include "importers/common/JsonText.h"

namespace trainscope::importers::engine {

namespace {

bool isBlank(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

bool endsWord(char c) {
    return isBlank(c) || c == ',' || c == ']' || c == '}' || c == '\0';
}

} // namespace

char JsonCursor::peek() {
    while (m_at < m_text.size() && isBlank(m_text[m_at]))
        ++m_at;
    return m_at < m_text.size() ? m_text[m_at] : '\0';
}

bool JsonCursor::take(char c) {
    if (!m_good || peek() != c)
        return fail();
    ++m_at;
    m_first = true;
    return true;
}

bool JsonCursor::nextOf(char closing) {
    if (!m_good)
        return false;
    const char c = peek();
    if (c == closing) {
        ++m_at;
        m_first = false;
        return false;
    }
    if (!m_first) {
        if (c != ',')
            return fail();
        ++m_at;
    }
    m_first = false;
    return true;
}

bool JsonCursor::nextElement() {
    return nextOf(']');
}

bool JsonCursor::nextMember(std::string& key) {
    if (!nextOf('}') || !string(key))
        return false;
    if (peek() != ':')
        return fail();
    ++m_at;
    return true;
}

bool JsonCursor::quoted(std::string_view& raw) {
    const std::size_t begin = m_at + 1;
    std::size_t end = begin;
    while (end < m_text.size() && m_text[end] != '"')
        end += m_text[end] == '\\' ? std::size_t{2} : std::size_t{1};
    if (end >= m_text.size())
        return fail();
    raw = m_text.substr(begin, end - begin);
    m_at = end + 1;
    return true;
}

bool JsonCursor::string(std::string& out) {
    if (!m_good || peek() != '"')
        return fail();
    std::string_view raw;
    if (!quoted(raw))
        return false;
    out.clear();
    appendUnescaped(raw, out);
    return true;
}

bool JsonCursor::scalar(std::string_view& out) {
    if (!m_good)
        return false;
    const char c = peek();
    if (c == '"')
        return quoted(out);
    if (c == '{' || c == '[')
        return fail();
    const std::size_t begin = m_at;
    while (m_at < m_text.size() && !endsWord(m_text[m_at]))
        ++m_at;
    out = m_text.substr(begin, m_at - begin);
    return out.empty() ? fail() : true;
}

bool JsonCursor::skip() {
    std::string_view ignored;
    std::size_t depth = 0;
    do {
        const char c = peek();
        if (c == '{' || c == '[') {
            ++depth;
            ++m_at;
        } else if (depth > 0 && (c == '}' || c == ']')) {
            --depth;
            ++m_at;
        } else if (depth > 0 && (c == ',' || c == ':')) {
            ++m_at;
        } else if (!scalar(ignored)) {
            return false;
        }
    } while (m_good && depth > 0);
    m_first = false;
    return m_good;
}

} // namespace trainscope::importers::engine
