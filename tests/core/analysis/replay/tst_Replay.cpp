// Replays of a planted run: the graph of a step is read once, for whoever asks, until more is
// imported; and once for all programs where the database keeps it.

#include "core/analysis/comparison/RunMeasures.h"
#include "core/analysis/replay/Replay.h"
#include "core/analysis/replay/ReplayBytes.h"
#include "core/analysis/replay/SavedReplay.h"
#include "core/analysis/traces/PlantedRun.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "core/analysis/traces/TraceSums.h"
#include "core/store/Connection.h"
#include "support/TestProgram.h"

#include <filesystem>

using namespace trainscope;
using namespace trainscope::analysis;

namespace {

// Steps of 100 µs, each a kernel of 94 for which the host waits.
struct EvenSteps : test::PlantedTrace {
    explicit EvenSteps(std::int64_t count) {
        for (std::int64_t k = 0; k < count; ++k) {
            const std::int64_t at = test::kEpoch + k * 100 * test::kUs;
            host(0, "main", SpanKind::CpuOp, "aten::mm", at + 500, 3 * test::kUs);
            host(0, "main", SpanKind::Runtime, "cudaLaunchKernel", at + test::kUs, 2 * test::kUs,
                k + 1);
            host(0, "main", SpanKind::Runtime, "cudaDeviceSynchronize", at + 5 * test::kUs,
                94 * test::kUs);
            work(0, "7", SpanKind::Kernel, "K", at + 4 * test::kUs, 94 * test::kUs, k + 1);
            iteration(-1, k, at, at + 100 * test::kUs);
        }
    }
};

// Saves the step; the run that it became.
Run saved(store::Store& store, const ReplayRequest& request, const std::string& name) {
    const auto committed = store.another().value();
    const RunStudy study(committed, committed.runs().value().front());
    const auto made = saveReplay(store, study, request, replayOf(study, request).value(), name);
    if (!made.hasValue())
        qFatal("%s", made.error().describe().c_str());
    return store.findRun(name).value();
}

// Begin and length of each span of that name, from the begin of the planted run, µs.
std::vector<std::pair<double, double>> spansOf(
    const store::Store& store, const Run& run, const std::string& name) {
    std::vector<std::pair<double, double>> found;
    for (const Track& track : store.tracks(run.id).value()) {
        const auto take = [&](std::span<const Span> spans) {
            for (const Span& span : spans) {
                if (store.name(span.name).value() == name)
                    found.emplace_back(static_cast<double>(span.start.ns - test::kEpoch) / 1e3,
                        static_cast<double>(span.duration.ns) / 1e3);
            }
            return true;
        };
        if (!store.forEachSpan(track.id, kAllTime, take).hasValue())
            qFatal("a track is not readable");
    }
    return found;
}

StepReplay replayed(const store::Store& store, const ReplayRequest& request) {
    const auto made = replayOf(test::studyOf(store), request);
    if (!made.hasValue())
        qFatal("%s", made.error().describe().c_str());
    return made.value();
}

// Both ranks compute, the second longer, and meet in a collective each step.
struct LateRank : test::PlantedTrace {
    LateRank() {
        const std::string detail = test::collectiveDetail("allreduce", 1'000, "0", {0, 1});
        for (std::int64_t k = 0; k < 5; ++k) {
            const std::int64_t at = test::kEpoch + k * test::kMs;
            for (const int rank : {0, 1}) {
                const std::int64_t busy = rank == 0 ? 300 : 500;
                host(rank, "main", SpanKind::Runtime, "cudaLaunchKernel", at + 10 * test::kUs,
                    5 * test::kUs, 2 * k + 1);
                work(rank, "7", SpanKind::Kernel, "K", at + 20 * test::kUs, busy * test::kUs,
                    2 * k + 1);
                host(rank, "main", SpanKind::Runtime, "cudaLaunchKernel", at + 30 * test::kUs,
                    5 * test::kUs, 2 * k + 2);
                work(rank, "7", SpanKind::Kernel, "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
                    at + (21 + busy) * test::kUs, (879 - busy) * test::kUs, 2 * k + 2, detail);
                host(rank, "main", SpanKind::Runtime, "cudaDeviceSynchronize", at + 40 * test::kUs,
                    861 * test::kUs);
            }
            iteration(-1, k, at, at + test::kMs);
        }
    }
};

void keep(store::Store& store) {
    const auto study = RunStudy(store, test::studyOf(store).run);
    const auto sequence = replayToKeep(study, {}, 0);
    if (!sequence.hasValue() || !sequence.value()
        || !store::keepSum(store, study.run.id, *sequence.value()).hasValue())
        qFatal("the replay is not kept");
}

// A copy of its file as another program finds it, changed by that SQL.
store::Store copied(const store::Store& store, const char* sql) {
    static int number = 0;
    auto path = store.path();
    path += ".copy" + std::to_string(number++);
    const std::filesystem::path log = store.path().string() + "-wal"; // it is open for writing
    std::filesystem::copy_file(store.path(), path);
    if (std::filesystem::exists(log))
        std::filesystem::copy_file(log, path.string() + "-wal");
    auto copy = store::Store::open(path, store::OpenMode::ReadWrite);
    if (!copy.hasValue())
        qFatal("%s", copy.error().describe().c_str());
    const Status changed = copy.value().connection().change(
        [sql](store::Database& database) { return database.execute(sql); });
    if (!changed.hasValue())
        qFatal("%s", changed.error().describe().c_str());
    return std::move(copy).value();
}

void compareGraphs(const StepGraph& a, const StepGraph& b) {
    const auto isSame = [](const StepOperation& x, const StepOperation& y) {
        return std::tie(x.start, x.duration, x.delay, x.track, x.name, x.group, x.operatorName,
                   x.iteration, x.microBatch, x.kind, x.phase, x.category)
            == std::tie(y.start, y.duration, y.delay, y.track, y.name, y.group, y.operatorName,
                y.iteration, y.microBatch, y.kind, y.phase, y.category);
    };
    const auto isSameEdge = [](const StepEdge& x, const StepEdge& y) {
        return std::tie(x.from, x.to, x.lagNs, x.kind, x.basis, x.fromStart, x.toEnd)
            == std::tie(y.from, y.to, y.lagNs, y.kind, y.basis, y.fromStart, y.toEnd);
    };
    const auto isSameEnd = [](const LateEnd& x, const LateEnd& y) {
        return std::tie(x.operation, x.ready, x.group) == std::tie(y.operation, y.ready, y.group);
    };
    QVERIFY(std::ranges::equal(a.operations, b.operations, isSame));
    QVERIFY(std::ranges::equal(a.edges, b.edges, isSameEdge));
    QVERIFY(std::ranges::equal(a.lateEnds, b.lateEnds, isSameEnd));
    QCOMPARE(b.members, a.members);
    QCOMPARE(b.firstEdge, a.firstEdge);
    QCOMPARE(b.names, a.names);
    QCOMPARE(b.categories, a.categories);
    QCOMPARE(b.notes, a.notes);
    QCOMPARE(b.tracks.size(), a.tracks.size());
    QCOMPARE(b.begin, a.begin);
    const auto isSameBoundary = [](const StepBoundary& x, const StepBoundary& y) {
        return std::tie(x.operation, x.offsetNs, x.rank, x.fromEnd, x.isOfHost, x.work, x.workLagNs)
            == std::tie(
                y.operation, y.offsetNs, y.rank, y.fromEnd, y.isOfHost, y.work, y.workLagNs);
    };
    QVERIFY(std::ranges::equal(
        a.iterations, b.iterations, [&](const StepIteration& x, const StepIteration& y) {
            return x.measured.range == y.measured.range && x.counts == y.counts
                && std::ranges::equal(x.begins, y.begins, isSameBoundary)
                && std::ranges::equal(x.ends, y.ends, isSameBoundary);
        }));
}

void compareAnswers(const StepReplay& a, const StepReplay& b) {
    compareGraphs(*a.graph, *b.graph);
    QCOMPARE(b.measuredS, a.measuredS);
    QCOMPARE(b.replayedS, a.replayedS);
    QCOMPARE(b.path.seconds, a.path.seconds);
    QCOMPARE(b.path.byCategory, a.path.byCategory);
    QCOMPARE(b.path.off.size(), a.path.off.size());
    QCOMPARE(b.waits.size(), a.waits.size());
    for (std::size_t i = 0; i < a.waits.size(); ++i) {
        QCOMPARE(b.waits[i].text, a.waits[i].text);
        QCOMPARE(b.waits[i].seconds, a.waits[i].seconds);
        QCOMPARE(b.waits[i].victims, a.waits[i].victims);
    }
    QCOMPARE(b.energy.has_value(), a.energy.has_value());
}

} // namespace

class tst_Replay : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aStepIsReadOnce() {
        EvenSteps steps(5);
        const auto store = steps.store();
        const StepReplay path = replayed(store, {{}, {}, false, {}, true});
        QVERIFY(path.waits.empty() && !path.path.pieces.empty());
        const StepReplay all = replayed(store, {});
        QCOMPARE(all.graph.get(), path.graph.get());
        QCOMPARE(all.replayedS, path.replayedS);
        const StepReplay third = replayed(store, {{}, 3, false, {}, false});
        QVERIFY(third.graph != path.graph);
        QCOMPARE(third.iterations.size(), std::size_t{1});
        QCOMPARE(replayed(store, {}).graph.get(), path.graph.get());
    }

