// NCCL logs: lines of several versions and launchers, and a real log whose figures were counted in
// Python with regular expressions of its own.

#include "core/layout/ProcessGroup.h"
#include "importers/nccl/NcclLog.h"
#include "importers/registry/Registry.h"
#include "importers/support/ImportAll.h"
#include "importers/support/RecordingSink.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

using namespace std::string_literals;
using namespace trainscope::importers;
using namespace trainscope::test;
using nccl::ncclLine;
using nccl::NcclLog;

namespace {

std::string recordAt(qint64 writtenUs, int rank, int lastingUs) {
    QByteArray text = "{'header': {'id': '0x1', 'rank': " + QByteArray::number(rank)
        + ", 'n_ranks': 4}, 'metadata': {'dump_timestamp_us': " + QByteArray::number(writtenUs)
        + ", 'hostname': 'n1', 'pid': 77}, 'coll_perf': {'coll': 'AllGather', 'coll_sn': 0, "
          "'coll_msg_size_bytes': 1048576, 'coll_exec_time_us': "
        + QByteArray::number(lastingUs) + ", 'coll_busbw_gbs': 7.86432}}\n";
    return text.replace('\'', '"').toStdString();
}

class tst_NcclLog : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void lines_data() {
        const auto row = columns<QByteArray, QByteArray, int>("line", "host", "device");
        row("plain", "node-1:77:78 [3] NCCL INFO Connected all rings", "node-1", 3);
        row("srun -l", "12: node-1:77:78 [3] NCCL INFO x", "node-1", 3);
        row("torchrun", "[rank3]:node-1:77:78 [3] NCCL INFO x", "node-1", 3);
        row("stamped", "[2025-01-02 03:04:05] node-1:77:78 [3] NCCL WARN x", "node-1", 3);
        row("no device", "node-1:77:78 NCCL INFO x", "node-1", -1);
    }
    void lines() {
        QFETCH(QByteArray, line);
        QFETCH(QByteArray, host);
        QFETCH(int, device);
        const auto parsed = ncclLine(std::string_view(line.data(), std::size_t(line.size())));
        QVERIFY(parsed.has_value());
        QCOMPARE(std::string(parsed->host), host.toStdString());
        QCOMPARE(parsed->process, std::int64_t{77});
        QCOMPARE(parsed->device, device);
        QCOMPARE(parsed->isWarning, line.contains("WARN"));
    }

    void otherLines() {
        QVERIFY(!ncclLine("iteration 3 NCCL").has_value());
        QVERIFY(!ncclLine(" NCCL INFO nobody").has_value());
        QVERIFY(!ncclLine("a:b:c [0] NCCL INFO x").has_value());
    }

    void ways() {
        using nccl::wayOf;
        QCOMPARE(
            wayOf("NET/AWS Libfabric/0(8)/GDRDMA/Shared"), std::string("NET/AWS Libfabric/GDRDMA"));
        QCOMPARE(wayOf("NET/IB/2"), std::string("NET/IB"));
        QCOMPARE(wayOf("SHM/direct/direct"), std::string("SHM/direct/direct"));
        QCOMPARE(wayOf("P2P/CUMEM"), std::string("P2P/CUMEM"));
    }

