
#include "core/model/Gather.h"
#include "importers/common/FileLines.h"
#include "importers/common/JsonCursor.h"
#include "importers/common/NodeValues.h"
#include "importers/rocprof/TraceImport.h"
#include "importers/trace/TraceName.h"

namespace trainscope::importers::rocprof {
namespace {

// Process in a JSON of rocprofv3: its agents, kernels and names, and its records.

// The paths below "rocprofiler-sdk-tool".
enum class Place : std::size_t { Metadata, Agents, Symbols, Names, Markers, Calls, Work };
// A call, a dispatch or a copy; what is not said is negative, or 0.
struct ToolRecord {
    std::int64_t start = -1;
    std::int64_t end = -1;
    std::int64_t kind = -1;
    std::int64_t operation = -1;
    std::int64_t thread = 0;
    std::int64_t correlation = 0;
    std::int64_t stream = -1;
    std::int64_t queue = 0;
    std::int64_t agent = -1;
    std::int64_t source = -1;
    std::int64_t target = -1;
    std::int64_t kernel = -1;
    std::int64_t bytes = -1;
    std::int64_t localMemory = -1;
    std::array<std::int64_t, 3> grid{};
    std::array<std::int64_t, 3> workgroup{};
};

struct KernelSymbol {
    std::string name;
    std::int64_t registers = 0;
};

struct ToolAgent {
    std::int64_t handle = -1;
    std::int64_t node = 0;
    std::string model;
};

struct CallNames {
    std::string kind; // "HIP_RUNTIME_API"
    std::vector<std::string> operations;
};

// Facts that one process has before its records.
struct ToolProcess {
    std::int64_t pid = 0;
    LaunchedRank launched;
    std::vector<ToolAgent> gpus; // in the machine's order
    std::map<std::int64_t, KernelSymbol> symbols;
    std::vector<CallNames> names; // by kind
    std::map<std::int64_t, std::string> markers; // by correlation

