// Shares of the steps of traced runs.

#include <QtTest>

#include "core/analysis/comparison/TraceMeasures.h"
#include "core/analysis/traces/PlantedRun.h"
#include "support/TestProgram.h"

#include <cmath>

using namespace trainscope;
using namespace trainscope::analysis;

class tst_TraceMeasures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Rank 1's clock is a minute ahead. In each step rank 0 computes 60 % and rank 1 80 %, the rest
    // they reduce: exposed 40 % and 20 %, in the mean 30 %. The first two steps lie before the
    // window.
    void aWindowOnClocksThatDiffer() {
        test::PlantedRun planted;
        planted.clocks[1].offsetNs = 60'000'000'000;
        const std::vector<int> ranks{0, 1};
        std::int64_t now = 0;
        for (std::int64_t k = 0; k < 10; ++k) {
            const std::int64_t tenth = 10'000'000 + k * k % 7 * 100'000;
            const std::vector<std::int64_t> starts{now + 6 * tenth, now + 8 * tenth};
            for (const int rank : ranks) {
                const auto start = starts[static_cast<std::size_t>(rank)];
                planted.calls.push_back({rank, now, start, "sm90_gemm", "", "7"});
                planted.iterations.push_back({k, {{now}, {now + 10 * tenth}}, rank, false});
            }
            planted.addCollective(ranks, starts, 2 * tenth,
                test::collectiveDetail("allreduce", 1 << 20, "world", ranks),
                [] { return std::int64_t{0}; });
            now += 10 * tenth;
        }
        const auto store = planted.stored();
        const Run run = store.findRun("planted").value();
        const RunIterations iterations = iterationsOf({store, run}).value();
        QCOMPARE(iterations.iterations.size(), std::size_t{10});
        const TimeRange window{
            iterations.iterations[2].range.begin, iterations.iterations[9].range.end};
        const auto found
            = traceMeasures({store, run}, {window, iterations, std::nullopt, nullptr}).value();
        QVERIFY(found.has_value());
        QVERIFY(found->basis == TraceBasis::Iterations);
        QCOMPARE(found->devices, 2);
        QCOMPARE(found->iterations, (std::vector<std::int64_t>{2, 3, 4, 5, 6, 7, 8, 9}));
        QVERIFY(std::abs(found->shares.exposedCommunication - 0.3) < 1e-9);
        QVERIFY(std::abs(found->shares.idle) < 1e-9);
        // Parts sum to the step time, which is a median; kernels are counted, not scaled.
        const double mean = found->all.seconds;
        const auto median
            = traceMeasures({store, run}, {window, iterations, 0.9 * mean, nullptr}).value();
        QVERIFY(std::abs(median->all.seconds / (0.9 * mean) - 1.0) < 1e-12);
        double sum = 0.0;
        for (const BreakdownPart& part : median->all.parts)
            sum += part.seconds;
        QVERIFY(std::abs(sum / (0.9 * mean) - 1.0) < 1e-9);
        QVERIFY(std::abs(median->shares.exposedCommunication - 0.3) < 1e-9);
        QCOMPARE(median->kernels.front().count, found->kernels.front().count);
        QVERIFY(median->wording.ends_with("scaled to the step time"));
        // Rank 0 waits 20 % of each step for rank 1, of 60 % that both have exposed.
        QVERIFY(found->exposed.size() == 1 && found->exposed.front().waitS);
        QVERIFY(std::abs(*found->exposed.front().waitS / found->exposed.front().seconds - 1.0 / 3.0)
            < 1e-3);
    }
};

TRAINSCOPE_TEST(tst_TraceMeasures)
#include "tst_TraceMeasures.moc"
