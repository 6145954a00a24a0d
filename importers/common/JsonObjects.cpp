#include "importers/common/JsonObjects.h"

#include "core/model/Try.h"

#include <algorithm>
#include <utility>

namespace trainscope::importers {

namespace {

constexpr std::size_t kJsonBlock = std::size_t{64} << 10;
constexpr int kOfArray = 2; // depth inside an array of a top-level object

bool isBlank(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

std::string_view withoutBlanksBehind(std::string_view text) {
    while (!text.empty() && isBlank(text.back()))
        text.remove_suffix(1);
    return text;
}

} // namespace

JsonObjects::JsonObjects(ByteStream& stream, std::vector<std::string_view> members)
    : m_stream(stream)
    , m_members(std::move(members))
    , m_block(kJsonBlock) { }

Result<bool> JsonObjects::fill() {
    ASSIGN_OR_RETURN(m_size, m_stream.read(std::as_writable_bytes(std::span(m_block))));
    m_used = 0;
    m_bytes += m_size;
    return m_size > 0;
}

Result<JsonObjects::Part> JsonObjects::next(std::string_view& text) {
    if (m_isNew)
        m_outside.clear();
    m_isNew = false;
    m_element.clear();
    while (true) {
        while (m_used < m_size) {
            Part part = Part::End;
            if (!take(m_block[m_used++], part))
                continue;
            m_isNew = part == Part::Whole;
            const std::string& given = m_isNew ? m_outside : m_element;
            if (given.size() >= kLargest) {
                ++m_leftOut;
                m_element.clear();
                if (m_isNew)
                    m_outside.clear();
                m_isNew = false;
                continue;
            }
            text = given;
            return part;
        }
        ASSIGN_OR_RETURN(const auto goesOn, fill());
        if (!goesOn)
            break;
    }
    if (m_depth == 0)
        return Part::End;
    m_depth = 0;
    return Error{ErrorCode::Unreadable,
        "The text ends inside an object; what came before was read. Copy the file again.", {}};
}

void JsonObjects::keep(char c) {
    std::string& text = m_isInArray ? m_element : m_outside;
    if (m_isInArray && m_depth < kOfArray + 1)
        return; // commas and blanks between the elements
    if (text.size() < kLargest)
        text += c;
}

bool JsonObjects::beginsArray() const {
    std::string_view before = withoutBlanksBehind(m_outside);
    if (m_depth != 1 || !before.ends_with(':'))
        return false;
    before.remove_suffix(1);
    before = withoutBlanksBehind(before);
    return std::any_of(m_members.begin(), m_members.end(), [before](std::string_view member) {
        return before.size() > member.size() + 2 && before.ends_with('"')
            && before.substr(0, before.size() - 1).ends_with(member)
            && before[before.size() - member.size() - 2] == '"';
    });
}

void JsonObjects::open(char c) {
    if (c == '[' && !m_isInArray && beginsArray()) {
        m_outside += "[]";
        m_isInArray = true;
        ++m_depth;
        return;
    }
    ++m_depth;
    keep(c);
}

bool JsonObjects::close(char c, Part& part) {
    keep(c);
    --m_depth;
    if (m_isInArray && m_depth == kOfArray && c == '}') {
        part = Part::Element;
        return true;
    }
    if (m_isInArray && m_depth < kOfArray) {
        m_isInArray = false;
        m_element.clear();
    }
    part = Part::Whole;
    return m_depth == 0 && c == '}';
}

bool JsonObjects::take(char c, Part& part) {
    if (m_depth == 0 && c != '{')
        return false;
    if (m_isInString) {
        keep(c);
        if (m_isEscaped)
            m_isEscaped = false;
        else if (c == '\\')
            m_isEscaped = true;
        else if (c == '"')
            m_isInString = false;
        return false;
    }
    switch (c) {
    case '"':
        m_isInString = true;
        keep(c);
        return false;
    case '{':
    case '[':
        open(c);
        return false;
    case '}':
    case ']':
        return close(c, part);
    default:
        keep(c);
        return false;
    }
}

} // namespace trainscope::importers
