// In which types numbers are kept, as precisions say it, and what memory that takes.

#include <QtTest>

#include "core/analysis/machine/KeptNumbers.h"
#include "core/analysis/machine/MemoryConvention.h"
#include "core/layout/LayoutRequest.h"
#include "support/TestProgram.h"

#include <cmath>

using namespace trainscope;
using namespace trainscope::analysis;

namespace {

KeptNumbers keptOf(const char* precision) {
    return statedNumbersFrom(precision).value().kept;
}

// 24 layers, 2048 wide, vocabulary 50,304 twice: 24·(12·2048² + 2·2048) + 2048·50304·2 parameters,
// on one GPU.
MemoryRequest plainRequest(const char* software, const char* precision, int microbatches) {
    layout::LayoutRequest wanted;
    wanted.worldSize = wanted.gpusPerNode = wanted.nodes = 1;
    wanted.layers = 24;
    MemoryRequest request{{}, layout::makeLayout(wanted).value()};
    request.model.layers = 24;
    request.model.hidden = 2048;
    request.model.heads = request.model.kvHeads = 16;
    request.model.headSize = 128;
    request.model.ffn = 8192;
    request.model.vocabulary = 50304;
    request.layout.microbatches = microbatches;
    request.sequence = 2048;
    request.microBatch = 4;
    request.widths = widthsOf(precision);
    follow(memoryConventionOf(software), request);
    keptOf(precision).applyTo(request.widths);
    return request;
}

// B of weights, gradients and optimizer of a parameter, of a convention.
double statesOf(const char* software, const char* precision) {
    const NumberWidths widths = plainRequest(software, precision, 1).widths;
    return widths.weight + widths.gradient + widths.optimizer;
}

bool isWithin(double a, double b, double part) {
    return std::abs(a / b - 1.0) < part;
}

} // namespace

