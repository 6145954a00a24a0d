// Execution traces (common/ExecutionTrace.h) as sources. One that lies beside the Kineto trace of
// its process gives that run its communicators, counts and collectives, while its operators'
// shapes, types and tensors go to the trace's own operators (unit.partner). One that lies alone
// makes a run whose operators stand in their order of execution: they have no times, so each takes
// its stated duration or a microsecond, from the second at which recording began, which is
// local time.

#include "importers/common/Formats.h"

#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "core/text/Numbers.h"
#include "importers/common/ExecutionTrace.h"
#include "importers/common/RunFolders.h"
#include "importers/common/Stamp.h"
#include "importers/trace/RunGrouping.h"
#include "importers/trace/TraceName.h"

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

namespace trainscope::importers::exectrace {
namespace {

// Operators without times laid out in their order of execution, callers around what they call.

struct OrderedNode {
    std::int64_t id = 0; // ascending in order of execution
    std::int64_t parent = -1;
    std::int64_t thread = 0;
    std::int64_t ownUs = 1;
    NameId name;
    NameId detail;
    bool isKernel = false;
};

struct PlacedNode {
    std::size_t node = 0; // place in the list
    Span span;
};

constexpr std::int64_t kMicrosecond = 1000;
constexpr std::int64_t kLongestUs = std::int64_t{86'400'000'000}; // a day: beyond it, damage

// Sorts `nodes` by id. Each begins behind what came before it, takes its own time, and reaches at
// least to the end of what it calls.
std::vector<PlacedNode> placeInOrder(std::vector<OrderedNode>& nodes, TimeNs begin) {
    std::ranges::stable_sort(nodes, {}, &OrderedNode::id);
    std::unordered_map<std::int64_t, std::size_t> places;
    std::vector<bool> isCaller(nodes.size(), false);
    for (std::size_t i = 0; i < nodes.size(); ++i)
        places.try_emplace(nodes[i].id, i);
    // A caller has a smaller id than what it calls; other links are damage.
    const auto callerOf = [&](std::size_t i) {
        const auto found = places.find(nodes[i].parent);
        return found != places.end() && found->second < i ? found->second : i;
    };
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (const std::size_t caller = callerOf(i); caller != i)
            isCaller[caller] = true;
    }
    std::vector<PlacedNode> placed(nodes.size());
    std::int64_t cursor = begin.ns;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const std::int64_t own = std::clamp<std::int64_t>(nodes[i].ownUs, 1, kLongestUs);
        placed[i].node = i;
        placed[i].span
            = {{cursor}, {own * kMicrosecond}, nodes[i].name, SpanKind::CpuOp, 0, nodes[i].detail};
        if (!isCaller[i])
            cursor += own * kMicrosecond;
    }
    for (std::size_t i = nodes.size(); i-- > 0;) {
        const std::size_t caller = callerOf(i);
        if (caller == i)
            continue;
        Span& outer = placed[caller].span;
        const TimeNs end = placed[i].span.start + placed[i].span.duration;
        outer.duration = std::max(outer.duration, end - outer.start);
    }
    return placed;
}

constexpr Confidence kSureOfNodes = 92;
constexpr std::string_view kOwnNodes = "[pytorch|profiler"; // the recorder's own

// A name that speaks of a rank beyond the world does not mean a rank.
std::optional<int> rankOf(const ExecutionTraceHeader& header, std::string_view stem) {
    if (header.rank)
        return header.rank;
    const auto marked = rankInStem(stem);
    const auto named = marked ? std::optional(marked->rank) : numberAtEnd(stem);
    const bool isBeyond = named && header.worldSize > 0 && *named >= header.worldSize;
    return isBeyond ? std::nullopt : named;
}

// "2024-08-19 11:25:30" as if it were UTC.
std::optional<TimeNs> secondOf(std::string_view text) {
    const auto stamp = parseStamp(text.substr(0, 19));
    return stamp && stamp->kind == StampKind::Local ? std::optional(stamp->time) : std::nullopt;
}

// PyTorch's own has its nodes in an array; Chakra's are messages, or objects in a row.
bool isChakra(const SourceTree& tree, const std::string& path) {
    constexpr std::size_t kEnough = 4096;
    const auto head = readHead(tree, path, kEnough);
    return head.hasValue() && head.value().find("\"nodes\"") == std::string::npos;
}

ImportUnit unitOf(const SourceTree& tree, const SourceFile& source) {
    const auto header = executionTraceHead(tree, source.path);
    const std::string_view stem = traceStem(source.path);
    ImportUnit unit = unitOfFile(source);
    unit.rank = rankOf(header, stem);
    unit.worldSize = header.worldSize;
    unit.clock = header.time.empty() ? ClockKind::None : ClockKind::Local;
    unit.start = secondOf(header.time);
    unit.summary = fmt::format("{}, rank {}",
        isChakra(tree, source.path) ? "Chakra execution trace" : "execution trace",
        unit.rank.value_or(0));
    if (!header.schema.empty())
        unit.summary += ", schema " + header.schema;
    unit.notes.emplace_back(
        "Operators in their order, without times: no Kineto trace of its process "
        "lies beside it, which would have them.");
    if (!unit.rank)
        unit.notes.emplace_back("Neither the trace nor its name says the rank: it is a guess.");
    return unit;
}

// One import, from the first node to the report.
class NodeImport {
public:
    NodeImport(const SourceTree& tree, const ImportUnit& unit, Sink& sink)
        : m_unit(unit)
        , m_sink(sink)
        , m_where(tree.displayPath(unit.path))
        , m_isAlone(unit.partner.empty()) { }

