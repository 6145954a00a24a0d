// PyTorch Kineto traces (torch.profiler): Chrome trace JSON, plain or compressed, one file per
// rank. Clock: ts and dur are µs, whatever displayTimeUnit says; wall time is baseTimeNanoseconds +
// ts where the trace has that member, else ts itself. Times are read as decimal text, exact to the
// nanosecond. Memory: a few pieces of text of 1 MiB for each thread with what their parsers
// remember, up to TraceOutput::kMaxHeld spans held back until the base time is known, and a bounded
// cache of names. Format as in libkineto's output_json.cpp; categories
// in EventKinds.cpp.

#include "importers/common/Formats.h"

#include "core/model/Try.h"
#include "importers/common/GpuIdentity.h"
#include "importers/common/RunFolders.h"
#include "importers/kineto/EventMapper.h"
#include "importers/kineto/TraceProbe.h"
#include "importers/kineto/TraceSyntax.h"
#include "importers/trace/RunGrouping.h"
#include "importers/trace/TraceName.h"

#include <iterator>

namespace trainscope::importers::kineto {
namespace {

// Finds the traces of Kineto in a tree, the rank of each, and those that are one run.

// `"key"` followed by a colon, anywhere.
bool hasKey(std::string_view head, std::string_view key) {
    for (std::size_t at = head.find(key); at != std::string_view::npos;
         at = head.find(key, at + 1)) {
        const std::size_t next = head.find_first_not_of(" \t\r\n", at + key.size());
        if (next != std::string_view::npos && head[next] == ':')
            return true;
    }
    return false;
}

// An array whose first element is an object with a phase, the older and foreign form.
bool isArrayOfEvents(std::string_view head) {
    const std::size_t brace = head.find_first_not_of(" \t\r\n", 1);
    if (brace == std::string_view::npos || head[brace] != '{')
        return false;
    constexpr std::size_t kOneEvent = 4096;
    const std::string_view first = head.substr(brace, kOneEvent);
    return hasKey(first, "\"ph\"") && (hasKey(first, "\"ts\"") || hasKey(first, "\"name\""));
}

// Absent where the head does not say what its times count from.
std::optional<TimeNs> startOfTrace(const TraceProbe& probe) {
    if (!probe.firstNs)
        return std::nullopt;
    if (isAbsolute(TimeNs{*probe.firstNs}))
        return TimeNs{*probe.firstNs};
    if (!probe.header.baseNs)
        return std::nullopt;
    return TimeNs{*probe.header.baseNs + *probe.firstNs};
}

TraceFile describeTrace(const SourceTree& tree, const SourceFile& file) {
    TraceProbe probe = probeTrace(tree, file.path, ProbeDepth::Head);
    if (!probe.header.rank && !rankOfPath(file.path))
        probe = probeTrace(tree, file.path, ProbeDepth::Members);
    TraceFacts facts;
    facts.rank = probe.header.rank;
    facts.worldSize = probe.header.worldSize;
    facts.gpuModel = probe.header.deviceName(0);
    facts.process = std::string(processInStem(traceStem(file.path)));
    if (facts.process.empty())
        facts.process = probe.process;
    const auto visible = static_cast<int>(probe.header.deviceNames.size());
    facts.gpusPerNode = visible > 1 ? visible : 0;
    facts.firstNs = probe.firstNs;
    facts.start = startOfTrace(probe);
    facts.problem = probe.problem;
    return traceFileOf(file, std::move(facts));
}

ImportUnit copyOf(const ImportUnit& original, const SourceFile& copy) {
    ImportUnit unit = original;
    unit.path = copy.path;
    unit.files = {copy.path};
    unit.bytes = copy.size;
    unit.enabled = false;
    unit.notes = {"Left out: " + std::string(namePart(original.path)) + " holds the same trace."};
    return unit;
}

// Tells a trace from other JSON by its first bytes.
Confidence sniffTrace(std::string_view head, std::string_view /*path*/) {
    const std::size_t start = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    if (start == std::string_view::npos)
        return 0;
    head.remove_prefix(start);
    // XLA's, for viewers: the .xplane.pb beside it has all of it, and moments.
    if (head.find("\"/host:CPU\"") != head.npos || head.find("\"/device:") != head.npos)
        return 0;
    if (hasKey(head, "\"traceEvents\""))
        return 95;
    if (head.front() == '[')
        return isArrayOfEvents(head) ? 80 : 0;
    // A large pg_config can push traceEvents behind the head; execution traces have nodes instead.
    const bool hasKinetoMembers = hasKey(head, "\"schemaVersion\"")
        && (hasKey(head, "\"deviceProperties\"") || hasKey(head, "\"distributedInfo\""));
    const bool isExecutionTrace = hasKey(head, "\"nodes\"") || hasKey(head, "\"schema\"");
    return head.front() == '{' && hasKinetoMembers && !isExecutionTrace ? 70 : 0;
}

bool isTrace(const SourceTree& tree, const SourceFile& file) {
    constexpr std::size_t kHead = std::size_t{64} << 10;
    return file.problem.empty()
        && sniffTrace(readHead(tree, file.path, kHead).valueOr({}), file.path) > 0;
}

// Folder that the files of one run share.
std::string placeOf(const RunFolders& folders, const std::string& path) {
    return folders.folderOf(path).value_or(traceFileOf({path, 0, {}}, {}).folder);
}

// A unit for each file; of one that lies there packed as well the first is read.
std::vector<ImportUnit> planTraces(const SourceTree& tree, const std::vector<SourceFile>& mine) {
    std::map<std::string, std::string> originals; // by their unpacked path
    std::vector<TraceFile> files;
    std::vector<SourceFile> copies;
    for (const SourceFile& file : mine) {
        if (originals.try_emplace(std::string(unpacked(file.path)), file.path).second)
            files.push_back(describeTrace(tree, file));
        else
            copies.push_back(file);
    }
    auto units = groupIntoRuns(tree, RunFolders(tree), std::move(files),
        [&tree](const TraceFile& file) { return traceExtent(tree, file.file.path); });
    for (const SourceFile& copy : copies) {
        const auto original = std::find_if(units.begin(), units.end(),
            [path = originals[std::string(unpacked(copy.path))]](
                const ImportUnit& unit) { return unit.path == path; });
        units.push_back(copyOf(*original, copy));
    }
    return units;
}

// The traces that planTraces() puts into the run of this one as its other ranks.
std::vector<std::string> otherRanks(const SourceTree& tree, const std::string& path) {
    const RunFolders folders(tree);
    const std::string place = placeOf(folders, path);
    std::vector<SourceFile> files;
    std::copy_if(tree.files().begin(), tree.files().end(), std::back_inserter(files),
        [&](const SourceFile& file) {
            return placeOf(folders, file.path) == place && isTrace(tree, file);
        });
    if (files.size() < 2)
        return {};
    const auto units = planTraces(tree, files);
    const auto own = std::ranges::find(units, path, &ImportUnit::path);
    std::vector<std::string> others;
    for (const ImportUnit& unit : units) {
        const bool isRank = own != units.end() && unit.enabled && unit.rank != own->rank;
        if (isRank && unit.runName == own->runName)
            others.push_back(unit.path);
    }
    return others;
}

constexpr int kUsualGpusPerNode = 8;

std::string pathOf(const ImportUnit& unit) {
    return unit.files.empty() ? unit.path : unit.files.front();
}

std::string listOf(const std::vector<int>& numbers) {
    std::string text;
    for (const int number : numbers)
        text += (text.empty() ? "" : ", ") + std::to_string(number);
    return text;
}

// One import of one trace file, from opening it to the report.
class TraceImport {
public:
    // `read`: of a trace that is no text.
    TraceImport(
        const SourceTree& tree, const ImportUnit& unit, Sink& sink, const ReadEvents& read = {})
        : m_tree(tree)
        , m_unit(unit)
        , m_sink(sink)
        , m_read(read)
        , m_rank(unit.rank.value_or(0))
        , m_path(pathOf(unit))
        , m_bytesOnDisk(tree.sizeOf(m_path))
        , m_output(sink, m_rank)
        , m_mapper(sink, m_output, m_report, m_path, [this] { return writeHeld(); }) {
        m_report.importer = "kineto 1";
    }