class tst_KeptNumbers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void names() {
        const KeptNumbers pure{2.0, 2.0, 2.0, 0.0};
        const KeptNumbers autocast{4.0, 4.0, 4.0, 0.0};
        QVERIFY(keptOf("bf16").isUsual());
        QVERIFY(keptOf("bf16-mixed").isUsual());
        QVERIFY(keptOf("").isUsual());
        QVERIFY(keptOf("bf16-pure") == pure);
        QVERIFY(keptOf("BF16-true") == pure);
        QVERIFY(keptOf("pure_bf16") == pure);
        QVERIFY(keptOf("amp_bf16") == autocast);
        QVERIFY(keptOf("fp16-autocast") == autocast);
        QVERIFY((keptOf("bf16-master") == KeptNumbers{2.0, 2.0, 4.0, 4.0}));
        QVERIFY((keptOf("fp32-pure") == KeptNumbers{4.0, 4.0, 4.0, 0.0}));
        QCOMPARE(statedNumbersFrom("amp_bf16").value().product, std::string("bf16"));
        QCOMPARE(statedNumbersFrom("bfloat16").value().product, std::string("bf16"));
        QCOMPARE(statedNumbersFrom("bf16, states = fp8").value().product, std::string("bf16"));
    }

    void oneByOne() {
        const KeptNumbers kept = keptOf("bf16,weights=fp32,states=bf16,master=none");
        QVERIFY((kept == KeptNumbers{4.0, {}, 2.0, 0.0}));
        QVERIFY((keptOf("bf16-pure,gradients=fp32") == KeptNumbers{2.0, 4.0, 2.0, 0.0}));
        QVERIFY((keptOf("weights=bf16") == KeptNumbers{2.0, {}, {}, {}}));
        QVERIFY(!statedNumbersFrom("bf16,weights").hasValue());
        QVERIFY(!statedNumbersFrom("bf16,moments=bf16").hasValue());
        QVERIFY(!statedNumbersFrom("bf16,weights=fp12").hasValue());
    }

    // Weights in the type of products of 8 bits are kept once, in others beside two copies.
    void eightBits() {
        QCOMPARE(statesOf("megatron-lm", "fp8,weights=fp8"), 1.0 + 4.0 + 12.0);
        QCOMPARE(statesOf("megatron-lm", "fp8,weights=bf16"), 2.0 + 2 * 1.0 + 4.0 + 12.0);
        const KeptNumbers kept = keptOf("fp8,attention=fp8,function=fp8");
        QCOMPARE(kept.attention, std::optional(1.0));
        QCOMPARE(kept.function, std::optional(1.0));
        QCOMPARE(textOf(kept, 1.0), std::string(",attention=fp8,function=fp8"));
        NumberWidths widths = widthsOf("fp8");
        kept.applyTo(widths);
        QCOMPARE(widths.attention, 1.0);
        QCOMPARE(widths.function, 1.0);
    }

    void written() {
        for (const char* text :
            {"", "-pure", "-autocast", "-master", ",states=bf16", ",weights=fp32,master=none",
                ",weights=bf16,gradients=fp32,states=fp8,master=fp32"})
            QCOMPARE(textOf(keptOf((std::string("bf16") + text).c_str()), 2.0), std::string(text));
        QCOMPARE(textOf(keptOf("fp16-pure"), 2.0), std::string("-pure"));
    }

    // Rajbhandari et al. 2020: 2 + 2 + 12 B of mixed precision; Megatron-LM adds gradients up in
    // 32 bits; all in 16 bits 2 + 2 + 2·2.
    void bytesOfParameter() {
        QCOMPARE(statesOf("megatron-lm", "bf16"), 18.0);
        QCOMPARE(statesOf("megatron-lm", "bf16-pure"), 8.0);
        QCOMPARE(statesOf("megatron-lm", "bf16-master"), 16.0);
        QCOMPARE(statesOf("megatron-lm", "bf16,states=bf16"), 2.0 + 4.0 + 2 * 2.0 + 4.0);
        QCOMPARE(statesOf("megatron-lm", "fp8,gradients=bf16"), 2.0 + 2.0 + 12.0);
        QCOMPARE(statesOf("pytorch", "bf16"), 16.0);
        QCOMPARE(statesOf("pytorch", "bf16-pure"), 8.0);
        QCOMPARE(statesOf("pytorch-compiled", "bf16-autocast"), 16.0);
        QCOMPARE(statesOf("pytorch", "fp32"), 16.0);
    }

    // A layer under autocast keeps 36 B for each of T·h: 4 for either norm's input, 2 for what each
    // gives, 6 queries, keys and values, 2 of attention, 16 inside the MLP. Logits take 12 B. The
    // casts of products' weights, 24·12·2048² + 2048·50304, are kept, and the gradients of an only
    // micro-batch are made after the peak.
    void autocast() {
        const StageNeed need = stageNeedOf(plainRequest("pytorch", "bf16-autocast", 1), 0);
        const double tokens = 4 * 2048;
        const double parameters = 24 * (12.0 * 2048 * 2048 + 2 * 2048) + 2.0 * 2048 * 50304;
        const double cast = 24 * (12.0 * 2048 * 2048 + 2 * 2048) + 1.0 * 2048 * 50304;
        QVERIFY(isWithin(need.held, 24 * 36.0 * tokens * 2048, 1e-12));
        QVERIFY(isWithin(need.logits, 12.0 * tokens * 50304, 1e-12));
        QVERIFY(isWithin(need.states(), 12.0 * parameters, 1e-4));
        QCOMPARE(need.gradients, 0.0);
        QVERIFY(isWithin(need.buffers, 0.6e9 + 2.0 * cast, 1e-4));
        const StageNeed several = stageNeedOf(plainRequest("pytorch", "bf16-autocast", 2), 0);
        QVERIFY(isWithin(several.states(), 16.0 * parameters, 1e-4));
        QVERIFY(isWithin(several.total() - need.total(), 4.0 * parameters, 1e-4));
    }

    // In 16 bits alone the norms' inputs take 2 B, logits 8, and nothing is cast.
    void pure() {
        const StageNeed need = stageNeedOf(plainRequest("pytorch", "bf16-pure", 1), 0);
        QVERIFY(isWithin(need.held, 24 * 32.0 * 4 * 2048 * 2048, 1e-12));
        QVERIFY(isWithin(need.logits, 8.0 * 4 * 2048 * 50304, 1e-12));
        QCOMPARE(need.buffers, 0.6e9);
    }

    // The output of a gated MLP's function is kept unless it is compiled into the product.
    void gated() {
        MemoryRequest request = plainRequest("pytorch", "bf16-pure", 1);
        request.model.gatedMlp = true;
        const double eager = stageNeedOf(request, 0).held;
        request.kernels = Kernels::Compiled;
        QVERIFY(isWithin(eager - stageNeedOf(request, 0).held, 24 * 2.0 * 4 * 2048 * 8192, 1e-12));
    }

    // Few tokens have their peak at the end of the backward pass, when all gradients are there.
    void fewTokens() {
        MemoryRequest request = plainRequest("pytorch", "bf16-autocast", 1);
        request.sequence = 64;
        request.microBatch = 1;
        const StageNeed need = stageNeedOf(request, 0);
        QCOMPARE(need.logits, 0.0);
        QVERIFY(need.gradients > 0.0);
        QVERIFY(isWithin(need.held, need.heldPerLayer, 1e-12));
    }
};

TRAINSCOPE_TEST(tst_KeptNumbers)
#include "tst_KeptNumbers.moc"