    Status take(TraceNode&& node) {
        ++m_nodes;
        if (node.name.starts_with(kOwnNodes))
            return {};
        ++m_report.counts[node.isKernel ? "kernels" : "operators"];
        for (const auto& [key, value] : node.detail)
            m_withShapes += key == "Input Dims" ? 1 : 0;
        if (!node.collective.empty()) {
            ++m_report.counts["collective: " + node.collective];
            m_report.counts["bytes: " + node.collective] += node.collectiveBytes;
        }
        for (const TraceTensor& tensor : node.tensors) {
            m_tensors.insert(tensor.id);
            m_storages.insert(tensor.storage);
        }
        return m_isAlone ? keep(node) : Status();
    }

    Result<ImportReport> finish(const ExecutionTraceEnd& end) {
        Run run;
        run.name = m_unit.runName;
        run.worldSize = end.header.worldSize;
        if (!end.problem.empty())
            run.status = RunStatus::Partial;
        ASSIGN_OR_RETURN(const auto id, m_sink.run(run));
        if (m_isAlone)
            RETURN_IF_ERROR(writeOrder(id, end.header));
        report(end);
        return std::move(m_report);
    }

private:
    Status keep(const TraceNode& node) {
        ASSIGN_OR_RETURN(
            const auto name, m_sink.intern(node.name.empty() ? "(no name)" : node.name));
        const std::string text = detailText(node.detail);
        NameId detail;
        if (!text.empty()) {
            ASSIGN_OR_RETURN(detail, m_sink.intern(text));
        }
        m_hasDurations = m_hasDurations || node.durationUs;
        m_ordered.push_back({node.id, node.parent, node.thread, node.durationUs.value_or(1), name,
            detail, node.isKernel});
        return {};
    }

