// Asynchronous pairs, device work that names its operator only, ids of any size, and tables of
// later schemas.

#include "core/analysis/machine/AllocatorMemory.h"
#include "importers/kineto/TraceProbe.h"
#include "importers/kineto/TraceText.h"
#include "importers/sqlite/ForeignDatabase.h"
#include "importers/support/Compress.h"
#include "importers/support/ImportAll.h"
#include "importers/trace/TraceOutput.h"
#include "support/TestProgram.h"

using namespace std::string_literals;
using namespace trainscope::importers;
using namespace trainscope::importers::kineto;
using namespace trainscope::test;

namespace {

std::string traceOf(const QByteArray& events) {
    QByteArray text = "{'schemaVersion': 1, 'distributedInfo': {'rank': 0, 'world_size': 1}, "
                      "'traceEvents': ["
        + events + "]}";
    return text.replace('\'', '"').toStdString();
}

// Microseconds of the only span of that name; -1 without one.
double lengthOf(const ImportedAll& trace, const std::string& name) {
    double found = -1.0;
    for (const RecordedTrack& track : trace.sink.tracks) {
        for (const Span& span : track.spans) {
            if (trace.sink.name(span.name) == name)
                found = static_cast<double>(span.duration.ns) / 1e3;
        }
    }
    return found;
}

std::optional<std::int64_t> findIn(const std::string& stored) {
    const auto tree = memoryTree({{"t.json", stored}});
    return findBaseTime(*tree, "t.json", {}).valueOr(BaseTime{}).ns;
}

// A trace of more than the last part that is looked at, with `tail` behind the events.
std::string longTrace(const std::string& tail, const std::string& name = "k") {
    std::vector<std::string> events;
    for (int i = 0; i < 8000; ++i)
        events.push_back(kernelText(name, std::to_string(i), "1"));
    return traceText(events, tail);
}

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
    const ImportedAll log("trace.json",
        R"({"baseTimeNanoseconds":1767261600000000000,"traceEvents":[)" + events + "]}");
    return log.warnings();
}

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

std::string memoryEvent(int us, std::int64_t address, std::int64_t bytes, std::int64_t allocated) {
    return "{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"s\":\"t\",\"name\":\"[memory]\",\"pid\":"
           "1,"
           "\"tid\":1,\"ts\":"
        + std::to_string(us) + ",\"args\":{\"Total Reserved\":9000,\"Total Allocated\":"
        + std::to_string(allocated) + ",\"Bytes\":" + std::to_string(bytes)
        + ",\"Addr\":" + std::to_string(address) + ",\"Device Id\":0,\"Device Type\":1}}";
}

