// Perfetto traces made by hand from the schema: as PyTorch and rocprofv3 write them, and every part
// of the format on its own.

#include "importers/common/Formats.h"
#include "importers/perfetto/EventMaker.h"
#include "importers/perfetto/MadeTrace.h"
#include "importers/registry/Registry.h"
#include "importers/support/Compress.h"
#include "importers/support/TraceLines.h"
#include "support/Rows.h"
#include "support/TestProgram.h"

#include <algorithm>
#include <random>

using namespace trainscope::test;
using namespace trainscope::importers;

namespace {

using Lines = std::multiset<std::string>;

constexpr std::int64_t kBase = 1'790'000'000'000'000'000; // 2026
constexpr SpanKind kKinds[] = {SpanKind::Kernel, SpanKind::Copy, SpanKind::Set, SpanKind::CpuOp,
    SpanKind::Runtime, SpanKind::Annotation, SpanKind::GpuAnnotation, SpanKind::Sync,
    SpanKind::Python, SpanKind::Overhead, SpanKind::Other};

ImportedTraces imported(const std::string& bytes, const std::string& name = "rank0.pftrace") {
    return {perfetto::kImporter, *memoryTree({{name, bytes}})};
}

std::string warningsOf(const ImportedTraces& got) {
    std::string text;
    for (const auto& report : got.reports) {
        if (!report.hasValue())
            text += report.error().describe() + "\n";
        else
            for (const ImportWarning& warning : report.value().warnings)
                text += warning.text + "\n";
    }
    return text;
}

// The work of a program, to be written in either format: as PyTorch's encoder does, all begins of a
// kind and then their ends.
struct Slice {
    int track = 0; // 1, 2: threads; 0: the stream 7 of GPU 0
    std::string category;
    std::string name;
    std::int64_t start = 0; // ns behind kBase
    std::int64_t length = 0;
    std::int64_t correlation = 0;
};

const std::vector<Slice>& program() {
    static const std::vector<Slice> kProgram{
        {1, "user_annotation", "ProfilerStep#5", 1000, 100'000, 0},
        {1, "cpu_op", "aten::linear", 2000, 30'001, 0},
        {1, "cpu_op", "aten::addmm", 2500, 20'000, 0},
        {1, "cpu_op", "aten::relu", 22'500, 9'000, 0}, // begins as the one before ends
        {2, "cpu_op", "autograd::engine::evaluate_function", 40'000, 5'000, 0},
        {1, "cuda_runtime", "cudaLaunchKernel", 3000, 4000, 77},
        {1, "cuda_runtime", "cudaLaunchKernel", 23'000, 2000, 78},
        {1, "cuda_runtime", "cudaMemcpyAsync", 60'000, 2000, 79},
        {0, "kernel", "sm90_gemm", 9000, 12'345, 77},
        {0, "kernel", "relu_kernel", 26'000, 1'000, 78},
        {0, "gpu_memcpy", "Memcpy", 65'000, 3'000, 79},
        {0, "gpu_user_annotation", "ProfilerStep#5", 9000, 59'000, 0}};
    return kProgram;
}

std::string chromeText() {
    std::string events;
    for (const Slice& slice : program()) {
        const bool isOnGpu = slice.track == 0;
        std::string arguments;
        if (slice.category == "kernel")
            arguments = R"("block":[128,1,1],"correlation":)" + std::to_string(slice.correlation)
                + R"(,"device":0,"grid":[4,2,1],"registers per thread":168,"shared memory":1040,"stream":7)";
        else if (slice.category == "gpu_memcpy")
            arguments = R"("bytes":4096,"correlation":79,"device":0,"stream":7)";
        else if (slice.category == "cuda_runtime")
            arguments = R"("cbid":211,"correlation":)" + std::to_string(slice.correlation);
        else if (slice.category == "user_annotation")
            arguments = "\"External id\":4";
        else if (slice.category == "cpu_op")
            arguments = R"("External id":3,"Input Dims":[[2,3],[]],"dtype":"bf\"16")";
        events += (events.empty() ? "" : ",") + std::string(R"({"ph":"X","cat":")") + slice.category
            + R"(","name":")" + slice.name + R"(","pid":)" + (isOnGpu ? "0" : "4711") + R"(,"tid":)"
            + (isOnGpu ? "7" : std::to_string(slice.track + 10)) + R"(,"ts":)"
            + std::to_string(slice.start / 1000) + "."
            + std::to_string(1000 + slice.start % 1000).substr(1) + R"(,"dur":)"
            + std::to_string(slice.length / 1000) + "."
            + std::to_string(1000 + slice.length % 1000).substr(1) + R"(,"args":{)" + arguments
            + "}}";
    }
    return R"({"baseTimeNanoseconds":)" + std::to_string(kBase) + R"(,"traceEvents":[)" + events
        + R"j(,{"ph":"C","name":"Power (W)","pid":"GPU 0 Counters","ts":10.000,"args":{"":412.5}}]})j";
}

std::vector<std::string> annotationsOf(const Slice& slice) {
    if (slice.category == "cuda_runtime")
        return {madeAnnotation("cbid", 211), madeAnnotation("correlation", slice.correlation)};
    if (slice.category == "user_annotation")
        return {madeAnnotation("External id", 4)};
    if (slice.category != "cpu_op")
        return {};
    const std::string shape
        = madeAnnotation("", MadeInner{12, {madeAnnotation("", 2), madeAnnotation("", 3)}});
    return {madeAnnotation("External id", 3),
        madeAnnotation("Input Dims", MadeInner{12, {shape, madeAnnotation("")}}),
        madeAnnotation("dtype", "bf\"16")};
}

std::string extra(std::string_view key, std::string_view value) {
    return MadeMessage().bytes(1, key).bytes(2, value).text();
}

MadeMessage stageOf(const Slice& slice, std::int64_t name) {
    MadeMessage stage;
    const std::int64_t kind = slice.category == "kernel" ? 1
        : slice.category == "gpu_memcpy"                 ? 2
                                                         : 4;
    stage.number(1, slice.correlation)
        .number(2, slice.length)
        .number(11, 0)
        .number(13, 100)
        .number(14, kind);
    stage.bytes(6, extra("device id", "0")).bytes(6, extra("stream id", "7"));
    stage.bytes(6, extra("process_name", "python"));
    if (slice.correlation > 0)
        stage.bytes(6, extra("correlation", std::to_string(slice.correlation)));
    if (kind == 2)
        return stage.bytes(6, extra("bytes", "4096"));
    stage.number(20, name);
    if (kind == 4)
        return stage;
    const auto sizes = [](std::int64_t x, std::int64_t y) {
        return MadeMessage().number(1, x).number(2, y).number(3, 1).text();
    };
    const auto argument = [](std::int64_t number, std::int64_t value) {
        return MadeMessage().number(1, number).number(4, value).text();
    };
    return stage.number(19, 1).bytes(21,
        MadeMessage()
            .bytes(1, sizes(4, 2))
            .bytes(2, sizes(128, 1))
            .bytes(3, argument(1, 168))
            .bytes(3, argument(2, 1024))
            .bytes(3, argument(3, 16))
            .bytes(3, argument(4, 128))
            .text());
}

// `hasCategories`: the first encoder told none.
std::string pytorchTrace(bool hasCategories = true) {
    MadePerfetto made;
    const auto clock
        = [](std::int64_t id) { return MadeMessage().number(1, id).number(2, kBase).text(); };
    made.packet(MadeMessage().number(8, kBase).number(10, 7).bytes(
        6, MadeMessage().bytes(1, clock(6)).bytes(1, clock(1)).text()));
    made.process(1, 4711).thread(2, 4711, 11, "python").thread(3, 4711, 12, "pt_autograd_0");
    std::vector<std::string> names;
    std::vector<std::string> categories;
    for (const Slice& slice : program()) {
        names.push_back(slice.name);
        categories.push_back(slice.category);
    }
    const auto spec = [](std::int64_t iid, std::string_view name, std::int64_t category) {
        return MadeMessage()
            .bytes(24, MadeMessage().number(1, iid).bytes(2, name).number(4, category).text())
            .text();
    };
    const auto compute = [](std::int64_t iid, std::string_view name) {
        return MadeMessage()
            .bytes(1001, MadePerfetto::entry(static_cast<std::size_t>(iid), name))
            .text();
    };
    const std::string counters
        = MadeMessage()
              .bytes(47,
                  MadeMessage()
                      .number(1, 1)
                      .bytes(2, MadeMessage().bytes(1, MadePerfetto::entry(5, "Power (W)")).text())
                      .number(3, 0)
                      .text())
              .text();
    made.names(names, categories,
        spec(1, "Kernel", 2) + spec(2, "Memcpy", 0) + spec(4, "Annotation", 0)
            + spec(100, "stream 007", 0) + compute(1, "registers_per_thread")
            + compute(2, "shared_mem_dynamic") + compute(3, "shared_mem_static")
            + compute(4, "thread_count") + counters
            + MadeMessage()
                  .bytes(1000, MadeMessage().number(1, 1).bytes(3, "sm90_gemm").text())
                  .text());
    for (const bool isRuntime : {false, true}) {
        for (const bool isBegin : {true, false}) {
            for (std::size_t i = 0; i < program().size(); ++i) {
                const Slice& slice = program()[i];
                if (slice.track == 0 || (slice.category == "cuda_runtime") != isRuntime)
                    continue;
                const auto number = static_cast<std::int64_t>(i) + 1;
                if (isBegin)
                    made.begin(kBase + slice.start, slice.track + 1, number,
                        hasCategories ? number : 0, annotationsOf(slice));
                else
                    made.end(kBase + slice.start + slice.length, slice.track + 1);
            }
        }
    }
    for (std::size_t i = 0; i < program().size(); ++i) {
        if (program()[i].track == 0)
            made.event(kBase + program()[i].start,
                stageOf(program()[i], static_cast<std::int64_t>(i) + 1), 53);
    }
    return made
        .event(kBase + 10'000,
            MadeMessage().number(4, 1).bytes(2, MadeMessage().number(1, 5).real(3, 412.5).text()),
            52)
        .text();
}

Lines allLines(const ImportedTraces& got) {
    Lines lines;
    for (const SpanKind kind : kKinds) {
        for (const std::string& line : got.lines(kind))
            lines.insert(std::string(toString(kind)) + "|" + line);
    }
    return lines;
}

std::string joined(const Lines& lines) {
    std::string text;
    for (const std::string& line : lines)
        text += line + "\n";
    return text;
}

// A dictionary as older writers nest it: {"n": 7, "list": [0.5, true, "s", []], without a key: {}}.
std::string oldNested() {
    const auto item = [](MadeMessage value) { return value.text(); };
    const std::string list = MadeMessage()
                                 .number(1, 2)
                                 .bytes(4, item(MadeMessage().real(6, 0.5)))
                                 .bytes(4, item(MadeMessage().number(7, 1)))
                                 .bytes(4, item(MadeMessage().bytes(8, "s")))
                                 .bytes(4, item(MadeMessage().number(1, 2)))
                                 .text();
    return MadeMessage()
        .number(1, 1)
        .bytes(2, "n")
        .bytes(2, "list")
        .bytes(3, item(MadeMessage().number(5, 7)))
        .bytes(3, list)
        .bytes(3, item(MadeMessage().number(1, 1)))
        .text();
}

// One thread with a few slices, for what is told of a sequence.
MadePerfetto smallTrace() {
    MadePerfetto made;
    made.thread(2, 10, 11, "main").names({"outer", "inner"}, {"cpu_op"});
    return made;
}

std::string zipped(const std::string& packets, bool isZstd) {
    return MadePerfetto()
        .packet(MadeMessage().bytes(
            isZstd ? 133 : 50, isZstd ? zstded(packets) : deflated(packets, MAX_WBITS)))
        .text();
}

const std::string kRocprofCall = "hipLaunchKernel";

std::string rocprofTrace() {
    MadePerfetto made;
    made.process(1, 99).thread(2, 99, 99, "python");
    made.named(70, 1, "THREAD 1 (70)").named(80, 1, "STREAM [\" 1 \"] ");
    made.names({"iteration 3", kRocprofCall, "gemm<float>(int)", "MEMORY_COPY_HOST_TO_DEVICE",
                   "ncclAllReduce", "iteration 4"},
        {"marker_api", "hip_api", "kernel_dispatch", "memory_copy", "rccl_api"});
    struct Record {
        std::int64_t track, name, category, start, end;
        std::vector<std::string> more;
    };
    const auto work = [](std::int64_t correlation, std::vector<std::string> more) {
        more.push_back(madeAnnotation("corr_id", correlation));
        return more;
    };
    const std::vector<Record> records{{2, 1, 1, 1000, 9000, work(1, {})},
        {2, 2, 2, 2000, 2500, work(2, {})}, {2, 2, 2, 3000, 3500, work(3, {})},
        {2, 5, 5, 5000, 5600, work(5, {})}, {2, 6, 1, 10'000, 19'000, work(6, {})},
        {80, 3, 3, 4000, 6000,
            work(2,
                {madeAnnotation("agent", "GPU-2"), madeAnnotation("queue", 9),
                    madeAnnotation("group_segment_size", 512), madeAnnotation("grid_size", 1000),
                    madeAnnotation("workgroup_size", 256)})},
        {80, 4, 4, 6500, 7000,
            work(3,
                {madeAnnotation("dst_agent", "GPU-2"), madeAnnotation("src_agent", "CPU-0"),
                    madeAnnotation("copy_bytes", 4096)})}};
    for (const Record& record : records) {
        made.begin(record.start, record.track, record.name, record.category, record.more);
        made.end(record.end, record.track);
    }
    return made.text();
}

const std::string kRocprofKernel
    = R"(0|2/1|gemm<float>(int)|4000|2000|2|{"grid":[4,1,1],"block":[256,1,1],"shared memory":512})";
const std::string kRocprofCopy = R"(0|2/1|Memcpy HtoD|6500|500|3|{"bytes":4096})";
const std::string kAnnotated
    = R"(0|10/11|outer|100|100|0|{"key":"text","flag":true,"huge":18446744073709551615,)"
      R"("pointer":255,"own":"[1, 2]","real":0.25,)"
      R"("map":{"x":1,"y":["z"]},"old":{"n":7,"list":[0.5,true,"s",[]],"?":{}},"other":null})";

} // namespace

class tst_Perfetto : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void sameSpansAsJson_data() {
        const auto row = columns<bool>("categories");
        row("told", true);
        row("not told", false);
    }
    void sameSpansAsJson() {
        QFETCH(const bool, categories);
        const ImportedTraces perfetto = imported(pytorchTrace(categories));
        const ImportedTraces json(kineto::kImporter, *memoryTree({{"rank0.json", chromeText()}}));
        QCOMPARE(warningsOf(perfetto), std::string());
        QCOMPARE(joined(allLines(perfetto)), joined(allLines(json)));
        QCOMPARE(allLines(json).size(), program().size());
        QCOMPARE(perfetto.sink.iterations.size(), std::size_t{1});
        QCOMPARE(perfetto.sink.iterations[0].range.begin.ns, kBase + 1000);
        QCOMPARE(perfetto.sink.seriesList.size(), json.sink.seriesList.size());
        QCOMPARE(perfetto.sink.seriesList.at(0).values, std::vector<double>{412.5});
        QCOMPARE(perfetto.sink.seriesList.at(0).times, std::vector<TimeNs>{TimeNs{kBase + 10'000}});
        QCOMPARE(perfetto.units.at(0).start, std::optional(TimeNs{kBase + 1000}));
        QCOMPARE(perfetto.reports.at(0).value().importer, std::string("perfetto 1"));
        const auto thread = std::ranges::find_if(perfetto.sink.tracks,
            [](const CollectedTrack& track) { return track.description.thread == "12"; });
        QCOMPARE(thread->description.name, std::string("pt_autograd_0"));
    }

    void rocprofIsRead() {
        const ImportedTraces got = imported(rocprofTrace());
        QCOMPARE(got.lines(SpanKind::Kernel), (Lines{kRocprofKernel}));
        QCOMPARE(got.lines(SpanKind::Copy), (Lines{kRocprofCopy}));
        QCOMPARE(got.lines(SpanKind::Runtime),
            (Lines{"0|99/99|hipLaunchKernel|2000|500|2|", "0|99/99|hipLaunchKernel|3000|500|3|",
                "0|99/99|ncclAllReduce|5000|600|5|"}));
        QCOMPARE(got.lines(SpanKind::Annotation),
            (Lines{"0|99/99|iteration 3|1000|8000|0|", "0|99/99|iteration 4|10000|9000|0|"}));
        QCOMPARE(got.lines(SpanKind::GpuAnnotation), (Lines{"0|2/1|iteration 3|4000|3000|0|"}));
        QCOMPARE(got.sink.iterations.size(), std::size_t{2});
        QCOMPARE(got.sink.iterations[0].index, std::int64_t{3});
    }

    void packedAsOne_data() {
        const auto row = columns<QByteArray>("bytes");
        row("zlib packets", zipped(pytorchTrace(), false));
        row("zstd packets", zipped(pytorchTrace(), true));
        row("gz", gzipped(pytorchTrace()));
        row("zst", zstded(pytorchTrace()));
    }
    void packedAsOne() {
        QFETCH(const QByteArray, bytes);
        QCOMPARE(joined(allLines(imported(bytes.toStdString()))),
            joined(allLines(imported(pytorchTrace()))));
    }

    // A clock of the sequence in units of 10 ns that counts on, tied to boot and UTC.
    void clocks() {
        MadePerfetto made = smallTrace();
        const auto clock = [](std::int64_t id, std::int64_t stamp, std::int64_t unit, bool counts) {
            return MadeMessage()
                .number(1, id)
                .number(2, stamp)
                .number(3, counts)
                .number(4, unit)
                .text();
        };
        made.packet(MadeMessage()
                        .number(10, MadePerfetto::kSequence)
                        .bytes(6,
                            MadeMessage()
                                .bytes(1, clock(64, 100, 10, true))
                                .bytes(1, clock(6, 5000, 1, false))
                                .bytes(1, clock(1, kBase, 1, false))
                                .text()));
        made.packet(MadeMessage()
                        .number(10, MadePerfetto::kSequence)
                        .number(13, 2)
                        .bytes(59,
                            MadeMessage()
                                .number(58, 64)
                                .bytes(11, MadeMessage().number(11, 2).text())
                                .text()));
        // 1000 + 30 is 5030 since boot; 20 ns later it ends. The track is the default.
        made.event(3, MadeMessage().number(9, 1).number(10, 1).number(3, 1));
        made.event(2, MadeMessage().number(9, 2));
        const ImportedTraces got = imported(made.text());
        QCOMPARE(got.lines(SpanKind::CpuOp, kBase), (Lines{"0|10/11|outer|30|20|0|"}));
        QCOMPARE(got.reports.at(0).value().facts.at("clock"),
            std::string("UTC, by a snapshot of the trace's clocks"));
    }

    void lostStateIsTold() {
        MadePerfetto made = smallTrace();
        made.begin(100, 2, 1, 1).end(200, 2);
        made.packet(MadeMessage().number(10, MadePerfetto::kSequence).number(42, 1).number(8, 250));
        made.begin(300, 2, 2, 1).end(400, 2); // needs what was lost
        made.names({"again"}, {"cpu_op"}).begin(500, 2, 1, 1).end(600, 2);
        const ImportedTraces got = imported(made.text());
        QCOMPARE(got.lines(SpanKind::CpuOp),
            (Lines{"0|10/11|outer|100|100|0|", "0|10/11|again|500|100|0|"}));
        QVERIFY(warningsOf(got).find("1 time the recorder lost packets") != std::string::npos);
        QVERIFY(warningsOf(got).find("2 packets without the names") != std::string::npos);
    }

    void annotationsAreArguments() {
        const auto inner = [](std::string_view key, const std::string& value) {
            return MadeMessage().bytes(10, key).text() + value;
        };
        MadePerfetto made = smallTrace();
        made.names({"outer"}, {"kernel"},
            MadeMessage()
                .bytes(3, MadePerfetto::entry(4, "key"))
                .bytes(29, MadePerfetto::entry(5, "text"))
                .text());
        made.begin(100, 2, 1, 1,
            {MadeMessage().number(1, 4).number(17, 5).text(),
                inner("flag", MadeMessage().number(2, 1).text()),
                inner("huge", MadeMessage().number(3, -1).text()),
                inner("pointer", MadeMessage().number(7, 255).text()),
                inner("own", MadeMessage().bytes(9, "[1, 2]").text()), madeAnnotation("real", 0.25),
                madeAnnotation("map",
                    MadeInner{11,
                        {madeAnnotation("x", 1),
                            madeAnnotation("y", MadeInner{12, {madeAnnotation("", "z")}})}}),
                inner("old", MadeMessage().bytes(8, oldNested()).text()),
                inner("other", MadeMessage().bytes(14, "x").text())});
        made.end(200, 2);
        const ImportedTraces got = imported(made.text());
        QCOMPARE(joined(got.lines(SpanKind::Kernel)), kAnnotated + "\n");
    }

    // Nested slices that end at once, of which each end says something; the keys are told behind
    // the slices' begins.
    void endsHaveArguments() {
        const auto end = [](MadePerfetto& made, std::int64_t ns, const std::string& annotation) {
            made.event(ns, MadeMessage().number(9, 2).number(11, 2).bytes(4, annotation));
        };
        MadePerfetto made = smallTrace();
        made.names({"outer", "inner"}, {"kernel"});
        made.begin(100, 2, 1, 1, {madeAnnotation("a", 1)}).begin(150, 2, 2, 1);
        end(made, 200, madeAnnotation("b", 2));
        end(made, 200, madeAnnotation("c", "three"));
        made.begin(300, 2, 1, 1).end(400, 2);
        const ImportedTraces got = imported(made.text());
        QCOMPARE(joined(got.lines(SpanKind::Kernel)),
            joined(Lines{R"(0|10/11|outer|100|100|0|{"a":1,"c":"three"})",
                R"(0|10/11|inner|150|50|0|{"b":2})", "0|10/11|outer|300|100|0|"}));
    }

    // A kernel that waits for a copy and for an event node of another stream, which stands behind
    // it in the file and ends after it begins, as clocks of streams differ.
    void waitsAreEdges() {
        const auto spec = [](std::int64_t number, std::string_view name, std::int64_t category) {
            return MadeMessage()
                .bytes(
                    24, MadeMessage().number(1, number).bytes(2, name).number(4, category).text())
                .text();
        };
        MadePerfetto made;
        made.names({"copy", "gemm"}, {},
            spec(1, "Kernel", 2) + spec(2, "Memcpy", 0) + spec(3, "EventRecord", 0)
                + spec(10, "stream 7", 0) + spec(11, "stream 8", 0));
        const auto stage
            = [&](std::int64_t ns, std::int64_t id, std::int64_t length, std::int64_t queue,
                  std::int64_t kind, const std::vector<std::int64_t>& waits) {
                  MadeMessage message;
                  message.number(1, id).number(2, length).number(13, queue).number(14, kind);
                  for (const std::int64_t other : waits)
                      message.number(18, other);
                  made.event(ns, message, 53);
              };
        stage(1000, 5, 500, 11, 2, {});
        stage(1600, 6, 300, 10, 1, {5, 9, 77});
        stage(1590, 9, 20, 11, 3, {});
        const ImportedTraces got = imported(made.text());
        QCOMPARE(joined(got.lines(SpanKind::Sync)),
            joined(Lines{R"(0|0/7|Graph edge|1500|100|0|{"from_stream":"8"})",
                R"(0|0/7|Graph edge|1600|10|0|{"from_stream":"8","backward":1})",
                "0|0/8|EventRecord|1590|20|0|"}));
        QCOMPARE(got.lines(SpanKind::Kernel).size(), std::size_t{1});
        QCOMPARE(got.lines(SpanKind::Copy).size(), std::size_t{1});
    }

    // 70 packets of 16 MiB of zeros each, in a megabyte: what they hold is read up to 1 GiB.
    void bombIsLeft() {
        const std::string zeros((std::size_t{16} << 20) - 4096, '\0');
        const std::string large = smallTrace().begin(100, 2, 1, 1).end(200, 2).text()
            + MadeMessage().bytes(1, MadeMessage().bytes(100, zeros).text()).text();
        const std::string packet = zipped(large, true);
        std::string bytes;
        for (int i = 0; i < 70; ++i)
            bytes += packet;
        const ImportedTraces got = imported(bytes);
        const std::string told = warningsOf(got);
        QVERIFY2(
            told.find("expand to far more than any recording") != std::string::npos, told.c_str());
        const auto kept = got.lines(SpanKind::CpuOp).size();
        QVERIFY2(kept >= 60 && kept < 70, std::to_string(kept).c_str());
    }

    void flowsGiveCorrelation() {
        MadePerfetto made = smallTrace();
        made.named(5, 0, "stream 3").names({"launch", "kernel"}, {"cuda_runtime", "kernel"});
        made.begin(100, 2, 1, 1, {}, {42}).end(200, 2).begin(300, 5, 2, 2, {}, {42}).end(400, 5);
        const ImportedTraces got = imported(made.text());
        QCOMPARE(got.lines(SpanKind::Runtime), (Lines{"0|10/11|launch|100|100|42|"}));
        QCOMPARE(got.lines(SpanKind::Kernel), (Lines{"0|0/3|kernel|300|100|42|"}));
    }

    void counters() {
        MadePerfetto made = smallTrace();
        const auto counter = [&made](std::int64_t uuid, std::string_view name, MadeMessage how) {
            made.packet(MadeMessage().bytes(60,
                MadeMessage()
                    .number(1, uuid)
                    .number(5, 2)
                    .bytes(2, name)
                    .bytes(8, how.text())
                    .text()));
        };
        counter(20, "memory", MadeMessage().number(3, 3).number(4, 1024));
        counter(21, "steps", MadeMessage().number(5, 1));
        counter(22, "thread time", MadeMessage().number(1, 1));
        made.event(100, MadeMessage().number(9, 4).number(11, 20).number(30, 3));
        made.event(200, MadeMessage().number(9, 4).number(11, 20).real(44, 0.5));
        made.event(300,
            MadeMessage()
                .number(9, 1)
                .number(11, 2)
                .number(10, 1)
                .number(31, 21)
                .number(31, 22)
                .number(12, 5)
                .number(12, 9));
        made.event(400, MadeMessage().number(9, 2).number(11, 2).number(31, 21).number(12, 2));
        const ImportedTraces got = imported(made.text());
        std::map<std::string, std::vector<double>> values;
        for (const CollectedSeries& series : got.sink.seriesList)
            values[series.description.metric.name] = series.values;
        QCOMPARE(values,
            (std::map<std::string, std::vector<double>>{
                {"memory", {3072, 512}}, {"steps", {5, 7}}}));
        const auto memory
            = std::ranges::find_if(got.sink.seriesList, [](const CollectedSeries& series) {
                  return series.description.metric.name == "memory";
              });
        QCOMPARE(memory->description.metric.unit, std::string("B"));
    }

    // Events of Chrome's own: complete, begun and ended, asynchronous.
    void legacyEvents() {
        MadePerfetto made = smallTrace();
        const auto legacy = [](char phase) { return MadeMessage().number(2, phase); };
        const auto on = [](MadeMessage inner) {
            return MadeMessage().number(11, 2).number(10, 1).number(3, 1).bytes(6, inner.text());
        };
        made.event(1000, on(legacy('X').number(3, 5)));
        made.event(20'000, on(legacy('B')));
        made.event(21'000, on(legacy('E')));
        made.event(30'000, on(legacy('b').number(6, 9)));
        made.event(31'000, on(legacy('e').number(6, 9)));
        const ImportedTraces got = imported(made.text());
        QCOMPARE(joined(got.lines(SpanKind::CpuOp)),
            joined(Lines{"0|10/11|outer|1000|5000|0|", "0|10/11|outer|20000|1000|0|",
                "0|-1/cpu_op outer|outer|30000|1000|0|"}));
    }

    void foreignTracksAreKept() {
        MadePerfetto made;
        made.process(1, 50).named(5, 1, "Frames").named(6, 1, "Frames").names({"frame"}, {"gfx"});
        made.begin(100, 5, 1, 1).begin(150, 6, 1, 1).end(200, 5).end(260, 6);
        const ImportedTraces got = imported(made.text());
        QCOMPARE(got.sink.tracks.size(), std::size_t{2});
        QCOMPARE(got.lines(SpanKind::Other),
            (Lines{"0|-1/Frames|frame|100|100|0|", "0|-1/Frames (6)|frame|150|110|0|"}));
    }

    void damageKeepsTheRest() {
        std::string bytes = smallTrace().begin(100, 2, 1, 1).end(200, 2).text();
        bytes += MadePerfetto().packet(MadeMessage().bytes(11, "\x0a\xff\xff\xff\xff")).text();
        const std::size_t bad = bytes.size();
        bytes += MadeMessage().bytes(1, "\x0a\xff\xff\xff\xff").text();
        bytes += MadePerfetto().begin(300, 2, 2, 1).end(400, 2).text();
        const ImportedTraces got = imported(bytes + std::string("\x0a\x50\x08", 3));
        QCOMPARE(got.lines(SpanKind::CpuOp),
            (Lines{"0|10/11|outer|100|100|0|", "0|10/11|inner|300|100|0|"}));
        const std::string told = warningsOf(got);
        QVERIFY2(told.find("the packet at byte " + std::to_string(bad) + " is damaged")
                != std::string::npos,
            told.c_str());
        QVERIFY2(told.find("cut short or damaged at byte") != std::string::npos, told.c_str());
        QVERIFY(got.sink.runs.begin()->second.status == RunStatus::Partial);
    }

    void anyCutAndByte() {
        std::mt19937 random(60);
        for (const std::string& whole :
            {pytorchTrace(), rocprofTrace(), zipped(pytorchTrace(), false)}) {
            for (int i = 0; i < 300; ++i) {
                std::string bytes
                    = whole.substr(0, i % 2 == 0 ? whole.size() : random() % whole.size());
                for (int change = 0; change < 3 && !bytes.empty() && i % 4 != 1; ++change)
                    bytes[random() % bytes.size()] = static_cast<char>(random());
                const auto tree = memoryTree({{"rank0.pftrace", bytes}});
                for (const auto& unit : perfetto::kImporter.plan(*tree, tree->files())) {
                    CollectingSink sink;
                    const auto report = perfetto::kImporter.import(*tree, unit, sink, {});
                    QVERIFY(report.hasValue() || !report.error().message.empty());
                }
            }
        }
    }

    void unusableSaysWhatItIs() {
        const auto tree = memoryTree({{"a.pftrace", MadePerfetto().process(1, 2).text()}});
        const auto units = perfetto::kImporter.plan(*tree, tree->files());
        CollectingSink sink;
        const auto report = perfetto::kImporter.import(*tree, units.at(0), sink, {});
        QVERIFY(!report.hasValue());
        QVERIFY(report.error().message.find("no slice") != std::string::npos);
        QVERIFY(report.error().message.find("bytes of other packets") != std::string::npos);
    }

    void stopsOnRequest() {
        const auto tree = memoryTree({{"rank0.pftrace", pytorchTrace()}});
        const auto units = perfetto::kImporter.plan(*tree, tree->files());
        CollectingSink sink;
        const auto report = perfetto::kImporter.import(
            *tree, units.at(0), sink, [](const ProgressState&) { return false; });
        QVERIFY(!report.hasValue());
        QCOMPARE(report.error().code, ErrorCode::Cancelled);
    }

    void isTold() {
        for (const std::string& bytes :
            {pytorchTrace(), rocprofTrace(), zipped(pytorchTrace(), false)}) {
            for (const Importer* importer : registry()) {
                const bool isOwn = importer == &perfetto::kImporter;
                QCOMPARE(importer->sniff(bytes.substr(0, 65'536), "x.bin") > 0, isOwn);
            }
        }
        QCOMPARE(perfetto::kImporter.sniff(tpuSpace().substr(0, 65'536), "a"), 0);
        QCOMPARE(perfetto::kImporter.sniff("\n\n\n\n", "a"), 0);
    }

    // Nested slices in the layouts of writers: as they happen, each begin with its end, all begins
    // before all ends, and any order of several threads' chunks that keeps times.
    void slicesArePaired_data() {
        const auto row = columns<int>("layout");
        row("in time", 0);
        row("one by one", 1);
        row("begins first", 2);
    }
    void slicesArePaired() {
        QFETCH(const int, layout);
        std::mt19937 random(7);
        for (int round = 0; round < 100; ++round) {
            std::vector<std::pair<std::int64_t, std::int64_t>> slices;
            const std::function<void(std::int64_t, std::int64_t, int)> nest
                = [&](std::int64_t from, std::int64_t to, int depth) {
                      while (to - from > 4 && slices.size() < 60) {
                          const std::int64_t begin
                              = from + 1 + static_cast<std::int64_t>(random() % 3);
                          const std::int64_t end = std::min(
                              to - 1, begin + 1 + static_cast<std::int64_t>(random() % 400));
                          if (begin >= end)
                              return;
                          slices.emplace_back(begin, end);
                          if (depth < 4)
                              nest(begin, end, depth + 1);
                          from = end;
                      }
                  };
            nest(0, 2000, 0);
            std::vector<std::pair<std::int64_t, bool>> events;
            const auto add = [&](bool isEnd) {
                for (const auto& [begin, end] : slices)
                    events.emplace_back(isEnd ? end : begin, isEnd);
            };
            if (layout == 1) {
                for (const auto& [begin, end] : slices) {
                    events.emplace_back(begin, false);
                    events.emplace_back(end, true);
                }
            } else {
                add(false);
                add(true);
            }
            if (layout == 0)
                std::ranges::stable_sort(events, {}, &std::pair<std::int64_t, bool>::first);
            perfetto::SlicePairs pairs;
            for (const auto& [ns, isEnd] : events)
                pairs.add(3, ns, isEnd);
            pairs.finish();
            std::size_t at = 0;
            for (const auto& [begin, end] : slices)
                QCOMPARE(pairs.next(3, at), std::optional(end - begin));
            QCOMPARE(pairs.next(3, at), std::nullopt);
            QCOMPARE(pairs.unpaired(), std::int64_t{0});
        }
    }

    void lateChunksArePaired() {
        perfetto::SlicePairs pairs;
        // The end came before its begin, and a begin has none.
        for (const auto& [ns, isEnd] :
            {std::pair(50, true), {10, false}, {60, false}, {20, false}, {30, true}})
            pairs.add(0, ns, isEnd);
        pairs.finish();
        std::size_t at = 0;
        QCOMPARE(pairs.next(0, at), std::optional(std::int64_t{40}));
        QCOMPARE(pairs.next(0, at), std::nullopt);
        QCOMPARE(pairs.next(0, at), std::optional(std::int64_t{10}));
        QCOMPARE(pairs.unpaired(), std::int64_t{1});
    }
};

TRAINSCOPE_TEST(tst_Perfetto)
#include "tst_Perfetto.moc"
