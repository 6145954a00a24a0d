#include "importers/common/ExecutionNodes.h"

#include "importers/common/NodeValues.h"

#include <initializer_list>

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

} // namespace trainscope::importers
