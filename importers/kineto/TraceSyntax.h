#pragma once
// The text of a trace, taken piece by piece: the members of the top-level object and the elements
// of its traceEvents, or a bare array of events. Holds one piece and what was incomplete before it.
// Broken text is reported and passed over up to the next event.

#include "core/parallel/WorkerPool.h"
#include "importers/common/Importer.h"
#include "importers/common/Source.h"
#include "importers/kineto/BatchParser.h"

namespace trainscope::importers::kineto {

class TraceSyntax;

class TraceVisitor {
public:
    TraceVisitor() = default;
    TraceVisitor(const TraceVisitor&) = delete;
    TraceVisitor& operator=(const TraceVisitor&) = delete;
    virtual ~TraceVisitor() = default;

    // A member of the top-level object other than traceEvents.
    virtual void header(std::string_view key, const JsonToken& value) = 0;
    // The next events. The views live until the call returns; text.lineAt() knows the batch's
    // offsets. An error ends the reading.
    virtual Status events(const EventBatch& batch, const TraceSyntax& text) = 0;
    // Something that was passed over or repaired. skippedEvent: an event was lost with it.
    virtual void broken(std::int64_t line, const std::string& what, bool skippedEvent) = 0;
};

class TraceSyntax {
public:
    TraceSyntax();
    TraceSyntax(const TraceSyntax&) = delete;
    TraceSyntax& operator=(const TraceSyntax&) = delete;

    // Takes the piece's text, and its batch where the text so far ends between events.
    void feed(TracePiece& piece, TraceVisitor& visitor);
    // There is no more. `problem`: why the stream broke; empty: it did not.
    void finish(const std::string& problem, TraceVisitor& visitor);

    // Nothing more is wanted: the visitor failed, or the text is finished.
    [[nodiscard]] bool isDone() const { return m_state == State::Finished || !m_status.hasValue(); }
    [[nodiscard]] const Status& status() const { return m_status; }
    [[nodiscard]] bool isTruncated() const { return m_isTruncated; }
    // Line of that offset in the batch at hand, from 1. Costs a count over the piece.
    [[nodiscard]] std::int64_t lineAt(std::size_t offset) const {
        return lineAt(m_buffer.data() + offset);
    }

private:
    enum class State { Start, Members, Events, SkipValue, Resync, After, Finished };

    void append(TracePiece& piece);
    void readBuffer(TraceVisitor& visitor);
    Scan step(TraceVisitor& visitor);
    Scan stepStart();
    Scan stepMembers(TraceVisitor& visitor);
    Scan stepEvents(TraceVisitor& visitor);
    Scan stepEvent(TraceVisitor& visitor);
    bool takeEvents(TraceVisitor& visitor);
    Scan stepSkipValue();
    Scan stepResync();
    Scan stepAfter(TraceVisitor& visitor);
    Scan headerValue(std::string_view key, TraceVisitor& visitor);

    bool findFurther(TraceVisitor& visitor);
    void onBroken(TraceVisitor& visitor);
    [[nodiscard]] std::int64_t lineAt(const char* position) const;

    std::string m_buffer; // text, then JsonScanner::kPadding zero bytes
    std::size_t m_size = 0; // size of the text
    std::size_t m_patience = 0; // size from which an incomplete item is tried again
    JsonScanner m_scanner;
    BatchParser m_parser;
    EventBatch m_batch;
    TraceEvent m_event;
    State m_state = State::Start;
    bool m_isBareArray = false;
    bool m_sawEnd = false; // the trace was complete
    bool m_isLast = false;
    bool m_sawText = false;
    std::int64_t m_firstLine = 1; // the buffer's
    std::int64_t m_lines = -1; // newlines in the buffer, -1: not counted
    mutable std::size_t m_countedTo = 0; // offset up to which lines have been counted
    mutable std::int64_t m_countedLines = 0;
    int m_skipDepth = 0;
    bool m_isTruncated = false;
    Status m_status;
};

// Reads a Kineto trace as a stream. Memory is a few pieces of text, whatever the size of the file;
// a stream that ends early is reported, not failed.
//
// Pieces are parsed ahead, on a pool, as if each began with an event. If the reading, which is
// sequential, arrives at a piece in such a state, the work is done already; everything else, text
// that is broken above all, it reads itself. The visitor's events depend on the text alone.

struct ReadResult {
    std::uint64_t bytes = 0; // uncompressed
    bool isTruncated = false;
};

// Gives the events of a trace that is no text of Chrome's to the visitor, behind its base time.
using ReadEvents
    = std::function<Result<ReadResult>(TraceVisitor& visitor, const Progress& progress)>;
// Such a trace as a Kineto trace is imported.
Result<ImportReport> importEvents(const SourceTree& tree, const ImportUnit& unit, Sink& sink,
    const Progress& progress, const ReadEvents& read);

class TraceReader {
public:
    static constexpr std::size_t kPiece = std::size_t{1} << 20;
    static constexpr std::size_t kSmallPiece = std::size_t{64} << 10;

    // `bytesTotal`: size on disk, for progress. `pool`: for parsing ahead; nullptr: nothing is read
    // ahead.
    TraceReader(ByteStream& stream, std::uint64_t bytesTotal, std::string_view phase,
        WorkerPool* pool, std::size_t pieceSize = kPiece);
    TraceReader(const TraceReader&) = delete;
    TraceReader& operator=(const TraceReader&) = delete;

    Result<ReadResult> run(TraceVisitor& visitor, const Progress& progress);

private:
    using Piece = std::shared_ptr<TracePiece>;

    Status readAll(TraceVisitor& visitor, const Progress& progress);
    void take(Piece&& piece, TraceVisitor& visitor);
    Piece emptyPiece();

    ByteStream& m_stream;
    std::uint64_t m_bytesTotal;
    std::string m_phase;
    WorkerPool* m_pool;
    PieceReader m_pieces;
    TraceSyntax m_text;
    std::vector<Piece> m_emptyPieces;
};

} // namespace trainscope::importers::kineto
