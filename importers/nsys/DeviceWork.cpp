#include "importers/nsys/DeviceWork.h"

#include "core/model/Try.h"
#include "importers/trace/DetailText.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <utility>

namespace trainscope::importers::nsys {

namespace {

// Columns that all tables of device work begin with.
struct Work {
    enum Column : int { kStart, kEnd, kDevice, kContext, kStream, kCorrelation, kProcess, kOwn };
};

using Columns = std::vector<std::string_view>;

Columns columnsWith(std::initializer_list<std::string_view> own) {
    Columns columns{
        "start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid"};
    columns.insert(columns.end(), own);
    return columns;
}

// Names of ENUM_CUDA_MEMCPY_OPER, in the words of PyTorch's traces.
std::string_view directionOf(std::int64_t copyKind) {
    constexpr std::array<std::string_view, 14> kNames{"", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
        "AtoD", "DtoA", "DtoD", "HtoH", "PtoP", "HtoD", "DtoH", "DtoD"};
    return copyKind >= 0 && copyKind < static_cast<std::int64_t>(kNames.size())
        ? kNames[static_cast<std::size_t>(copyKind)]
        : std::string_view();
}

bool isUnified(std::int64_t copyKind) {
    return copyKind >= 11 && copyKind <= 13;
}

// Names of ENUM_CUDA_MEM_KIND.
std::string_view memoryOf(std::optional<std::int64_t> kind) {
    constexpr std::array<std::string_view, 7> kNames{
        "Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static"};
    return kind && *kind >= 0 && *kind < static_cast<std::int64_t>(kNames.size())
        ? kNames[static_cast<std::size_t>(*kind)]
        : std::string_view();
}

// Names of ENUM_CUPTI_SYNC_TYPE.
std::string_view synchronisationOf(std::int64_t type) {
    constexpr std::array<std::string_view, 5> kNames{
        "Sync", "Event Sync", "Stream Wait Event", "Stream Sync", "Context Sync"};
    return type >= 0 && type < static_cast<std::int64_t>(kNames.size())
        ? kNames[static_cast<std::size_t>(type)]
        : kNames[0];
}

std::string copyName(std::int64_t kind, std::string_view from, std::string_view to) {
    std::string name = isUnified(kind) ? "Unified memory copy" : "Memcpy";
    if (const auto direction = directionOf(kind); !direction.empty())
        name.append(" ").append(direction);
    if (!from.empty() && !to.empty())
        name.append(" (").append(from).append(" -> ").append(to).append(")");
    return name;
}

// Device and stream of a span, and what they are called.
struct Place {
    std::int64_t process = 0;
    int device = 0;
    std::string stream;
    std::size_t track = 0; // of the process's output
    TraceOutput* output = nullptr;
};

class DeviceReader {
public:
    DeviceReader(Session& session, NvtxFindings& nvtx)
        : m_session(session)
        , m_nvtx(nvtx) { }

    Result<DeviceFindings> run() {
        RETURN_IF_ERROR(readKernels());
        RETURN_IF_ERROR(readCopies());
        RETURN_IF_ERROR(readSets());
        RETURN_IF_ERROR(readGraphs());
        RETURN_IF_ERROR(readSynchronisation());
        RETURN_IF_ERROR(project());
        return m_findings;
    }

private:
    Status readKernels() {
        // Names: the demangled one, or what older exports have.
        const auto& database = m_session.database();
        const std::string_view table = "CUPTI_ACTIVITY_KIND_KERNEL";
        m_hasDemangled = database.hasColumn(table, "demangledName");
        const Columns columns = columnsWith({m_hasDemangled ? "demangledName" : "name", "shortName",
            "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ", "registersPerThread",
            "staticSharedMemory", "dynamicSharedMemory", "graphNodeId"});
        return m_session.read(table, columns, [&](const ForeignRow& row) { return kernel(row); });
    }

    Status kernel(const ForeignRow& row) {
        enum Own : int { kName = Work::kOwn, kShortName, kGrid, kBlock = kGrid + 3 };
        constexpr int kGraphNode = kBlock + 6;
        Span span;
        std::uint32_t range = HostRange::kNone;
        ASSIGN_OR_RETURN(const Place* place, begin(row, SpanKind::Kernel, span, range));
        if (place == nullptr)
            return {};
        auto name = row.integer(kName);
        if (!name)
            name = row.integer(kShortName);
        ASSIGN_OR_RETURN(span.name, m_session.name(name));
        const bool isCollective = isNccl(span.name, name);
        ASSIGN_OR_RETURN(span.detail, kernelDetail(row, kGrid, isCollective, name, range));
        place->output->add(place->track, span);
        ++m_findings.kernels;
        m_findings.graphKernels
            += row.isNull(kGraphNode) || row.integer(kGraphNode, 0) == 0 ? 0 : 1;
        m_findings.collectives += isCollective ? 1 : 0;
        return {};
    }

