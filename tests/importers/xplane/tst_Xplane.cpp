// Profiles of XLA, made by hand from the schema: devices, operators with their work, streams,
// steps, times, damage.

#include "importers/common/Formats.h"
#include "importers/common/MessageFields.h"
#include "importers/registry/Registry.h"
#include "importers/support/Compress.h"
#include "importers/support/TraceLines.h"
#include "importers/xplane/MadeSpace.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

using Lines = std::multiset<std::string>;

struct ImportedSpace : ImportedTraces {
    explicit ImportedSpace(const std::string& bytes)
        : ImportedTraces(importers::xplane::kImporter,
            *importers::memoryTree({{"profile/host7.xplane.pb", bytes}})) { }
};

std::string warningsOf(const ImportReport& report) {
    std::string text;
    for (const ImportWarning& warning : report.warnings)
        text += warning.text + "\n";
    return text;
}

} // namespace

class tst_Xplane : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void operatorsOfATpu() {
        const ImportedSpace got(tpuSpace());
        QCOMPARE(got.units.size(), std::size_t{1});
        QCOMPARE(got.units[0].gpuModel, std::string("TPU v4"));
        QCOMPARE(got.units[0].start, std::optional(TimeNs{kProfileStart + 1000}));
        QVERIFY(got.reports[0].hasValue());
        // Starts count from the profile's; lines begin 1000 ns behind it.
        const std::string product
            = R"({"hlo category":"convolution fusion","flops":4000000000,"bytes accessed":2000000,)"
              R"("shape":"bf16[128,512]{1,0}","framework op":"jit(step)/dot_general"})";
        const Lines kernels{"0|0/XLA Ops|fusion.3 (convolution fusion)|2000|20001|-1|" + product,
            "0|0/XLA Ops|fusion.3 (convolution fusion)|52000|20000|-1|" + product,
            R"(0|0/XLA Ops|all-reduce.1|22001|9999|0|{"hlo category":"all-reduce","flops":1000,"bytes accessed":64})",
            R"(0|0/XLA Ops|fusion.9 (loop fusion)|33000|5000|0|{"hlo category":"loop fusion"})"};
        QCOMPARE(got.lines(SpanKind::Kernel, kProfileStart), kernels);
        // The loop holds two of them and counts in no time of kernels.
        const Lines notes{
            "0|0/XLA Ops|while.7|2000|30000|0|", "0|0/XLA Modules|jit_step(123)|1000|40000|0|"};
        QCOMPARE(got.lines(SpanKind::GpuAnnotation, kProfileStart), notes);
        const Lines copies{R"(0|0/Async XLA Ops|copy-start.2|3000|8000|0|{"bytes":4096})"};
        QCOMPARE(got.lines(SpanKind::Copy, kProfileStart), copies);
        const ImportReport& report = got.reports[0].value();
        QCOMPARE(report.facts.at("peak"), std::string("275 TFLOP/s"));
        QCOMPARE(report.facts.at("host"), std::string("host7"));
        QCOMPARE(report.counts.at("operators that state FLOP or bytes"), std::int64_t{2});
        QCOMPARE(report.warningCount, std::int64_t{0});
    }

    void stepsAreIterations() {
        const ImportedSpace got(tpuSpace());
        QCOMPARE(got.sink.iterations.size(), std::size_t{2});
        QCOMPARE(got.sink.iterations[0].index, std::int64_t{4});
        QCOMPARE(got.sink.iterations[1].index, std::int64_t{5});
        QCOMPARE(got.sink.iterations[1].range.begin.ns, kProfileStart + 51'000);
        QCOMPARE(got.sink.iterations[1].range.end.ns, kProfileStart + 91'000);
    }

    void streamsOfGpus() {
        const ImportedSpace got(gpuSpace());
        QVERIFY(got.reports[0].hasValue());
        const Lines kernels{
            R"(0|0/14|sm90_xmma_gemm_bf16|10000|5000|77|{"hlo op":"dot.1","hlo module":"jit_step",)"
            R"("grid":[4,2,1],"block":[384,1,1],"registers per thread":168,"shared memory":1040})",
            "1|1/20|ncclDevKernel_AllReduce_Sum_bf16_RING_LL|16000|4000|0|"};
        QCOMPARE(got.lines(SpanKind::Kernel, kProfileStart), kernels);
        QCOMPARE(got.lines(SpanKind::Copy, kProfileStart),
            (Lines{R"(0|0/15|Memcpy HtoD|6000|2000|0|{"bytes":4096})"}));
        QCOMPARE(got.lines(SpanKind::Set, kProfileStart),
            (Lines{R"(0|0/15|Memset|9000|1000|0|{"bytes":512})"}));
        QCOMPARE(got.reports[0].value().ranksFound, (std::vector<int>{0, 1}));
    }

    void hostCallsAndMarks() {
        const ImportedSpace got(gpuSpace());
        QCOMPARE(got.lines(SpanKind::Python, kProfileStart),
            (Lines{"0|0/1|train.py:12 main|0|100000|0|"}));
        QCOMPARE(got.lines(SpanKind::CpuOp, kProfileStart),
            (Lines{"0|0/1|PjitFunction(step)|2000|30000|0|"}));
        QCOMPARE(got.lines(SpanKind::Runtime, kProfileStart),
            (Lines{"0|0/1|cuLaunchKernel|3000|1000|77|"}));
        QCOMPARE(
            got.lines(SpanKind::Annotation, kProfileStart), (Lines{"0|0/1|train|1000|40000|0|"}));
        // Its projection, by the kernel that the call in it launched.
        const Lines notes{"0|0/14|train|10000|5000|0|", "0|0/XLA Ops|fusion.1|10000|5000|0|"};
        QCOMPARE(got.lines(SpanKind::GpuAnnotation, kProfileStart), notes);
        // The host's step is one of both devices.
        QCOMPARE(got.sink.iterations.size(), std::size_t{2});
        QCOMPARE(got.sink.iterations[0].index, std::int64_t{7});
        QCOMPARE(got.sink.iterations[0].rank + got.sink.iterations[1].rank, 1);
    }

    void compressedToo() {
        const ImportedSpace plain(gpuSpace());
        const ImportedSpace packed(gzipped(gpuSpace()));
        QCOMPARE(packed.lines(SpanKind::Kernel), plain.lines(SpanKind::Kernel));
        QVERIFY(!packed.lines(SpanKind::Kernel).empty());
    }

    // Without the tables behind the cut, events have no names, and that is said.
    void cutShort() {
        const std::string whole = tpuSpace();
        const std::size_t tables = whole.find("%fusion.3");
        QVERIFY(tables != std::string::npos);
        const ImportedSpace got(whole.substr(0, tables));
        QVERIFY(got.reports[0].hasValue());
        QVERIFY(got.reports[0].value().spans > 0);
        VERIFY_SAYS(warningsOf(got.reports[0].value()), "cut short");
    }

    void damagedEvents() {
        MadePlane device("/device:GPU:0");
        const auto kind = device.kind("gemm");
        device.line("Stream #1", kProfileStart);
        device.event(kind, 0, 1'000'000);
        device.raw(4, "\x0F\xFF"); // a wire type that is none
        device.event(kind, 2'000'000, -5);
        device.raw(4, MadeMessage().number(1, kind).number(5, 3).text()); // a sum of occurrences
        device.event(kind, 3'000'000, 1'000'000);
        const ImportedSpace got(madeSpace({&device}));
        QVERIFY(got.reports[0].hasValue());
        const Lines kernels{
            "0|0/1|gemm|0|1000|0|", "0|0/1|gemm|2000|0|0|", "0|0/1|gemm|3000|1000|0|"};
        QCOMPARE(got.lines(SpanKind::Kernel, kProfileStart), kernels);
        const ImportReport& report = got.reports[0].value();
        QCOMPARE(report.counts.at("events without a time"), std::int64_t{1});
        QCOMPARE(report.skipped, std::int64_t{1});
        VERIFY_SAYS(warningsOf(report), "1 message could not be read");
    }

    void recognised() {
        const auto tree = importers::memoryTree({{"a/host.xplane.pb", tpuSpace()},
            {"b/renamed.bin", gpuSpace()}, {"c/other.pb", std::string("\x0A\x05hello", 7)},
            {"d/zeros.xplane.pb", std::string(64, '\0')}});
        const auto plan = importers::planImport(*tree, {});
        QVERIFY(plan.hasValue());
        QCOMPARE(plan.value().units.size(), std::size_t{2});
        for (const auto& unit : plan.value().units)
            QCOMPARE(unit.importer, std::string("xplane"));
        QCOMPARE(plan.value().unrecognised.size(), std::size_t{2});
    }

    // Nothing in the format says that a name stands before what it names.
    void fieldsInOtherOrder() {
        const std::string event
            = MadeMessage().number(3, 1'000'000).number(2, 0).number(1, 9).text();
        const std::string line
            = MadeMessage().bytes(4, event).number(3, kProfileStart).bytes(2, "Stream #3").text();
        const std::string kind = MadeMessage()
                                     .bytes(2, MadeMessage().bytes(2, "late").number(1, 9).text())
                                     .number(1, 9)
                                     .text();
        const std::string plane
            = MadeMessage().bytes(2, "/device:GPU:0").bytes(4, kind).bytes(3, line).text();
        const ImportedSpace got(MadeMessage().bytes(1, plane).text());
        QCOMPARE(got.lines(SpanKind::Kernel, kProfileStart), (Lines{"0|0/3|late|0|1000|0|"}));
    }

    void numbersOfTheWire() {
        const std::string inner = MadeMessage().number(1, 300).text();
        const std::string bytes = MadeMessage()
                                      .number(5, -1)
                                      .real(6, 2.5)
                                      .bytes(7, inner)
                                      .bytes(9, "skip")
                                      .number(8, 1)
                                      .text();
        const auto stream = importers::memoryStream(bytes);
        importers::WireStream wire(*stream, {});
        importers::WireField field;
        QVERIFY(wire.next(field));
        QCOMPARE(field.number, 5U);
        QCOMPARE(field.value, ~std::uint64_t{0});
        QVERIFY(wire.next(field));
        QCOMPARE(field.value, std::bit_cast<std::uint64_t>(2.5));
        QVERIFY(wire.next(field));
        wire.enter();
        QVERIFY(wire.next(field));
        QCOMPARE(field.value, std::uint64_t{300});
        QVERIFY(!wire.next(field));
        wire.leave();
        QVERIFY(wire.next(field));
        QCOMPARE(field.value, std::uint64_t{4}); // its length; passed over
        QVERIFY(wire.next(field));
        QCOMPARE(field.number, 8U);
        QVERIFY(!wire.next(field));
        QVERIFY(!wire.isCut());
        QCOMPARE(wire.offset(), bytes.size());
    }

    // Two sizes whose sum 64 bits do not hold.
    void sharedMemoryBeyondAny() {
        MadePlane device("/device:GPU:0");
        const auto gemm = device.kind("gemm");
        device.line("Stream #14(Compute)", kProfileStart);
        device.event(gemm, 0, 5'000'000,
            {{"kernel_details",
                "static_shared:9223372036854775807 dynamic_shared:9223372036854775807"}});
        const ImportedSpace got(madeSpace({&device}));
        QCOMPARE(got.lines(SpanKind::Kernel, kProfileStart),
            (Lines{R"(0|0/14|gemm|0|5000|0|{"shared memory":9223372036854775807})"}));
    }
};

TRAINSCOPE_TEST(tst_Xplane)
#include "tst_Xplane.moc"
