#include "core/analysis/machine/LayerActivations.h"

#include "core/analysis/machine/ModelShape.h"

#include <algorithm>

namespace trainscope::analysis {

using layout::CommunicatorKind;

double LayerValues::largest(const LayerCounts& layers) const {
    return std::max(layers.dense > 0.0 ? dense : 0.0, layers.expert > 0.0 ? expert : 0.0);
}

LayerActivations::LayerActivations(const MemoryRequest& request)
    : m_request(request)
    , m_model(request.model)
    , m_widths(request.widths)
    , m_tensor(request.layout.grid.degrees().tensor)
    , m_expertTensor(request.layout.grid.groupSize(CommunicatorKind::ExpertTensor))
    , m_tokens(request.microBatch * request.sequence / request.layout.grid.degrees().context) { }

// By how many the parts outside of tensor parallelism are divided.
double LayerActivations::spread() const {
    return m_request.sequenceParallel ? m_tensor : 1.0;
}

// B of a number between the blocks of layers.
double LayerActivations::residualWidth() const {
    constexpr double kSingle = 4.0;
    return m_request.castsWeights() ? kSingle : m_widths.activation;
}

double LayerActivations::queryWidth() const {
    return double{1} * m_model.heads * m_model.headSize;
}

double LayerActivations::keysOnGpu() const {
    return m_model.hasLatentAttention() ? queryWidth() / m_tensor
                                        : keyHeadsOnGpu(m_model, m_tensor) * m_model.headSize;
}

double LayerActivations::keysAndValuesOnGpu() const {
    const double values
        = m_model.hasLatentAttention() ? valueWidthOf(m_model) / m_tensor : keysOnGpu();
    return keysOnGpu() + values;
}

double LayerActivations::denseWidth() const {
    const bool hasOwn = m_model.experts > 1 && m_model.denseFfn > 0;
    return (hasOwn ? m_model.denseFfn : m_model.ffn) / m_tensor;
}

double LayerActivations::sharedWidth() const {
    return double{1} * m_model.sharedExperts * m_model.ffn / m_tensor;
}

double LayerActivations::expertWidth() const {
    return m_model.ffn / m_expertTensor;
}

// Copies of a token that the experts of a GPU work on, the tokens being evenly spread over experts.
double LayerActivations::dispatched() const {
    return m_model.expertsPerToken * (m_request.sequenceParallel ? m_expertTensor / m_tensor : 1.0);
}

// Behind the first products of an MLP, of which a gated one has two, and before its last.
double LayerActivations::insideMlp(double width) const {
    const bool keepsFunction = m_model.gatedMlp && m_request.kernels == Kernels::Eager;
    const double plain = (m_model.gatedMlp ? 2.0 : 1.0) + (keepsFunction ? 1.0 : 0.0);
    return (plain * m_widths.activation + m_widths.product) * width;
}

// Queries, keys and values.
double LayerActivations::projectedPerToken() const {
    return m_widths.activation * (queryWidth() / m_tensor + keysAndValuesOnGpu());
}

// With the norms before both halves of the layer.
double LayerActivations::attentionPerToken() const {
    const double plain = m_widths.activation;
    const double product = m_widths.product;
    const double masks = m_request.dropout ? 2.0 : 0.0;
    const double latent = (plain + product) * (m_model.queryRank + m_model.keyValueRank);
    const double leaving = plain + (product < plain ? product : 0.0);
    return ((2.0 * residualWidth() + product + masks) * m_model.hidden + latent) / spread()
        + projectedPerToken() + leaving * valueWidthOf(m_model) / m_tensor;
}

double LayerActivations::mlpPerToken(double width) const {
    return m_widths.product * m_model.hidden / spread() + insideMlp(width);
}

double LayerActivations::expertsPerToken() const {
    const double leaving = m_request.weighsInsideExperts ? 0.0 : m_widths.activation;
    const double moved = (m_widths.product + leaving) * m_model.hidden;
    const double shared = m_model.sharedExperts > 0 ? mlpPerToken(sharedWidth()) : 0.0;
    return dispatched() * (moved + insideMlp(expertWidth())) + shared;
}

// Activations of attention that does not fuse its products with the softmax: the softmax's result,
// and the dropout's mask and result.
double LayerActivations::attentionCore() const {
    if (!m_request.unfusedAttention)
        return 0.0;
    return (2.0 * m_widths.activation + 1.0) * m_model.heads / m_tensor * m_request.sequence
        * m_tokens;
}

LayerValues LayerActivations::whole() const {
    const double common = m_tokens * attentionPerToken() + attentionCore();
    return {common + m_tokens * mlpPerToken(denseWidth()), common + m_tokens * expertsPerToken()};
}

// Results of norms, which a product takes as they are.
LayerValues LayerActivations::normsPerToken() const {
    const double one = m_widths.product * m_model.hidden / spread();
    return {2.0 * one, m_model.sharedExperts > 0 ? 2.0 * one : one};
}

LayerValues LayerActivations::selected() const {
    const RecomputedParts& parts = m_request.recomputedParts;
    LayerValues perToken;
    if (parts.latentProjections && m_model.hasLatentAttention())
        perToken = {projectedPerToken(), projectedPerToken()};
    if (parts.norms) {
        perToken.dense += normsPerToken().dense;
        perToken.expert += normsPerToken().expert;
    }
    if (parts.expertFunction)
        perToken.expert += m_widths.product * dispatched() * expertWidth();
    if (parts.denseMlp)
        perToken.dense += insideMlp(denseWidth());
    const double core = parts.attentionCore ? attentionCore() : 0.0;
    return {core + m_tokens * perToken.dense, core + m_tokens * perToken.expert};
}

LayerValues LayerActivations::keptPerOperator() const {
    const double common = 2.0 * m_model.hidden / spread()
        + (queryWidth() + valueWidthOf(m_model)) / m_tensor + keysOnGpu();
    const double experts = sharedWidth() + dispatched() * expertWidth();
    return {m_widths.activation * m_tokens * (common + denseWidth()),
        m_widths.activation * m_tokens * (common + experts)};
}

LayerValues LayerActivations::kept() const {
    const double input = residualWidth() * m_model.hidden / spread() * m_tokens;
    switch (m_request.recompute) {
    case Recomputation::Full:
        return {input, input};
    case Recomputation::PerOperator:
        return keptPerOperator();
    case Recomputation::Selective:
        return {whole().dense - selected().dense, whole().expert - selected().expert};
    case Recomputation::None:
        break;
    }
    return whole();
}

LayerValues LayerActivations::redone() const {
    switch (m_request.recompute) {
    case Recomputation::Full:
    case Recomputation::PerOperator:
        return whole();
    case Recomputation::Selective:
        return selected();
    case Recomputation::None:
        break;
    }
    return {};
}

LayerValues LayerActivations::gradients() const {
    const double wide = m_model.gatedMlp ? 3.0 : 2.0;
    const double input = m_model.hidden / spread();
    const double scale = m_widths.activation * m_tokens;
    return {scale * (input + wide * denseWidth()),
        scale * (input + wide * dispatched() * expertWidth())};
}

double LayerActivations::cache() const {
    const double width = m_model.hasLatentAttention()
        ? double{1} * m_model.keyValueRank + m_model.ropeHeadSize
        : keysAndValuesOnGpu();
    return m_widths.activation * m_tokens * width;
}

} // namespace trainscope::analysis
