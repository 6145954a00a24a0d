#pragma once
// Iterations told by ranks other than the one that is read, in a log that several write to: kept
// until the one that is read has told of the same iteration, and used where it does not.

#include "core/model/Result.h"
#include "importers/trainlog/StepLine.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace trainscope::importers::trainlog {

class OtherRanks {
public:
    static constexpr std::size_t kMostKept = 4096; // iterations; more are left out

    // "0", "rank0", "default0": the rank that speaks for a run.
    [[nodiscard]] static bool isFirst(std::string_view rank);

    // A line of another rank, with its times.
    void add(std::string_view rank, const StepLine& line);
    // The rank that is read tells of `index`, or nothing more: visits what only others told before
    // it, at the distances at which that rank tells of its own.
    Status takeUntil(
        std::optional<std::int64_t> index, const std::function<Status(const StepLine&)>& visit);

    [[nodiscard]] std::int64_t left() const { return m_lines - m_used; } // lines
    [[nodiscard]] std::int64_t used() const { return m_used; }
    // Names the ranks whose lines are read, and the use of the others; empty where there are none.
    [[nodiscard]] std::string text(std::string_view read) const;

private:
    Status visitKept(const KeptLine& kept, const std::function<Status(const StepLine&)>& visit);

    std::map<std::int64_t, KeptLine> m_kept; // by iteration, of the rank that told first
    std::set<std::string, std::less<>> m_ranks;
    std::optional<std::int64_t> m_last; // the last of the rank that is read
    std::optional<std::int64_t> m_stride; // the least between its iterations
    std::int64_t m_lines = 0;
    std::int64_t m_used = 0;
};

} // namespace trainscope::importers::trainlog
