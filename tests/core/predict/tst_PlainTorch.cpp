// One GPU in plain PyTorch, compiled or not: step, memory and power against recorded runs of one
// H100, shipped and left out one by one; operators against those that were timed by themselves.

#include "core/predict/calibration/RateFit.h"
#include "core/predict/cost/Analytic.h"
#include "core/predict/operators/Layer.h"
#include "core/predict/power/StepLoads.h"
#include "core/predict/prediction/JobRequest.h"
#include "core/predict/prediction/Prediction.h"
#include "core/predict/search/Search.h"
#include "support/EstimatedRates.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

using namespace trainscope::predict;

namespace {

struct Recorded {
    std::string name;
    Job job;
    double seconds = 0.0;
    double watts = 0.0;
    double allocated = 0.0; // B, at most; 0: not known
    double reserved = 0.0;
};

// A decoder of GPT's kind: biases, LayerNorm, GELU, positions that are learnt.
JobRequest gptOf(int layers, int hidden, int heads, int sequence) {
    JobRequest request;
    request.model.name = "gpt";
    request.model.layers = layers;
    request.model.hidden = hidden;
    request.model.heads = request.model.kvHeads = heads;
    request.model.headSize = hidden / heads;
    request.model.ffn = 4 * hidden;
    request.model.vocabulary = 50304;
    request.cluster = clusterFrom("1x1xH100").value();
    request.sequence = sequence;
    return request;
}

JobRequest batchOf(JobRequest request, int microBatch, int globalBatch, bool isCompiled) {
    request.microBatch = microBatch;
    request.globalBatch = globalBatch;
    if (isCompiled)
        request.stack = kCompiledStack;
    return request;
}

Recorded recordedOf(const QJsonObject& row) {
    const auto number = [&](const char* key) { return row[QLatin1String(key)].toInt(); };
    JobRequest request = gptOf(number("layers"), number("hidden"), number("heads"), number("seq"));
    request.model.kvHeads = number("kv_heads");
    request.model.ffn = number("ffn");
    request.model.vocabulary = number("vocab");
    request.model.gatedMlp = request.model.rotary
        = row[QLatin1String("kind")].toString() == QLatin1String("llama");
    request = batchOf(request, number("micro_batch"), number("micro_batch") * number("accum"),
        row[QLatin1String("compiled")].toBool());
    const bool isPure = row[QLatin1String("mode")].toString() == QLatin1String("bf16");
    request.kept = statedPrecisionFrom(isPure ? "bf16-pure" : "bf16-autocast").value().kept;
    request.recompute
        = row[QLatin1String("recompute")].toBool() ? Recompute::Full : Recompute::None;
    return {row[QLatin1String("name")].toString().toStdString(), jobOf(request).value(),
        row[QLatin1String("step_median_s")].toDouble(),
        row[QLatin1String("mean_power_w")].toDouble(),
        row[QLatin1String("peak_alloc_b")].toDouble(),
        row[QLatin1String("peak_reserved_b")].toDouble()};
}

std::vector<Recorded> stepTimes() {
    QFile file(QString::fromStdString(test::realFiles() + "/data/h100_recording/step_times.json"));
    std::vector<Recorded> rows;
    if (test::realFiles().empty() || !file.open(QIODevice::ReadOnly))
        return rows;
    const QJsonArray all = QJsonDocument::fromJson(file.readAll()).array();
    for (const auto& row : all)
        rows.push_back(recordedOf(row.toObject()));
    return rows;
}

// Phases of the recorded training on the same GPU: 64 samples of 1,024 tokens a step. Seconds are
// medians of the last three quarters of each phase's iterations, watts by the energy counter over
// them.
std::vector<Recorded> phases() {
    struct Phase {
        const char* name;
        int microBatch;
        bool isCompiled;
        bool isRecomputed;
        double seconds;
        double watts;
    };
    std::vector<Recorded> rows;
    for (const Phase& phase : {Phase{"eager-4", 4, false, false, 0.3854, 528.2},
             Phase{"eager-16", 16, false, false, 0.2684, 684.9},
             Phase{"eager-16-recompute", 16, false, true, 0.3134, 684.3},
             Phase{"eager-64", 64, false, false, 0.2530, 691.3},
             Phase{"compiled-4", 4, true, false, 0.2755, 648.2},
             Phase{"compiled-16", 16, true, false, 0.2294, 692.9}}) {
        JobRequest request
            = batchOf(gptOf(12, 1024, 16, 1024), phase.microBatch, 64, phase.isCompiled);
        request.recompute = phase.isRecomputed ? Recompute::Full : Recompute::None;
        rows.push_back({phase.name, jobOf(request).value(), phase.seconds, phase.watts});
    }
    return rows;
}

// |predicted / measured − 1|.
struct PlainErrors {
    double sum = 0.0;
    double worst = 0.0;
    int count = 0;

