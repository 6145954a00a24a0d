#include "importers/rocprof/ToolRecords.h"

#include "importers/common/JsonMembers.h"
#include "importers/common/JsonText.h"

#include <algorithm>
#include <utility>

namespace trainscope::importers::rocprof {

namespace {

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

} // namespace

ToolRecord toolRecordFrom(std::string_view object) {
    ToolRecord record;
    readFields(object, {}, record);
    return record;
}

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

} // namespace trainscope::importers::rocprof
