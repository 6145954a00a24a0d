#include "importers/common/ExecutionTrace.h"

#include "core/model/Try.h"
#include "importers/common/JsonPaths.h"
#include "importers/common/MessageFields.h"
#include "importers/common/NodeValues.h"

namespace trainscope::importers {
namespace {

// The nodes of execution traces in their encodings, made alike.

// A varint at the front of `text`, which is moved behind it; absent where it does not end.
std::optional<std::uint64_t> takeVarint(std::string_view& text) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < 10 && i < text.size(); ++i) {
        value |= static_cast<std::uint64_t>(text[i] & 0x7F) << (7 * i);
        if ((text[i] & 0x80) == 0) {
            text.remove_prefix(i + 1);
            return value;
        }
    }
    return std::nullopt;
}

NodeJson fromPython(const NodeJson* side, const char* key) {
    const NodeJson* value = side == nullptr ? nullptr : jsonMember(*side, key);
    if (value == nullptr)
        return NodeJson::array();
    return value->is_string() ? parsedJson(jsonFromPython(value->get_ref<const std::string&>()))
                              : *value;
}

NodeSides sidesOf(const NodeJson& object) {
    const NodeJson* in = jsonMember(object, "inputs");
    const NodeJson* out = jsonMember(object, "outputs");
    if (in != nullptr && in->is_array()) { // schema 1.0.1 and older
        const auto listOf = [&object](const char* key) {
            const NodeJson* list = jsonMember(object, key);
            return list == nullptr ? NodeJson::array() : *list;
        };
        return {*in, listOf("input_shapes"), listOf("input_types"), NodeJson::array(),
            out == nullptr ? NodeJson::array() : *out, listOf("output_shapes"),
            listOf("output_types")};
    }
    return {fromPython(in, "values"), fromPython(in, "shapes"), fromPython(in, "types"),
        fromPython(in, "strides"), fromPython(out, "values"), fromPython(out, "shapes"),
        fromPython(out, "types")};
}

// The value of a Chakra attribute, which stands under the name of its type.
const NodeJson* typedValue(const NodeJson& attribute) {
    for (const auto& [key, value] : attribute.items()) {
        if (key == "value" || key.ends_with("Val") || key.ends_with("_val"))
            return &value;
    }
    return nullptr;
}

std::optional<std::int64_t> firstOf(
    const NodeJson& object, std::initializer_list<const char*> keys) {
    for (const char* key : keys) {
        const NodeJson* found = jsonMember(object, key);
        if (found != nullptr && found->is_array())
            found = found->empty() ? nullptr : &(*found)[0];
        if (const auto value = jsonInteger(found))
            return value;
    }
    return std::nullopt;
}

void takeJsonAttributes(const NodeJson& object, TraceNode& node) {
    NodeAttributes attributes(node);
    for (const char* list : {"attrs", "attr"}) {
        const NodeJson* all = jsonMember(object, list);
        if (all == nullptr || !all->is_array())
            continue;
        for (const NodeJson& one : *all) {
            const NodeJson* value = one.is_object() ? typedValue(one) : nullptr;
            if (value != nullptr)
                attributes.take(jsonText(jsonMember(one, "name")), *value);
        }
    }
    for (const char* key : {"rf_id", "tid", "op_schema", "is_cpu_op", "comm_type", "comm_size"}) {
        if (const NodeJson* value = jsonMember(object, key))
            attributes.take(key, *value);
    }
    attributes.finish();
}

// Field numbers of et_def.proto.
enum NodeField : std::uint32_t {
    kId = 1,
    kName,
    kControl = 4,
    kStartField = 6,
    kDurationField,
    kInputs,
    kOutputs,
    kAttribute
};

std::optional<NodeJson> attributeValue(std::string_view attribute, std::string& name) {
    constexpr std::uint32_t kTruth = 27;
    constexpr std::uint32_t kText = 29;
    NodeJson value;
    const bool isSound = eachField(attribute, [&](const MessageField& field) {
        if (field.number == 1 && field.isBytes)
            name = field.bytes;
        else if (field.number == kTruth && field.isWhole)
            value = field.value != 0;
        else if (field.number > 2 && field.isWhole)
            value = field.whole();
        else if (field.number == kText && field.isBytes)
            value = field.bytes;
    });
    return isSound ? std::optional(std::move(value)) : std::nullopt;
}