    bool isNccl(NameId name, std::optional<std::int64_t> stringId) {
        const auto known = m_isNccl.find(name.value);
        if (known != m_isNccl.end())
            return known->second;
        const bool is = stringId && isNcclKernel(m_session.text(*stringId).value_or(""));
        m_isNccl.emplace(name.value, is);
        return is;
    }

    Result<NameId> kernelDetail(const ForeignRow& row, int grid, bool isCollective,
        std::optional<std::int64_t> name, std::uint32_t range) {
        constexpr std::size_t kNumbers = 9;
        std::array<std::int64_t, kNumbers> numbers{};
        std::string key;
        for (std::size_t i = 0; i < kNumbers; ++i) {
            numbers[i] = row.integer(grid + static_cast<int>(i), 0);
            key.append(reinterpret_cast<const char*>(&numbers[i]), sizeof(std::int64_t));
        }
        const auto call = isCollective && range != HostRange::kNone ? m_nvtx.ranges.callOf(range)
                                                                    : std::nullopt;
        if (!call) {
            if (const auto known = m_details.find(key); known != m_details.end())
                return known->second;
        }
        if (call) {
            ++m_findings.describedCollectives;
            const std::string text(
                name ? m_session.text(*name).value_or(std::string_view()) : std::string_view());
            appendCollective(*call, text,
                m_nvtx.communicators[processOf(row.integer(Work::kProcess, 0))], m_detail);
        }
        const std::span all(numbers);
        m_detail.add("grid", all.subspan(0, 3)).add("block", all.subspan(3, 3));
        m_detail.add("registers per thread", numbers[6]);
        m_detail.add("shared memory", numbers[7] + numbers[8]);
        ASSIGN_OR_RETURN(const auto id, m_session.intern(m_detail.take()));
        if (!call && m_details.size() < kMostKept)
            m_details.emplace(std::move(key), id);
        return id;
    }

    Status readCopies() {
        const Columns columns = columnsWith({"bytes", "copyKind", "srcKind", "dstKind"});
        return m_session.read(
            "CUPTI_ACTIVITY_KIND_MEMCPY", columns, [&](const ForeignRow& row) -> Status {
                ++m_findings.copies;
                return moved(row, SpanKind::Copy,
                    copyName(row.integer(Work::kOwn + 1, 0), memoryOf(row.integer(Work::kOwn + 2)),
                        memoryOf(row.integer(Work::kOwn + 3))));
            });
    }

    Status readSets() {
        const Columns columns = columnsWith({"bytes", "memKind"});
        return m_session.read(
            "CUPTI_ACTIVITY_KIND_MEMSET", columns, [&](const ForeignRow& row) -> Status {
                ++m_findings.sets;
                const auto memory = memoryOf(row.integer(Work::kOwn + 1));
                return moved(row, SpanKind::Set,
                    "Memset (" + std::string(memory.empty() ? "Unknown" : memory) + ")");
            });
    }

    Status moved(const ForeignRow& row, SpanKind kind, const std::string& name) {
        Span span;
        std::uint32_t range = HostRange::kNone;
        ASSIGN_OR_RETURN(const Place* place, begin(row, kind, span, range));
        if (place == nullptr)
            return {};
        ASSIGN_OR_RETURN(span.name, m_session.intern(name));
        if (const auto bytes = row.integer(Work::kOwn)) {
            m_detail.add("bytes", *bytes);
            ASSIGN_OR_RETURN(span.detail, m_session.intern(m_detail.take()));
        }
        place->output->add(place->track, span);
        return {};
    }

    // With --cuda-graph-trace=graph the kernels of a graph are not traced one by one.
    Status readGraphs() {
        const Columns columns = columnsWith({"graphId", "graphExecId"});
        return m_session.read(
            "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", columns, [&](const ForeignRow& row) -> Status {
                Span span;
                std::uint32_t range = HostRange::kNone;
                ASSIGN_OR_RETURN(const Place* place, begin(row, SpanKind::Kernel, span, range));
                if (place == nullptr)
                    return {};
                ASSIGN_OR_RETURN(span.name,
                    m_session.intern("CUDA graph " + std::to_string(row.integer(Work::kOwn, 0))));
                place->output->add(place->track, span);
                ++m_findings.graphs;
                return {};
            });
    }

    Status readSynchronisation() {
        const Columns columns = columnsWith({"syncType"});
        return m_session.read(
            "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", columns, [&](const ForeignRow& row) -> Status {
                const auto times = m_session.rangeOf(row, Work::kStart, Work::kEnd);
                if (!times)
                    return {};
                Span span;
                span.start = times->begin;
                span.duration = times->length();
                span.kind = SpanKind::Sync;
                span.correlation = row.integer(Work::kCorrelation, 0);
                ASSIGN_OR_RETURN(
                    span.name, m_session.intern(synchronisationOf(row.integer(Work::kOwn, 0))));
                const Place& place = placeOf(row, TrackKind::Other);
                place.output->add(place.track, span);
                return {};
            });
    }

