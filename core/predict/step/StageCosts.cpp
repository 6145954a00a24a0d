#include "core/predict/step/StageCosts.h"

#include "core/predict/operators/RankGroup.h"

#include <cmath>

namespace trainscope::predict {

namespace {

constexpr double kSentBytes = 2.0; // a number's

void addTimes(PieceCost& cost, const PieceCost& part, double times) {
    cost.forward.add(part.forward, times);
    cost.backward.add(part.backward, times);
    cost.weightGradient += part.weightGradient * times;
    cost.movedLoss += part.movedLoss * times;
    cost.hostSeconds += part.hostSeconds * times;
    cost.hiddenForward += part.hiddenForward * times;
    cost.hiddenBackward += part.hiddenBackward * times;
}

// Passes last as long as their host takes to launch them, where that is longer. It is ahead in one
// by what it waits for in the other.
void waitForHost(PieceCost& cost) {
    constexpr double kSharp = 8.0;
    if (cost.hostSeconds <= 0.0)
        return;
    const double busy = cost.forward.total() + cost.backward.total();
    const double gap
        = std::pow(std::pow(busy, kSharp) + std::pow(cost.hostSeconds, kSharp), 1.0 / kSharp)
        - busy;
    cost.forward[StepPart::Gap] += kForwardLaunches * gap;
    cost.backward[StepPart::Gap] += (1.0 - kForwardLaunches) * gap;
}

} // namespace

ModelShare& ModelShare::operator+=(const ModelShare& other) {
    dense += other.dense;
    experts += other.experts;
    hasEmbedding = hasEmbedding || other.hasEmbedding;
    hasLoss = hasLoss || other.hasLoss;
    return *this;
}

ModelShare shareOf(const Job& job, std::size_t piece) {
    const auto& chunks = job.layout.chunks;
    const layout::StageChunk& chunk = chunks[piece];
    const bool isMixture = job.model.experts > 1;
    ModelShare share;
    share.dense = isMixture ? std::clamp(job.model.denseLayers - chunk.firstLayer, 0, chunk.layers)
                            : chunk.layers;
    share.experts = chunk.layers - share.dense;
    share.hasEmbedding = piece == 0;
    share.hasLoss = piece + 1 == chunks.size();
    return share;
}

std::vector<ModelShare> stageShares(const Job& job) {
    std::vector<ModelShare> shares(static_cast<std::size_t>(job.layout.grid.degrees().pipeline));
    for (std::size_t i = 0; i < job.layout.chunks.size(); ++i)
        shares[static_cast<std::size_t>(job.layout.chunks[i].stage)] += shareOf(job, i);
    if (job.layout.schedule == layout::ScheduleKind::DualPipe) { // and of the other direction
        const std::vector<ModelShare> own = shares;
        for (std::size_t stage = 0; stage < shares.size(); ++stage)
            shares[stage] += own[shares.size() - 1 - stage];
    }
    return shares;
}

PieceCost costOf(
    const Job& job, const PassCosts& layers, const ModelShare& share, double recomputed) {
    PieceCost cost;
    if (share.dense > 0)
        addTimes(cost, layers.dense.cost, share.dense);
    if (share.experts > 0)
        addTimes(cost, layers.expert.cost, share.experts);
    cost.backward[StepPart::Recomputation] *= recomputed;
    if (share.hasEmbedding)
        addTimes(cost, layers.embedding.cost, 1.0);
    if (share.hasLoss) {
        const int more = job.model.nextTokenLayers;
        addTimes(cost, layers.loss.cost, 1.0 + more);
        if (more > 0)
            addTimes(cost, lastLayerOf(job, layers).cost, more);
    }
    waitForHost(cost);
    return cost;
}

const LayerCost& lastLayerOf(const Job& job, const PassCosts& layers) {
    return job.model.experts > 1 ? layers.expert : layers.dense;
}

double sendSeconds(
    const Job& job, const Rates& rates, const CollectiveCosts& collectives, double tokens) {
    const layout::Degrees& degrees = job.layout.grid.degrees();
    if (degrees.pipeline <= 1)
        return 0.0;
    const int stride = job.gpus() / degrees.pipeline;
    Collective send{CollectiveKind::SendRecv,
        kSentBytes * tokens * job.model.hidden / degrees.tensor, 2, ranksInside(job, {2, stride})};
    double seconds = collectives.secondsOf(send);
    if (rates.sentMask > 0.0) {
        send.bytes = kSentBytes * job.sequence * job.sequence;
        seconds += rates.sentMask * collectives.secondsOf(send);
    }
    return seconds * (job.layout.virtualStages > 1 ? rates.pipelineExposed : 1.0);
}

} // namespace trainscope::predict