bool takeSide(std::string_view side, const std::array<NodeJson*, 3>& parts) {
    return eachField(side, [&](const MessageField& field) {
        if (field.isBytes && field.number >= 1 && field.number <= parts.size())
            *parts[field.number - 1] = parsedJson(jsonFromPython(field.bytes));
    });
}

// A list is packed: numbers without tags, one behind the other.
std::int64_t firstDependency(const MessageField& field) {
    std::string_view list = field.bytes;
    return field.isBytes ? static_cast<std::int64_t>(takeVarint(list).value_or(~std::uint64_t{0}))
                         : field.whole();
}

// Reads the members around the nodes; false for text that is no JSON object.
bool takeHeader(std::string_view text, ExecutionTraceHeader& header) {
    const NodeJson object = parsedJson(text);
    if (!object.is_object())
        return false;
    for (const auto& [key, value] : object.items())
        takeHeaderValue(key, value, header);
    if (const NodeJson* list = jsonMember(object, "attr"); list != nullptr && list->is_array()) {
        for (const NodeJson& one : *list) {
            const NodeJson* value = one.is_object() ? typedValue(one) : nullptr;
            if (value != nullptr)
                takeHeaderValue(jsonText(jsonMember(one, "name")), *value, header);
        }
    }
    return true;
}

// A node of PyTorch's JSON, of Chakra's JSON or of `workload_graph`. Absent: it is none.
std::optional<TraceNode> nodeFromJson(std::string_view text, ExecutionTraceHeader& header) {
    const NodeJson object = parsedJson(text);
    const auto id = object.is_object() ? firstOf(object, {"id", "Id"}) : std::nullopt;
    if (!id)
        return std::nullopt;
    TraceNode node;
    node.id = *id;
    node.name = jsonText(jsonMember(object, "name"));
    if (node.name.empty())
        node.name = jsonText(jsonMember(object, "Name"));
    node.parent = firstOf(object, {"ctrl_deps", "ctrlDeps", "parent"}).value_or(-1);
    node.startUs = firstOf(object, {"startTimeMicros", "start_time_micros"});
    node.durationUs = firstOf(object, {"durationMicros", "duration_micros", "runtime"});
    takeJsonAttributes(object, node);
    finishNode(sidesOf(object), node, header);
    return node;
}

// Messages of Chakra's protobuf (et_def.proto).
std::optional<TraceNode> nodeFromMessage(std::string_view message, ExecutionTraceHeader& header) {
    TraceNode node;
    NodeSides sides;
    NodeAttributes attributes(node);
    bool areSound = true;
    const bool isSound = eachField(message, [&](const MessageField& field) {
        if (field.number == kId && field.isWhole)
            node.id = field.whole();
        else if (field.number == kName && field.isBytes)
            node.name = field.bytes;
        else if (field.number == kControl && (field.isBytes || field.isWhole))
            node.parent = firstDependency(field);
        else if (field.number == kStartField && field.isWhole)
            node.startUs = field.whole();
        else if (field.number == kDurationField && field.isWhole)
            node.durationUs = field.whole();
        else if (field.number == kInputs && field.isBytes)
            areSound = areSound
                && takeSide(field.bytes, {&sides.inputs, &sides.inputShapes, &sides.inputTypes});
        else if (field.number == kOutputs && field.isBytes)
            areSound = areSound
                && takeSide(field.bytes, {&sides.outputs, &sides.outputShapes, &sides.outputTypes});
        else if (field.number == kAttribute && field.isBytes) {
            std::string name;
            const auto value = attributeValue(field.bytes, name);
            areSound = areSound && value;
            if (value)
                attributes.take(name, *value);
        }
    });
    if (!isSound || !areSound)
        return std::nullopt;
    attributes.finish();
    finishNode(sides, node, header);
    return node;
}

