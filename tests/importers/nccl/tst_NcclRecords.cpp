// Records of NCCL's inspector, and a table of nccl-tests without any line of the library.

#include "importers/support/ImportAll.h"
#include "support/TestProgram.h"

#include <QtTest>

using namespace trainscope;
using namespace trainscope::test;
using namespace std::string_literals;

namespace {

std::string recordAt(qint64 writtenUs, int rank, int lastingUs) {
    QByteArray text = "{'header': {'id': '0x1', 'rank': " + QByteArray::number(rank)
        + ", 'n_ranks': 4}, 'metadata': {'dump_timestamp_us': " + QByteArray::number(writtenUs)
        + ", 'hostname': 'n1', 'pid': 77}, 'coll_perf': {'coll': 'AllGather', 'coll_sn': 0, "
          "'coll_msg_size_bytes': 1048576, 'coll_exec_time_us': "
        + QByteArray::number(lastingUs) + ", 'coll_busbw_gbs': 7.86432}}\n";
    return text.replace('\'', '"').toStdString();
}

class tst_NcclRecords : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // The second is written down with the first, of which it is placed behind.
    void collectives() {
        constexpr qint64 kWritten = 1'772'359'200'000'000;
        ImportedAll log;
        importFile("n1-pid77.log",
            recordAt(kWritten, 0, 100) + recordAt(kWritten, 0, 50) + "{\"coll_perf\": {}}\n", log);
        QCOMPARE(log.plan.units.at(0).importer, "nccl-inspector"s);
        QCOMPARE(log.plan.units.at(0).worldSize, 4);
        const std::vector<Span>& spans = log.sink.tracks.at(0).spans;
        QCOMPARE(spans.size(), std::size_t{2});
        QCOMPARE(spans[0].start.ns, (kWritten - 100) * 1000);
        QCOMPARE(spans[0].duration.ns, 100'000);
        QCOMPARE(spans[1].start.ns, kWritten * 1000);
        QCOMPARE(log.sink.name(spans[0].name), "nccl AllGather"s);
        QCOMPARE(log.ofGpu("nccl_bus_bandwidth"), (std::vector<double>{7.86432e9, 7.86432e9}));
        QCOMPARE(log.reports.at(0).value().skipped, std::int64_t{1});
    }

    // No message is that large, nor is its size negative.
    void sizesThatCannotBe() {
        for (const char* size : {"1e300", "-5", "18446744073709551616"}) {
            std::string record = recordAt(1'772'359'200'000'000, 0, 100);
            record.replace(record.find("1048576"), 7, size);
            ImportedAll log;
            importFile("n1-pid77.log", record, log);
            const Span& span = log.sink.tracks.at(0).spans.at(0);
            QCOMPARE(log.sink.name(span.detail),
                R"({"Collective name":"AllGather","In msg nelems":0,"Out msg nelems":0,"dtype":"Byte","Group size":4})"s);
        }
    }

    void processesOfOneRun() {
        ImportedAll log;
        importAll(*importers::memoryTree({{"job/a.log", recordAt(1'772'359'200'000'000, 0, 100)},
                      {"job/b.log", recordAt(1'772'359'200'000'000, 1, 100)}}),
            log);
        QCOMPARE(log.sink.runs.size(), std::size_t{1});
        QCOMPARE(log.sink.gpus.size(), std::size_t{2});
    }

    // The ranks are those of communicators: one process may have several, two files put together
    // have two processes.
    void processesInOneFile() {
        const std::string first
            = recordAt(1'772'359'200'000'000, 0, 100) + recordAt(1'772'359'200'000'500, 3, 100);
        std::string second = recordAt(1'772'359'200'000'000, 1, 100);
        second.replace(second.find("\"pid\": 77"), 9, "\"pid\": 78");
        ImportedAll log;
        importFile("all.log", first + second, log);
        QCOMPARE(log.sink.tracks.at(0).spans.size(), std::size_t{2});
        QCOMPARE(log.reports.at(0).value().skipped, std::int64_t{1});
        QVERIFY2(log.warnings().find("1 record of other processes") != std::string::npos,
            log.warnings().c_str());
    }

    void tableAlone() {
        ImportedAll log;
        importFile("all.log",
            "# nThread 1 nGpus 2 minBytes 1048576 maxBytes 2097152\n"
            "#   Rank  0 Pid   1001 on      nodeA device  0 [0x17] NVIDIA A100-SXM4-80GB\n"
            "#   Rank  1 Pid   1001 on      nodeA device  1 [0x31] NVIDIA A100-SXM4-80GB\n"
            "#  size  count  type  redop  time  algbw  busbw  error  time  algbw  busbw  error\n"
            " 1048576  262144  float  sum  20.00  52.43  52.43  N/A  20.00  52.43  52.43  N/A\n"
            " 2097152  524288  float  sum  32.00  65.54  65.54  N/A  32.00  65.54  65.54  N/A\n"
            "# Avg bus bandwidth    : 58.985\n",
            log);
        QCOMPARE(log.sink.gpus.size(), std::size_t{2});
        const auto& facts = log.reports.at(0).value().facts;
        QCOMPARE(facts.at("nccl-tests"),
            "all_reduce, 2 sizes to 2097152 B, at best 65.54 GB/s of the bus"s);
        QVERIFY(facts.at("nccl-tests mean").starts_with("58.9"));
    }
};

} // namespace

TRAINSCOPE_TEST(tst_NcclRecords)
#include "tst_NcclRecords.moc"
