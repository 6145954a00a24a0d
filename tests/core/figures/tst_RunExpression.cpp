// Expressions that choose runs of a table, and the order of its rows.

#include "core/analysis/comparison/RunQuantities.h"
#include "core/figures/runs/FigureRuns.h"
#include "core/figures/support/SweepDatabase.h"
#include "core/report/RunExpression.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;
using namespace trainscope::figures;
using namespace trainscope::plot;
using namespace trainscope::report;
using namespace trainscope::test;

namespace {

struct Planted {
    const char* name;
    const char* model;
    int tensor;
    RunStatus status;
    std::optional<double> powerW; // mean of a GPU
    std::optional<double> stepS;
    std::optional<double> throttled;
    std::vector<std::string> tags;
};

RunRecord recordOf(const Planted& planted) {
    Run run;
    run.name = planted.name;
    run.gpuModel = "NVIDIA H200";
    run.gpuCount = 32;
    run.status = planted.status;
    if (*planted.model != '\0')
        run.launch.model = planted.model;
    run.launch.tensorParallel = planted.tensor;
    RunRecord record(run, "/sweep", {{}, planted.tags, {}});
    analysis::RunQuantities figures;
    const std::size_t count = analysis::listedQuantities().size();
    figures.values.resize(count);
    figures.absentWhy.resize(count);
    figures.values[*analysis::listedIndex("mean_gpu_power_w")] = planted.powerW;
    figures.values[*analysis::listedIndex("step_time_s")] = planted.stepS;
    figures.values[*analysis::listedIndex("throttled_fraction")] = planted.throttled;
    record.figures = figures;
    return record;
}

std::vector<RunRecord> plantedRuns() {
    const std::vector<Planted> planted{
        {"r1", "llama3-70b", 8, RunStatus::Ok, 650.0, 2.0, 0.05, {"paper"}},
        {"r2", "Llama3-8b", 2, RunStatus::Ok, 580.0, 0.25, 0.0, {"paper", "slow fans"}},
        {"r10", "gpt3-175b", 16, RunStatus::Oom, std::nullopt, std::nullopt, std::nullopt, {}},
        {"r11", "", 8, RunStatus::Partial, 600.0, 3.5, 0.2, {}}};
    std::vector<RunRecord> runs;
    for (const Planted& one : planted)
        runs.push_back(recordOf(one));
    return runs;
}

std::string chosenBy(const std::string& text) {
    const auto expression = parseRunExpression(text);
    if (!expression.hasValue())
        return expression.error().message;
    std::string names;
    for (const RunRecord& run : plantedRuns()) {
        if (expression.value().holds(run))
            names += (names.empty() ? "" : " ") + run.run.name;
    }
    return names;
}

std::string sortedBy(const char* column, bool isDescending) {
    const auto runs = plantedRuns();
    std::string names;
    for (const std::size_t row : sortedRuns(runs, *runColumnIndex(column), isDescending))
        names += (names.empty() ? "" : " ") + runs[row].run.name;
    return names;
}

// 2 GPUs, 11 samples over 10 s: 100 W and 300 W, the second with a sample of 500 W, held 1 s.
SweepRun plantedRun(const std::string& name) {
    SweepRun run;
    run.name = name;
    run.gpus = 2;
    std::vector<double> second(11, 300.0);
    second[5] = 500.0;
    run.series = {{"gpu_power", 0, std::vector<double>(11, 100.0)}, {"gpu_power", 1, second},
        {"gpu_temperature", 0, std::vector<double>(11, 61.0)},
        {"gpu_temperature", 1, std::vector<double>(11, 64.0)}};
    return run;
}

std::vector<std::string> namesOf(const std::vector<UnmeasuredRun>& runs) {
    std::vector<std::string> names;
    for (const UnmeasuredRun& one : runs)
        names.push_back(one.run.name);
    return names;
}

KnownQuantities known(store::Store& store) {
    return knownQuantities(store, store.runs().value()).value();
}

void measureAll(store::Store& store) {
    std::vector<store::KeptFigures> kept;
    for (const UnmeasuredRun& one : known(store).unknown)
        kept.push_back(keptFrom(measureQuantities(store, one).value()));
    QVERIFY(store::keepFigures(store, kept).hasValue());
}

} // namespace