    // A change leaves what is kept as it was.
    void aChangeKeepsTheMeasuredStep() {
        EvenSteps steps(5);
        const auto store = steps.store();
        const StepReplay before = replayed(store, {});
        const StepReplay changed = replayed(store, {{}, {}, false, {"kernel:K=0.5x"}, false});
        QVERIFY(changed.changedS && *changed.changedS < changed.replayedS);
        QCOMPARE(changed.replayedS, before.replayedS);
        const StepReplay after = replayed(store, {});
        QCOMPARE(after.graph.get(), before.graph.get());
        QVERIFY(!after.changedS);
        QCOMPARE(after.path.seconds, before.path.seconds);
    }

    // Half of the kernel's 94 µs are 47, which leaves steps of 53: those of the answer, of the run,
    // of its replay and of its comparison. The operator stays around its call.
    void aChangedStepIsARun() {
        EvenSteps steps(5);
        auto store = steps.store();
        const ReplayRequest half{{}, {}, false, {"kernel:K=0.5x"}, false};
        QCOMPARE(savedReplayName(store.runs().value().front(), half), "run, if kernel:K=0.5x");
        QCOMPARE(*replayed(store, half).changedS, 53e-6);
        const Run run = saved(store, half, "changed");
        QVERIFY(run.kind == RunKind::Predicted);
        const RunStudy study(store, run);
        const auto iterations = iterationsOf(study).value().iterations;
        QCOMPARE(iterations.size(), std::size_t{5});
        for (const Iteration& one : iterations) {
            QCOMPARE(one.range.length().ns, 53 * test::kUs);
            QVERIFY(!one.warmup);
        }
        QCOMPARE(measuresOf(study).value().value("step_time_s"), std::optional(53e-6));
        QCOMPARE(replayOf(study, {}).value().replayedS, 53e-6);
        using Spans = std::vector<std::pair<double, double>>;
        QVERIFY((
            spansOf(store, run, "K") == Spans{{4, 47}, {57, 47}, {110, 47}, {163, 47}, {216, 47}}));
        QVERIFY((spansOf(store, run, "aten::mm")
            == Spans{{0.5, 3}, {53.5, 3}, {106.5, 3}, {159.5, 3}, {212.5, 3}}));
        QCOMPARE(spansOf(store, run, "cudaDeviceSynchronize").back().second, 47.0);
        // Saved again, without a kernel, in its place.
        const Run gone = saved(store, {{}, {}, false, {"kernel:K=0x"}, false}, "changed");
        QCOMPARE(store.runs().value().size(), std::size_t{2});
        QVERIFY(spansOf(store, gone, "K").empty());
        QCOMPARE(spansOf(store, gone, "cudaLaunchKernel").size(), std::size_t{5});
    }

