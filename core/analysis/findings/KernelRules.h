#pragma once
// Rules of kernels that cannot be as they stand, for the findings of a run (Plausibility.h) and for
// what an import tells of its trace. Each looks at one kernel after the other, of any number.

#include "core/model/Time.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace trainscope::analysis {

inline constexpr double kDoubtfulKernelTime = 0.01; // share of kernel time, behind other kernels
inline constexpr double kEmptySteps = 0.2; // share of the traced iterations

struct StreamKernel {
    std::size_t stream = 0; // a number for each stream
    TimeRange range;
};

// A stream runs one kernel after the other: one that others begin and end in did not run so long.
struct KernelOverruns {
    std::int64_t behind = 0; // kernels that begin and end inside one before them on their stream
    StreamKernel longest; // runs over others
    double writtenS = 0.0; // kernel time, summed
    double clippedS = 0.0; // each kernel ends where the next of its stream begins
};

class OverrunScan {
public:
    // In order of the streams and, in these, of the begin, the longer one first.
    void add(const StreamKernel& kernel);
    void add(const OverrunScan& later); // scan of the streams that follow
    // Absent where the time of the kernels is no more than kDoubtfulKernelTime beyond that of
    // clipped ones.
    [[nodiscard]] std::optional<KernelOverruns> found() const;

private:
    KernelOverruns m_found;
    std::optional<StreamKernel> m_before; // on the stream
    StreamKernel m_open; // open kernel of the stream that ends last
    DurationNs m_written;
    DurationNs m_clippedOff;
};

// Steps in which no kernel begins.
class EmptyStepScan {
public:
    // In order and apart.
    explicit EmptyStepScan(std::vector<TimeRange> steps)
        : m_steps(std::move(steps))
        , m_areEmpty(m_steps.size(), true) { }

    // In any order.
    void add(TimeNs begin);
    void add(const EmptyStepScan& other); // scan of the same steps
    [[nodiscard]] const std::vector<TimeRange>& steps() const { return m_steps; }
    // True for each step without a begin; empty where these are none, all, or fewer than
    // kEmptySteps.
    [[nodiscard]] std::vector<bool> found() const;

private:
    std::vector<TimeRange> m_steps;
    std::vector<bool> m_areEmpty;
};

} // namespace trainscope::analysis
