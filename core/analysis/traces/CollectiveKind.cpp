#include "core/analysis/traces/CollectiveKind.h"

#include "core/model/AsciiText.h"

namespace trainscope::analysis {

namespace {

using Kind = CollectiveKind;

// In the order of trying: "all_reduce" holds "reduce", "reduce_scatter" holds "scatter".
constexpr std::array<std::pair<std::string_view, Kind>, 20> kNames{{
    {"reducescatter", Kind::ReduceScatter},
    {"reduce_scatter", Kind::ReduceScatter},
    {"allreduce", Kind::AllReduce},
    {"all_reduce", Kind::AllReduce},
    {"allgather", Kind::AllGather},
    {"all_gather", Kind::AllGather},
    {"alltoall", Kind::AllToAll},
    {"all_to_all", Kind::AllToAll},
    {"sendrecv", Kind::SendRecv},
    {"send_recv", Kind::SendRecv},
    {"isend", Kind::SendRecv},
    {"irecv", Kind::SendRecv},
    {"send", Kind::SendRecv},
    {"recv", Kind::SendRecv},
    {"broadcast", Kind::Broadcast},
    {"barrier", Kind::Barrier},
    {"gather", Kind::Gather},
    {"scatter", Kind::Scatter},
    {"reduce", Kind::Reduce},
    {"bcast", Kind::Broadcast},
}};

// Element sizes by the names of torch, without "c10::" and in lower case.
constexpr std::array<std::pair<std::string_view, int>, 26> kSizes{{
    {"float", 4},
    {"float32", 4},
    {"half", 2},
    {"float16", 2},
    {"bfloat16", 2},
    {"double", 8},
    {"float64", 8},
    {"int", 4},
    {"int32", 4},
    {"long", 8},
    {"int64", 8},
    {"short", 2},
    {"int16", 2},
    {"char", 1},
    {"int8", 1},
    {"byte", 1},
    {"uint8", 1},
    {"bool", 1},
    {"complexfloat", 8},
    {"complexdouble", 16},
    {"fp32", 4},
    {"fp16", 2},
    {"bf16", 2},
    {"uint16", 2},
    {"uint32", 4},
    {"uint64", 8},
}};

Kind kindIn(std::string_view text) {
    const std::string lower = lowered(text);
    const auto found = std::ranges::find_if(
        kNames, [&](const auto& entry) { return lower.find(entry.first) != std::string::npos; });
    return found == kNames.end() ? Kind::Other : found->second;
}

int elementSize(std::string_view dataType) {
    std::string name = lowered(dataType);
    if (const auto colon = name.rfind(':'); colon != std::string::npos)
        name.erase(0, colon + 1);
    if (name.rfind("float8", 0) == 0 || name.rfind("fp8", 0) == 0)
        return 1;
    const auto found
        = std::ranges::find_if(kSizes, [&](const auto& entry) { return entry.first == name; });
    return found == kSizes.end() ? 0 : found->second;
}

} // namespace

CollectiveKind collectiveKind(std::string_view kernelName, std::string_view collective) {
    const Kind said = kindIn(collective);
    return said == Kind::Other ? kindIn(kernelName) : said;
}

bool isSynchronising(CollectiveKind kind) {
    return kind == Kind::AllReduce || kind == Kind::ReduceScatter || kind == Kind::AllGather
        || kind == Kind::AllToAll || kind == Kind::Barrier;
}

bool hasEqualSizes(CollectiveKind kind) {
    return kind == Kind::AllReduce || kind == Kind::Broadcast || kind == Kind::Reduce
        || kind == Kind::SendRecv || kind == Kind::AllGather || kind == Kind::ReduceScatter;
}

std::optional<double> bytesOf(const CollectiveDetail& detail) {
    const int size = elementSize(detail.dataType);
    if (size == 0 || (!detail.inElements && !detail.outElements))
        return std::nullopt;
    const auto elements = std::max(detail.inElements.value_or(0), detail.outElements.value_or(0));
    return elements > 0 ? std::optional(static_cast<double>(elements) * size) : std::nullopt;
}

double busFactor(CollectiveKind kind, double ranks) {
    if (ranks < 2.0)
        return 0.0;
    const double others = (ranks - 1.0) / ranks;
    switch (kind) {
    case Kind::AllReduce:
        return 2.0 * others;
    case Kind::ReduceScatter:
    case Kind::AllGather:
    case Kind::AllToAll:
    case Kind::Gather:
    case Kind::Scatter:
        return others;
    default:
        return 1.0;
    }
}

} // namespace trainscope::analysis
