#pragma once
// From the events of a trace to spans, series and iterations, with the counts of the report. One
// mapper reads one trace; times stay relative to the trace's base.

#include "importers/common/ExecutionTrace.h"
#include "importers/kineto/EventBatch.h"
#include "importers/kineto/SideEvents.h"
#include "importers/kineto/TraceProbe.h"
#include "importers/kineto/TraceSyntax.h"
#include "importers/trace/StringTable.h"
#include "importers/trace/TraceOutput.h"

namespace trainscope::importers::kineto {

class EventMapper final : public TraceVisitor {
public:
    // `onFull` writes what is held back and is called between batches.
    EventMapper(Sink& sink, TraceOutput& output, ImportReport& report, std::string file,
        std::function<Status()> onFull);

    // Operators of an execution trace; must outlive the mapper's work.
    void setOperators(OperatorDetails* operators) { m_operators = operators; }

    void header(std::string_view key, const JsonToken& value) override;
    Status events(const EventBatch& batch, const TraceSyntax& text) override;
    void broken(std::int64_t line, const std::string& what, bool skippedEvent) override;

    // Adds what waited for the end of the trace, and the counts to the report.
    void finish();

    [[nodiscard]] std::vector<analysis::AllocatorRecord> memoryRecords(DurationNs base) {
        return m_sideEvents.memoryRecords(base);
    }
    [[nodiscard]] const TraceHeader& traceHeader() const { return m_header; }
    [[nodiscard]] std::int64_t eventCount() const { return m_events; }
    // Start of the first span; absent before there is one.
    [[nodiscard]] std::optional<TimeNs> firstTime() const { return m_firstTime; }

private:
    // A text of the batch at hand, once it was asked for.
    struct Name {
        NameId id;
        std::optional<std::int64_t> iteration; // "ProfilerStep#3"
        bool isLaunch = false; // "cudaLaunchKernel"
        analysis::CollectiveKind range = analysis::CollectiveKind::Other; // "nccl:all_to_all"
        bool isUntold = false; // a kernel that does not say what it does
    };

    void count(const EventBatch& batch);
    void tell(const EventRecord& record, const TraceSyntax& text);
    bool isTimeless(const EventRecord& record) const;
    void look(const EventBatch& batch);
    void addHeld();
    Status take(const EventRecord& record, const EventBatch& batch, const TraceSyntax& text);
    Status addRecord(const EventRecord& record, const EventBatch& batch);
    Result<NameId> detailOf(const EventRecord& record, const EventBatch& batch);
    void takeArrow(const EventRecord& record);
    Status takeEdge(const EventRecord& record, const EventBatch& batch);
    void count(const Span& span);
    void addSpan(std::size_t track, const Span& span, const EventRecord& record,
        const std::optional<std::int64_t>& iteration);
    Status addEnded(const TraceEvent& event, const EventRecord& record, const TraceSyntax& text);
    Result<const Name*> nameAt(const EventBatch& batch, std::uint32_t index);
    std::size_t trackAt(const EventBatch& batch, std::uint32_t index);
    void joinExternals();
    void addCollectives();

    Sink& m_sink;
    TraceOutput& m_output;
    ImportReport& m_report;
    std::string m_file;
    std::function<Status()> m_onFull;
    OperatorDetails* m_operators = nullptr;
    FlowJoin m_flows;
    FlowJoin m_autograd; // operators', while none of them has a sequence number
    // One end of an edge of a graph: the end of what is waited for, or the begin of what waits.
    struct EdgeEnd {
        bool isBegin = false;
        TrackLabel track;
        TimeNs time;
    };
    std::unordered_map<std::int64_t, EdgeEnd> m_edges; // those that came first, by id
    ExternalJoin m_externals;
    CollectiveJoin m_collectives;
    bool m_hasSequences = false;
    SideEvents m_sideEvents;
    TraceHeader m_header;
    std::vector<Name> m_batchNames; // by their number in the batch
    std::vector<std::size_t> m_batchTracks;
    TextMap<std::int64_t> m_categories;
    std::array<std::int64_t, 129> m_phases{};
    std::int64_t m_events = 0;
    std::int64_t m_unusable = 0;
    std::int64_t m_withoutDuration = 0;
    std::int64_t m_negativeDurations = 0;
    std::int64_t m_kernels = 0;
    std::int64_t m_launches = 0;
    std::optional<TimeNs> m_firstTime;
    bool m_isFarFromZero = false; // more than a day
    bool m_isNearZero = false; // a span begins behind 0, within a day
    struct AtZero {
        std::size_t track = 0;
        Span span;
        EventRecord record;
        std::optional<std::int64_t> iteration;
    };
    std::vector<AtZero> m_atZero; // until others show where the trace begins
};

} // namespace trainscope::importers::kineto
