#include "importers/perfetto/SlicePairs.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace trainscope::importers::perfetto {

namespace {

constexpr std::int64_t kOpen = -1;

bool isEnd(std::int64_t event) {
    return (event & 1) != 0;
}

bool isEarlier(std::int64_t a, std::int64_t b) {
    return a >> 1 < b >> 1;
}

std::int64_t lengthOf(std::int64_t begin, std::int64_t end) {
    return (end >> 1) - (begin >> 1);
}

} // namespace

void SlicePairs::add(std::uint32_t track, std::int64_t ns, bool isEnd) {
    if (m_held >= kMost) {
        ++m_leftOut;
        return;
    }
    if (track >= m_tracks.size())
        m_tracks.resize(track + 1);
    m_tracks[track].push_back(ns * 2 + (isEnd ? 1 : 0));
    ++m_held;
}

void SlicePairs::pairAsStack(const Events& events, Events& lengths) {
    std::vector<std::uint32_t> order(events.size());
    std::iota(order.begin(), order.end(), 0U);
    if (!std::ranges::is_sorted(events, isEarlier))
        std::ranges::stable_sort(
            order, isEarlier, [&events](std::uint32_t place) { return events[place]; });
    std::vector<std::uint32_t> numbers(events.size()); // of begins, by place
    std::uint32_t begins = 0;
    for (std::size_t i = 0; i < events.size(); ++i)
        numbers[i] = isEnd(events[i]) ? 0 : begins++;
    lengths.assign(begins, kOpen);
    std::vector<std::uint32_t> stack;
    for (const std::uint32_t place : order) {
        if (!isEnd(events[place])) {
            stack.push_back(place);
        } else if (stack.empty()) {
            ++m_unpaired;
        } else {
            lengths[numbers[stack.back()]] = lengthOf(events[stack.back()], events[place]);
            stack.pop_back();
        }
    }
    m_unpaired += static_cast<std::int64_t>(stack.size());
}

bool SlicePairs::pairByRuns(const Events& events, Events& lengths) {
    for (std::size_t at = 0; at < events.size();) {
        const auto begin = events.begin() + static_cast<std::ptrdiff_t>(at);
        const auto middle = std::find_if(begin, events.end(), isEnd);
        const auto count = static_cast<std::size_t>(middle - begin);
        const auto end = std::find_if_not(middle, events.end(), isEnd);
        if (static_cast<std::size_t>(end - middle) != count)
            return false;
        const bool isStack = std::is_sorted(begin, end, isEarlier);
        for (std::size_t i = 0; i < count; ++i) {
            lengths.push_back(
                lengthOf(events[at + i], events[at + (isStack ? 2 * count - 1 - i : count + i)]));
            if (lengths.back() < 0)
                return false;
        }
        at += 2 * count;
    }
    return true;
}

void SlicePairs::finish() {
    for (Events& track : m_tracks) {
        Events lengths;
        const bool isInOrder = std::ranges::is_sorted(track, isEarlier);
        // Without its last events nobody knows what a track out of order means.
        if (isInOrder || (m_leftOut == 0 && !pairByRuns(track, lengths)))
            pairAsStack(track, lengths);
        track = std::move(lengths);
    }
}

std::optional<std::int64_t> SlicePairs::next(std::uint32_t track, std::size_t& at) const {
    if (track >= m_tracks.size() || at >= m_tracks[track].size() || m_tracks[track][at++] == kOpen)
        return std::nullopt;
    return m_tracks[track][at - 1];
}

} // namespace trainscope::importers::perfetto
