#pragma once
// Kernels of a trace as islands in time, to tell those that end long before its first iteration.
// Memory is bounded: where there are too many islands, those nearest to each other grow together.

#include "core/model/Time.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace trainscope::importers {

class WorkIslands {
public:
    static constexpr std::size_t kMost = 4096;

    WorkIslands() = default;
    WorkIslands(const WorkIslands&) = delete; // one refers to its own islands
    WorkIslands& operator=(const WorkIslands&) = delete;
    ~WorkIslands() = default;

    // In any order.
    void add(TimeNs start, DurationNs duration);

    // analysis::earlyWorkText(); empty where none ends so long before, or there are no iterations.
    // Times count from where those of the kernels do.
    [[nodiscard]] std::string earlyText(const std::vector<TimeRange>& iterations) const;

private:
    struct Island {
        std::int64_t end = 0;
        std::int64_t kernels = 0;
        std::int64_t ns = 0; // their lengths, summed

        void take(const Island& other) {
            end = std::max(end, other.end);
            kernels += other.kernels;
            ns += other.ns;
        }
    };
    using Islands = std::map<std::int64_t, Island>; // by begin

    [[nodiscard]] bool reaches(const Islands::value_type& island, std::int64_t begin) const {
        return begin >= island.first && begin <= island.second.end + m_gap;
    }
    void growTogether();

    Islands m_islands;
    Islands::value_type* m_last = nullptr; // the island of the kernel before
    std::int64_t m_gap = 1; // ns; islands nearer than that are one
};

} // namespace trainscope::importers
