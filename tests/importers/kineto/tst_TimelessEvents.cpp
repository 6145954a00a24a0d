// Events at time 0 among those of a day: they have no time.

#include "importers/support/ImportAll.h"
#include "support/TestProgram.h"

#include <QtTest>

using namespace trainscope;
using namespace trainscope::test;

namespace {

std::string kernel(const std::string& at, int number) {
    return "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":" + at
        + ",\"dur\":50,\"args\":{\"device\":0,\"stream\":7,\"correlation\":"
        + std::to_string(number) + "}}";
}

std::string timelessTrace(const std::string& events) {
    return "{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,\"name\":\"NVIDIA "
           "A100\"}],\"traceEvents\":["
        + events + "]}";
}

std::size_t spansOf(const ImportedAll& log) {
    std::size_t spans = 0;
    for (const auto& track : log.sink.tracks)
        spans += track.spans.size();
    return spans;
}

class tst_TimelessEvents : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void farFromTheOthers() {
        ImportedAll log;
        importFile("trace.json",
            timelessTrace(kernel("0", 1) + "," + kernel("1772359200000000", 2) + ","
                + kernel("1772359200000100", 3)),
            log);
        QCOMPARE(spansOf(log), std::size_t{2});
        QCOMPARE(log.reports.at(0).value().skipped, std::int64_t{1});
        QVERIFY2(log.warnings().find("time 0") != std::string::npos, log.warnings().c_str());
    }

    // The sign that they have no time may come much later.
    void beforeAllOthersAreRead() {
        std::string between;
        for (int i = 0; between.size() < 3'000'000; ++i)
            between += "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":"
                + std::to_string(i) + ",\"args\":{\"name\":\"" + std::string(1000, 'a') + "\"}},";
        for (const bool isFar : {true, false}) {
            ImportedAll log;
            importFile("trace.json",
                timelessTrace(
                    kernel("0", 1) + "," + between + kernel(isFar ? "1772359200000000" : "500", 2)),
                log);
            QCOMPARE(spansOf(log), isFar ? std::size_t{1} : std::size_t{2});
            QCOMPARE(log.reports.at(0).value().skipped, std::int64_t{isFar ? 1 : 0});
            QCOMPARE(log.warnings().find("time 0") != std::string::npos, isFar);
        }
    }

    // Kernels long before the first iteration are told, and kept.
    void longBeforeTheFirstIteration() {
        const auto step = [](int number) {
            return ",{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#"
                + std::to_string(number) + "\",\"pid\":1,\"tid\":1,\"ts\":"
                + std::to_string(1'000'000 + number * 1000) + ",\"dur\":1000,\"args\":{}}";
        };
        ImportedAll log;
        importFile("trace.json",
            timelessTrace(kernel("100", 1) + "," + kernel("200", 2) + "," + kernel("990000", 3)
                + "," + kernel("1000100", 4) + step(0) + step(1) + step(2)),
            log);
        QCOMPARE(spansOf(log), std::size_t{7});
        // The third ends less than 20 ms before: not long.
        const std::string told = "2 kernels of 100 µs end 1 s before the first iteration";
        QVERIFY2(log.warnings().find(told) != std::string::npos, log.warnings().c_str());
    }

    // A trace that counts from its own start begins at 0.
    void atTheBegin() {
        ImportedAll log;
        importFile("trace.json", timelessTrace(kernel("0", 1) + "," + kernel("100", 2)), log);
        QCOMPARE(spansOf(log), std::size_t{2});
        QCOMPARE(log.reports.at(0).value().skipped, std::int64_t{0});
    }
};

} // namespace

TRAINSCOPE_TEST(tst_TimelessEvents)
#include "tst_TimelessEvents.moc"
