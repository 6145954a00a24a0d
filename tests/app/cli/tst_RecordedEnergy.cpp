// The energy of a recorded GPU whose phases are known: `summary`, `kernels` and `operators` against
// the power of each steady phase and the counter, as they were measured apart.

#include "support/RunCli.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

nlohmann::json parsed(const std::string& path) {
    QFile file(QString::fromStdString(path));
    return file.open(QIODevice::ReadOnly)
        ? nlohmann::json::parse(file.readAll().toStdString(), nullptr, false)
        : nlohmann::json();
}

} // namespace

class tst_RecordedEnergy : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        const std::string root = realFiles() + "/data/h100_recording/phases";
        m_truth = parsed(root + "/truth.json");
        if (realFiles().empty() || !m_truth.is_object())
            QSKIP("the recording is not beside the checkout");
        const QDir folder(QString::fromStdString(root));
        const QString telemetry = m_folder.filePath(QStringLiteral("telemetry"));
        QVERIFY(QDir().mkpath(telemetry));
        for (const QString& name : folder.entryList({QStringLiteral("*.csv.gz")}))
            QVERIFY(QFile::copy(folder.filePath(name), telemetry + QLatin1Char('/') + name));
        m_database = pathIn(m_folder, "r.trainscope");
        for (const std::string& source :
            {telemetry.toStdString(), root + "/traces/phases.json.gz"}) {
            QVERIFY(succeeds({"import", source, "--name", "phases", "--into", m_database}));
        }
        for (const auto& entry : m_truth["log"])
            m_seconds[entry[1].get<std::string>()]
                += entry[3].get<double>() - entry[2].get<double>();
    }

    // Copies and elementwise kernels draw in the cycles what they draw for long; GEMM starts with
    // peaks above what the power limit allows for long, to which belongs what the counter counted
    // beyond the steady powers (770 J, of which the idle time after work has a part).
    void phases() {
        const auto run = jsonOf({"summary", m_database, "--detail"})["runs"][0];
        const auto& joules = run["energy_by_category"];
        const auto& bounds = run["energy_by_category_interval"];
        const auto steady = [this](const char* phase) {
            return m_truth["steady_w"][phase].get<double>() * m_seconds[phase];
        };
        for (const char* phase : {"copy", "elementwise"}) {
            QVERIFY2(bounds[phase][0] <= steady(phase) && steady(phase) <= bounds[phase][1],
                qPrintable(QStringLiteral("%1: %2, steady %3")
                               .arg(QLatin1String(phase))
                               .arg(joules[phase].get<double>())
                               .arg(steady(phase))));
        }
        QCOMPARE(joules["copy"], run["energy_by_phase"]["copy"]);
        QVERIFY(joules["gemm"] > steady("gemm"));
        QVERIFY(joules["idle"] > steady("idle"));
        // By the counter's steps each 0.1 s around the first and last phase.
        const double whole = run["energy_attribution"]["energy_j"].get<double>();
        QVERIFY2(std::abs(whole / 10050.0 - 1.0) < 0.005, std::to_string(whole).c_str());
        double sum = 0.0;
        for (const auto& one : joules)
            sum += one.get<double>();
        QVERIFY(std::abs(sum - whole) < 1e-6 * whole);
        QVERIFY(bounds["gemm"][1] < 1.06 * joules["gemm"].get<double>());
        QCOMPARE(run["energy_source"], "counter");
        QVERIFY(std::abs(run["energy_resolution_s"].get<double>() - 0.1) < 0.005);
        QVERIFY(std::abs(run["energy_j"].get<double>()
                        / run["metrics"]["gpu_energy"]["total"].get<double>()
                    - 1.0)
            < 0.002);
    }

    void kernelsAndOperators() {
        const auto rank = jsonOf({"kernels", m_database})["ranks"][0];
        double gemm = 0.0;
        for (const auto& kernel : rank["kernels"]) {
            if (kernel["category"] == "gemm" && kernel.contains("energy_j"))
                gemm += kernel["energy_j"].get<double>();
        }
        QVERIFY(gemm > 5'500.0);
        QVERIFY(std::abs(gemm / rank["categories"]["gemm"]["energy_j"].get<double>() - 1.0) < 1e-6);
        const auto operators = jsonOf({"operators", m_database, "--by", "operator"});
        double all = 0.0;
        for (const auto& one : operators["ranks"][0]["operators"]) {
            all += one.value("energy_j", 0.0);
            if (one.contains("energy_j"))
                QVERIFY(one["energy_low_j"] <= one["energy_j"]
                    && one["energy_j"] <= one["energy_high_j"]);
        }
        QVERIFY(all > gemm);
    }

private:
    QTemporaryDir m_folder;
    std::string m_database;
    nlohmann::json m_truth;
    std::map<std::string, double> m_seconds;
};

TRAINSCOPE_TEST(tst_RecordedEnergy)
#include "tst_RecordedEnergy.moc"
