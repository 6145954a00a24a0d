// Rows of tables of published runs: what becomes a job, what is refused and why, and how far
// predictions are off on the real table where it is there.

#include "core/predict/calibration/Calibration.h"
#include "core/predict/prediction/Prediction.h"
#include "importers/trainingtable/TrainingTable.h"
#include "support/EstimatedRates.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

using namespace trainscope::importers;

namespace {

constexpr const char* kHead
    = "source,gpu,n_gpus,gpus_per_node,model,layers,hidden,heads,kv_heads,ffn,seq_len,vocab,"
      "precision,tp,pp,vpp,cp,ep,fsdp_zero_stage,micro_batch,global_batch,recompute,step_time_s,"
      "tokens_per_s_per_gpu,tflops_per_gpu,notes\n";

TableRow rowOf(const std::string& line) {
    const auto rows = readTrainingTable(kHead + line + "\n", catalogue::modelCatalogue());
    return rows.value().at(0);
}

using Errors = std::vector<double>; // predicted / measured − 1

double meanOf(const Errors& errors) {
    double sum = 0.0;
    for (const double error : errors)
        sum += std::abs(error);
    return sum / static_cast<double>(errors.size());
}

struct Published {
    std::vector<predict::MeasuredJob> jobs;
    std::vector<bool> isMixture;

    // Errors of dense models and of mixtures of experts.
    [[nodiscard]] std::pair<Errors, Errors> split(const Errors& errors) const {
        std::pair<Errors, Errors> parts;
        for (std::size_t i = 0; i < errors.size(); ++i)
            (isMixture[i] ? parts.second : parts.first).push_back(errors[i]);
        return parts;
    }
};

double errorOf(const predict::MeasuredJob& row, const predict::RateTable& table,
    const predict::Calibration& calibration) {
    const auto rates = table.ratesOf(row.job, calibration.factors()).value();
    const double seconds = predict::predictStep(row.job, rates).value().seconds;
    const double log = calibration.residuals().isEmpty()
        ? 0.0
        : calibration.residuals().of(row.job, row.source, row.version).log;
    return seconds * std::exp(log) / row.seconds - 1.0;
}

} // namespace

