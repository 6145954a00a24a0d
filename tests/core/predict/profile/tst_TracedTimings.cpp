// Samples from a planted call tree, by hand.

#include "core/predict/cost/Analytic.h"
#include "core/predict/profile/ProfiledCosts.h"
#include "core/predict/profile/TracedTimings.h"
#include "core/predict/support/PlantedRuns.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::predict;

namespace {

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

class tst_TracedTimings : public QObject {
    Q_OBJECT

private Q_SLOTS:
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
        const auto profile = makeProfile(shapes.timings(), "planted");
        QVERIFY(profile.hasValue());
        // Five samples are too few to be sure of.
        const double spread = profile.value().gpus.front().families.front().forwardSpread;
        QVERIFY2(spread > 0.05 && spread <= kFormulaSpread, std::to_string(spread).c_str());
        Job job = test::plantedJob("llama3-8b", "tp=2", 1);
        job.machine.gpu = *catalogue::findGpuModel("A100-SXM4-80GB");
        const auto costs = ProfiledCosts(profile.value()).costsOf(job, Rates{});
        QVERIFY(costs.has_value());
        const Operator asked{.kind = OperatorKind::Gemm, .m = 6000, .n = 4096, .k = 4096};
        const double expected = 4.0 * 2.0 * 6000 * 4096 * 4096 / 312e12;
        const double predicted = costs->operators->timeOf(asked).forward;
        QVERIFY2(std::abs(predicted / expected - 1.0) < 0.03, std::to_string(predicted).c_str());
    }
};

TRAINSCOPE_TEST(tst_TracedTimings)
#include "tst_TracedTimings.moc"