    void aSavedStepTakesNoOtherRunsName() {
        EvenSteps steps(5);
        auto store = steps.store();
        const auto committed = store.another().value();
        const RunStudy study(committed, committed.runs().value().front());
        const auto refused = saveReplay(store, study, {}, replayOf(study, {}).value(), "run");
        QVERIFY(!refused.hasValue() && refused.error().code == ErrorCode::Refused);
        QCOMPARE(store.runs().value().size(), std::size_t{1});
    }

    // Its run has the same name and number.
    void anotherStoreIsReadItself() {
        EvenSteps five(5);
        EvenSteps six(6);
        const auto first = five.store();
        const auto second = six.store();
        QCOMPARE(replayed(first, {}).iterations.size() + 1, replayed(second, {}).iterations.size());
    }

    void importedTelemetryIsSeen() {
        EvenSteps steps(5);
        auto store = steps.store();
        const StepReplay before = replayed(store, {});
        test::PlantedTrace telemetry;
        telemetry.power(0, test::kEpoch, 400.0);
        telemetry.power(0, test::kEpoch + 500 * test::kUs, 400.0);
        QVERIFY(telemetry.addTo(store).hasValue());
        QVERIFY(replayed(store, {}).graph != before.graph);
    }

    void whatIsSaidOfTheRunIsSeen() {
        EvenSteps steps(5);
        auto store = steps.store();
        const StepReplay before = replayed(store, {});
        const Run run = test::studyOf(store).run;
        QVERIFY(store::setEnteredLayout(store, run.id, R"({"tp": 1})").hasValue());
        QVERIFY(replayed(store, {}).graph != before.graph);
    }