    double add(double predicted, double measured) {
        const double error = predicted / measured - 1.0;
        sum += std::abs(error);
        worst = std::max(worst, std::abs(error));
        ++count;
        return 100.0 * error;
    }
    [[nodiscard]] double mean() const { return sum / count; }
};

MeasuredJob measuredStepOf(const Recorded& row) {
    return {row.job, row.seconds, "one H100", 0.0, false, row.name};
}

bool isEqualTo(double a, double b) {
    return std::abs(a / b - 1.0) < 1e-9;
}

class PlainFlop : public OperatorCosts, public CollectiveCosts {
public:
    [[nodiscard]] OperatorTime timeOf(const Operator& work) const override {
        return {forwardWork(work).flop * work.count, backwardWork(work).flop * work.count, 0.0};
    }
    [[nodiscard]] double secondsOf(const Collective&) const override { return 0.0; }
};

} // namespace

class tst_PlainTorch : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void usualSoftware() {
        const RateTable& table = RateTable::builtIn();
        JobRequest request = gptOf(12, 768, 12, 1024);
        QCOMPARE(table.stackOf(jobOf(request).value()), std::string("pytorch"));
        request.stack = "megatron-lm";
        QCOMPARE(table.stackOf(jobOf(request).value()), std::string("megatron-lm"));
        QVERIFY(jobOf(request).value().kernels() == analysis::Kernels::Library);
        request.stack.clear();
        request.cluster = clusterFrom("1x2xH100").value();
        request.globalBatch = 2;
        QCOMPARE(table.stackOf(jobOf(request).value()), std::string("megatron-lm"));
    }

    // With the constants that are shipped, which were fitted on these runs and on those of the next
    // test. True: steps 1.2 % in the mean and 2.1 % at most, memory 1.2 % and 2.5 %, power 1.4 %
    // and 2.6 %.
    void shipped() {
        const auto rows = stepTimes();
        if (rows.empty())
            QSKIP("The recording is not there.");
        PlainErrors seconds;
        PlainErrors memory;
        PlainErrors watts;
        for (const Recorded& row : rows) {
            const Prediction made = Predictor().predict(row.job).value();
            const double time = seconds.add(made.seconds, row.seconds);
            const double held = memory.add(made.memoryB, row.allocated);
            const double power = watts.add(made.outlook.meanW, row.watts);
            qInfo("%-32s step %+5.1f %%, memory %+5.1f %%, power %+5.1f %%", row.name.c_str(), time,
                held, power);
            QVERIFY(made.low < row.seconds && row.seconds < made.high);
            QVERIFY(made.intervals.memoryB.low < row.allocated);
            QVERIFY(made.intervals.meanW.low < row.watts && row.watts < made.intervals.meanW.high);
            // The allocator's other reserve is fragments.
            QVERIFY(made.memoryB < 1.1 * row.reserved);
        }
        qInfo("mean: step %.1f %%, memory %.1f %%, power %.1f %%", 100 * seconds.mean(),
            100 * memory.mean(), 100 * watts.mean());
        QVERIFY(seconds.mean() < 0.02 && seconds.worst < 0.04);
        QVERIFY(memory.mean() < 0.02 && memory.worst < 0.03);
        QVERIFY(watts.mean() < 0.025 && watts.worst < 0.04);
    }

    // True: steps 1.2 % in the mean and 2.1 % at most, power 2.8 % and 5.9 % (micro-batch 4, where
    // the host holds the GPU up).
    void recordedPhases() {
        PlainErrors seconds;
        PlainErrors watts;
        for (const Recorded& row : phases()) {
            const Prediction made = Predictor().predict(row.job).value();
            const double time = seconds.add(made.seconds, row.seconds);
            const double power = watts.add(made.outlook.meanW, row.watts);
            qInfo("%-20s step %+5.1f %%, power %+5.1f %%", row.name.c_str(), time, power);
            QVERIFY(made.low < row.seconds && row.seconds < made.high);
        }
        QVERIFY(seconds.mean() < 0.025 && seconds.worst < 0.05);
        QVERIFY(watts.mean() < 0.03 && watts.worst < 0.06);
    }

    // Each from the others alone, constants fitted anew from what they were before any fit. True:
    // steps 2.0 % in the mean and 3.7 % at most, power 1.4 % and 3.0 %.
    void leftOut() {
        const auto rows = stepTimes();
        if (rows.empty())
            QSKIP("The recording is not there.");
        const RateTable before = test::estimatedRates();
        PlainErrors seconds;
        PlainErrors watts;
        for (std::size_t out = 0; out < rows.size(); ++out) {
            std::vector<MeasuredJob> others;
            for (std::size_t i = 0; i < rows.size(); ++i) {
                if (i != out)
                    others.push_back(measuredStepOf(rows[i]));
            }
            const Predictor predictor(before, Calibration::of(others, before));
            const Prediction made = predictor.predict(rows[out].job).value();
            const double time = seconds.add(made.seconds, rows[out].seconds);
            const double power = watts.add(made.outlook.meanW, rows[out].watts);
            qInfo("%-32s left out: step %+5.1f %%, power %+5.1f %%", rows[out].name.c_str(), time,
                power);
            QVERIFY(made.low < rows[out].seconds && rows[out].seconds < made.high);
        }
        qInfo("mean: step %.1f %%, power %.1f %%", 100 * seconds.mean(), 100 * watts.mean());
        QVERIFY(seconds.mean() < 0.03 && seconds.worst < 0.05);
        QVERIFY(watts.mean() < 0.02 && watts.worst < 0.04);
    }

    // One kind of software from the other: the phases of the training from the seven models alone.
    // True: 2.6 % in the mean, 3.6 % at most.
    void phasesFromModels() {
        const auto rows = stepTimes();
        if (rows.empty())
            QSKIP("The recording is not there.");
        const RateTable before = test::estimatedRates();
        std::vector<MeasuredJob> known;
        for (const Recorded& row : rows)
            known.push_back(measuredStepOf(row));
        const Predictor predictor(before, Calibration::of(known, before));
        PlainErrors seconds;
        for (const Recorded& row : phases()) {
            const double time
                = seconds.add(predictor.predict(row.job).value().seconds, row.seconds);
            qInfo("%-20s from the models: step %+5.1f %%", row.name.c_str(), time);
        }
        QVERIFY(seconds.mean() < 0.04 && seconds.worst < 0.05);
    }

    // Bytes of AdamW: weights and both moments read and written, gradients read.
    void optimizer() {
        JobRequest request = gptOf(12, 768, 12, 1024);
        const auto bytes = [&](const char* precision) {
            request.kept = statedPrecisionFrom(precision).value().kept;
            return forwardWork(optimizerWork(jobOf(request).value(), 1e9)).bytes;
        };
        QCOMPARE(bytes("bf16"), 28e9);
        QCOMPARE(bytes("bf16-autocast"), 28e9);
        QCOMPARE(bytes("bf16-pure"), 14e9);
        QCOMPARE(bytes("bf16-master"), 2e9 * (2 + 8 + 4) + 2e9);
        // Timed by itself: 10.7057 ms.
        request.kept = {};
        const Job job = jobOf(request).value();
        const AnalyticCosts costs(RateTable::builtIn().ratesOf(job).value());
        const double seconds = costs.timeOf(optimizerWork(job, 1e9)).forward;
        QVERIFY(std::abs(seconds / 10.7057e-3 - 1.0) < 0.04);
    }

    // Checkpoints of PyTorch stop once all that the backward pass needs is there: of 24·T·h² FLOP
    // of a layer's products the last 8 are not done again, and causal scores are 2·T²·h.
    void recomputation() {
        JobRequest request = gptOf(12, 1024, 16, 1024);
        request.recompute = Recompute::Full;
        const Job job = jobOf(request).value();
        const PlainFlop costs;
        Rates rates = RateTable::builtIn().ratesOf(job).value();
        rates.gapSeconds = rates.hostSeconds = 0.0;
        const PieceCost piece = predictStep(job, rates, costs, costs).value().pieces.front();
        const double t = 1024;
        const double h = 1024;
        QVERIFY(isEqualTo(
            piece.backward[StepPart::Recomputation], 12.0 * (16.0 * t * h * h + 2.0 * t * t * h)));
    }

    // A layer of small kernels lasts what its host takes to launch it.
    void hostBound() {
        JobRequest request = gptOf(48, 256, 4, 128);
        const Job job = jobOf(request).value();
        Rates rates = RateTable::builtIn().ratesOf(job).value();
        const double host = 48 * rates.hostSeconds;
        const double seconds = predictStep(job, rates).value().seconds - rates.stepSeconds;
        QVERIFY(seconds > host && seconds < 1.03 * host);
        rates.hostSeconds = 0.0;
        QVERIFY(predictStep(job, rates).value().seconds < 0.5 * host);
    }

    // Constants of kernels by themselves are of the highest clock: the step is as long as the clock
    // that the limit leaves makes it.
    void clock() {
        JobRequest request = batchOf(gptOf(24, 2048, 16, 2048), 4, 4, false);
        const auto made = [&](double limitW) {
            request.cluster.powerLimitW = limitW;
            return Predictor().predict(jobOf(request).value()).value();
        };
        const Prediction free = made(2000.0);
        QCOMPARE(free.outlook.clockHz, 1.98e9);
        const Job job = jobOf(request).value();
        const Rates rates = RateTable::builtIn().ratesOf(job).value();
        QVERIFY(isEqualTo(free.seconds, predictStep(job, rates).value().seconds));
        double before = free.seconds;
        for (const double limit : {700.0, 600.0, 500.0, 400.0}) {
            const Prediction now = made(limit);
            QVERIFY(now.seconds > before);
            QVERIFY(std::abs(now.outlook.meanW / limit - 1.0) < 0.01);
            before = now.seconds;
        }
        request.cluster.powerLimitW.reset();
        request.cluster.clockHz = 0.99e9;
        const Prediction locked = Predictor().predict(jobOf(request).value()).value();
        QVERIFY(isEqualTo(locked.step.pieces.front().forward[StepPart::Gemm],
            2.0 * free.step.pieces.front().forward[StepPart::Gemm]));
    }

    // Estimates of a search are those of whole predictions.
    void search() {
        JobRequest request = batchOf(gptOf(24, 1024, 16, 1024), 1, 16, false);
        SearchRequest asked = searchLike(request);
        const SearchResult found = searchLayouts(asked, Predictor()).value();
        QVERIFY(!found.top.empty() && !found.feasible.empty());
        const Prediction best = Predictor().predict(found.top.front().job).value();
        QVERIFY(isEqualTo(best.seconds, found.top.front().prediction.seconds));
        QVERIFY(std::abs(found.feasible.front().seconds / best.seconds - 1.0) < 0.03);
    }

    // Operators that were timed by themselves on the same GPU, of a tenth of a millisecond or more.
    // Products follow traced trainings instead: with caches emptied before each and random numbers
    // they are slower, true by 13 % in the mean.
    void timedOperators() {
        std::ifstream file(test::realFiles() + "/data/h100_recording/operators.csv");
        if (test::realFiles().empty() || !file)
            QSKIP("The recording is not there.");
        std::map<std::string, PlainErrors> errors;
        std::string line;
        while (std::getline(file, line)) {
            std::istringstream cells(line);
            std::vector<std::string> row;
            for (std::string cell; std::getline(cells, cell, ',');)
                row.push_back(cell);
            if (!kTimed.contains(row[0]) || std::stod(row[6]) < 100.0 || std::stod(row[6]) > 3e3)
                continue; // longer ones lower the clock
            const OperatorTime time = timeOf(row);
            errors[row[0]].add(time.forward, 1e-6 * std::stod(row[6]));
            errors[row[0]].add(time.backward, 1e-6 * std::stod(row[7]));
        }
        for (const auto& [name, error] : errors) {
            qInfo("%-16s %2d of %4.1f %%", name.c_str(), error.count, 100.0 * error.mean());
            QVERIFY(error.count >= 4);
            QVERIFY(error.mean() < (name == "gemm" ? 0.16 : 0.13));
        }
        QCOMPARE(errors.size(), kTimed.size());
    }

private:
    // By constants before they were fitted to any step.
    static OperatorTime timeOf(const std::vector<std::string>& row) {
        JobRequest request = gptOf(12, 1024, 16, 1024);
        request.kept = statedPrecisionFrom("bf16-pure").value().kept;
        request.model.gatedMlp = row[0] == "swiglu";
        const Job job = jobOf(request).value();
        const AnalyticCosts costs(test::estimatedRates().ratesOf(job).value());
        Operator work{.kind = kTimed.at(row[0])};
        for (const Operator& one : layerWork(job, false).operators) {
            if (one.kind == work.kind)
                work = one;
        }
        work.batch = std::stod(row[5]);
        work.m = std::stod(row[2]);
        work.n = std::stod(row[3]);
        work.k = std::stod(row[4]);
        return costs.timeOf(work);
    }
    inline static const std::map<std::string, OperatorKind> kTimed{{"gemm", OperatorKind::Gemm},
        {"gelu", OperatorKind::Gelu}, {"swiglu", OperatorKind::Swiglu},
        {"flash_attention", OperatorKind::FlashAttention}};
};

TRAINSCOPE_TEST(tst_PlainTorch)
#include "tst_PlainTorch.moc"