    [[nodiscard]] int deviceOf(std::int64_t handle) const {
        for (std::size_t i = 0; i < gpus.size(); ++i) {
            if (gpus[i].handle == handle)
                return static_cast<int>(i);
        }
        return -1;
    }
    [[nodiscard]] const CallNames* namesOf(const ToolRecord& record) const {
        return record.kind >= 0 && record.kind < static_cast<std::int64_t>(names.size())
            ? &names[static_cast<std::size_t>(record.kind)]
            : nullptr;
    }
    [[nodiscard]] std::string nameOf(const ToolRecord& record) const {
        const CallNames* of = namesOf(record);
        const bool isNamed = of != nullptr && record.operation >= 0
            && record.operation < static_cast<std::int64_t>(of->operations.size());
        return isNamed ? of->operations[static_cast<std::size_t>(record.operation)]
                       : std::string("?");
    }
};

constexpr std::size_t kMostNames = std::size_t{1} << 20;

struct RecordField {
    std::string_view path;
    std::int64_t ToolRecord::*member;
};
constexpr auto kFields = std::to_array<RecordField>({
    {"start_timestamp", &ToolRecord::start},
    {"end_timestamp", &ToolRecord::end},
    {"kind", &ToolRecord::kind},
    {"operation", &ToolRecord::operation},
    {"thread_id", &ToolRecord::thread},
    {"correlation_id.internal", &ToolRecord::correlation},
    {"stream_id.handle", &ToolRecord::stream},
    {"dispatch_info.queue_id.handle", &ToolRecord::queue},
    {"dispatch_info.agent_id.handle", &ToolRecord::agent},
    {"src_agent_id.handle", &ToolRecord::source},
    {"dst_agent_id.handle", &ToolRecord::target},
    {"dispatch_info.kernel_id", &ToolRecord::kernel},
    {"bytes", &ToolRecord::bytes},
    {"dispatch_info.group_segment_size", &ToolRecord::localMemory},
});

void readFields(std::string_view object, const std::string& before, ToolRecord& record) {
    forEachMember(object, [&](std::string_view key, const JsonToken& value) {
        const std::string path = before + std::string(key);
        constexpr std::size_t kDeepestPath = 64;
        if (value.kind == TokenKind::Object && path.size() < kDeepestPath)
            return readFields(value.text, path + ".", record);
        const auto number = integerOf(value);
        if (!number)
            return;
        for (const RecordField& field : kFields) {
            if (field.path == path)
                record.*field.member = *number;
        }
        for (std::size_t i = 0; i < 3; ++i) {
            const char axis = static_cast<char>('x' + i);
            if (path == std::string("dispatch_info.grid_size.") + axis)
                record.grid[i] = *number;
            else if (path == std::string("dispatch_info.workgroup_size.") + axis)
                record.workgroup[i] = *number;
        }
    });
}

std::int64_t integerIn(const NodeJson& object, const char* key, std::int64_t other) {
    return jsonInteger(jsonMember(object, key)).value_or(other);
}

void takeAgent(const NodeJson& json, ToolProcess& process) {
    constexpr std::int64_t kGpuType = 2;
    if (jsonInteger(jsonMember(json, "type")) != kGpuType)
        return;
    ToolAgent agent;
    if (const NodeJson* id = jsonMember(json, "id"))
        agent.handle = integerIn(*id, "handle", -1);
    agent.node = integerIn(json, "node_id", 0);
    agent.model = jsonText(jsonMember(json, "product_name"));
    if (agent.model.empty())
        agent.model = jsonText(jsonMember(json, "name"));
    const auto place = std::upper_bound(process.gpus.begin(), process.gpus.end(), agent,
        [](const ToolAgent& a, const ToolAgent& b) { return a.node < b.node; });
    process.gpus.insert(place, std::move(agent));
}

void takeSymbol(const NodeJson& json, ToolProcess& process) {
    KernelSymbol symbol;
    for (const char* key : {"formatted_kernel_name", "demangled_kernel_name", "kernel_name"}) {
        if (symbol.name.empty())
            symbol.name = jsonText(jsonMember(json, key));
    }
    if (symbol.name.ends_with(".kd"))
        symbol.name.resize(symbol.name.size() - 3);
    symbol.registers = integerIn(json, "arch_vgpr_count", 0);
    if (process.symbols.size() < kMostNames)
        process.symbols[integerIn(json, "kernel_id", -1)] = std::move(symbol);
}

void takeNames(const NodeJson& json, ToolProcess& process) {
    CallNames names;
    names.kind = jsonText(jsonMember(json, "kind"));
    const NodeJson* list = jsonMember(json, "operations");
    for (std::size_t i = 0; list != nullptr && list->is_array() && i < list->size(); ++i)
        names.operations.push_back(jsonText(&(*list)[i]));
    if (process.names.size() < kMostNames)
        process.names.push_back(std::move(names));
}

// `object` is followed by JsonScanner::kPadding readable bytes, here and below.
ToolRecord toolRecordFrom(std::string_view object) {
    ToolRecord record;
    readFields(object, {}, record);
    return record;
}

// An object of any place but the records.
void takeSmall(Place place, std::string_view object, ToolProcess& process) {
    const NodeJson json
        = place == Place::Calls || place == Place::Work ? NodeJson() : parsedJson(object);
    switch (place) {
    case Place::Metadata: {
        process.pid = integerIn(json, "pid", 0);
        LauncherVariables variables;
        if (const NodeJson* environment = jsonMember(json, "environment"))
            variables.takeJson(dumpedJson(*environment));
        process.launched = variables.rank();
        break;
    }
    case Place::Agents:
        takeAgent(json, process);
        break;
    case Place::Symbols:
        takeSymbol(json, process);
        break;
    case Place::Names:
        takeNames(json, process);
        break;
    case Place::Markers:
        if (process.markers.size() < kMostNames)
            process.markers[integerIn(json, "key", -1)] = jsonText(jsonMember(json, "value"));
        break;
    case Place::Calls:
    case Place::Work:
        break;
    }
}

// The paths of a file, and what stands there.
constexpr std::array kPlaces{
    std::pair{"rocprofiler-sdk-tool/metadata", Place::Metadata},
    std::pair{"rocprofiler-sdk-tool/agents", Place::Agents},
    std::pair{"rocprofiler-sdk-tool/kernel_symbols", Place::Symbols},
    std::pair{"rocprofiler-sdk-tool/strings/buffer_records", Place::Names},
    std::pair{"rocprofiler-sdk-tool/strings/marker_api", Place::Markers},
    std::pair{"rocprofiler-sdk-tool/buffer_records/hip_api", Place::Calls},
    std::pair{"rocprofiler-sdk-tool/buffer_records/hsa_api", Place::Calls},
    std::pair{"rocprofiler-sdk-tool/buffer_records/marker_api", Place::Calls},
    std::pair{"rocprofiler-sdk-tool/buffer_records/rccl_api", Place::Calls},
    std::pair{"rocprofiler-sdk-tool/buffer_records/kernel_dispatch", Place::Work},
    std::pair{"rocprofiler-sdk-tool/buffer_records/memory_copy", Place::Work},
};

constexpr std::size_t kSmallPlaces = 5; // the first of them

// Reads a file once, or its small places alone; the visitor's `false` ends it.
Result<ObjectsRead> readTool(const SourceTree& tree, const std::string& path, bool isSmall,
    const Progress& progress,
    const std::function<Result<bool>(Place, std::size_t process, std::string_view)>& visit) {
    std::vector<std::string_view> paths;
    for (const auto& [name, place] : kPlaces)
        paths.emplace_back(name);
    paths.resize(isSmall ? kSmallPlaces : kPlaces.size());
    return readObjects(tree, path, std::move(paths), "Reading the trace", progress,
        [&visit](const JsonPaths::Found& found) {
            return visit(kPlaces[found.path].second,
                static_cast<std::size_t>(std::max<std::int64_t>(found.outer, 0)), found.text);
        });
}

ToolProcess& processAt(std::vector<ToolProcess>& processes, std::size_t index) {
    constexpr std::size_t kMostProcesses = 4096;
    const std::size_t place = std::min(index, kMostProcesses - 1);
    if (processes.size() <= place)
        processes.resize(place + 1);
    return processes[place];
}

class ToolImport {
public:
    ToolImport(const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress)
        : m_tree(tree)
        , m_unit(unit)
        , m_sink(sink)
        , m_progress(progress) { }

