#pragma once
// JSON text in pieces as events: where in the document a value stands and what it is. Documents may
// follow one another (JSON lines). Memory is bounded by the depth and the longest string. Tolerant:
// NaN, trailing commas, control characters in strings, text that ends anywhere. A file is read with
// it; engine/JsonCursor.h reads an answer that lies in memory whole and has to be right.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers::meters {

class JsonEvents {
public:
    // Events in the order of the text.
    class Visitor {
    public:
        Visitor() = default;
        Visitor(const Visitor&) = delete;
        Visitor& operator=(const Visitor&) = delete;
        virtual ~Visitor() = default;
        // An object or array begins or ends; its own step is the last of `path`.
        virtual void enter(const JsonEvents&) { }
        virtual void leave(const JsonEvents&) { }
        // A string (unescaped), number or literal.
        virtual void value(const JsonEvents& where, std::string_view text, bool isString) = 0;
    };
    struct Step {
        std::string key; // of a member
        std::size_t index = 0; // of an element
        bool isArray = false; // the container whose members follow
    };

    // Names from the outside inwards; the last one is that of the value itself.
    [[nodiscard]] std::size_t depth() const { return m_depth; }
    [[nodiscard]] const Step& step(std::size_t at) const { return m_steps[at]; }
    [[nodiscard]] const std::string& key() const { return m_steps[m_depth - 1].key; }
    // "data/result/3/metric/gpu".
    [[nodiscard]] std::string path() const;

    void take(std::string_view text, Visitor& visitor);
    // A value that the text ended in.
    void finish(Visitor& visitor);
    [[nodiscard]] bool isComplete() const { return m_depth == 0; }

private:
    static constexpr std::size_t kDeepest = 64;
    static constexpr std::size_t kLongest = std::size_t{1} << 20;

    enum class State { Between, String, Escape, Unicode, Word };
    void between(char c, Visitor& visitor);
    void open(bool isArray, Visitor& visitor);
    void close(Visitor& visitor);
    void scalar(bool isString, Visitor& visitor);
    void append(char c);
    void escape(char c);

    State m_state = State::Between;
    std::string m_text; // of the string or word under way
    std::string m_hex;
    std::string m_key; // read, with its colon still to come
    bool m_keyDone = false; // the colon was there
    bool m_hasKey = false;
    std::vector<Step> m_steps;
    std::size_t m_depth = 0;
    std::size_t m_tooDeep = 0;
};

} // namespace trainscope::importers::meters
