#pragma once
// Kernels and iterations of one trace that cannot be as they stand
// (analysis/findings/KernelRules.h has the rules), told as it is imported. Memory is bounded: of
// more than kMost kernels nothing is told here; the findings of the run judge more of them.

#include "core/analysis/findings/KernelRules.h"
#include "core/model/Time.h"

#include <cstddef>
#include <string>
#include <vector>

namespace trainscope::importers {

class KernelDoubts {
public:
    static constexpr std::size_t kMost = 200'000;

    // In any order. `stream`: a small number for each.
    void add(std::size_t stream, TimeNs start, DurationNs duration);

    // "the kernel time of 500 ms is doubtful: 2 kernels of a stream begin and end inside one before
    // them; where each ends when the next begins it is 50 µs", "4 of 6 iterations start no kernel:
    // …", analysis::earlyWorkText(). `iterations` are of the clock of the kernels.
    [[nodiscard]] std::vector<std::string> texts(std::vector<TimeRange> iterations) const;

private:
    using Kernel = analysis::StreamKernel;
    using Kernels = std::vector<Kernel>;
    // By stream, then by begin, the longer one first.
    [[nodiscard]] Kernels inOrder() const;
    [[nodiscard]] static std::string overrunText(const Kernels& kernels);
    [[nodiscard]] static std::string earlyText(
        const Kernels& kernels, const std::vector<TimeRange>& iterations);
    [[nodiscard]] static std::string emptyText(
        const Kernels& kernels, std::vector<TimeRange> iterations);

    Kernels m_kernels;
    bool m_areTooMany = false;
};

} // namespace trainscope::importers
