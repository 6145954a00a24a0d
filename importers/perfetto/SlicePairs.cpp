#include "importers/perfetto/SlicePairs.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace trainscope::importers::perfetto {

namespace {

constexpr std::int64_t kOpen = -1;
constexpr std::uint32_t kNoEnd = ~std::uint32_t{0};

using Events = std::deque<std::int64_t>;
using Ends = std::vector<std::uint32_t>; // the place of each begin's

bool isEnd(std::int64_t event) {
    return (event & 1) != 0;
}

bool isEarlier(std::int64_t a, std::int64_t b) {
    return a >> 1 < b >> 1;
}

Ends pairedAsStack(const Events& events) {
    std::vector<std::uint32_t> order(events.size());
    std::iota(order.begin(), order.end(), 0U);
    if (!std::ranges::is_sorted(events, isEarlier))
        std::ranges::stable_sort(
            order, isEarlier, [&events](std::uint32_t place) { return events[place]; });
    std::vector<std::uint32_t> numbers(events.size()); // the begins', by place
    std::uint32_t begins = 0;
    for (std::size_t i = 0; i < events.size(); ++i)
        numbers[i] = isEnd(events[i]) ? 0 : begins++;
    Ends ends(begins, kNoEnd);
    std::vector<std::uint32_t> stack;
    for (const std::uint32_t place : order) {
        if (!isEnd(events[place])) {
            stack.push_back(place);
        } else if (!stack.empty()) {
            ends[numbers[stack.back()]] = place;
            stack.pop_back();
        }
    }
    return ends;
}

std::optional<Ends> pairedByRuns(const Events& events) {
    Ends ends;
    for (std::size_t at = 0; at < events.size();) {
        const auto begin = events.begin() + static_cast<std::ptrdiff_t>(at);
        const auto middle = std::find_if(begin, events.end(), isEnd);
        const auto count = static_cast<std::size_t>(middle - begin);
        const auto end = std::find_if_not(middle, events.end(), isEnd);
        if (static_cast<std::size_t>(end - middle) != count)
            return std::nullopt;
        const bool isStack = std::is_sorted(begin, end, isEarlier);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t place = at + (isStack ? 2 * count - 1 - i : count + i);
            ends.push_back(static_cast<std::uint32_t>(place));
            if (isEarlier(events[place], events[at + i]))
                return std::nullopt;
        }
        at += 2 * count;
    }
    return ends;
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

void SlicePairs::say(std::uint32_t track, Members arguments) {
    if (m_leftOut == 0)
        m_said.emplace(std::pair(track, m_tracks[track].size() - 1), std::move(arguments));
}

void SlicePairs::finish() {
    auto said = std::exchange(m_said, {});
    for (std::uint32_t number = 0; number < m_tracks.size(); ++number) {
        Events events = std::exchange(m_tracks[number], {});
        const bool isInOrder = std::ranges::is_sorted(events, isEarlier);
        // Without its last events nobody knows what a track out of order means.
        if (!isInOrder && m_leftOut > 0)
            continue;
        const auto runs = isInOrder ? std::nullopt : pairedByRuns(events);
        const Ends ends = runs ? *runs : pairedAsStack(events);
        m_unpaired += static_cast<std::int64_t>(events.size());
        Events& lengths = m_tracks[number];
        for (const std::int64_t event : events) {
            if (isEnd(event))
                continue;
            const std::size_t begin = lengths.size();
            const std::uint32_t end = ends[begin];
            lengths.push_back(end == kNoEnd ? kOpen : (events[end] >> 1) - (event >> 1));
            m_unpaired -= end == kNoEnd ? 0 : 2;
            if (const auto own = said.find({number, end}); own != said.end())
                m_said.emplace(std::pair(number, begin), std::move(own->second));
        }
    }
}

std::optional<std::int64_t> SlicePairs::next(std::uint32_t track, std::size_t& at) const {
    if (track >= m_tracks.size() || at >= m_tracks[track].size() || m_tracks[track][at++] == kOpen)
        return std::nullopt;
    return m_tracks[track][at - 1];
}

const Members* SlicePairs::said(std::uint32_t track, std::size_t begin) const {
    const auto found = m_said.find({track, begin});
    return found == m_said.end() ? nullptr : &found->second;
}

} // namespace trainscope::importers::perfetto
