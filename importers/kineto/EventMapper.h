#pragma once
// From trace events to spans, series and iterations, with the counts of the report. One mapper
// reads one trace; times stay relative to the trace's base.

#include "importers/kineto/EventKinds.h"
#include "importers/kineto/FlowJoin.h"
#include "importers/kineto/NameCache.h"
#include "importers/kineto/TraceHeader.h"
#include "importers/kineto/TraceOutput.h"
#include "importers/kineto/TraceReader.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace trainscope::importers::kineto {

class EventMapper final : public TraceVisitor {
public:
    // `onFull` writes what is held back and is called between events.
    EventMapper(Sink& sink, TraceOutput& output, ImportReport& report, std::string file,
        std::function<Status()> onFull);

    void header(std::string_view key, const JsonToken& value) override;
    Status event(const TraceEvent& event, const TraceReader& reader) override;
    void broken(std::int64_t line, const std::string& what, bool skippedEvent) override;

    // Adds what waited for the end of the trace, and the counts to the report.
    Status finish();

    [[nodiscard]] const TraceHeader& traceHeader() const { return m_header; }
    [[nodiscard]] std::int64_t eventCount() const { return m_events; }
    // Start of the first span; absent before there is one.
    [[nodiscard]] std::optional<TimeNs> firstTime() const { return m_firstTime; }

private:
    struct Category {
        std::string name;
        EventKind kind;
        std::int64_t count = 0;
    };
    // A begun event (ph B) that waits for its end.
    struct Begun {
        TimeNs start;
        std::size_t category = 0;
        std::string name;
        NameId detail;
    };

    std::size_t categoryOf(const JsonToken& token);
    void countPhase(const JsonToken& token);
    Status complete(const TraceEvent& event, const TraceReader& reader, std::size_t category);
    Status begin(const TraceEvent& event, const TraceReader& reader, std::size_t category);
    Status end(const TraceEvent& event, const TraceReader& reader);
    void counter(const TraceEvent& event);
    void memoryInstant(const TraceEvent& event);
    void metadata(const TraceEvent& event);
    void flow(const TraceEvent& event, std::size_t category);
    Status addSpan(const TraceEvent& event, std::size_t category, Span span, std::string_view name);
    void noteIteration(std::string_view name, SpanKind kind, const Span& span);
    std::size_t trackOf(const TraceEvent& event, const EventKind& kind);
    Result<NameId> detailOf(const TraceEvent& event, SpanKind kind);
    bool isDetail(SpanKind kind, std::string_view key);
    DurationNs durationOf(const TraceEvent& event, const TraceReader& reader);
    Status skip(const TraceReader& reader, std::string what);

    TraceOutput& m_output;
    ImportReport& m_report;
    std::string m_file;
    std::function<Status()> m_onFull;
    NameCache m_names;
    FlowJoin m_flows;
    TraceHeader m_header;
    std::vector<Category> m_categories;
    std::size_t m_lastCategory = 0;
    std::array<std::int64_t, 128> m_phases{};
    std::int64_t m_otherPhases = 0;
    std::array<TextMap<bool>, 16> m_detailKeys; // by SpanKind
    TextMap<std::vector<Begun>> m_begun;
    std::size_t m_begunCount = 0;
    std::int64_t m_events = 0;
    std::int64_t m_unusable = 0;
    std::int64_t m_withoutDuration = 0;
    std::int64_t m_negativeDurations = 0;
    std::int64_t m_unpaired = 0;
    std::int64_t m_kernels = 0;
    std::optional<TimeNs> m_firstTime;
    std::string m_detail;
    std::string m_text;
    std::string m_pidText;
    std::string m_tidText;
};

} // namespace trainscope::importers::kineto