class tst_TrainingTable : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        if (test::realFiles().empty())
            return;
        std::ifstream file(test::realFiles() + "/data/measured_training.csv");
        const std::string csv{
            std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
        if (csv.empty())
            return;
        const auto rows = readTrainingTable(csv, catalogue::modelCatalogue());
        QVERIFY(rows.hasValue());
        for (const TableRow& row : rows.value()) {
            m_rows += 1;
            m_refused += row.job ? 0 : 1;
            QVERIFY(row.job || !row.unsupported.empty());
            const auto seconds = row.measuredSeconds();
            if (!row.job || !seconds)
                continue;
            m_published.jobs.push_back(
                {*row.job, *seconds, row.publisher, row.version, row.isQualified});
            m_published.isMixture.push_back(row.job->model.experts > 1);
        }
    }

    void aRowIsAJob() {
        const TableRow row
            = rowOf("NVIDIA NeMo 24.07,H100 SXM 80GB,64,8,LLAMA2-70B,80,8192,64,8,28672,4096,32000,"
                    "fp8,4,4,20,1,,DDP+dist-opt,1,128,none,,1707,759,");
        QVERIFY2(row.job.has_value(), row.unsupported.c_str());
        const predict::Job& job = *row.job;
        QCOMPARE(job.layout.grid.degrees().data, 4);
        QCOMPARE(job.microbatches(), 32); // 128 / (1 × 4)
        QCOMPARE(job.layout.virtualStages, 20);
        QCOMPARE(job.layout.sharding->zeroStage, 1);
        QCOMPARE(job.stack, std::string("nemo-24.07"));
        QVERIFY(job.sequenceParallel);
        QVERIFY(job.precision == predict::Precision::Fp8);
        // 128 samples of 4096 tokens over 64 GPUs at 1707 tokens/s each.
        QVERIFY(std::abs(*row.measuredSeconds() - 128.0 * 4096 / (1707.0 * 64)) < 1e-9);
        QCOMPARE(row.publisher, std::string("NVIDIA NeMo 24.07"));
    }

    void numbersHaveFootnotesAndSecondValues() {
        const TableRow row = rowOf(
            "\"NVIDIA Megatron-Bridge performance summary, 26.06.01 NeMo Container\",DGX-GB200,64,"
            "4,GPT OSS 120B,,,,,,4096,,MXFP8,1,1,n/a,1,64,,4,1280,,,18304,597[^gpt-oss-note],");
        QVERIFY2(row.job.has_value(), row.unsupported.c_str());
        QVERIFY(row.isQualified);
        QCOMPARE(*row.measured.flopsPerGpu, 597e12);
        QCOMPARE(row.job->model.experts, 128); // by its name
        QCOMPARE(row.job->layout.grid.degrees().expertTensor, 1);
        QVERIFY(row.version > 26.4 && row.version < 26.5);
        const TableRow two = rowOf(
            "\"NVIDIA Megatron-Bridge performance summary, 25.11 NeMo Container\",DGX-GB200,8,4,"
            "LLAMA3_8B,32,4096,32,8,14336,8192,,FP8-CS (FP8-MX),1,1,n/a,1,1,DDP+dist-opt,2,128,,,"
            "31508 (29789),1622 (1533),");
        QCOMPARE(*two.measured.tokensPerSecondPerGpu, 31508.0);
        QVERIFY(two.job->precision == predict::Precision::Fp8);
    }

    // GPT of 125 million with tables that are not tied: 12·(12·768² + 13·768) + 2·50304·768 +
    // 1024·768 + 2·768 parameters; Llama 1B with a gated MLP of 4 × hidden.
    void plainRows() {
        const std::string head
            = "source,gpu,n_gpus,model,params,layers,hidden,heads,kv_heads,ffn,"
              "seq_len,vocab,precision,mode,compiled,stack,micro_batch,recompute\n";
        const auto job = [&](const std::string& line) {
            const auto rows = readTrainingTable(head + line + "\n", catalogue::modelCatalogue());
            return *rows.value().at(0).job;
        };
        const std::string gpt = "one,H100,1,gpt125m,163109376,12,768,12,12,3072,1024,50304,";
        predict::Job one = job(gpt + "bf16-autocast,,,,16,none");
        QVERIFY(!one.model.tiedEmbeddings && !one.model.gatedMlp);
        QCOMPARE(textOf(one.stated()), std::string("bf16-autocast"));
        QVERIFY(one.kernels() == analysis::Kernels::Eager);
        QVERIFY(one.castsWeights());
        one = job(gpt + "bf16,pure,True,,16,full");
        QCOMPARE(textOf(one.stated()), std::string("bf16-pure"));
        QCOMPARE(one.stack, std::string("pytorch-compiled"));
        QVERIFY(!one.castsWeights() && one.recompute == predict::Recompute::Full);
        QCOMPARE(textOf(job(gpt + ",bf16,,,16,").stated()), std::string("bf16-pure"));
        QCOMPARE(textOf(job(gpt + ",autocast,,,16,").stated()), std::string("bf16-autocast"));
        QCOMPARE(textOf(job(gpt + "\"bf16,states=bf16\",,,,16,").stated()),
            std::string("bf16,states=bf16"));
        QCOMPARE(job(gpt + "bf16,,,megatron-lm,16,").stack, std::string("megatron-lm"));
        one = job(
            "one,H100,1,llama1b,1498482688,16,2048,32,8,8192,2048,128256,bf16-pure,,,,4,none");
        QVERIFY(one.model.gatedMlp && !one.model.tiedEmbeddings);
        // Without its number of parameters the name's usual form is taken.
        QVERIFY(job("one,H100,1,gpt125m,,12,768,12,12,3072,1024,50304,bf16,,,,16,none")
                    .model.tiedEmbeddings);
    }

    // Habits of submissions to MLPerf, by their container and their notes.
    void rowsOfMlPerf() {
        const std::string head = "source,url_or_repo_path,gpu,n_gpus,gpus_per_node,model,layers,"
                                 "hidden,heads,kv_heads,ffn,seq_len,vocab,precision,tp,pp,vpp,cp,"
                                 "micro_batch,global_batch,step_time_s,notes\n";
        const auto job = [&](const std::string& line) {
            const auto rows = readTrainingTable(head + line + "\n", catalogue::modelCatalogue());
            return *rows.value().at(0).job;
        };
        const std::string dense
            = "DGX-H100,2048,8,LLAMA3.1_405B,126,16384,128,8,53248,8192,128256,FP8,8,8,8,2,1,1152,"
              "14.2,CUDA graphs on GB200 (_cg)";
        const predict::Job one = job("MLPerf Training v5.0 x,a/b_ngc25.01_nemo/c," + dense);
        QCOMPARE(one.stack, std::string("mlperf-nemo-25.01"));
        QVERIFY(one.sequenceParallel && !one.execution.graphs && !one.execution.attention8);
        QCOMPARE(one.layout.sharding->zeroStage, 1);
        QCOMPARE(one.kept.weights.value_or(0.0), 1.0);
        QCOMPARE(job("MLPerf Training v5.0 x,a/b_ngc25.04_nemo/c," + dense).stack,
            std::string("mlperf-nemo-25.04"));
        const predict::Job before = job("MLPerf Training v4.1 x,a," + dense);
        QCOMPARE(before.stack, std::string("mlperf-nemo-24.10"));
        QCOMPARE(before.kept.weights.value_or(0.0), 1.0);
        const std::string lora = "MLPerf Training v5.0 llama2_70b_lora,a,B200,64,8,llama2-70b "
                                 "LoRA,80,8192,64,8,28672,8192,32000,FP8,1,1,1,8,1,8,0.25,"
                                 "\"FP8 attention (FP8_DPA); CUDA graphs where cp=";
        const predict::Job graphs = job(lora + "8\"");
        QCOMPARE(graphs.stack, std::string("mlperf-nemo-25.04"));
        QVERIFY(graphs.execution.graphs && graphs.execution.attention8);
        QCOMPARE(analysis::textOf(graphs.adapters), std::string("16:qkv+out"));
        QVERIFY(!job(lora + "4\"").execution.graphs);
        // Tensor parallelism of a source that is not known cuts the part between products,
        // as it does in a job that is asked for.
        QVERIFY(job("somebody,a," + dense).sequenceParallel);
    }

    // None of these rows was off by less than a fifth before: weights in 8 bits were cast, and what
    // is between products was not cut.
    void publishedRowsOfMlPerf() {
        std::ifstream file(test::realFiles() + "/data/measured_mlperf.csv");
        const std::string csv{
            std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
        if (test::realFiles().empty() || csv.empty())
            QSKIP("The published rows of MLPerf are not there.");
        Errors errors;
        for (const TableRow& row : readTrainingTable(csv, catalogue::modelCatalogue()).value()) {
            QVERIFY2(row.job.has_value(), row.unsupported.c_str());
            errors.push_back(errorOf({*row.job, *row.measuredSeconds(), row.publisher, row.version},
                predict::RateTable::builtIn(), {}));
            QVERIFY2(std::abs(errors.back()) < 0.20, qPrintable(QString::number(errors.back())));
        }
        qInfo("MLPerf: %.2f %%", 100.0 * meanOf(errors));
        QVERIFY(meanOf(errors) <= 0.08);
    }

    // Rounds of which nothing was fitted (results of MLPerf Training v4.0 and v4.1, NVIDIA's and
    // Azure's: global batch over the median of the throughput that the result's log tracks, or its
    // step times; layout from the configuration beside it). 24.04 on 1,024 H100 waits for its hosts
    // more than 24.09 with graphs does, 0.66 against 0.55 s.
    void otherRoundsOfMlPerf() {
        const std::string lora = ",llama2-70b LoRA,80,8192,64,8,28672,8192,32000,FP8,";
        const std::string gpt = ",GPT3-175B,96,12288,96,96,49152,2048,51200,FP8,";
        const std::string before = "MLPerf Training v4.0 llama2_70b_lora,";
        const std::string after = "MLPerf Training v4.1 llama2_70b_lora,";
        const std::string dense = "MLPerf Training v4.1 gpt3,";
        const std::string attention = ",,,FP8 attention (FP8_DPA)";
        const std::string graphs = ",,,CUDA graphs";
        const std::vector<std::string> lines{
            before + "H100,8,8" + lora + "4,1,1,1,1,,1,8,none,3.711" + attention,
            before + "H200,8,8" + lora + "2,1,1,1,1,,1,8,none,3.230" + attention,
            before + "H100,1024,8" + lora + "4,1,1,2,1,,1,128,none,0.656" + attention,
            after + "H100,8,8" + lora + "4,1,1,1,1,,1,8,none,3.677" + attention,
            after + "H200,8,8" + lora + "2,1,1,1,1,,1,8,none,3.237" + attention,
            after + "H100,64,8" + lora + "4,1,1,2,1,,1,8,none,0.5413" + graphs,
            after + "H100,1024,8" + lora + "4,1,1,2,1,,1,128,none,0.5461" + graphs,
            after + "H200,512,8" + lora + "4,1,1,2,1,,1,64,none,0.5709" + graphs,
            after + "B200,8,8" + lora + "1,1,1,2,1,,1,8,none,1.7032" + attention + "; CUDA graphs",
            dense + "H100,512,8" + gpt + "4,8,4,1,1,DDP+dist-opt,2,2048,none,9.488,,,",
            dense + "H100,256,8" + gpt + "4,8,4,1,1,DDP+dist-opt,2,2048,none,18.37,,,",
            dense + "H100,11616,8" + gpt + "4,6,8,1,1,DDP+dist-opt,1,2904,none,0.9231" + graphs,
            dense + "B200,64,8" + gpt + "4,8,6,1,1,DDP+dist-opt,2,2048,none,36.05" + graphs,
        };
        Errors errors;
        for (const std::string& line : lines) {
            const TableRow row = rowOf(line);
            QVERIFY2(row.job.has_value(), row.unsupported.c_str());
            QCOMPARE(row.job->stack, std::string("mlperf-nemo-24.10"));
            QVERIFY(fits(*row.job));
            errors.push_back(errorOf({*row.job, *row.measuredSeconds(), row.publisher, row.version},
                predict::RateTable::builtIn(), {}));
            qInfo("%s: %+.1f %%", line.substr(16, 30).c_str(), 100.0 * errors.back());
            QVERIFY(std::abs(errors.back()) < 0.20);
        }
        QVERIFY(meanOf(errors) <= 0.08);
    }

    // Narayanan et al. 2021, table 1, on up to 3,072 A100: of the steps that its equation 3 makes
    // of its TFLOP/s, recomputed ones counted. Nothing of it was fitted; its Megatron-LM is that of
    // Korthikanti et al. a year later without what these added.
    void megatronOnThousands() {
        struct Large {
            int layers, hidden, heads, gpus, stages, batch;
            double tflops;
        };
        Errors errors;
        for (const Large& one : std::vector<Large>{{48, 8192, 64, 512, 2, 1536, 138},
                 {60, 10240, 80, 1024, 4, 1792, 140}, {80, 12288, 96, 1536, 8, 2304, 148},
                 {96, 16384, 128, 1920, 16, 2160, 155}, {105, 20480, 128, 2520, 35, 2520, 163},
                 {128, 25600, 160, 3072, 64, 3072, 163}}) {
            const double hidden = one.hidden;
            const double seconds = 96.0 * one.batch * 2048 * one.layers * hidden * hidden
                * (1.0 + 2048 / (6.0 * hidden) + 51200 / (16.0 * one.layers * hidden))
                / (one.gpus * one.tflops * 1e12);
            const TableRow row
                = rowOf("Narayanan et al. 2021,A100-80GB SXM," + std::to_string(one.gpus)
                    + ",8,GPT," + std::to_string(one.layers) + "," + std::to_string(one.hidden)
                    + "," + std::to_string(one.heads) + ",," + std::to_string(4 * one.hidden)
                    + ",2048,51200,fp16,8," + std::to_string(one.stages) + ",,1,1,,1,"
                    + std::to_string(one.batch) + ",full," + std::to_string(seconds) + ",,,");
            QVERIFY2(row.job.has_value(), row.unsupported.c_str());
            const predict::Prediction made = predict::Predictor().predict(*row.job).value();
            errors.push_back(made.seconds / seconds - 1.0);
            QVERIFY(made.low <= seconds && seconds <= made.high);
        }
        qInfo("Megatron-LM 2021: %.1f %%", 100.0 * meanOf(errors));
        QVERIFY(meanOf(errors) < 0.04);
    }

    // A job whose software nobody says has one interval, whoever asks: with 7.5 % for its habits.
    void unknownSoftwareIsWide() {
        const TableRow row = rowOf("A report,H100,64,8,Llama 3 8B,32,4096,32,8,14336,8192,128256,"
                                   "BF16,2,1,,1,1,,1,64,none,,,400,");
        QVERIFY(row.job && row.job->stack.empty());
        const predict::Prediction asked = predict::Predictor().predict(*row.job).value();
        const predict::Prediction published
            = predict::Predictor().predict(*row.job, {row.publisher, 0.0}).value();
        QCOMPARE(asked.low, published.low);
        QCOMPARE(asked.high, published.high);
        const double spread = std::log(asked.high / asked.low) / (2.0 * 1.645);
        QVERIFY(std::abs(std::hypot(asked.spread.total(), 0.075) / spread - 1.0) < 0.01);
    }

    void refusals_data() {
        const auto row = test::columns<QByteArray, QByteArray>("line", "reason");
        row("micro-batch", "a,H100,8,8,m,2,1024,8,,,2048,,bf16,1,1,,,,,,64,,,,,",
            "The row does not say micro_batch.");
        row("GPU", "a,K80,8,8,m,2,1024,8,,,2048,,bf16,1,1,,,,,1,64,,,,,",
            "The GPU \"K80\" is not in the catalogue.");
        row("shape", "a,H100,8,8,Unknown 9B,,,,,,2048,,bf16,1,1,,,,,1,64,,,,,", "Unknown 9B");
        row("precision", "a,H100,8,8,m,2,1024,8,,,2048,,int3,1,1,,,,,1,64,,,,,", "int3");
        row("batch", "a,H100,8,8,m,2,1024,8,,,2048,,bf16,1,1,,,,,3,64,,,,,",
            "no multiple of micro-batch 3");
        row("ranks", "a,H100,8,8,m,2,1024,8,,,2048,,bf16,3,1,,,,,1,64,,,,,",
            "8 ranks are not divisible");
        // Products beyond what an int holds, and zeros to divide by.
        row("hidden", "a,H100,8,8,m,2,564097972,8,,,2048,,bf16,1,1,,,,,1,64,,,,,",
            "does not say the shape");
        row("samples", "a,H100,9999999,8,m,2,1024,8,,,2048,,bf16,1,1,,,,,9999999,,,,,,",
            "A global batch of 99999980000001 is beyond any job");
        row("degrees", "a,H100,8,0,m,2,1024,8,,,2048,,bf16,1e7,1e7,,1e7,,,1,64,,,,,", "DP 0");
        row("stages", "NVIDIA NeMo 24.07,H100,8,8,m,2,1024,8,,,2048,,bf16,1,0,,,,,1,64,,,,,",
            "must be at least 1");
    }
    void refusals() {
        QFETCH(const QByteArray, line);
        QFETCH(const QByteArray, reason);
        const TableRow row = rowOf(line.toStdString());
        QVERIFY(!row.job);
        VERIFY_SAYS(row.unsupported, reason.toStdString());
    }

    void whatIsNoTable() {
        for (const char* text : {"", "a,b,c\n1,2,3\n", "{}"})
            QVERIFY(!readTrainingTable(text, catalogue::modelCatalogue()).hasValue());
    }

    // The goals of the shipped constants, which were fitted on these rows.
    void shippedConstants() {
        const auto [dense, mixtures]
            = m_published.split(errorsWith([](std::size_t) { return predict::Calibration{}; }));
        if (dense.empty())
            QSKIP("The published training runs are not there.");
        QVERIFY(dense.size() >= 202);
        QVERIFY(mixtures.size() >= 85);
        qInfo("%d rows, %d refused; dense %.2f %%, mixtures %.2f %%", m_rows, m_refused,
            100.0 * meanOf(dense), 100.0 * meanOf(mixtures));
        QVERIFY(meanOf(dense) <= 0.045);
        QVERIFY(meanOf(mixtures) <= 0.20);
    }

    // Five-fold: each row from the other four fifths, beginning with the estimates before any fit.
    void calibrated() {
        if (m_published.jobs.empty())
            QSKIP("The published training runs are not there.");
        constexpr std::size_t kFolds = 5;
        const predict::RateTable table = test::estimatedRates();
        Errors errors(m_published.jobs.size());
        int covered = 0;
        for (std::size_t fold = 0; fold < kFolds; ++fold) {
            std::vector<predict::MeasuredJob> known;
            for (std::size_t i = 0; i < errors.size(); ++i) {
                if (foldOf(i, kFolds) != fold)
                    known.push_back(m_published.jobs[i]);
            }
            const auto calibration = predict::Calibration::of(known, table);
            for (std::size_t i = 0; i < errors.size(); ++i) {
                if (foldOf(i, kFolds) != fold)
                    continue;
                const predict::MeasuredJob& row = m_published.jobs[i];
                errors[i] = errorOf(row, table, calibration);
                const double spread
                    = calibration.residuals().of(row.job, row.source, row.version).spread.own;
                covered += std::abs(std::log1p(errors[i])) <= 1.645 * spread ? 1 : 0;
            }
        }
        const auto [dense, mixtures] = m_published.split(errors);
        const double share = 1.0 * covered / static_cast<double>(errors.size());
        qInfo("dense %.2f %%, mixtures %.2f %%, covered %.0f %%", 100.0 * meanOf(dense),
            100.0 * meanOf(mixtures), 100.0 * share);
        QVERIFY(meanOf(dense) <= 0.034); // 3 % is the goal, 3.1 % with ten folds
        QVERIFY(meanOf(mixtures) <= 0.08);
        QVERIFY(share >= 0.85 && share <= 0.97);
    }

    // Each publisher from the others, beginning with the estimates.
    void neverSeen() {
        if (m_published.jobs.empty())
            QSKIP("The published training runs are not there.");
        const predict::RateTable table = test::estimatedRates();
        std::map<std::string, predict::RateFactors> factors;
        Errors errors;
        for (const predict::MeasuredJob& row : m_published.jobs) {
            const std::string family = familyOf(row.source);
            if (!factors.contains(family)) {
                std::vector<predict::MeasuredJob> others;
                for (const predict::MeasuredJob& other : m_published.jobs) {
                    if (familyOf(other.source) != family)
                        others.push_back(other);
                }
                factors[family] = predict::fitRateFactors(others, table).factors;
            }
            const auto rates = table.ratesOf(row.job, factors[family]).value();
            errors.push_back(
                predict::predictStep(row.job, rates).value().seconds / row.seconds - 1.0);
        }
        const auto [dense, mixtures] = m_published.split(errors);
        qInfo("dense %.2f %%, mixtures %.2f %%", 100.0 * meanOf(dense), 100.0 * meanOf(mixtures));
        QVERIFY(meanOf(dense) <= 0.08);
        QVERIFY(meanOf(mixtures) <= 0.20);
    }

    // Nor of MLPerf's rows any. A row a tenth over its GPU is called so: the adapters' run
    // without tensor parallelism on 80 GB, 405B on half of its pipeline.
    void mlperfFits() {
        if (test::realFiles().empty())
            QSKIP("The rows of MLPerf are not there.");
        std::ifstream file(test::realFiles() + "/data/measured_mlperf.csv");
        const std::string csv{
            std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
        const auto rows = readTrainingTable(csv, catalogue::modelCatalogue()).value();
        QCOMPARE(rows.size(), std::size_t{12});
        for (const TableRow& row : rows) {
            QVERIFY2(row.job.has_value(), row.unsupported.c_str());
            QVERIFY(row.assumed.empty());
            QVERIFY2(fits(*row.job), qPrintable(QString::number(row.row)));
        }
        predict::Job adapters = *rows[4].job;
        QVERIFY(adapters.workload == Workload::Lora);
        adapters.machine.gpu = *catalogue::findGpuModel("H100");
        QVERIFY(!fits(adapters));
        predict::Job large = *rows[2].job;
        large.machine.gpu.memoryBytes = needOf(large) / 1.1;
        QVERIFY(!fits(large));
    }

    // Adapters' run on an H200 without tensor parallelism fits as their configurations have ways
    // for: functions' inputs in 8 bits, activations of 20 layers in the host's memory. On 80 GB
    // nothing helps.
    void mlperfsOwnWaysToFit() {
        const std::string rest = ",8,8,llama2-70b LoRA,80,8192,64,8,28672,8192,32000,FP8,1,1,1,1,1,"
                                 ",1,8,none,3.1,,,";
        const TableRow row = rowOf("MLPerf Training v5.0 llama2_70b_lora,H200" + rest);
        QVERIFY2(row.job.has_value(), row.unsupported.c_str());
        QCOMPARE(row.assumed.size(), std::size_t{2});
        QCOMPARE(row.job->offload.layers, 20);
        QCOMPARE(row.job->kept.function.value_or(0.0), 1.0);
        QVERIFY(fits(*row.job));
        const TableRow small = rowOf("MLPerf Training v5.0 llama2_70b_lora,H100" + rest);
        QVERIFY(small.assumed.empty() && !fits(*small.job));
    }

    // Adapters' 70B on one B200 by hand: 80 layers of weights in 8 bits, tables of 32,000 words in
    // 16, adapters of rank 16 at queries, keys and values and at attention's output; 8,192 tokens
    // that keep in each layer the norms' inputs 4 · 8192, 2 · 8192 for either adapter, (8192 + 2 ·
    // 1024 + 8192) in 8 bits for attention, 2 · 28672 in 8 bits for the function, and 2 · 16 in
    // either.
    void adaptersOfMlperf() {
        const TableRow row
            = rowOf("MLPerf Training v5.0 llama2_70b_lora,B200,8,8,llama2-70b LoRA,80,"
                    "8192,64,8,28672,8192,32000,FP8,1,1,1,1,1,,1,8,none,1.5427,,,");
        QVERIFY2(row.job.has_value(), row.unsupported.c_str());
        const auto need
            = analysis::fullestOf(analysis::stageNeedsOf(predict::memoryRequestOf(*row.job)));
        const double layer = 2.0 * 8192 * 8192 + 2.0 * 8192 * 1024 + 3.0 * 8192 * 28672 + 2 * 8192;
        const double adapters = 80 * 16.0 * (8192 + 10240 + 8192 + 8192);
        const double weights = 80 * layer + 2.0 * (2.0 * 8192 * 32000 + adapters);
        QVERIFY(std::abs(need.weights / weights - 1.0) < 1e-9);
        const double token = 8.0 * 8192 + 2 * 8192 + 2 * 1024 + 2 * 28672 + 2 * 2 * 16;
        QVERIFY(std::abs(need.held / (80.0 * 8192 * token) - 1.0) < 1e-9);
    }

    // Llama 3 405B (Llama team 2024, table 4), of a source whose habits are not known: what is not
    // said is taken so that it fits, and said.
    void whatRanIsTakenToFit() {
        const char* const middle = ",8,Llama 3.1 405B,126,16384,128,8,53248,";
        for (const char* const sharding : {"", "DDP+dist-opt"}) {
            for (const char* const pieces : {"", "4", "8"}) {
                const TableRow row
                    = rowOf(std::string("A report,H100,16384") + middle + "8192,128256,BF16,8,16,"
                        + pieces + ",1,1," + sharding + ",1,2048,none,,,400,");
                QVERIFY2(row.job.has_value(), row.unsupported.c_str());
                QVERIFY(row.job->sequenceParallel);
                QVERIFY(!row.assumed.empty());
                QVERIFY(fits(*row.job));
            }
        }
        // FSDP keeps what its pipeline gathered, and reduces gradients as they come.
        const TableRow sharded = rowOf(std::string("A report,H100,8192") + middle
            + "8192,128256,BF16,8,16,,1,1,FSDP,1,2048,,,,430,");
        QVERIFY(!sharded.assumed.empty());
        QCOMPARE(sharded.assumed.front(),
            std::string("gradients that are reduced with each micro-batch"));
        QVERIFY(fits(*sharded.job));
        // Nothing helps where twice the layers are on a stage.
        const TableRow none = rowOf(std::string("A report,H100,16384") + middle
            + "8192,128256,BF16,8,4,,1,1,DDP+dist-opt,1,2048,none,,,400,");
        QVERIFY(none.assumed.empty());
        QVERIFY(!fits(*none.job));
    }

    // DeepSeek-V3 (arXiv 2412.19437) on 2,048 H800: both directions at once, it fits, and lasts as
    // long.
    void deepSeekPipesBothWays() {
        const TableRow row
            = rowOf("DeepSeek-V3 Technical Report,H800,2048,8,DeepSeek-V3,,,,,,4096,,FP8,1,16,1,1,"
                    "64,ZeRO-1,1,15360,,,,,");
        QVERIFY2(row.job.has_value(), row.unsupported.c_str());
        QVERIFY(row.job->layout.schedule == layout::ScheduleKind::DualPipe);
        QVERIFY(row.job->recomputedParts.latentProjections);
        QVERIFY(fits(*row.job));
        const predict::Prediction made = predict::Predictor().predict(*row.job).value();
        QVERIFY(made.isFromDataSheet);
        // 180 thousand GPU hours for 10¹² tokens: 19.9 s for 15,360 samples of 4,096. Nothing of it
        // was fitted.
        const double published = 180e3 * 3600 / 2048 * 15360.0 * 4096 / 1e12;
        QVERIFY(made.low <= published && published <= made.high);
        QVERIFY(std::abs(made.seconds / published - 1.0) < 0.1);
        // Named by its number alone.
        QCOMPARE(rowOf("arXiv 2412.19437,H800,2048,8,DeepSeek-V3,,,,,,4096,,FP8,1,16,1,1,64,"
                       "ZeRO-1,1,15360,,,,,")
                     .job->stack,
            std::string("deepseek-v3"));
    }

    // Dense runs were made, so memory sufficed.
    void noneRunsOutOfMemory() {
        int wrong = 0;
        for (const predict::MeasuredJob& row : m_published.jobs) {
            const auto capacity = row.job.machine.gpu.memoryBytes;
            const auto need
                = analysis::fullestOf(analysis::stageNeedsOf(predict::memoryRequestOf(row.job)));
            if (capacity && !need.fits(*capacity))
                ++wrong;
        }
        if (m_published.jobs.empty())
            QSKIP("The published training runs are not there.");
        QVERIFY2(wrong <= 3, qPrintable(QString::number(wrong))); // DeepSeek-V3 on GB300, by 1 %
    }

    // And a tenth more than there is does not fit, whatever the row.
    void aTenthMoreDoesNotFit() {
        if (m_published.jobs.empty())
            QSKIP("The published training runs are not there.");
        for (const predict::MeasuredJob& row : m_published.jobs) {
            predict::Job job = row.job;
            job.machine.gpu.memoryBytes = needOf(job) / 1.1;
            QVERIFY(predict::Predictor().estimate(job).value().isOom);
            job.machine.gpu.memoryBytes = needOf(job) * 1.001;
            QVERIFY(!predict::Predictor().estimate(job).value().isOom);
        }
    }

private:
    static double needOf(const predict::Job& job) {
        return analysis::fullestOf(analysis::stageNeedsOf(predict::memoryRequestOf(job))).total();
    }
    static bool fits(const predict::Job& job) {
        return needOf(job) <= job.machine.gpu.memoryBytes.value();
    }
    static std::size_t foldOf(std::size_t row, std::size_t folds) {
        return row * 7919 % 1009 % folds;
    }
    static std::string familyOf(const std::string& publisher) {
        return publisher.substr(0, publisher.find_first_of(" ("));
    }
    Errors errorsWith(const std::function<predict::Calibration(std::size_t)>& calibrationOf) const {
        Errors errors;
        for (std::size_t i = 0; i < m_published.jobs.size(); ++i)
            errors.push_back(
                errorOf(m_published.jobs[i], predict::RateTable::builtIn(), calibrationOf(i)));
        return errors;
    }

    Published m_published;
    int m_rows = 0;
    int m_refused = 0;
};

TRAINSCOPE_TEST(tst_TrainingTable)
#include "tst_TrainingTable.moc"
