#pragma once
// One line on a terminal that says what is being done: phase, bytes, rate and time left. Silent
// where stderr is not a terminal. Redrawn at most ten times a second, so that it may be called for
// every block.

#include "app/cli/Console.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace trainscope::cli {

class ProgressLine {
public:
    explicit ProgressLine(const Console& console);
    ~ProgressLine(); // clears the line
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    // total 0: not known.
    void update(std::string_view phase, std::uint64_t bytesDone, std::uint64_t bytesTotal);
    void clear();

private:
    using Clock = std::chrono::steady_clock;

    const Console& m_console;
    Clock::time_point m_start = Clock::now();
    Clock::time_point m_drawn;
    bool m_visible = false;
};

// "Reading rank 3  [#####.....]  1.2 GB of 2.4 GB  310 MB/s  4 s left"
std::string progressText(std::string_view phase, std::uint64_t bytesDone, std::uint64_t bytesTotal,
    double elapsedSeconds);

} // namespace trainscope::cli
