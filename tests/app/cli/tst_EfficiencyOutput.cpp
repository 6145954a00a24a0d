// From a result tree with its launch YAML to `summary` and `findings`: efficiency that comes out by
// hand, and findings in the form that others read.

#include "core/text/Numbers.h"
#include "support/RunCli.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

constexpr int kGpus = 8;
constexpr int kSamples = 1200; // 10 a second
constexpr double kStepS = 4.0;

const char* const kYaml = R"(trainer:
  devices: 8
  num_nodes: 1
  precision: bf16
  max_steps: 30
model:
  micro_batch_size: 1
  global_batch_size: 64
  tensor_model_parallel_size: 8
  pipeline_model_parallel_size: 1
  encoder_seq_length: 1024
  num_layers: 32
  hidden_size: 4096
  num_attention_heads: 32
  num_query_groups: 8
  ffn_hidden_size: 14336
  activation: fast-swiglu
  optim: {name: fused_adam}
)";

// 700 W for the first three seconds of each step, then 300 W: 600 W on average.
double powerAt(int sample) {
    return std::fmod(sample / 10.0, kStepS) < 3.0 ? 700.0 : 300.0;
}

void writeMetric(
    const QDir& run, const char* metric, int rank, const std::function<double(int)>& value) {
    QFile file(run.filePath(QStringLiteral("%1_%2.csv").arg(QLatin1String(metric)).arg(rank)));
    QVERIFY(file.open(QIODevice::WriteOnly));
    for (int i = 0; i < kSamples; ++i)
        file.write(QByteArray::number(1.7e9 + i / 10.0, 'f', 1) + ","
            + QByteArray::number(value(i), 'f', 1) + "\n");
}

// One node whose rear half is `gradient` hotter.
void writeTree(const QString& folder, double gradient) {
    const QString name = QStringLiteral("results/sweep-h200/llama3-8b/llama3-8b_1_00000");
    QVERIFY(QDir(folder).mkpath(name));
    const QDir run(folder + QLatin1Char('/') + name);
    QVERIFY(writeContent(run.filePath(QStringLiteral("llama3-8b_1_00000.yaml")), kYaml));
    for (int rank = 0; rank < kGpus; ++rank) {
        writeMetric(run, "gpu_power", rank, powerAt);
        writeMetric(run, "gpu_thermal", rank,
            [&](int) { return rank < kGpus / 2 ? 60.0 : 60.0 + gradient; });
    }
}

bool isAbout(const nlohmann::json& value, double expected, double within = 1e-3) {
    return value.is_number()
        && std::abs(value.get<double>() - expected) <= within * std::abs(expected);
}

} // namespace

