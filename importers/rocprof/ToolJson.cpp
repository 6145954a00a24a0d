#include "importers/rocprof/Forms.h"

#include "core/model/Try.h"
#include "importers/common/JsonMembers.h"
#include "importers/common/JsonPaths.h"
#include "importers/common/JsonText.h"
#include "importers/rocprof/TraceImport.h"
#include "importers/rocprof/Words.h"
#include "importers/trace/LauncherVariables.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
constexpr std::array kFields{
    RecordField{"start_timestamp", &ToolRecord::start},
    RecordField{"end_timestamp", &ToolRecord::end},
    RecordField{"kind", &ToolRecord::kind},
    RecordField{"operation", &ToolRecord::operation},
    RecordField{"thread_id", &ToolRecord::thread},
    RecordField{"correlation_id.internal", &ToolRecord::correlation},
    RecordField{"stream_id.handle", &ToolRecord::stream},
    RecordField{"dispatch_info.queue_id.handle", &ToolRecord::queue},
    RecordField{"dispatch_info.agent_id.handle", &ToolRecord::agent},
    RecordField{"src_agent_id.handle", &ToolRecord::source},
    RecordField{"dst_agent_id.handle", &ToolRecord::target},
    RecordField{"dispatch_info.kernel_id", &ToolRecord::kernel},
    RecordField{"bytes", &ToolRecord::bytes},
    RecordField{"dispatch_info.group_segment_size", &ToolRecord::localMemory},
};

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

// A member of an object as text; empty: there is none.
std::string memberOf(std::string_view object, std::string_view name) {
    std::string text;
    forEachMember(object, [&](std::string_view key, const JsonToken& value) {
        std::string storage;
        if (key == name)
            text = value.kind == TokenKind::String ? plainText(value, storage) : value.text;
    });
    return text;
}

std::int64_t numberOfMember(std::string_view object, std::string_view name, std::int64_t other) {
    std::int64_t number = other;
    forEachMember(object, [&](std::string_view key, const JsonToken& value) {
        if (key == name)
            number = integerOf(value).value_or(other);
    });
    return number;
}

// A text with what a scanner may read behind it.
std::string padded(std::string text) {
    text.append(JsonScanner::kPadding, '\0');
    return text;
}

void takeAgent(std::string_view text, ToolProcess& process) {
    constexpr std::int64_t kGpuType = 2;
    if (numberOfMember(text, "type", 0) != kGpuType)
        return;
    ToolAgent agent;
    const std::string id = padded(memberOf(text, "id"));
    agent.handle = numberOfMember(
        std::string_view(id).substr(0, id.size() - JsonScanner::kPadding), "handle", -1);
    agent.node = numberOfMember(text, "node_id", 0);
    agent.model = memberOf(text, "product_name");
    if (agent.model.empty())
        agent.model = memberOf(text, "name");
    const auto place = std::upper_bound(process.gpus.begin(), process.gpus.end(), agent,
        [](const ToolAgent& a, const ToolAgent& b) { return a.node < b.node; });
    process.gpus.insert(place, std::move(agent));
}

void takeSymbol(std::string_view text, ToolProcess& process) {
    KernelSymbol symbol;
    for (const char* key : {"formatted_kernel_name", "demangled_kernel_name", "kernel_name"}) {
        if (symbol.name.empty())
            symbol.name = memberOf(text, key);
    }
    if (symbol.name.ends_with(".kd"))
        symbol.name.resize(symbol.name.size() - 3);
    symbol.registers = numberOfMember(text, "arch_vgpr_count", 0);
    if (process.symbols.size() < kMostNames)
        process.symbols[numberOfMember(text, "kernel_id", -1)] = std::move(symbol);
}

void takeNames(std::string_view text, ToolProcess& process) {
    CallNames names;
    names.kind = memberOf(text, "kind");
    const std::string list = padded(memberOf(text, "operations"));
    const char* end = list.data() + list.size() - JsonScanner::kPadding;
    JsonScanner scanner(list.data(), end);
    if (scanner.peek() == '[')
        scanner.advance();
    while (scanner.position() < end && scanner.peek() == '"') {
        JsonToken name;
        if (scanner.string(name) != Scan::Ok)
            break;
        std::string storage;
        names.operations.emplace_back(plainText(name, storage));
        if (scanner.peek() == ',')
            scanner.advance();
    }
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
    switch (place) {
    case Place::Metadata: {
        process.pid = numberOfMember(object, "pid", 0);
        LauncherVariables variables;
        variables.takeJson(memberOf(object, "environment"));
        process.launched = variables.rank();
        break;
    }
    case Place::Agents:
        takeAgent(object, process);
        break;
    case Place::Symbols:
        takeSymbol(object, process);
        break;
    case Place::Names:
        takeNames(object, process);
        break;
    case Place::Markers:
        if (process.markers.size() < kMostNames)
            process.markers[numberOfMember(object, "key", -1)] = memberOf(object, "value");
        break;
    case Place::Calls:
    case Place::Work:
        break;
    }
}

