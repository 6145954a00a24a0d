#pragma once
// Writers of traces repeat themselves: the events of one category have the same keys, blanks and
// order, and only their values differ. The book learns such shapes from events that were parsed,
// and reads a further event of a shape by comparing what is between the values and scanning only
// these, with the same result as parseEvent(). It changes the cost of reading, never what is read.

#include "importers/kineto/EventPlan.h"
#include "importers/kineto/JsonScanner.h"
#include "importers/kineto/TraceEvent.h"

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace trainscope::importers::kineto {

// The event's keys, ph and cat are views into the book; its values into the text last read.
struct Shape {
    struct Step {
        std::size_t begin = 0; // of the text before a value, in the sample
        std::size_t size = 0;
        JsonToken* value = nullptr; // in the event; nullptr for the text behind the last value
    };

    std::string sample; // and padding
    std::vector<Step> steps;
    TraceEvent event;
    EventPlan plan;
    std::array<Shape*, 3> next{}; // what followed it, the likeliest first
};

class ShapeBook {
public:
    ShapeBook();
    ~ShapeBook();
    ShapeBook(const ShapeBook&) = delete;
    ShapeBook& operator=(const ShapeBook&) = delete;

    // At the opening brace of an event. The shape that was read, or nullptr and the position stays.
    const Shape* read(JsonScanner& scanner);
    // `event` was parsed from `text`, without repair.
    void learn(std::string_view text, const TraceEvent& event, const EventPlan& plan);
    void forget();

private:
    void follow(Shape& shape);
    [[nodiscard]] bool mayLearn() const;

    std::unordered_map<std::string, std::unique_ptr<Shape>> m_shapes; // by what does not vary
    Shape* m_last = nullptr;
    std::array<Shape*, 3> m_first{}; // what to try when nothing was read yet
    std::uint64_t m_reads = 0;
    std::vector<JsonToken*> m_values;
    std::string m_key;
};

} // namespace trainscope::importers::kineto
