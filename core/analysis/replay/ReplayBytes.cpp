#include "core/analysis/replay/ReplayBytes.h"

#include "core/analysis/traces/SumColumns.h"

#include <nlohmann/json.hpp>
#include <xxhash.h>

template <typename T>
struct nlohmann::adl_serializer<std::optional<T>> {
    static void to_json(json& to, const std::optional<T>& value) {
        to = value ? json(*value) : json();
    }
    static void from_json(const json& from, std::optional<T>& value) {
        value = from.is_null() ? std::nullopt : std::optional(from.get<T>());
    }
};

namespace trainscope {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TimeNs, ns)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TimeRange, begin, end)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TrackId, value)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Iteration, index, range, rank, warmup)

} // namespace trainscope

namespace trainscope::analysis {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(EstimatedEnergy, joules, low, high)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ChangeFacts, clockHz, limitW, meanW, energy, categories)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WaitPart, cause, seconds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(
    StepWait, collective, rank, seconds, cause, explained, text, parts, chain, victims, worst)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StepTrack, rank, device, stage, id, name, dataRank)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(
    StepBoundary, operation, offsetNs, rank, fromEnd, isOfHost, work, workLagNs)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StepIteration, measured, counts, begins, ends)
// All but its columns.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(
    StepGraph, begin, isOfOperations, names, categories, notes, tracks, iterations)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ReplayParts, graph, facts, waits)

namespace {

template <typename Enum>
constexpr std::size_t valuesOf() {
    return namesOf(Enum{}).size();
}

// Calls column(rows, field, end of its values, least of them) for all that finishGraph() does not
// make itself. `lasted`: durations as measured, from each operation's own start.
template <typename Graph, typename Lasted, typename Column>
void forEachColumn(Graph& graph, Lasted& lasted, const Column& column) {
    auto& operations = graph.operations;
    auto& edges = graph.edges;
    auto& groups = graph.groups;
    const std::size_t names = graph.names.size();
    const std::size_t members = graph.members.size();
    constexpr std::int64_t mostLag = std::numeric_limits<std::int32_t>::max();
    const auto start = [](auto& one) -> auto& {
        return one.start.ns;
    };
    column(operations, start, kMostSum, -kMostSum);
    column(lasted, std::identity(), kMostSum, -kMostSum);
    column(operations, &StepOperation::track, graph.tracks.size(), 0);
    column(operations, &StepOperation::name, names, 0);
    column(operations, &StepOperation::operatorName, names, -1);
    column(operations, &StepOperation::iteration, graph.iterations.size(), -1);
    column(operations, &StepOperation::microBatch, mostLag, -1);
    column(operations, &StepOperation::kind, valuesOf<OperationKind>(), 0);
    column(operations, &StepOperation::phase, valuesOf<Phase>(), 0);
    column(operations, &StepOperation::category, graph.categories.size(), 0);
    column(edges, &StepEdge::from, operations.size(), 0);
    column(edges, &StepEdge::to, operations.size(), 0);
    column(edges, &StepEdge::lagNs, mostLag, -mostLag);
    column(edges, &StepEdge::kind, valuesOf<EdgeKind>(), 0);
    column(edges, &StepEdge::basis, valuesOf<EdgeBasis>(), 0);
    column(edges, &StepEdge::fromStart, 2, 0);
    column(edges, &StepEdge::toEnd, 2, 0);
    column(graph.members, std::identity(), operations.size(), 0);
    column(groups, &StepGroup::first, members + 1, 0);
    column(groups, &StepGroup::count, members + 1, 0);
    column(groups, &StepGroup::name, names, 0);
}

// Places that no column bounds.
bool arePlacesKnown(const StepGraph& graph) {
    const auto isPlaced = [size = graph.operations.size()](const StepBoundary& boundary) {
        return (boundary.operation == kNone32 || boundary.operation < size)
            && (boundary.work == kNone32 || boundary.work < size);
    };
    const auto areIn
        = [&](const StepGroup& group) { return group.first <= graph.members.size() - group.count; };
    return std::ranges::all_of(graph.groups, areIn)
        && std::ranges::all_of(graph.iterations, [&](const StepIteration& iteration) {
               return !iteration.begins.empty() && !iteration.ends.empty()
                   && std::ranges::all_of(iteration.begins, isPlaced)
                   && std::ranges::all_of(iteration.ends, isPlaced);
           });
}

std::int64_t checksumOf(store::ByteView bytes) {
    return static_cast<std::int64_t>(XXH3_64bits(bytes.data(), bytes.size()));
}

} // namespace

