// Events of each kind become spans, on hand-written traces whose numbers can be checked by eye.

#include "core/model/SpanFacts.h"
#include "importers/common/JsonScanner.h"
#include "importers/kineto/TraceText.h"
#include "support/TestProgram.h"

using namespace trainscope::test;
using namespace std::string_literals;

class tst_KinetoMapping : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void microseconds_data();
    void microseconds();
    void kernelKeepsItsArguments();
    void flowGivesTheCorrelation();
    void beginsAndEndsAreJoined();
    void countersBecomeSeries();
    void countersOfGpusAreTheirs_data();
    void countersOfGpusAreTheirs();
    void graphEdgesAreSpans_data();
    void graphEdgesAreSpans();
    void synchronisationKeepsItsEvents();
    void allocatorSamplesBecomeSeries();
    void profilerStepsBecomeIterations();
    void absoluteTimesIgnoreTheBase();
    void gpuOfARankInAWorld();
    void processGroupsAreKept();
    void operatorsKeepArgumentsAndLinks();
    void arrowsLinkOperators();
    void externalIdsLaunch();
    void rangesTellCollectives();
    void mergedProcessesKeepTheirLaunches_data();
    void mergedProcessesKeepTheirLaunches();
    void fusedRanksAreDevices();
};

void tst_KinetoMapping::microseconds_data() {
    const auto row = test::keyed<QByteArray, qint64>("text", "ns");
    row("1706850122845782", 1706850122845782000);
    row("1712195495502094.565", 1712195495502094565);
    row("4212936054935.310", 4212936054935310);
    row("4212936054935.31", 4212936054935310);
    row("999999999999999.999", 999999999999999999);
    row("0", 0);
    row("0.001", 1);
    row("1.2345", 1234);
    row("1.5e3", 1500000);
    row("1E-3", 1);
    row("-2.5", -2500);
    row("NaN", -1);
    row("1.", 1000);
    row("", -1);
    row("9223372036854775.807", 9223372036854775807);
    row("9223372036854775.808", -1);
}

void tst_KinetoMapping::microseconds() {
    QFETCH(QByteArray, text);
    QFETCH(qint64, ns);
    QCOMPARE(static_cast<qint64>(importers::microsecondsToNs(text.toStdString()).value_or(-1)), ns);
}

void tst_KinetoMapping::kernelKeepsItsArguments() {
    const Imported imported(
        traceText({kernelText("k", "1.234", "5.006", 7, 42), kernelText("k", "9", "1", 7, 43)}));
    QVERIFY(imported.report);
    const auto kernels = imported.spansOf(SpanKind::Kernel);
    QCOMPARE(kernels.size(), std::size_t{2});
    QCOMPARE(kernels[0].start.ns, 1700000000000001234);
    QCOMPARE(kernels[0].duration.ns, 5006);
    QCOMPARE(kernels[0].correlation, 42);
    QCOMPARE(imported.sink.name(kernels[0].detail),
        std::string("{\"context\":1,\"grid\":[16,1,1],\"block\":[128,1,1]}"));
    // Values that differ from launch to launch are not in the detail, so both share one.
    QVERIFY(kernels[0].detail == kernels[1].detail);
    const TrackDescription& track = imported.sink.tracks[0].description;
    QVERIFY(track.kind == TrackKind::Stream);
    QCOMPARE(track.device, 0);
    QCOMPARE(track.thread, std::string("7"));
    QCOMPARE(track.name, std::string("stream 7"));
    QCOMPARE(imported.sink.runs.at("run").gpuModel, std::string("NVIDIA H100"));
}

void tst_KinetoMapping::flowGivesTheCorrelation() {
    const std::string launch
        = R"({"ph": "X", "cat": "Runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 9, "ts": 1, "dur": 2})";
    const std::string kernel
        = R"({"ph": "X", "cat": "Kernel", "name": "k", "pid": 0, "tid": "stream 7", "ts": 5, "dur": 2})";
    const std::string from
        = R"({"ph": "s", "id": 77, "cat": "async_gpu", "name": "x", "pid": 9, "tid": 9, "ts": 1})";
    const std::string to
        = R"({"ph": "f", "id": 77, "cat": "async_gpu", "name": "x", "pid": 0, "tid": "stream 7", "ts": 5})";
    const std::string other
        = R"({"ph": "f", "id": 78, "cat": "fwdbwd", "name": "x", "pid": 0, "tid": "stream 7", "ts": 5})";
    const Imported imported(traceText({launch, kernel, other, from, to}));
    QVERIFY(imported.report);
    QCOMPARE(imported.spansOf(SpanKind::Runtime)[0].correlation, 77);
    QCOMPARE(imported.spansOf(SpanKind::Kernel)[0].correlation, 77);
}

