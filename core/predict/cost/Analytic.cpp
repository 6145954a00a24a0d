#include "core/predict/cost/Analytic.h"

#include <cmath>

namespace trainscope::predict {

namespace {

constexpr double kUnfusedShare = 0.75; // share of a matrix product's rate, for products of s × s
constexpr double kStreamedRows = 128.0; // rows of a product that waits for its weights
constexpr double kComputedRows = 512.0; // rows of one that does not

bool isSixteenBit(Precision precision) {
    return precision == Precision::Fp16 || precision == Precision::Bf16;
}

// Compilers fuse these with norms, so they are as well known as norms are.
bool partOfNorms(OperatorKind kind) {
    return kind == OperatorKind::LayerNorm || kind == OperatorKind::RmsNorm
        || kind == OperatorKind::Residual || kind == OperatorKind::Rope;
}

} // namespace

double AnalyticCosts::moved(double bytes) const {
    return bytes / (m_rates.bandwidth * m_rates.memory);
}

double AnalyticCosts::streamed(double flopSeconds, double bytes) const {
    return flopSeconds + bytes / (m_rates.bandwidth * m_rates.stream);
}

// Scales of blocks are made while their block is cast.
double AnalyticCosts::castBytes(const Operator& work, const Work& pass) const {
    constexpr double kRead = 2.0; // B
    const bool hasTensorScale = work.precision == Precision::Fp8;
    return pass.bytes
        + (hasTensorScale ? m_rates.scaleReads * kRead * work.batch * work.m * work.n : 0.0);
}

double AnalyticCosts::product(const Operator& work, double flop, double bytes) const {
    const bool isReduced = !isSixteenBit(work.precision);
    const double peak = isReduced ? m_rates.peak : m_rates.peak16;
    double share = m_rates.gemmShare(work.precision);
    if (work.kind == OperatorKind::GroupedGemm)
        share *= m_rates.groupedShare;
    const double q = peak * share / m_rates.sizePeak;
    const double wide = flop / (peak * share) * (1.0 + m_rates.sizeN * q / work.n)
        * (1.0 + m_rates.sizeK * q / work.k);
    const double many
        = std::max(wide * (1.0 + m_rates.sizeM * q / work.m), bytes / m_rates.bandwidth);
    if (work.m >= kComputedRows)
        return many;
    const double few = streamed(wide, bytes);
    const double way = std::clamp(
        std::log2(work.m / kStreamedRows) / std::log2(kComputedRows / kStreamedRows), 0.0, 1.0);
    return few + way * (many - few);
}

double AnalyticCosts::aloneProduct(double batch, double m, double n, double k) const {
    constexpr double kElement = 2.0; // B
    const double small = m_rates.aloneSizeM;
    const double computed = 2.0 * batch * m * n * k / (m_rates.peak16 * m_rates.aloneGemm16)
        * (1.0 + small / m) * (1.0 + small / n) * (1.0 + m_rates.aloneSizeK / k);
    const double bytes = kElement * batch * (m * k + k * n + m * n);
    return std::max(computed, bytes / (m_rates.bandwidth * m_rates.stream));
}

OperatorTime AnalyticCosts::aloneProducts(const Operator& work) const {
    OperatorTime time{aloneProduct(work.batch, work.m, work.n, work.k),
        aloneProduct(work.batch, work.m, work.k, work.n), kFormulaSpread};
    if (!work.hasFrozenWeights)
        time.backward += aloneProduct(work.batch, work.k, work.n, work.m);
    return time;
}

OperatorTime AnalyticCosts::aloneAttention(const Operator& work) const {
    const double peak = m_rates.peak16 * m_rates.attentionShare;
    return {forwardWork(work).flop / (peak * m_rates.aloneFlashForward)
            * (1.0 + m_rates.flashLengthForward / work.k),
        backwardWork(work).flop / (peak * m_rates.aloneFlashBackward)
            * (1.0 + m_rates.flashLengthBackward / work.k),
        kFormulaSpread};
}

bool AnalyticCosts::isAlone(const Operator& work) const {
    return m_rates.alone > 0.0 && isSixteenBit(work.precision)
        && (work.kind == OperatorKind::Gemm || work.kind == OperatorKind::FlashAttention);
}

OperatorTime AnalyticCosts::timeOf(const Operator& work) const {
    OperatorTime time = onceOf(work);
    time.forward = (time.forward + m_rates.launchSeconds) * work.count;
    time.backward = (time.backward + m_rates.launchSeconds) * work.count;
    return time;
}

OperatorTime AnalyticCosts::onceOf(const Operator& work) const {
    if (isAlone(work))
        return work.kind == OperatorKind::Gemm ? aloneProducts(work) : aloneAttention(work);
    const Work forward = forwardWork(work);
    const Work backward = backwardWork(work);
    OperatorTime time{0.0, 0.0, kFormulaSpread};
    if (work.isOfBytes()) {
        const double share = work.kind == OperatorKind::CrossEntropy ? m_rates.lossShare
            : partOfNorms(work.kind)                                 ? m_rates.normPasses
                                                                     : 1.0;
        const double rate = m_rates.bandwidth * m_rates.plainMemory;
        return {share * forward.bytes / rate, share * backward.bytes / rate, kFormulaSpread};
    }
    switch (work.kind) {
    case OperatorKind::Gemm:
    case OperatorKind::GroupedGemm:
    case OperatorKind::Router:
        time.forward = product(work, forward.flop, forward.bytes);
        time.backward = product(work, backward.flop, backward.bytes);
        break;
    case OperatorKind::FlashAttention: {
        const double peak = m_rates.peak16 * m_rates.attentionShare;
        time.forward = forward.flop / (peak * m_rates.flashForward);
        time.backward = backward.flop / (peak * m_rates.flashBackward);
        break;
    }
    case OperatorKind::CachedAttention: {
        const double peak = m_rates.peak16 * m_rates.attentionShare * m_rates.flashForward;
        time.forward = std::max(forward.flop / peak, streamed(0.0, forward.bytes));
        break;
    }
    case OperatorKind::AttentionScores:
    case OperatorKind::AttentionValues: {
        const double rate = m_rates.peak16 * m_rates.gemm16 * kUnfusedShare;
        time.forward = forward.flop / rate;
        time.backward = backward.flop / rate;
        break;
    }
    case OperatorKind::Softmax: {
        // All passes over the scores: their product's output, mask, softmax, dropout.
        const double scores = 2.0 * work.batch * work.m * work.n;
        time.forward = scores * m_rates.unfusedBytes / m_rates.bandwidth;
        time.backward = scores * m_rates.unfusedBackwardBytes / m_rates.bandwidth;
        break;
    }
    case OperatorKind::LayerNorm:
    case OperatorKind::RmsNorm:
        time.forward = moved(forward.bytes) * m_rates.normPasses;
        time.backward = moved(backward.bytes) * m_rates.normPasses * m_rates.backwardPasses;
        break;
    case OperatorKind::Cast:
        time.forward = moved(castBytes(work, forward)) * m_rates.castPasses;
        time.backward = moved(castBytes(work, backward)) * m_rates.castPasses;
        break;
    case OperatorKind::CrossEntropy:
        time.forward = moved(forward.bytes) * m_rates.lossShare;
        time.backward = moved(backward.bytes) * m_rates.lossShare;
        break;
    case OperatorKind::Sampling:
    case OperatorKind::Optimizer:
        time.forward = moved(forward.bytes);
        break;
    case OperatorKind::Embedding:
    case OperatorKind::Rope:
    case OperatorKind::Gelu:
    case OperatorKind::Swiglu:
    case OperatorKind::Residual:
    case OperatorKind::Dropout:
    case OperatorKind::Permute:
        time.forward = moved(forward.bytes);
        time.backward = moved(backward.bytes) * m_rates.backwardPasses;
        break;
    }
    return time;
}

double AnalyticCosts::latency(const Collective& exchange) const {
    return m_rates.linkLatency
        + m_rates.networkLatency * std::log2(static_cast<double>(exchange.nodes()));
}

// Bandwidth of the links inside a node. Wires between each pair of GPUs serve only the ranks of a
// group.
double AnalyticCosts::linkOf(double ranksInside) const {
    const double share = m_rates.linkPeers > 0.0 ? (ranksInside - 1.0) / m_rates.linkPeers : 1.0;
    return m_rates.link * std::clamp(share, 1.0 / std::max(1.0, m_rates.linkPeers), 1.0);
}

// Seconds of an all-gather or a reduce-scatter, as a share of the tensor is on each rank before or
// after.
double AnalyticCosts::gathered(const Collective& exchange) const {
    const double inside = std::min(exchange.ranks, exchange.ranksPerNode);
    const double ranks = exchange.ranks;
    const double link = exchange.bytes * (inside - 1.0) / inside / linkOf(inside);
    const double network = exchange.nodes() > 1
        ? exchange.bytes * (ranks - 1.0) / ranks / (inside * m_rates.network)
        : 0.0;
    return std::max(link, network) + latency(exchange);
}

// Each rank of a node sends its part to the switches once, and has the sum back from them.
double AnalyticCosts::reducedBySwitches(const Collective& exchange) const {
    const double inside = std::min(exchange.ranks, exchange.ranksPerNode);
    const double link = 2.0 * exchange.bytes * (inside - 1.0) / inside / linkOf(inside);
    return std::max(link, exchange.bytes / (inside * m_rates.network)) + 2.0 * latency(exchange);
}

double AnalyticCosts::reduced(const Collective& exchange) const {
    const double ring = 2.0 * gathered(exchange);
    if (exchange.nodes() > 1)
        return m_rates.inNetwork > 0.0 ? std::min(ring, reducedBySwitches(exchange)) : ring;
    const double ranks = exchange.ranks;
    return std::min(ring, exchange.bytes * (ranks - 1.0) / linkOf(ranks) + latency(exchange));
}

double AnalyticCosts::secondsOf(const Collective& exchange) const {
    if (exchange.ranks <= 1 || exchange.bytes <= 0.0)
        return 0.0;
    switch (exchange.kind) {
    case CollectiveKind::AllReduce:
        return reduced(exchange);
    case CollectiveKind::AllGather:
    case CollectiveKind::ReduceScatter:
        return gathered(exchange);
    case CollectiveKind::AllToAll: {
        const double ranks = exchange.ranks;
        const double inside = std::min(exchange.ranks, exchange.ranksPerNode);
        const double link = exchange.bytes * (inside - 1.0) / ranks / linkOf(inside);
        const double leaving
            = exchange.networkBytes.value_or(exchange.bytes * (ranks - inside) / ranks);
        const double network = leaving / m_rates.network;
        return std::max(link, network) + latency(exchange);
    }
    default:
        return exchange.bytes / (exchange.nodes() > 1 ? m_rates.networkSend : linkOf(2.0))
            + latency(exchange);
    }
}

} // namespace trainscope::predict
