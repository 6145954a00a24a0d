#pragma once
// Walks over a JSON text that lies in memory, without a tree of it. The first thing that is not
// JSON, or not what was asked for, ends the walk: everything then answers false.
// JsonScanner::kPadding readable zero bytes must follow the text. The members of an object alone,
// and texts that are one value.

#include "core/model/AsciiText.h"
#include "importers/common/JsonScanner.h"

namespace trainscope::importers {

// A value that is no object and no array, with the names and indices that lead to it.
struct JsonLeaf {
    std::vector<std::string> path; // from the outside inwards
    std::string text; // unescaped
};

class JsonCursor {
public:
    explicit JsonCursor(std::string_view text)
        : m_scanner(text.data(), text.data() + text.size()) { }

    [[nodiscard]] bool isGood() const { return m_good; }
    // The next character behind blanks; 0 at the end.
    char peek() { return m_scanner.peek(); }

    // while (cursor.nextMember(key)) takes the value of each; the same for elements. They take the
    // brackets too: begin first.
    bool beginObject() { return take('{'); }
    bool nextMember(std::string& key);
    bool beginArray() { return take('['); }
    bool nextElement() { return nextOf(']'); }

    bool string(std::string& out); // unescaped
    // A number or a word as it is written, or a string between its quotes as it is written.
    bool scalar(std::string_view& out);
    bool skip(); // any value
    // Appends the leaves of any value, as far as it is there.
    bool leaves(std::vector<JsonLeaf>& out);
    // Nothing but blanks is left.
    bool atEnd() { return m_good && peek() == '\0' && m_scanner.atEnd(); }

private:
    bool take(char c);
    bool nextOf(char closing);
    bool fail() {
        m_good = false;
        return false;
    }
    bool leavesBelow(std::vector<JsonLeaf>& out);

    JsonScanner m_scanner;
    std::vector<std::string> m_path; // leads to the next leaf
    bool m_first = false; // behind an opening bracket
    bool m_good = true;
};

// Calls visit(key, token) for each member of an object, up to where it is no JSON any more. `text`
// is followed by JsonScanner::kPadding readable bytes.
template <typename Visit>
void forEachMember(std::string_view text, Visit&& visit) {
    text = trimmed(text);
    if (!text.starts_with('{'))
        return;
    JsonScanner scanner(text.data(), text.data() + text.size());
    scanner.advance();
    while (scanner.position() < scanner.end() && scanner.peek() == '"') {
        JsonToken key;
        JsonToken value;
        if (scanner.string(key) != Scan::Ok || scanner.peek() != ':')
            return;
        scanner.advance();
        scanner.peek();
        if (scanner.value(value) != Scan::Ok)
            return;
        visit(key.text, value);
        if (scanner.peek() == ',')
            scanner.advance();
    }
}

// True for one object or array alone, which may be cut: a document, where a log has many values.
inline bool isOneJsonValue(std::string_view text) {
    std::string value(trimmed(text));
    const std::size_t size = value.size();
    value.append(JsonScanner::kPadding, '\0');
    JsonScanner scanner(value.data(), value.data() + size);
    JsonToken token;
    const Scan scan
        = value.front() == '{' || value.front() == '[' ? scanner.value(token) : Scan::Broken;
    return scan == Scan::NeedMore || (scan == Scan::Ok && scanner.atEnd());
}

} // namespace trainscope::importers
