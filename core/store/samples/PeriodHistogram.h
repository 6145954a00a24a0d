#pragma once
// The median of positive intervals, in one pass and small memory: intervals are counted in classes
// of about 3 %, and the median is the mean of its class, so it is exact for regular sampling.

#include <cstdint>
#include <map>
#include <span>

namespace trainscope::store {

class PeriodHistogram {
public:
    // 0 and below is not counted.
    void add(std::int64_t interval);
    // The intervals between neighbours.
    void addBetween(std::span<const std::int64_t> times);
    void add(const PeriodHistogram& other);
    [[nodiscard]] std::int64_t median() const; // 0 when nothing was counted

private:
    struct Class {
        std::int64_t count = 0;
        double sum = 0.0;
    };
    std::map<int, Class> m_classes;
    std::int64_t m_total = 0;
};

} // namespace trainscope::store
