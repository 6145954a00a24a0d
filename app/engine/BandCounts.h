#pragma once
// Quantiles of columns from how many series have which value in each.

#include "importers/engine/Answer.h"

#include <cstdint>
#include <map>

namespace trainscope::app {

class BandCounts {
public:
    // Series of that value, by time. A value that is no number makes all quantiles unknown.
    void add(double value, const importers::engine::AnsweredSeries& counts);
    [[nodiscard]] bool isKnown() const { return m_isKnown; }
    // Between two ranks linear, as engines compute quantiles.
    [[nodiscard]] importers::engine::AnsweredSeries quantile(double share) const;

private:
    using Counts = std::map<double, double>; // by value
    std::map<std::int64_t, Counts> m_columns; // by time
    bool m_isKnown = true;
};

} // namespace trainscope::app
