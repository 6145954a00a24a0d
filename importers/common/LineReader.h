#pragma once
// Lines of a byte stream with bounded memory: LF, CRLF or both, an UTF-8 BOM skipped, UTF-16 with
// BOM converted, ANSI escape sequences removed. A line longer than kMaxLine is cut and flagged.

#include "importers/common/Source.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace trainscope::importers {

class LineReader {
public:
    static constexpr std::size_t kMaxLine = std::size_t{1} << 20;

    explicit LineReader(std::unique_ptr<ByteStream> stream);
    ~LineReader();
    LineReader(const LineReader&) = delete;
    LineReader& operator=(const LineReader&) = delete;

    // The next line without its end, valid until the next call; absent at the end.
    Result<std::optional<std::string_view>> next();
    [[nodiscard]] std::int64_t lineNumber() const; // of the last line returned, from 1
    [[nodiscard]] bool lineWasCut() const;
    [[nodiscard]] std::uint64_t bytesConsumed() const;

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace trainscope::importers