    // Columns are printed one by one; lines of the log stand in between, close to them or apart.
    void rowsThatTheLogCuts() {
        NcclLog log;
        std::int64_t number = 0;
        for (const char* line :
            {"#       size         count      type   redop    root     time   algbw   busbw #wrong",
                "     1048576        262144     float     sum      -1n1:7:8 [0] NCCL INFO "
                "Channel 00/0 : 0[0] -> 1[1] [send] via NET/IB/0",
                "n1:7:8 [0] NCCL INFO Connected all rings",
                "    20.00   52.43   52.43      0n1:7:9 [1] NCCL INFO Connected all rings",
                "    21.00   50.00   50.00    N/A",
                "     2097152        524288     float     sum      -1    32.00   65.54   65.54     "
                " "
                "0    32.00   65.54   65.54      0",
                "     4194304       1048576     float     sum      -1",
                "2026-03-01 10:00:00 other text", "12 files",
                "     8388608       2097152     float     sum      -1    90.00   93.21   93.21     "
                " "
                "0    90.00   93.21   93.21      0"})
            log.take(line, ++number);
        QCOMPARE(log.rows().size(), std::size_t{3});
        QCOMPARE(log.rows()[0].bytes, std::int64_t{1048576});
        QCOMPARE(log.rows()[0].timeUs, 20.0);
        QCOMPARE(log.rows()[0].busBandwidth, 52.43);
        QCOMPARE(log.rows()[2].timeUs, 90.0);
        QCOMPARE(log.brokenRows(), std::int64_t{1}); // the row of 4 MiB
        QCOMPARE(log.ways().at("NET/IB"), std::int64_t{1}); // the line close to the row
        QCOMPARE(log.lines(), std::int64_t{3});
    }

    // Before root was a column.
    void rowsWithoutRoot() {
        NcclLog log;
        QVERIFY(
            log.take("1048576 262144 float sum 20.00 52.43 52.43 N/A 20.00 52.43 52.43 N/A", 1));
        QCOMPARE(log.rows().size(), std::size_t{1});
        QCOMPARE(log.rows()[0].timeUs, 20.0);
    }

    // A table without what stands before it, and lines of the library far inside another log.
    void recognisedAnywhere() {
        const std::string table
            = "#       size  count  type redop root  time algbw busbw #wrong  time algbw busbw "
              "#wrong\n 1048576 262144 float sum -1 20.00 52.43 52.43 0 20.00 52.43 52.43 0\n";
        std::string noise;
        while (noise.size() < (std::size_t{3} << 20))
            noise += "a line of a program that says nothing of a format\n";
        const std::string library
            = "n1:7:8 [0] NCCL INFO comm 0xab rank 0 nranks 2 cudaDev 0 busId "
              "1c0 commId 0x1 - Init COMPLETE\n"
              "n1:7:9 [1] NCCL INFO comm 0xac rank 1 nranks 2 cudaDev 1 busId "
              "1d0 commId 0x1 - Init COMPLETE\n"
              "n1:7:9 [1] NCCL INFO Connected all rings\n";
        const auto formatOf = [](const std::string& text) {
            const auto tree = memoryTree({{"out.log", text}});
            const auto plan = planImport(*tree, {});
            return plan.value().units.empty() ? std::string() : plan.value().units[0].importer;
        };
        QCOMPARE(formatOf(table), std::string("nccl"));
        QCOMPARE(formatOf(noise), std::string());
        QCOMPARE(formatOf(library + noise), std::string("nccl"));
        std::string much; // words of many ranks are longer than the distance between two looks
        while (much.size() < (std::size_t{1} << 19))
            much += library;
        QCOMPARE(formatOf(noise + much + noise), std::string("nccl"));
        QCOMPARE(formatOf(noise + library), std::string("nccl"));
        // In a log of training they are a unit of their own beside it.
        std::string steps;
        for (int i = 1; i <= 5; ++i)
            steps += " iteration " + std::to_string(i)
                + "/ 100 | elapsed time per iteration (ms): 2000.0 | lm loss: 2.0 |\n";
        const auto tree = memoryTree({{"train.log", noise + library + noise + steps}});
        std::set<std::string> formats;
        const auto plan = planImport(*tree, {});
        for (const auto& unit : plan.value().units)
            formats.insert(unit.importer);
        QCOMPARE(formats, (std::set<std::string>{"nccl", "trainlog"}));
    }

