#pragma once
// Meters of a walk over a device that share out the time of its steps: by category, and by kernel.

#include "core/analysis/traces/DeviceWalk.h"
#include "core/analysis/traces/TraceWindow.h"

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace trainscope::analysis {

// Shares out the time of one device while its trace is walked: see TraceMeasures.h for the rule.
class TimeShareMeter : public DeviceVisitor {
public:
    // Only work inside the windows counts; no windows: all work does. In order of their
    // begin.
    explicit TimeShareMeter(const std::vector<TimeRange>& windows);

    Status piece(TimeRange range, const Running& running) override;

    // An exposed collective, by its category and the detail of its spans.
    using Collective = std::pair<std::string, NameId>;
    // After the walk; s.
    [[nodiscard]] std::map<std::string, double> seconds() const; // "copy" too, without idle
    [[nodiscard]] std::map<Collective, double> exposed() const;

private:
    void share(double ns, const Running& running);

    struct Hash {
        std::size_t operator()(const std::pair<const std::string*, NameId>& key) const {
            return std::hash<const std::string*>{}(key.first) * 1'000'003U
                ^ std::hash<NameId>{}(key.second);
        }
    };

    // The walk keeps one text for each category of a kernel, so that its place tells it.
    std::unordered_map<const std::string*, double> m_ns;
    double m_copyNs = 0.0;
    std::unordered_map<std::pair<const std::string*, NameId>, double, Hash> m_exposed;
    // The text of a pair above: the walk's texts are gone when it has ended.
    std::unordered_map<const std::string*, std::string> m_texts;
    std::vector<TimeRange> m_ranges;
    OpenWindows m_windows;
};

// Sums up the kernels of one device by name while its trace is walked: calls that begin in a
// window, and the time that lies in it.
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