    // Fills what all spans of work have, and widens the range that it was launched in. nullptr: the
    // row has no time.
    Result<const Place*> begin(
        const ForeignRow& row, SpanKind kind, Span& span, std::uint32_t& range) {
        const auto times = m_session.rangeOf(row, Work::kStart, Work::kEnd);
        if (!times)
            return static_cast<const Place*>(nullptr);
        span.start = times->begin;
        span.duration = times->length();
        span.kind = kind;
        span.correlation = row.integer(Work::kCorrelation, 0);
        const Place& place = placeOf(row, TrackKind::Stream);
        range = m_nvtx.ranges.work(place.process, span.correlation);
        if (range != HostRange::kNone)
            m_nvtx.ranges.extend(range, m_lastPlace, times->begin.ns, times->end.ns);
        return &place;
    }

    const Place& placeOf(const ForeignRow& row, TrackKind kind) {
        const auto global = row.integer(Work::kProcess);
        const std::int64_t process = global ? processOf(*global) : -1;
        const std::array<std::int64_t, 5> key{process, row.integer(Work::kDevice, 0),
            row.integer(Work::kContext, 0), row.integer(Work::kStream, 0),
            static_cast<std::int64_t>(kind)};
        if (m_lastPlace < m_places.size() && m_lastKey == key)
            return m_places[m_lastPlace];
        m_lastKey = key;
        const auto [found, isNew]
            = m_placeIndex.try_emplace(key, static_cast<std::uint32_t>(m_places.size()));
        m_lastPlace = found->second;
        if (isNew)
            m_places.push_back(newPlace(key, kind, global.has_value()));
        return m_places[m_lastPlace];
    }

    Place newPlace(const std::array<std::int64_t, 5>& key, TrackKind kind, bool hasProcess) {
        Place place;
        place.process = key[0];
        place.device = static_cast<int>(std::clamp<std::int64_t>(key[1], -1, 1'000'000));
        place.stream = std::to_string(key[3]);
        // Streams are numbered anew in each context; most processes have one on a GPU.
        const auto [first, isFirst] = m_firstContext.try_emplace(std::pair(key[0], key[1]), key[2]);
        if (!isFirst && first->second != key[2])
            place.stream += " of context " + std::to_string(key[2]);
        place.output
            = &m_session.outputs().onGpu(hasProcess ? std::optional(place.process) : std::nullopt);
        TrackLabel label;
        label.kind = kind;
        label.device = place.device;
        label.process = std::to_string(std::max<std::int64_t>(place.process, 0));
        label.thread = place.stream;
        place.track = place.output->track(label);
        return place;
    }

    Status project() {
        std::int64_t projected = 0;
        RETURN_IF_ERROR(
            m_nvtx.ranges.forEachProjection([&](const HostRange& range, std::uint32_t at,
                                                std::int64_t start, std::int64_t end) -> Status {
                const Place& place = m_places[at];
                TrackLabel label;
                label.kind = TrackKind::StreamAnnotation;
                label.device = place.device;
                label.thread = place.stream;
                Span span;
                span.start = {start};
                span.duration = {end - start};
                span.kind = SpanKind::GpuAnnotation;
                span.name = range.name;
                place.output->add(place.output->track(label), span);
                constexpr std::int64_t kBetweenFlushes = 4096;
                if (++projected % kBetweenFlushes == 0)
                    return m_session.outputs().flush(m_session.run(), m_session.base(), false);
                return {};
            }));
        if (projected > 0)
            m_session.count("projections of NVTX ranges onto streams", projected);
        return {};
    }

    static constexpr std::size_t kMostKept = 200'000;

    Session& m_session;
    NvtxFindings& m_nvtx;
    DeviceFindings m_findings;
    DetailText m_detail;
    bool m_hasDemangled = true;
    std::unordered_map<std::string, NameId> m_details; // of kernels, by their numbers
    std::unordered_map<std::int64_t, bool> m_isNccl; // by name
    std::vector<Place> m_places;
    std::map<std::array<std::int64_t, 5>, std::uint32_t> m_placeIndex;
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> m_firstContext;
    std::array<std::int64_t, 5> m_lastKey{};
    std::uint32_t m_lastPlace = ~std::uint32_t{0};
};

} // namespace

Result<DeviceFindings> readDeviceWork(Session& session, NvtxFindings& nvtx) {
    return DeviceReader(session, nvtx).run();
}

} // namespace trainscope::importers::nsys
