// The overview of a recorded H100, against figures of an independent reading of its files.

#include "support/RunCli.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

// The value in the line of the CSV that begins with these cells; NaN: there is none.
double valueOf(const QString& csv, const QString& about, const QString& name) {
    for (const QString& line : csv.split(QLatin1Char('\n'))) {
        const QStringList cells = line.split(QLatin1Char(','));
        if (cells.size() > 3 && cells[1] == about && cells[2] == name)
            return cells[3].toDouble();
    }
    return std::nan("");
}

} // namespace

class tst_OverviewFigure : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    QString csvOf(const std::string& source) {
        const std::string database
            = m_folder.filePath(QStringLiteral("%1.trainscope").arg(m_made)).toStdString();
        const std::string out
            = m_folder.filePath(QStringLiteral("%1.svg").arg(m_made++)).toStdString();
        if (runCli({"import", source, "--into", database}).status > 1)
            return {};
        const auto drawn = runCli({"figure", database, "--kind", "overview", "--out", out});
        if (drawn.status != 0)
            return QString::fromStdString(drawn.err);
        QFile file(QString::fromStdString(out).chopped(4) + QStringLiteral(".csv"));
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }
    int m_made = 0;

private Q_SLOTS:
    void initTestCase() {
        if (realFiles().empty())
            QSKIP("the real recordings are not beside the checkout: nothing was tested");
    }

    void theRecordedH100() {
        const QString csv = csvOf(realFiles() + "/data/h100_recording/training");
        QVERIFY2(csv.startsWith(QStringLiteral("run,about,name,value,text")), qPrintable(csv));
        QVERIFY(
            csv.contains(QStringLiteral("throttled for 25.1 % of the time, by the power limit")));
        const auto near = [&](const char* about, const char* name, double truth, double within) {
            const double value = valueOf(csv, QLatin1String(about), QLatin1String(name));
            return std::abs(value - truth) <= within;
        };
        QVERIFY2(near("time", "traced_s", 2.117667157, 1e-9), qPrintable(csv));
        QVERIFY(near("time", "busy_s", 2.069593917, 1e-9));
        QVERIFY(near("time", "idle_s", 0.048073240, 1e-9));
        QVERIFY(near("limit", "seconds", 15.904077115, 1e-6));
        QVERIFY(near("limit", "share", 0.10415243778911702, 1e-9));
        QVERIFY(near("limit", "highest_w", 888.667, 1e-9));
        // Iterations 22 to 173 alone, without the pauses of the program: the trapezoid over their
        // samples gives 180.6 J, and 252.7 J with what lies between them.
        QVERIFY2(near("energy", "energy_per_step_j", 180.6, 1.0), qPrintable(csv));
        // The energy counter, which is told, has 1 % less in all.
        QVERIFY(near("energy", "energy_between_steps_j", 72.2, 2.5));
        QVERIFY(!csv.contains(QStringLiteral("rank"), Qt::CaseInsensitive));
    }

    // The power of eight GPUs goes up and down every 22.3 s, and nothing says why.
    void powerThatRepeatsIsNoStep() {
        const std::string database = pathIn(m_folder, "n.trainscope");
        const auto imported = runCli({"import",
            realFiles() + "/data/nvidia_smi/nanogpt_8xH100_gpu_metrics.csv", "--into", database});
        QVERIFY2(imported.status <= 1, imported.err.c_str());
        const auto run = jsonOf({"summary", database, "--detail"})["runs"][0];
        QCOMPARE(run["iteration_basis"]["basis"], "none");
        QVERIFY(std::abs(run["iteration_basis"]["power_period_s"].get<double>() - 22.3) < 0.1);
        QVERIFY(run["iterations"].empty());
        QVERIFY(!run["efficiency"].contains("step_time_s"));
        QVERIFY(!run["efficiency"].contains("energy_per_step_j"));
        for (const char* command : {"findings", "summary"}) {
            const std::string told = runCli({command, database}).out;
            for (const char* words : {"a step takes", "J a step", "by the period"})
                QVERIFY2(told.find(words) == std::string::npos, told.c_str());
        }
        const QString overview
            = csvOf(realFiles() + "/data/nvidia_smi/nanogpt_8xH100_gpu_metrics.csv");
        VERIFY_SAYS(overview, "Power repeats every 22.3 s");
        QVERIFY(!overview.contains(QStringLiteral("J a step")));
    }

    // 512 steps; of those behind the two of warm-up the median is 598.9 ms, nine of ten lie between
    // 595.4 ms and 900.6 ms and iteration 129 takes 13.9633 s, by an independent reading.
    void theCommandTellsALog() {
        const std::string database = pathIn(m_folder, "log.trainscope");
        const auto imported = runCli({"import",
            realFiles() + "/data/train_logs/gpt-neox_70M_slurm.out", "--into", database});
        QVERIFY2(imported.status <= 1, imported.err.c_str());
        const auto told = jsonOf({"overview", database});
        QCOMPARE(told["run"], "gpt-neox_70M_slurm");
        const auto& steps = told["sentences"][0];
        QCOMPARE(steps["topic"], "steps");
        const auto value
            = [&steps](const char* name) { return steps["values"][name].get<double>(); };
        VERIFY_NEAR(value("step_time_s"), 0.5989, 1e-6);
        VERIFY_NEAR(value("step_time_p5_s"), 0.5954, 1e-6);
        VERIFY_NEAR(value("step_time_p95_s"), 0.9006, 1e-6);
        VERIFY_NEAR(value("longest_step_s"), 13.9633, 1e-6);
        VERIFY_NEAR(value("tokens_per_s"), 512 * 2048 / 0.5989, 1.0);
        QCOMPARE(steps["evidence"]["view"], "Iterations");
        QCOMPARE(told["sentences"][1]["topic"], "goodput");
        QCOMPARE(told["sentences"][2]["topic"], "shift"); // from iteration 298 on
        const auto& loss = told["sentences"][3];
        VERIFY_NEAR(loss["values"]["loss_first"].get<double>(), 11.06431, 1e-6);
        VERIFY_NEAR(loss["values"]["loss_last"].get<double>(), 2.367784, 1e-6);
        VERIFY_NEAR(loss["values"]["loss_lowest"].get<double>(), 2.285399, 1e-6);
        // The same sentences are printed; the stretch of time that they speak of is said once.
        const std::string printed = runCli({"overview", database}).out;
        for (const auto& sentence : told["sentences"])
            VERIFY_SAYS(printed, sentence["text"].get<std::string>());
        VERIFY_SAYS(told["window"].get<std::string>(), "the median of iterations 3 to 512");
        QCOMPARE(runCli({"overview", database, "--run", "nobody"}).status, 2);
        QCOMPARE(runCli({"overview", "/nowhere.trainscope"}).status, 3);
    }

    void logsAloneHaveNoKernels() {
        const QString csv = csvOf(realFiles() + "/data/h100_recording/training/nvidia-smi.csv");
        QVERIFY(csv.startsWith(QStringLiteral("run,about")));
        QVERIFY(!csv.contains(QStringLiteral("kernel"), Qt::CaseInsensitive));
        QVERIFY(valueOf(csv, QStringLiteral("energy"), QStringLiteral("energy_j")) > 0.0);
    }
};

TRAINSCOPE_GUI_TEST(tst_OverviewFigure)
#include "tst_OverviewFigure.moc"
