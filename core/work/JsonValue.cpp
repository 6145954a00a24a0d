#include "core/work/JsonValue.h"

#include "core/model/AsciiText.h"
#include "core/model/WholeNumber.h"

#include <cstddef>
#include <utility>

namespace trainscope::work {

namespace {

constexpr int kDeepest = 32;

class JsonReader {
public:
    explicit JsonReader(std::string_view text)
        : m_text(text) { }

    std::optional<JsonValue> whole() {
        auto value = read(0);
        skipBlanks();
        return m_at == m_text.size() ? std::move(value) : std::nullopt;
    }

private:
    void skipBlanks() {
        while (m_at < m_text.size() && std::string_view(" \t\r\n").find(m_text[m_at]) != npos)
            ++m_at;
    }
    bool take(char wanted) {
        skipBlanks();
        if (m_at >= m_text.size() || m_text[m_at] != wanted)
            return false;
        ++m_at;
        return true;
    }

    std::optional<JsonValue> read(int depth) {
        skipBlanks();
        if (m_at >= m_text.size() || depth > kDeepest)
            return std::nullopt;
        switch (m_text[m_at]) {
        case '{':
            return readItems(depth, JsonValue::Kind::Object, '}');
        case '[':
            return readItems(depth, JsonValue::Kind::List, ']');
        case '"':
            return readString();
        default:
            return readWord();
        }
    }

    std::optional<JsonValue> readItems(int depth, JsonValue::Kind kind, char end) {
        ++m_at;
        JsonValue value;
        value.kind = kind;
        if (take(end))
            return value;
        do {
            if (kind == JsonValue::Kind::Object) {
                skipBlanks();
                auto key
                    = m_at < m_text.size() && m_text[m_at] == '"' ? readString() : std::nullopt;
                if (!key || !take(':'))
                    return std::nullopt;
                value.keys.push_back(std::move(key->text));
            }
            auto item = read(depth + 1);
            if (!item)
                return std::nullopt;
            value.items.push_back(std::move(*item));
        } while (take(','));
        return take(end) ? std::optional(std::move(value)) : std::nullopt;
    }

    std::optional<JsonValue> readString() {
        JsonValue value;
        value.kind = JsonValue::Kind::String;
        for (++m_at; m_at < m_text.size(); ++m_at) {
            const char c = m_text[m_at];
            if (c == '"') {
                ++m_at;
                return value;
            }
            if (c != '\\') {
                value.text.push_back(c);
            } else if (++m_at < m_text.size()) {
                // Names and numbers of operators need no other escapes: \u stays as written.
                const char escaped = m_text[m_at];
                value.text.push_back(escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped);
            }
        }
        return std::nullopt;
    }

    std::optional<JsonValue> readWord() {
        const std::size_t end = m_text.find_first_of(",]} \t\r\n", m_at);
        JsonValue value;
        value.text = std::string(m_text.substr(m_at, end == npos ? npos : end - m_at));
        m_at += value.text.size();
        if (value.text.empty())
            return std::nullopt;
        const char first = value.text.front();
        if (value.text == "true" || value.text == "false")
            value.kind = JsonValue::Kind::Bool;
        else if (isDigit(first) || first == '-')
            value.kind = JsonValue::Kind::Number;
        else if (value.text != "null")
            return std::nullopt;
        return value;
    }

    static constexpr std::size_t npos = std::string_view::npos;
    std::string_view m_text;
    std::size_t m_at = 0;
};

} // namespace

const JsonValue* JsonValue::find(std::string_view key) const {
    for (std::size_t i = 0; i < keys.size() && i < items.size(); ++i) {
        if (equalsIgnoringCase(keys[i], key))
            return &items[i];
    }
    return nullptr;
}

std::optional<std::int64_t> JsonValue::whole() const {
    return kind == Kind::Number ? wholeNumber<std::int64_t>(text) : std::nullopt;
}

std::optional<JsonValue> parseJson(std::string_view text) {
    return JsonReader(text).whole();
}

} // namespace trainscope::work