void tst_KinetoMapping::beginsAndEndsAreJoined() {
    const auto mark = [](const char* ph, const char* name, int ts) {
        return std::string("{\"ph\": \"") + ph + "\", \"cat\": \"user_annotation\", \"name\": \""
            + name + "\", \"pid\": 1, \"tid\": 2, \"ts\": " + std::to_string(ts) + "}";
    };
    const Imported imported(traceText({mark("B", "outer", 1), mark("B", "inner", 2),
        mark("E", "", 5), mark("E", "", 9), mark("E", "", 11)}));
    QVERIFY(imported.report);
    const auto spans = imported.spansOf(SpanKind::Annotation);
    QCOMPARE(spans.size(), std::size_t{2});
    QCOMPARE(imported.sink.name(spans[0].name), std::string("inner"));
    QCOMPARE(spans[0].duration.ns, 3000);
    QCOMPARE(imported.sink.name(spans[1].name), std::string("outer"));
    QCOMPARE(spans[1].duration.ns, 8000);
    QCOMPARE(imported.count("begins or ends without their other half"), 1);
}

void tst_KinetoMapping::countersBecomeSeries() {
    const std::string one
        = R"({"ph": "C", "name": "GPU 0 Utilization", "pid": 0, "ts": 3, "args": {"GPU Utilization": 0.5}})";
    const Imported imported(traceText({one, kernelText("k", "1", "1")}));
    QVERIFY(imported.report);
    QCOMPARE(imported.sink.seriesList.size(), std::size_t{1});
    QCOMPARE(imported.sink.seriesList[0].description.metric.name, std::string("GPU 0 Utilization"));
    QCOMPARE(imported.sink.seriesList[0].times[0].ns, 1700000000000003000);
    QCOMPARE(imported.sink.seriesList[0].values[0], 0.5);
}

namespace {

std::string counterText(const std::string& name, const std::string& value, int device = 0) {
    return R"({"ph":"C","name":")" + name + R"(","pid":"GPU )" + std::to_string(device)
        + R"( Counters","ts":3.25,"args":{"":)" + value + "}}";
}

std::string edgeText(char phase, int stream, const std::string& ts) {
    return R"({"ph":")" + std::string(1, phase)
        + R"(","id":1099511627777,"cat":"ac2g","name":"ac2g","pid":0,"tid":)"
        + std::to_string(stream) + R"(,"ts":)" + ts + R"(,"bp":"e"})";
}

} // namespace

void tst_KinetoMapping::countersOfGpusAreTheirs_data() {
    QTest::addColumn<QString>("metric");
    QTest::addColumn<double>("si");
    QTest::newRow("Power (W)") << "gpu_power" << 400.5;
    QTest::newRow("Temperature (C)") << "gpu_temperature" << 400.5;
    QTest::newRow("SM Clock (MHz)") << "sm_clock" << 400.5e6;
    QTest::newRow("Memory Clock (MHz)") << "mem_clock" << 400.5e6;
    QTest::newRow("Fan Speed (%)") << "fan_speed" << 4.005;
    QTest::newRow("SM Active (%)") << "sm_active" << 4.005;
    QTest::newRow("Cycles (Current Kernel)") << "Cycles (Current Kernel)" << 400.5;
}

