#pragma once
// The lines of a file, the objects of a JSON file, and the files of a folder, one after another:
// how far that is gets told. The first lines, by which a format knows its own.

#include "importers/common/JsonPaths.h"
#include "importers/common/Source.h"

namespace trainscope::importers {

// The report takes bytes, and where the file broke off. True where it was read to its end; fails
// where it cannot be opened, the visitor does, or on request.
Result<bool> readLines(const SourceTree& tree, const std::string& path, std::string_view phase,
    const Progress& progress, ImportReport& report,
    const std::function<Status(std::string_view line, std::int64_t number)>& visit);

struct ObjectsRead {
    std::uint64_t bytes = 0;
    std::int64_t leftOut = 0;
    std::string problem; // the reason of an early end
};
// The visitor's `false` ends it.
Result<ObjectsRead> readObjects(const SourceTree& tree, const std::string& path,
    std::vector<std::string_view> paths, std::string_view phase, const Progress& progress,
    const std::function<Result<bool>(const JsonPaths::Found&)>& visit);

// Bytes of a file's beginning that tell the column order.
inline constexpr std::size_t kHeadOfLines = std::size_t{64} << 10;

// The lines of the first bytes of a file, decoded; not more than kHeadOfLines, and the last one
// left out where they are cut off there. Lines that no log has are empty. `most`: the first so
// many.
std::vector<std::string> linesOfHead(
    std::string_view head, std::size_t most = static_cast<std::size_t>(-1));

Status readFiles(const SourceTree& tree, std::string_view phase, const Progress& progress,
    const std::function<Status(const SourceFile&)>& visit);

// A text in blocks that end at line ends, so that each can be read by a job of its own, or in
// single lines. Memory is bounded by kBlock, the longest line and what the caller keeps. UTF-8
// without its byte order mark; UTF-16 is converted (TextCleaning.h).

// Whole lines, each with its '\n'; the last of a file gets one if it has none. At least
// LineBlocks::kPadding bytes behind the text may be read; their content means nothing.
struct LineBlock {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0;
    bool isCut = false; // the start of one line that is too long, and nothing else
    bool endsOpen = false; // one line, with which the file ends without a line feed
    std::uint64_t bytesConsumed = 0; // as the file lies on disk, up to here
    std::uint64_t bytesRead = 0; // decompressed, for this block

    [[nodiscard]] std::string_view text() const { return {bytes.get(), size}; }
};

// A carriage return, with which progress bars overwrite themselves, may end a line as a line feed
// does: as a terminal would show them, one after another.
enum class LineEnds { Feeds, FeedsAndReturns };

class LineBlocks {
public:
    static constexpr std::size_t kBlock = std::size_t{256} << 10;
    static constexpr std::size_t kPadding = 64;

    // A line of more than `longestLine` bytes is cut there where it does not fit into a block.
    // `blockSize`: bytes read for one block.
    LineBlocks(std::unique_ptr<ByteStream> stream, std::size_t longestLine,
        std::size_t blockSize = kBlock, LineEnds ends = LineEnds::Feeds);

    // Absent at the end. Fails where the stream does, after every whole line before was delivered;
    // the line that broke off there is not.
    Result<std::optional<LineBlock>> next();
    // True when nothing is left to deliver and nothing failed.
    [[nodiscard]] bool isAtEnd() const { return m_atEnd && m_rest.empty(); }
    [[nodiscard]] std::uint64_t bytesConsumed() const { return m_stream->bytesConsumed(); }

private:
    struct Buffer;
    void fill(Buffer& buffer);
    Result<std::optional<LineBlock>> deliver(Buffer buffer, std::size_t lines);
    Result<std::optional<LineBlock>> deliverCut(Buffer buffer);

    std::unique_ptr<ByteStream> m_stream;
    std::size_t m_longestLine;
    std::size_t m_blockSize;
    LineEnds m_ends;
    std::string m_rest; // the start of a line, behind the last block
    std::optional<Error> m_failure;
    bool m_atEnd = false;
    std::uint64_t m_bytesRead = 0; // since the last block
};

// Single lines: LF, CRLF or both, without ANSI escape sequences. A line longer than kMaxLine is cut
// and flagged.
class LineReader {
public:
    static constexpr std::size_t kMaxLine = std::size_t{1} << 20;

    // `blockSize`: bytes read at once.
    explicit LineReader(std::unique_ptr<ByteStream> stream,
        std::size_t blockSize = LineBlocks::kBlock, LineEnds ends = LineEnds::Feeds)
        : m_blocks(std::move(stream), kMaxLine, blockSize, ends)
        , m_ends(ends) { }

    // The next line without its end, valid until the next call; absent at the end.
    Result<std::optional<std::string_view>> next();
    // The last line's, from 1; as editors count, by line feeds.
    [[nodiscard]] std::int64_t lineNumber() const { return m_line; }
    [[nodiscard]] bool lineWasCut() const { return m_wasCut; }
    [[nodiscard]] std::uint64_t bytesConsumed() const { return m_blocks.bytesConsumed(); }

private:
    LineBlocks m_blocks;
    LineEnds m_ends;
    LineBlock m_block;
    std::string_view m_left; // left of the block
    const char* m_feed = nullptr; // the next line feed of the block, or its end
    bool m_isNewLine = true; // the line before ended with a line feed
    std::string m_cleaned;
    std::int64_t m_line = 0;
    bool m_wasCut = false;
};

} // namespace trainscope::importers
