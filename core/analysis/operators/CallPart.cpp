#include "core/analysis/operators/CallPart.h"

#include "core/analysis/traces/SumColumns.h"

#include <algorithm>
#include <array>
#include <utility>

namespace trainscope::analysis {

namespace {

template <std::size_t N>
using Columns = std::array<std::int64_t, N>;

template <std::size_t N, typename Rows, typename Of>
void putAll(const Rows& rows, Of&& of, store::Bytes& out) {
    std::vector<Columns<N>> numbers;
    numbers.reserve(rows.size());
    for (const auto& row : rows)
        numbers.push_back(of(row));
    putRows<Columns<N>>(numbers, kArrayColumns, out);
}

// The first column is a number below `end`, ascending.
template <std::size_t N, typename Take>
bool takeAll(store::ByteReader& in, std::size_t end, Take&& take) {
    std::vector<Columns<N>> numbers;
    if (!takeRows(in, numbers, kArrayColumns))
        return false;
    std::int64_t last = -1;
    for (const Columns<N>& row : numbers) {
        if (row[0] <= last || !std::cmp_less(row[0], end))
            return false;
        last = row[0];
        take(row);
    }
    return true;
}

std::uint32_t numberIn(std::int64_t column) {
    return static_cast<std::uint32_t>(column);
}

} // namespace

void encodePart(const CallPart& part, store::Bytes& out) {
    store::ByteWriter(out).signedVarint(part.since.ns);
    putAll<6>(
        part.frames,
        [](const CallPart::Frame& row) {
            return Columns<6>{
                row.path, row.begun, row.launching, row.hostTime.ns, row.busy.ns, row.ownBusy.ns};
        },
        out);
    putAll<8>(
        part.works,
        [](const CallPart::Work& row) {
            return Columns<8>{row.path, row.count, row.carried, row.time.ns, row.busy.ns,
                row.shortest.ns, row.longest.ns, row.longestAt.ns};
        },
        out);
    putAll<6>(
        part.totals,
        [](const CallPart::Total& row) {
            return Columns<6>{
                row.total, row.calls, row.works, row.carried, row.time.ns, row.busy.ns};
        },
        out);
    putAll<3>(
        part.forward,
        [](const auto& call) {
            return Columns<3>{call.first, call.second.path, call.second.thread};
        },
        out);
}

std::optional<CallPart> decodePart(store::ByteView bytes, const CallPaths& paths) {
    store::ByteReader in(bytes);
    CallPart part;
    part.since.ns = in.signedVarint();
    const bool isWhole = takeAll<6>(in, paths.size(), [&](const Columns<6>& row) {
        part.frames.push_back({numberIn(row[0]), row[1], row[2], {row[3]}, {row[4]}, {row[5]}});
    }) && takeAll<8>(in, paths.size(), [&](const Columns<8>& row) {
        part.works.push_back(
            {numberIn(row[0]), row[1], row[2], {row[3]}, {row[4]}, {row[5]}, {row[6]}, {row[7]}});
    }) && takeAll<6>(in, paths.totals(), [&](const Columns<6>& row) {
        part.totals.push_back({numberIn(row[0]), row[1], row[2], row[3], {row[4]}, {row[5]}});
    }) && takeAll<3>(in, static_cast<std::size_t>(kAllTime.end.ns), [&](const Columns<3>& row) {
        if (row[1] >= 0 && std::cmp_less(row[1], paths.size()) && row[2] >= 0)
            part.forward.emplace(row[0], ForwardCall{numberIn(row[1]), numberIn(row[2])});
    });
    if (!isWhole || !in.ok() || in.left() != 0)
        return std::nullopt;
    return part;
}

} // namespace trainscope::analysis
