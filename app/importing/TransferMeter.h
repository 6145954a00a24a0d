#pragma once
// TransferMeter: rate of a transfer and its remaining time, smoothed over the last seconds so that
// the numbers can be read. Fed with a clock's milliseconds, so that tests need not wait.

#include <cstdint>
#include <deque>
#include <optional>

namespace trainscope::app {

class TransferMeter {
public:
    void restart() { m_points.clear(); }
    // `fraction`: done share of all work, 0 to 1; < 0: not known. Other work has begun when it
    // falls, or becomes known.
    void add(std::int64_t milliseconds, std::uint64_t bytesDone, double fraction);

    // Bytes per second over the last kWindow; absent in the first half second and where none moved.
    [[nodiscard]] std::optional<double> rate() const;
    // By the mean of the speed since the start and that of the last kWindow: work is not equally
    // fast everywhere.
    [[nodiscard]] std::optional<double> secondsLeft() const;

    static constexpr std::int64_t kWindow = 4000; // ms
    static constexpr std::int64_t kSettling = 500; // ms

private:
    struct Point {
        std::int64_t milliseconds = 0;
        std::uint64_t bytes = 0;
        double fraction = 0.0;
    };
    std::deque<Point> m_points; // in the last kWindow
    Point m_start;
};

} // namespace trainscope::app
