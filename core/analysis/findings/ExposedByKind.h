#pragma once
// How long each kind of collective ran on a device while no compute kernel did. Where several ran
// at once, each counts.

#include "core/analysis/traces/DeviceWalk.h"

#include <map>
#include <string>

namespace trainscope::analysis {

class ExposedByKind : public DeviceVisitor {
public:
    Status piece(TimeRange range, std::span<const ActiveKernel> running) override;
    // By category ("all_reduce").
    [[nodiscard]] const std::map<std::string, DurationNs>& times() const { return m_times; }

private:
    std::map<std::string, DurationNs> m_times;
};

} // namespace trainscope::analysis