void tst_KinetoMapping::countersOfGpusAreTheirs() {
    QFETCH(QString, metric);
    QFETCH(double, si);
    const std::string name = QTest::currentDataTag();
    const Imported imported(traceText({kernelText("k", "1", "1"), counterText(name, "400.5"),
        counterText(name, "7", 3), counterText(name, "8")}));
    QVERIFY(imported.report);
    const auto& list = imported.sink.seriesList;
    QCOMPARE(list.size(), std::size_t{2});
    const SeriesDescription& own = list[0].description;
    QCOMPARE(QString::fromStdString(own.metric.name), metric);
    QVERIFY((own.subject == Subject{SubjectKind::Gpu, 0, -1, {}}));
    QCOMPARE(list[0].times[0].ns, 1700000000000003250);
    QCOMPARE(list[0].values[0] * own.scale, si);
    QCOMPARE(list[0].values.size(), std::size_t{2});
    QCOMPARE(list[1].description.subject.device, std::string("cuda:3"));
    QCOMPARE(list[1].values, std::vector<double>{7.0});
}

void tst_KinetoMapping::graphEdgesAreSpans_data() {
    QTest::addColumn<QString>("begin"); // the waiting kernel's
    QTest::addColumn<qint64>("start"); // the span's
    QTest::addColumn<qint64>("duration");
    QTest::newRow("forward") << "5.5" << qint64{3000} << qint64{2500};
    QTest::newRow("at once") << "3" << qint64{3000} << qint64{0};
    QTest::newRow("backward") << "2.875" << qint64{2875} << qint64{125};
}

void tst_KinetoMapping::graphEdgesAreSpans() {
    QFETCH(QString, begin);
    QFETCH(qint64, start);
    QFETCH(qint64, duration);
    const std::string ts = begin.toStdString();
    const std::string half = edgeText('s', 7, "3");
    std::string alone = edgeText('s', 7, "4");
    alone.replace(alone.find("7777,"), 4, "7778");
    const Imported imported(traceText({kernelText("a", "1", "2", 7, 42),
        kernelText("b", ts, "4", 20, 42), half, edgeText('f', 20, ts), alone}));
    QVERIFY(imported.report);
    const auto edges = imported.spansOf(SpanKind::Sync);
    QCOMPARE(edges.size(), std::size_t{1});
    QCOMPARE(edges[0].start.ns, 1700000000000000000 + start);
    QCOMPARE(edges[0].duration.ns, duration);
    QCOMPARE(imported.sink.name(edges[0].name), std::string(kGraphEdge));
    const RecordedEdge edge = recordedEdgeOf(imported.sink.name(edges[0].detail));
    QCOMPARE(edge.from, std::string("7"));
    QCOMPARE(edge.isBackward, begin == QLatin1String("2.875"));
    const TrackDescription& track = imported.sink.tracks.back().description;
    QVERIFY(track.kind == TrackKind::Other);
    QCOMPARE(track.device, 0);
    QCOMPARE(track.thread, std::string("20"));
    QCOMPARE(imported.spansOf(SpanKind::Kernel)[1].correlation, 42);
}

void tst_KinetoMapping::synchronisationKeepsItsEvents() {
    const auto wait = [](int stream, int record) {
        return R"({"ph":"X","cat":"cuda_sync","name":"Stream Wait Event","pid":0,"tid":24,"ts":3,"dur":2,
            "args":{"cuda_sync_kind":"Stream Wait Event","wait_on_stream":)"
            + std::to_string(stream) + R"(,"wait_on_cuda_event_record_corr_id":)"
            + std::to_string(record)
            + R"(,"wait_on_cuda_event_id":19,"stream":24,"correlation":1389,"device":0,"context":1}})";
    };
    const std::string node
        = R"({"ph":"X","cat":"graph_event_node","name":"EventRecord","pid":0,"tid":24,"ts":9,"dur":0,
            "args":{"device":0,"context":1,"stream":24,"correlation":7,"graph id":3,"graph node id":5}})";
    const Imported imported(traceText({wait(20, 1385), wait(-1, -1), node}));
    QVERIFY(imported.report);
    QCOMPARE(imported.sink.tracks.size(), std::size_t{1});
    QCOMPARE(imported.sink.tracks[0].description.thread, std::string("24"));
    const auto spans = imported.spansOf(SpanKind::Sync);
    QCOMPARE(spans.size(), std::size_t{3});
    QCOMPARE(spans[0].correlation, 1389);
    const RecordedEdge known = recordedEdgeOf(imported.sink.name(spans[0].detail));
    QCOMPARE(known.from, std::string("20"));
    QCOMPARE(known.record, std::optional<std::int64_t>(1385));
    QCOMPARE(known.event, std::optional<std::int64_t>(19));
    const RecordedEdge unknown = recordedEdgeOf(imported.sink.name(spans[1].detail));
    QVERIFY(unknown.from.empty() && !unknown.record);
    QCOMPARE(unknown.event, std::optional<std::int64_t>(19));
    QCOMPARE(imported.sink.name(spans[2].name), std::string(kGraphEvent));
    QCOMPARE(spans[2].correlation, 7);
}

