#include "importers/meters/JsonEvents.h"

#include "core/model/WholeNumber.h"
#include "importers/common/TextCleaning.h"

#include <cstdint>
#include <utility>

namespace trainscope::importers::meters {

std::string JsonEvents::path() const {
    std::string text;
    for (std::size_t i = 1; i < m_depth + 1 && i < m_steps.size() + 1; ++i) {
        const Step& one = m_steps[i - 1];
        text += (i == 1 ? "" : "/") + (one.isArray ? std::to_string(one.index) : one.key);
    }
    return text;
}

void JsonEvents::append(char c) {
    if (m_text.size() < kLongest)
        m_text += c;
}

void JsonEvents::take(std::string_view text, Visitor& visitor) {
    for (const char c : text) {
        switch (m_state) {
        case State::Between:
            between(c, visitor);
            break;
        case State::String:
            if (c == '"')
                scalar(true, visitor);
            else if (c == '\\')
                m_state = State::Escape;
            else
                append(c);
            break;
        case State::Escape:
            escape(c);
            break;
        case State::Unicode:
            m_hex += c;
            if (m_hex.size() == 4) {
                // Halves of a pair stand for nothing alone.
                const auto code = wholeNumber<std::uint32_t>(m_hex, 16);
                const bool isScalar = code && (*code < 0xD800 || *code > 0xDFFF);
                appendUtf8(m_text, isScalar ? static_cast<char32_t>(*code) : U'\uFFFD');
                m_state = State::String;
            }
            break;
        case State::Word:
            if (std::string_view(" \t\r\n,:]}[{\"").find(c) == std::string_view::npos) {
                append(c);
                break;
            }
            scalar(false, visitor);
            between(c, visitor);
            break;
        }
    }
}

void JsonEvents::escape(char c) {
    m_state = State::String;
    switch (c) {
    case 'n':
        return append('\n');
    case 't':
        return append('\t');
    case 'r':
        return append('\r');
    case 'b':
    case 'f':
        return append(' ');
    case 'u':
        m_hex.clear();
        m_state = State::Unicode;
        return;
    default:
        return append(c);
    }
}

void JsonEvents::between(char c, Visitor& visitor) {
    switch (c) {
    case ' ':
    case '\t':
    case '\r':
    case '\n':
    case '\0':
        return;
    case '"':
        m_text.clear();
        m_state = State::String;
        return;
    case ':':
        m_keyDone = m_hasKey;
        return;
    case ',':
        m_hasKey = m_keyDone = false;
        if (m_tooDeep == 0 && m_depth > 0 && m_steps[m_depth - 1].isArray)
            ++m_steps[m_depth - 1].index;
        return;
    case '{':
    case '[':
        return open(c == '[', visitor);
    case '}':
    case ']':
        return close(visitor);
    default:
        m_text.assign(1, c);
        m_state = State::Word;
    }
}

void JsonEvents::open(bool isArray, Visitor& visitor) {
    if (m_tooDeep > 0 || m_depth >= kDeepest) {
        ++m_tooDeep;
        return;
    }
    if (m_depth > 0 && !m_steps[m_depth - 1].isArray)
        m_steps[m_depth - 1].key = m_key;
    m_hasKey = m_keyDone = false;
    if (m_steps.size() == m_depth)
        m_steps.emplace_back();
    m_steps[m_depth].key.clear();
    m_steps[m_depth].index = 0;
    m_steps[m_depth].isArray = isArray;
    ++m_depth;
    visitor.enter(*this);
}

void JsonEvents::close(Visitor& visitor) {
    m_hasKey = m_keyDone = false;
    if (m_tooDeep > 0) {
        --m_tooDeep;
        return;
    }
    if (m_depth == 0)
        return;
    visitor.leave(*this);
    --m_depth;
}

void JsonEvents::scalar(bool isString, Visitor& visitor) {
    m_state = State::Between;
    if (m_tooDeep > 0)
        return;
    const bool isMember = m_depth > 0 && !m_steps[m_depth - 1].isArray;
    if (isMember && !m_keyDone) {
        m_key = m_text;
        m_hasKey = true;
        return;
    }
    if (isMember)
        m_steps[m_depth - 1].key = m_key;
    if (m_depth > 0)
        visitor.value(*this, m_text, isString);
    m_hasKey = m_keyDone = false;
}

void JsonEvents::finish(Visitor& visitor) {
    if (m_state == State::Word)
        scalar(false, visitor);
    m_state = State::Between;
}

} // namespace trainscope::importers::meters
