#pragma once
// Iterations that a program marks with named ranges of its own ("iteration 12", "step_3",
// "ProfilerStep#4", or the same name again and again). Of several kinds of marks the one is taken
// that says most clearly what it is.

#include "core/model/Time.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers {

struct IterationName {
    std::string_view word; // "iteration", "step", …: one of a fixed list
    std::optional<std::int64_t> index; // absent: it is not numbered
};
std::optional<IterationName> iterationNameOf(std::string_view rangeName);

struct MarkedIteration {
    int rank = 0;
    std::int64_t index = 0;
    TimeRange range;
};

class IterationMarks {
public:
    static constexpr std::size_t kMost = 200'000;

    void add(int rank, const IterationName& name, TimeRange range);
    // In order of rank and time. Ranges that were begun again before they ended were never closed:
    // each lasts up to the next, and the last of them, whose end nobody knows, is left out.
    [[nodiscard]] std::vector<MarkedIteration> take();
    [[nodiscard]] bool wereOpen() const { return m_wereOpen; } // some of those taken

private:
    struct Mark {
        int rank = 0;
        std::optional<std::int64_t> index;
        TimeRange range;
    };
    std::map<std::pair<std::string_view, bool>, std::vector<Mark>> m_marks; // by word, numbered
    std::size_t m_count = 0;
    bool m_wereOpen = false;
};

} // namespace trainscope::importers
