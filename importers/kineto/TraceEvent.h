#pragma once
// One element of traceEvents as views into the trace's text, and the parser that fills it. Format:
// Chrome's Trace Event Format as libkineto writes it (ph, cat, name, pid, tid, ts, dur, id, args).

#include "importers/common/JsonScanner.h"

#include <vector>

namespace trainscope::importers::kineto {

struct EventField {
    JsonToken key;
    JsonToken value;
};

struct TraceEvent {
    JsonToken ph;
    JsonToken cat;
    JsonToken name;
    JsonToken pid;
    JsonToken tid;
    JsonToken ts; // µs
    JsonToken dur; // µs
    JsonToken id; // a flow's
    std::vector<EventField> args;
    std::vector<JsonToken> ignored; // values of other members
    bool wasRepaired = false; // something in it was passed over

    void clear();
    // The last argument of that name (JSON readers keep the last of duplicate keys), or nullptr.
    [[nodiscard]] const JsonToken* arg(std::string_view key) const;
};

// At the opening brace; leaves the position behind the closing one. Text in the place of a key
// is passed over up to the end of its line. Broken leaves the position where it happened.
Scan parseEvent(JsonScanner& scanner, TraceEvent& event);

} // namespace trainscope::importers::kineto
