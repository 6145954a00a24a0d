#pragma once
// Links operators of the backward pass to the one of the forward pass that they belong to. PyTorch
// numbers the nodes of the backward graph. The operator that makes a node and those that run it
// later carry the node's sequence number; so do operators called before the next node is made. The
// last of several forward operators with one number to begin is therefore the one that made the
// node.
//
// Kept as the correlation of an operator's span, below zero, where no launch has its number.

#include "core/model/Span.h"

#include <cstdint>
#include <optional>

namespace trainscope {

struct AutogradLink {
    std::int64_t sequence = 0;
    bool isBackward = false;

    bool operator==(const AutogradLink&) const = default;
};

constexpr std::int64_t kMostAutogradSequence = std::int64_t{1} << 61U;

// 0, no link, for numbers out of range.
constexpr std::int64_t correlationOf(const AutogradLink& link) {
    if (link.sequence < 0 || link.sequence > kMostAutogradSequence)
        return 0;
    return -(2 * link.sequence + (link.isBackward ? 2 : 1));
}

constexpr std::optional<AutogradLink> autogradLinkOf(std::int64_t correlation) {
    if (correlation >= 0)
        return std::nullopt;
    const std::int64_t code = -(correlation + 1); // correlation may be the least number there is
    return AutogradLink{code / 2, code % 2 != 0};
}

// The number that joins a span to a launch or to what was launched; 0: nothing.
constexpr std::int64_t launchOf(const Span& span) {
    return span.correlation > 0 ? span.correlation : 0;
}

} // namespace trainscope
