// Habits of software by hand: products that hide exchanges, casts and their scales, weights that
// nothing casts, graphs, switches that add up, and gradients behind the last passes of a pipeline.

#include "core/predict/calibration/Calibration.h"
#include "core/predict/cost/Analytic.h"
#include "core/predict/prediction/JobRequest.h"
#include "core/predict/step/Step.h"
#include "core/predict/support/CatalogueJob.h"
#include "support/TestProgram.h"

using namespace trainscope::predict;

namespace {

JobRequest llama(const char* stack, const char* layout, Precision precision = Precision::Fp8) {
    JobRequest request = test::jobRequest("llama3-70b", "8x8xH100", layout, 128, 8192);
    request.precision = precision;
    request.stack = stack;
    return request;
}

Rates ratesOf(const Job& job) {
    return RateTable::builtIn().ratesOf(job).value();
}

// Forward 4 s of qkv and 1 s of other products, twice as much backward.
class LongQkv : public OperatorCosts {
public:
    [[nodiscard]] OperatorTime timeOf(const Operator& work) const override {
        if (work.kind != OperatorKind::Gemm)
            return {};
        const double seconds = work.name == "qkv" ? 4.0 : 1.0;
        return {seconds, (work.hasFrozenWeights ? 1.0 : 2.0) * seconds, 0.0};
    }
};

// A second for each number that is cast.
class OnlyCasts : public OperatorCosts {
public:
    [[nodiscard]] OperatorTime timeOf(const Operator& work) const override {
        return work.kind == OperatorKind::Cast ? OperatorTime{work.m * work.n, 0.0, 0.0}
                                               : OperatorTime{};
    }
};

// 2 s, as much as the bytes of 16 bits take.
class ByBytes : public CollectiveCosts {
public:
    explicit ByBytes(double bytes)
        : m_bytes(bytes) { }
    [[nodiscard]] double secondsOf(const Collective& exchange) const override {
        return 2.0 * exchange.bytes / m_bytes;
    }

private:
    double m_bytes;
};

PieceCost exchangesOf(const Job& job, double hidden, double gatherBytes = 2.0) {
    Rates rates;
    rates.tensorHidden = hidden;
    rates.tensorBackward = 1.0;
    rates.gatherBytes = gatherBytes;
    const double bytes = 2.0 * job.sequence * job.model.hidden;
    return layerCostsOf(job, rates, LongQkv(), ByBytes(bytes)).dense.cost;
}

bool isExactly(double value, double expected) {
    return std::abs(value - expected) <= 1e-9 * std::abs(expected);
}

int castsOfWeights(const Job& job) {
    int number = 0;
    for (const Operator& one : layerWork(job, false).operators)
        number += one.kind == OperatorKind::Cast && one.count < 1.0 ? 1 : 0;
    return number;
}

} // namespace

