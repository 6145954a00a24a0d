#include "importers/exectrace/NodeOrder.h"

#include <algorithm>
#include <unordered_map>

namespace trainscope::importers::exectrace {

namespace {

constexpr std::int64_t kMicrosecond = 1000;
constexpr std::int64_t kLongestUs = std::int64_t{86'400'000'000}; // a day: beyond it, damage

} // namespace

std::vector<PlacedNode> placeInOrder(std::vector<OrderedNode>& nodes, TimeNs begin) {
    std::stable_sort(nodes.begin(), nodes.end(),
        [](const OrderedNode& a, const OrderedNode& b) { return a.id < b.id; });
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

} // namespace trainscope::importers::exectrace
