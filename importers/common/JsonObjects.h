#pragma once
// The objects of a JSON text that may be far larger than memory, one after the other: those in the
// array of one member, and what stands around that array. Objects may follow each other without
// commas. Brackets and strings are followed, nothing else: each object is parsed by whoever takes
// it.

#include "importers/common/Source.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers {

class JsonObjects {
public:
    enum class Part {
        Element, // an object of the array
        Whole, // a top-level object; the array of the member is empty in it
        End,
    };

    // `member`: its name, "nodes".
    JsonObjects(ByteStream& stream, std::vector<std::string_view> members);

    // The part's text is valid until the next call. At the end of a text that stops inside an
    // object this is Unreadable; what came before was given.
    Result<Part> next(std::string_view& text);
    // The top-level object as far as it was read.
    [[nodiscard]] const std::string& outside() const { return m_outside; }
    [[nodiscard]] std::uint64_t bytes() const { return m_bytes; }
    // Objects larger than kLargest, which were left out.
    [[nodiscard]] std::int64_t leftOut() const { return m_leftOut; }

    static constexpr std::size_t kLargest = std::size_t{32} << 20;

private:
    Result<bool> fill();
    bool take(char c, Part& part);
    void open(char c);
    bool close(char c, Part& part);
    void keep(char c);
    [[nodiscard]] bool beginsArray() const;

    ByteStream& m_stream;
    std::vector<std::string_view> m_members;
    std::vector<char> m_block;
    std::size_t m_used = 0;
    std::size_t m_size = 0;
    std::uint64_t m_bytes = 0;
    std::string m_outside;
    std::string m_element;
    int m_depth = 0;
    bool m_isInArray = false;
    bool m_isInString = false;
    bool m_isEscaped = false;
    bool m_isNew = false; // m_outside was given and begins anew
    std::int64_t m_leftOut = 0;
};

} // namespace trainscope::importers
