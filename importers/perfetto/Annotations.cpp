#include "importers/perfetto/Annotations.h"

#include "importers/common/JsonText.h"
#include "importers/common/MessageFields.h"

#include <charconv>
#include <cmath>

namespace trainscope::importers::perfetto {

namespace {

constexpr int kDeepest = 16;

void appendTold(const Sequence& sequence, Told kind, std::uint64_t number, std::string& out) {
    const std::string* const told = sequence.text(kind, number);
    appendJsonString(told == nullptr ? "?" : std::string_view(*told), out);
}

// With its quotes; false: it has none.
bool appendKey(std::string_view annotation, const Sequence& sequence, std::string& out) {
    std::optional<std::uint64_t> number;
    std::optional<std::string_view> key;
    eachField(annotation, [&](const MessageField& field) {
        if (field.number == 1)
            number = field.value;
        else if (field.number == 10)
            key = field.bytes;
    });
    if (key)
        appendJsonString(*key, out);
    else if (number)
        appendTold(sequence, Told::Keys, *number, out);
    return key || number;
}

// A value of older writers (DebugAnnotation.NestedValue).
void appendNested(std::string_view message, int depth, std::string& out) {
    std::uint64_t type = 0;
    std::vector<std::string_view> keys, members, items;
    std::optional<std::int64_t> whole;
    std::optional<double> real;
    std::optional<std::uint64_t> flag;
    std::optional<std::string_view> text;
    readFields(message,
        {{1, &type}, {2, &keys}, {3, &members}, {4, &items}, {5, &whole}, {6, &real}, {7, &flag},
            {8, &text}});
    if (text)
        return appendJsonString(*text, out);
    if (whole || real || flag) {
        out += whole     ? std::to_string(*whole)
            : real       ? realJson(*real)
            : *flag != 0 ? "true"
                         : "false";
        return;
    }
    constexpr std::uint64_t kDictionary = 1;
    const bool isList = type != kDictionary && members.empty();
    const std::vector<std::string_view>& values = isList ? items : members;
    out += isList ? '[' : '{';
    for (std::size_t i = 0; i < values.size() && depth < kDeepest; ++i) {
        out.append(i == 0 ? "" : ",");
        if (!isList) {
            appendJsonString(i < keys.size() ? keys[i] : "?", out);
            out += ':';
        }
        appendNested(values[i], depth + 1, out);
    }
    out += isList ? ']' : '}';
}

// Pointers are numbers, JSON is a text, other messages are null; of a list without members nothing
// is written.
void appendScalar(const MessageField& field, const Sequence& sequence, std::string& out) {
    switch (field.number) {
    case 2:
        out += field.value != 0 ? "true" : "false";
        return;
    case 3:
    case 7:
        out += std::to_string(field.value);
        return;
    case 4:
        out += std::to_string(field.whole());
        return;
    case 5:
        out += realJson(field.real());
        return;
    case 6:
    case 9:
        return appendJsonString(field.bytes, out);
    case 14:
        out += "null";
        return;
    case 17:
        return appendTold(sequence, Told::Values, field.value, out);
    default:
        return;
    }
}

void appendValue(
    std::string_view annotation, const Sequence& sequence, int depth, std::string& out) {
    constexpr std::uint32_t kNested = 8;
    constexpr std::uint32_t kMember = 11;
    constexpr std::uint32_t kItem = 12;
    const std::size_t begin = out.size();
    std::uint32_t kind = 0; // the field that it has several of; 0: it is one value
    eachField(annotation, [&](const MessageField& field) {
        if (field.number == kNested && kind == 0)
            appendNested(field.bytes, depth, out);
        else if (field.number != kMember && field.number != kItem && kind == 0)
            appendScalar(field, sequence, out);
        if (field.number != kMember && field.number != kItem)
            return;
        if (kind != field.number) {
            kind = field.number;
            out.resize(begin);
            out += kind == kMember ? '{' : '[';
        }
        const std::size_t before = out.size();
        out.append(before == begin + 1 ? "" : ",");
        if (depth >= kDeepest || (kind == kMember && !appendKey(field.bytes, sequence, out)))
            return out.resize(before);
        out.append(kind == kMember ? ":" : "");
        appendValue(field.bytes, sequence, depth + 1, out);
    });
    if (kind != 0)
        out += kind == kMember ? '}' : ']';
    else if (out.size() == begin)
        out += "[]";
}

} // namespace

std::string inQuotes(std::string_view text) {
    std::string out;
    appendJsonString(text, out);
    return out;
}

std::string realJson(double value) {
    char digits[32];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), value).ptr;
    return std::isfinite(value) ? std::string(std::begin(digits), end) : "null";
}

void Members::clear() {
    m_text.clear();
    m_places.clear();
}

void Members::add(std::string_view key, std::string_view json) {
    m_text.append(m_text.empty() ? "" : ",");
    const std::size_t begin = m_text.size();
    appendJsonString(key, m_text);
    const std::size_t value = m_text.append(1, ':').size();
    m_places.push_back({begin, value, m_text.append(json).size()});
}

void Members::add(const Members& others) {
    const std::size_t shift = m_text.append(m_text.empty() ? "" : ",").size();
    m_text.append(others.m_text);
    for (const Place& place : others.m_places)
        m_places.push_back({place.key + shift, place.value + shift, place.end + shift});
}

void Members::addAnnotation(
    std::string_view annotation, const Sequence& sequence, std::size_t longest) {
    const std::size_t before = m_text.size();
    const std::size_t key = m_text.append(before == 0 ? "" : ",").size();
    if (!appendKey(annotation, sequence, m_text))
        return m_text.resize(before);
    const std::size_t value = m_text.append(1, ':').size();
    appendValue(annotation, sequence, 0, m_text);
    if (m_text.size() > longest)
        return m_text.resize(before);
    m_places.push_back({key, value, m_text.size()});
}

} // namespace trainscope::importers::perfetto
