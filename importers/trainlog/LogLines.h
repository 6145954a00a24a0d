#pragma once
// The lines of a log as a terminal would show them one after another: a carriage return, with which
// progress bars overwrite themselves, ends a line as a line feed does. Without ANSI escape
// sequences; UTF-16 is converted. Memory is bounded: a line longer than kLongest is cut.

#include "importers/common/Source.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers::trainlog {

class LogLines {
public:
    static constexpr std::size_t kLongest = std::size_t{1} << 20;

    explicit LogLines(std::unique_ptr<ByteStream> stream);

    // The next line without its end, valid until the next call; absent at the end. Fails where the
    // stream does, after every whole line before was delivered.
    Result<std::optional<std::string_view>> next();
    [[nodiscard]] std::int64_t lineNumber() const { return m_line; } // as editors count, from 1
    [[nodiscard]] bool wasCut() const { return m_wasCut; }
    [[nodiscard]] std::uint64_t bytesConsumed() const { return m_stream->bytesConsumed(); }

private:
    bool takeLine(std::string_view& line);
    void fill();

    std::unique_ptr<ByteStream> m_stream;
    std::vector<char> m_bytes; // has room for the longest line so far
    std::size_t m_begin = 0; // what is read and not delivered
    std::size_t m_end = 0;
    std::size_t m_looked = 0; // from m_begin on, without an end of line
    std::optional<Error> m_failure;
    bool m_atEnd = false;
    bool m_endsLine = true; // the last line ended with a line feed
    bool m_skipping = false; // the rest of a line that was cut
    bool m_wasCut = false;
    std::int64_t m_line = 0;
    std::string m_cleaned;
};

} // namespace trainscope::importers::trainlog
