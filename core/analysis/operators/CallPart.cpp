#include "core/analysis/operators/CallPart.h"

#include "core/analysis/traces/SumColumns.h"

#include <algorithm>
#include <array>
#include <utility>

namespace trainscope::analysis {

namespace {

constexpr auto kWorkColumns = [](auto& row) {
    return std::array{&row.path, &row.count, &row.carried, &row.time.ns, &row.busy.ns,
        &row.shortest.ns, &row.longest.ns, &row.longestAt.ns};
};
constexpr auto kTotalColumns = [](auto& row) {
    return std::array{&row.total, &row.calls, &row.works, &row.carried, &row.time.ns, &row.busy.ns};
};
using ForwardRow = std::array<std::int64_t, 3>; // sequence number, path, thread

// The first column is a number below `end`, ascending.
template <typename Row, typename Of>
bool takeNumbered(store::ByteReader& in, std::size_t end, std::vector<Row>& rows, Of&& of) {
    if (!takeRows(in, rows, of))
        return false;
    std::int64_t last = -1;
    return std::ranges::all_of(rows, [&](const Row& row) {
        const std::int64_t number = *of(row)[0];
        return number > std::exchange(last, number) && std::cmp_less(number, end);
    });
}

} // namespace

void encodePart(const CallPart& part, store::Bytes& out) {
    store::ByteWriter(out).signedVarint(part.since.ns);
    putRows<CallPart::Frame>(part.frames, kFrameColumns, out);
    putRows<CallPart::Work>(part.works, kWorkColumns, out);
    putRows<CallPart::Total>(part.totals, kTotalColumns, out);
    std::vector<ForwardRow> forward;
    for (const auto& [sequence, call] : part.forward)
        forward.push_back({sequence, call.path, call.thread});
    putRows<ForwardRow>(forward, kArrayColumns, out);
}

std::optional<CallPart> decodePart(store::ByteView bytes, const CallPaths& paths) {
    store::ByteReader in(bytes);
    CallPart part;
    part.since.ns = in.signedVarint();
    std::vector<ForwardRow> forward;
    const bool isWhole = takeNumbered(in, paths.size(), part.frames, kFrameColumns)
        && takeNumbered(in, paths.size(), part.works, kWorkColumns)
        && takeNumbered(in, paths.totals(), part.totals, kTotalColumns)
        && takeNumbered(in, static_cast<std::size_t>(kAllTime.end.ns), forward, kArrayColumns);
    if (!isWhole || !in.ok() || in.left() != 0)
        return std::nullopt;
    for (const auto& [sequence, path, thread] : forward) {
        if (path >= 0 && std::cmp_less(path, paths.size()) && thread >= 0)
            part.forward.emplace(sequence,
                ForwardCall{static_cast<std::uint32_t>(path), static_cast<std::uint32_t>(thread)});
    }
    return part;
}

} // namespace trainscope::analysis
