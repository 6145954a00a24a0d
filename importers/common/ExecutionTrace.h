#pragma once
// Execution traces: the operators of one process with their tensors and order, without or with
// little time. PyTorch's JSON (schemas 1.0.x and 1.1.x, `nodes`), Chakra's protobuf
// (length-delimited GlobalMetadata and Nodes) and its JSON form (objects one after the other, or
// `workload_graph`). The facts of a node's operator have the names and forms of a Kineto trace's
// arguments, so that one reader serves both.

#include "core/layout/ProcessGroup.h"
#include "importers/common/Source.h"

namespace trainscope::importers {

// Names and JSON values: {"Input Dims", "[[512,12],[12,18]]"}.
using NodeDetail = std::vector<std::pair<std::string, std::string>>;

struct TraceTensor {
    std::int64_t id = -1;
    std::int64_t storage = -1;
    std::int64_t bytes = 0; // its elements'
};

struct TraceNode {
    std::int64_t id = 0;
    std::int64_t parent = -1; // its caller; -1: none
    std::string name;
    std::int64_t function = 0; // the record function's id, "Record function id" of a Kineto trace
    std::int64_t thread = 0;
    bool isKernel = false; // on a device, in traces that Chakra has joined with a Kineto trace
    std::string collective; // "all_reduce"; empty: none
    std::int64_t collectiveBytes = 0; // as many as this rank puts in
    std::optional<std::int64_t> startUs; // since an unknown moment
    std::optional<std::int64_t> durationUs;
    NodeDetail detail;
    std::vector<TraceTensor> tensors;
};

struct ExecutionTraceHeader {
    std::string schema;
    std::optional<std::int64_t> process;
    std::string time; // the begin of recording, "2024-08-19 11:25:30", local
    std::vector<layout::ProcessGroup> groups;
    int worldSize = 0; // the default group's; 0: not said
    std::optional<int> rank; // the only member of a group of one
};

struct ExecutionTraceEnd {
    ExecutionTraceHeader header;
    std::uint64_t bytes = 0;
    std::int64_t broken = 0; // nodes that could not be understood
    std::string problem; // the reason of an early end; empty: none
};

// True for the first bytes of one, whatever its encoding.
bool isExecutionTrace(std::string_view head);

// The header as far as the file's first bytes show it.
ExecutionTraceHeader executionTraceHead(const SourceTree& tree, const std::string& path);

// Nodes in the order of the file. Unrecognised when there is none; Cancelled.
Result<ExecutionTraceEnd> readExecutionTrace(const SourceTree& tree, const std::string& path,
    const std::function<Status(TraceNode&&)>& node, const Progress& progress);

// Details of a trace's operators, by the record function's id.
class OperatorDetails {
public:
    // Operators beyond kMostBytes are left out and counted.
    void add(const TraceNode& node);
    // `detail`, a JSON object or empty, with what it does not have yet; `detail` itself where there
    // is nothing to add.
    std::string joined(std::int64_t function, std::string_view detail);
    [[nodiscard]] bool isEmpty() const { return m_details.empty(); }
    [[nodiscard]] std::int64_t matched() const { return m_matched; }
    [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(m_details.size()); }
    [[nodiscard]] std::int64_t leftOut() const { return m_leftOut; }

    static constexpr std::size_t kMostBytes = std::size_t{200} << 20;

private:
    std::map<std::int64_t, NodeDetail> m_details;
    std::size_t m_bytes = 0;
    std::int64_t m_matched = 0;
    std::int64_t m_leftOut = 0;
};

// As a JSON object; empty for none.
std::string detailText(const NodeDetail& detail);

} // namespace trainscope::importers
