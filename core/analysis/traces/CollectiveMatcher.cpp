#include "core/analysis/traces/CollectiveMatcher.h"

#include <algorithm>
#include <cstdlib>

namespace trainscope::analysis {

namespace {

constexpr std::int64_t kClockSlack = 2'000; // ns: traces of old writers count whole µs
constexpr std::int64_t kEndSlack = 50'000; // ns: parts of one collective end this close together
constexpr std::int64_t kMessagePatience = 1'000'000'000; // ns that a receiver may come later
constexpr std::size_t kMostOpen = 1024; // of one signature

bool isDirected(const CallSpec& spec) {
    return spec.source >= 0;
}

} // namespace

bool CollectiveMatcher::holds(const Open& open, int rank) {
    return std::any_of(open.matched.parts.begin(), open.matched.parts.end(),
        [rank](const CollectivePart& part) { return part.rank == rank; });
}

std::int64_t CollectiveMatcher::distance(const Open& open, const CollectivePart& part) {
    return std::abs((part.end - open.lastEnd).ns);
}

bool CollectiveMatcher::fits(
    const Open& open, const CallSpec& spec, std::int64_t sequence, const CollectivePart& part) {
    if (holds(open, part.rank))
        return false;
    if (open.sequence >= 0 && sequence >= 0)
        return open.sequence == sequence;
    if (isDirected(spec))
        return true;
    const std::int64_t slack = open.clockError + part.clockError + kClockSlack;
    if ((part.start - open.firstEnd).ns > slack)
        return false;
    if (!isSynchronising(spec.kind) || !hasEqualSizes(spec.kind))
        return true;
    const std::int64_t shorter
        = std::min((part.end - part.start).ns, (open.lastEnd - open.matched.parts.back().start).ns);
    return distance(open, part) <= slack + std::max(kEndSlack, shorter / 4);
}

bool CollectiveMatcher::isOver(const Open& open, TimeNs now) {
    const std::int64_t patience = open.isSynchronising && open.sequence < 0
        ? 2 * open.clockError + kClockSlack + kEndSlack
        : kMessagePatience;
    return (now - open.lastEnd).ns > patience;
}

void CollectiveMatcher::closeOver(Queue& queue, TimeNs now) {
    while (!queue.empty() && (isOver(queue.front(), now) || queue.size() > kMostOpen)) {
        close(queue.front());
        queue.pop_front();
    }
}

void CollectiveMatcher::close(Open& open) {
    open.matched.isComplete = static_cast<int>(open.matched.parts.size()) == open.expected;
    m_take(open.matched);
}

void CollectiveMatcher::add(
    std::uint32_t index, const CallSpec& spec, std::int64_t sequence, const CollectivePart& part) {
    const int expected = m_expected(spec);
    Queue& queue = m_open[spec.signature];
    closeOver(queue, part.start);
    auto best = queue.end();
    for (auto at = queue.begin(); at != queue.end(); ++at) {
        if (!fits(*at, spec, sequence, part))
            continue;
        if (best == queue.end()
            || (!isDirected(spec) && distance(*at, part) < distance(*best, part)))
            best = at;
    }
    if (best == queue.end()) {
        queue.push_back({{index, {}, false}, sequence, expected, part.end, part.end, 0,
            isSynchronising(spec.kind)});
        best = queue.end() - 1;
    }
    best->matched.parts.push_back(part);
    best->sequence = std::max(best->sequence, sequence);
    best->firstEnd = std::min(best->firstEnd, part.end);
    best->lastEnd = std::max(best->lastEnd, part.end);
    best->clockError = std::max(best->clockError, part.clockError);
    if (static_cast<int>(best->matched.parts.size()) < expected)
        return;
    close(*best);
    queue.erase(best);
}

void CollectiveMatcher::finish() {
    for (auto& [signature, queue] : m_open) {
        for (Open& open : queue)
            close(open);
    }
    m_open.clear();
}

} // namespace trainscope::analysis
