// Kernel time by category: per run, stage and rank, from hand-placed kernels.

#include "core/analysis/operators/support/HandTree.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "core/figures/operators/OperatorsFigure.h"
#include "core/figures/runs/RunFigures.h"
#include "core/figures/support/SweepDatabase.h"
#include "core/figures/timeline/TimelineLoad.h"
#include "core/plot/figures/Figure.h"
#include "core/report/SelectionTables.h"
#include "support/TestProgram.h"

using namespace trainscope::figures;
using namespace trainscope::plot;
using namespace trainscope::test;
using analysis::FrameKind;
using trainscope::test::HandTree;

namespace {

const char* const kGemm = "sm90_xmma_gemm_bf16";
const char* const kReduce = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL";

// Four ranks in two stages. Rank r computes (r + 1) s and reduces `reduce` s.
SweepRun traced(const std::string& name, LaunchConfig launch, double reduce) {
    SweepRun run;
    run.name = name;
    run.launch = std::move(launch);
    run.gpus = 4;
    for (int rank = 0; rank < 4; ++rank) {
        run.kernels.push_back({rank, 0.0, rank + 1.0, kGemm});
        run.kernels.push_back({rank, 10.0, reduce, kReduce});
    }
    return run;
}

const FigureSet& setOf(const FigurePanel& panel, const std::string& key) {
    for (const auto& set : panel.sets) {
        if (set.key == key)
            return set;
    }
    qFatal("no set %s", key.c_str());
}

FigureQuery kernels(KernelsPer per = KernelsPer::Run) {
    FigureQuery query;
    query.kind = FigureKind::Kernels;
    query.per = per;
    return query;
}

// Steps of 1 ms from 1 ms on, each with a product of 200 µs; one of 5 ms before them (say, a
// warm-up that nobody marked) and one of 3 ms behind them.
void plant(PlantedTrace& trace, int steps) {
    std::int64_t correlation = 0;
    const auto product = [&](std::int64_t at, std::int64_t length) {
        ++correlation;
        trace.host(0, "1", SpanKind::CpuOp, "aten::mm", at, 20 * kUs);
        trace.host(
            0, "1", SpanKind::Runtime, "cudaLaunchKernel", at + 5 * kUs, 5 * kUs, correlation);
        trace.kernel(0, "7", "a_gemm", at + 30 * kUs, length, correlation);
    };
    product(0, 5 * kMs);
    for (int i = 0; i < steps; ++i) {
        const std::int64_t begin = (10 + i) * kMs;
        trace.host(0, "1", SpanKind::Annotation, "ProfilerStep#" + std::to_string(i), begin, kMs);
        trace.iteration(0, i, begin, begin + kMs);
        product(begin + 100 * kUs, 200 * kUs);
    }
    product((11 + steps) * kMs, 3 * kMs);
}

plot::MeasuredOperator operatorOf(const char* name, std::int64_t ns, double flop) {
    plot::MeasuredOperator one;
    one.name = name;
    one.time = one.busy = {ns};
    one.efficiency.intensity = flop / 1000.0;
    one.efficiency.flopPerSecond = flop / one.time.seconds();
    return one;
}

} // namespace