    Result<ImportReport> run(const Progress& progress) {
        m_progress = progress;
        RETURN_IF_ERROR(readOperators());
        ASSIGN_OR_RETURN(const auto read, m_read ? m_read(m_mapper, progress) : readText(progress));
        m_report.bytes = read.bytes;
        if (m_mapper.eventCount() == 0)
            return nothingUsable(read.bytes);
        RETURN_IF_ERROR(finish(read.isTruncated));
        return std::move(m_report);
    }

private:
    Result<ReadResult> readText(const Progress& progress) {
        ASSIGN_OR_RETURN(auto stream, m_tree.open(m_path));
        const std::string phase = "Reading rank " + std::to_string(m_rank);
        TraceReader reader(*stream, m_bytesOnDisk, phase, &WorkerPool::shared());
        return reader.run(m_mapper, progress);
    }

    // Reads the operators in the execution trace of the same process.
    Status readOperators() {
        if (m_unit.partner.empty())
            return {};
        const auto read = readExecutionTrace(
            m_tree, m_unit.partner,
            [this](const TraceNode& node) {
                m_operators.add(node);
                return Status();
            },
            m_progress);
        if (!read.hasValue() && read.error().code == ErrorCode::Cancelled)
            return read.error();
        if (!read.hasValue())
            m_report.lost(m_unit.partner, 0, read.error().message);
        if (m_operators.leftOut() > 0)
            m_report.lost(m_unit.partner, 0,
                "its operators are more than fit in memory; the last "
                    + std::to_string(m_operators.leftOut()) + " were left out");
        m_mapper.setOperators(&m_operators);
        return {};
    }

