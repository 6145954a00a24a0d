#include "importers/perfetto/Clocks.h"

#include "importers/common/MessageFields.h"

#include <algorithm>
#include <vector>

namespace trainscope::importers::perfetto {

namespace {

constexpr std::uint64_t kRealtime = 1;
constexpr std::uint64_t kMonotonic = 3;
constexpr std::uint64_t kMostNs = std::uint64_t{1} << 61U; // the year 2043
constexpr std::size_t kMostClocks = 10'000;

struct Reading {
    std::uint64_t clock = 0;
    std::uint64_t stamp = 0;
    std::uint64_t unit = 1; // ns
    bool isIncremental = false;

    [[nodiscard]] std::int64_t ns() const { return static_cast<std::int64_t>(stamp * unit); }
};

std::vector<Reading> readingsOf(std::string_view snapshot) {
    std::vector<std::string_view> clocks;
    readFields(snapshot, {{1, &clocks}});
    std::vector<Reading> readings;
    for (const std::string_view clock : clocks) {
        Reading reading;
        readFields(clock,
            {{1, &reading.clock}, {2, &reading.stamp}, {3, &reading.isIncremental},
                {4, &reading.unit}});
        if (reading.unit > 0 && reading.stamp <= kMostNs / reading.unit)
            readings.push_back(reading);
    }
    return readings;
}

bool isOfSequence(std::uint64_t clock) {
    return clock >= 64 && clock < 128;
}

} // namespace

Clocks::Key Clocks::keyOf(std::uint64_t sequence, std::uint64_t clock) {
    return {isOfSequence(clock) ? sequence : 0, clock};
}

void Clocks::take(std::uint64_t sequence, std::string_view snapshot) {
    const std::vector<Reading> readings = readingsOf(snapshot);
    for (const std::uint64_t clock : {kBoot, kMonotonic, kRealtime}) {
        if (!m_main && std::ranges::find(readings, clock, &Reading::clock) != readings.end())
            m_main = clock;
    }
    // The moment on the trace's clock: as it says, else by a clock that is known already.
    std::optional<std::int64_t> moment;
    for (const Reading& reading : readings) {
        const auto known = m_clocks.find(keyOf(sequence, reading.clock));
        if (reading.clock == m_main)
            moment = reading.ns();
        else if (!moment && known != m_clocks.end())
            moment = reading.ns() + known->second.toMain;
    }
    if (moment && (*moment < 0 || *moment > static_cast<std::int64_t>(kMostNs)))
        return;
    for (const Reading& reading : readings) {
        if (reading.clock == kRealtime && moment && !m_toUtc)
            m_toUtc = DurationNs{reading.ns() - *moment};
        const Key key = keyOf(sequence, reading.clock);
        if (m_clocks.size() < kMostClocks || m_clocks.contains(key))
            m_clocks[key] = {moment ? *moment - reading.ns() : 0, reading.unit,
                reading.isIncremental, reading.stamp * reading.unit};
    }
}

std::optional<std::int64_t> Clocks::ns(
    std::uint64_t sequence, std::uint64_t clock, std::uint64_t stamp) {
    const auto found = m_clocks.find(keyOf(sequence, clock));
    if (found == m_clocks.end() && isOfSequence(clock))
        return std::nullopt;
    Clock unknown;
    Clock& known = found == m_clocks.end() ? unknown : found->second;
    if (stamp > kMostNs / known.unit)
        return std::nullopt;
    std::uint64_t own = stamp * known.unit;
    if (known.isIncremental)
        own = known.last = std::min(known.last + own, kMostNs);
    const std::int64_t main = static_cast<std::int64_t>(own) + known.toMain;
    return main < 0 || main > static_cast<std::int64_t>(kMostNs) ? std::nullopt
                                                                 : std::optional(main);
}

} // namespace trainscope::importers::perfetto
