// Choice, order and names of runs in figures.

#include <QTest>

#include "core/figures/runs/FigureRuns.h"
#include "core/figures/support/SweepDatabase.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::figures;
using namespace trainscope::plot;
using namespace trainscope::test;

class tst_FigureRuns : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void layouts() {
        LaunchConfig launch;
        QCOMPARE(layoutLabel(launch), std::string());
        launch.tensorParallel = 8;
        launch.pipelineParallel = 4;
        QCOMPARE(layoutLabel(launch), std::string("TP8-PP4"));
        launch.expertParallel = 8;
        launch.contextParallel = 1;
        QCOMPARE(layoutLabel(launch), std::string("EP8-TP8-PP4"));
        launch.expertParallel = 1;
        launch.contextParallel = 2;
        launch.virtualPipeline = 3;
        QCOMPARE(layoutLabel(launch), std::string("TP8-CP2-PP4-VPP3"));
        LaunchConfig sharded;
        sharded.tensorParallel = 8;
        sharded.pipelineParallel = 1;
        sharded.fsdp = true;
        QCOMPARE(layoutLabel(sharded), std::string("TP8-FSDP"));
    }

    void optimisations() {
        LaunchConfig launch;
        QCOMPARE(optimisationLabel(launch), std::string());
        launch.overlap = true;
        QCOMPARE(optimisationLabel(launch), std::string());
        launch.recompute = false;
        QCOMPARE(optimisationLabel(launch), std::string("cc"));
        launch.recompute = true;
        QCOMPARE(optimisationLabel(launch), std::string("cc+act"));
        launch.overlap = false;
        QCOMPARE(optimisationLabel(launch), std::string("act"));
    }

    void namesWithoutLaunchConfiguration() {
        Run run;
        run.name = "sweep/gpt3-175b/gpt3-175b_3_01000";
        QCOMPARE(nameOf(run).layout, std::string("layout 3"));
        run.name = "sweep/llama_12_mbs4";
        QCOMPARE(nameOf(run).layout, std::string("layout 12"));
        run.name = "night shift";
        QCOMPARE(nameOf(run).layout, std::string("night shift"));
    }

    void clustersOfWhichLittleIsKnown() {
        Run run;
        run.name = "trace without kernels";
        QCOMPARE(nameOf(run).cluster, std::string("unknown GPUs"));
        run.gpuModel = "NVIDIA A100-SXM4-80GB";
        QCOMPARE(nameOf(run).cluster, std::string("A100-SXM4-80GB"));
        run.gpuCount = 2;
        QCOMPARE(nameOf(run).cluster, std::string("2 × A100-SXM4-80GB"));
    }

    void orderAndLabels() {
        SweepDatabase database;
        const std::vector<SweepSeries> some{{"gpu_power", 0, {1.0, 1.0}}};
        for (const auto& [tensor, pipeline] : {std::pair{16, 2}, std::pair{2, 16}}) {
            for (const bool recompute : {true, false})
                database.add(
                    {"g_" + std::to_string(tensor) + (recompute ? "_r" : "_b"), RunStatus::Ok,
                        launchOf("gpt", tensor, pipeline, false, recompute), 1, 8, some, {}});
        }
        FigureQuery query;
        query.kind = FigureKind::ParallelismSweep;
        auto subjects = figureSubjects(database.store(), query).value();
        std::vector<std::string> labels;
        for (const auto& subject : subjects)
            labels.push_back(subject.named.label);
        QCOMPARE(labels,
            (std::vector<std::string>{
                "TP2-PP16 · base", "TP2-PP16 · act", "TP16-PP2 · base", "TP16-PP2 · act"}));
        QCOMPARE(commonTitle(subjects), std::string("gpt · 1 GPU · mbs 1"));

        query.optimisation = "act";
        query.model = "gp";
        subjects = figureSubjects(database.store(), query).value();
        QCOMPARE(subjects.size(), std::size_t{2});
        QCOMPARE(subjects.front().named.label, std::string("TP2-PP16"));
        // A heat map keeps the order of the query.
        query = {};
        query.runs = {database.idOf("g_16_r"), database.idOf("g_2_b")};
        subjects = figureSubjects(database.store(), query).value();
        QCOMPARE(subjects.front().named.name, std::string("g_16_r"));
        query.runs = {RunId{999}};
        QVERIFY(!figureSubjects(database.store(), query).hasValue());
    }

    void layoutsThatOnlyNamesTell() {
        SweepDatabase database;
        std::vector<SweepSeries> eight;
        for (int rank = 0; rank < 8; ++rank)
            eight.push_back({"gpu_power", rank, {1.0, 1.0}});
        for (const char* name : {"tp4_pp2", "tp2_pp4", "tp3_pp5"})
            database.add({name, RunStatus::Ok, {}, 8, 8, eight, {}});
        const auto subjects = figureSubjects(database.store(), {}).value();
        std::vector<std::string> layouts;
        for (const auto& subject : subjects)
            layouts.push_back(subject.named.layout);
        // The last does not fit eight ranks.
        QCOMPARE(layouts, (std::vector<std::string>{"TP2-PP4", "TP4-PP2", "tp3_pp5"}));
    }

    void runsThatNothingTellsApartAreNamed() {
        SweepDatabase database;
        for (const char* name : {"monday", "tuesday"})
            database.add({name, RunStatus::Ok, launchOf("gpt", 2, 2, false, false), 1, 8,
                {{"gpu_power", 0, {1.0, 1.0}}}, {}});
        const auto subjects = figureSubjects(database.store(), {}).value();
        QCOMPARE(subjects[0].named.label, std::string("monday"));
        QCOMPARE(subjects[1].named.label, std::string("tuesday"));
    }
};

TRAINSCOPE_TEST(tst_FigureRuns)
#include "tst_FigureRuns.moc"
