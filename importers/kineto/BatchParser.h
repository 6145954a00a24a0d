#pragma once
// Parses the events that stand one behind the other in a piece of a trace's text.

#include "importers/kineto/EventBatch.h"
#include "importers/kineto/RecordMaker.h"
#include "importers/kineto/ShapeBook.h"

#include <cstddef>

namespace trainscope::importers::kineto {

// What it has learned from one piece makes the next faster; the result depends on the text alone.
class BatchParser {
public:
    // Reads [begin + from, end), which is followed by JsonScanner::kPadding zero bytes, up to the
    // first that is not a sound and complete event or the comma behind one: batch.end says where.
    // A batch is limited, so that may also be an event like the others.
    void parse(const char* begin, std::size_t from, const char* end, EventBatch& batch);
    // A batch of that one event, which ends at `end`.
    void take(const TraceEvent& event, std::size_t end, EventBatch& batch);

private:
    bool parseOne(JsonScanner& scanner, const char* begin);

    ShapeBook m_shapes;
    RecordMaker m_maker;
    TraceEvent m_event;
    EventPlan m_plan;
    unsigned m_generation = 0; // of the plans in the book
};

} // namespace trainscope::importers::kineto
