#pragma once
// Places where the clock of a log goes back: summer time ends, somebody sets it, or two logs lie
// behind each other in one file.

#include "core/model/Time.h"
#include "importers/common/Stamp.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trainscope::importers {

class ClockFalls {
public:
    // `jitter`: falls of loggers that write beside one another are no longer than that.
    explicit ClockFalls(DurationNs jitter = {})
        : m_jitter(jitter) { }
    // The next row of a GPU, or reading of a series. Less than the step before it is no fall:
    // recorders jitter.
    void row(std::size_t slot, TimeNs time, std::int64_t line);

    // The rows that follow have times of their own.
    void restart() {
        for (GpuClock& gpu : m_gpus)
            gpu.last.reset();
    }

    struct Fall {
        std::int64_t line = 0;
        DurationNs size;
    };
    [[nodiscard]] const std::optional<Fall>& first() const { return m_first; }
    // The first one, which must be there, and how many there are.
    [[nodiscard]] std::string inWords(std::optional<StampKind> stamps) const;

private:
    struct GpuClock {
        std::optional<TimeNs> last;
        DurationNs period;
        int falls = 0;
    };
    DurationNs m_jitter;
    std::vector<GpuClock> m_gpus; // by slot
    std::optional<Fall> m_first;
    int m_count = 0; // all GPUs fall together
};

} // namespace trainscope::importers
