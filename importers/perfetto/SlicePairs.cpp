#include "importers/perfetto/SlicePairs.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace trainscope::importers::perfetto {

namespace {

constexpr std::uint32_t kOpen = ~std::uint32_t{0};
constexpr std::uint32_t kLong = kOpen - 1;

bool isEnd(std::int64_t event) {
    return (event & 1) != 0;
}

std::int64_t momentOf(std::int64_t event) {
    return event >> 1;
}

bool isEarlier(std::int64_t a, std::int64_t b) {
    return momentOf(a) < momentOf(b);
}

} // namespace

void SlicePairs::add(std::uint32_t track, std::int64_t ns, bool isEnd) {
    if (!m_isClosed && m_held >= kMost) {
        pairTracks(false);
        m_isClosed = m_held > kMost / 2 || m_slices >= kMostSlices;
    }
    if (m_isClosed) {
        ++m_leftOut;
        return;
    }
    if (track >= m_tracks.size())
        m_tracks.resize(track + 1);
    Track& on = m_tracks[track];
    on.events.push_back(ns * 2 + (isEnd ? 1 : 0));
    ++m_held;
    if (!isEnd) {
        on.lengths.push_back(kOpen);
        ++m_slices;
    }
}

void SlicePairs::close(Track& track, std::uint32_t number, std::int64_t length) {
    const bool isLong = length >= static_cast<std::int64_t>(kLong);
    track.lengths[number] = isLong ? kLong : static_cast<std::uint32_t>(length);
    if (isLong)
        track.longOnes[number] = length;
}

// The begin that each event is, by its place; of ends nothing.
std::vector<std::uint32_t> SlicePairs::numbersOf(const Track& track) {
    std::vector<std::uint32_t> numbers;
    numbers.reserve(track.events.size());
    const auto begins = static_cast<std::size_t>(
        std::ranges::count_if(track.events, [](std::int64_t event) { return !isEnd(event); }));
    auto next = static_cast<std::uint32_t>(track.lengths.size() - (begins - track.open.size()));
    for (const std::int64_t event : track.events) {
        const bool wasOpen = numbers.size() < track.open.size();
        numbers.push_back(wasOpen ? track.open[numbers.size()] : next);
        next += wasOpen || isEnd(event) ? 0 : 1;
    }
    return numbers;
}

void SlicePairs::pairAsStack(Track& track, const Order& order) {
    const std::vector<std::uint32_t> numbers = numbersOf(track);
    std::vector<std::uint32_t> stack; // places
    for (const std::uint32_t place : order) {
        const std::int64_t event = track.events[place];
        if (!isEnd(event)) {
            stack.push_back(place);
        } else if (stack.empty()) {
            ++m_unpaired;
        } else {
            close(track, numbers[stack.back()],
                momentOf(event) - momentOf(track.events[stack.back()]));
            stack.pop_back();
        }
    }
    std::deque<std::int64_t> events;
    track.open.clear();
    for (const std::uint32_t place : stack) {
        events.push_back(track.events[place]);
        track.open.push_back(numbers[place]);
    }
    track.events = std::move(events);
}

bool SlicePairs::pairByRuns(Track& track) {
    const auto& events = track.events;
    std::vector<std::pair<std::size_t, std::size_t>> runs; // of begins: place, count
    for (std::size_t at = 0; at < events.size();) {
        std::size_t count = 0;
        while (at + count < events.size() && !isEnd(events[at + count]))
            ++count;
        std::size_t ends = 0;
        while (at + count + ends < events.size() && isEnd(events[at + count + ends]))
            ++ends;
        if (ends != count)
            return false;
        for (std::size_t i = 0; i < count; ++i) {
            if (isEarlier(events[at + count + i], events[at + i]))
                return false;
        }
        runs.emplace_back(at, count);
        at += 2 * count;
    }
    std::uint32_t number = 0;
    for (const auto& [at, count] : runs) {
        const auto begin = events.begin() + static_cast<std::ptrdiff_t>(at);
        const bool isStack
            = std::is_sorted(begin, begin + static_cast<std::ptrdiff_t>(2 * count), isEarlier);
        for (std::size_t i = 0; i < count; ++i, ++number) {
            const std::size_t end = at + (isStack ? 2 * count - 1 - i : count + i);
            close(track, number, momentOf(events[end]) - momentOf(events[at + i]));
        }
    }
    track.events.clear();
    return true;
}

void SlicePairs::pairTracks(bool isWhole) {
    for (Track& track : m_tracks) {
        const bool isInOrder = std::ranges::is_sorted(track.events, isEarlier);
        m_held -= track.events.size();
        if (isInOrder || (isWhole && (!track.open.empty() || !pairByRuns(track)))) {
            Order order(track.events.size());
            std::iota(order.begin(), order.end(), 0U);
            if (!isInOrder)
                std::ranges::stable_sort(order, isEarlier,
                    [&track](std::uint32_t place) { return track.events[place]; });
            pairAsStack(track, order);
        }
        m_held += track.events.size();
    }
}

void SlicePairs::finish() {
    // Without its last events nobody knows what a track out of order means.
    pairTracks(m_leftOut == 0);
    m_unpaired += static_cast<std::int64_t>(m_held);
    for (Track& track : m_tracks) {
        track.events = {};
        track.open = {};
    }
    m_held = 0;
    m_isClosed = true;
}

std::optional<std::int64_t> SlicePairs::next(std::uint32_t track, std::size_t& at) const {
    if (track >= m_tracks.size() || at >= m_tracks[track].lengths.size())
        return std::nullopt;
    const std::size_t number = at++;
    const std::uint32_t length = m_tracks[track].lengths[number];
    if (length == kOpen)
        return std::nullopt;
    return length == kLong ? m_tracks[track].longOnes.at(number) : std::int64_t{length};
}

} // namespace trainscope::importers::perfetto