    Result<ImportReport> run() {
        RETURN_IF_ERROR(readTool(m_tree, m_unit.path, true, m_progress,
            [&](Place place, std::size_t process, std::string_view text) {
                takeSmall(place, text, processAt(m_processes, process));
                return Result<bool>(true);
            }));
        const std::vector<std::int64_t> pids = vectorOf(m_processes, &ToolProcess::pid);
        TraceImport into(m_tree, m_unit, m_sink, pids);
        std::vector<std::string> models;
        if (!m_processes.empty()) {
            for (const ToolAgent& agent : m_processes.front().gpus)
                models.push_back(agent.model);
        }
        RETURN_IF_ERROR(into.begin(models.empty() ? m_unit.gpuModel : models.front()));
        RETURN_IF_ERROR(pass(Place::Calls, into));
        into.writer().nest();
        ASSIGN_OR_RETURN(const auto read, pass(Place::Work, into));
        if (!read.problem.empty())
            into.lose(read.problem);
        RETURN_IF_ERROR(into.finish({models, {}}));
        into.report().bytes = read.bytes;
        into.report().skipped += read.leftOut;
        return std::move(into.report());
    }

private:
    Result<ObjectsRead> pass(Place wanted, TraceImport& into) {
        return readTool(m_tree, m_unit.path, false, m_progress,
            [&](Place place, std::size_t process, std::string_view text) -> Result<bool> {
                if (place != wanted)
                    return true;
                ++into.report().rows;
                const ToolProcess& of = processAt(m_processes, process);
                const ToolRecord record = toolRecordFrom(text);
                RETURN_IF_ERROR(wanted == Place::Calls ? call(of, record, into.writer())
                                                       : work(of, record, into));
                return true;
            });
    }

