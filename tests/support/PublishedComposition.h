#pragma once
// GPT-NeoX runs whose layers, stages and steps were published with operator samples (arXiv
// 2509.22832, its tables of component errors and batch times), and a composition of them from the
// samples by a way of its own.

#include "core/predict/profile/ProfiledCosts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

namespace trainscope::test {

using predict::Collective;
using predict::CollectiveCosts;
using predict::CollectiveKind;
using predict::Operator;
using predict::OperatorCosts;
using predict::OperatorKind;
using predict::OperatorTime;
using predict::Precision;
using predict::Profile;
using predict::SampledCollectives;
using predict::SampledCosts;
using predict::StackTerms;

struct PublishedRun {
    const char* name;
    const char* gpu;
    const char* fabric;
    double hidden;
    double heads;
    double tokens; // per sample; four samples in a micro-batch
    int microbatches;
    int stages;
    int tensor;
    int data;
    int gpusPerNode;
    std::array<double, 3> layers; // the first stage, each in the middle, the last
    bool isLlama; // RMS norms, and two all-reduces in the forward pass of a layer
    bool hasFlash;
    // Measured, the fastest batch.
    double layerForward; // ms
    double layerBackward; // with what is recomputed
    double allReduce;
    double gradients;
    double step; // s
    double publishedError; // the step's, per cent
    double send; // ms, measured
    // Published predictions in per cent: the slowest stage forward and backward.
    double publishedStageForward;
    double publishedStageBackward;
};

inline constexpr std::array kPublishedRuns{
    PublishedRun{"GPT-20B 4-4-8 A100", "A100", "perlmutter", 6144, 64, 2048, 16, 4, 4, 8, 4,
        {11, 12, 9}, false, false, 12.10, 34.80, 0.780, 4082, 17.370, -8.82, 10.43, -13.41, -12.49},
    PublishedRun{"GPT-20B 8-4-4 A100", "A100", "perlmutter", 6144, 64, 2048, 16, 8, 4, 4, 4,
        {5, 6, 3}, false, false, 12.00, 33.22, 0.754, 1634, 9.239, -5.87, 10.07, -9.5, -8.33},
    PublishedRun{"Llemma-7B 4-2-2 A100", "A100", "perlmutter", 4096, 32, 4096, 8, 4, 2, 2, 4,
        {8, 9, 6}, true, true, 22.58, 68.84, 1.979, 35, 9.575, 1.30, 33.34, -1.86, -1.66},
    PublishedRun{"GPT-20B 4-8-4 GH200", "GH200", "vista", 6144, 64, 2048, 16, 4, 8, 4, 1,
        {11, 12, 9}, false, false, 6.93, 19.14, 3.654, 45, 6.350, -15.16, 0.88, -11.99, -10.37},
    PublishedRun{"LLaMA-13B 4-8-2 GH200", "GH200", "vista", 5120, 40, 2048, 16, 4, 8, 2, 1,
        {10, 11, 8}, true, false, 9.64, 23.26, 3.112, 21, 6.761, -9.02, 0.84, -9.06, -12.52},
};
inline constexpr double kSamplesOfMicroBatch = 4.0;

class Unsampled : public OperatorCosts, public CollectiveCosts {
public:
    [[nodiscard]] OperatorTime timeOf(const Operator& work) const override {
        // Adam of 30 B a parameter at 2 TB/s: what the samples of GH200 do not tell.
        return {30.0 * work.m / 2e12, 0.0, 0.0};
    }
    [[nodiscard]] double secondsOf(const Collective&) const override { return 0.0; }
};

struct Pass {
    double forward = 0.0;
    double backward = 0.0;

    Pass& operator+=(const OperatorTime& time) {
        forward += time.forward;
        backward += time.backward;
        return *this;
    }
};

// The published way: a layer is the sum of its operators and all-reduces, recomputed as a whole.
struct Composition {
    Composition(const PublishedRun& published, const Profile& profile)
        : run(published)
        , unsampled(std::make_shared<Unsampled>())
        , stack(profile.gpu(run.gpu)->stack)
        , operators(*profile.gpu(run.gpu), unsampled)
        , exchanges(*profile.fabric(run.gpu, {run.fabric}), unsampled)
        , rows(kSamplesOfMicroBatch * run.tokens)
        , ranks(run.tensor)
        , words(std::ceil(50257.0 / (128.0 * ranks)) * 128.0) {
        const int inside = std::min(run.tensor, run.gpusPerNode);
        allReduce = exchanges.secondsOf(
            {CollectiveKind::AllReduce, 2.0 * rows * run.hidden, run.tensor, inside});
        // The mask of tokens × tokens is sent too.
        send = sendOf(2.0 * rows * run.hidden / ranks) + sendOf(2.0 * run.tokens * run.tokens);
        layer = layerPass();
        composeStages();
    }

