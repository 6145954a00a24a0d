#include "importers/nsys/Session.h"

#include "importers/common/Stamp.h"
#include "importers/trace/TraceName.h"

#include <set>

namespace trainscope::importers::nsys {

namespace {

constexpr int kMostRanks = 1'000'000;
constexpr std::int64_t kMostKernelsLookedAt = 2'000'000;

constexpr std::string_view kKernels = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr std::string_view kGraphs = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";

void takeRank(const LaunchedRank& launched, ReportFacts& facts) {
    facts.node = launched.node;
    const auto processes = static_cast<int>(facts.processes.size());
    const LaunchedRank first = launched.ofProcesses(processes);
    facts.rank = first.rank;
    facts.worldSize = first.worldSize;
}

// "2025-04-24T19:58:58" or with a blank, without zone, as seconds.
std::optional<std::int64_t> secondsOf(std::string_view text) {
    constexpr std::size_t kLength = 19;
    const auto stamp = text.size() < kLength ? std::nullopt : parseStamp(text.substr(0, kLength));
    return stamp && stamp->kind == StampKind::Local ? std::optional(stamp->time.ns / 1'000'000'000)
                                                    : std::nullopt;
}

// Zones lie a multiple of 15 minutes from UTC.
std::optional<std::int64_t> offsetBetween(std::string_view local, std::string_view utc) {
    const auto here = secondsOf(local);
    const auto there = secondsOf(utc);
    constexpr std::int64_t kQuarter = 900;
    constexpr std::int64_t kFarthest = 50'400;
    if (!here || !there || (*here - *there) % kQuarter != 0 || *here - *there > kFarthest
        || *there - *here > kFarthest)
        return std::nullopt;
    return *here - *there;
}

class FactsReader {
public:
    explicit FactsReader(ForeignDatabase& database)
        : m_database(database) { }

    Result<ReportFacts> run() {
        RETURN_IF_ERROR(readMeta());
        RETURN_IF_ERROR(readClock());
        RETURN_IF_ERROR(readGpus());
        RETURN_IF_ERROR(readDevices());
        RETURN_IF_ERROR(readProcesses());
        m_facts.hasKernels
            = m_database.table(kKernels) != nullptr || m_database.table(kGraphs) != nullptr;
        takeRank(m_environment.rank(), m_facts);
        return std::move(m_facts);
    }

private:
    Status readMeta() {
        constexpr std::string_view kPair = "name, value";
        RETURN_IF_ERROR(m_database.scanFacts("META_DATA_EXPORT", kPair, [&](const ForeignRow& row) {
            if (row.text(0) == "EXPORT_SCHEMA_VERSION")
                m_facts.schema = row.text(1);
            else if (row.text(0) == "EXPORT_PRODUCT_VERSION")
                m_facts.product = row.text(1);
        }));
        RETURN_IF_ERROR(
            m_database.scanFacts("TARGET_INFO_SYSTEM_ENV", kPair, [&](const ForeignRow& row) {
                if (row.text(0) == "Hostname")
                    m_facts.host = row.text(1);
            }));
        return m_database.scanFacts("META_DATA_CAPTURE", kPair, [&](const ForeignRow& row) {
            if (row.text(0).ends_with("ENVIRONMENT_VARIABLE"))
                m_environment.takeAssignment(row.text(1));
        });
    }

    Status readClock() {
        RETURN_IF_ERROR(m_database.scanFacts("TARGET_INFO_SESSION_START_TIME",
            "utcEpochNs, utcTime, localTime", [&](const ForeignRow& row) {
                const auto start = row.integer(0);
                if (start && *start > 0)
                    m_facts.startNs = start;
                m_facts.utcOffsetSeconds = offsetBetween(row.text(2), row.text(1));
            }));
        return m_database.scanFacts("ANALYSIS_DETAILS", "duration", [&](const ForeignRow& row) {
            m_facts.durationNs = std::max(m_facts.durationNs, row.integer(0, 0));
        });
    }

    Status readGpus() {
        return m_database.scanFacts(
            "TARGET_INFO_GPU", "id, name, uuid, busLocation", [&](const ForeignRow& row) {
                const std::int64_t id = row.integer(0, -1);
                if (id < 0 || id >= kMostRanks)
                    return;
                std::string uuid(row.text(2));
                if (!uuid.empty() && !uuid.starts_with("GPU-"))
                    uuid.insert(0, "GPU-");
                m_facts.gpus.push_back({static_cast<int>(id), std::string(row.text(1)),
                    std::move(uuid), std::string(row.text(3))});
            });
    }

    // With CUDA_VISIBLE_DEVICES, processes number the GPUs that they see.
    Status readDevices() {
        return m_database.scanFacts(
            "TARGET_INFO_CUDA_DEVICE", "gpuId, cudaId, pid", [&](const ForeignRow& row) {
                const auto gpu = row.integer(0);
                const auto device = row.integer(1);
                const auto process = row.integer(2);
                if (gpu && device && process && *gpu >= 0 && *gpu < kMostRanks && *device >= 0
                    && *device < kMostRanks)
                    m_facts.gpuOfDevice[{*process, static_cast<int>(*device)}]
                        = static_cast<int>(*gpu);
            });
    }

    Status readProcesses() {
        RETURN_IF_ERROR(m_database.scanFacts("TARGET_INFO_CUDA_CONTEXT_INFO", "processId, deviceId",
            [&](const ForeignRow& row) { takeContext(row.integer(0), row.integer(1, 0)); }));
        if (m_devices.empty()) {
            RETURN_IF_ERROR(m_database.scanFacts(
                kKernels, "globalPid, deviceId",
                [&](const ForeignRow& row) {
                    if (const auto id = row.integer(0))
                        takeContext(processOf(*id), row.integer(1, 0));
                },
                kMostKernelsLookedAt));
        }
        // Processes have contexts on foreign GPUs by accident, mostly on the first.
        std::set<std::pair<std::int64_t, std::int64_t>> order;
        for (const auto& [process, device] : m_devices)
            order.emplace(device, process);
        for (const auto& [device, process] : order)
            m_facts.processes.push_back(process);
        return {};
    }

    void takeContext(std::optional<std::int64_t> process, std::int64_t device) {
        if (!process || *process < 0)
            return;
        const auto gpu = m_facts.gpuOfDevice.find({*process, static_cast<int>(device)});
        const std::int64_t id = gpu == m_facts.gpuOfDevice.end() ? device : gpu->second;
        const auto [found, isNew] = m_devices.try_emplace(*process, id);
        if (!isNew)
            found->second = std::max(found->second, id);
    }

    ForeignDatabase& m_database;
    ReportFacts m_facts;
    LauncherVariables m_environment;
    std::map<std::int64_t, std::int64_t> m_devices; // process → its last GPU
};

constexpr std::size_t kMostKnownNames = 1'000'000;

// "cudaLaunchKernel_v7000" is "cudaLaunchKernel" of the interface of CUDA 7.0.
std::string_view withoutCallVersion(std::string_view name) {
    if (!name.starts_with("cuda"))
        return name;
    const std::size_t mark = name.rfind("_v");
    const bool isVersion = mark != std::string_view::npos && mark + 2 < name.size()
        && std::all_of(name.begin() + static_cast<std::ptrdiff_t>(mark) + 2, name.end(), isDigit);
    return isVersion ? name.substr(0, mark) : name;
}

} // namespace

const ReportGpu* ReportFacts::gpu(std::int64_t process, int device) const {
    const auto mapped = gpuOfDevice.find({process, device});
    const int id = mapped == gpuOfDevice.end() ? device : mapped->second;
    const auto found = std::ranges::find(gpus, id, &ReportGpu::id);
    if (found != gpus.end())
        return &*found;
    return gpus.size() == 1 ? &gpus.front() : nullptr;
}

bool isReport(const ForeignDatabase& database) {
    static constexpr std::array<std::string_view, 8> kOthers{"TARGET_INFO_SESSION_START_TIME",
        "TARGET_INFO_SYSTEM_ENV", "TARGET_INFO_GPU", "ANALYSIS_DETAILS", "NVTX_EVENTS",
        "CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_KERNEL", "ENUM_NSYS_EVENT_TYPE"};
    return database.table("StringIds") != nullptr
        && std::any_of(kOthers.begin(), kOthers.end(),
            [&](std::string_view name) { return database.table(name) != nullptr; });
}

Result<ReportFacts> readFacts(ForeignDatabase& database) {
    return FactsReader(database).run();
}

Session::Session(ForeignDatabase& database, const ReportFacts& facts, Sink& sink,
    ImportReport& report, std::string file, int firstRank)
    : m_database(database)
    , m_facts(facts)
    , m_sink(sink)
    , m_report(report)
    , m_file(std::move(file))
    , m_texts(database, "StringIds", "id", "value")
    , m_writer(sink, report, m_file, firstRank, facts.processes, {facts.startNs.value_or(0)}) { }

Status Session::read(std::string_view table, std::string_view columns,
    const std::function<Status(const ForeignRow&)>& visit) {
    ASSIGN_OR_RETURN(
        const bool isDamaged, m_database.scanInto(m_report, m_file, table, columns, visit));
    m_isDamaged = m_isDamaged || isDamaged;
    return {};
}

std::optional<std::string_view> Session::text(std::int64_t stringId) {
    const auto row = m_texts.find(stringId);
    return row ? std::optional(row->text(0)) : std::nullopt;
}

Result<NameId> Session::nameIn(Names& names, std::optional<std::int64_t> stringId,
    std::string_view (*shortened)(std::string_view)) {
    if (stringId) {
        if (const auto known = names.find(*stringId); known != names.end())
            return known->second;
    }
    const auto found = stringId ? text(*stringId) : std::nullopt;
    if (!found)
        ++m_report.counts["names that the report does not have"];
    ASSIGN_OR_RETURN(const auto id, m_sink.intern(shortened(found.value_or("?"))));
    if (names.size() >= kMostKnownNames)
        names.clear();
    if (stringId)
        names.emplace(*stringId, id);
    return id;
}

Result<NameId> Session::name(std::optional<std::int64_t> stringId) {
    return nameIn(m_names, stringId, [](std::string_view text) { return text; });
}

Result<NameId> Session::nameOfCall(std::optional<std::int64_t> stringId) {
    return nameIn(m_callNames, stringId, withoutCallVersion);
}

std::optional<TimeRange> Session::rangeOf(const ForeignRow& row, int start, int end) {
    const auto begin = row.integer(start);
    auto stop = row.integer(end);
    if (!begin || !isTime(*begin))
        return m_writer.rangeOf(std::nullopt, std::nullopt);
    if (!stop || !isTime(*stop)) {
        if (m_report.counts["rows without end"]++ == 0)
            m_report.warn(
                m_file, 0, "a row has no end that is a time; such are kept with duration 0");
        stop = begin;
    }
    return m_writer.rangeOf(begin, stop);
}

} // namespace trainscope::importers::nsys
