#pragma once
// Reads a Kineto trace as a stream: the members of the top-level object and the elements of its
// traceEvents, or a bare array of events. Memory is one buffer, whatever the size of the file. What
// cannot be understood is reported and passed over up to the next event; a stream that ends early
// is reported, not failed.

#include "core/model/Import.h"
#include "importers/common/Source.h"
#include "importers/kineto/TraceEvent.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace trainscope::importers::kineto {

class TraceReader;

class TraceVisitor {
public:
    TraceVisitor() = default;
    TraceVisitor(const TraceVisitor&) = delete;
    TraceVisitor& operator=(const TraceVisitor&) = delete;
    virtual ~TraceVisitor() = default;

    // A member of the top-level object other than traceEvents.
    virtual void header(std::string_view key, const JsonToken& value) = 0;
    // The views live until the call returns; reader.line() is where it ends. An error ends the
    // reading.
    virtual Status event(const TraceEvent& event, const TraceReader& reader) = 0;
    // Something that was passed over or repaired. skippedEvent: an event was lost with it.
    virtual void broken(std::int64_t line, const std::string& what, bool skippedEvent) = 0;
    // traceEvents has been entered; false ends the reading.
    virtual bool eventsBegin() { return true; }
};

struct ReadResult {
    std::uint64_t bytes = 0; // uncompressed
    bool isTruncated = false;
};

class TraceReader {
public:
    // `bytesTotal`: size on disk, for progress.
    TraceReader(ByteStream& stream, std::uint64_t bytesTotal, std::string_view phase);
    ~TraceReader();
    TraceReader(const TraceReader&) = delete;
    TraceReader& operator=(const TraceReader&) = delete;

    Result<ReadResult> run(TraceVisitor& visitor, const Progress& progress);
    // Of the reading position, from 1. Costs a count over the buffer.
    [[nodiscard]] std::int64_t line() const { return lineAt(m_scanner.position()); }

private:
    enum class State { Start, Members, Events, SkipValue, Resync, After, Finished };
    enum class Step { Done, NeedMore, Broken };

    Step step(TraceVisitor& visitor);
    Step stepStart();
    Step stepMembers(TraceVisitor& visitor);
    Step stepEvents(TraceVisitor& visitor);
    Step stepEvent(TraceVisitor& visitor);
    Step stepSkipValue();
    Step stepResync();
    Step stepAfter(TraceVisitor& visitor);
    Step enterEvents(TraceVisitor& visitor);
    Step headerValue(std::string_view key, TraceVisitor& visitor);

    Result<bool> refill(const Progress& progress);
    void finishTruncated(TraceVisitor& visitor);
    void onBroken(TraceVisitor& visitor);
    [[nodiscard]] std::int64_t lineAt(const char* position) const;

    ByteStream& m_stream;
    std::uint64_t m_bytesTotal;
    std::string m_phase;
    std::string m_buffer; // text, then kPadding zero bytes
    std::size_t m_size = 0; // of the text
    JsonScanner m_scanner;
    TraceEvent m_event;
    State m_state = State::Start;
    bool m_isBareArray = false;
    bool m_sawEnd = false; // the trace was complete
    bool m_streamEnded = false;
    std::string m_streamError;
    std::int64_t m_firstLine = 1; // of the buffer
    mutable std::size_t m_countedTo = 0; // offset up to which lines have been counted
    mutable std::int64_t m_countedLines = 0;
    std::uint64_t m_bytes = 0;
    int m_skipDepth = 0;
    Status m_status;
    ReadResult m_result;
};

} // namespace trainscope::importers::kineto