constexpr std::int64_t kAskEvery = 1024; // records

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

std::vector<std::string_view> pathsOf(bool isSmall) {
    std::vector<std::string_view> paths;
    for (const auto& [path, place] : kPlaces) {
        const bool isRecord = place == Place::Calls || place == Place::Work;
        if (!isSmall || !isRecord)
            paths.emplace_back(path);
    }
    return paths;
}

// Reads a file once, and hands over what stands in the wanted places.
class ToolReading {
public:
    ToolReading(const SourceTree& tree, std::string path, const Progress& progress)
        : m_tree(tree)
        , m_path(std::move(path))
        , m_progress(progress) { }

    // The visitor's `false` ends it.
    using Visit = std::function<Result<bool>(Place, std::size_t process, std::string_view)>;
    Status read(bool isSmall, const Visit& visit) {
        ASSIGN_OR_RETURN(auto stream, m_tree.open(m_path));
        const auto paths = pathsOf(isSmall);
        JsonPaths objects(*stream, paths);
        for (std::int64_t count = 1;; ++count) {
            const auto found = objects.next();
            m_bytes = objects.bytes();
            m_leftOut = objects.leftOut();
            if (!found.hasValue()) {
                m_problem = found.error().message;
                return {};
            }
            if (!found.value())
                return {};
            const auto& place = *std::find_if(kPlaces.begin(), kPlaces.end(),
                [&](const auto& one) { return paths[found.value()->path] == one.first; });
            ASSIGN_OR_RETURN(const bool goesOn,
                visit(place.second,
                    static_cast<std::size_t>(std::max<std::int64_t>(found.value()->outer, 0)),
                    found.value()->text));
            if (!goesOn)
                return {};
            if (count % kAskEvery == 0 && m_progress
                && !m_progress(
                    {"Reading the trace", stream->bytesConsumed(), m_tree.sizeOf(m_path)}))
                return cancelled();
        }
    }

    std::uint64_t m_bytes = 0;
    std::int64_t m_leftOut = 0;
    std::string m_problem; // why it ended early

private:
    const SourceTree& m_tree;
    std::string m_path;
    const Progress& m_progress;
};

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
        , m_reading(tree, unit.path, progress) { }

    Result<ImportReport> run() {
        RETURN_IF_ERROR(
            m_reading.read(true, [&](Place place, std::size_t process, std::string_view text) {
                takeSmall(place, text, processAt(m_processes, process));
                return Result<bool>(true);
            }));
        std::vector<std::int64_t> pids;
        for (const ToolProcess& process : m_processes)
            pids.push_back(process.pid);
        TraceImport into(m_tree, m_unit, m_sink, pids);
        std::vector<std::string> models;
        if (!m_processes.empty()) {
            for (const ToolAgent& agent : m_processes.front().gpus)
                models.push_back(agent.model);
        }
        RETURN_IF_ERROR(into.begin(models.empty() ? m_unit.gpuModel : models.front()));
        RETURN_IF_ERROR(pass(Place::Calls, into));
        into.writer().nest();
        RETURN_IF_ERROR(pass(Place::Work, into));
        if (!m_reading.m_problem.empty())
            into.lose(m_reading.m_problem);
        RETURN_IF_ERROR(into.finish({models, {}}));
        into.report().bytes = m_reading.m_bytes;
        into.report().skipped += m_reading.m_leftOut;
        return std::move(into.report());
    }

private:
    Status pass(Place wanted, TraceImport& into) {
        return m_reading.read(
            false, [&](Place place, std::size_t process, std::string_view text) -> Result<bool> {
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
    ToolReading m_reading;
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
    ToolReading reading(tree, file.path, noProgress);
    const Status read
        = reading.read(false, [&](Place place, std::size_t process, std::string_view text) {
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
