#include "importers/perfetto/Annotations.h"

#include "importers/common/JsonText.h"
#include "importers/common/MessageFields.h"

#include <charconv>
#include <cmath>

namespace trainscope::importers::perfetto {

namespace {

constexpr int kDeepest = 16;

std::string inBrackets(const std::vector<std::string>& items, std::string_view brackets) {
    std::string out(brackets.substr(0, 1));
    for (const std::string& item : items)
        out.append(out.size() == 1 ? "" : ",").append(item);
    return out.append(brackets.substr(1));
}

struct Annotation {
    std::optional<std::uint64_t> keyNumber, flag, count, textNumber;
    std::optional<std::int64_t> whole;
    std::optional<double> real;
    std::optional<std::string_view> key, text, other;
    std::vector<std::string_view> members, items;

    explicit Annotation(std::string_view annotation) {
        // Pointers are numbers, JSON is a text, older nested values and other messages are null.
        readFields(annotation,
            {{1, &keyNumber}, {2, &flag}, {3, &count}, {4, &whole}, {5, &real}, {6, &text},
                {7, &count}, {8, &other}, {9, &text}, {10, &key}, {11, &members}, {12, &items},
                {14, &other}, {17, &textNumber}});
    }
    [[nodiscard]] std::string keyJson(const Sequence& sequence) const {
        const std::string* const told = keyNumber ? sequence.text(Told::Keys, *keyNumber) : nullptr;
        return key ? inQuotes(*key) : keyNumber ? inQuotes(told == nullptr ? "?" : *told) : "";
    }
    [[nodiscard]] std::string scalarJson(const Sequence& sequence) const {
        if (text)
            return inQuotes(*text);
        if (whole)
            return std::to_string(*whole);
        if (count)
            return std::to_string(*count);
        if (real)
            return realJson(*real);
        if (flag)
            return *flag != 0 ? "true" : "false";
        const std::string* const told
            = textNumber ? sequence.text(Told::Values, *textNumber) : nullptr;
        // Of a list without members nothing is written.
        return textNumber ? inQuotes(told == nullptr ? "?" : *told) : other ? "null" : "[]";
    }
    [[nodiscard]] std::string valueJson(const Sequence& sequence, int depth) const {
        std::vector<std::string> inner;
        const bool isList = members.empty();
        for (const std::string_view one : isList ? items : members) {
            const Annotation annotation(one);
            const std::string name = isList ? std::string() : annotation.keyJson(sequence);
            if (depth < kDeepest && (isList || !name.empty()))
                inner.push_back(
                    name + (isList ? "" : ":") + annotation.valueJson(sequence, depth + 1));
        }
        return inner.empty() ? scalarJson(sequence) : inBrackets(inner, isList ? "[]" : "{}");
    }
};

} // namespace

std::string inQuotes(std::string_view text) {
    std::string out;
    appendJsonString(text, out);
    return out;
}

void appendMember(std::string_view key, std::string_view json, std::string& out) {
    out.append(out.empty() ? "" : ",");
    appendJsonString(key, out);
    out.append(1, ':').append(json);
}

std::string realJson(double value) {
    char digits[32];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), value).ptr;
    return std::isfinite(value) ? std::string(std::begin(digits), end) : "null";
}

void appendAnnotation(std::string_view message, const Sequence& sequence, std::string& out) {
    const Annotation annotation(message);
    const std::string key = annotation.keyJson(sequence);
    if (!key.empty())
        out.append(out.empty() ? "" : ",")
            .append(key)
            .append(1, ':')
            .append(annotation.valueJson(sequence, 0));
}

} // namespace trainscope::importers::perfetto
