#include "importers/common/FileLines.h"

#include "core/model/Try.h"
#include "importers/common/TextCleaning.h"

#include <cstring>

namespace trainscope::importers {

Result<bool> readLines(const SourceTree& tree, const std::string& path, std::string_view phase,
    const Progress& progress, ImportReport& report,
    const std::function<Status(std::string_view line, std::int64_t number)>& visit) {
    constexpr std::int64_t kLinesPerReport = 2048;
    ASSIGN_OR_RETURN(auto stream, tree.open(path));
    LineReader lines(std::move(stream));
    while (true) {
        if (lines.lineNumber() % kLinesPerReport == 0 && progress
            && !progress({phase, lines.bytesConsumed(), tree.sizeOf(path)}))
            return cancelled();
        const auto line = lines.next();
        if (!line.hasValue())
            report.lost(path, lines.lineNumber(), line.error().message);
        if (!line.hasValue() || !line.value())
            return line.hasValue();
        report.bytes += line.value()->size() + 1;
        RETURN_IF_ERROR(visit(*line.value(), lines.lineNumber()));
    }
}

std::vector<std::string> linesOfHead(std::string_view head, std::size_t most) {
    constexpr std::size_t kLongestLine = 8192; // a header, or a row that is guessed from
    const bool isCut = head.size() >= kHeadOfLines;
    std::vector<std::string> lines;
    const std::string_view looked = head.substr(0, kHeadOfLines);
    LineReader reader(memoryStream(looked), looked.size() + 1);
    while (lines.size() < most) {
        const auto line = reader.next();
        if (!line.hasValue() || !line.value())
            break;
        lines.emplace_back(line.value()->size() <= kLongestLine ? *line.value() : "");
    }
    if (isCut && lines.size() > 1 && lines.size() < most)
        lines.pop_back();
    return lines;
}

Result<ObjectsRead> readObjects(const SourceTree& tree, const std::string& path,
    std::vector<std::string_view> paths, std::string_view phase, const Progress& progress,
    const std::function<Result<bool>(const JsonPaths::Found&)>& visit) {
    constexpr std::int64_t kObjectsPerReport = 1024;
    ASSIGN_OR_RETURN(auto stream, tree.open(path));
    JsonPaths objects(*stream, std::move(paths));
    ObjectsRead read;
    for (std::int64_t count = 1;; ++count) {
        const auto found = objects.next();
        read.bytes = objects.bytes();
        read.leftOut = objects.leftOut();
        if (!found.hasValue())
            read.problem = found.error().message;
        if (!found.hasValue() || !found.value())
            return read;
        ASSIGN_OR_RETURN(const bool goesOn, visit(*found.value()));
        if (!goesOn)
            return read;
        if (count % kObjectsPerReport == 0 && progress
            && !progress({phase, stream->bytesConsumed(), tree.sizeOf(path)}))
            return cancelled();
    }
}

Status readFiles(const SourceTree& tree, std::string_view phase, const Progress& progress,
    const std::function<Status(const SourceFile&)>& visit) {
    ProgressState state{phase};
    for (const SourceFile& file : tree.files())
        state.bytesTotal += file.size;
    for (const SourceFile& file : tree.files()) {
        if (progress && !progress(state))
            return cancelled();
        RETURN_IF_ERROR(visit(file));
        state.bytesDone += file.size;
    }
    return {};
}

struct LineBlocks::Buffer {
    std::unique_ptr<char[]> bytes; // `room` and kPadding
    std::size_t size = 0;
    std::size_t room = 0;

