#pragma once
// Events that are no whole spans: begins and ends (ph B, E), counters (C), memory (i), and names of
// threads (M). Bounded: begins beyond kMaxBegun are counted as unpaired.

#include "importers/kineto/EventFacts.h"
#include "importers/kineto/NameCache.h"
#include "importers/kineto/TraceOutput.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trainscope::importers::kineto {

class SideEvents {
public:
    static constexpr std::size_t kMaxBegun = 100'000;

    // A span whose begin and end were both there; its name and detail are still texts.
    struct Ended {
        Span span;
        std::string name;
        std::string detail; // empty: none
        TrackLabel track;
        bool mayWaitForArrow = false;
    };

    explicit SideEvents(TraceOutput& output)
        : m_output(output) { }

    // Counters, memory and names.
    void take(const TraceEvent& event);
    // Both have a time that is a number.
    void begin(const TraceEvent& event);
    std::optional<Ended> end(const TraceEvent& event);
    // Begins and ends without their other half, so far.
    [[nodiscard]] std::int64_t unpaired() const {
        return m_unpaired + static_cast<std::int64_t>(m_begunCount);
    }

private:
    struct Begun {
        std::int64_t start = 0;
        EventKind kind;
        std::string name;
        std::string detail;
    };

    void counter(const TraceEvent& event);
    void memory(const TraceEvent& event);
    void threadName(const TraceEvent& event);
    std::string threadOf(const TraceEvent& event);

    TraceOutput& m_output;
    TextMap<std::vector<Begun>> m_begun; // by thread
    std::size_t m_begunCount = 0;
    std::int64_t m_unpaired = 0;
    std::string m_text;
};

} // namespace trainscope::importers::kineto