class tst_RunExpression : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void chooses_data() {
        const auto row = keyed<QString, QString>("text", "runs");
        row("", "r1 r2 r10 r11");
        row("  ", "r1 r2 r10 r11");
        row("power > 600 and model ~ llama", "r1");
        row("power >= 600", "r1 r11");
        row("power >= 0.6 kW", "r1 r11");
        row("power>=0.6kW", "r1 r11");
        row("power > 600W", "r1");
        row("step < 500 ms", "r2");
        row("step_time_s = 250 ms", "r2");
        row("step <= 0.05 min", "r1 r2");
        row("throttled > 5 %", "r11");
        row("throttled >= 5%", "r1 r11");
        row("throttled = 0.05", "r1");
        // A run without a value meets no order, but what is not equal.
        row("power < 1000", "r1 r2 r11");
        row("power != 600", "r1 r2 r10");
        row("power = missing", "r10");
        row("model != missing", "r1 r2 r10");
        row("model ~ LLAMA", "r1 r2");
        row("model = llama3-8b", "r2");
        row("model !~ llama", "r10 r11");
        row("model = \"gpt3-175b\" or status = partial", "r10 r11");
        row("name < r10", "r1 r2");
        row("tp = 8", "r1 r11");
        row("layout = tp16", ""); // figures call layouts by tensor and pipeline
        row("cluster ~ h200 and gpus = 32", "r1 r2 r10 r11");
        // One tag has to fit.
        row("tag = paper", "r1 r2");
        row("tags ~ fan", "r2");
        row("tags = \"slow fans\"", "r2");
        row("tag != paper", "r10 r11");
        row("tags = missing", "r10 r11");
        // and binds more than or.
        row("status = oom or tp = 8 and power > 600", "r1 r10");
        row("(status = oom or tp = 8) and not power > 600", "r10 r11");
        row("not (status = ok)", "r10 r11");
        row("!status = ok && tp==16 || name = r2", "r2 r10");
        row("POWER > 600 AND Model ~ llama", "r1");
    }
    void chooses() {
        QFETCH(QString, text);
        QFETCH(QString, runs);
        QCOMPARE(QString::fromStdString(chosenBy(text.toStdString())), runs);
    }

    void saysWhatIsWrong_data() {
        const auto row = keyed<QString, QString>("text", "message");
        row("powr > 600", "At character 1: there is no column “powr”; “power” may be meant.");
        row("tp = 8 and llama",
            "At character 12: there is no column “llama”; to look for runs of that name write name "
            "~ llama.");
        row("power", "At character 6: after “power” one of = != < <= > >= ~ !~ is expected.");
        row("power 600", "At character 7: after “power” one of = != < <= > >= ~ !~ is expected.");
        row("power >", "At character 8: a value is expected.");
        row("power > much",
            "At character 9: “power” is compared with a number in W, and “much” is none.");
        row("power > 600 ms",
            "At character 9: “power” is compared with a number in W, and “600 ms” is none.");
        row("throttled > 5 W",
            "At character 13: “throttled” is compared with a number (0.05 or 5 %), and “5 W” is "
            "none.");
        row("power ~ 600",
            "At character 9: “power” is a number: compare it with =, !=, <, <=, > or >=.");
        row("(tp = 8", "At character 8: a ) is expected for the ( at character 1.");
        row("tp = 8)", "At character 7: this ) closes nothing.");
        row("model = \"gpt", "At character 9: this quote is not closed.");
        row("model ~ gpt status = ok",
            "At character 13: “and” or “or” is expected before the next part.");
        row("tp = 8 and", "At character 11: the name of a column is expected, as in power > 600.");
        row("ö", "At character 1: the name of a column is expected, as in power > 600.");
        // Characters count, not bytes.
        row("model = \"ö\" or x > 1",
            "At character 16: there is no column “x”; to look for runs of that name write name ~ "
            "x.");
    }
    void saysWhatIsWrong() {
        QFETCH(QString, text);
        QFETCH(QString, message);
        const auto expression = parseRunExpression(text.toStdString());
        QVERIFY(!expression.hasValue() && expression.error().code == ErrorCode::Usage);
        QCOMPARE(QString::fromStdString(expression.error().message), message);
    }

    void deepNestingIsRefused() {
        QVERIFY(!parseRunExpression(std::string(100000, '(')).hasValue());
        QVERIFY(
            parseRunExpression(std::string(50, '(') + "tp = 8" + std::string(50, ')')).hasValue());
    }

    void whatIsMeasured() {
        QVERIFY(parseRunExpression("tp = 8 or power > 1").value().asksMeasured);
        QVERIFY(!parseRunExpression("tp = 8 and tag = x").value().asksMeasured);
    }

    void rowsAreSorted() {
        QCOMPARE(sortedBy("name", false), std::string("r1 r2 r10 r11"));
        QCOMPARE(sortedBy("name", true), std::string("r11 r10 r2 r1"));
        // 580, 600, 650; what is missing comes last either way.
        QCOMPARE(sortedBy("mean_gpu_power_w", false), std::string("r2 r11 r1 r10"));
        QCOMPARE(sortedBy("mean_gpu_power_w", true), std::string("r1 r11 r2 r10"));
        QCOMPARE(sortedBy("model", false), std::string("r10 r2 r1 r11"));
        // Equal ones stay as they were.
        QCOMPARE(sortedBy("tp", false), std::string("r2 r1 r11 r10"));
    }

    void numbersAndTextsAsCsv() {
        const auto runs = plantedRuns();
        const auto table = runsTable(runs, {1, 2},
            {*runColumnIndex("name"), *runColumnIndex("gpus"), *runColumnIndex("mean_gpu_power_w"),
                *runColumnIndex("throttled_fraction"), *runColumnIndex("tags")});
        QCOMPARE(text::csv(table),
            std::string("Run,GPUs,\"GPU power, mean (W)\",Throttled,Tags\n"
                        "r2,32,580,0,\"paper, slow fans\"\n"
                        "r10,32,,,\n"));
    }

    // Figures of runs that the database keeps: the same as measured, and stale when what they were
    // computed from is another.
    void keptAsMeasured() {
        SweepDatabase database;
        database.add(plantedRun("a"));
        database.add(plantedRun("b"));
        auto first = known(database.store());
        QVERIFY(first.known.empty());
        QCOMPARE(namesOf(first.unknown), (Names{"a", "b"}));
        measureAll(database.store());
        const auto again = known(database.store());
        QVERIFY(again.unknown.empty());
        QCOMPARE(again.known.size(), 2U);
        const auto value
            = [&again](const char* key) { return again.known[0].values[*listedIndex(key)]; };
        // GPU 1: (9 · 300 + 500) / 10 = 320 W; with GPU 0's 100 W a mean of 210 W and a sum of 420.
        QCOMPARE(value("mean_gpu_power_w"), std::optional(210.0));
        QCOMPARE(value("mean_power_w"), std::optional(420.0));
        QCOMPARE(value("peak_gpu_power_w"), std::optional(500.0));
        QCOMPARE(value("peak_power_w"), std::optional(600.0));
        QCOMPARE(value("peak_temperature_c"), std::optional(64.0));
        QVERIFY(!value("step_time_s"));
        QVERIFY(!again.known[0].absentWhy[*listedIndex("step_time_s")].empty());
        QVERIFY(again.known[0].absentWhy[*listedIndex("mean_gpu_power_w")].empty());
    }

    void staleWhenTheRunIsAnother() {
        SweepDatabase database;
        database.add(plantedRun("a"));
        database.add(plantedRun("b"));
        store::Store& store = database.store();
        const auto stale = [&store] { return namesOf(known(store).unknown); };
        measureAll(store);
        database.add(plantedRun("a")); // imported again
        QCOMPARE(stale(), (Names{"a"}));
        measureAll(store);
        QVERIFY(stale().empty());
        QVERIFY(store::setEnteredLayout(store, database.idOf("b"), R"({"tp":2})").hasValue());
        QCOMPARE(stale(), (Names{"b"}));
        measureAll(store);
        const RunId a = database.idOf("a");
        QVERIFY(store::setTags(store, a, std::vector<std::string>{"paper"}).hasValue());
        QVERIFY(stale().empty()); // no figure depends on tags
        QVERIFY(
            store::renameRun(store, a, "h200_a").hasValue()); // its GPUs may be told by its name
        QCOMPARE(stale(), (Names{"h200_a"}));
    }

    // Whatever it says of a model: its dense layers, too, decide about FLOP.
    void staleWhenTheUsersModelsAreOthers() {
        const QTemporaryDir folder;
        const QByteArray before = qgetenv("XDG_CONFIG_HOME");
        qputenv("XDG_CONFIG_HOME", folder.path().toUtf8());
        QVERIFY(QDir(folder.path()).mkpath(QStringLiteral("Trainscope")));
        const auto say = [&folder](const QByteArray& more) {
            QFile file(folder.filePath(QStringLiteral("Trainscope/models.json")));
            QVERIFY(file.open(QIODevice::WriteOnly));
            const QByteArray own
                = R"({"models":[{"name":"own","layers":4,"hidden":8,"heads":2,"vocabulary":100,)"
                  R"("experts":4,"experts_per_token":2)";
            file.write(own + more + "}]}");
        };
        say({});
        SweepDatabase database;
        database.add(plantedRun("a"));
        measureAll(database.store());
        QVERIFY(known(database.store()).unknown.empty());
        say(R"(,"dense_layers":2)");
        QCOMPARE(namesOf(known(database.store()).unknown), (Names{"a"}));
        if (before.isNull())
            qunsetenv("XDG_CONFIG_HOME");
        else
            qputenv("XDG_CONFIG_HOME", before);
    }

    void staleWhenTheFormulaIsAnother() {
        SweepDatabase database;
        database.add(plantedRun("a"));
        store::Store& store = database.store();
        measureAll(store);
        auto kept = store::keptFigures(store).value();
        // As another program's formulas would have it.
        kept.front().basis[0] = kept.front().basis[0] == '0' ? '1' : '0';
        QVERIFY(store::keepFigures(store, kept).hasValue());
        QCOMPARE(namesOf(known(store).unknown), (Names{"a"}));
    }

    // Choice, order and names of runs in figures.
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

private:
    using Names = std::vector<std::string>;
};

TRAINSCOPE_TEST(tst_RunExpression)
#include "tst_RunExpression.moc"