    // Writes what is held back, as soon as the base time is known or has been looked up.
    Status writeHeld() {
        if (!m_base)
            m_base = knownBase();
        if (!m_base) {
            ASSIGN_OR_RETURN(const auto found, findBaseTime(m_tree, m_path, m_progress));
            if (found.ns)
                m_base = DurationNs{*found.ns};
            else if (found.isCutShort)
                RETURN_IF_ERROR(takeBaseOfRun());
            m_base = m_base.value_or(DurationNs{0});
        }
        if (!m_run)
            RETURN_IF_ERROR(describeRun(RunStatus::Ok));
        return m_output.flush(*m_run, *m_base);
    }

    Status finish(bool isTruncated) {
        m_mapper.finish();
        // The whole trace has been read: what the base is now, it is.
        const TraceHeader& header = m_mapper.traceHeader();
        if (!m_base)
            m_base = knownBase();
        if (!m_base && isTruncated)
            RETURN_IF_ERROR(takeBaseOfRun());
        m_base = m_base.value_or(DurationNs{0});
        if (auto status = describeRun(isTruncated ? RunStatus::Partial : RunStatus::Ok);
            !status.hasValue())
            return status;
        RETURN_IF_ERROR(describeGpu());
        RETURN_IF_ERROR(m_output.flush(*m_run, *m_base));
        RETURN_IF_ERROR(m_output.flushIterations(*m_run, *m_base));
        for (const std::string& doubt : m_output.doubts())
            m_report.warn(m_path, 0, doubt);
        RETURN_IF_ERROR(m_output.flushCapture(*m_run, captureName(m_path)));
        m_report.facts.insert(header.facts.begin(), header.facts.end());
        if (const auto process = processInStem(traceStem(m_path)); !process.empty())
            m_report.facts.emplace("host", process.substr(0, process.rfind('_')));
        if (const auto records = m_mapper.memoryRecords(*m_base); !records.empty())
            m_report.facts[std::string(analysis::kAllocatorFact)]
                = analysis::allocatorText(records);
        describeClock();
        if (const auto devices = m_output.devices(); !devices.empty())
            m_report.facts["devices"] = listOf(devices);
        if (const auto model = header.deviceName(std::max(m_output.firstDevice(), 0));
            !model.empty())
            m_report.facts["GPU"] = model;
        if (!m_operators.isEmpty()) {
            m_report.counts["operators of the execution trace"] = m_operators.size();
            m_report.counts["operators with its shapes"] = m_operators.matched();
            if (m_operators.matched() == 0)
                m_report.warn(m_path, 0,
                    "none of the " + std::to_string(m_operators.size()) + " operators of "
                        + std::string(namePart(m_unit.partner))
                        + " was found in this trace (by \"Record function id\"): their shapes stay "
                          "unknown");
        }
        m_report.ranksExpected = header.worldSize;
        m_report.ranksFound = {m_rank};
        if (header.rank && *header.rank != m_rank)
            m_report.warn(m_path, 0,
                "the trace says rank " + std::to_string(*header.rank) + ", imported as rank "
                    + std::to_string(m_rank));
        return {};
    }

    Status describeRun(RunStatus status) {
        const TraceHeader& header = m_mapper.traceHeader();
        Run run;
        run.name = m_unit.runName;
        run.status = status;
        run.worldSize = header.worldSize > 0 ? header.worldSize : m_unit.worldSize;
        run.gpuModel = header.deviceName(std::max(m_output.firstDevice(), 0));
        ASSIGN_OR_RETURN(const auto id, m_sink.run(run));
        m_run = id;
        return {};
    }

