#pragma once
// The nodes of execution traces in their encodings, made alike.

#include "importers/common/ExecutionTrace.h"

namespace trainscope::importers {

// A node of PyTorch's JSON, of Chakra's JSON or of `workload_graph`. Absent: it is none.
std::optional<TraceNode> nodeFromJson(std::string_view text, ExecutionTraceHeader& header);
// Reads the members around the nodes; false for text that is no JSON object.
bool takeHeader(std::string_view text, ExecutionTraceHeader& header);

// A varint at the front of `text`, which is moved behind it; absent where it does not end.
std::optional<std::uint64_t> takeVarint(std::string_view& text);

// Messages of Chakra's protobuf (et_def.proto).
std::optional<TraceNode> nodeFromMessage(std::string_view message, ExecutionTraceHeader& header);
bool takeMetadata(std::string_view message, ExecutionTraceHeader& header);

} // namespace trainscope::importers