bool takeMetadata(std::string_view message, ExecutionTraceHeader& header) {
    bool isOne = false;
    const bool isSound = eachField(message, [&](const MessageField& field) {
        std::string name;
        const auto value
            = field.number == 2 && field.isBytes ? attributeValue(field.bytes, name) : std::nullopt;
        isOne = isOne || (value && name == "schema");
        if (value)
            takeHeaderValue(name, *value, header);
    });
    return isSound && isOne;
}

constexpr std::size_t kTraceHead = std::size_t{64} << 10;
constexpr std::size_t kLargestMessage = std::size_t{32} << 20;
constexpr std::uint64_t kProgressEvery = 1024; // nodes

bool startsAsObject(std::string_view head) {
    const auto first = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    return first != std::string_view::npos && head[first] == '{';
}

// One reading of a trace, whatever its encoding.
class NodeReading {
public:
    NodeReading(ByteStream& stream, const std::function<Status(TraceNode&&)>& node,
        const Progress& progress, std::uint64_t size)
        : m_stream(stream)
        , m_node(node)
        , m_progress(progress)
        , m_size(size) { }

    Status readJson() {
        JsonPaths objects(m_stream, {"nodes", "workload_graph"}, JsonPaths::Outside::Given);
        bool hasArray = false;
        while (true) {
            const auto found = objects.next();
            m_end.bytes = objects.bytes();
            if (!found.hasValue()) {
                m_end.problem = found.error().message;
                break;
            }
            if (!found.value())
                break;
            const std::string_view text = found.value()->text;
            const bool isElement = found.value()->path != JsonPaths::kOutside;
            if (isElement && !hasArray)
                (void)takeHeader(objects.outside() + "}", m_end.header);
            hasArray = hasArray || isElement;
            if (!isElement && hasArray)
                (void)takeHeader(text, m_end.header);
            else
                RETURN_IF_ERROR(take(nodeFromJson(text, m_end.header), isElement, text));
        }
        m_end.broken += objects.leftOut();
        return {};
    }

    Status readMessages() {
        constexpr std::size_t kLongestVarint = 10;
        for (bool isFirst = true;; isFirst = false) {
            if (auto more = fill(kLongestVarint); !more.hasValue() || left().empty())
                return stopped(more);
            std::string_view rest = left();
            const auto size = takeVarint(rest);
            if (!size || *size > kLargestMessage) {
                m_end.problem = "A message of impossible size stands after "
                    + std::to_string(m_end.bytes) + " bytes; what came before was read.";
                return {};
            }
            const std::size_t lead = left().size() - rest.size();
            const auto whole = lead + static_cast<std::size_t>(*size);
            if (auto more = fill(whole); !more.hasValue())
                return stopped(more);
            if (left().size() < whole) {
                m_end.problem
                    = "The file ends inside a message; what came before was read. Copy it again.";
                return {};
            }
            const std::string_view message = left().substr(lead, whole - lead);
            if (!isFirst || !takeMetadata(message, m_end.header))
                RETURN_IF_ERROR(take(nodeFromMessage(message, m_end.header), true, {}));
            m_end.bytes += whole;
            m_at += whole;
        }
    }

    Result<ExecutionTraceEnd> finish(const std::string& where) {
        if (m_count == 0)
            return Error{ErrorCode::Unrecognised,
                "There is no node of an execution trace in this file. "
                    + (m_end.problem.empty() ? std::string("It holds something else.")
                                             : m_end.problem),
                where};
        return std::move(m_end);
    }

private:
    // A top-level object of Chakra's JSON may be the header.
    Status take(std::optional<TraceNode> node, bool mustBe, std::string_view text) {
        if (!node) {
            if (mustBe || !takeHeader(text, m_end.header))
                ++m_end.broken;
            return {};
        }
        ++m_count;
        if (m_count % kProgressEvery == 0 && m_progress
            && !m_progress({"Reading the execution trace", m_stream.bytesConsumed(), m_size}))
            return cancelled();
        return m_node(std::move(*node));
    }