class tst_TraceKinds : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void asynchronousPairs_data() {
        const auto row = columns<QByteArray, QByteArray>("begin", "end");
        row("nestable", "b", "e");
        row("older", "S", "F");
    }
    // "send" and "recv" run over one another.
    void asynchronousPairs() {
        QFETCH(QByteArray, begin);
        QFETCH(QByteArray, end);
        const auto event = [](const QByteArray& ph, const char* name, int ts) {
            return ",{'ph': '" + ph + "', 'cat': 'comm', 'id': '0x1', 'pid': 1, 'tid': 1, 'name': '"
                + name + "', 'ts': " + QByteArray::number(ts) + "}";
        };
        const ImportedAll trace("trace.json",
            traceOf("{'ph': 'X', 'cat': 'kernel', 'name': 'k', 'pid': 0, 'tid': 7, 'ts': 100, "
                    "'dur': 10, 'args': {'stream': 7, 'device': 0}}"
                + event(begin, "send", 110) + event(begin, "recv", 130) + event(end, "send", 150)
                + event(end, "recv", 180) + event(end, "never begun", 190)));
        QCOMPARE(lengthOf(trace, "send"), 40.0);
        QCOMPARE(lengthOf(trace, "recv"), 50.0);
        QCOMPARE(
            trace.reports.at(0).value().counts.at("begins or ends without their other half"), 1);
    }

    // The kernel says which operator launched it, and the trace has no calls.
    void externalIds() {
        const ImportedAll trace("trace.json",
            traceOf(
                "{'ph': 'X', 'cat': 'kernel', 'name': 'k', 'pid': 2, 'tid': 0, 'ts': 80, 'dur': "
                "20, 'args': {'External id': 42}},"
                "{'ph': 'X', 'cat': 'cpu_op', 'name': 'aten::mm', 'pid': 3, 'tid': 3, 'ts': 20, "
                "'dur': 10, 'args': {'External id': 42}}"));
        std::int64_t ofKernel = 0;
        const Span* call = nullptr;
        for (const RecordedTrack& track : trace.sink.tracks) {
            for (const Span& span : track.spans) {
                if (span.kind == SpanKind::Kernel)
                    ofKernel = span.correlation;
                if (span.kind == SpanKind::Runtime)
                    call = &span;
            }
        }
        QVERIFY(call != nullptr && ofKernel != 0);
        QCOMPARE(call->correlation, ofKernel);
        QCOMPARE(call->start.ns, 20'000); // in the operator
    }

    // An arrow joins a launch to its kernel; its id is larger than any double counts to, or a text.
    void idsOfArrows_data() {
        const auto row = columns<QByteArray>("id");
        row("above 2^53", "9007199254740993");
        row("above 2^64", "36893488147419103233");
        row("a text", "'launch-7'");
    }
    void idsOfArrows() {
        QFETCH(QByteArray, id);
        const ImportedAll trace("trace.json",
            traceOf(
                "{'ph': 'X', 'cat': 'cuda_runtime', 'name': 'cudaLaunchKernel', 'pid': 3, 'tid': "
                "3, 'ts': 20, 'dur': 5},{'ph': 'X', 'cat': 'kernel', 'name': 'k', 'pid': 0, "
                "'tid': 7, 'ts': 80, 'dur': 20},"
                "{'ph': 's', 'cat': 'ac2g', 'name': 'ac2g', 'pid': 3, 'tid': 3, 'ts': 20, 'id': "
                + id
                + "},{'ph': 'f', 'cat': 'ac2g', 'name': 'ac2g', 'pid': 0, 'tid': 7, 'ts': 80, "
                  "'id': "
                + id + "}"));
        std::vector<std::int64_t> correlations;
        for (const RecordedTrack& track : trace.sink.tracks) {
            for (const Span& span : track.spans)
                correlations.push_back(span.correlation);
        }
        QCOMPARE(correlations.size(), std::size_t{2});
        QVERIFY(correlations[0] != 0);
        QCOMPARE(correlations[0], correlations[1]);
    }

    void tablesOfLaterSchemas() {
        using importers::withoutVersion;
        QCOMPARE(std::string(withoutVersion("NVTX_EVENTS_V3")), "NVTX_EVENTS"s);
        QCOMPARE(std::string(withoutVersion("NVTX_EVENTS_V12")), "NVTX_EVENTS"s);
        QCOMPARE(std::string(withoutVersion("NVTX_EVENTS")), "NVTX_EVENTS"s);
        QCOMPARE(std::string(withoutVersion("ENUM_CUDA_V")), "ENUM_CUDA_V"s);
        QCOMPARE(std::string(withoutVersion("METRICS2")), "METRICS2"s);
    }

    // The base time is found before the events have been read, wherever it stands.
    void tail_data() {
        // base: -1: none
        const auto row = columns<QByteArray, qint64>("text", "base");

        row("last", "1}\n ], \"traceName\": \"t\", \"baseTimeNanoseconds\": 17 }\n", 17);
        row("first", "1}],\"baseTimeNanoseconds\":18,\"traceName\":\"t\",\"x\":{\"a\":[1]}}", 18);
        row("bracket in a name", "1}], \"traceName\": \"a]b\", \"baseTimeNanoseconds\": 19}", 19);
        row("array before", "1}], \"x\": [1, 2], \"baseTimeNanoseconds\": 20}", 20);
        row("none", "1}], \"traceName\": \"t\"}", -1);
        row("cut", "1}], \"baseTimeNanoseconds\": 17", -1);
        row("an argument", "[1], \"baseTimeNanoseconds\": 17 }}, {\"ph\": \"X\"}]}", -1);
        row("no number", "1}], \"baseTimeNanoseconds\": \"x\"}", -1);
        row("no events", "\"baseTimeNanoseconds\": 17}", -1);
    }
    void tail() {
        QFETCH(QByteArray, text);
        QFETCH(qint64, base);
        QCOMPARE(static_cast<qint64>(baseTimeOfTail(text.toStdString()).value_or(-1)), base);
    }
    void longTracesInAnyStorage() {
        const std::string trace
            = longTrace(", \"traceName\": \"t\", \"baseTimeNanoseconds\": 1234567\n");
        QVERIFY(trace.size() > (std::size_t{2} << 20));
        for (const std::string& stored :
            {trace, trainscope::test::gzipped(trace), trainscope::test::zstded(trace)})
            QCOMPARE(findIn(stored).value_or(-1), std::int64_t{1234567});
        QVERIFY(!findIn(longTrace(", \"traceName\": \"t\"")).has_value());
    }
    void aFileOnDisk() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("t.json")).toStdString();
        std::ofstream(path, std::ios::binary) << longTrace(", \"baseTimeNanoseconds\": 99");
        const auto tree = openDiskTree(path);
        QVERIFY(tree.hasValue());
        QCOMPARE(
            findBaseTime(*tree.value(), "t.json", {}).value().ns.value_or(-1), std::int64_t{99});
    }
    void inFrontOfTheEvents() {
        std::string trace = longTrace(", \"traceName\": \"t\"");
        trace.insert(1, "\"baseTimeNanoseconds\": 5,");
        QCOMPARE(findIn(trace).value_or(-1), std::int64_t{5});
    }
    void namesAreNoMembers() {
        const std::string trace
            = longTrace(", \"traceName\": \"t\"", "\\\"baseTimeNanoseconds\\\": 7");
        QVERIFY(!findIn(trace).has_value());
    }
    void cutShort() {
        const std::string whole = longTrace(", \"traceName\": \"t\"");
        const std::string cut = whole.substr(0, whole.size() / 2);
        const std::string packed = trainscope::test::gzipped(whole);
        const auto tree = memoryTree({{"whole.json", whole}, {"cut.json", cut},
            {"cut.json.gz", packed.substr(0, packed.size() - 100)}});
        QVERIFY(!findBaseTime(*tree, "whole.json", {}).value().isCutShort);
        for (const char* path : {"cut.json", "cut.json.gz"}) {
            const auto found = findBaseTime(*tree, path, {}).value();
            QVERIFY(!found.ns && found.isCutShort);
        }
    }

    // Kernels and iterations that cannot be as a trace has them are told as it is imported.

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

    // Events at time 0 among those of a day: they have no time.
    void farFromTheOthers() {
        const ImportedAll log("trace.json",
            timelessTrace(kernel("0", 1) + "," + kernel("1772359200000000", 2) + ","
                + kernel("1772359200000100", 3)));
        QCOMPARE(spansOf(log), std::size_t{2});
        QCOMPARE(log.reports.at(0).value().skipped, std::int64_t{1});
        VERIFY_SAYS(log.warnings(), "time 0");
    }

    // The sign that they have no time may come much later.
    void beforeAllOthersAreRead() {
        std::string between;
        for (int i = 0; between.size() < 3'000'000; ++i)
            between += "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":"
                + std::to_string(i) + ",\"args\":{\"name\":\"" + std::string(1000, 'a') + "\"}},";
        for (const bool isFar : {true, false}) {
            const ImportedAll log("trace.json",
                timelessTrace(kernel("0", 1) + "," + between
                    + kernel(isFar ? "1772359200000000" : "500", 2)));
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
        const ImportedAll log("trace.json",
            timelessTrace(kernel("100", 1) + "," + kernel("200", 2) + "," + kernel("990000", 3)
                + "," + kernel("1000100", 4) + step(0) + step(1) + step(2)));
        QCOMPARE(spansOf(log), std::size_t{7});
        // The third ends less than 20 ms before: not long.
        const std::string told = "2 kernels of 100 µs end 1 s before the first iteration";
        VERIFY_SAYS(log.warnings(), told);
    }

    // A trace that counts from its own start begins at 0.
    void atTheBegin() {
        const ImportedAll log("trace.json", timelessTrace(kernel("0", 1) + "," + kernel("100", 2)));
        QCOMPARE(spansOf(log), std::size_t{2});
        QCOMPARE(log.reports.at(0).value().skipped, std::int64_t{0});
    }

    // Live memory at the moment of the peak, by the memory events of a trace.

    // 100 B were there before; 1000 + 500 + 500 live at the peak of 2100, the 300 do not.
    void peakBySize() {
        std::string events;
        for (const std::string& one :
            {memoryEvent(1, 16, 1000, 1100), memoryEvent(2, 32, 300, 1400),
                memoryEvent(3, 32, -300, 1100), memoryEvent(4, 48, 500, 1600),
                memoryEvent(6, 16, -1000, 1100), memoryEvent(5, 64, 500, 2100)})
            events += (events.empty() ? "" : ",") + one;
        const ImportedAll got("trace.json",
            "{\"schemaVersion\":1,\"baseTimeNanoseconds\":5000,\"traceEvents\":["
            "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,\"ts\":1,"
            "\"dur\":5,\"args\":{}},"
                + events + "]}");
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
        VERIFY_SAYS(peak.largest[2].calls.front(), "before");
    }
};

} // namespace

TRAINSCOPE_TEST(tst_TraceKinds)
#include "tst_TraceKinds.moc"
