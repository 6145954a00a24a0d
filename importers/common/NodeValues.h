#pragma once
// Content of a node of an execution trace without its encoding: values of its two sides,
// attributes, process groups.

#include "importers/common/ExecutionTrace.h"

#include <nlohmann/json.hpp>

namespace trainscope::importers {

using NodeJson = nlohmann::json;

NodeJson parsedJson(std::string_view text); // discarded where it is none
std::string dumpedJson(const NodeJson& json);
const NodeJson* jsonMember(const NodeJson& object, std::string_view key); // nullptr: none
std::optional<std::int64_t> jsonInteger(const NodeJson* json); // a number, or a text that is one
std::string jsonText(const NodeJson* json); // empty: no text
// Ascending, of a list or a text that is one; empty where one of it is no rank.
std::vector<int> jsonRanks(const NodeJson* json);

struct NodeSides {
    NodeJson inputs, inputShapes, inputTypes, inputStrides;
    NodeJson outputs, outputShapes, outputTypes;
};

// One attribute after the other; finish() adds what follows from several.
class NodeAttributes {
public:
    explicit NodeAttributes(TraceNode& node)
        : m_node(node) { }
    void take(const std::string& name, const NodeJson& value);
    void finish();

private:
    void takeDetail(const std::string& name, const NodeJson& value);

    TraceNode& m_node;
    std::int64_t m_elements = 0;
    std::string m_type;
};

void takeHeaderValue(const std::string& name, const NodeJson& value, ExecutionTraceHeader& header);
// To be called once all of the node is known.
void finishNode(const NodeSides& sides, TraceNode& node, ExecutionTraceHeader& header);

// A Python literal as JSON: quotes, tuples, None, True, False.
std::string jsonFromPython(std::string_view literal);

} // namespace trainscope::importers
