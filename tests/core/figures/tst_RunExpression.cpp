// Expressions that choose runs of a table, and the order of its rows.

#include <QTest>

#include "core/report/RunExpression.h"
#include "support/TestProgram.h"

#include <string>
#include <vector>

using namespace trainscope;
using namespace trainscope::report;

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

} // namespace

class tst_RunExpression : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void chooses_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("runs");
        const auto row = [](const char* text, const char* runs) {
            QTest::addRow("%s", text) << QString::fromUtf8(text) << QString::fromUtf8(runs);
        };
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
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* text, const char* message) {
            QTest::addRow("%s", text) << QString::fromUtf8(text) << QString::fromUtf8(message);
        };
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
        QVERIFY(!expression.hasValue());
        QVERIFY(expression.error().code == ErrorCode::Usage);
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
};

TRAINSCOPE_TEST(tst_RunExpression)
#include "tst_RunExpression.moc"
