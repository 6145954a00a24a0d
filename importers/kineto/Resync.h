#pragma once
// Where reading can go on behind text that is not valid JSON.

namespace trainscope::importers::kineto {

struct ResyncPoint {
    enum class Kind {
        None, // not in this text; position: from where to look when more has been read
        Event, // the opening brace of an event
        Member, // the opening quote of a known member of the top-level object
    };
    Kind kind = Kind::None;
    const char* position = nullptr;
};

// Looks in [from, end), which lies in a text that begins at `begin` and is followed by a zero byte.
// An event is an object whose first key is one of the event format's, and that is no member's
// value.
ResyncPoint findResync(const char* from, const char* end, const char* begin, bool isLastText);

// The opening brace of the last event of [begin, end) behind another event, as far as that can be
// seen; nullptr: none. A zero byte follows the text.
const char* lastEventStart(const char* begin, const char* end);

} // namespace trainscope::importers::kineto
