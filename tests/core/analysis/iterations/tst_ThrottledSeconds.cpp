// GPU-seconds of throttling in each iteration.

#include "core/analysis/iterations/IterationFigures.h"
#include "support/TestProgram.h"

#include <QObject>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace trainscope;
using namespace trainscope::analysis;

namespace {

TimeRange seconds(std::int64_t begin, std::int64_t end) {
    return {{begin * 1'000'000'000}, {end * 1'000'000'000}};
}

} // namespace

class tst_ThrottledSeconds : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Two GPUs at once, one across two windows, one in the pause between them, an empty one.
    void byHand() {
        const std::vector<TimeRange> windows{seconds(0, 10), seconds(12, 20), seconds(20, 30)};
        const std::vector<TimeRange> stretches{seconds(-5, 2), seconds(1, 4), seconds(8, 13),
            seconds(10, 12), seconds(15, 15), seconds(19, 40)};
        const auto found = gpuSecondsIn(windows, stretches);
        QCOMPARE(found, (std::vector<double>{2.0 + 3.0 + 2.0, 1.0 + 1.0, 10.0}));
    }

    void asEachEpisodeInEachWindow() {
        std::mt19937 random(7);
        const auto below
            = [&random](unsigned limit) { return static_cast<std::int64_t>(random() % limit); };
        std::vector<TimeRange> windows;
        std::vector<TimeRange> ranges;
        std::int64_t at = 0;
        for (int i = 0; i < 60; ++i) {
            at += below(3);
            const std::int64_t begin = at;
            at += below(9);
            windows.push_back(seconds(begin, at));
        }
        for (int i = 0; i < 80; ++i) {
            const auto begin = below(300);
            ranges.push_back(seconds(begin, begin + below(40)));
        }
        const auto found = gpuSecondsIn(windows, ranges);
        for (std::size_t i = 0; i < windows.size(); ++i) {
            double sum = 0.0;
            for (const TimeRange& range : ranges) {
                const TimeRange both{
                    std::max(range.begin, windows[i].begin), std::min(range.end, windows[i].end)};
                sum += both.isEmpty() ? 0.0 : both.length().seconds();
            }
            QVERIFY(std::abs(found[i] - sum) < 1e-9);
        }
    }

    // Looked at one by one, these would be 9·10^10 pairs.
    void manyOfBoth() {
        constexpr std::int64_t count = 300'000;
        std::vector<TimeRange> windows;
        std::vector<TimeRange> ranges;
        for (std::int64_t i = 0; i < count; ++i) {
            windows.push_back(seconds(2 * i, 2 * i + 2));
            ranges.push_back(seconds(0, 2 * count)); // each over all windows
        }
        const auto found = gpuSecondsIn(windows, ranges);
        QCOMPARE(found.size(), windows.size());
        QCOMPARE(found.front(), 2.0 * count);
        QCOMPARE(found.back(), 2.0 * count);
    }
};

TRAINSCOPE_TEST(tst_ThrottledSeconds)
#include "tst_ThrottledSeconds.moc"