void tst_KinetoMapping::allocatorSamplesBecomeSeries() {
    const std::string one
        = R"({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1, "tid": 1, "ts": 3,
        "args": {"Device Type": 1, "Device Id": 0, "Addr": 1, "Bytes": 512, "Total Allocated": 5435638784, "Total Reserved": 12782141440}})";
    const std::string other
        = R"({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1, "tid": 1, "ts": 4,
        "args": {"Device Type": 1, "Device Id": 2, "Addr": 9, "Bytes": 64, "Total Allocated": 64, "Total Reserved": 2097152}})";
    const Imported imported(traceText({one, other}));
    QVERIFY(imported.report);
    const auto& list = imported.sink.seriesList;
    QCOMPARE(list.size(), std::size_t{6}); // for each device: allocated, reserved, the difference
    QCOMPARE(list[0].description.metric.unit, std::string("B"));
    QCOMPARE(list[0].values[0], 5435638784.0);
    QCOMPARE(list[1].values[0], 12782141440.0);
    QCOMPARE(list[2].description.metric.name, std::string("torch_mem_unallocated"));
    QCOMPARE(list[2].values[0], 7346502656.0);
    QVERIFY(list[0].description.subject.device.empty());
    QCOMPARE(list[3].description.subject.device, std::string("cuda:2"));
    QCOMPARE(list[3].values, std::vector<double>{64.0});
}

void tst_KinetoMapping::profilerStepsBecomeIterations() {
    const auto step = [](const char* cat, int ts) {
        return std::string("{\"ph\": \"X\", \"cat\": \"") + cat
            + "\", \"name\": \"ProfilerStep#12\", \"pid\": 1, \"tid\": 1, \"ts\": "
            + std::to_string(ts) + ", \"dur\": 10}";
    };
    const Imported both(traceText({step("gpu_user_annotation", 3), step("user_annotation", 1)}));
    QCOMPARE(both.sink.iterations.size(), std::size_t{1});
    QCOMPARE(both.sink.iterations[0].index, 12);
    QCOMPARE(both.sink.iterations[0].range.begin.ns, 1700000000000001000);
    QCOMPARE(both.sink.iterations[0].range.end.ns, 1700000000000011000);
    const Imported deviceOnly(traceText({step("gpu_user_annotation", 3)}));
    QCOMPARE(deviceOnly.sink.iterations.size(), std::size_t{1});
}

void tst_KinetoMapping::absoluteTimesIgnoreTheBase() {
    const Imported imported(traceText({kernelText("k", "1712195495502094.565", "1")}));
    QCOMPARE(imported.spansOf(SpanKind::Kernel)[0].start.ns, 1712195495502094565);
}

void tst_KinetoMapping::gpuOfARankInAWorld() {
    std::string devices;
    for (int i = 0; i < 4; ++i)
        devices += (i > 0 ? ", " : "") + std::string("{\"id\": ") + std::to_string(i)
            + ", \"name\": \"GPU model\"}";
    const auto tree = importers::memoryTree({{"t.json",
        "{\"deviceProperties\": [" + devices
            + "], \"distributedInfo\": {\"rank\": 4, \"world_size\": 8}, \"traceEvents\": ["
            + kernelText("k", "1", "1") + "]}"}});
    importers::ImportUnit unit;
    unit.files = {"t.json"};
    unit.runName = "run";
    unit.rank = 4;
    CollectingSink sink;
    const auto report = importers::kineto::kImporter.import(*tree, unit, sink, {});
    QVERIFY(report.hasValue());
    QCOMPARE(sink.gpus.size(), std::size_t{1});
    QCOMPARE(sink.gpus[0].rank, 4);
    QCOMPARE(sink.gpus[0].node, 1);
    QCOMPARE(sink.gpus[0].local, 0);
    QCOMPARE(sink.gpus[0].model, std::string("GPU model"));
    QCOMPARE(sink.runs["run"].worldSize, 8);
}

