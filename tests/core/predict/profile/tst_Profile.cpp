// Profiles of invented GPUs' samples: an A100 whose products reach half of its peak, exchanges of
// 10 GB/s.

#include "core/predict/cost/Analytic.h"
#include "core/predict/profile/Profile.h"
#include "core/predict/profile/ProfiledCosts.h"
#include "core/predict/profile/ShapeRegressor.h"
#include "core/predict/profile/TracedTimings.h"
#include "core/predict/support/PlantedRuns.h"
#include "support/TestProgram.h"

using namespace trainscope::predict;

namespace {

constexpr double kPeak = 312e12; // the catalogue's A100 SXM4 80GB
constexpr double kBandwidth = 2.039e12;

Operator gemm(double m, double n, double k) {
    return {.kind = OperatorKind::Gemm, .m = m, .n = n, .k = k, .precision = Precision::Fp16};
}

Operator scoresOf(double batch, double tokens) {
    return {.kind = OperatorKind::Softmax,
        .batch = batch,
        .m = tokens,
        .n = tokens,
        .precision = Precision::Fp16};
}

// Products that take twice what the peak needs and a kernel's start of 5 µs.
OperatorTimings gemmTimings() {
    OperatorTimings timings{"NVIDIAA100-SXM4-80GB", "linear1", "gemm", {}, 0.05, 0.04};
    for (double m = 1024; m <= 16384; m *= 2) {
        for (double n = 1024; n <= 16384; n *= 2) {
            for (double k = 1024; k <= 16384; k *= 2) {
                const double peak = 2.0 * m * n * k / kPeak;
                timings.rows.push_back(
                    {gemm(m, n, k), 2.0 * (peak + 5e-6), 2.0 * (2.0 * peak + 5e-6)});
            }
        }
    }
    return timings;
}

// All-reduce between 2 × 4 GPUs at 10 GB/s of the tensor.
CollectiveTimings allReduceTimings() {
    CollectiveTimings timings{
        "NVIDIAA100-SXM4-80GB", "Perl", "allreduce", CollectiveKind::AllReduce, 2, 4, {}, 0.01};
    for (int i = 1; i <= 100; ++i)
        timings.rows.push_back({i * 1e6, i * 1e6 / 10e9});
    return timings;
}

// Costs without any samples.
class Elsewhere : public OperatorCosts, public CollectiveCosts {
public:
    [[nodiscard]] OperatorTime timeOf(const Operator&) const override { return {1.0, 2.0, 0.5}; }
    [[nodiscard]] double secondsOf(const Collective&) const override { return 3.0; }
};

std::shared_ptr<const Elsewhere> elsewhere() {
    return std::make_shared<Elsewhere>();
}

Profile profileOf(const Timings& timings) {
    const auto profile = makeProfile(timings, "samples");
    return profile.hasValue() ? profile.value() : Profile{};
}

bool isNear(double value, double expected, double within) {
    return std::abs(value / expected - 1.0) < within;
}

struct PlantedShapes {
    analysis::CallTree tree;

    PlantedShapes() { tree.signatures.emplace_back(); }
    void add(const std::string& name, const std::string& dims, const std::string& types,
        std::int64_t calls, std::int64_t nanoseconds, const std::string& values = "[]") {
        analysis::CallTotal total;
        total.of = analysis::CallTotal::Of::Shape;
        total.name = static_cast<std::uint32_t>(tree.names.size());
        total.signature = static_cast<std::uint32_t>(tree.signatures.size());
        total.sums.calls = calls;
        total.sums.busy = {nanoseconds};
        total.sums.time = {2 * nanoseconds}; // on two streams at once
        tree.names.push_back(name);
        tree.signatures.push_back(R"({"Input Dims":)" + dims + R"(,"Input type":)" + types
            + R"(,"Concrete Inputs":)" + values + "}");
        tree.totals.push_back(total);
    }
    [[nodiscard]] Timings timings() const {
        Timings made;
        addTracedOperators(tree, "NVIDIA A100-SXM4-80GB", "run 1", made);
        return made;
    }
};

constexpr auto kTwo = R"(["c10::BFloat16","c10::BFloat16"])";

const OperatorTimings* familyIn(const Timings& timings, const std::string& family) {
    for (const OperatorTimings& one : timings.operators) {
        if (one.family == family)
            return &one;
    }
    return nullptr;
}

} // namespace

