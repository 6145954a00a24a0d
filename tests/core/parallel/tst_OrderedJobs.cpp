
#include "core/parallel/OrderedJobs.h"
#include "support/Lasting.h"
#include "support/TestProgram.h"

#include <atomic>
#include <stdexcept>
#include <thread>

class tst_OrderedJobs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void deliversInOrder_data() {
        const auto row = test::columns<unsigned>("workers");
        row("none", 0U);
        row("one", 1U);
        row("five", 5U);
    }
    void deliversInOrder() {
        QFETCH(const unsigned, workers);
        WorkerPool pool(workers);
        const auto caller = std::this_thread::get_id();
        std::vector<int> taken;
        bool elsewhere = false;
        OrderedJobs<int> jobs(pool, 7, [&](int value) {
            elsewhere = elsewhere || std::this_thread::get_id() != caller;
            taken.push_back(value);
        });
        for (int i = 0; i < 500; ++i) {
            jobs.submit([i] {
                // Later jobs are done sooner.
                for (int turn = 0; turn < (i % 5) * -50 + 200; ++turn)
                    std::this_thread::yield();
                return i;
            });
        }
        jobs.finish();
        std::vector<int> expected(500);
        std::iota(expected.begin(), expected.end(), 0);
        QCOMPARE(taken, expected);
        QVERIFY(!elsewhere);
    }

    void holdsNoMoreThanAsked() {
        WorkerPool pool(3);
        std::atomic<int> alive = 0;
        int most = 0;
        OrderedJobs<int> jobs(pool, 4, [&](int) { --alive; });
        for (int i = 0; i < 200; ++i) {
            most = std::max(most, ++alive);
            jobs.submit([i] { return i; });
        }
        jobs.finish();
        QVERIFY(most <= 4);
        QCOMPARE(alive.load(), 0);
    }

    void handsOnWhatAJobThrows() {
        WorkerPool pool(2);
        std::vector<int> taken;
        OrderedJobs<int> jobs(pool, 100, [&](int value) { taken.push_back(value); });
        std::string message;
        try {
            for (int i = 0; i < 10; ++i)
                jobs.submit([i]() -> int {
                    if (i == 4)
                        throw std::runtime_error("out of memory");
                    return i;
                });
            jobs.finish();
        } catch (const std::runtime_error& error) {
            message = error.what();
        }
        QCOMPARE(message, std::string("out of memory"));
        QCOMPARE(taken, (std::vector<int>{0, 1, 2, 3}));
    }

    void abandonedJobsNeverRunLater() {
        WorkerPool pool(1);
        std::atomic<int> ran = 0;
        std::atomic<bool> submitted = false;
        std::atomic<bool> over = false;
        std::atomic<bool> late = false;
        {
            OrderedJobs<int> jobs(pool, 1000, [](int) {});
            for (int i = 0; i < 100; ++i) {
                jobs.submit([&] {
                    late = late || over;
                    // None is done before all are there, however slowly they come.
                    while (!submitted)
                        std::this_thread::yield();
                    test::lasts(std::chrono::milliseconds(10));
                    return ++ran;
                });
            }
            submitted = true;
        }
        over = true;
        while (pool.runOne()) { }
        QVERIFY(!late);
        QVERIFY(ran < 100);
    }
};

TRAINSCOPE_TEST(tst_OrderedJobs)
#include "tst_OrderedJobs.moc"
