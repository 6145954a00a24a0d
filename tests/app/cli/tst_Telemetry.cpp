// From the files of a result tree in which all is planted to `summary --steady --detail`,
// `correlate` and `cluster`.

#include "support/RunCli.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

constexpr double kStart = 1'735'689'600.0;
constexpr double kWarmup = 8.0; // s of each of three iterations
constexpr double kIteration = 4.0; // length of each of 30
constexpr double kFirst = 6.0; // begin of the first
constexpr double kSteady = kFirst + 3 * kWarmup;
constexpr double kEnd = kSteady + 30 * kIteration;
constexpr double kDuration = kEnd + 6.0;
constexpr double kLate = 0.37; // rank 1 follows rank 0 by this

// 60 % of an iteration at 650 W, the rest at 250 W; 90 W outside.
double powerAt(double t) {
    if (t < kFirst || t >= kEnd)
        return 90.0;
    const double phase = t < kSteady ? std::fmod((t - kFirst) / kWarmup, 1.0)
                                     : std::fmod((t - kSteady) / kIteration, 1.0);
    return phase < 0.6 ? 650.0 : 250.0;
}

// Samples at 10 Hz, displaced by up to a fifth of that.
void write(
    const QDir& folder, const char* metric, int rank, const std::function<double(double)>& shape) {
    QFile file(folder.filePath(QStringLiteral("%1_%2.csv").arg(QLatin1String(metric)).arg(rank)));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QTextStream out(&file);
    std::mt19937 random(static_cast<unsigned>(rank) + 17U);
    std::uniform_real_distribution<double> shift(-0.02, 0.02);
    for (double t = 0.0; t < kDuration; t += 0.1) {
        const double moment = std::max(t + shift(random), 0.0);
        out << QString::number(kStart + moment, 'f', 6) << ',' << shape(moment) << '\n';
    }
}

bool isWithin(double value, double expected, double tolerance) {
    return std::abs(value - expected) <= tolerance;
}

} // namespace