    [[nodiscard]] std::string_view left() const { return std::string_view(m_buffer).substr(m_at); }

    Status fill(std::size_t wanted) {
        if (left().size() >= wanted)
            return {};
        m_buffer.erase(0, m_at);
        m_at = 0;
        return readUpTo(m_stream, std::max(wanted, m_buffer.size() + kTraceHead), m_buffer);
    }

    Status stopped(const Status& read) {
        if (!read.hasValue())
            m_end.problem = read.error().message;
        return {};
    }

    ByteStream& m_stream;
    const std::function<Status(TraceNode&&)>& m_node;
    const Progress& m_progress;
    std::uint64_t m_size;
    std::uint64_t m_count = 0;
    std::string m_buffer;
    std::size_t m_at = 0;
    ExecutionTraceEnd m_end;
};

bool has(std::string_view head, std::string_view text) {
    return head.find(text) != std::string_view::npos;
}

} // namespace

bool isExecutionTrace(std::string_view head) {
    if (startsAsObject(head)) {
        if (has(head, "\"traceEvents\""))
            return false;
        const bool isPyTorch = has(head, "\"schema\"") && has(head, "\"nodes\"")
            && (has(head, "\"rf_id\"") || has(head, "\"ctrl_deps\""));
        const bool isChakra = has(head, "\"attr\"") && has(head, "\"schema\"")
            && (has(head, "\"stringVal\"") || has(head, "\"ctrlDeps\""));
        return isPyTorch || isChakra
            || (has(head, "\"workload_graph\"") && has(head, "\"NodeType\""));
    }
    std::string_view rest = head;
    const auto size = takeVarint(rest);
    ExecutionTraceHeader header;
    return size && *size > 0 && *size <= rest.size()
        && takeMetadata(rest.substr(0, static_cast<std::size_t>(*size)), header);
}

ExecutionTraceHeader executionTraceHead(const SourceTree& tree, const std::string& path) {
    ExecutionTraceHeader header;
    const auto head = memoryTree({{path, readHead(tree, path, kTraceHead).valueOr({})}});
    const auto ignore = [](TraceNode&&) { return Status(); };
    auto read = readExecutionTrace(*head, path, ignore, {});
    return read.hasValue() ? std::move(read.value().header) : header;
}

Result<ExecutionTraceEnd> readExecutionTrace(const SourceTree& tree, const std::string& path,
    const std::function<Status(TraceNode&&)>& node, const Progress& progress) {
    ASSIGN_OR_RETURN(const auto head, readHead(tree, path, kTraceHead));
    ASSIGN_OR_RETURN(const auto stream, tree.open(path));
    NodeReading reading(*stream, node, progress, tree.sizeOf(path));
    RETURN_IF_ERROR(startsAsObject(head) ? reading.readJson() : reading.readMessages());
    return reading.finish(tree.displayPath(path));
}

void OperatorDetails::add(const TraceNode& node) {
    if (node.isKernel || node.function <= 0)
        return;
    std::size_t bytes = 64;
    for (const auto& [key, value] : node.detail)
        bytes += key.size() + value.size() + 64;
    if (m_bytes + bytes > kMostBytes) {
        ++m_leftOut;
        return;
    }
    if (m_details.try_emplace(node.function, node.detail).second)
        m_bytes += bytes;
}

std::string OperatorDetails::joined(std::int64_t function, std::string_view detail) {
    const auto found = m_details.find(function);
    if (found == m_details.end())
        return std::string(detail);
    ++m_matched;
    std::string text(detail.empty() ? "{}" : detail);
    text.pop_back();
    for (const auto& [key, value] : found->second) {
        if (detail.find('"' + key + "\":") != std::string_view::npos)
            continue;
        text += (text.size() > 1 ? ",\"" : "\"") + key + "\":" + value;
    }
    return text + "}";
}

std::string detailText(const NodeDetail& detail) {
    std::string text;
    for (const auto& [key, value] : detail)
        text += (text.empty() ? "{\"" : ",\"") + key + "\":" + value;
    return text.empty() ? text : text + "}";
}

} // namespace trainscope::importers
