#pragma once
// Walks over the JSON text of an answer that lies in memory, without a tree of it. The first thing
// that is not JSON, or not what was asked for, ends the walk: everything then answers false.

#include <cstddef>
#include <string>
#include <string_view>

namespace trainscope::importers::engine {

class JsonCursor {
public:
    explicit JsonCursor(std::string_view text)
        : m_text(text) { }

    [[nodiscard]] bool isGood() const { return m_good; }
    // The next character behind blanks; 0 at the end.
    char peek();

    // while (cursor.nextMember(key)) takes the value of each; the same for elements. They take the
    // brackets too: begin first.
    bool beginObject() { return take('{'); }
    bool nextMember(std::string& key);
    bool beginArray() { return take('['); }
    bool nextElement();

    bool string(std::string& out); // unescaped
    // A number or a word as it is written, or a string between its quotes as it is written.
    bool scalar(std::string_view& out);
    bool skip(); // any value
    // Nothing but blanks is left.
    bool atEnd() { return m_good && peek() == '\0'; }

private:
    bool take(char c);
    bool nextOf(char closing);
    bool fail() {
        m_good = false;
        return false;
    }
    bool quoted(std::string_view& raw);

    std::string_view m_text;
    std::size_t m_at = 0;
    bool m_first = false; // behind an opening bracket
    bool m_good = true;
};

} // namespace trainscope::importers::engine