class tst_Profile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void productsAreHalfOfThePeak() {
        const Profile profile = profileOf({{gemmTimings()}, {}});
        QCOMPARE(profile.gpus.size(), std::size_t{1});
        QCOMPARE(profile.gpus.front().gpu, std::string("A100 SXM4 80GB"));
        const SampledCosts costs(*profile.gpu("A100"), elsewhere());
        // Between samples: 3000 × 5000 × 7000, 2 · 2.1e11 / 312e12 = 0.673 ms, and 5 µs.
        const OperatorTime time = costs.timeOf(gemm(3000, 5000, 7000));
        QVERIFY(isNear(time.forward, 2.0 * (2.1e11 / kPeak + 5e-6), 1e-4));
        QVERIFY(isNear(time.backward, 2.0 * (4.2e11 / kPeak + 5e-6), 1e-4));
        QVERIFY(time.spread < 0.02);
        const ProfiledRow& row = profile.report.front();
        QCOMPARE(row.samples, std::size_t{125});
        QCOMPARE(row.leftOut, std::size_t{0});
        QVERIFY(row.forwardError && *row.forwardError < 1e-3);
        QCOMPARE(row.statedForward, std::optional(0.05));
    }

    void countIsTimesInARow() {
        const Profile profile = profileOf({{gemmTimings()}, {}});
        const SampledCosts costs(profile.gpus.front(), elsewhere());
        Operator twice = gemm(2048, 2048, 2048);
        const double once = costs.timeOf(twice).forward;
        twice.count = 2.0;
        QCOMPARE(costs.timeOf(twice).forward, 2.0 * once);
    }

    void frozenWeightsHaveHalfTheBackwardPass() {
        const Profile profile = profileOf({{gemmTimings()}, {}});
        const SampledCosts costs(profile.gpus.front(), elsewhere());
        Operator frozen = gemm(2048, 2048, 2048);
        frozen.hasFrozenWeights = true;
        // 2 · 2048³ / 312e12 = 55.06 µs.
        QVERIFY(isNear(costs.timeOf(frozen).backward, 2.0 * (55.06e-6 + 5e-6), 1e-3));
    }

    void spreadGrowsOutsideOfTheSamples() {
        const Profile profile = profileOf({{gemmTimings()}, {}});
        const SampledCosts costs(profile.gpus.front(), elsewhere());
        const double inside = costs.timeOf(gemm(4096, 4096, 4096)).spread;
        const double outside = costs.timeOf(gemm(4096, 4096, 131072)).spread;
        const double farther = costs.timeOf(gemm(4096, 4096, 1048576)).spread;
        QVERIFY(inside < 0.02);
        // ln(131072 / 16384) = 2.08 e-folds away.
        QVERIFY(outside > 0.15 && outside < 0.35);
        QVERIFY(farther > outside);
    }

    void whatWasNotSampledIsAskedElsewhere() {
        const Profile profile = profileOf({{gemmTimings()}, {}});
        const SampledCosts costs(profile.gpus.front(), elsewhere());
        QVERIFY(costs.samples(gemm(1024, 1024, 1024)));
        QCOMPARE(costs.timeOf({.kind = OperatorKind::Swiglu}).forward, 1.0);
        QCOMPARE(costs.timeOf({.kind = OperatorKind::Permute, .name = "permute"}).forward, 1.0);
        QCOMPARE(costs.timeOf({.kind = OperatorKind::Permute, .name = "heads"}).forward, 0.0);
        Operator eight = gemm(1024, 1024, 1024);
        eight.precision = Precision::Fp8;
        QCOMPARE(costs.timeOf(eight).backward, 2.0);
    }

    // A softmax at the bandwidth, and 9 B for each score more.
    void extraPassesOfTheStackAreWithTheSoftmax() {
        OperatorTimings softmax{"A100", "fused", "softmax", {}, {}, {}};
        OperatorTimings residual{"A100", "res_add", "residual", {}, {}, {}};
        for (double batch = 1; batch <= 64; batch *= 2) {
            const double scores = batch * 2048.0 * 2048.0;
            softmax.rows.push_back({scoresOf(batch, 2048), 5e-6 + 4.0 * scores / kBandwidth,
                5e-6 + 6.0 * scores / kBandwidth});
            const double tokens = batch * 4096.0;
            const double seconds = 6.0 * tokens * 8192.0 / kBandwidth;
            residual.rows.push_back(
                {{.kind = OperatorKind::Residual, .m = tokens, .n = 8192}, seconds, seconds});
        }
        Profile profile = profileOf({{softmax, residual}, {}});
        const Operator asked = scoresOf(64, 2048);
        const double all = 64 * 2048.0 * 2048.0;
        const auto& stack = profile.gpus.front().stack;
        QCOMPARE(stack.scoresExtraBytes, 9.0);
        QCOMPARE(stack.gapSeconds, 0.0);
        QCOMPARE(stack.jitter, 0.0);
        const SampledCosts costs(profile.gpus.front(), elsewhere());
        QVERIFY(isNear(costs.timeOf(asked).forward, 13.0 * all / kBandwidth, 0.01));
        QVERIFY(isNear(costs.timeOf(asked).backward, 15.0 * all / kBandwidth, 0.01));
        profile.gpus.front().stack.scoresExtraBytes = 0.0;
        const SampledCosts fused(profile.gpus.front(), elsewhere());
        QVERIFY(isNear(fused.timeOf(asked).forward, 4.0 * all / kBandwidth, 0.01));
    }

    void impossibleTimesAreLeftOut() {
        OperatorTimings timings = gemmTimings();
        timings.rows[7].forward /= 4.0; // twice the peak
        timings.rows[90].backward *= 50.0;
        const Profile profile = profileOf({{timings}, {}});
        const ProfiledRow& row = profile.report.front();
        QCOMPARE(row.leftOut, std::size_t{2});
        QCOMPARE(row.samples, std::size_t{125}); // each has its other time still
        VERIFY_SAYS(row.notes, "1 of 125 forward times are shorter than the GPU's peaks");
        VERIFY_SAYS(row.notes, "1 backward time is more than 3 times off");
        QVERIFY(row.forwardError && *row.forwardError < 1e-3);
    }

    // A column that was timed while the GPU still worked: none of it is believed, and another GPU
    // tells its proportion.
    void aBrokenColumnIsReplaced() {
        OperatorTimings broken = gemmTimings();
        broken.gpu = "NVIDIAGH200120GB";
        for (TimedOperator& row : broken.rows) {
            row.forward = 2.0 * forwardWork(row.work).flop / 989e12 + 5e-6;
            row.backward = 20e-6;
        }
        const Profile profile = profileOf({{broken, gemmTimings()}, {}});
        const ProfiledRow& row = profile.report.front();
        QCOMPARE(row.gpu, std::string("GH200"));
        QCOMPARE(row.leftOut, std::size_t{125});
        VERIFY_SAYS(row.notes, "none is used");
        VERIFY_SAYS(row.notes, "backward is taken as 1.99 × forward, as on A100 SXM4 80GB");
        const SampledFamily* family = profile.gpu("GH200")->family("gemm");
        QVERIFY(family != nullptr);
        const TimedOperator& sample = family->samples.front();
        // The median product is 4096³: (2 · 440.5 + 5) / (440.5 + 5).
        QVERIFY(isNear(sample.backward / sample.forward, 1.98878, 1e-4));
    }

    void repeatedColumnsAreTold() {
        OperatorTimings timings = gemmTimings();
        for (TimedOperator& row : timings.rows)
            row.backward = row.forward = row.backward;
        VERIFY_SAYS(profileOf({{timings}, {}}).report.front().notes,
            "backward times repeat the forward ones");
    }

    void exchangesAreInterpolatedAndConstantBeyond() {
        const Profile profile = profileOf({{gemmTimings()}, {allReduceTimings()}});
        const FabricProfile* fabric = profile.fabric("A100", {"a cluster", "Perl (Slingshot)"});
        QVERIFY(fabric != nullptr);
        QVERIFY(profile.fabric("A100", {"Perlmutter"}) == nullptr); // another word
        QVERIFY(profile.fabric("GH200", {"perl"}) == nullptr);
        const SampledCollectives costs(*fabric, elsewhere());
        Collective asked{CollectiveKind::AllReduce, 12.34e6, 8, 4};
        QVERIFY(isNear(costs.secondsOf(asked), 12.34e6 / 10e9, 1e-9));
        asked.bytes = 1e12;
        QVERIFY(isNear(costs.secondsOf(asked), 100.0, 1e-9));
        asked.bytes = 1.0;
        QVERIFY(isNear(costs.secondsOf(asked), 1e-10, 1e-9));
        asked.ranks = 1;
        QCOMPARE(costs.secondsOf(asked), 0.0);
    }

    // By bus bandwidth: an all-reduce of 8 ranks passes 2·7/8 of its bytes, 10 GB/s are 17.5 GB/s.
    void whatIsAlikeTellsWhatWasNotSampled() {
        const Profile profile = profileOf({{}, {allReduceTimings()}});
        const SampledCollectives costs(profile.fabrics.front(), elsewhere());
        const Collective wider{CollectiveKind::AllReduce, 1e6, 16, 4};
        QVERIFY(isNear(costs.secondsOf(wider), 2.0 * 15 / 16 * 1e6 / 17.5e9, 1e-9));
        const Collective gather{CollectiveKind::AllGather, 1e6, 8, 4};
        QVERIFY(isNear(costs.secondsOf(gather), 7.0 / 8 * 1e6 / 17.5e9, 1e-9));
        const Collective send{CollectiveKind::SendRecv, 1e6, 2, 1};
        QVERIFY(isNear(costs.secondsOf(send), 1e6 / 17.5e9, 1e-9));
        // Nothing was sampled inside a node.
        QCOMPARE(costs.secondsOf({CollectiveKind::AllReduce, 1e6, 4, 4}), 3.0);
    }

    void exchangesThatCannotBeAreLeftOut() {
        CollectiveTimings timings = allReduceTimings();
        timings.rows[10].seconds = 1e-6; // 11 MB: 19 TB/s of the bus
        timings.rows[50].seconds *= 3.0;
        const Profile profile = profileOf({{}, {timings}});
        const ProfiledRow& row = profile.report.front();
        QCOMPARE(row.name, std::string("allreduce 2×4"));
        QCOMPARE(row.fabric, std::string("Perl"));
        QCOMPARE(row.leftOut, std::size_t{2});
        VERIFY_SAYS(row.notes, "1 of 100 are faster than links and network cards are");
        VERIFY_SAYS(row.notes, "1 more than twice off the running median");
    }

    // As nccl-tests do: from 64 B to 2 GiB, each size twice the one before, 90 µs and 86 GB/s. None
    // says what another takes for each byte.
    void sizesThatDoubleAreKept() {
        CollectiveTimings timings{
            "A100-SXM4-80GB", "Perl", "alltoall", CollectiveKind::AllToAll, 2, 8, {}, {}};
        for (double bytes = 64.0; bytes <= 2147483648.0; bytes *= 2.0)
            timings.rows.push_back({bytes, 90e-6 + bytes / 86e9});
        const Profile profile = profileOf({{}, {timings}});
        const ProfiledRow& row = profile.report.front();
        QCOMPARE(row.samples, std::size_t{26});
        QCOMPARE(row.leftOut, std::size_t{0});
        QVERIFY(row.notes.empty());
        const SampledCollectives costs(profile.fabrics.front(), elsewhere());
        Collective asked{CollectiveKind::AllToAll, 64.0, 16, 8};
        QVERIFY(isNear(costs.secondsOf(asked), 90e-6, 1e-4)); // 90.0007 µs
        asked.bytes = 2147483648.0; // 24.9707 ms and 90 µs
        QVERIFY(isNear(costs.secondsOf(asked), 25.0607e-3, 1e-5));
        // Halfway from 1 to 2 MiB 90 µs count 3/4 for each MiB: √2 · 3/4 · 90 = 95.46 µs, and
        // 17.243 µs for the bytes.
        asked.bytes = std::sqrt(2.0) * 1048576.0;
        QVERIFY(isNear(costs.secondsOf(asked), 112.70e-6, 1e-4));
    }

    void fileKeepsEverything() {
        const Profile profile = profileOf({{gemmTimings()}, {allReduceTimings()}});
        const std::string text = profileText(profile);
        const auto back = parseProfile(text, "p.json").value();
        QCOMPARE(profileText(back), text);
        const SampledCosts before(profile.gpus.front(), elsewhere());
        const SampledCosts after(back.gpus.front(), elsewhere());
        const Operator asked = gemm(1111, 2222, 3333);
        QVERIFY(isNear(after.timeOf(asked).forward, before.timeOf(asked).forward, 1e-5));
        QCOMPARE(back.report.size(), profile.report.size());
        QCOMPARE(back.gpus.front().stack, profile.gpus.front().stack);
    }

    void unreadableFilesSayWhatIsWrong() {
        const std::string good = profileText(profileOf({{gemmTimings()}, {allReduceTimings()}}));
        const auto problemOf = [&](std::string text) {
            const auto parsed = parseProfile(text, "p.json");
            return parsed.hasValue() ? std::string() : parsed.error().describe();
        };
        const auto changed = [&](const std::string& from, const std::string& to) {
            std::string text = good;
            return text.replace(text.find(from), from.size(), to);
        };
        QVERIFY(problemOf("{}").starts_with("p.json: This is no profile of operators"));
        VERIFY_SAYS(problemOf(good.substr(0, good.size() / 2)), "no profile");
        VERIFY_SAYS(problemOf(changed(R"("trainscope_profile":1)", R"("trainscope_profile":9)")),
            "newer Trainscope (version 9, known: 1)");
        VERIFY_SAYS(problemOf(changed(R"("kind":"gemm")", R"("kind":"conv")")),
            "\"conv\" is not a kind of operator");
        VERIFY_SAYS(problemOf(changed(R"("peak_flops")", R"("peak")")), "peak_flops");
        VERIFY_SAYS(problemOf(changed(R"("k":[1024,)", R"("k":[1024,1024,)")),
            "columns of one family differ in length");
    }

    void gpusThatAreNotKnownAreTold() {
        OperatorTimings unknown = gemmTimings();
        unknown.gpu = "Z9000";
        const Profile profile = profileOf({{gemmTimings(), unknown}, {}});
        QCOMPARE(profile.gpus.size(), std::size_t{1});
        const bool isTold = std::any_of(profile.report.begin(), profile.report.end(),
            [](const ProfiledRow& row) { return row.gpu == "Z9000" && row.leftOut == 125; });
        QVERIFY(isTold);
        QCOMPARE(makeProfile({{unknown}, {}}, "samples").error().code, ErrorCode::NotFound);
        QCOMPARE(makeProfile({}, "samples").error().code, ErrorCode::NotFound);
    }

    void exchangesOfMoreGpusThanThereAre() {
        // 3072 × 992040 is beyond 32 bits.
        CollectiveTimings timings;
        timings.nodes = 3072;
        timings.gpusPerNode = 992'040;
        timings.rows = {{1.0, 1.0}, {2.0, 2.0}};
        (void)cleanExchanges(timings, *catalogue::findGpuModel("H100"));
        QCOMPARE(timings.rows.size(), std::size_t{2});
        QCOMPARE(analysis::busFactor(CollectiveKind::AllReduce, 4.0), 1.5);
        // 2·(n-1)/n of so many: nearly twice.
        QCOMPARE(analysis::busFactor(CollectiveKind::AllReduce, 3072.0 * 992'040),
            2.0 - 2.0 / 3'047'546'880.0);
    }

    // Samples from a planted call tree, by hand.
    void callsOfOneShapeAreOneSample() {
        PlantedShapes shapes;
        // 2 and 3 calls of one product under two names: 10 µs / 5.
        shapes.add("aten::mm", "[[64,32],[32,16]]", kTwo, 2, 4'000);
        shapes.add("aten::linear", "[[64,32],[16,32]]", kTwo, 3, 6'000);
        shapes.add("aten::mm", "[[64,32],[32,16]]", R"(["float","float"])", 1, 9'000); // 32 bits
        shapes.add("aten::view", "[[64,32],[]]", kTwo, 1, 1'000);
        const Timings timings = shapes.timings();
        QCOMPARE(timings.operators.size(), std::size_t{1});
        const OperatorTimings& gemm = timings.operators.front();
        QCOMPARE(gemm.family, std::string("gemm"));
        QCOMPARE(gemm.name, std::string("gemm (run 1)"));
        QCOMPARE(gemm.rows.size(), std::size_t{1});
        const TimedOperator& row = gemm.rows.front();
        QCOMPARE(row.work.m, 64.0);
        QCOMPARE(row.work.n, 16.0);
        QCOMPARE(row.work.k, 32.0);
        QCOMPARE(row.forward, 2e-6);
        QVERIFY(std::isnan(row.backward));
    }

    void passesOfOneShapeAreOneSample() {
        PlantedShapes shapes;
        const std::string heads = "[2,8,64,16]";
        shapes.add("aten::_scaled_dot_product_flash_attention",
            "[" + heads + "," + heads + "," + heads + ",[],[]]",
            R"(["c10::Half","c10::Half","c10::Half","Scalar","Scalar"])", 4, 40'000,
            R"(["","","","0.","True"])");
        shapes.add("aten::_scaled_dot_product_flash_attention_backward",
            "[" + heads + "," + heads + "," + heads + "," + heads + "," + heads
                + ",[],[],[],[],[],[],[]]",
            R"(["c10::Half","c10::Half","c10::Half","c10::Half","c10::Half","","","","","","",""])",
            4, 100'000, R"(["","","","","","","","","64","64","0.","True"])");
        shapes.add("aten::native_layer_norm", "[[4,8,32],[],[32],[32],[]]",
            R"(["c10::Half","ScalarList","c10::Half","c10::Half","Scalar"])", 1, 5'000);
        const Timings timings = shapes.timings();
        const OperatorTimings* const flash = familyIn(timings, "flash_attention");
        QVERIFY(flash != nullptr);
        QCOMPARE(flash->rows.size(), std::size_t{1});
        QCOMPARE(flash->rows.front().work.batch, 16.0);
        QCOMPARE(flash->rows.front().work.k, 64.0);
        QCOMPARE(flash->rows.front().forward, 10e-6);
        QCOMPARE(flash->rows.front().backward, 25e-6);
        const OperatorTimings* const norm = familyIn(timings, "layer_norm");
        QVERIFY(norm != nullptr);
        QCOMPARE(norm->rows.front().work.m, 32.0); // rows of 32
        QCOMPARE(norm->rows.front().work.n, 32.0);
    }

    // Products at a quarter of the A100's peak: so are those between them predicted, where formulas
    // say far more; a profile without a fabric serves a job as well.
    void predictionsUseTheSamples() {
        PlantedShapes shapes;
        for (const int m : {1024, 2048, 4096, 8192, 16384}) {
            const double seconds = 4.0 * 2.0 * m * 4096 * 4096 / 312e12;
            shapes.add("aten::mm", "[[" + std::to_string(m) + ",4096],[4096,4096]]", kTwo, 1,
                std::llround(seconds * 1e9));
        }
        const auto profile = makeProfile(shapes.timings(), "planted").value();
        // Five samples are too few to be sure of.
        const double spread = profile.gpus.front().families.front().forwardSpread;
        QVERIFY2(spread > 0.05 && spread <= kFormulaSpread, std::to_string(spread).c_str());
        Job job = test::plantedJob("llama3-8b", "tp=2", 1);
        job.machine.gpu = *catalogue::findGpuModel("A100-SXM4-80GB");
        const auto costs = ProfiledCosts(profile).costsOf(job, Rates{});
        QVERIFY(costs.has_value());
        const Operator asked{.kind = OperatorKind::Gemm, .m = 6000, .n = 4096, .k = 4096};
        const double expected = 4.0 * 2.0 * 6000 * 4096 * 4096 / 312e12;
        const double predicted = costs->operators->timeOf(asked).forward;
        QVERIFY2(std::abs(predicted / expected - 1.0) < 0.03, std::to_string(predicted).c_str());
    }
};

TRAINSCOPE_TEST(tst_Profile)
#include "tst_Profile.moc"
