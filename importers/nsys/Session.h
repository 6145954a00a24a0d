#pragma once
// State that all readers of a report's tables share: the database, the names, the tracks of spans
// and the report. Times count from the start of the session.

#include "importers/sqlite/ForeignDatabase.h"
#include "importers/trace/ProfileWriter.h"

namespace trainscope::importers::nsys {

// Facts in a report of Nsight Systems about the session it was recorded in: clock, host, GPUs, the
// processes that used them, and its rank of a job.

struct ReportGpu {
    int id = 0; // as the tables of the report number it
    std::string model;
    std::string uuid; // with "GPU-" before it, as nvidia-smi writes it
    std::string bus;
};

struct ReportFacts {
    std::string schema; // "3.16.1"; empty: before it was kept
    std::string product; // "2024.6.2.225"
    std::string host;
    std::optional<std::int64_t> startNs; // the session's, since the epoch
    std::optional<std::int64_t> utcOffsetSeconds; // for the machine's local time
    std::int64_t durationNs = 0; // 0: not said
    std::vector<ReportGpu> gpus;
    std::vector<std::int64_t> processes; // ids of those that used a GPU, in the order of ranks
    std::map<std::pair<std::int64_t, int>, int> gpuOfDevice; // (process, CUDA device) → GPU
    std::optional<int> rank; // the started process's
    std::optional<int> node;
    int worldSize = 0;
    bool hasKernels = false; // a table of kernels, or of whole graphs

    // GPU of a process's CUDA device; nullptr: not said.
    [[nodiscard]] const ReportGpu* gpu(std::int64_t process, int device) const;
};

// The process of a serialized id of a process or thread.
constexpr std::int64_t processOf(std::int64_t globalId) {
    return (globalId >> 24) & 0xFFFFFF;
}
constexpr std::int64_t threadOf(std::int64_t globalId) {
    return globalId & 0xFFFFFF;
}

// By its tables.
bool isReport(const ForeignDatabase& database);

// Small tables alone, unless the report is too old to list its CUDA contexts.
Result<ReportFacts> readFacts(ForeignDatabase& database);

class Session {
public:
    Session(ForeignDatabase& database, const ReportFacts& facts, Sink& sink, ImportReport& report,
        std::string file, int firstRank);

    // Reads a table. Damage becomes a warning.
    Status read(std::string_view table, std::string_view columns,
        const std::function<Status(const ForeignRow&)>& visit);

    // A text of the report by its number, "?" and a count where it is missing.
    Result<NameId> name(std::optional<std::int64_t> stringId);
    Result<NameId> nameOfCall(std::optional<std::int64_t> stringId); // without its version
    Result<NameId> intern(std::string_view text) { return m_sink.intern(text); }
    [[nodiscard]] std::optional<std::string_view> text(std::int64_t stringId);

    // Start and end of a row; absent, and counted, where they are no times. An end that is missing
    // gives a span without length, which is counted and told too.
    std::optional<TimeRange> rangeOf(const ForeignRow& row, int start, int end);

    [[nodiscard]] const ReportFacts& facts() const { return m_facts; }
    [[nodiscard]] ForeignDatabase& database() { return m_database; }
    [[nodiscard]] ProfileWriter& writer() { return m_writer; }
    [[nodiscard]] ProcessOutputs& outputs() { return m_writer.outputs(); }
    [[nodiscard]] ImportReport& report() { return m_report; }
    [[nodiscard]] const std::string& file() const { return m_file; }
    [[nodiscard]] bool isDamaged() const { return m_isDamaged; }
    void count(const std::string& what, std::int64_t by = 1) { m_report.counts[what] += by; }

private:
    ForeignDatabase& m_database;
    const ReportFacts& m_facts;
    Sink& m_sink;
    ImportReport& m_report;
    std::string m_file;
    ForeignLookup m_texts;
    ProfileWriter m_writer;
    using Names = std::unordered_map<std::int64_t, NameId>; // by their number in the report
    Result<NameId> nameIn(Names& names, std::optional<std::int64_t> stringId,
        std::string_view (*shortened)(std::string_view));

    Names m_names;
    Names m_callNames;
    bool m_isDamaged = false;
};

// True for a time of a report: within 30 years of its start.
constexpr bool isTime(std::int64_t ns) {
    constexpr std::int64_t kThirtyYears = 1'000'000'000'000'000'000;
    return ns > -kThirtyYears && ns < kThirtyYears;
}

// The table NVTX_EVENTS: ranges become annotations of their threads, and are kept for projecting
// them; domains are told beside them; NCCL's ranges give the facts of collectives; ranges that name
// iterations mark these.
Status readNvtx(Session& session);

struct DeviceFindings {
    std::int64_t kernels = 0;
    std::int64_t copies = 0;
    std::int64_t sets = 0;
    std::int64_t graphs = 0; // traced whole
    std::int64_t graphKernels = 0; // among them, nodes of a graph

    [[nodiscard]] std::int64_t total() const { return kernels + copies + sets + graphs; }
};

// Reads work on the GPUs: kernels, copies, memory sets, whole CUDA graphs and synchronisation, on
// the streams of their ranks, with the names and arguments that PyTorch's traces have for them.
// Comes after the ranges and the launches.
Result<DeviceFindings> readDeviceWork(Session& session);

} // namespace trainscope::importers::nsys
