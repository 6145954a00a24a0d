#include "importers/nsys/HostCalls.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_map>

namespace trainscope::importers::nsys {

namespace {

struct CallTable {
    std::string_view name;
    SpanKind kind = SpanKind::Other;
    std::string_view nameColumn = "nameId";
};
constexpr std::array kOtherTables{CallTable{"CUDNN_EVENTS", SpanKind::Annotation},
    CallTable{"CUBLAS_EVENTS", SpanKind::Annotation},
    CallTable{"PROFILER_OVERHEAD", SpanKind::Overhead},
    CallTable{"CUPTI_ACTIVITY_KIND_OVERHEAD", SpanKind::Overhead},
    CallTable{"OSRT_API", SpanKind::Other}, CallTable{"MPI_P2P_EVENTS", SpanKind::Other, "textId"},
    CallTable{"MPI_COLLECTIVES_EVENTS", SpanKind::Other, "textId"},
    CallTable{"MPI_OTHER_EVENTS", SpanKind::Other, "textId"}};

// "cudaLaunchKernel_v7000" is "cudaLaunchKernel" of the interface of CUDA 7.0.
std::string_view withoutVersion(std::string_view name) {
    if (!name.starts_with("cuda"))
        return name;
    const std::size_t mark = name.rfind("_v");
    const bool isVersion = mark != std::string_view::npos && mark + 2 < name.size()
        && std::all_of(name.begin() + static_cast<std::ptrdiff_t>(mark) + 2, name.end(), isDigit);
    return isVersion ? name.substr(0, mark) : name;
}

// Tracks for the calls of one thread.
class ThreadTracks {
public:
    explicit ThreadTracks(Session& session)
        : m_session(session) { }

    void add(std::int64_t thread, const Span& span) {
        if (thread != m_last || m_output == nullptr)
            moveTo(thread);
        m_output->add(m_track, span);
    }

private:
    void moveTo(std::int64_t thread) {
        TrackLabel label;
        label.kind = TrackKind::Thread;
        label.process = std::to_string(processOf(thread));
        label.thread = std::to_string(threadOf(thread));
        m_output = &m_session.outputs().onHost(processOf(thread));
        m_track = m_output->track(label);
        m_last = thread;
    }

    Session& m_session;
    std::int64_t m_last = 0;
    TraceOutput* m_output = nullptr;
    std::size_t m_track = 0;
};

class CallReader {
public:
    explicit CallReader(Session& session)
        : m_session(session)
        , m_tracks(session) { }

    template <typename OnCall>
    Status read(const CallTable& table, const OnCall& onCall) {
        const SpanKind kind = table.kind;
        const std::array<std::string_view, 5> columns{
            "start", "end", "globalTid", table.nameColumn, "correlationId"};
        return m_session.read(table.name, columns, [&](const ForeignRow& row) -> Status {
            const auto times = m_session.rangeOf(row, 0, 1);
            if (!times)
                return {};
            Span span;
            span.start = times->begin;
            span.duration = times->length();
            span.kind = kind;
            span.correlation = kind == SpanKind::Runtime ? row.integer(4, 0) : 0;
            ASSIGN_OR_RETURN(span.name, nameOf(row.integer(3)));
            const std::int64_t thread = row.integer(2, 0);
            m_tracks.add(thread, span);
            onCall(thread, span);
            return {};
        });
    }

private:
    Result<NameId> nameOf(std::optional<std::int64_t> stringId) {
        if (!stringId)
            return m_session.name(stringId);
        if (const auto known = m_names.find(*stringId); known != m_names.end())
            return known->second;
        const auto text = m_session.text(*stringId);
        if (!text)
            return m_session.name(stringId);
        ASSIGN_OR_RETURN(const auto id, m_session.intern(withoutVersion(*text)));
        constexpr std::size_t kMostKept = 200'000;
        if (m_names.size() < kMostKept)
            m_names.emplace(*stringId, id);
        return id;
    }

    Session& m_session;
    ThreadTracks m_tracks;
    std::unordered_map<std::int64_t, NameId> m_names;
};

} // namespace

Status readThreadNames(Session& session) {
    constexpr std::array<std::string_view, 2> kColumns{"globalTid", "nameId"};
    return session.read("ThreadNames", kColumns, [&](const ForeignRow& row) {
        const std::int64_t thread = row.integer(0, 0);
        const auto name = session.text(row.integer(1, -1));
        if (name)
            session.outputs()
                .onHost(processOf(thread))
                .nameThread(
                    std::to_string(processOf(thread)), std::to_string(threadOf(thread)), *name);
        return Status();
    });
}

Status readCudaCalls(Session& session, HostRanges& ranges) {
    CallReader reader(session);
    const bool areThere = !ranges.isEmpty();
    // Very old exports keep the driver apart.
    for (const std::string_view table :
        {"CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_DRIVER"})
        RETURN_IF_ERROR(
            reader.read({table, SpanKind::Runtime}, [&](std::int64_t thread, const Span& span) {
                if (areThere)
                    ranges.launch(processOf(thread), thread, span.start.ns, span.correlation);
            }));
    ranges.sortLaunches();
    return {};
}

Status readOtherCalls(Session& session) {
    CallReader reader(session);
    for (const CallTable& table : kOtherTables)
        RETURN_IF_ERROR(reader.read(table, [](std::int64_t, const Span&) {}));
    return {};
}

} // namespace trainscope::importers::nsys