    Status describeGpu() {
        const int device = m_output.firstDevice();
        if (device < 0)
            return {};
        const TraceHeader& header = m_mapper.traceHeader();
        // With one visible GPU per process the device number says nothing about the node.
        const auto visible = static_cast<int>(header.deviceNames.size());
        const int worldSize = header.worldSize;
        const bool isNodeKnown = visible > 1 && (worldSize == 0 || worldSize % visible == 0);
        const int perNode = isNodeKnown ? visible : kUsualGpusPerNode;
        Gpu gpu;
        gpu.rank = m_rank;
        gpu.node = m_rank / perNode;
        gpu.local = isNodeKnown ? device : m_rank % perNode;
        gpu.model = header.deviceName(device);
        if (const auto uuid = header.deviceUuids.find(device); uuid != header.deviceUuids.end())
            gpu.uuid = uuid->second;
        if (const auto pci = header.devicePciAddresses.find(device);
            pci != header.devicePciAddresses.end())
            tellGpus(m_report, {}, {{m_rank, pci->second}});
        return m_sink.gpu(*m_run, gpu);
    }

    // As far as what has been read tells.
    [[nodiscard]] std::optional<DurationNs> knownBase() const {
        if (hasAbsoluteTimes())
            return DurationNs{0};
        const auto& written = m_mapper.traceHeader().baseNs;
        if (!written && m_read)
            return DurationNs{0};
        return written ? std::optional(DurationNs{*written}) : std::nullopt;
    }

    // For a trace that has lost its own: that of another rank of its run, where one says it.
    Status takeBaseOfRun() {
        for (const std::string& path : otherRanks(m_tree, m_path)) {
            const auto found = findBaseTime(m_tree, path, m_progress);
            if (!found.hasValue() && found.error().code == ErrorCode::Cancelled)
                return found.error();
            if (!found.hasValue() || !found.value().ns)
                continue;
            m_base = DurationNs{*found.value().ns};
            m_baseFrom = path;
            return {};
        }
        return {};
    }

    [[nodiscard]] bool hasAbsoluteTimes() const {
        return isAbsolute(m_mapper.firstTime().value_or(TimeNs{0}));
    }

    void describeClock() {
        if (hasAbsoluteTimes()) {
            m_report.facts["clock"] = "UTC, as written";
        } else if (m_mapper.traceHeader().baseNs) {
            m_report.facts["clock"] = "UTC, from baseTimeNanoseconds";
        } else if (!m_baseFrom.empty()) {
            const std::string other(namePart(m_baseFrom));
            m_report.facts["clock"] = "UTC, from baseTimeNanoseconds of " + other;
            m_report.warn(m_path, 0,
                "the trace is cut short, and its baseTimeNanoseconds is lost: that of " + other
                    + ", another rank of the run, was taken");
        } else {
            m_report.facts["clock"] = "relative: the trace has no base time";
            m_report.warn(m_path, 0,
                "the trace has no baseTimeNanoseconds: its times count from an unknown moment");
        }
    }

    [[nodiscard]] Error nothingUsable(std::uint64_t bytes) const {
        std::string message = "There is no trace event in this file; a Kineto trace has an array "
                              "\"traceEvents\" of objects. ";
        if (bytes == 0)
            message += "The file is empty.";
        else if (m_mapper.traceHeader().isExecutionTrace)
            message += "It is an execution trace (\"nodes\"): record the run with torch.profiler "
                       "instead.";
        else
            message += "Found " + std::to_string(bytes) + " bytes of something else.";
        return {ErrorCode::Unrecognised, message, m_tree.displayPath(m_path)};
    }

    const SourceTree& m_tree;
    const ImportUnit& m_unit;
    Sink& m_sink;
    ReadEvents m_read;
    int m_rank;
    std::string m_path;
    std::uint64_t m_bytesOnDisk;
    Progress m_progress;
    ImportReport m_report;
    OperatorDetails m_operators;
    TraceOutput m_output;
    EventMapper m_mapper;
    std::optional<RunId> m_run;
    std::optional<DurationNs> m_base;
    std::string m_baseFrom; // the trace that said it; empty: this one, or none
};

Result<UsedGpu> usedGpu(const SourceTree& tree, const ImportUnit& unit, const Progress& progress) {
    return usedGpuOf(tree, pathOf(unit), progress);
}

} // namespace

Result<ImportReport> importEvents(const SourceTree& tree, const ImportUnit& unit, Sink& sink,
    const Progress& progress, const ReadEvents& read) {
    return TraceImport(tree, unit, sink, read).run(progress);
}

constinit const Importer kImporter{
    {"kineto", "PyTorch Kineto trace",
        "PyTorch Kineto traces, one file per rank, .json or .json.gz", Joins::OwnRun,
        LaunchSettings::Beside, "\"ph\"", "Kineto trace", "Kineto traces"},
    sniffTrace, planTraces, importBy<TraceImport>, nullptr, nullptr, nullptr, nullptr, nullptr,
    usedGpu};

} // namespace trainscope::importers::kineto
