// `summary --detail` on a CharLLM tree with power and traces: where the energy went, against the
// levels that were planted.

#include "support/RunCli.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

constexpr double kStart = 1757000000.0; // s
constexpr int kIterations = 6;
constexpr int kTraced = 4; // from this one on
constexpr double kIteration = 10.0;

struct Piece {
    const char* phase;
    double begin; // s in the iteration
    double end;
    double watts; // on rank 0; rank 1 draws 20 W more
};
constexpr std::array<Piece, 5> kPieces{{{"forward", 0.0, 3.0, 500.0}, {"backward", 3.0, 6.0, 650.0},
    {"communication_exposed", 6.0, 8.0, 250.0}, {"optimizer", 8.0, 9.0, 400.0},
    {"idle", 9.0, 10.0, 100.0}}};

double wattsAt(double seconds, int rank) {
    if (seconds < 0.0 || seconds >= kIterations * kIteration)
        return 80.0;
    const double inside = std::fmod(seconds, kIteration);
    for (const Piece& piece : kPieces) {
        if (inside < piece.end)
            return piece.watts + 20.0 * rank;
    }
    return 80.0;
}

QByteArray powerCsv(int rank) {
    QByteArray text;
    for (int i = -100; i < 700; ++i) { // every 0.1 s, the mean of the last 25 ms
        const double now = i * 0.1 + 0.037 * (rank + 1);
        double sum = 0.0;
        for (int k = 0; k < 25; ++k)
            sum += wattsAt(now - 0.001 * k - 0.0005, rank);
        text += QByteArray::number(kStart + now, 'f', 6) + ',' + QByteArray::number(sum / 25.0)
            + '\n';
    }
    return text;
}

std::string eventText(const char* category, const std::string& name, int tid, double seconds,
    double length, const std::string& arguments) {
    return std::string(R"({"ph":"X","cat":")") + category + R"(","name":")" + name
        + R"(","pid":1,"tid":)" + std::to_string(tid) + R"(,"ts":)" + std::to_string(seconds * 1e6)
        + R"(,"dur":)" + std::to_string(length * 1e6) + R"(,"args":{)" + arguments + "}},\n";
}

// The kernels of forward are launched under an annotation, those of backward by autograd.
QByteArray traceText(int rank) {
    std::string text = R"({"schemaVersion":1,"distributedInfo":{"rank":)" + std::to_string(rank)
        + R"(},"traceEvents":[)" + "\n";
    int correlation = 0;
    for (int k = kTraced; k < kIterations; ++k) {
        const double start = k * kIteration;
        text += eventText(
            "user_annotation", "ProfilerStep#" + std::to_string(k), 1, start, kIteration, "");
        for (const Piece& piece : kPieces) {
            const std::string phase = piece.phase;
            const double begin = start + piece.begin;
            const double length = piece.end - piece.begin;
            if (phase == "idle")
                continue;
            if (phase == "communication_exposed") {
                text += eventText("kernel", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 20, begin,
                    length, R"("device":0,"stream":20)");
                continue;
            }
            const bool isBackward = phase == "backward";
            const int thread = isBackward ? 2 : 1;
            text += eventText(isBackward ? "cpu_op" : "user_annotation",
                isBackward ? "autograd::engine::evaluate_function: MmBackward0" : phase, thread,
                begin - 0.001, 0.0005, "");
            const std::string id = R"("correlation":)" + std::to_string(++correlation);
            text += eventText("cuda_runtime", "cudaLaunchKernel", thread, begin - 0.0009, 1e-5, id);
            text += eventText(
                "kernel", "a_gemm", 7, begin, length, R"("device":0,"stream":7,)" + id);
        }
    }
    text.resize(text.size() - 2);
    return QByteArray::fromStdString(text + R"(],"baseTimeNanoseconds":1757000000000000000})");
}

void write(const QString& path, const QByteArray& text) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
        qFatal("cannot write %s", qPrintable(path));
}

} // namespace

