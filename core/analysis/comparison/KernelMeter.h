#pragma once
// Sums up the kernels of one device by name while its trace is walked: calls that begin in a
// window, and the time that lies in it.

#include "core/analysis/traces/DeviceWalk.h"
#include "core/analysis/traces/TraceWindow.h"

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace trainscope::analysis {

class KernelMeter : public DeviceVisitor {
public:
    struct Sum {
        std::string category;
        double seconds = 0.0;
        double count = 0.0;
    };

    // In order of their begin; none: everything counts.
    explicit KernelMeter(const std::vector<TimeRange>& windows);

    Status work(const DeviceWork& work) override;

    // After the walk, by name.
    [[nodiscard]] std::map<std::string, Sum> sums() const;

private:
    struct Entry {
        std::string name;
        Sum sum;
    };

    std::vector<TimeRange> m_ranges;
    OpenWindows m_windows;
    // The walk keeps one entry for each kernel's name while it lasts.
    std::unordered_map<const KernelNames::Kernel*, Entry> m_entries;
};

} // namespace trainscope::analysis
