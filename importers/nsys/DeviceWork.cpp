#include "importers/nsys/Session.h"

#include "importers/trace/DetailText.h"

#include <fmt/format.h>

namespace trainscope::importers::nsys {

namespace {

// Columns that all tables of device work begin with.
struct Work {
    enum Column : int { kStart, kEnd, kDevice, kContext, kStream, kCorrelation, kProcess, kOwn };
};

std::string columnsWith(std::string_view own) {
    return fmt::format(
        "start, end, deviceId, contextId, streamId, correlationId, globalPid, {}", own);
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

class DeviceReader {
public:
    explicit DeviceReader(Session& session)
        : m_session(session) { }

    Result<DeviceFindings> run() {
        RETURN_IF_ERROR(readKernels());
        RETURN_IF_ERROR(readCopies());
        RETURN_IF_ERROR(readSets());
        RETURN_IF_ERROR(readGraphs());
        RETURN_IF_ERROR(readSynchronisation());
        return m_findings;
    }

private:
    Status readKernels() {
        // Names: the demangled one, or what older exports have.
        const auto& database = m_session.database();
        const std::string_view table = "CUPTI_ACTIVITY_KIND_KERNEL";
        m_hasDemangled = database.hasColumn(table, "demangledName");
        const std::string columns = columnsWith(fmt::format(
            "{}, shortName, gridX, gridY, gridZ, blockX, blockY, blockZ, registersPerThread, "
            "staticSharedMemory, dynamicSharedMemory, graphNodeId",
            m_hasDemangled ? "demangledName" : "name"));
        return m_session.read(table, columns, [&](const ForeignRow& row) { return kernel(row); });
    }

    Status kernel(const ForeignRow& row) {
        enum Own : int { kName = Work::kOwn, kShortName, kGrid, kBlock = kGrid + 3 };
        constexpr int kGraphNode = kBlock + 6;
        auto work = workOf(row, SpanKind::Kernel);
        if (!work)
            return {};
        auto name = row.integer(kName);
        if (!name)
            name = row.integer(kShortName);
        ASSIGN_OR_RETURN(const KernelName* const known, nameOf(name));
        work->id = known->id;
        work->name = known->text;
        RETURN_IF_ERROR(describe(row, kGrid, known->isNccl, *work));
        ++m_findings.kernels;
        m_findings.graphKernels
            += row.isNull(kGraphNode) || row.integer(kGraphNode, 0) == 0 ? 0 : 1;
        return m_session.writer().work(*work, m_detail);
    }

    struct KernelName {
        NameId id;
        std::string text;
        bool isNccl = false;
    };
    Result<const KernelName*> nameOf(std::optional<std::int64_t> stringId) {
        const auto known = stringId ? m_names.find(*stringId) : m_names.end();
        if (known != m_names.end())
            return &known->second;
        KernelName name;
        ASSIGN_OR_RETURN(name.id, m_session.name(stringId));
        name.text = stringId ? m_session.text(*stringId).value_or("?") : "?";
        name.isNccl = isNcclKernel(name.text);
        const bool isKept = stringId && m_names.size() < kMostKept;
        KernelName& kept = isKept ? m_names[*stringId] : m_otherName;
        kept = std::move(name);
        return &kept;
    }

    // The text of a kernel of NCCL gets what its call says, others are alike for equal numbers.
    Status describe(const ForeignRow& row, int grid, bool isNccl, ProfiledWork& work) {
        constexpr std::size_t kNumbers = 9;
        std::array<std::int64_t, kNumbers> numbers{};
        std::string key;
        for (std::size_t i = 0; i < kNumbers; ++i) {
            numbers[i] = row.integer(grid + static_cast<int>(i), 0);
            key.append(reinterpret_cast<const char*>(&numbers[i]), sizeof(std::int64_t));
        }
        const auto known = isNccl ? m_details.end() : m_details.find(key);
        if (known != m_details.end()) {
            work.detail = known->second;
            return {};
        }
        const std::span all(numbers);
        m_detail.add("grid", all.subspan(0, 3)).add("block", all.subspan(3, 3));
        m_detail.add("registers per thread", numbers[6]);
        m_detail.add("shared memory", numbers[7] + numbers[8]);
        if (isNccl)
            return {};
        ASSIGN_OR_RETURN(work.detail, m_session.intern(m_detail.take()));
        if (m_details.size() < kMostKept)
            m_details.emplace(std::move(key), work.detail);
        return {};
    }

    Status readCopies() {
        const std::string columns = columnsWith("bytes, copyKind, srcKind, dstKind");
        return m_session.read(
            "CUPTI_ACTIVITY_KIND_MEMCPY", columns, [&](const ForeignRow& row) -> Status {
                ++m_findings.copies;
                return moved(row, SpanKind::Copy,
                    copyName(row.integer(Work::kOwn + 1, 0), memoryOf(row.integer(Work::kOwn + 2)),
                        memoryOf(row.integer(Work::kOwn + 3))));
            });
    }

    Status readSets() {
        const std::string columns = columnsWith("bytes, memKind");
        return m_session.read(
            "CUPTI_ACTIVITY_KIND_MEMSET", columns, [&](const ForeignRow& row) -> Status {
                ++m_findings.sets;
                const auto memory = memoryOf(row.integer(Work::kOwn + 1));
                return moved(row, SpanKind::Set,
                    "Memset (" + std::string(memory.empty() ? "Unknown" : memory) + ")");
            });
    }

    Status moved(const ForeignRow& row, SpanKind kind, const std::string& name) {
        if (const auto bytes = row.integer(Work::kOwn))
            m_detail.add("bytes", *bytes);
        return write(row, kind, name);
    }

    // With --cuda-graph-trace=graph the kernels of a graph are not traced one by one.
    Status readGraphs() {
        const std::string columns = columnsWith("graphId, graphExecId");
        return m_session.read(
            "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", columns, [&](const ForeignRow& row) -> Status {
                ++m_findings.graphs;
                return write(row, SpanKind::Kernel,
                    "CUDA graph " + std::to_string(row.integer(Work::kOwn, 0)));
            });
    }

    Status readSynchronisation() {
        const std::string columns = columnsWith("syncType");
        return m_session.read(
            "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", columns, [&](const ForeignRow& row) -> Status {
                return write(row, SpanKind::Sync, synchronisationOf(row.integer(Work::kOwn, 0)));
            });
    }

    Status write(const ForeignRow& row, SpanKind kind, std::string_view name) {
        auto work = workOf(row, kind);
        if (!work) {
            m_detail.take();
            return {};
        }
        work->name = name;
        return m_session.writer().work(*work, m_detail);
    }

    // Columns that all rows have; its stream is valid until the next. Absent: the row has no time.
    std::optional<ProfiledWork> workOf(const ForeignRow& row, SpanKind kind) {
        const auto times = m_session.rangeOf(row, Work::kStart, Work::kEnd);
        if (!times)
            return std::nullopt;
        ProfiledWork work;
        if (const auto global = row.integer(Work::kProcess))
            work.process = processOf(*global);
        const std::array<std::int64_t, 3> place{row.integer(Work::kDevice, 0),
            row.integer(Work::kContext, 0), row.integer(Work::kStream, 0)};
        if (m_stream.empty() || place != m_place || work.process != m_process)
            nameStream(work.process, place);
        work.device = static_cast<int>(std::clamp<std::int64_t>(place[0], -1, 1'000'000));
        work.stream = m_stream;
        work.range = *times;
        work.correlation = row.integer(Work::kCorrelation, 0);
        work.kind = kind;
        return work;
    }

    // Streams are numbered anew in each context; most processes have one on a GPU.
    void nameStream(std::optional<std::int64_t> process, const std::array<std::int64_t, 3>& place) {
        m_process = process;
        m_place = place;
        const auto& [device, context, stream] = place;
        m_stream = std::to_string(stream);
        const auto first = m_firstContext.try_emplace(std::pair(process, device), context).first;
        if (first->second != context)
            m_stream += " of context " + std::to_string(context);
    }

    static constexpr std::size_t kMostKept = 200'000;

    Session& m_session;
    DeviceFindings m_findings;
    DetailText m_detail;
    bool m_hasDemangled = true;
    std::unordered_map<std::string, NameId> m_details; // for kernels, by their numbers
    std::unordered_map<std::int64_t, KernelName> m_names; // by their number in the report
    KernelName m_otherName;
    std::map<std::pair<std::optional<std::int64_t>, std::int64_t>, std::int64_t> m_firstContext;
    // Device, context and stream of the row at hand, as the two below.
    std::array<std::int64_t, 3> m_place{};
    std::optional<std::int64_t> m_process;
    std::string m_stream;
};

} // namespace

Result<DeviceFindings> readDeviceWork(Session& session) {
    return DeviceReader(session).run();
}

} // namespace trainscope::importers::nsys
