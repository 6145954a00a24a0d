#include "importers/common/ExecutionTrace.h"

#include "core/model/Try.h"
#include "importers/common/ExecutionNodes.h"
#include "importers/common/JsonPaths.h"

namespace trainscope::importers {

namespace {

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
