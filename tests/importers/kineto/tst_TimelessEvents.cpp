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