void tst_KinetoMapping::processGroupsAreKept() {
    const std::string head = R"({"distributedInfo": {"rank": 0, "world_size": 4, "pg_count": 3,
        "pg_config": [{"pg_name": "0", "pg_desc": "default_pg", "pg_size": 4, "ranks": [0, 1, 2, 3]},
        {"pg_name": "5", "pg_desc": "TENSOR_MODEL_PARALLEL_GROUP", "ranks": [0, 1]},
        {"pg_name": "6", "pg_desc": "broken", "ranks": [0, "x"]}, 7]}, "traceEvents": [)";
    const Imported imported(head + kernelText("k", "1", "1") + "]}");
    QVERIFY(imported.report.has_value());
    QCOMPARE(imported.report->facts.at("process groups"),
        std::string("default_pg (0): 0-3; TENSOR_MODEL_PARALLEL_GROUP (5): 0,1"));
}

void tst_KinetoMapping::operatorsKeepArgumentsAndLinks() {
    const auto operatorText = [](const char* name, int at, const char* args) {
        return std::string("{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"") + name
            + "\",\"pid\":1,\"tid\":2,\"ts\":" + std::to_string(at) + ",\"dur\":1,\"args\":{" + args
            + "}}";
    };
    const Imported imported(traceText(
        {operatorText("aten::mm", 10,
             "\"External id\":4,\"Sequence number\":7,\"Fwd thread id\":0,"
             "\"Concrete Inputs\":[\"\",\"True\"],\"Input Dims\":[[2,3],[]],\"Ev Idx\":1"),
            operatorText("MmBackward0", 20, "\"Sequence number\":7,\"Fwd thread id\":1"),
            operatorText("aten::empty", 30, "\"External id\":5")}));
    QVERIFY(imported.report);
    const auto operators = imported.spansOf(SpanKind::CpuOp);
    QCOMPARE(operators.size(), std::size_t{3});
    const std::string detail = imported.sink.name(operators[0].detail);
    VERIFY_SAYS(detail, "\"Concrete Inputs\":[\"\",\"True\"]");
    QVERIFY(autogradLinkOf(operators[0].correlation) == (AutogradLink{7, false}));
    QVERIFY(autogradLinkOf(operators[1].correlation) == (AutogradLink{7, true}));
    QCOMPARE(operators[2].correlation, 0);
    QCOMPARE(launchOf(operators[0]), 0); // is no launch
}

// Traces without sequence numbers have arrows from forward to backward operators.
void tst_KinetoMapping::arrowsLinkOperators() {
    const auto eventText = [](const std::string& head, int thread, int at) {
        return "{" + head + R"(,"pid":1,"tid":)" + std::to_string(thread)
            + ",\"ts\":" + std::to_string(at) + "}";
    };
    const auto call = [](const std::string& name) {
        return R"("ph":"X","cat":"cpu_op","dur":4,"name":")" + name + "\"";
    };
    const auto arrow = [](const std::string& ph) {
        return R"("ph":")" + ph + R"(","cat":"fwdbwd","name":"fwdbwd","id":12)";
    };
    const Imported imported(traceText({eventText(call("aten::mm"), 2, 10),
        eventText(call("aten::empty"), 2, 20), eventText(call("MmBackward0"), 3, 40),
        eventText(arrow("s"), 2, 10), eventText(arrow("f"), 3, 40)}));
    QVERIFY(imported.report);
    std::map<std::string, std::int64_t> links;
    for (const Span& span : imported.spansOf(SpanKind::CpuOp))
        links[imported.sink.name(span.name)] = span.correlation;
    QCOMPARE(links.size(), std::size_t{3});
    QVERIFY(autogradLinkOf(links["aten::mm"]) == (AutogradLink{12, false}));
    QVERIFY(autogradLinkOf(links["MmBackward0"]) == (AutogradLink{12, true}));
    QCOMPARE(links["aten::empty"], 0);
}