class tst_Telemetry : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        const QDir folder(m_folder.path());
        const QString run = QStringLiteral("results/sweep/gpt/gpt_1_00000");
        QVERIFY(folder.mkpath(run));
        const QDir files(folder.filePath(run));
        for (int rank = 0; rank < 8; ++rank) {
            write(files, "gpu_power", rank,
                [rank](double t) { return powerAt(rank == 1 ? t - kLate : t); });
            // The air passes 4 to 7 first.
            write(files, "gpu_thermal", rank, [rank](double t) {
                return std::round(
                    45.0 + (rank < 4 ? 11.0 : 0.0) + 10.0 * (1.0 - std::exp(-t / 8.0)));
            });
            write(files, "sm_clock", rank,
                [rank](double t) { return rank == 2 && t >= 60.0 && t < 70.0 ? 1584.0 : 1980.0; });
            write(files, "gpu_util", rank, [](double) { return 100.0; });
        }
        m_database = pathIn(m_folder, "t.trainscope");
        QVERIFY(succeeds({"import", pathIn(m_folder, "results"), "--into", m_database}));
    }

    void theSteadyState() {
        const auto run = jsonOf({"summary", m_database, "--steady"})["runs"][0];
        QCOMPARE(run["window"]["basis"], "iterations");
        QCOMPARE(run["window"]["warmup_iterations"], 3);
        const double begin = run["window"]["start_ns"].get<double>() * 1e-9 - kStart;
        const double end = run["window"]["end_ns"].get<double>() * 1e-9 - kStart;
        QVERIFY(begin > kSteady - 0.2);
        QVERIFY(isWithin(std::remainder(begin - kSteady, kIteration), 0.0, 0.2));
        // No rise of power ends the last one, so that it may be left out.
        QVERIFY(end > kEnd - kIteration - 0.2 && end < kEnd + 0.2);
        QVERIFY(isWithin(std::remainder(end - kSteady, kIteration), 0.0, 0.2));
        const double length = run["duration_s"];
        QVERIFY(isWithin(length, end - begin, 1e-5));
        // Whole iterations: 0.6·650 + 0.4·250 W.
        QVERIFY(isWithin(run["metrics"]["gpu_power"]["mean"], 490.0, 3.0));
        QVERIFY(isWithin(run["energy_j"].get<double>() / (8.0 * 490.0 * length), 1.0, 0.01));
        QVERIFY(isWithin(run["energy_coverage"], 1.0, 1e-3));
        const auto text = runCli({"summary", m_database, "--steady"});
        VERIFY_SAYS(text.out, "3 of warm-up");
    }

    void iterations() {
        const auto run = detail({});
        QCOMPARE(run["iteration_basis"]["basis"], "power_period");
        QVERIFY(isWithin(run["iteration_basis"]["frequency_hz"], 1.0 / kIteration, 1e-3));
        const auto& all = run["iterations"];
        QVERIFY(all.size() >= 32 && all.size() <= 34);
        for (const auto& one : all) {
            const double duration = one["duration_s"];
            QVERIFY(isWithin(duration, one["warmup"].get<bool>() ? kWarmup : kIteration, 0.3));
            QVERIFY(isWithin(one["mean_power_w"], 8.0 * 490.0, 8.0 * 25.0));
            QVERIFY(isWithin(one["energy_j"].get<double>() / duration, 8.0 * 490.0, 8.0 * 25.0));
            QVERIFY(isWithin(one["peak_power_w"], 8.0 * 650.0, 1.0));
            QVERIFY(one["mean_clock_hz"].get<double>() <= 1.98e9 + 1.0);
            QVERIFY(!one.contains("gpus"));
        }
        const auto perGpu = detail({"--per-gpu"})["iterations"][5];
        double sum = 0.0;
        for (const auto& gpu : perGpu["gpus"])
            sum += gpu["energy_j"].get<double>();
        QCOMPARE(perGpu["gpus"].size(), std::size_t{8});
        QVERIFY(isWithin(sum, perGpu["energy_j"], 1e-6));
    }

    void throttlingAndWhatIsNotKnown() {
        const auto throttle = detail({})["throttle"];
        QCOMPARE(throttle["episodes"].size(), std::size_t{1});
        QCOMPARE(throttle["episodes"][0]["rank"], 2);
        QVERIFY(isWithin(throttle["episodes"][0]["duration_s"], 10.0, 0.3));
        // 20 % below the reference clock.
        QVERIFY(isWithin(throttle["causes"]["other"]["time_lost_s"], 2.0, 0.06));
        QVERIFY(isWithin(throttle["causes"]["other"]["gpu_seconds"], 10.0, 0.3));
        QVERIFY(!throttle.contains("power_limit_w")); // no model of GPU is said
    }

    void excursionsAndSpectrum() {
        QVERIFY(!detail({})["burst"].contains("limit_w"));
        const auto run = detail({"--power-limit", "4000"});
        // Above 4 kW in each of 33 iterations, for 60 % of them.
        QCOMPARE(run["burst"]["limit_origin"], "given");
        QCOMPARE(run["burst"]["above_limit_count"], 33);
        const double above = 0.6 * (3 * kWarmup + 30 * kIteration);
        QVERIFY(isWithin(run["burst"]["above_limit_s"], above, 33 * 0.2));
        const auto& line = run["spectrum"][0];
        QVERIFY(isWithin(line["frequency_hz"], 0.25, 0.01));
        QCOMPARE(line["harmonic"], 1);
    }

    void settledBesideAll() {
        const auto run = detail({});
        const double settled = run["settled_from_ns"].get<double>() * 1e-9 - kStart;
        QVERIFY(settled > 8.0 && settled < 40.0);
        const double all = run["metrics"]["gpu_temperature"]["mean"];
        const double later = run["settled"]["metrics"]["gpu_temperature"]["mean"];
        QVERIFY(later > all + 0.2);
        QVERIFY(isWithin(later, 60.5, 0.4));
        QVERIFY(run["settled"]["energy_rate_w"].get<double>() > 0.0);
    }

    void sensors() {
        const auto sensors = detail({})["sensors"];
        const auto power = std::find_if(sensors.begin(), sensors.end(),
            [](const auto& sensor) { return sensor["metric"] == "gpu_power"; });
        QVERIFY(power != sensors.end());
        QCOMPARE((*power)["kind"], "instant");
        QVERIFY(isWithin((*power)["sampling_period_s"], 0.1, 0.005));
    }

    void lags() {
        const auto found = jsonOf({"correlate", m_database, "--a", "gpu_power:0", "--b",
            "gpu_power:1", "--max-lag", "1.5"});
        QVERIFY(isWithin(found["lag_s"], kLate, 0.05));
        QVERIFY(isWithin(found["lag_s"], kLate, 3.0 * found["lag_error_s"].get<double>()));
        QVERIFY(found["peak_correlation"].get<double>() > 0.9);
        const auto turned = jsonOf({"correlate", m_database, "--a", "gpu_power:1", "--b",
            "gpu_power:0", "--max-lag", "1.5"});
        QVERIFY(isWithin(turned["lag_s"], -kLate, 0.05));
        QVERIFY(runCli({"correlate", m_database, "--a", "gpu_power:9", "--b", "gpu_power"}).status
            != 0);
    }

    void airflow() {
        const auto gradient = [this] { return detail({})["front_rear_gradient_c"].get<double>(); };
        // GPUs 0 to 3 are hot at equal power: the rear, unless it is said that they are in front.
        QVERIFY(isWithin(gradient(), 11.0, 0.5));
        QCOMPARE(detail({})["airflow"]["origin"], "inferred");
        QCOMPARE(runCli({"cluster", m_database, "--airflow", "0,1,2,3,4,5,6,7"}).status, 0);
        QVERIFY(isWithin(gradient(), -11.0, 0.5));
        QCOMPARE(detail({})["airflow"]["origin"], "said");
        for (const char* wrong : {"0,1,2", "0,1,2,3,4,5,6,6", "a,b", "0,1,2,3,4,5,6,7,", "7"})
            QCOMPARE(runCli({"cluster", m_database, "--airflow", wrong}).status, 2);
        const auto set = runCli({"cluster", m_database, "--airflow", "4,5,6,7,0,1,2,3", "--json"});
        QVERIFY2(set.status == 0, set.err.c_str());
        QCOMPARE(set.json()["runs"][0]["airflow"][0], 4);
        QCOMPARE(set.json()["runs"][0]["airflow_assumed"], false);
        QVERIFY(isWithin(gradient(), 11.0, 0.5));
        QVERIFY(isWithin(detail({})["airflow"]["rear_hotter_by"], 11.0 / 54.5, 0.02));
        QCOMPARE(jsonOf({"info", m_database})["runs"][0]["airflow"].size(), std::size_t{8});
        QCOMPARE(runCli({"cluster", m_database, "--reset"}).status, 0);
        QVERIFY(isWithin(gradient(), 11.0, 0.5));
    }

    void asText() {
        const auto text = runCli({"summary", m_database, "--detail"});
        QCOMPARE(text.status, 0);
        for (const char* part :
            {" iterations by", "warm-up", "energy rate", "power sensor: instant",
                "the frequency of the iterations", "the GPUs' power limit is not known"})
            QVERIFY2(text.out.find(part) != std::string::npos, part);
    }

private:
    nlohmann::json detail(const std::vector<std::string>& more) {
        std::vector<std::string> arguments{"summary", m_database, "--detail", "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return runCli(arguments).json()["runs"][0];
    }

    QTemporaryDir m_folder;
    std::string m_database;
};

TRAINSCOPE_TEST(tst_Telemetry)
#include "tst_Telemetry.moc"