    // Two nodes of two GPUs; tensor groups inside the nodes, data groups across.
    void communicatorsBecomeGroups() {
        NcclLog log;
        const auto comm = [&log](const char* host, int pid, int rank, int size, const char* id) {
            const auto text = QStringLiteral("%1:%2:9 [%3] NCCL INFO comm 0xab rank %4 nranks %5 "
                                             "cudaDev %3 busId 1c%3 commId %6 - Init COMPLETE")
                                  .arg(QLatin1String(host))
                                  .arg(pid)
                                  .arg(pid % 2)
                                  .arg(rank)
                                  .arg(size)
                                  .arg(QLatin1String(id));
            QVERIFY(log.take(text.toStdString(), 1));
        };
        for (int rank = 0; rank < 4; ++rank) {
            const char* host = rank < 2 ? "b" : "a";
            comm(host, 10 + rank, rank, 4, "0xw");
            comm(host, 10 + rank, rank % 2, 2, rank < 2 ? "0xt0" : "0xt1");
            comm(host, 10 + rank, rank / 2, 2, rank % 2 == 0 ? "0xd0" : "0xd1");
        }
        comm("b", 10, 0, 3, "0xcut"); // the log has one rank of it
        const auto groups = log.groups();
        QCOMPARE(groups.size(), std::size_t{5});
        std::map<std::string, std::vector<int>> ranks;
        for (const auto& group : groups)
            ranks[group.name] = group.ranks;
        QCOMPARE(ranks["0xt1"], (std::vector<int>{2, 3}));
        QCOMPARE(ranks["0xd1"], (std::vector<int>{1, 3}));
        const auto gpus = log.gpus();
        QCOMPARE(gpus.size(), std::size_t{4});
        QCOMPARE(gpus[0].node, 0); // the host of the first rank, whatever its name
        QCOMPARE(gpus[3].node, 1);
        QCOMPARE(gpus[3].local, 1);
    }

    void choicesAndWarnings() {
        NcclLog log;
        QVERIFY(log.take(
            "h:1:2 [0] NCCL INFO AllReduce: 1048576 Bytes -> Algo 1 proto 2 time 72.1", 1));
        QVERIFY(log.take("h:1:2 [0] NCCL INFO NVLS multicast support is available on dev 0", 2));
        QVERIFY(log.take("h:1:2 [0] NCCL WARN NET/IB : Got completion with error 12", 7));
        QVERIFY(!log.take("h:1:2 [0] NCCL INFO words that nobody knows", 8));
        QVERIFY(log.take("NCCL version 2.27.3+cuda12.9", 9));
        QCOMPARE(log.warnings().size(), std::size_t{1});
        QCOMPARE(log.warnings()[0].first, std::int64_t{7});
        QCOMPARE(log.notUnderstood(), std::int64_t{1});
        const auto facts = log.facts();
        QCOMPARE(facts.at("NCCL version"), std::string("2.27.3+cuda12.9"));
        QCOMPARE(facts.at("NVLS"), std::string("NVLS multicast support is available"));
        VERIFY_SAYS(facts.at("chosen"), "Algo 1 proto 2");
    }

