#include "importers/common/ExecutionNodes.h"
#include "importers/common/MessageFields.h"
#include "importers/common/NodeValues.h"

#include <array>
#include <utility>

namespace trainscope::importers {

namespace {

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