// Work without correlation is launched by the last operator of its number, whatever the numbers
// and their order.
void tst_KinetoMapping::externalIdsLaunch() {
    const auto event = [](const char* category, int thread, int at, const char* number) {
        return R"({"ph":"X","cat":")"s + category + R"(","name":"n","pid":1,"tid":)"
            + std::to_string(thread) + R"(,"ts":)" + std::to_string(at)
            + R"(,"dur":1,"args":{"External id":)" + number + "}}";
    };
    static constexpr const char* kMost = "9223372036854775807";
    static constexpr const char* kLeast = "-9223372036854775808";
    const Imported imported(traceText({event("kernel", 7, 100, kMost), event("cpu_op", 1, 10, "9"),
        event("cpu_op", 2, 40, "3"), event("cpu_op", 1, 60, kMost), event("cpu_op", 2, 50, kLeast),
        event("cpu_op", 2, 20, "9"), event("kernel", 7, 110, "9"), event("kernel", 7, 120, "3"),
        event("kernel", 7, 130, "4"), event("kernel", 7, 140, kLeast)}));
    QVERIFY(imported.report);
    QCOMPARE(imported.count("launches by External id"), std::int64_t{4});
    std::map<std::int64_t, std::int64_t> kernels; // begin of a kernel by its launch, µs
    for (const Span& kernel : imported.spansOf(SpanKind::Kernel))
        kernels[kernel.correlation] = kernel.start.ns % 1'000'000'000 / 1'000;
    std::map<std::int64_t, std::pair<std::string, std::int64_t>> launches; // by their kernel
    for (const CollectedTrack& track : imported.sink.tracks) {
        for (const Span& span : track.spans) {
            if (span.kind == SpanKind::Runtime)
                launches[kernels.at(span.correlation)]
                    = {track.description.thread, span.start.ns % 1'000'000'000 / 1'000};
        }
    }
    const std::map<std::int64_t, std::pair<std::string, std::int64_t>> expected{
        {100, {"1", 60}}, {110, {"2", 20}}, {120, {"2", 40}}, {140, {"2", 50}}};
    QVERIFY(launches == expected);
}

// A range that is open on the thread of the launch tells what SendRecv and Generic do,
// whichever of kernel and launch is written first.
void tst_KinetoMapping::rangesTellCollectives() {
    const auto host = [](const char* category, const char* name, int thread, int start, int end,
                          int correlation) {
        return R"({"ph":"X","cat":")"s + category + R"(","name":")" + name + R"(","pid":9,"tid":)"
            + std::to_string(thread) + R"(,"ts":)" + std::to_string(start) + R"(,"dur":)"
            + std::to_string(end - start) + R"(,"args":{"correlation":)"
            + std::to_string(correlation) + "}}";
    };
    const auto launch = [&](int thread, int start, int correlation) {
        return host("cuda_runtime", "cudaLaunchKernelExC", thread, start, start + 1, correlation);
    };
    const std::string own = R"({"ph":"X","cat":"kernel","name":"ncclDevKernel_SendRecv_4",
                      "pid" : 0, "tid" : 7, "ts" : 90, "dur" : 1, "args" : {
        "stream" : 7, "correlation" : 1, "Collective name" : "send"
    }
})";
    const Imported imported(traceText({host("cpu_op", "c10d::alltoall_base_", 1, 10, 60, 0),
        host("user_annotation", "nccl:_reduce_scatter_base", 1, 20, 30, 0),
        host("user_annotation", "nccl:coalesced", 1, 70, 80, 0),
        kernelText("ncclKernel_SendRecv(0)", "100", "5", 7, 1), launch(1, 40, 1), launch(1, 25, 2),
        kernelText("ncclDevKernel_Generic(1)", "110", "5", 7, 2), launch(2, 40, 3),
        kernelText("ncclKernel_SendRecv(2)", "120", "5", 7, 3), launch(1, 75, 4),
        kernelText("ncclKernel_SendRecv(3)", "130", "5", 7, 4), launch(1, 45, 5),
        kernelText("ncclKernel_AllReduce_RING(4)", "140", "5", 7, 5),
        kernelText("gemm(5)", "150", "5", 7, 1), own}));
    QVERIFY(imported.report);
    std::map<std::string, std::string> told;
    for (const Span& kernel : imported.spansOf(SpanKind::Kernel)) {
        const std::string detail = imported.sink.name(kernel.detail);
        told[imported.sink.name(kernel.name)] = detail.substr(0, detail.find(",\"context"));
    }
    const std::map<std::string, std::string> expected{
        {"ncclKernel_SendRecv(0)", R"({"Collective name":"all_to_all")"},
        {"ncclDevKernel_Generic(1)", R"({"Collective name":"reduce_scatter")"},
        {"ncclDevKernel_SendRecv_4", R"({"Collective name":"send"})"}};
    for (const auto& [name, detail] : told) {
        const auto found = expected.find(name);
        QCOMPARE(detail.find("Collective name") != std::string::npos, found != expected.end());
        if (found != expected.end())
            QCOMPARE(detail, found->second);
    }
    QCOMPARE(told.size(), std::size_t{7});
    QCOMPARE(imported.count("collectives by the range around their launch"), std::int64_t{2});
}