class tst_EnergyDetail : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        const QString run
            = m_folder.filePath(QStringLiteral("tree/sweep-h200/gpt3-175b/gpt3-175b_1_00000"));
        QVERIFY(QDir().mkpath(run + QStringLiteral("/1_kineto")));
        for (int rank = 0; rank < 2; ++rank) {
            write(QStringLiteral("%1/gpu_power_%2.csv").arg(run).arg(rank), powerCsv(rank));
            write(QStringLiteral("%1/1_kineto/trace_rank%2.json").arg(run).arg(rank),
                traceText(rank));
        }
        write(run + QStringLiteral("/config.yaml"),
            "trainer:\n  devices: 2\n  num_nodes: 1\nmodel:\n  micro_batch_size: 1\n"
            "  global_batch_size: 4\n  tensor_model_parallel_size: 1\n"
            "  pipeline_model_parallel_size: 2\n");
        m_database = pathIn(m_folder, "t.trainscope");
        QVERIFY(succeeds({"import", pathIn(m_folder, "tree"), "--into", m_database}));
        m_run = this->run({});
        QVERIFY(m_run.contains("energy_by_phase"));
    }
    void phasesAreThosePlanted() {
        for (const Piece& piece : kPieces) {
            // The trace ends with the last kernel: the last idle time is outside.
            const int times = std::string(piece.phase) == "idle" ? 1 : kIterations - kTraced;
            const double truth = times * (piece.end - piece.begin) * (2.0 * piece.watts + 20.0);
            const double joules = m_run["energy_by_phase"][piece.phase].get<double>();
            const auto& interval = m_run["energy_by_phase_interval"][piece.phase];
            QVERIFY2(std::abs(joules / truth - 1.0) < 0.05, piece.phase);
            QVERIFY(interval[0] <= joules && joules <= interval[1]);
        }
        QVERIFY(!m_run["energy_by_phase"].contains("communication_hidden"));
        QVERIFY(!m_run["energy_by_phase"].contains("compute"));
    }
    void everythingAddsUp() {
        const double whole = m_run["energy_attribution"]["energy_j"].get<double>();
        for (const char* map : {"energy_by_phase", "energy_by_category", "energy_by_stage"}) {
            double sum = 0.0;
            for (const auto& value : m_run[map])
                sum += value.get<double>();
            QVERIFY2(std::abs(sum - whole) < 1e-6 * whole, map);
            QCOMPARE(m_run[std::string(map) + "_interval"].size(), m_run[map].size());
        }
        double gpus = 0.0;
        for (const auto& gpu : m_run["energy_attribution"]["gpus"]) {
            gpus += gpu["energy_j"].get<double>();
            QCOMPARE(gpu["coverage"].get<double>(), 1.0);
            QCOMPARE(gpu["duration_s"].get<double>(), 19.0);
        }
        QVERIFY(std::abs(gpus - whole) < 1e-9 * whole);
        QVERIFY(std::abs(m_run["energy_by_collective"]["all_reduce"].get<double>()
                    - m_run["energy_by_phase"]["communication_exposed"].get<double>())
            < 1e-6);
        QVERIFY(m_run["energy_by_collective_hidden"].empty());
    }
    void stagesAndIterations() {
        QCOMPARE(m_run["energy_by_stage"].size(), std::size_t{2});
        QVERIFY(m_run["energy_by_stage"]["1"] > m_run["energy_by_stage"]["0"]);
        const auto& iterations = m_run["energy_per_iteration"];
        QCOMPARE(iterations.size(), std::size_t{2});
        double truth = 0.0;
        for (const Piece& piece : kPieces)
            truth += (piece.end - piece.begin) * (2.0 * piece.watts + 20.0);
        for (const auto& iteration : iterations) {
            QCOMPARE(iteration["gpus"], 2);
            QVERIFY(std::abs(iteration["energy_j"].get<double>() / truth - 1.0) < 0.03);
            QCOMPARE(m_run["energy_by_iteration"][std::to_string(iteration["index"].get<int>())],
                iteration["energy_j"]);
            double sum = 0.0;
            for (const auto& phase : iteration["by_phase"])
                sum += phase.get<double>();
            QVERIFY(std::abs(sum - iteration["energy_j"].get<double>()) < 1e-6);
        }
    }
    void steady() {
        const auto json = run({"--steady"});
        QVERIFY(json.contains("energy_by_phase"));
        const auto kernels = jsonOf({"kernels", m_database, "--steady"});
        QVERIFY(kernels.contains("window"));
        QCOMPARE(kernels["ranks"].size(), std::size_t{2});
        QCOMPARE(kernels["pipeline"]["stage_count"], 2);
        QVERIFY(runCli({"kernels", m_database, "--steady", "--iteration", "4"}).status != 0);
    }
    void text() {
        const auto out = runCli({"summary", m_database, "--detail"}).out;
        VERIFY_SAYS(out, "while 2 GPUs were traced");
        VERIFY_SAYS(out, "communication exposed");
        QVERIFY(out.find("bound ±") == std::string::npos);
        VERIFY_SAYS(out, "stage 1");
    }

private:
    nlohmann::json run(const std::vector<std::string>& options) {
        std::vector<std::string> arguments{"summary", m_database, "--detail", "--json"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        return runCli(arguments).json()["runs"][0];
    }

    QTemporaryDir m_folder;
    std::string m_database;
    nlohmann::json m_run;
};

TRAINSCOPE_TEST(tst_EnergyDetail)
#include "tst_EnergyDetail.moc"