    static Status call(
        const ToolProcess& process, const ToolRecord& record, ProfileWriter& writer) {
        const auto range = writer.rangeOf(record.start, record.end);
        if (!range)
            return {};
        const CallNames* names = process.namesOf(record);
        ProfiledCall call;
        call.process = process.pid;
        call.thread = record.thread;
        call.range = *range;
        call.correlation = record.correlation;
        call.kind = callKindOf(names == nullptr ? std::string_view() : names->kind);
        const auto marker = process.markers.find(record.correlation);
        const std::string name
            = call.kind == SpanKind::Annotation && marker != process.markers.end()
            ? marker->second
            : process.nameOf(record);
        call.name = name;
        return writer.call(call);
    }

    static Status work(const ToolProcess& process, const ToolRecord& record, TraceImport& into) {
        const auto range = into.writer().rangeOf(record.start, record.end);
        if (!range)
            return {};
        const bool isKernel = record.kernel >= 0;
        ProfiledWork work;
        work.process = process.pid;
        const int device = isKernel
            ? process.deviceOf(record.agent)
            : std::max(process.deviceOf(record.target), process.deviceOf(record.source));
        work.device = std::max(device, 0);
        const std::string stream = record.stream > 0 || !isKernel
            ? std::to_string(std::max<std::int64_t>(record.stream, 0))
            : std::to_string(record.queue);
        work.stream = stream;
        work.range = *range;
        work.correlation = record.correlation;
        const auto symbol = process.symbols.find(record.kernel);
        const std::string name = !isKernel    ? copyName(process.nameOf(record))
            : symbol == process.symbols.end() ? "kernel " + std::to_string(record.kernel)
                                              : symbol->second.name;
        work.name = name;
        if (isKernel) {
            KernelShape shape{record.grid, record.workgroup, std::nullopt, std::nullopt};
            if (symbol != process.symbols.end() && symbol->second.registers > 0)
                shape.registers = symbol->second.registers;
            if (record.localMemory >= 0)
                shape.localMemory = record.localMemory;
            rocprof::describe(shape, into.detail());
        } else {
            work.kind = SpanKind::Copy;
            if (record.bytes >= 0)
                into.detail().add("bytes", record.bytes);
        }
        return into.writer().work(work, into.detail());
    }

    const SourceTree& m_tree;
    const ImportUnit& m_unit;
    Sink& m_sink;
    const Progress& m_progress;
    std::vector<ToolProcess> m_processes;
};

} // namespace

bool isToolJson(std::string_view head) {
    constexpr std::size_t kBegin = 256;
    return head.find("\"rocprofiler-sdk-tool\"") < kBegin;
}

TraceFacts factsOfToolJson(const SourceTree& tree, const SourceFile& file) {
    TraceFacts facts;
    facts.kind = "rocprof JSON";
    const Progress noProgress;
    std::vector<ToolProcess> processes;
    const auto read = readTool(tree, file.path, false, noProgress,
        [&](Place place, std::size_t process, std::string_view text) {
            takeSmall(place, text, processAt(processes, process));
            if (place == Place::Calls || place == Place::Work)
                facts.firstNs = toolRecordFrom(text).start;
            return Result<bool>(!facts.firstNs);
        });
    if (!read.hasValue())
        facts.problem = read.error().describe();
    if (processes.empty())
        return facts;
    const ToolProcess& first = processes.front();
    facts.rank = first.launched.rank;
    facts.worldSize = first.launched.worldSize;
    facts.gpusPerNode = first.gpus.size() > 1 ? static_cast<int>(first.gpus.size()) : 0;
    facts.gpuModel = first.gpus.empty() ? std::string() : first.gpus.front().model;
    return facts;
}

Result<ImportReport> importToolJson(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress) {
    return ToolImport(tree, unit, sink, progress).run();
}

} // namespace trainscope::importers::rocprof
