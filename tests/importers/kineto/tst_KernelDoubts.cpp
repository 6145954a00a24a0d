// Kernels and iterations that cannot be as a trace has them are told as it is imported.
#include "importers/support/ImportAll.h"
#include "importers/trace/KernelDoubts.h"
#include "support/TestProgram.h"

#include <QTest>

using namespace trainscope;
using namespace trainscope::test;

namespace {

std::string kernelAt(double start, double duration, int stream = 7) {
    return R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":)" + std::to_string(stream)
        + R"(,"ts":)" + std::to_string(start) + R"(,"dur":)" + std::to_string(duration)
        + R"(,"args":{"device":0,"stream":)" + std::to_string(stream) + "}},";
}

std::string stepAt(int number, double start, double duration) {
    return R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#)" + std::to_string(number)
        + R"(","pid":1,"tid":1,"ts":)" + std::to_string(start) + R"(,"dur":)"
        + std::to_string(duration) + R"(,"args":{}},)";
}

std::string warningsOf(std::string events) {
    events.pop_back(); // the last comma
    ImportedAll log;
    importFile("trace.json",
        R"({"baseTimeNanoseconds":1767261600000000000,"traceEvents":[)" + events + "]}", log);
    return log.warnings();
}

} // namespace

class tst_KernelDoubts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    // Kernels of 10 µs at 0, 20, 40 and 60 µs, of which the second is written with 1,000 µs: 1,030
    // µs as written; it ends at 40 µs, where the next begins: 10 + 20 + 10 + 10 = 50 µs.
    void kernelsThatRunOverOthers() {
        const std::string events
            = kernelAt(1000, 10) + kernelAt(1060, 10) + kernelAt(1020, 1000) + kernelAt(1040, 10);
        const std::string told = warningsOf(events);
        QCOMPARE(told,
            std::string("the kernel time of 1.03 ms is doubtful: 2 kernels of a stream begin and "
                        "end inside one before; where each ends when the next begins, it is 50 "
                        "µs\n"));
        // On streams of their own they may.
        QCOMPARE(warningsOf(kernelAt(1020, 1000, 7) + kernelAt(1040, 10, 8)), std::string());
    }

    // 3 of 5 iterations start no kernel.
    void iterationsWithoutKernels() {
        std::string events = kernelAt(1100, 500) + kernelAt(2100, 500);
        for (int i = 1; i <= 5; ++i)
            events += stepAt(i, 1000.0 * i, 1000.0);
        QCOMPARE(warningsOf(events),
            std::string("3 of 5 iterations start no kernel: either the trace lost them, or the "
                        "marks are not of iterations\n"));
        events += kernelAt(3100, 5) + kernelAt(4100, 5) + kernelAt(5100, 5);
        QCOMPARE(warningsOf(events), std::string());
    }

    // Iterations of 1 ms from 101 ms on: 20 of them before is 81 ms, and a kernel ends at 1.1 ms.
    void workBeforeTheFirstIteration() {
        std::string events;
        for (int i = 0; i < 5; ++i)
            events += stepAt(i + 1, 101'000.0 + 1000.0 * i, 1000.0)
                + kernelAt(101'100.0 + 1000.0 * i, 500);
        QCOMPARE(warningsOf(events + kernelAt(1000, 100)),
            std::string("1 kernel of 100 µs ends 99.9 ms before the first iteration and counts in "
                        "no share\n"));
        QCOMPARE(warningsOf(events + kernelAt(81'000, 100)), std::string());
    }

    // Nothing is told or kept of too many.
    void tooMany() {
        importers::KernelDoubts doubts;
        doubts.add(0, {0}, {1'000'000'000});
        for (std::size_t i = 1; i <= importers::KernelDoubts::kMost; ++i)
            doubts.add(0, {static_cast<std::int64_t>(i)}, {1});
        QVERIFY(doubts.texts({}).empty());
    }
};

TRAINSCOPE_TEST(tst_KernelDoubts)
#include "tst_KernelDoubts.moc"
