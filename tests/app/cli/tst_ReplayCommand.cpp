// `replay` of two ranks whose step can be read off the trace: its JSON, its text, what it refuses,
// and its figures.

#include "support/RunCli.h"
#include "support/StepTrace.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

constexpr std::int64_t kSteps = 6;

bool isNear(double value, double expected, double within) {
    return std::abs(value - expected) <= within;
}

double sumOf(const nlohmann::json& parts) {
    double sum = 0.0;
    for (const auto& [name, value] : parts.items())
        sum += value.get<double>();
    return sum;
}

} // namespace

class tst_ReplayCommand : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        const auto folder = m_folder.filePath(QStringLiteral("job"));
        QVERIFY(QDir().mkpath(folder));
        for (const int rank : {0, 1}) {
            const StepTrace trace{rank, 2, 0, kSteps, 1'000, 100};
            QVERIFY(trace.write((folder + QStringLiteral("/rank%1.json").arg(rank)).toStdString()));
        }
        m_database = m_folder.filePath(QStringLiteral("t.trainscope")).toStdString();
        QVERIFY(succeeds({"import", folder.toStdString(), "--into", m_database}));
    }

    // Steps of 950 µs; nothing is changed, so that the replay gives what was measured.
    void replayed() {
        const auto json = jsonOf({"replay", m_database, "--ideal"});
        QCOMPARE(json["run"], "job");
        QVERIFY(!json["iterations"].empty());
        for (const auto& one : json["iterations"]) {
            const double measured = one["measured_s"].get<double>();
            QVERIFY(measured > 800e-6 && measured < 1'100e-6);
            QVERIFY(isNear(one["replayed_s"], measured, 0.02 * measured));
        }
        QVERIFY(isNear(sumOf(json["edges"]), 1.0, 1e-9));
        const auto& path = json["critical_path"];
        const double seconds = path["seconds"].get<double>();
        QVERIFY(isNear(seconds, json["replayed_s"].get<double>(), 1e-6));
        for (const char* by : {"category", "rank"})
            QVERIFY2(isNear(sumOf(path["by"][by]), seconds, 1e-9), by);
        QVERIFY(!path["top"].empty());
        QVERIFY(path["slack"].is_array());
        for (const auto& row : path["slack"])
            QVERIFY(row["slack_s"] >= 0.0 && row.contains("rank") && !row.contains("gain_s"));
        QVERIFY(json.contains("ideal_s") && json["slowdown_by"].contains("rank"));
        QVERIFY(!json.contains("changed_s") && !json.contains("energy_j"));
        QVERIFY(!jsonOf({"replay", m_database}).contains("ideal_s"));
    }

    void changed() {
        const auto json = jsonOf({"replay", m_database, "--if", "link=2x", "--if", "host=0x"});
        QCOMPARE(json["changes"].size(), std::size_t{2});
        QCOMPARE(json["changes"][0]["text"], "link=2x");
        QVERIFY(json["changed_s"] <= json["replayed_s"]);
        QVERIFY(json["changed_low_s"] <= json["changed_s"]);
        QVERIFY(json["changed_high_s"] >= json["changed_s"]);
    }

    // The changed step as a run: as long as the answer says, in each of its iterations.
    void saved() {
        const std::vector<std::string> asked{"replay", m_database, "--run", "job", "--if",
            "category:all_reduce=0.5x", "--if", "host=0x", "--save"};
        const auto saving = [&](const char* name) {
            auto all = asked;
            all.emplace_back(name);
            return all;
        };
        const auto json = jsonOf(saving("changed"));
        QCOMPARE(json["saved"], "changed");
        const auto kept = jsonOf({"replay", m_database, "--run", "changed"});
        QVERIFY(isNear(kept["measured_s"], json["changed_s"].get<double>(), 1e-9));
        QCOMPARE(kept["iterations"].size(), json["iterations"].size());
        VERIFY_SAYS(runCli({"info", m_database}).out, "changed");
        VERIFY_SAYS(runCli({"summary", m_database, "--run", "changed"}).out, "step time");
        VERIFY_SAYS(jsonOf({"kernels", m_database, "--run", "changed"}).dump(), "gemm");
        const auto refused = runCli(saving("job"));
        QVERIFY(refused.status != 0 && refused.out.empty());
        VERIFY_SAYS(refused.err, "no replayed step");
        QVERIFY(succeeds({"remove", m_database, "--run", "changed"}));
        const auto replayed = runCli({"replay", m_database, "--save", "same"});
        VERIFY_SAYS(replayed.out, "Saved as the run same.");
        QVERIFY(succeeds({"remove", m_database, "--run", "same"}));
    }

    void inWords() {
        const auto text = runCli({"replay", m_database, "--if", "category:all_reduce=0.5x"}).out;
        for (const char* part : {"job: a step", "measured", "replayed", "changed",
                 "category:all_reduce=0.5x", "The critical path", "Edges: "})
            VERIFY_SAYS(text, part);
    }

    void anIteration() {
        const auto json = jsonOf({"replay", m_database, "--iteration", "3"});
        QCOMPARE(json["iterations"].size(), std::size_t{1});
        QCOMPARE(json["iterations"][0]["index"], 3);
    }

    void mistakes() {
        for (const std::vector<std::string>& more :
            {std::vector<std::string>{"--if", "nonsense"}, {"--capture", "none"},
                {"--iteration", "99"}, {"--if", "kernel:no_such_kernel=0.5x"}}) {
            std::vector<std::string> all{"replay", m_database};
            all.insert(all.end(), more.begin(), more.end());
            const auto ran = runCli(all);
            QVERIFY2(ran.status == 2, more.back().c_str());
            QVERIFY(!ran.err.empty() && ran.out.empty());
        }
    }

    void figures() {
        for (const std::string kind : {"critical-path", "replay", "waits"}) {
            const auto out = m_folder.filePath(QString::fromStdString(kind + ".svg"));
            QVERIFY(succeeds({"figure", m_database, "--kind", kind, "--out", out.toStdString(),
                "--if", "host=0x"}));
            QVERIFY(QFileInfo(out).size() > 0);
        }
    }

private:
    QTemporaryDir m_folder;
    std::string m_database;
};

TRAINSCOPE_GUI_TEST(tst_ReplayCommand)
#include "tst_ReplayCommand.moc"