class tst_KernelFigures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        m_database.add(traced("a_1_00000", launchOf("a", 2, 2, false, false), 0.5));
        m_database.add(traced("a_2_00000", launchOf("a", 1, 4, false, false), 1.5));
        SweepRun oom;
        oom.name = "a_3_00000";
        oom.launch = launchOf("a", 4, 1, false, false);
        oom.status = RunStatus::Oom;
        oom.gpus = 4;
        oom.series = {{"gpu_power", 0, {1.0, 1.0}}};
        m_database.add(oom);
    }

    void meanOfTheRanks() {
        const auto data = loadFigure(m_database.store(), kernels()).value();
        QCOMPARE(data.panels.size(), std::size_t{1});
        const FigurePanel& panel = data.panels.front();
        // TP1-PP4 before TP2-PP2; the run out of memory has its place.
        QCOMPARE(panel.categories[0].label, std::string("TP1-PP4"));
        QCOMPARE(panel.categories[1].label, std::string("TP2-PP2"));
        QCOMPARE(panel.categories[2].label, std::string("TP4-PP1"));
        QVERIFY(panel.categories[2].outOfMemory);
        QCOMPARE(*setOf(panel, "gemm").values[0], 2.5); // (1 + 2 + 3 + 4) / 4
        QCOMPARE(*setOf(panel, "all_reduce").values[0], 1.5);
        QCOMPARE(*setOf(panel, "all_reduce").values[1], 0.5);
        QVERIFY(!setOf(panel, "gemm").values[2]);
        QCOMPARE(panel.left.siUnit, std::string("s"));
        QVERIFY(panel.left.range.high >= 4.0);
    }

    void perStageAndRank() {
        auto query = kernels(KernelsPer::Stage);
        query.runs = {m_database.idOf("a_1_00000")};
        auto data = loadFigure(m_database.store(), query).value();
        // TP2-PP2: ranks 0 and 1 are stage 0.
        QCOMPARE(data.panels[0].categories.size(), std::size_t{2});
        QCOMPARE(*setOf(data.panels[0], "gemm").values[0], 1.5);
        QCOMPARE(*setOf(data.panels[0], "gemm").values[1], 3.5);
        QCOMPARE(data.panels[0].categories[1].stage, std::optional<int>(1));
        query.per = KernelsPer::Rank;
        data = loadFigure(m_database.store(), query).value();
        QCOMPARE(data.panels[0].categories.size(), std::size_t{4});
        QCOMPARE(*setOf(data.panels[0], "gemm").values[3], 4.0);
        QCOMPARE(data.panels[0].categories[3].rank, std::optional<int>(3));
    }

    // A run alone has a bar for each capture, else for each rank; runs together have one each.
    void automatic() {
        SweepDatabase database;
        SweepRun run;
        run.name = "two";
        run.gpus = 1;
        run.kernels = {{0, 0.0, 3.0, kGemm}, {0, 10.0, 1.0, kGemm}, {0, 12.0, 0.5, kReduce}};
        run.captures = {
            {"eager", 0, {{0}, {4 * kSecond}}}, {"compiled", 0, {{9 * kSecond}, {13 * kSecond}}}};
        database.add(run);
        auto data = loadFigure(database.store(), kernels(KernelsPer::Auto)).value();
        const FigurePanel& panel = data.panels.front();
        QCOMPARE(panel.categories.size(), std::size_t{2});
        QCOMPARE(panel.categories[0].label, std::string("eager"));
        QCOMPARE(panel.categories[1].label, std::string("compiled"));
        QCOMPARE(*setOf(panel, "gemm").values[0], 3.0);
        QCOMPARE(*setOf(panel, "gemm").values[1], 1.0);
        QVERIFY(!setOf(panel, "all_reduce").values[0]);
        QCOMPARE(*setOf(panel, "all_reduce").values[1], 0.5);
        auto query = kernels(KernelsPer::Auto);
        query.runs = {m_database.idOf("a_1_00000")};
        data = loadFigure(m_database.store(), query).value();
        QCOMPARE(data.panels[0].categories.size(), std::size_t{4});
        QCOMPARE(data.panels[0].categories[3].rank, std::optional<int>(3));
        data = loadFigure(m_database.store(), kernels(KernelsPer::Auto)).value();
        QCOMPARE(data.panels[0].categories.size(), std::size_t{3});
    }

    void shares() {
        auto query = kernels();
        query.normalise = true;
        const auto data = loadFigure(m_database.store(), query).value();
        QCOMPARE(*setOf(data.panels[0], "gemm").values[1], 2.5 / 3.0);
        QCOMPARE(*setOf(data.panels[0], "all_reduce").values[1], 0.5 / 3.0);
        QCOMPARE(data.panels[0].left.unit.unit, std::string("%"));
    }

    // Two runs of four and two stages on one scale.
    void stagesBesideEachOther() {
        FigureQuery query;
        query.kind = FigureKind::StageBreakdown;
        const auto data = loadFigure(m_database.store(), query).value();
        QCOMPARE(data.panels.size(), std::size_t{1});
        const FigurePanel& panel = data.panels.front();
        QCOMPARE(panel.categories.front().group, std::string("TP1-PP4"));
        QCOMPARE(std::count_if(panel.categories.begin(), panel.categories.end(),
                     [](const auto& one) { return one.group == "TP1-PP4"; }),
            std::ptrdiff_t{4});
        for (const auto& category : panel.categories)
            QVERIFY(category.stage.has_value());
        QVERIFY(panel.left.range.high >= 5.5);
    }

    void otherCategories() {
        auto query = kernels();
        query.categories = "charllm";
        const auto data = loadFigure(m_database.store(), query).value();
        QCOMPARE(*setOf(data.panels[0], "compute").values[0], 2.5);
        query.categories = "/nowhere/table.json";
        QVERIFY(!loadFigure(m_database.store(), query).hasValue());
    }

    void theTable() {
        auto query = kernels(KernelsPer::Stage);
        query.runs = {m_database.idOf("a_1_00000")};
        const auto lines
            = QString::fromStdString(figureCsv(loadFigure(m_database.store(), query).value()))
                  .split(QLatin1Char('\n'));
        QVERIFY(
            lines[0].endsWith(QStringLiteral("micro_batch,stage,rank,gemm [s],all_reduce [s]")));
        QCOMPARE(lines[1], QStringLiteral("a_1_00000,ok,a,4 GPUs,TP2-PP2,base,1,0,,1.5,0.5"));
        QCOMPARE(lines[2], QStringLiteral("a_1_00000,ok,a,4 GPUs,TP2-PP2,base,1,1,,3.5,0.5"));
    }

    // Operators per step: work before the first iteration of a rank and behind its last one is of
    // none.
    void onlyWorkOfStepsIsDivided() {
        PlantedTrace trace;
        plant(trace, 4);
        const auto store = trace.store();
        OperatorsQuery query;
        query.run = store.findRun("run").value().id;
        const auto all = loadOperators(store, query).value();
        QCOMPARE(all.work->tree.nodes.front().sums.time.ns, 8 * kMs + 4 * 200 * kUs);
        query.ofSteps = true;
        const auto ofSteps = loadOperators(store, query).value();
        QCOMPARE(ofSteps.work->tree.nodes.front().sums.time.ns, 4 * 200 * kUs);
        const auto data = differenceOf(ofSteps, ofSteps, ComparedBy::Name);
        QCOMPARE(data.difference.stepsA, std::int64_t{4});
        const auto found = std::find_if(data.operators.begin(), data.operators.end(),
            [](const auto& one) { return one.name == "aten::mm" && one.times.a; });
        QVERIFY(found != data.operators.end());
        QCOMPARE(found->times.a->seconds, 200e-6);
    }

    // A window inside the run holds the iterations that lie in it; without marks it stays.
    void inAWindow() {
        PlantedTrace trace;
        plant(trace, 4);
        const auto store = trace.store();
        OperatorsQuery query;
        query.run = store.findRun("run").value().id;
        query.window = {{11 * kMs}, {20 * kMs}};
        query.ofSteps = true;
        QCOMPARE(loadOperators(store, query).value().work->tree.nodes.front().sums.time.ns,
            3 * 200 * kUs);
        query.window = {{14 * kMs}, {20 * kMs}};
        QCOMPARE(
            loadOperators(store, query).value().work->tree.nodes.front().sums.time.ns, 3 * kMs);
    }

    void ofAnIteration() {
        PlantedTrace trace;
        plant(trace, 4);
        const auto store = trace.store();
        OperatorsQuery query;
        query.run = store.findRun("run").value().id;
        const auto all = loadOperators(store, query).value();
        QCOMPARE(all.steps, std::int64_t{4});
        QCOMPARE(all.iterations, (std::vector<std::int64_t>{0, 1, 2, 3}));
        query.iteration = 2;
        const auto one = loadOperators(store, query).value();
        QCOMPARE(one.work->tree.nodes.front().sums.time.ns, 200 * kUs);
        QCOMPARE(one.steps, std::int64_t{1});
        QCOMPARE(one.windowText, std::string("iteration 2"));
        query.iteration = 7;
        QCOMPARE(loadOperators(store, query).value().steps, std::int64_t{0});
    }

    // 1 GFLOP of a product in 1 ms, by the one kernel that it and its caller launch; of another
    // operator's two kernels none has its work.
    void aKernelHasTheWorkOfWhatLaunchesItAlone() {
        const std::string product
            = R"({"Input Dims":[[1000,1000],[1000,500]],"Input type":["c10::Half","c10::Half"]})";
        HandTree made;
        const auto linear = made.frame(0, FrameKind::Operator, "aten::linear");
        made.work(made.frame(linear, FrameKind::Operator, "aten::mm", {}, product),
            "void lib::gemm<4>(float)", 1'000'000);
        const auto split = made.frame(0, FrameKind::Operator, "aten::mm", {}, product);
        made.work(split, "void lib::gemm<4>(float)", 1'000'000);
        made.work(split, "reduce", 500'000);
        made.work(0, "Memcpy DtoH", 100'000, FrameKind::Copy);
        auto work = std::make_shared<plot::CalledWork>();
        work->tree = made.tree();
        work->categories = std::vector<std::string>(made.tree().nodes.size(), "gemm");
        OperatorsReading reading;
        reading.work = work;
        const auto kernels = measuredKernels(reading, false);
        QCOMPARE(kernels.size(), std::size_t{3});
        QCOMPARE(kernels[0].name, std::string("gemm"));
        QCOMPARE(kernels[0].kernel, std::string("void lib::gemm<4>(float)"));
        QCOMPARE(kernels[0].works, std::int64_t{2});
        QCOMPARE(kernels[0].time.ns, 2'000'000);
        QCOMPARE(*kernels[0].efficiency.flop, 1e9);
        QCOMPARE(kernels[0].efficiency.knownShare, 0.5);
        QVERIFY(!kernels[1].efficiency.flop);
        QCOMPARE(kernels[2].category, std::string("copy"));
        const auto categories = measuredKernels(reading, true);
        QCOMPARE(categories.size(), std::size_t{2});
        QCOMPARE(categories[0].name, std::string("GEMM"));
        QCOMPARE(categories[0].time.ns, 2'500'000);
    }

    // Notes under a roofline on work that it cannot draw.

    // 100 µs of kernels: 60 in products, 30 in copies, which have no FLOP, and 10 that no operator
    // launched. 40 of 100 have no point.
    void allThatIsNotDrawnIsTold() {
        HandTree made;
        made.work(made.frame(0, FrameKind::Operator, "aten::mm"), "gemm", 60'000);
        made.work(made.frame(0, FrameKind::Operator, "aten::copy_"), "copy", 30'000);
        made.work(0, "memset", 10'000);
        auto work = std::make_shared<plot::CalledWork>();
        work->tree = made.tree();
        OperatorsReading reading;
        reading.work = work;
        const auto data = rooflineOf(
            reading, {operatorOf("aten::mm", 60'000, 1e6), operatorOf("aten::copy_", 30'000, 0.0)});
        QVERIFY(std::any_of(data.head.notes.begin(), data.head.notes.end(),
            [](const std::string& note) { return note.starts_with("40 % of the kernel time"); }));
    }

    // A log tells iterations of the first of two captures alone: the path is that of both.
    void thePathOfEachCapture() {
        PlantedTrace trace;
        plant(trace, 3);
        const std::int64_t later = 100 * kMs;
        trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", later, 5 * kUs, 99);
        trace.kernel(0, "7", "last", later + 10 * kUs, 500 * kUs, 99);
        trace.iterations.clear();
        for (std::int64_t k = 0; k < 3; ++k)
            trace.iteration(-1, k, (10 + k) * kMs, (11 + k) * kMs);
        trace.captures = {{"a", 0, {{0}, {later / 2}}}, {"b", 0, {{later}, {later + kMs}}}};
        const auto store = trace.store();
        const auto marks = figures::loadPath({store, store.runs().value().front()}).value();
        const auto apart = std::ranges::find_if(
            marks, [](const plot::PathMark& mark) { return !mark.track.isValid(); });
        QVERIFY(apart != marks.begin() && apart != marks.end());
        for (auto mark = marks.begin(); mark != marks.end(); ++mark) {
            if (mark != apart)
                QCOMPARE(mark->range.begin < TimeNs{later / 2}, mark < apart);
        }
        QCOMPARE(marks.back().range.length().ns, 500 * kUs);
    }

    // No two parts of a run begin alike where rows are cut at their end.
    void partsOfSeveralRuns() {
        analysis::DeviceBreakdown device;
        device.traced = {100};
        device.communication = {40};
        device.exposedCommunication = {30};
        analysis::TraceSelection llama;
        llama.run = "llama";
        llama.devices = {device};
        analysis::TraceSelection gpt = llama;
        gpt.run = "gpt";
        const auto partsOf = [](const std::vector<analysis::TraceSelection>& runs) {
            std::vector<std::string> parts;
            for (const auto& row : report::deviceTimesTable(runs).inWords())
                parts.push_back(row.front());
            return parts;
        };
        using Parts = std::vector<std::string>;
        QCOMPARE(partsOf({llama}), (Parts{"communication", "exposed communication"}));
        QCOMPARE(partsOf({llama, gpt}),
            (Parts{
                "llama: communication", "llama: exposed", "gpt: communication", "gpt: exposed"}));
    }

private:
    SweepDatabase m_database;
};

TRAINSCOPE_TEST(tst_KernelFigures)
#include "tst_KernelFigures.moc"
