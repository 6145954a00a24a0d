#include "importers/common/JsonCursor.h"

namespace trainscope::importers {

bool JsonCursor::take(char c) {
    if (!m_good || peek() != c)
        return fail();
    m_scanner.advance();
    m_first = true;
    return true;
}

// A comma before the closing bracket is passed over.
bool JsonCursor::nextOf(char closing) {
    if (!m_good)
        return false;
    if (!m_first && peek() == ',')
        m_scanner.advance();
    else if (!m_first && peek() != closing)
        return fail();
    const bool isEnd = peek() == closing;
    if (isEnd)
        m_scanner.advance();
    m_first = false;
    return !isEnd;
}

bool JsonCursor::nextMember(std::string& key) {
    if (!nextOf('}') || !string(key))
        return false;
    if (peek() != ':')
        return fail();
    m_scanner.advance();
    return true;
}

bool JsonCursor::string(std::string& out) {
    JsonToken token;
    if (!m_good || peek() != '"' || m_scanner.string(token) != Scan::Ok)
        return fail();
    out.clear();
    if (token.isPlain)
        out = token.text;
    else
        appendUnescaped(token.text, out);
    return true;
}

bool JsonCursor::scalar(std::string_view& out) {
    const char c = m_good ? peek() : '\0';
    JsonToken token;
    if (!m_good || c == '{' || c == '[' || m_scanner.value(token) != Scan::Ok)
        return fail();
    out = token.text;
    return true;
}

bool JsonCursor::skip() {
    JsonToken ignored;
    m_first = false;
    return m_good && m_scanner.value(ignored) == Scan::Ok ? true : fail();
}

bool JsonCursor::leaves(std::vector<JsonLeaf>& out) {
    m_path.clear();
    return leavesBelow(out);
}

bool JsonCursor::leavesBelow(std::vector<JsonLeaf>& out) {
    const char c = peek();
    if (c == '{' || c == '[') {
        constexpr std::size_t kDeepest = 64;
        if (m_path.size() >= kDeepest)
            return fail();
        std::size_t index = 0;
        m_path.emplace_back();
        take(c);
        while (c == '{' ? nextMember(m_path.back()) : nextElement()) {
            if (c == '[')
                m_path.back() = std::to_string(index++);
            if (!leavesBelow(out))
                break;
        }
        m_path.pop_back();
        m_first = false;
        return m_good;
    }
    JsonLeaf leaf{m_path, {}};
    std::string_view word;
    if (c == '"' ? !string(leaf.text) : !scalar(word))
        return false;
    if (c != '"')
        leaf.text = word;
    out.push_back(std::move(leaf));
    return true;
}

} // namespace trainscope::importers