    // Without the spans that it was read from.
    void aStoredReplayAnswersAlone() {
        LateRank late;
        auto store = late.store();
        const StepReplay before = replayed(store, {});
        QVERIFY(!before.waits.empty());
        keep(store);
        compareAnswers(before, replayed(copied(store, "DELETE FROM span_chunk"), {}));
        // It is no answer to another question.
        const StepReplay third
            = replayed(copied(store, "DELETE FROM summary"), {{}, 3, false, {}, false});
        QCOMPARE(third.iterations.size(), std::size_t{1});
    }

    void aDamagedReplayIsReadAnew_data() {
        QTest::addColumn<QString>("sums");
        QTest::newRow("nothing") << "x''";
        QTest::newRow("cut") << "substr(sums, 1, length(sums) - 1)";
        QTest::newRow("another byte")
            << "CAST(substr(sums, 1, 99) || x'77' || substr(sums, 101) AS BLOB)";
    }
    void aDamagedReplayIsReadAnew() {
        QFETCH(const QString, sums);
        LateRank late;
        auto store = late.store();
        const StepReplay before = replayed(store, {});
        keep(store);
        const std::string sql = "UPDATE trace_sum SET sums=" + sums.toStdString();
        compareAnswers(before, replayed(copied(store, sql.c_str()), {}));
    }

    void aReplayIsKeptOnce() {
        EvenSteps steps(5);
        auto store = steps.store();
        const auto toKeep = [&](std::size_t least) {
            return replayToKeep(test::studyOf(store), {}, least).value().has_value();
        };
        QVERIFY(!toKeep(0)); // nobody asked for it
        replayed(store, {{}, {}, false, {}, true});
        QVERIFY(!toKeep(0)); // it lacks the waits
        replayed(store, {});
        QVERIFY(!toKeep(kLeastKept)); // it is read soon
        QVERIFY(toKeep(0));
        QVERIFY(!toKeep(0));
    }

    void anImportTakesTheKeptReplayAway() {
        EvenSteps steps(5);
        auto store = steps.store();
        replayed(store, {});
        keep(store);
        const auto count = [&store] {
            return store::sumOutlines(
                store, test::studyOf(store).run.id, placeOf(SumKind::Replay, -1))
                .value()
                .size();
        };
        QCOMPARE(count(), std::size_t{1});
        test::PlantedTrace telemetry;
        telemetry.power(0, test::kEpoch, 400.0);
        QVERIFY(telemetry.addTo(store).hasValue());
        QCOMPARE(count(), std::size_t{0});
    }

    void bytesAreWholeOrNone() {
        EvenSteps steps(3);
        const auto store = steps.store();
        const StepReplay replay = replayed(store, {});
        const StepTimes times = simulate(*replay.graph, measuredCosts(*replay.graph));
        ChangeFacts facts;
        facts.clockHz = 1.5e9;
        facts.energy = EstimatedEnergy{5.0, 4.0, 7.0};
        facts.categories["gemm"] = {2.0, 1.0, 3.0};
        const std::vector<StepWait> waits{{"AllReduce along dp", 3, 0.25, kUnexplained, 0.75,
            "it may be chance", {{"lower_clock", 0.125}}, {3, 1}, {0, 2}, {{5}, {9}}}};
        const store::Bytes bytes = encodeReplay("basis", *replay.graph, times, facts, waits);
        const auto parts = decodeReplay("basis", bytes);
        QVERIFY(parts);
        compareGraphs(*replay.graph, parts->graph);
        QCOMPARE(parts->facts.clockHz, facts.clockHz);
        QCOMPARE(parts->facts.limitW, facts.limitW);
        QCOMPARE(parts->facts.energy->high, 7.0);
        QCOMPARE(parts->facts.categories.at("gemm").low, 1.0);
        const StepWait& wait = parts->waits.at(0);
        QCOMPARE(wait.collective, waits[0].collective);
        QCOMPARE(wait.explained, 0.75);
        QCOMPARE(wait.parts.at(0).seconds, 0.125);
        QCOMPARE(wait.chain, waits[0].chain);
        QCOMPARE(wait.worst, waits[0].worst);
        QVERIFY(!decodeReplay("another basis", bytes));
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            store::Bytes damaged = bytes;
            damaged[i] ^= 1U;
            QVERIFY(!decodeReplay("basis", damaged));
            QVERIFY(!decodeReplay("basis", store::ByteView(bytes).first(i)));
        }
    }
};

TRAINSCOPE_TEST(tst_Replay)
#include "tst_Replay.moc"
