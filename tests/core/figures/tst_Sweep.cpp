// Sweeps: which runs stand at which place, and their numbers.

#include "core/figures/layout/LayoutFigure.h"
#include "core/figures/runs/RunFigures.h"
#include "core/figures/support/SweepDatabase.h"
#include "core/layout/Layout.h"
#include "core/report/WarningLines.h"
#include "support/TestProgram.h"

using namespace trainscope::figures;
using namespace trainscope::plot;
using namespace trainscope::test;
using report::groupedWarnings;

namespace {

// 1 GPU, 11 samples over 10 s: power 100·k W with a peak of 150·k for one second, 105·k in the
// mean; 50 + k °C.
SweepRun plantedRun(const std::string& name, LaunchConfig launch, double k) {
    SweepRun run;
    run.name = name;
    run.launch = std::move(launch);
    run.launch.globalBatch = 128;
    run.gpus = 1;
    std::vector<double> power(11, 100.0 * k);
    power[5] = 150.0 * k;
    run.series
        = {{"gpu_power", 0, power}, {"gpu_temperature", 0, std::vector<double>(11, 50.0 + k)},
            {"sm_clock", 0, std::vector<double>(11, 1.98e9)}};
    return run;
}

SweepRun outOfMemory(const std::string& name, LaunchConfig launch) {
    SweepRun run = plantedRun(name, std::move(launch), 1.0);
    run.status = RunStatus::Oom;
    for (auto& series : run.series)
        series.values.resize(3);
    return run;
}

void fillSweep(SweepDatabase& database) {
    int k = 1;
    for (const auto& [tensor, pipeline] : {std::pair{2, 16}, std::pair{8, 4}, std::pair{16, 2}}) {
        for (const bool recompute : {false, true}) {
            const std::string name
                = "gpt_" + std::to_string(tensor) + (recompute ? "_01000" : "_00000");
            const auto launch = launchOf("gpt", tensor, pipeline, false, recompute);
            if (tensor == 16 && !recompute)
                database.add(outOfMemory(name, launch));
            else
                database.add(plantedRun(name, launch, k));
            ++k;
        }
    }
    for (const int microBatch : {4, 2, 1})
        database.add(plantedRun("gpt_8_mbs" + std::to_string(microBatch),
            launchOf("gpt", 8, 4, false, true, microBatch), 10.0 * microBatch));
}

FigureQuery queryOf(FigureKind kind) {
    FigureQuery query;
    query.kind = kind;
    query.wholeRun = true;
    return query;
}

std::vector<std::string> labelsOf(const FigurePanel& panel) {
    std::vector<std::string> labels;
    for (const auto& category : panel.categories)
        labels.push_back(category.label);
    return labels;
}

const FigureSet* setOf(const FigurePanel& panel, SetRole role) {
    for (const auto& set : panel.sets) {
        if (set.role == role)
            return &set;
    }
    return nullptr;
}

layout::ClusterNode nodeOf(int number, const std::vector<int>& ranks) {
    layout::ClusterNode node;
    node.node = number;
    for (const int rank : ranks) {
        layout::ClusterGpu gpu;
        gpu.rank = rank;
        node.gpus.push_back(gpu);
    }
    return node;
}

} // namespace