void tst_KinetoMapping::mergedProcessesKeepTheirLaunches_data() {
    // The first is the number of the other process's launch.
    const auto row = test::columns<int, int, bool>("second", "secondProcess", "areSeparated");
    row("alike", 1, 12, true);
    row("numbers of their own", 2, 12, false);
    row("one process with two GPUs", 2, 11, false);
}

// Two processes of which each has launched one kernel, on a GPU of its own.
void tst_KinetoMapping::mergedProcessesKeepTheirLaunches() {
    QFETCH(int, second);
    QFETCH(int, secondProcess);
    QFETCH(bool, areSeparated);
    const auto pair = [](int process, int device, int number) {
        const std::string argument = R"("args":{"correlation":)" + std::to_string(number);
        return R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":)"
            + std::to_string(process) + R"(,"tid":1,"ts":10,"dur":1,)" + argument + "}},"
            + R"({"ph":"X","cat":"kernel","name":"k","pid":)" + std::to_string(device)
            + R"(,"tid":7,"ts":20,"dur":1,)" + argument + R"(,"stream":7,"device":)"
            + std::to_string(device) + "}}";
    };
    const Imported imported(traceText({pair(11, 5, 1), pair(secondProcess, 3, second)}));
    QVERIFY(imported.report);
    const auto launches = imported.spansOf(SpanKind::Runtime);
    const auto kernels = imported.spansOf(SpanKind::Kernel);
    QCOMPARE(launches.size(), std::size_t{2});
    QCOMPARE(kernels.size(), std::size_t{2});
    for (std::size_t i = 0; i < 2; ++i)
        QCOMPARE(kernels[i].correlation, launches[i].correlation);
    QCOMPARE(launches[0].correlation, std::int64_t{1});
    QVERIFY(launches[1].correlation != launches[0].correlation);
    QCOMPARE(launches[1].correlation != second, areSeparated);
    const auto& warnings = imported.report->warnings;
    QCOMPARE(std::any_of(warnings.begin(), warnings.end(),
                 [](const ImportWarning& warning) {
                     return warning.text.find("number their launches alike") != std::string::npos;
                 }),
        areSeparated);
}

// TraceFuse of TraceLens adds the rank, moves processes and numbers apart, and leaves "device".
void tst_KinetoMapping::fusedRanksAreDevices() {
    const auto kernel = [](int rank) {
        const std::string number = std::to_string(rank);
        return R"({"ph":"X","cat":"kernel","name":"k","pid":)" + std::to_string(rank * 1000)
            + R"(,"tid":7,"ts":20,"dur":1,"args":{"device":0,"stream":7,"grid":[1,1,1],"pid_raw":0,)"
            + R"("correlation":1)" + number + R"(,"correlation_raw":)" + number + R"(,"rank":)"
            + number + "}}";
    };
    const Imported imported(traceText({kernel(0), kernel(3)}));
    QVERIFY(imported.report);
    QCOMPARE(imported.report->facts.at("devices"), "0, 3"s);
    const auto kernels = imported.spansOf(SpanKind::Kernel);
    QCOMPARE(kernels.size(), std::size_t{2});
    QCOMPARE(imported.sink.name(kernels[1].detail), R"({"grid":[1,1,1],"rank":3})"s);
}

TRAINSCOPE_TEST(tst_KinetoMapping)
#include "tst_KinetoMapping.moc"