store::Bytes encodeReplay(std::string_view basis, const StepGraph& graph, const StepTimes& times,
    const ChangeFacts& facts, const std::vector<StepWait>& waits) {
    const nlohmann::json told{{"basis", basis}, {"graph", graph}, {"facts", facts},
        {"waits", waits},
        {"rows",
            {graph.operations.size(), graph.edges.size(), graph.members.size(),
                graph.groups.size()}}};
    store::Bytes body;
    const std::vector<std::uint8_t> text = nlohmann::json::to_cbor(told);
    store::ByteWriter(body).block(text);
    std::vector<std::int64_t> lasted(times.end.size());
    std::ranges::transform(times.end, times.start, lasted.begin(), std::minus());
    std::vector<std::int64_t> column;
    forEachColumn(graph, lasted, [&](const auto& rows, auto of, auto /*end*/, auto /*least*/) {
        column.clear();
        for (const auto& row : rows) {
            const auto value = std::invoke(of, row);
            const auto number = static_cast<std::int64_t>(value);
            const bool isNone = sizeof(value) == sizeof(kNone32) && number == kNone32;
            column.push_back(isNone ? -1 : number);
        }
        putColumn(column, body);
    });
    store::Bytes bytes;
    store::ByteWriter(bytes).signedVarint(checksumOf(body));
    store::ByteWriter(bytes).raw(body);
    return bytes;
}

std::optional<ReplayParts> decodeReplay(std::string_view basis, store::ByteView bytes) try {
    store::ByteReader in(bytes);
    const std::int64_t checksum = in.signedVarint();
    if (checksum != checksumOf(bytes.last(in.left())))
        return std::nullopt;
    const store::ByteView text = in.block();
    const auto told = nlohmann::json::from_cbor(text.begin(), text.end());
    const auto rows = told.at("rows").get<std::array<std::size_t, 4>>();
    // Each takes a byte or more: what claims more is damaged.
    if (told.at("basis") != basis || std::ranges::max(rows) > in.left())
        return std::nullopt;
    auto parts = told.get<ReplayParts>();
    StepGraph& graph = parts.graph;
    graph.operations.resize(rows[0]);
    graph.edges.resize(rows[1]);
    graph.members.resize(rows[2]);
    graph.groups.resize(rows[3]);
    std::vector<std::int64_t> lasted(rows[0]);
    std::vector<std::int64_t> column;
    forEachColumn(graph, lasted, [&](auto& all, auto field, auto end, std::int64_t least) {
        if (in.varint() != all.size() || !takeNumbers(in, all.size(), column))
            return in.fail();
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (column[i] < least || std::cmp_greater_equal(column[i], end))
                return in.fail();
            auto& value = std::invoke(field, all[i]);
            value = static_cast<std::remove_reference_t<decltype(value)>>(column[i]);
        }
    });
    if (!in.ok() || !arePlacesKnown(graph))
        return std::nullopt;
    for (std::size_t i = 0; i < lasted.size(); ++i)
        graph.operations[i].duration.ns = lasted[i];
    for (std::uint32_t group = 0; group < graph.groups.size(); ++group) {
        for (const std::uint32_t member : graph.membersOf(group))
            graph.operations[member].group = group;
    }
    finishGraph(graph);
    return parts;
} catch (const nlohmann::json::exception&) {
    return std::nullopt;
}

} // namespace trainscope::analysis
