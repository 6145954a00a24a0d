#pragma once
// Says on stderr what is being done: phase, bytes, rate and time left. On a terminal one line that
// is redrawn at most ten times a second and goes when something else is written. Elsewhere it
// writes a line every ten seconds. So it may be called for every block.

#include "app/cli/console/Console.h"
#include "app/importing/ProgressFunnel.h"

namespace trainscope::cli {

class ProgressLine {
public:
    using Clock = std::function<std::int64_t()>; // milliseconds

    explicit ProgressLine(const Console& console);
    ProgressLine(const Console& console, Clock clock);
    ~ProgressLine(); // clears the line
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    // total 0: not known. `fraction` of all work, where it is not that of the bytes.
    void update(std::string_view phase, std::uint64_t bytesDone, std::uint64_t bytesTotal,
        std::optional<double> fraction = {});
    // Progress of work that is counted in other things than bytes, layouts for one; total 0: not
    // known.
    void updateCount(std::string_view phase, std::uint64_t done, std::uint64_t total);

private:
    void show(std::string_view phase, std::optional<std::uint64_t> bytesDone,
        std::uint64_t bytesTotal, double fraction);

    const Console& m_console;
    Clock m_clock;
    app::TransferMeter m_meter;
    std::int64_t m_metered = 0;
    std::int64_t m_shown;
};

struct ProgressFigures {
    std::optional<std::uint64_t> bytesDone; // absent: it is not counted in bytes
    std::uint64_t bytesTotal = 0; // 0: not known
    double fraction = -1.0; // below 0: not known
    std::optional<double> rate; // B/s
    std::optional<double> secondsLeft;
};
// "Reading rank 3  [#####.....]  1.2 GB of 2.4 GB  310 MB/s  4 s left", "Searching layouts  50 %",
// without the bar where `bar` is false.
std::string progressText(std::string_view phase, const ProgressFigures& figures, bool bar);

} // namespace trainscope::cli
