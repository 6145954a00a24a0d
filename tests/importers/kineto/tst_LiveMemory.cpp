// Live memory at the moment of the peak, by the memory events of a trace.

#include "core/analysis/machine/AllocatorMemory.h"
#include "importers/support/ImportAll.h"
#include "support/TestProgram.h"

#include <QtTest>

using namespace trainscope;
using namespace trainscope::test;

namespace {

std::string memoryEvent(int us, std::int64_t address, std::int64_t bytes, std::int64_t allocated) {
    return "{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"s\":\"t\",\"name\":\"[memory]\",\"pid\":"
           "1,"
           "\"tid\":1,\"ts\":"
        + std::to_string(us) + ",\"args\":{\"Total Reserved\":9000,\"Total Allocated\":"
        + std::to_string(allocated) + ",\"Bytes\":" + std::to_string(bytes)
        + ",\"Addr\":" + std::to_string(address) + ",\"Device Id\":0,\"Device Type\":1}}";
}

} // namespace

class tst_LiveMemory : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // 100 B were there before; 1000 + 500 + 500 live at the peak of 2100, the 300 do not.
    void peakBySize() {
        std::string events;
        for (const std::string& one :
            {memoryEvent(1, 16, 1000, 1100), memoryEvent(2, 32, 300, 1400),
                memoryEvent(3, 32, -300, 1100), memoryEvent(4, 48, 500, 1600),
                memoryEvent(6, 16, -1000, 1100), memoryEvent(5, 64, 500, 2100)})
            events += (events.empty() ? "" : ",") + one;
        ImportedAll got;
        importFile("trace.json",
            "{\"schemaVersion\":1,\"baseTimeNanoseconds\":5000,\"traceEvents\":["
            "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,\"ts\":1,"
            "\"dur\":5,\"args\":{}},"
                + events + "]}",
            got);
        QVERIFY(got.reports.at(0).hasValue());
        const auto& facts = got.reports[0].value().facts;
        const auto found = facts.find(std::string(analysis::kAllocatorFact));
        QVERIFY(found != facts.end());
        const auto records = analysis::allocatorFromText(found->second);
        QCOMPARE(records.size(), std::size_t{1});
        const analysis::MemoryPeak& peak = records[0].peak;
        QCOMPARE(peak.allocated, std::int64_t{2100});
        QCOMPARE(peak.reserved, std::int64_t{9000});
        QCOMPARE(peak.time->ns, std::int64_t{5000 + 5000});
        QCOMPARE(peak.count, std::int64_t{3});
        QCOMPARE(peak.largest.size(), std::size_t{3});
        // Two of 500 and one of 1000: alike in bytes.
        QCOMPARE(peak.largest[0].bytes(), std::int64_t{1000});
        QCOMPARE(peak.largest[1].bytes(), std::int64_t{1000});
        QCOMPARE(peak.largest[0].count + peak.largest[1].count, std::int64_t{3});
        QCOMPARE(peak.largest[2].bytes(), std::int64_t{100});
        QVERIFY(peak.largest[2].calls.front().find("before") != std::string::npos);
    }
};

TRAINSCOPE_TEST(tst_LiveMemory)
#include "tst_LiveMemory.moc"