class tst_Sweep : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { fillSweep(m_database); }

    void layoutsWithRecomputation() {
        const auto data
            = loadFigure(m_database.store(), queryOf(FigureKind::ParallelismSweep)).value();
        QCOMPARE(data.panels.size(), std::size_t{3});
        const FigurePanel& temperature = data.panels[0];
        QCOMPARE(
            labelsOf(temperature), (std::vector<std::string>{"TP2-PP16", "TP8-PP4", "TP16-PP2"}));
        QCOMPARE(data.runs[0].name, std::string("gpt_2_01000"));
        QVERIFY(!temperature.categories[2].outOfMemory);
        QCOMPARE(*setOf(temperature, SetRole::Mean)->values[0], 52.0);
        QCOMPARE(temperature.left.range.low, 0.0);
        const FigurePanel& power = data.panels[1];
        QCOMPARE(*setOf(power, SetRole::Mean)->values[0], 210.0);
        QCOMPARE(*setOf(power, SetRole::Peak)->values[0], 300.0);
        // No iterations: CharLLM-PPT's efficiency, 128 / 10 s / 0.0021 MJ.
        const FigureSet* efficiency = setOf(power, SetRole::Efficiency);
        QVERIFY(efficiency != nullptr);
        QVERIFY(std::abs(*efficiency->values[0] - 12.8 / 0.0021) < 1e-3);
        VERIFY_SAYS(data.caption, "CharLLM");
    }

    void optimisationsOfEachLayout() {
        const auto data
            = loadFigure(m_database.store(), queryOf(FigureKind::OptimizationSweep)).value();
        const FigurePanel& panel = data.panels[1];
        QCOMPARE(labelsOf(panel),
            (std::vector<std::string>{"base", "act", "base", "act", "base", "act"}));
        QCOMPARE(panel.categories[4].group, std::string("TP16-PP2"));
        QVERIFY(panel.categories[4].outOfMemory);
        QVERIFY(!panel.categories[5].outOfMemory);
        QVERIFY(!setOf(panel, SetRole::Mean)->values[4]);
        QVERIFY(!setOf(panel, SetRole::Efficiency)->values[4]);
        QCOMPARE(*setOf(panel, SetRole::Mean)->values[2], 315.0);
    }

    void microBatchesOfALayout() {
        auto query = queryOf(FigureKind::MicrobatchSweep);
        query.normalise = true;
        const auto data = loadFigure(m_database.store(), query).value();
        const FigurePanel& panel = data.panels[1];
        // TP8-PP4 with recomputation has 1 (twice: the first by name), 2 and 4.
        QCOMPARE(labelsOf(panel), (std::vector<std::string>{"1", "2", "4"}));
        QCOMPARE(panel.categories[0].group, std::string("TP8-PP4"));
        QCOMPARE(*setOf(panel, SetRole::Mean)->values[1], 2100.0);
        // Energies are as 4 : 20 : 40.
        const FigureSet* efficiency = setOf(panel, SetRole::Efficiency);
        QCOMPARE(*efficiency->values[0], 1.0);
        QVERIFY(std::abs(*efficiency->values[1] - 0.2) < 1e-12);
        QVERIFY(std::abs(*efficiency->values[2] - 0.1) < 1e-12);
    }

    void oneStatistic() {
        auto query = queryOf(FigureKind::ParallelismSweep);
        query.metrics = {"gpu_power"};
        query.statistic = FigureStatistic::Energy;
        const auto data = loadFigure(m_database.store(), query).value();
        QCOMPARE(data.panels.size(), std::size_t{1});
        const FigureSet* set = setOf(data.panels[0], SetRole::Single);
        QCOMPARE(*set->values[0], 2100.0);
        QCOMPARE(data.panels[0].left.siUnit, std::string("J"));
    }

    void chosenRunsAreAllShown() {
        auto query = queryOf(FigureKind::ParallelismSweep);
        query.runs = {m_database.idOf("gpt_2_00000"), m_database.idOf("gpt_2_01000")};
        const auto data = loadFigure(m_database.store(), query).value();
        QCOMPARE(labelsOf(data.panels[0]),
            (std::vector<std::string>{"TP2-PP16\nbase", "TP2-PP16\nact"}));
    }

    void nothingToCompare() {
        SweepDatabase empty;
        for (const auto kind : {FigureKind::ParallelismSweep, FigureKind::OptimizationSweep,
                 FigureKind::MicrobatchSweep, FigureKind::Kernels, FigureKind::StageBreakdown,
                 FigureKind::Spectrum, FigureKind::Heatmap}) {
            const auto data = loadFigure(empty.store(), queryOf(kind)).value();
            QVERIFY(data.isEmpty());
            QVERIFY(!data.emptyText.empty());
        }
    }

    void theTable() {
        auto query = queryOf(FigureKind::OptimizationSweep);
        query.metrics = {"gpu_power"};
        const auto lines
            = QString::fromStdString(figureCsv(loadFigure(m_database.store(), query).value()))
                  .split(QLatin1Char('\n'));
        QCOMPARE(lines[0],
            QStringLiteral(
                "run,status,model,cluster,layout,optimisation,micro_batch,stage,rank,"
                "gpu_power_mean [W],gpu_power_peak [W],samples_per_s_per_mj [samples/(s·MJ)]"));
        QVERIFY(lines[1].startsWith(
            QStringLiteral("gpt_2_00000,ok,gpt,1 GPU,TP2-PP16,base,1,,,105,150,")));
        QCOMPARE(lines[5], QStringLiteral("gpt_16_00000,oom,gpt,1 GPU,TP16-PP2,base,1,,,,,"));
        QCOMPARE(lines.size(), 8);
    }

    void progressCancels() {
        const auto data
            = loadFigure({m_database.store(), [](const ProgressState&) { return false; }},
                queryOf(FigureKind::ParallelismSweep));
        QVERIFY(!data.hasValue() && data.error().code == ErrorCode::Cancelled);
    }

    // Words in the boxes of nodes, and the moment of their colours.

    // 600 W a GPU; nobody knows what rank 1 takes.
    void sumsSayOfHowManyGpusTheyAre() {
        layout::Cluster cluster;
        cluster.nodes = {nodeOf(0, {0, 1}), nodeOf(1, {2, 3}), nodeOf(2, {4})};
        const auto nodes = physicalNodes(
            cluster, nullptr, {}, {600.0, std::nullopt, 600.0, 600.0, std::nullopt});
        QCOMPARE(nodes[0].summary, std::string("600 W of 1 GPU"));
        QCOMPARE(nodes[1].summary, std::string("1.2 kW"));
        QCOMPARE(nodes[2].summary, std::string());
    }

    // Two replicas of four stages: ranks 0 and 1 have stage 0, 2 and 3 stage 1, and so on.
    void stagesAreThoseOfTheNode() {
        layout::LayoutRequest request;
        request.worldSize = 8;
        request.tensor = 1;
        request.pipeline = 4;
        const auto layout = layout::makeLayout(request).value();
        layout::Cluster cluster;
        cluster.nodes = {nodeOf(0, {0, 1, 4, 5}), nodeOf(1, {2, 3, 6, 7}), nodeOf(2, {0, 2, 4})};
        const auto nodes = physicalNodes(cluster, &layout, {}, {});
        QCOMPARE(nodes[0].summary, std::string("stages 0, 2"));
        QCOMPARE(nodes[1].summary, std::string("stages 1, 3"));
        QCOMPARE(nodes[2].summary, std::string("stages 0–2"));
    }

    void theMomentIsNotRounded() {
        SweepDatabase database;
        SweepRun planted;
        planted.name = "a";
        planted.gpus = 1;
        planted.series.push_back({"gpu_temperature", 0, {40.0, 50.0, 60.0}});
        database.add(planted);
        const Run run = database.store().findRun("a").value();
        ColourQuery query;
        query.by = RankColour::Value;
        query.at = run.range.begin + DurationNs{40'000'000};
        QCOMPARE(colourRanks({database.store(), run}, query).value().caption,
            std::string("GPU temperature at 0.04 s after the run's begin; the scale is that of the "
                        "whole run."));
    }

    // Warnings of many files in lines: kinds, their numbers and their order.

    // Numbers, quoted words and names of files make no kind of their own; nor do one and many.
    void whatDiffersInNumbersIsOneKind() {
        QCOMPARE(
            textsOf(groupedWarnings({
                {"a.csv", 17, "\"12 x\" in column \"power\" is no number; taken as missing."},
                {"a.csv", 90, "\"[N\" in column \"clocks sm\" is no number; taken as missing."},
                {"b.csv", 2, "\"-\" in column \"power\" is no number; taken as missing."},
            })),
            (test::texts("a.csv:17: \"12 x\" in column \"power\" is no number; taken as missing. "
                         "(and 2 more, in 2 files)")));
        QCOMPARE(groupedWarnings(
                     {{"a", 0, "3 rows were cut off"}, {"b", 0, "1 row was cut off"},
                         {"c", 0, "12 W is too much of rank 3"},
                         {"d", 0, "1.2 kW is too much of ranks 3-7, 9"},
                         {"e", 0, "read up to node0/smi.csv"}, {"f", 0, "read up to dmon.log"}})
                     .size(),
            std::size_t{3});
    }

    void otherWordsAreOtherKinds() {
        QCOMPARE(groupedWarnings(
                     {{"a", 0, "The file breaks off here."}, {"a", 0, "The file begins here."}})
                     .size(),
            std::size_t{2});
    }

    // The same of one file needs no number of files; files that a warning stands for all count.
    void filesAreCounted() {
        QCOMPARE(textsOf(groupedWarnings({{"a", 1, "Skipped."}, {"a", 2, "Skipped."}})),
            (test::texts("a:1: Skipped. (and 1 more)")));
        QCOMPARE(textsOf(groupedWarnings({{"a", 0, "Empty.", 320}, {"b", 0, "Empty."}})),
            (test::texts("a: Empty. (and 320 more, in 321 files)")));
    }

    void whatWasLostComesFirst() {
        const std::vector<ImportWarning> warnings{
            {"a", 0, "good to know", 1, trainscope::Severity::Remark}, {"b", 0, "perhaps wrong"},
            {"c", 0, "left out", 1, trainscope::Severity::Lost},
            {"d", 0, "not read", 1, trainscope::Severity::Failed}};
        const QStringList wanted{QStringLiteral("d: not read"), QStringLiteral("c: left out"),
            QStringLiteral("b: perhaps wrong"), QStringLiteral("a: good to know")};
        QCOMPARE(textsOf(groupedWarnings(warnings)), wanted);
        QCOMPARE(textsOf(groupedWarnings(warnings, 0)), wanted);
    }

    // 500 files with 26 kinds of warnings: 19 kinds are shown, and what is not shown is counted.
    void neverMoreThanTwentyLines() {
        std::vector<ImportWarning> warnings;
        for (int file = 0; file < 500; ++file) {
            for (char kind = 'a'; kind <= 'z'; ++kind)
                warnings.push_back({"file" + std::to_string(file), 0, {kind, kind}});
        }
        const auto lines = groupedWarnings(warnings);
        QCOMPARE(lines.size(), std::size_t{20});
        QCOMPARE(textsOf(lines).first(), QStringLiteral("file0: aa (and 499 more, in 500 files)"));
        QCOMPARE(
            textsOf(lines).last(), QStringLiteral("There are 3500 warnings of 7 kinds besides."));
        QCOMPARE(groupedWarnings(warnings, 0).size(), std::size_t{13'000});
    }

    void whatIsNotKeptIsCounted() {
        ImportReport report;
        for (int line = 1; line <= 53; ++line)
            report.lost("log", line, "Skipped.");
        QCOMPARE(textsOf(groupedWarnings(report::warningsOf(report))),
            (test::texts("log:1: Skipped. (and 49 more)",
                "log: 3 further warnings of this source are not listed.")));
    }

private:
    SweepDatabase m_database;

    static QStringList textsOf(const std::vector<report::WarningLine>& lines) {
        QStringList texts;
        for (const auto& line : lines)
            texts.append(QString::fromStdString(line.text));
        return texts;
    }
};

TRAINSCOPE_TEST(tst_Sweep)
#include "tst_Sweep.moc"
