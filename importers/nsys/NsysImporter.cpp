// Reports of NVIDIA Nsight Systems as `nsys export --type sqlite` writes them, of every schema from
// 1 to 3: which tables and columns are there is asked of the file. Clock: times are ns since the
// start of the session, which TARGET_INFO_SESSION_START_TIME gives in UTC; without it they count
// from an unknown moment. Every process that used a GPU is a rank. Tables are read row by row,
// once; memory is bounded by the limits in ProfileWriter.h and by what TraceOutput holds back.

#include "importers/common/Formats.h"

#include "core/model/Gather.h"
#include "importers/common/GpuIdentity.h"
#include "importers/nsys/Metrics.h"
#include "importers/nsys/Session.h"
#include "importers/trace/RunGrouping.h"

#include <fmt/format.h>

namespace trainscope::importers::nsys {
namespace {

// Reads calls of threads: those of the CUDA runtime and driver, of cuDNN, cuBLAS and the operating
// system, and the profiler's own overhead, each on the track of its thread.

struct CallTable {
    std::string_view name;
    SpanKind kind = SpanKind::Other;
    std::string_view nameColumn = "nameId";
};
constexpr auto kOtherTables = std::to_array<CallTable>({{"CUDNN_EVENTS", SpanKind::Annotation},
    {"CUBLAS_EVENTS", SpanKind::Annotation}, {"PROFILER_OVERHEAD", SpanKind::Overhead},
    {"CUPTI_ACTIVITY_KIND_OVERHEAD", SpanKind::Overhead}, {"OSRT_API", SpanKind::Other},
    {"MPI_P2P_EVENTS", SpanKind::Other, "textId"},
    {"MPI_COLLECTIVES_EVENTS", SpanKind::Other, "textId"},
    {"MPI_OTHER_EVENTS", SpanKind::Other, "textId"}});

// Their number.
Result<std::int64_t> readCalls(Session& session, const CallTable& table) {
    std::int64_t calls = 0;
    const std::string columns
        = fmt::format("start, end, globalTid, {}, correlationId", table.nameColumn);
    RETURN_IF_ERROR(session.read(table.name, columns, [&](const ForeignRow& row) -> Status {
        const auto times = session.rangeOf(row, 0, 1);
        if (!times)
            return {};
        ++calls;
        const std::int64_t thread = row.integer(2, 0);
        ProfiledCall call;
        call.process = processOf(thread);
        call.thread = threadOf(thread);
        call.range = *times;
        call.kind = table.kind;
        call.isNested = false;
        call.correlation = row.integer(4, 0);
        ASSIGN_OR_RETURN(call.id, session.nameOfCall(row.integer(3)));
        return session.writer().call(call);
    }));
    return calls;
}

// Names of threads, for tracks that are not yet written.
Status readThreadNames(Session& session) {
    return session.read("ThreadNames", "globalTid, nameId", [&](const ForeignRow& row) {
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

// CUDA's calls, which tell what was launched when. Their number.
Result<std::int64_t> readCudaCalls(Session& session) {
    std::int64_t calls = 0;
    // Very old exports keep the driver apart.
    for (const std::string_view table :
        {"CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_DRIVER"}) {
        ASSIGN_OR_RETURN(const std::int64_t more, readCalls(session, {table, SpanKind::Runtime}));
        calls += more;
    }
    return calls;
}

Status readOtherCalls(Session& session) {
    for (const CallTable& table : kOtherTables)
        RETURN_IF_ERROR(readCalls(session, table));
    return {};
}

// Tables that are read, or that say nothing of their own.
bool isExpected(std::string_view table) {
    static constexpr std::array<std::string_view, 34> kRead{"StringIds", "META_DATA_EXPORT",
        "META_DATA_CAPTURE", "ANALYSIS_DETAILS", "ANALYSIS_FILE", "PROCESSES", "ProcessStreams",
        "ThreadNames", "DIAGNOSTIC_EVENT", "CUPTI_ACTIVITY_KIND_KERNEL",
        "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET",
        "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "CUPTI_ACTIVITY_KIND_RUNTIME",
        "CUPTI_ACTIVITY_KIND_DRIVER", "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
        "CUPTI_ACTIVITY_KIND_OVERHEAD", "NVTX_EVENTS", "NVTX_PAYLOAD_SCHEMAS",
        "NVTX_PAYLOAD_SCHEMA_ENTRIES", "CUDNN_EVENTS", "CUBLAS_EVENTS", "PROFILER_OVERHEAD",
        "OSRT_API", "OSRT_CALLCHAINS", "CUDA_CALLCHAINS", "MPI_P2P_EVENTS",
        "MPI_COLLECTIVES_EVENTS", "MPI_OTHER_EVENTS", "GPU_METRICS", "NET_NIC_METRIC", "NIC_ID_MAP",
        "EXPORT_META_DATA", "sqlite_sequence"};
    return table.starts_with("ENUM_") || table.starts_with("TARGET_INFO_")
        || table.starts_with("NVTX_PAYLOAD_")
        || std::find(kRead.begin(), kRead.end(), withoutVersion(table)) != kRead.end();
}

std::string pathOf(const ImportUnit& unit) {
    return unit.files.empty() ? unit.path : unit.files.front();
}

// One import of one report.
class ReportImport {
public:
    ReportImport(const SourceTree& tree, const ImportUnit& unit, Sink& sink)
        : m_tree(tree)
        , m_unit(unit)
        , m_sink(sink)
        , m_path(pathOf(unit)) {
        m_report.importer = "nsys 1";
    }

    Result<ImportReport> run(const Progress& progress) {
        ASSIGN_OR_RETURN(auto database, ForeignDatabase::open(m_tree, m_path, progress));
        if (!isReport(database))
            return Error{ErrorCode::Unrecognised,
                "There are no tables of Nsight Systems in this database; a report is exported with "
                "nsys export --type sqlite.",
                m_tree.displayPath(m_path)};
        ASSIGN_OR_RETURN(m_facts, readFacts(database));
        Session session(database, m_facts, m_sink, m_report, m_path, m_unit.rank.value_or(0));
        RETURN_IF_ERROR(session.writer().begin(runOf(RunStatus::Ok)));
        RETURN_IF_ERROR(readThreadNames(session));
        RETURN_IF_ERROR(readNvtx(session));
        session.writer().nest();
        ASSIGN_OR_RETURN(m_calls, readCudaCalls(session));
        ASSIGN_OR_RETURN(m_device, readDeviceWork(session));
        RETURN_IF_ERROR(readOtherCalls(session));
        RETURN_IF_ERROR(readGpuMetrics(session));
        RETURN_IF_ERROR(readNetworkMetrics(session));
        RETURN_IF_ERROR(session.writer().finish());
        return finish(session);
    }

private:
    [[nodiscard]] Run runOf(RunStatus status) const {
        Run run;
        run.name = m_unit.runName;
        run.status = status;
        run.worldSize = m_facts.worldSize > 0 ? m_facts.worldSize : m_unit.worldSize;
        run.gpuModel = m_facts.gpus.empty() ? std::string() : m_facts.gpus.front().model;
        return run;
    }

    Result<ImportReport> finish(Session& session) {
        m_report.bytes = session.database().bytesTotal();
        if (m_report.spans == 0 && m_report.samples == 0)
            return nothingUsable(session);
        if (session.isDamaged() || session.database().isCutShort()) {
            RETURN_IF_ERROR(session.writer().begin(runOf(RunStatus::Partial)));
            if (session.database().isCutShort())
                m_report.lost(m_path, 0, "the file is cut short: its last pages are missing");
        }
        RETURN_IF_ERROR(describeGpus(session));
        describe(session);
        return std::move(m_report);
    }

    [[nodiscard]] Error nothingUsable(Session& session) const {
        std::string message = "There is nothing in this report that could be read: no kernels, no "
                              "calls, no ranges, no samples.";
        if (session.isDamaged() || session.database().isCutShort())
            message += " The file is damaged or cut short.";
        return {ErrorCode::Unrecognised, message, m_tree.displayPath(m_path)};
    }

    Status describeGpus(Session& session) {
        ProcessOutputs& outputs = session.outputs();
        const bool isNodeKnown = m_facts.gpus.size() > 1
            && static_cast<int>(m_facts.gpus.size()) >= outputs.rankCount();
        ToldByRank addresses;
        TracedMachine machine;
        machine.node = m_facts.node;
        machine.models.resize(isNodeKnown ? m_facts.gpus.size() : 0);
        machine.tell = [&](Gpu& gpu, int device) {
            const ReportGpu* known
                = m_facts.gpu(outputs.processOfRank(gpu.rank).value_or(0), device);
            if (known == nullptr)
                return;
            if (isNodeKnown)
                gpu.local = known->id;
            gpu.model = known->model;
            gpu.uuid = known->uuid;
            if (!known->bus.empty())
                addresses[gpu.rank] = known->bus;
        };
        RETURN_IF_ERROR(session.writer().describeGpus(machine));
        tellGpus(m_report, {}, addresses);
        if (!m_facts.gpus.empty())
            m_report.facts["GPU"] = m_facts.gpus.front().model;
        return {};
    }

    void describe(Session& session) {
        const auto put = [&](const char* name, const std::string& value) {
            if (!value.empty())
                m_report.facts[name] = value;
        };
        put("Nsight Systems", m_facts.product);
        put("schema", m_facts.schema);
        put("host", m_facts.host);
        m_report.facts["clock"] = m_facts.startNs
            ? "UTC, from the start of the session; single times count from it"
            : "relative: the report does not say when its session began";
        if (m_facts.utcOffsetSeconds)
            m_report.facts["local time"]
                = std::to_string(*m_facts.utcOffsetSeconds) + " s ahead of UTC";
        if (!m_facts.startNs)
            m_report.warn(m_path, 0,
                "the report has no session start: its times count from an unknown moment");
        m_report.ranksExpected = m_facts.worldSize;
        tellDevice();
        tellRank(session);
        tellOtherTables(session);
    }

    void tellDevice() {
        if (m_device.total() == 0)
            m_report.lost(m_path, 0,
                m_facts.hasKernels ? "the report has a table of kernels, and nothing in it"
                    : m_calls > 0
                    ? "calls of CUDA were recorded and no kernel: the profiler lost the GPU's "
                      "records"
                    : "the report has no kernels: it was recorded without --trace=cuda, or the "
                      "program used no GPU");
        if (m_device.graphs > 0)
            m_report.counts["CUDA graphs traced as one span each"] = m_device.graphs;
        if (m_device.graphKernels > 0)
            m_report.counts["kernels of CUDA graphs"] = m_device.graphKernels;
        m_report.facts["NVTX"] = "push/pop ranges on their threads, and projected onto the streams "
                                 "of the work launched in them";
    }

    void tellRank(Session& session) {
        const auto& communicators = session.writer().communicators();
        if (session.outputs().rankCount() != 1 || communicators.size() != 1)
            return;
        const NcclPayload* world = communicators.begin()->second.largest();
        if (world == nullptr || !world->rank)
            return;
        m_report.facts["NCCL"] = "rank " + std::to_string(*world->rank) + " of "
            + std::to_string(*world->ranks) + " in the largest communicator";
        if (*world->rank != session.outputs().firstRank()
            && (m_facts.worldSize == 0 || m_facts.worldSize == *world->ranks))
            m_report.warn(m_path, 0,
                "NCCL says rank " + std::to_string(*world->rank) + ", imported as rank "
                    + std::to_string(session.outputs().firstRank()));
    }

    void tellOtherTables(Session& session) {
        std::string list;
        for (const ForeignTable& table : session.database().tables()) {
            if (!isExpected(table.name))
                list += (list.empty() ? "" : ", ") + table.name;
        }
        if (!list.empty())
            m_report.facts["tables not read"] = list;
    }

    const SourceTree& m_tree;
    const ImportUnit& m_unit;
    Sink& m_sink;
    std::string m_path;
    ImportReport m_report;
    ReportFacts m_facts;
    DeviceFindings m_device;
    std::int64_t m_calls = 0; // calls of CUDA
};

// Databases show what they are by their tables, which stand anywhere in the file.
Confidence sniff(std::string_view /*head*/, std::string_view /*path*/) {
    return 0;
}

Confidence look(const SourceTree& tree, const SourceFile& file, std::string_view head) {
    if (!ForeignDatabase::isDatabase(head))
        return 0;
    const Progress noProgress;
    const auto database = ForeignDatabase::open(tree, file.path, noProgress);
    return database.hasValue() && isReport(database.value()) ? 95 : 0;
}

TraceFile describeReport(const SourceTree& tree, const SourceFile& file) {
    TraceFacts facts;
    facts.kind = "Nsight Systems report";
    const Progress noProgress;
    auto database = ForeignDatabase::open(tree, file.path, noProgress);
    auto read = database.hasValue() ? readFacts(database.value()) : database.error();
    if (!read.hasValue()) {
        facts.problem = read.error().describe();
        return traceFileOf(file, std::move(facts));
    }
    const ReportFacts& report = read.value();
    facts.rank = report.rank;
    facts.ranks = std::max(1, static_cast<int>(report.processes.size()));
    facts.worldSize = report.worldSize;
    facts.gpuModel = report.gpus.empty() ? std::string() : report.gpus.front().model;
    facts.gpusPerNode = report.gpus.size() > 1 ? static_cast<int>(report.gpus.size()) : 0;
    facts.firstNs = report.startNs;
    facts.start = report.startNs ? std::optional(TimeNs{*report.startNs}) : std::nullopt;
    facts.utcOffsetSeconds = report.utcOffsetSeconds;
    if (!report.hasKernels)
        facts.notes.emplace_back("There are no kernels in this report, only what ran on the host.");
    if (tree.sizeOf(file.path + "-wal") > 0)
        facts.notes.emplace_back(
            "A write-ahead log lies beside it; what is only there is not read.");
    return traceFileOf(file, std::move(facts));
}

std::vector<ImportUnit> plan(const SourceTree& tree, const std::vector<SourceFile>& mine) {
    std::vector<TraceFile> files
        = vectorOf(mine, [&](const SourceFile& file) { return describeReport(tree, file); });
    return groupIntoRuns(tree, RunFolders(tree), std::move(files));
}

} // namespace

constinit const Importer kImporter{{"nsys", "Nsight Systems report",
                                       "Nsight Systems reports, exported with nsys export "
                                       "--type sqlite",
                                       Joins::OwnRun, LaunchSettings::Beside, {},
                                       "Nsight Systems report", "Nsight Systems reports"},
    sniff, plan, importBy<ReportImport>, nullptr, look};

} // namespace trainscope::importers::nsys
