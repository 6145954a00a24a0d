#pragma once
// The breakdown of one device (TraceBreakdown.h) from its spans, one at a time: for a pass over
// them that serves other questions too. Memory grows with the iterations and the names.

#include "core/analysis/traces/KernelNames.h"
#include "core/analysis/traces/TraceBreakdown.h"

#include <memory>

namespace trainscope::analysis {

class BreakdownMeter {
public:
    // names: of the spans' store; outlives the meter.
    BreakdownMeter(const TraceWindow& shown, KernelNames& names);
    BreakdownMeter(const BreakdownMeter&) = delete;
    BreakdownMeter& operator=(const BreakdownMeter&) = delete;
    ~BreakdownMeter();

    // Those of all streams, in order of their start. Fails where a name cannot be read.
    Status add(const Span& span);
    // At the end, once; without the rank and the device.
    DeviceBreakdown finish();

private:
    class Sums;
    std::unique_ptr<Sums> m_sums;
};

} // namespace trainscope::analysis
