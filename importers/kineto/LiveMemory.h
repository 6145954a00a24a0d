#pragma once
// Allocations of a device by the memory events of a profiler: what lived when most was allocated,
// by size. Bounded: behind kMost events nothing is kept. Times count from the trace's base.

#include "core/analysis/machine/AllocatorMemory.h"
#include "core/model/Time.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace trainscope::importers::kineto {

class LiveMemory {
public:
    static constexpr std::size_t kMost = 2'000'000;

    struct Event {
        TimeNs time;
        std::int64_t address = 0;
        std::int64_t bytes = 0; // negative: freed
        std::int64_t allocated = 0; // behind it, on the device
        std::int64_t reserved = 0;
    };
    void add(const Event& event);
    // Memory from before the recording is one allocation of its own. Absent without events.
    [[nodiscard]] std::optional<analysis::MemoryPeak> peak();
    [[nodiscard]] std::int64_t events() const { return static_cast<std::int64_t>(m_events.size()); }

private:
    std::vector<Event> m_events;
};

} // namespace trainscope::importers::kineto