class tst_StackHabits : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Four exchanges of 2 s. Half of each hides: 4 s are left of 8. All of them: that behind qkv is
    // gone, the three others show the second that their product is shorter. Backward qkv's weights
    // take 4 s and hide theirs.
    void exchangesBehindTheirProducts() {
        const Job job = jobOf(llama("megatron-bridge", "tp=8")).value();
        const auto tensor = [](const Breakdown& pass) { return pass[StepPart::TensorParallel]; };
        QVERIFY(isExactly(tensor(exchangesOf(job, 0.0).forward), 8.0));
        const PieceCost half = exchangesOf(job, 0.5);
        QVERIFY(isExactly(tensor(half.forward), 4.0));
        QVERIFY(isExactly(tensor(half.backward), 4.0));
        const PieceCost all = exchangesOf(job, 1.0);
        QVERIFY(isExactly(tensor(all.forward), 3.0));
        QVERIFY(isExactly(tensor(all.backward), 3.0));
        // Activations that are gathered in 8 bits take half, and hide behind a product of 1 s.
        QVERIFY(isExactly(tensor(exchangesOf(job, 0.0, 1.0).forward), 6.0));
        QVERIFY(isExactly(tensor(exchangesOf(job, 1.0, 1.0).forward), 2.0));
        // Frozen weights have no gradient to hide what is scattered back, but inputs have.
        JobRequest frozen = llama("megatron-bridge", "tp=8");
        frozen.workload = Workload::Lora;
        const PieceCost lora = exchangesOf(jobOf(frozen).value(), 1.0);
        QVERIFY(isExactly(tensor(lora.backward), 2.0 + 1.0 + 2.0 + 1.0));
    }

    // 2 B are read and 1 B written twice; for a scale of its own the tensor is read once more.
    void scalesAreReadFor() {
        Rates rates;
        rates.bandwidth = 1e12;
        rates.memory = rates.castPasses = 1.0;
        Operator cast{.kind = OperatorKind::Cast, .name = "cast", .m = 1e6, .n = 1e3};
        const auto seconds = [&](Precision precision, double reads) {
            rates.scaleReads = reads;
            cast.precision = precision;
            return AnalyticCosts(rates).timeOf(cast).forward;
        };
        QVERIFY(isExactly(seconds(Precision::Fp8, 0.0), 4e-3));
        QVERIFY(isExactly(seconds(Precision::Fp8, 1.0), 6e-3));
        QVERIFY(isExactly(seconds(Precision::MxFp8, 1.0), 4e-3));
    }

    // Frozen weights: 2 B are read and 1 B written once, since nothing is transposed for a
    // gradient. Numbers gathered in 8 bits are cast before, by each of 8 GPUs its part: of casts of
    // h, h/8, h and f/8 numbers of a token the first and the third.
    void fewerCasts() {
        const Operator cast{.kind = OperatorKind::Cast,
            .m = 10.0,
            .n = 10.0,
            .precision = Precision::Fp8,
            .hasFrozenWeights = true};
        QVERIFY(isExactly(forwardWork(cast).bytes, 300.0));
        const Job job = jobOf(llama("mlperf-nemo-25.04", "tp=8")).value();
        const auto elementwise = [&job](double gatherBytes) {
            Rates rates;
            rates.gatherBytes = gatherBytes;
            return layerCostsOf(job, rates, OnlyCasts(), ByBytes(1e30))
                .dense.cost.forward[StepPart::Elementwise];
        };
        const double tokens = 8192.0;
        const double hidden = 8192.0;
        const double parts = hidden / 8.0 + 28672.0 / 8.0;
        QVERIFY(isExactly(elementwise(2.0), tokens * (2.0 * hidden + parts)));
        QVERIFY(isExactly(elementwise(1.0), tokens * (2.0 * hidden / 8.0 + parts)));
    }

    void weightsThatNothingCasts() {
        const Job usual = jobOf(llama("megatron-bridge", "tp=4,pp=4,vpp=5")).value();
        QCOMPARE(castsOfWeights(usual), 4); // qkv, out, up, down
        const Job kept = jobOf(llama("mlperf-nemo-25.04", "tp=4,pp=4,vpp=5")).value();
        QCOMPARE(kept.kept.weights.value_or(0.0), 1.0);
        QCOMPARE(castsOfWeights(kept), 0);
        QVERIFY(!kept.execution.attention8);
        // In 16 bits nothing is cast, and what is said stays.
        const Job half = jobOf(llama("mlperf-nemo-25.04", "tp=8", Precision::Bf16)).value();
        QVERIFY(half.kept.isUsual());
        JobRequest said = llama("mlperf-nemo-25.04", "tp=4,pp=4,vpp=5");
        said.kept.weights = 2.0;
        QCOMPARE(castsOfWeights(jobOf(said).value()), 4);
    }

    void roundsDiffer() {
        JobRequest request = llama("mlperf-nemo-25.04", "tp=4");
        request.workload = Workload::Lora;
        QVERIFY(jobOf(request).value().execution.attention8);
        request.stack = "mlperf-nemo-24.10";
        const Job before = jobOf(request).value();
        QVERIFY(!before.execution.attention8); // unless a submission says so
        QCOMPARE(before.kept.weights, std::optional(1.0)); // fp8_params of their configurations
        QCOMPARE(ratesOf(before).gatherBytes, 1.0);
        QCOMPARE(ratesOf(before).inNetwork, 0.0);
        QCOMPARE(ratesOf(jobOf(llama("nemo-24.07", "tp=4")).value()).gatherBytes, 2.0);
        request.stack = "mlperf-nemo-25.01";
        QCOMPARE(ratesOf(jobOf(request).value()).gatherBytes, 1.0);
    }

    void attentionInEightBits() {
        Job job = jobOf(llama("mlperf-nemo-25.04", "tp=8")).value();
        const Rates half = ratesOf(job);
        job.execution.attention8 = true;
        QVERIFY(isExactly(ratesOf(job).attentionShare, half.attentionShare * half.attention8));
        job.precision = Precision::Bf16;
        QVERIFY(isExactly(ratesOf(job).attentionShare, half.attentionShare));
    }

    // A layer that is short for its GPU waits for its host, unless graphs are launched.
    void graphsAreLaunchedAtOnce() {
        JobRequest request = llama("mlperf-nemo-25.04", "tp=1");
        request.model = *catalogue::modelCatalogue().byName("llama3-8b");
        request.cluster = clusterFrom("1x1xH100").value();
        request.sequence = 256;
        const Job job = jobOf(request).value();
        request.execution.graphs = true;
        const Job graphs = jobOf(request).value();
        const Rates rates = ratesOf(job);
        QVERIFY(isExactly(ratesOf(graphs).hostSeconds, rates.graphShare * rates.hostSeconds));
        const Step waits = predictStep(job, rates).value();
        const Step goesOn = predictStep(graphs, ratesOf(graphs)).value();
        const PieceCost& piece = waits.pieces.front();
        const double gap = piece.forward[StepPart::Gap] + piece.backward[StepPart::Gap];
        const double all = piece.forward.total() + piece.backward.total();
        const double host = job.model.layers * rates.hostSeconds;
        QVERIFY(all - gap < 0.8 * host); // the GPU would be done before
        QVERIFY(std::abs(all / host - 1.0) < 0.03);
        QVERIFY(goesOn.breakdown[StepPart::Gap] < 0.01 * waits.breakdown[StepPart::Gap]);
    }

    // Two nodes of eight: a ring takes what is reduced out of the node and back, 15/16 each way, by
    // eight GPUs; switches have it once.
    void switchesAddUp() {
        Rates rates;
        rates.link = 1e15;
        rates.network = 50e9;
        const Collective sum{CollectiveKind::AllReduce, 80e9, 16, 8};
        QVERIFY(isExactly(AnalyticCosts(rates).secondsOf(sum), 2.0 * 80e9 * 15 / 16 / (8 * 50e9)));
        rates.inNetwork = 1.0;
        QVERIFY(isExactly(AnalyticCosts(rates).secondsOf(sum), 80e9 / (8 * 50e9)));
    }

    // Four stages of five pieces: 4 · 4/5 micro-batches go on while gradients are reduced; of one
    // piece each the last one.
    void gradientsBehindTheLastPasses() {
        const auto exposed = [](const Job& job, double hidden, double* microBatch) {
            Rates rates = ratesOf(job);
            rates.dataExposed = 0.0;
            rates.dataHidden = hidden;
            rates.network = 1e9; // long enough to show
            const Step step = predictStep(job, rates).value();
            const Breakdown& parts = step.breakdown;
            *microBatch = (step.seconds - parts[StepPart::Bubble] - parts[StepPart::DataParallel]
                              - parts[StepPart::Optimizer] - parts[StepPart::Jitter])
                / job.microbatches();
            return parts[StepPart::DataParallel];
        };
        for (const auto& [layout, passes] :
            std::map<std::string, double>{{"tp=4,pp=4,vpp=5", 3.2}, {"tp=4,pp=4", 1.0}}) {
            JobRequest request = llama("megatron-lm", layout.c_str());
            request.model.vocabulary = 128; // all stages are equal
            const Job job = jobOf(request).value();
            double microBatch = 0.0;
            const double all = exposed(job, 0.0, &microBatch);
            const double left = exposed(job, 0.5, &microBatch);
            QVERIFY(left > 0.0);
            QVERIFY2(
                std::abs((all - left) / (0.5 * passes * microBatch) - 1.0) < 0.02, layout.c_str());
        }
    }

    // Constants that a stack has from another are the other's, and fitted as one.
    void inheritedConstantsAreShared() {
        const Job job = jobOf(llama("mlperf-nemo-25.01", "tp=8")).value();
        const RateTable& table = RateTable::builtIn();
        std::map<std::string_view, std::string> names;
        for (const RateField& field : rateFields())
            names[field.key] = table.factorName(field, job);
        QCOMPARE(names["cast_passes"], std::string("stack/mlperf-nemo-25.04/cast_passes"));
        QCOMPARE(names["unfused_bytes"], std::string("stack/megatron-lm/unfused_bytes"));
        QCOMPARE(names["gemm_8"], std::string("gpu/H100 SXM5/gemm_8"));
        QCOMPARE(names["jitter"], std::string("common/jitter"));
    }

    // 0.71 was estimated of the H100 before 0.7… was fitted.
    void estimatesBeforeAnyFit() {
        const auto* before = RateTable::estimated().entry(RateScope::Gpu, "H100 SXM5", "gemm_16");
        QVERIFY(before != nullptr);
        QCOMPARE(before->value, 0.71);
        QCOMPARE(before->source, std::string("estimated"));
        const auto* now = RateTable::builtIn().entry(RateScope::Gpu, "H100 SXM5", "gemm_16");
        QVERIFY(now->source.starts_with("fitted"));
    }

    void groupsThatAreLeftOut() {
        QCOMPARE(leftOutGroup(LeaveOut::Sources, "NVIDIA NeMo 24.07", 7), std::string("NVIDIA"));
        QCOMPARE(leftOutGroup(LeaveOut::Sources, "MLPerf Training v5.0", 0), std::string("MLPerf"));
        std::map<std::string, int> tenths;
        for (int row = 0; row < 1009; ++row)
            ++tenths[leftOutGroup(LeaveOut::Tenths, "a", row)];
        QCOMPARE(tenths.size(), std::size_t{10});
        for (const auto& [name, rows] : tenths)
            QVERIFY(rows == 100 || rows == 101);
        QVERIFY(leaveOutFrom("sources") == LeaveOut::Sources);
        QVERIFY(!leaveOutFrom("halves"));
    }
};

TRAINSCOPE_TEST(tst_StackHabits)
#include "tst_StackHabits.moc"