    Status writeOrder(RunId run, const ExecutionTraceHeader& header) {
        const DurationNs offset{m_unit.utcOffsetSeconds.value_or(0) * 1'000'000'000};
        const TimeNs begin = secondOf(header.time).value_or(TimeNs{0}) - offset;
        std::map<std::pair<bool, std::int64_t>, std::vector<Span>> tracks;
        for (const PlacedNode& placed : placeInOrder(m_ordered, begin)) {
            const OrderedNode& node = m_ordered[placed.node];
            tracks[{node.isKernel, node.isKernel ? 0 : node.thread}].push_back(placed.span);
        }
        for (const auto& [key, spans] : tracks) {
            TrackDescription track;
            track.rank = m_unit.rank.value_or(0);
            track.process = "execution trace";
            track.thread = key.first ? "kernels" : std::to_string(key.second);
            track.name = key.first
                ? "kernels in their order (no times)"
                : fmt::format("operators in their order (no times), thread {}", key.second);
            ASSIGN_OR_RETURN(const auto id, m_sink.track(run, track));
            RETURN_IF_ERROR(m_sink.spans(id, spans));
            m_report.spans += static_cast<std::int64_t>(spans.size());
        }
        return {};
    }

    void report(const ExecutionTraceEnd& end) {
        m_report.importer = "exectrace 1";
        m_report.bytes = end.bytes;
        m_report.rows = m_nodes;
        m_report.skipped = end.broken;
        m_report.ranksExpected = end.header.worldSize;
        m_report.ranksFound = {m_unit.rank.value_or(0)};
        m_report.counts["operators with shapes"] = m_withShapes;
        m_report.counts["tensors"] = static_cast<std::int64_t>(m_tensors.size());
        m_report.counts["storages"] = static_cast<std::int64_t>(m_storages.size());
        m_report.counts["process groups"] = static_cast<std::int64_t>(end.header.groups.size());
        m_report.facts["schema"] = end.header.schema;
        if (auto text = layout::processGroupsText(end.header.groups); !text.empty())
            m_report.facts[std::string(layout::kProcessGroupsFact)] = std::move(text);
        m_report.facts["clock"]
            = m_isAlone ? clockText(end.header) : "that of the Kineto trace, by record function";
        if (!m_isAlone)
            m_report.facts["operators"] = "shapes, types and tensors are with those of "
                + std::string(namePart(m_unit.partner));
        if (end.broken > 0)
            m_report.lost(m_where, 0,
                text::counted(end.broken, "node") + " could not be understood and was left out");
        if (!end.problem.empty())
            m_report.lost(m_where, 0, end.problem);
        if (m_isAlone)
            m_report.warn(m_where, 0,
                "the trace has no times: its operators stand in their order, which says nothing of "
                "how long they took");
    }

    [[nodiscard]] std::string clockText(const ExecutionTraceHeader& header) const {
        const std::string from = header.time.empty() ? "no time" : "local time, " + header.time;
        return from
            + (m_hasDurations ? "; order of execution with stated durations"
                              : "; order of execution, one microsecond each");
    }

    const ImportUnit& m_unit;
    Sink& m_sink;
    std::string m_where;
    bool m_isAlone;
    ImportReport m_report;
    std::int64_t m_nodes = 0;
    std::int64_t m_withShapes = 0;
    bool m_hasDurations = false;
    std::unordered_set<std::int64_t> m_tensors;
    std::unordered_set<std::int64_t> m_storages;
    std::vector<OrderedNode> m_ordered;
};

Confidence sniff(std::string_view head, std::string_view /*path*/) {
    return isExecutionTrace(head) ? kSureOfNodes : 0;
}

std::vector<ImportUnit> plan(const SourceTree& tree, const std::vector<SourceFile>& mine) {
    std::vector<ImportUnit> units;
    for (const SourceFile& source : mine)
        units.push_back(unitOf(tree, source));
    nameByFolders(tree, units);
    return units;
}

Result<ImportReport> import(
    const SourceTree& tree, const ImportUnit& unit, Sink& sink, const Progress& progress) {
    NodeImport nodes(tree, unit, sink);
    ASSIGN_OR_RETURN(const auto end,
        readExecutionTrace(
            tree, unit.path, [&nodes](TraceNode&& node) { return nodes.take(std::move(node)); },
            progress));
    return nodes.finish(end);
}

} // namespace

constinit const Importer kImporter{
    {"exectrace", "execution trace",
        "PyTorch and Chakra execution traces (.json, .et), beside the Kineto trace of their "
        "process or alone",
        Joins::OwnRun, LaunchSettings::None, "\"rf_id\"", "execution trace", "execution traces",
        false, false, true},
    sniff, plan, import};

} // namespace trainscope::importers::exectrace
