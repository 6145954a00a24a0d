#include "importers/common/ExecutionNodes.h"
#include "importers/common/NodeValues.h"

#include <protozero/pbf_reader.hpp>

#include <array>
#include <utility>

namespace trainscope::importers {

namespace {

// Field numbers of et_def.proto.
enum NodeField : protozero::pbf_tag_type {
    kId = 1,
    kName,
    kType,
    kControl,
    kData,
    kStartField,
    kDurationField,
    kInputs,
    kOutputs,
    kAttribute
};

NodeJson attributeValue(protozero::pbf_reader attribute, std::string& name) {
    NodeJson value;
    while (attribute.next()) {
        const auto tag = attribute.tag();
        const auto wire = attribute.wire_type();
        if (tag == 1 && wire == protozero::pbf_wire_type::length_delimited)
            name = attribute.get_string();
        else if (tag == 27 && wire == protozero::pbf_wire_type::varint)
            value = attribute.get_bool();
        else if (tag > 2 && wire == protozero::pbf_wire_type::varint)
            value = attribute.get_int64();
        else if (tag == 29 && wire == protozero::pbf_wire_type::length_delimited)
            value = attribute.get_string();
        else
            attribute.skip();
    }
    return value;
}

std::array<NodeJson, 3> sideOf(protozero::pbf_reader side) {
    std::array<NodeJson, 3> parts{NodeJson::array(), NodeJson::array(), NodeJson::array()};
    while (side.next()) {
        const bool isText = side.wire_type() == protozero::pbf_wire_type::length_delimited;
        if (isText && side.tag() >= 1 && side.tag() <= 3) {
            const auto tag = side.tag();
            parts[tag - 1] = parsedJson(jsonFromPython(side.get_string()));
        } else {
            side.skip();
        }
    }
    return parts;
}

std::int64_t firstDependency(protozero::pbf_reader& message) {
    if (message.wire_type() == protozero::pbf_wire_type::varint)
        return message.get_int64();
    const auto list = message.get_packed_uint64();
    return list.empty() ? -1 : static_cast<std::int64_t>(*list.begin());
}

TraceNode nodeOf(protozero::pbf_reader message, ExecutionTraceHeader& header) {
    using Wire = protozero::pbf_wire_type;
    TraceNode node;
    NodeSides sides;
    NodeAttributes attributes(node);
    while (message.next()) {
        const bool isText = message.wire_type() == Wire::length_delimited;
        const bool isNumber = message.wire_type() == Wire::varint;
        if (message.tag() == kId && isNumber)
            node.id = message.get_int64();
        else if (message.tag() == kName && isText)
            node.name = message.get_string();
        else if (message.tag() == kControl && (isText || isNumber))
            node.parent = firstDependency(message);
        else if (message.tag() == kStartField && isNumber)
            node.startUs = message.get_int64();
        else if (message.tag() == kDurationField && isNumber)
            node.durationUs = message.get_int64();
        else if (message.tag() == kInputs && isText) {
            auto parts = sideOf(message.get_message());
            sides.inputs = std::move(parts[0]);
            sides.inputShapes = std::move(parts[1]);
            sides.inputTypes = std::move(parts[2]);
        } else if (message.tag() == kOutputs && isText) {
            auto parts = sideOf(message.get_message());
            sides.outputs = std::move(parts[0]);
            sides.outputShapes = std::move(parts[1]);
            sides.outputTypes = std::move(parts[2]);
        } else if (message.tag() == kAttribute && isText) {
            std::string name;
            const NodeJson value = attributeValue(message.get_message(), name);
            attributes.take(name, value);
        } else {
            message.skip();
        }
    }
    attributes.finish();
    finishNode(sides, node, header);
    return node;
}

} // namespace

std::optional<TraceNode> nodeFromMessage(std::string_view message, ExecutionTraceHeader& header) {
    try {
        return nodeOf(protozero::pbf_reader(message.data(), message.size()), header);
    } catch (const protozero::exception&) {
        return std::nullopt; // the library's only way to say that a message is broken
    }
}

bool takeMetadata(std::string_view message, ExecutionTraceHeader& header) {
    try {
        protozero::pbf_reader reader(message.data(), message.size());
        bool isOne = false;
        while (reader.next()) {
            if (reader.tag() == 2
                && reader.wire_type() == protozero::pbf_wire_type::length_delimited) {
                std::string name;
                const NodeJson value = attributeValue(reader.get_message(), name);
                isOne = isOne || name == "schema";
                takeHeaderValue(name, value, header);
            } else {
                reader.skip();
            }
        }
        return isOne;
    } catch (const protozero::exception&) {
        return false;
    }
}

} // namespace trainscope::importers
