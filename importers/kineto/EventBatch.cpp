#include "importers/kineto/EventBatch.h"

#include <cstring>

namespace trainscope::importers::kineto {
namespace {

// The member of the event for a top-level key, or nullptr for keys that nobody reads.
JsonToken* member(TraceEvent& event, std::string_view key) {
    switch (key.size()) {
    case 2:
        return key == "ph" ? &event.ph
            : key == "ts"  ? &event.ts
            : key == "id"  ? &event.id
                           : nullptr;
    case 3:
        return key == "cat" ? &event.cat
            : key == "dur"  ? &event.dur
            : key == "pid"  ? &event.pid
            : key == "tid"  ? &event.tid
            : key == "id2"  ? &event.id
                            : nullptr;
    case 4:
        return key == "name" ? &event.name : nullptr;
    default:
        return nullptr;
    }
}

// Walks the members of the object at the scanner's position.
class ObjectWalk {
public:
    ObjectWalk(JsonScanner& scanner, TraceEvent& event)
        : m_scanner(scanner)
        , m_event(event) { }

    template <typename OnMember>
    Scan run(const OnMember& onMember) {
        m_scanner.advance();
        for (;;) {
            JsonToken key;
            bool isDone = false;
            if (const Scan scan = nextKey(key, isDone); scan != Scan::Ok || isDone)
                return scan;
            if (const Scan scan = onMember(key); scan != Scan::Ok)
                return scan;
            const char c = m_scanner.peek();
            if (c == ',')
                m_scanner.advance();
            else if (c == '\0' && m_scanner.atEnd())
                return Scan::NeedMore;
            else if (c != '}')
                return Scan::Broken;
        }
    }

private:
    Scan nextKey(JsonToken& key, bool& isDone) {
        char c = m_scanner.peek();
        if (c != '"' && c != '}' && !(c == '\0' && m_scanner.atEnd())) {
            if (const Scan scan = skipGarbageLine(); scan != Scan::Ok)
                return scan;
            c = m_scanner.peek();
        }
        if (c == '}') {
            m_scanner.advance();
            isDone = true;
            return Scan::Ok;
        }
        if (c != '"')
            return m_scanner.atEnd() ? Scan::NeedMore : Scan::Broken;
        if (const Scan scan = m_scanner.string(key); scan != Scan::Ok)
            return scan;
        if (m_scanner.peek() != ':')
            return m_scanner.atEnd() ? Scan::NeedMore : Scan::Broken;
        m_scanner.advance();
        return Scan::Ok;
    }

    Scan skipGarbageLine() {
        constexpr std::ptrdiff_t kMaxGarbage = 4096;
        const char* const begin = m_scanner.position();
        const std::ptrdiff_t room = std::min(kMaxGarbage, m_scanner.end() - begin);
        const void* found = std::memchr(begin, '\n', static_cast<std::size_t>(room));
        if (found == nullptr)
            return room < kMaxGarbage ? Scan::NeedMore : Scan::Broken;
        m_event.wasRepaired = true;
        m_scanner.moveTo(static_cast<const char*>(found));
        return Scan::Ok;
    }

    JsonScanner& m_scanner;
    TraceEvent& m_event;
};

Scan parseArgs(JsonScanner& scanner, TraceEvent& event) {
    event.args.clear();
    if (scanner.peek() != '{')
        return scanner.value(event.ignored.emplace_back());
    ObjectWalk walk(scanner, event);
    return walk.run([&](const JsonToken& key) {
        EventField& field = event.args.emplace_back();
        field.key = key;
        return scanner.value(field.value);
    });
}

} // namespace

void TraceEvent::clear() {
    ph = cat = name = pid = tid = ts = dur = id = JsonToken{};
    args.clear();
    ignored.clear();
    wasRepaired = false;
}

const JsonToken* TraceEvent::arg(std::string_view key) const {
    const auto found = std::find_if(
        args.rbegin(), args.rend(), [&](const EventField& field) { return field.key.text == key; });
    return found == args.rend() ? nullptr : &found->value;
}

Scan parseEvent(JsonScanner& scanner, TraceEvent& event) {
    event.clear();
    ObjectWalk walk(scanner, event);
    return walk.run([&](const JsonToken& key) {
        if (key.text == "args")
            return parseArgs(scanner, event);
        JsonToken* target = member(event, key.text);
        return scanner.value(target != nullptr ? *target : event.ignored.emplace_back());
    });
}

} // namespace trainscope::importers::kineto