    void realLog() {
        const std::string real = test::realFiles();
        if (real.empty())
            QSKIP("the real files are not beside the checkout");
        const auto tree
            = openDiskTree(real + "/data/topology/aws_nccl_tests_slurm-104_NCCL_DEBUG.out");
        QVERIFY(tree.hasValue());
        const auto plan = planImport(*tree.value(), {});
        QCOMPARE(plan.value().units.size(), std::size_t{1});
        const ImportUnit& unit = plan.value().units[0];
        QCOMPARE(unit.importer, std::string("nccl"));
        test::RecordingSink sink;
        const auto imported = findImporter("nccl")->import(*tree.value(), unit, sink, {});
        QVERIFY(imported.hasValue());
        const ImportReport& report = imported.value();
        QCOMPARE(report.counts.at("lines of NCCL"), std::int64_t{734});
        QCOMPARE(report.counts.at("connections: P2P/IPC/read"), std::int64_t{270});
        QCOMPARE(report.counts.at("connections: NET/AWS Libfabric/GDRDMA"), std::int64_t{48});
        QCOMPARE(report.counts.at("nccl-tests sizes"), std::int64_t{29});
        QCOMPARE(report.skipped, std::int64_t{0});
        QCOMPARE(report.ranksExpected, 16);
        QCOMPARE(report.ranksFound.size(), std::size_t{16});
        QCOMPARE(report.facts.at("NCCL version"), std::string("2.18.3+cuda12.2"));
        QCOMPARE(report.facts.at("network"), std::string("AWS Libfabric"));
        QCOMPARE(report.facts.at("ring 0"), std::string("0 7 6 5 4 3 2 1 8 15 14 13 12 11 10 9"));
        QCOMPARE(report.facts.at("rings"), std::string("8"));
        QCOMPARE(report.facts.at(std::string(layout::kProcessGroupsFact)),
            std::string("NCCL communicator (0x94343f5a50e0fc8e): 0-15"));
        QCOMPARE(sink.gpus.size(), std::size_t{16});
        // busbw / algbw is 15/16 and sends were connected: an exchange of all with all.
        QCOMPARE(report.facts.at("nccl-tests"),
            std::string("alltoall, 29 sizes to 2147483648 B, at best 80.59 GB/s of the bus"));
        const Gpu& last = sink.gpus.at({1, 15});
        QCOMPARE(last.node, 1);
        QCOMPARE(last.local, 7);
        QCOMPARE(last.model, std::string("NVIDIA A100-SXM4-40GB"));
    }

    // Records of NCCL's inspector, and a table of nccl-tests without any line of the library.

    // The second is written down with the first, of which it is placed behind.
    void collectives() {
        constexpr qint64 kWritten = 1'772'359'200'000'000;
        const ImportedAll log("n1-pid77.log",
            recordAt(kWritten, 0, 100) + recordAt(kWritten, 0, 50) + "{\"coll_perf\": {}}\n");
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
            const ImportedAll log("n1-pid77.log", record);
            const Span& span = log.sink.tracks.at(0).spans.at(0);
            QCOMPARE(log.sink.name(span.detail),
                R"({"Collective name":"AllGather","In msg nelems":0,"Out msg nelems":0,"dtype":"Byte","Group size":4})"s);
        }
    }

    void processesOfOneRun() {
        const ImportedAll log(
            *importers::memoryTree({{"job/a.log", recordAt(1'772'359'200'000'000, 0, 100)},
                {"job/b.log", recordAt(1'772'359'200'000'000, 1, 100)}}));
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
        const ImportedAll log("all.log", first + second);
        QCOMPARE(log.sink.tracks.at(0).spans.size(), std::size_t{2});
        QCOMPARE(log.reports.at(0).value().skipped, std::int64_t{1});
        VERIFY_SAYS(log.warnings(), "1 record of other processes");
    }

    void tableAlone() {
        const ImportedAll log("all.log",
            "# nThread 1 nGpus 2 minBytes 1048576 maxBytes 2097152\n"
            "#   Rank  0 Pid   1001 on      nodeA device  0 [0x17] NVIDIA A100-SXM4-80GB\n"
            "#   Rank  1 Pid   1001 on      nodeA device  1 [0x31] NVIDIA A100-SXM4-80GB\n"
            "#  size  count  type  redop  time  algbw  busbw  error  time  algbw  busbw  error\n"
            " 1048576  262144  float  sum  20.00  52.43  52.43  N/A  20.00  52.43  52.43  N/A\n"
            " 2097152  524288  float  sum  32.00  65.54  65.54  N/A  32.00  65.54  65.54  N/A\n"
            "# Avg bus bandwidth    : 58.985\n");
        QCOMPARE(log.sink.gpus.size(), std::size_t{2});
        const auto& facts = log.reports.at(0).value().facts;
        QCOMPARE(facts.at("nccl-tests"),
            "all_reduce, 2 sizes to 2097152 B, at best 65.54 GB/s of the bus"s);
        QVERIFY(facts.at("nccl-tests mean").starts_with("58.9"));
    }
};

} // namespace

TRAINSCOPE_TEST(tst_NcclLog)
#include "tst_NcclLog.moc"
