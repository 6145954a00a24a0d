#pragma once
// Iterations that a program marks with named ranges of its own ("iteration 12", "step_3",
// "ProfilerStep#4", or the same name again and again). From several kinds of marks one is taken
// that says most clearly what it is.

#include "core/model/Time.h"

#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

namespace trainscope::importers {

struct IterationName {
    std::string_view word; // "iteration", "step", …: one of a fixed list
    std::optional<std::int64_t> index; // absent: it is not numbered
};
std::optional<IterationName> iterationNameOf(std::string_view rangeName);

// As far as the ranges of one thread or rank reach, which are in order of their begin: one that was
// begun again before it ended was never closed and lasts up to the next. Absent for the last of
// such, whose end nobody knows.
std::vector<std::optional<TimeRange>> closedRanges(const std::vector<TimeRange>& ranges);

// Ranges of iterations, held back until it is known how far they reach.
class HeldIterations {
public:
    static constexpr std::size_t kMost = 200'000;
    using Write = std::function<void(TimeRange)>;

    // Ranges beyond kMost are written at once, as they are.
    void add(std::int64_t thread, const IterationName& name, TimeRange range, Write write);
    // Writes those that are held. The number of those left out, as their end is not known.
    std::int64_t writeAll();

private:
    struct Held {
        TimeRange range;
        Write write;
    };
    using Kind = std::tuple<std::int64_t, std::string_view, bool>; // thread, word, is numbered
    std::map<Kind, std::vector<Held>> m_held;
    std::size_t m_count = 0;
};

struct MarkedIteration {
    int rank = 0;
    std::int64_t index = 0;
    TimeRange range;
};

class IterationMarks {
public:
    static constexpr std::size_t kMost = 200'000;

    void add(int rank, const IterationName& name, TimeRange range);
    // In order of rank and time, as far as they reach (closedRanges()).
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
