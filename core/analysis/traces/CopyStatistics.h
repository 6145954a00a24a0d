#pragma once
// Copies of a device by direction, with bytes and bandwidth where the trace tells the bytes.

#include "core/analysis/traces/DeviceWalk.h"
#include "core/analysis/traces/TraceWindow.h"

#include <map>
#include <optional>
#include <string>

namespace trainscope::analysis {

struct CopyKind {
    std::int64_t count = 0;
    DurationNs time; // summed
    std::int64_t withBytes = 0; // of the count: told and wholly inside the window
    std::int64_t bytes = 0;
    DurationNs timeWithBytes;

    // B/s while copying; absent where no copy tells its bytes or none takes time.
    [[nodiscard]] std::optional<double> bandwidth() const;
};
using CopyStatistics = std::map<std::string, CopyKind>; // "HtoD", "DtoH", "DtoD", "PtoP", "other"

// "Memcpy HtoD (Pinned -> Device)" → "HtoD"; "CopyHostToDevice" → "HtoD".
std::string copyDirection(std::string_view name);

class CopyMeter : public DeviceVisitor {
public:
    CopyMeter(const store::Store& store, const TraceWindow& shown)
        : m_store(store)
        , m_range(shown.range) { }

    Status work(const DeviceWork& work) override;
    [[nodiscard]] const CopyStatistics& result() const { return m_result; }

private:
    struct Facts {
        CopyKind* kind = nullptr;
        std::optional<std::int64_t> bytes;
    };
    Result<Facts> factsOf(const Span& span);

    const store::Store& m_store;
    TimeRange m_range;
    CopyStatistics m_result;
    std::map<std::pair<NameId, NameId>, Facts> m_facts; // by name and detail
};

} // namespace trainscope::analysis
