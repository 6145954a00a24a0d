#pragma once
// Clocks of a Perfetto trace (clock_snapshot.proto). Stamps of any of them become ns of the trace's
// own, the time since boot unless the trace has none; snapshots say how they lie to each other.
// Clocks 64 to 127 belong to one sequence of packets; some count from the stamp before.

#include "core/model/Time.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace trainscope::importers::perfetto {

class Clocks {
public:
    static constexpr std::uint64_t kBoot = 6;

    // A ClockSnapshot of that sequence.
    void take(std::uint64_t sequence, std::string_view snapshot);
    // Absent: beyond the range of time, or of a clock of the sequence that no snapshot has.
    std::optional<std::int64_t> ns(
        std::uint64_t sequence, std::uint64_t clock, std::uint64_t stamp);
    // From the trace's clock to UTC; absent where no snapshot has both.
    [[nodiscard]] std::optional<DurationNs> toUtc() const { return m_toUtc; }

private:
    struct Clock {
        std::int64_t toMain = 0;
        std::uint64_t unit = 1; // ns
        bool isIncremental = false;
        std::uint64_t last = 0; // ns, of an incremental one
    };
    using Key = std::pair<std::uint64_t, std::uint64_t>; // sequence or 0, clock

    static Key keyOf(std::uint64_t sequence, std::uint64_t clock);

    std::map<Key, Clock> m_clocks;
    std::optional<std::uint64_t> m_main;
    std::optional<DurationNs> m_toUtc;
};

} // namespace trainscope::importers::perfetto
