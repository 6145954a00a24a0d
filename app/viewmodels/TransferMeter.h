#pragma once
// How fast bytes go and how long the rest will take, smoothed over the last seconds so that the
// figures can be read. Fed with a clock's milliseconds, so that tests need not wait.

#include <cstdint>
#include <deque>
#include <optional>

namespace trainscope::app {

class TransferMeter {
public:
    void restart() { m_points.clear(); }
    void add(std::int64_t milliseconds, std::uint64_t bytesDone);

    // Bytes per second over the last kWindow; absent in the first half second.
    [[nodiscard]] std::optional<double> rate() const;
    [[nodiscard]] std::optional<double> secondsLeft(std::uint64_t bytesTotal) const;

    static constexpr std::int64_t kWindow = 4000; // ms
    static constexpr std::int64_t kSettling = 500; // ms

private:
    struct Point {
        std::int64_t milliseconds = 0;
        std::uint64_t bytes = 0;
    };
    std::deque<Point> m_points;
};

} // namespace trainscope::app
