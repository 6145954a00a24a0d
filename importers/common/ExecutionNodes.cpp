#include "importers/common/ExecutionNodes.h"

#include "importers/common/MessageFields.h"
#include "importers/common/NodeValues.h"

namespace trainscope::importers {

namespace {

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

} // namespace

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

} // namespace trainscope::importers