    Buffer(std::string_view start, std::size_t more)
        : bytes(std::make_unique_for_overwrite<char[]>(start.size() + more + kPadding))
        , size(start.size())
        , room(start.size() + more) {
        std::copy(start.begin(), start.end(), bytes.get());
    }
    [[nodiscard]] std::string_view text() const { return {bytes.get(), size}; }
};

LineBlocks::LineBlocks(std::unique_ptr<ByteStream> stream, std::size_t longestLine,
    std::size_t blockSize, LineEnds ends)
    : m_stream(asUtf8(std::move(stream)))
    , m_longestLine(longestLine)
    , m_blockSize(blockSize)
    , m_ends(ends) { }

// Until the buffer is full, the stream ends or fails.
void LineBlocks::fill(Buffer& buffer) {
    while (buffer.size < buffer.room && !m_atEnd && !m_failure) {
        const auto free = std::span(buffer.bytes.get() + buffer.size, buffer.room - buffer.size);
        const auto count = m_stream->read(std::as_writable_bytes(free));
        if (!count.hasValue()) {
            m_failure = count.error();
            return;
        }
        m_atEnd = count.value() == 0;
        buffer.size += count.value();
        m_bytesRead += count.value();
    }
}

Result<std::optional<LineBlock>> LineBlocks::next() {
    std::string rest = std::exchange(m_rest, {});
    while (true) {
        Buffer buffer(rest, m_blockSize);
        fill(buffer);
        const void* lastEnd = memrchr(buffer.bytes.get(), '\n', buffer.size);
        if (lastEnd == nullptr && m_ends == LineEnds::FeedsAndReturns)
            lastEnd = memrchr(buffer.bytes.get(), '\r', buffer.size);
        if (lastEnd != nullptr) {
            const auto lines = static_cast<const char*>(lastEnd) - buffer.bytes.get() + 1;
            return deliver(std::move(buffer), static_cast<std::size_t>(lines));
        }
        // The start of a line whose rest cannot be read is no line: its last number may be cut.
        if (m_failure)
            return *m_failure;
        if (buffer.size > m_longestLine)
            return deliverCut(std::move(buffer));
        if (m_atEnd && buffer.size == 0)
            return std::optional<LineBlock>{};
        if (m_atEnd) {
            buffer.bytes[buffer.size++] = '\n';
            const std::size_t size = buffer.size;
            auto last = deliver(std::move(buffer), size);
            if (last.hasValue() && last.value())
                last.value()->endsOpen = true;
            return last;
        }
        rest = buffer.text();
    }
}

Result<std::optional<LineBlock>> LineBlocks::deliver(Buffer buffer, std::size_t lines) {
    m_rest = buffer.text().substr(lines);
    std::memset(buffer.bytes.get() + buffer.size, 0, kPadding - 1);
    return std::optional(LineBlock{std::move(buffer.bytes), lines, false, false,
        m_stream->bytesConsumed(), std::exchange(m_bytesRead, 0)});
}

// Keeps the start of a line that is too long and forgets what follows, up to its end.
Result<std::optional<LineBlock>> LineBlocks::deliverCut(Buffer buffer) {
    std::size_t lineEnd = std::string_view::npos;
    Buffer more({}, kBlock);
    while (lineEnd == std::string_view::npos && !m_atEnd) {
        more.size = 0;
        fill(more);
        if (m_failure)
            return *m_failure;
        lineEnd = m_ends == LineEnds::Feeds ? more.text().find('\n')
                                            : more.text().find_first_of("\r\n");
    }
    if (lineEnd != std::string_view::npos)
        m_rest = more.text().substr(lineEnd + 1);
    buffer.bytes[m_longestLine] = '\n';
    return std::optional(LineBlock{std::move(buffer.bytes), m_longestLine + 1, true, false,
        m_stream->bytesConsumed(), std::exchange(m_bytesRead, 0)});
}

Result<std::optional<std::string_view>> LineReader::next() {
    if (m_left.empty()) {
        ASSIGN_OR_RETURN(auto block, m_blocks.next());
        if (!block)
            return std::optional<std::string_view>{};
        m_block = std::move(*block);
        m_left = m_block.text();
        m_feed = nullptr;
    }
    if (m_feed < m_left.data() || m_feed > m_left.data() + m_left.size())
        m_feed = m_left.data() + std::min(m_left.find('\n'), m_left.size());
    std::string_view line(m_left.data(), static_cast<std::size_t>(m_feed - m_left.data()));
    if (m_ends == LineEnds::FeedsAndReturns)
        line = line.substr(0, line.find('\r'));
    m_left.remove_prefix(std::min(line.size() + 1, m_left.size()));
    m_line += std::exchange(m_isNewLine, m_left.data() == m_feed + 1) ? 1 : 0;
    m_wasCut = m_block.isCut || line.size() > kMaxLine;
    line = line.substr(0, kMaxLine);
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    if (line.find('\x1b') == std::string_view::npos)
        return std::optional(line);
    m_cleaned = withoutEscapes(line);
    return std::optional<std::string_view>(m_cleaned);
}

} // namespace trainscope::importers
