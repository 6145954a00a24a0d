#include "importers/kineto/BatchParser.h"

namespace trainscope::importers::kineto {

namespace {

constexpr std::size_t kMaxRecords = 50'000;

} // namespace

void BatchParser::parse(const char* begin, std::size_t from, const char* end, EventBatch& batch) {
    m_maker.begin(batch);
    if (m_generation != m_maker.generation())
        m_shapes.forget();
    m_generation = m_maker.generation();
    JsonScanner scanner(begin + from, end);
    while (batch.records.size() < kMaxRecords) {
        while (scanner.peek() == ',')
            scanner.advance();
        if (*scanner.position() != '{' || !parseOne(scanner, begin))
            break;
    }
    batch.end = static_cast<std::size_t>(scanner.position() - begin);
}

bool BatchParser::parseOne(JsonScanner& scanner, const char* begin) {
    const char* const event = scanner.position();
    const auto offset = [&] { return static_cast<std::size_t>(scanner.position() - begin); };
    if (const Shape* shape = m_shapes.read(scanner); shape != nullptr) {
        m_maker.add(shape->event, shape->plan, offset());
        return true;
    }
    if (parseEvent(scanner, m_event) != Scan::Ok || m_event.wasRepaired) {
        scanner.moveTo(event);
        return false;
    }
    m_maker.plan(m_event, m_plan);
    m_maker.add(m_event, m_plan, offset());
    // Events that are handed on whole must not have views into the book.
    if (!RecordMaker::isTakenWhole(m_plan.phase))
        m_shapes.learn({event, scanner.position()}, m_event, m_plan);
    return true;
}

void BatchParser::take(const TraceEvent& event, std::size_t end, EventBatch& batch) {
    m_maker.begin(batch);
    m_maker.plan(event, m_plan);
    m_maker.add(event, m_plan, end);
}

} // namespace trainscope::importers::kineto