    [[nodiscard]] double sendOf(double bytes) const {
        return exchanges.secondsOf({CollectiveKind::SendRecv, bytes, 2, 1});
    }
    [[nodiscard]] OperatorTime gemm(double n, double k) const {
        return operators.timeOf(
            {.kind = OperatorKind::Gemm, .m = rows, .n = n, .k = k, .precision = Precision::Fp16});
    }
    [[nodiscard]] OperatorTime wide(OperatorKind kind, double width, double table = 1.0) const {
        return operators.timeOf({.kind = kind, .m = rows, .n = width, .k = table});
    }
    [[nodiscard]] OperatorTime core(OperatorKind kind, double n, double k) const {
        return operators.timeOf({.kind = kind,
            .batch = kSamplesOfMicroBatch * run.heads / ranks,
            .m = run.tokens,
            .n = n,
            .k = k,
            .precision = Precision::Fp16});
    }
    [[nodiscard]] OperatorTime norm() const {
        return wide(run.isLlama ? OperatorKind::RmsNorm : OperatorKind::LayerNorm, run.hidden);
    }

    [[nodiscard]] Pass layerPass() const {
        const double d = run.hidden;
        const double headSize = d / run.heads;
        Pass pass;
        pass += norm();
        pass += gemm(3.0 * d / ranks, d);
        pass += operators.timeOf({.kind = OperatorKind::Rope,
            .batch = kSamplesOfMicroBatch,
            .m = run.tokens,
            .n = 2.0 * d / ranks});
        if (run.hasFlash) {
            pass += core(OperatorKind::FlashAttention, headSize, run.tokens);
        } else {
            pass += core(OperatorKind::AttentionScores, run.tokens, headSize);
            pass += core(OperatorKind::Softmax, run.tokens, 1.0);
            pass += core(OperatorKind::AttentionValues, headSize, run.tokens);
        }
        pass += gemm(d, d / ranks);
        pass += norm();
        pass += wide(OperatorKind::Residual, d);
        pass += gemm(4.0 * d / ranks, d);
        pass += wide(OperatorKind::Gelu, 4.0 * d / ranks);
        pass += gemm(d, 4.0 * d / ranks);
        pass += wide(OperatorKind::Residual, d);
        pass.forward += (run.isLlama ? 2.0 : 1.0) * allReduce + stack.gapSeconds;
        pass.backward += 2.0 * allReduce + stack.gapSeconds + pass.forward;
        return pass;
    }

    void composeStages() {
        const OperatorTime embedding = wide(OperatorKind::Embedding, run.hidden, words);
        const OperatorTime logits = gemm(words, run.hidden);
        const OperatorTime loss = wide(OperatorKind::CrossEntropy, words);
        const OperatorTime last = norm();
        const auto [first, middle, behind] = run.layers;
        const std::array<Pass, 3> stages{
            Pass{embedding.forward + allReduce + first * layer.forward + send,
                embedding.backward + first * layer.backward},
            Pass{middle * layer.forward + send, middle * layer.backward + send},
            Pass{behind * layer.forward + last.forward + logits.forward + loss.forward,
                behind * layer.backward + last.backward + logits.backward + loss.backward + send}};
        double slowest = 0.0;
        for (const Pass& stage : stages) {
            stageForward = std::max(stageForward, stage.forward);
            stageBackward = std::max(stageBackward, stage.backward);
            slowest = std::max(slowest, stage.forward + stage.backward);
        }
        const double all = stages[0].forward + stages[0].backward + stages[2].forward
            + stages[2].backward + (run.stages - 2) * (stages[1].forward + stages[1].backward);
        const double parameters
            = first * 12.0 * run.hidden * run.hidden / ranks + words * run.hidden;
        const int inside = std::min(run.data, std::max(1, run.gpusPerNode / run.tensor));
        gradients
            = exchanges.secondsOf({CollectiveKind::AllReduce, 2.0 * parameters, run.data, inside});
        const double gathering
            = exchanges.secondsOf({CollectiveKind::AllGather, 2.0 * parameters, run.data, inside});
        const double updating = operators
                                    .timeOf({.kind = OperatorKind::Optimizer,
                                        .m = parameters / run.data,
                                        .n = 12.0 * first})
                                    .forward;
        // Filling and draining take the stages as they are, not as the slowest.
        const double pipeline = run.microbatches * slowest + (run.stages - 1) * all / run.stages;
        const double gpus = 1.0 * run.stages * run.tensor * run.data;
        step = (pipeline + gradients + gathering + updating)
            * (1.0 + stack.jitter * std::log2(gpus / 8.0));
    }

    const PublishedRun& run;
    std::shared_ptr<const Unsampled> unsampled;
    StackTerms stack;
    SampledCosts operators;
    SampledCollectives exchanges;
    double rows;
    double ranks;
    double words;
    double allReduce = 0.0; // s
    double send = 0.0;
    Pass layer;
    double stageForward = 0.0;
    double stageBackward = 0.0;
    double gradients = 0.0;
    double step = 0.0;
};

} // namespace trainscope::test