class tst_EfficiencyOutput : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() {
        m_folder = std::make_unique<QTemporaryDir>();
        m_database = pathIn(*m_folder, "runs.trainscope");
    }

    void summarySaysEfficiency() {
        import(0.0);
        const auto run = jsonOf({"summary", m_database})["runs"][0];
        const auto made = run["efficiency"];
        QVERIFY(isAbout(made["step_time_s"], kStepS));
        QVERIFY(isAbout(made["samples_per_s"], 16.0));
        QVERIFY(isAbout(made["tokens_per_s"], 16384.0));
        QVERIFY(isAbout(made["tokens_per_s_per_gpu"], 2048.0));
        // 8 GPUs at 600 W on average for 4 s and 64 samples of 1024 tokens.
        QVERIFY(isAbout(made["tokens_per_j"], 65536.0 / 19200.0));
        QVERIFY(
            isAbout(made["samples_per_s_per_mj"], 16.0 / (run["energy_j"].get<double>() / 1e6)));
        // CharLLM-PPT: one batch over the whole recording of 119.9 s.
        QVERIFY(isAbout(made["charllm"]["samples_per_s"], 64.0 / 119.9, 1e-6));
        // Llama 3 8B by hand: a layer has 4096·(4096 + 2·1024 + 4096) + 3·4096·14336 weights, 32 of
        // them and logits of 4096·128256; scores 4·32·1024·4096 FLOP a token.
        const double weights = 32.0 * (4096.0 * 10240 + 3.0 * 4096 * 14336) + 4096.0 * 128256;
        const double flop = 3.0 * 65536 * (2.0 * weights + 4.0 * 32 * 1024 * 4096);
        QVERIFY(isAbout(made["flop_per_step"], flop, 1e-9));
        QVERIFY(isAbout(made["tflops_per_gpu"], flop / kStepS / kGpus / 1e12));
        QVERIFY(isAbout(made["mfu"], flop / kStepS / kGpus / 989e12));
        QVERIFY(!run.contains("efficiency_missing"));
        const std::string text = runCli({"summary", m_database}).out;
        // The numbers are those of the JSON above.
        const auto table = text.find("\nEfficiency\n");
        QVERIFY2(table != std::string::npos, text.c_str());
        for (const char* key : {"samples_per_s", "tokens_per_s", "tokens_per_s_per_gpu",
                 "tokens_per_j", "samples_per_s_per_mj"}) {
            const auto figure = ' ' + trainscope::text::number(made[key].get<double>(), 4) + ' ';
            QVERIFY2(text.find(figure, table) != std::string::npos, figure.c_str());
        }
    }

    void withoutALaunchFileNothingIsAssumed() {
        import(0.0, true);
        const auto run = jsonOf({"summary", m_database})["runs"][0];
        QVERIFY(isAbout(run["efficiency"]["step_time_s"], kStepS));
        for (const char* key : {"samples_per_s", "tokens_per_s", "tokens_per_j", "mfu"}) {
            QVERIFY2(!run["efficiency"].contains(key), key);
            QVERIFY2(run["efficiency_missing"].contains(key), key);
        }
        QVERIFY(!run["efficiency"].contains("charllm"));
    }

    void findingsInTheirForm() {
        import(9.0);
        const auto json = jsonOf({"findings", m_database});
        QVERIFY(json["findings"].is_array());
        std::vector<std::string> rules;
        for (const auto& finding : json["findings"]) {
            rules.push_back(finding["rule"].get<std::string>());
            QVERIFY(finding["text"].is_string() && finding["values"].is_object());
            const auto evidence = finding["evidence"];
            QVERIFY(evidence["start_ns"].get<std::int64_t>() >= 1'700'000'000'000'000'000);
            QVERIFY(
                evidence["end_ns"].get<std::int64_t>() > evidence["start_ns"].get<std::int64_t>());
            for (const char* key : {"threshold", "denominator", "severity"})
                QVERIFY2(!finding[key].get<std::string>().empty(), key);
        }
        QCOMPARE(rules, (std::vector<std::string>{"front_rear_gradient", "power_swing"}));
        QVERIFY(isAbout(json["findings"][0]["values"]["gradient_c"], 9.0));
        QVERIFY(isAbout(json["findings"][1]["values"]["frequency_hz"], 1.0 / kStepS, 0.01));
        QCOMPARE(json["findings"][1]["values"]["harmonic"].get<double>(), 1.0);
        const std::string text = runCli({"findings", m_database}).out;
        VERIFY_SAYS(text, "Rear GPUs are 9 °C hotter than front ones (69 °C against 60 °C)");
    }

private:
    void import(double gradient, bool withoutYaml = false) {
        const QString folder = m_folder->filePath(QStringLiteral("tree"));
        writeTree(folder, gradient);
        if (withoutYaml)
            QVERIFY(QFile::remove(folder
                + QStringLiteral("/results/sweep-h200/llama3-8b/llama3-8b_1_00000/"
                                 "llama3-8b_1_00000.yaml")));
        QVERIFY(succeeds({"import", folder.toStdString(), "--into", m_database}));
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::string m_database;
};

TRAINSCOPE_TEST(tst_EfficiencyOutput)
#include "tst_EfficiencyOutput.moc"
