#include "core/analysis/machine/MemoryNeed.h"

#include "core/layout/ScheduleOrder.h"
#include "core/model/AsciiText.h"

namespace trainscope::analysis {
namespace {

using layout::CommunicatorKind;

// Bytes that a GPU keeps of a micro-batch in one layer, and what making them again takes; the
// formulas are in MemoryNeed.h. Pure; any thread.

// Numbers of layers of each kind, which may be parts of one.
struct LayerCounts {
    double dense = 0.0;
    double expert = 0.0; // with a mixture of experts

    [[nodiscard]] double all() const { return dense + expert; }
};

// A value of a dense layer and one of a layer with experts.
struct LayerValues {
    double dense = 0.0;
    double expert = 0.0;

    [[nodiscard]] double sum(const LayerCounts& layers) const {
        return layers.dense * dense + layers.expert * expert;
    }
    // The larger value of the kinds of layers that there are.
    [[nodiscard]] double largest(const LayerCounts& layers) const;
};

// Holds on to the request.
class LayerActivations {
public:
    explicit LayerActivations(const MemoryRequest& request)
        : m_request(request)
        , m_model(request.model)
        , m_widths(request.widths)
        , m_tensor(request.layout.grid.degrees().tensor)
        , m_expertTensor(request.layout.grid.groupSize(CommunicatorKind::ExpertTensor))
        , m_tokens(double{1} * request.microBatch * request.sequence
              / request.layout.grid.degrees().context) { }

    [[nodiscard]] double tokens() const { return m_tokens; } // per micro-batch and GPU

    // Nothing recomputed
    [[nodiscard]] LayerValues whole() const {
        const double common = m_tokens * attentionPerToken() + attentionCore();
        return {
            common + m_tokens * mlpPerToken(denseWidth()), common + m_tokens * expertsPerToken()};
    }

    // A layer that is recomputed as the request says
    [[nodiscard]] LayerValues kept() const {
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

    // The part of it that its backward pass makes again
    [[nodiscard]] LayerValues redone() const {
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

    // Gradients of the MLP's widest activations, before and behind its function, and of its input.
    [[nodiscard]] LayerValues gradients() const {
        const double wide = m_model.gatedMlp ? 3.0 : 2.0;
        const double input = m_model.hidden / spread();
        const double scale = m_widths.activation * m_tokens;
        return {scale * (input + wide * denseWidth()),
            scale * (input + wide * dispatched() * expertWidth())};
    }

    // Inference: keys and values, or what they are made of
    [[nodiscard]] double cache() const {
        const double width = m_model.hasLatentAttention()
            ? double{1} * m_model.keyValueRank + m_model.ropeHeadSize
            : keysAndValuesOnGpu();
        return m_widths.activation * m_tokens * width;
    }

private:
    // By how many the parts outside of tensor parallelism are divided.
    [[nodiscard]] double spread() const { return m_request.sequenceParallel ? m_tensor : 1.0; }

    // B of a number between the blocks of layers.
    [[nodiscard]] double residualWidth() const {
        constexpr double kSingle = 4.0;
        return m_request.castsWeights() ? kSingle : m_widths.activation;
    }

    [[nodiscard]] double queryWidth() const { return double{1} * m_model.heads * m_model.headSize; }

    [[nodiscard]] double keysOnGpu() const {
        return m_model.hasLatentAttention() ? queryWidth() / m_tensor
                                            : keyHeadsOnGpu(m_model, m_tensor) * m_model.headSize;
    }

    [[nodiscard]] double keysAndValuesOnGpu() const {
        const double values
            = m_model.hasLatentAttention() ? valueWidthOf(m_model) / m_tensor : keysOnGpu();
        return keysOnGpu() + values;
    }

    [[nodiscard]] double denseWidth() const {
        const bool hasOwn = m_model.experts > 1 && m_model.denseFfn > 0;
        return (hasOwn ? m_model.denseFfn : m_model.ffn) / m_tensor;
    }

    [[nodiscard]] double sharedWidth() const {
        return double{1} * m_model.sharedExperts * m_model.ffn / m_tensor;
    }

    [[nodiscard]] double expertWidth() const { return m_model.ffn / m_expertTensor; }

    // Copies of a token that the experts of a GPU work on, the tokens being evenly spread over
    // experts.
    [[nodiscard]] double dispatched() const {
        return m_model.expertsPerToken
            * (m_request.sequenceParallel ? m_expertTensor / m_tensor : 1.0);
    }

    [[nodiscard]] bool isAdapted(AdaptedMatrix matrix) const {
        return m_request.adapters.value_or(Adapters()).adapt(matrix);
    }

    // Bytes of a number that a product takes and that is kept: of frozen weights none.
    [[nodiscard]] double inputWidth(AdaptedMatrix matrix) const {
        if (m_request.workload != Workload::Lora)
            return m_widths.product;
        return isAdapted(matrix) ? m_widths.activation : 0.0;
    }

    // Experts have no adapters.
    [[nodiscard]] double expertInputWidth() const {
        return m_request.workload == Workload::Lora ? 0.0 : m_widths.product;
    }

    // Behind the first products of an MLP, of which a gated one has two.
    [[nodiscard]] double functionWidth() const {
        const bool keepsFunction = m_model.gatedMlp && m_request.kernels == Kernels::Eager;
        return (m_model.gatedMlp ? 2.0 : 1.0) * m_widths.function
            + (keepsFunction ? m_widths.activation : 0.0);
    }

    // With what its last product takes.
    [[nodiscard]] double insideMlp(double width, double outputInput) const {
        return (functionWidth() + outputInput) * width;
    }

    // Between the two products of each adapter.
    [[nodiscard]] double adaptersPerToken(std::initializer_list<AdaptedMatrix> matrices) const {
        if (m_request.workload != Workload::Lora)
            return 0.0;
        double count = 0.0;
        for (const AdaptedMatrix matrix : matrices)
            count += isAdapted(matrix) ? 1.0 : 0.0;
        return count * m_widths.activation * m_request.adapters.value_or(Adapters()).rank;
    }

    // Bytes of a number that attention gives: it keeps it itself, and the next product takes it, as
    // it is or in another width. If attention keeps it in fewer bits than activations, a product of
    // no more takes that.
    [[nodiscard]] double leavingAttention() const {
        const double kept = m_widths.attention;
        const double input = inputWidth(AdaptedMatrix::Output);
        const bool isShared = input == kept || (kept < m_widths.activation && input < kept);
        return kept + (isShared ? 0.0 : input);
    }

    // With the norms before both halves of the layer.
    [[nodiscard]] double attentionPerToken() const {
        const double taken = inputWidth(AdaptedMatrix::Qkv);
        const double masks = m_request.dropout ? 2.0 : 0.0;
        const double latent = (m_widths.activation + expertInputWidth())
            * (m_model.queryRank + m_model.keyValueRank);
        return ((2.0 * residualWidth() + taken + masks) * m_model.hidden + latent) / spread()
            + projectedPerToken() + leavingAttention() * valueWidthOf(m_model) / m_tensor
            + adaptersPerToken({AdaptedMatrix::Qkv, AdaptedMatrix::Output});
    }

    // Queries, keys and values.
    [[nodiscard]] double projectedPerToken() const {
        return m_widths.attention * (queryWidth() / m_tensor + keysAndValuesOnGpu());
    }

    [[nodiscard]] double mlpPerToken(double width) const {
        return inputWidth(AdaptedMatrix::MlpUp) * m_model.hidden / spread()
            + insideMlp(width, inputWidth(AdaptedMatrix::MlpDown))
            + adaptersPerToken({AdaptedMatrix::MlpUp, AdaptedMatrix::MlpDown});
    }

    // Shared experts have no adapters.
    [[nodiscard]] double sharedPerToken() const {
        if (m_model.sharedExperts == 0)
            return 0.0;
        return expertInputWidth() * m_model.hidden / spread()
            + insideMlp(sharedWidth(), expertInputWidth());
    }

    [[nodiscard]] double expertsPerToken() const {
        const double leaving = m_request.weighsInsideExperts ? 0.0 : m_widths.activation;
        const double moved = (expertInputWidth() + leaving) * m_model.hidden;
        return dispatched() * (moved + insideMlp(expertWidth(), expertInputWidth()))
            + sharedPerToken();
    }

    // Activations of attention that does not fuse its products with the softmax: the softmax's
    // result, and the dropout's mask and result.
    [[nodiscard]] double attentionCore() const {
        if (!m_request.unfusedAttention)
            return 0.0;
        return (2.0 * m_widths.activation + 1.0) * m_model.heads / m_tensor * m_request.sequence
            * m_tokens;
    }

    // Results of norms, which a product takes as they are.
    [[nodiscard]] LayerValues normsPerToken() const {
        const double one = m_model.hidden / spread();
        const double before = inputWidth(AdaptedMatrix::Qkv);
        return {(before + inputWidth(AdaptedMatrix::MlpUp)) * one,
            (before + (m_model.sharedExperts > 0 ? expertInputWidth() : 0.0)) * one};
    }

    [[nodiscard]] LayerValues selected() const {
        const RecomputedParts& parts = m_request.recomputedParts;
        LayerValues perToken;
        if (parts.latentProjections && m_model.hasLatentAttention())
            perToken = {projectedPerToken(), projectedPerToken()};
        if (parts.norms) {
            perToken.dense += normsPerToken().dense;
            perToken.expert += normsPerToken().expert;
        }
        if (parts.expertFunction)
            perToken.expert += expertInputWidth() * dispatched() * expertWidth();
        if (parts.denseMlp)
            perToken.dense += insideMlp(denseWidth(), inputWidth(AdaptedMatrix::MlpDown));
        else if (parts.denseFunction)
            perToken.dense += inputWidth(AdaptedMatrix::MlpDown) * denseWidth();
        const double core = parts.attentionCore ? attentionCore() : 0.0;
        return {core + m_tokens * perToken.dense, core + m_tokens * perToken.expert};
    }

    [[nodiscard]] LayerValues keptPerOperator() const {
        const double common = 2.0 * m_model.hidden / spread()
            + (queryWidth() + valueWidthOf(m_model)) / m_tensor + keysOnGpu();
        const double experts = sharedWidth() + dispatched() * expertWidth();
        return {m_widths.activation * m_tokens * (common + denseWidth()),
            m_widths.activation * m_tokens * (common + experts)};
    }

    const MemoryRequest& m_request;
    const catalogue::TrainingModel& m_model;
    const NumberWidths& m_widths;
    double m_tensor;
    double m_expertTensor;
    double m_tokens;
};

double LayerValues::largest(const LayerCounts& layers) const {
    return std::max(layers.dense > 0.0 ? dense : 0.0, layers.expert > 0.0 ? expert : 0.0);
}

constexpr double kContext = 0.6e9; // B, CUDA with its libraries
constexpr double kCommunicator = 0.2e9; // B
constexpr double kFragmentation = 0.02; // share of the bytes that come and go
constexpr double kStepFragmentation = 0.15; // the same, of PyTorch's pipelines
constexpr double kGathered = 2.0; // B of a gathered weight
constexpr double kLayersAtOnce = 2.0; // FSDP: one worked on, one on its way

double bytesOfLogit(const MemoryRequest& request) {
    switch (request.loss) {
    case LossKernel::InPlace:
        return 4.0;
    case LossKernel::VocabParallel:
        return 6.0;
    case LossKernel::Separate:
        return 14.0;
    case LossKernel::SeparateParallel:
        return 22.0;
    case LossKernel::Plain:
        return request.castsWeights() ? 12.0 : 4.0 * request.widths.activation;
    }
    return 6.0;
}

class StageReckoner {
public:
    StageReckoner(const MemoryRequest& request, int stage)
        : m_request(request)
        , m_model(request.model)
        , m_layout(request.layout)
        , m_widths(request.widths)
        , m_weights(layerWeightsOf(request.model))
        , m_stage(stage)
        , m_pipeline(request.layout.grid.degrees().pipeline)
        , m_virtual(std::max(1, request.layout.virtualStages))
        , m_schedule{m_layout.schedule, m_pipeline, m_layout.microbatches.value_or(m_pipeline),
              m_virtual, {}, 0.0, m_layout.microbatchGroup}
        , m_tensor(request.layout.grid.degrees().tensor)
        , m_activations(request)
        , m_pieces(pieces()) {
        for (const LayerCounts& piece : m_pieces) {
            m_layers.dense += piece.dense;
            m_layers.expert += piece.expert;
        }
    }

    [[nodiscard]] StageNeed reckon() const {
        StageNeed need;
        need.stage = m_stage;
        addStates(need);
        const bool isInference = m_request.workload == Workload::Inference;
        need.held = isInference ? heldCaches() : heldActivations();
        if (m_layers.all() > 0.0)
            need.heldPerLayer = need.held / m_layers.all();
        const double gathered = gatheredWeights();
        if (isInference) {
            const double prompt = 1.0 - double{1} * m_request.generated / m_request.sequence;
            need.worked = prompt * m_activations.whole().largest(m_layers);
            need.buffers = fixedBuffers() + gathered;
        } else {
            addPeak(need, gathered);
        }
        if (m_request.kernels == Kernels::Library)
            need.buffers += fragmentation() * (need.activations() + need.logits + gathered);
        return need;
    }

private:
    // The loss, or the backward pass of the first layer after it.
    void addPeak(StageNeed& need, double gathered) const {
        const double atLoss = logits();
        const double worked = m_activations.redone().largest(m_layers)
            + m_activations.gradients().largest(m_layers);
        const double gradients = gatheredGradients();
        const double kept = m_request.gathering == Gathering::Step ? gradients : 0.0;
        const bool isLossLarger = takesOnlyBatch()
            ? need.held + atLoss >= need.heldPerLayer + worked + need.gradients
            : atLoss >= worked + gradients - kept;
        if (isLossLarger)
            need.logits = atLoss;
        else
            need.worked = worked;
        // With a single micro-batch, activations go as gradients come.
        if (takesOnlyBatch())
            (isLossLarger ? need.gradients : need.held) = isLossLarger ? 0.0 : need.heldPerLayer;
        need.buffers = fixedBuffers() + exchangeBuffers() + stageBuffers() + gathered
            + (isLossLarger ? kept : gradients);
        // Casts are kept for the backward pass.
        if (m_request.castsWeights() && m_request.gathering == Gathering::None)
            need.buffers += kGathered * productParameters();
    }

    [[nodiscard]] double fragmentation() const {
        const bool hasStages = m_request.gathering == Gathering::Step && m_pipeline > 1;
        return hasStages ? kStepFragmentation : kFragmentation;
    }

    // A step is one micro-batch, and its gradients are let go before the next.
    [[nodiscard]] bool takesOnlyBatch() const {
        return m_request.loss == LossKernel::Plain && m_request.workload == Workload::Training
            && m_request.gathering == Gathering::None && m_layout.microbatches.value_or(0) == 1
            && m_pipeline == 1;
    }

    // Without the table that rows are taken from.
    [[nodiscard]] double productParameters() const {
        const double head
            = isLast() ? double{1} * m_model.hidden * m_model.vocabulary / m_tensor : 0.0;
        return stageParameters() + head;
    }

    // Both ends of the model lie on both ends of DualPipe.
    [[nodiscard]] bool isFirst() const { return m_stage == 0 || (isDual() && isAtEnd()); }
    [[nodiscard]] bool isLast() const {
        return m_stage == m_layout.lossStage() || (isDual() && isAtEnd());
    }
    [[nodiscard]] bool isAtEnd() const { return m_stage == 0 || m_stage == m_pipeline - 1; }
    [[nodiscard]] bool isDual() const {
        return m_layout.schedule == layout::ScheduleKind::DualPipe && m_pipeline > 1;
    }

    // By piece of the model that the stage has.
    [[nodiscard]] std::vector<LayerCounts> pieces() const {
        std::vector<LayerCounts> out;
        const double equal = double{1} * m_model.layers / (m_pipeline * m_virtual);
        for (const int place : layout::piecesOn(m_layout, m_stage)) {
            if (m_layout.chunks.empty()) {
                out.push_back(countsOf(equal * place, equal));
                continue;
            }
            const layout::StageChunk& chunk = m_layout.chunks[static_cast<std::size_t>(place)];
            out.push_back(countsOf(chunk.firstLayer, chunk.layers));
        }
        if (isLast() && !out.empty())
            (m_model.experts > 1 ? out.back().expert : out.back().dense) += m_model.nextTokenLayers;
        return out;
    }

    [[nodiscard]] LayerCounts countsOf(double first, double layers) const {
        const double denseEnd = m_model.experts > 1 ? m_model.denseLayers : m_model.layers;
        const double dense = std::clamp(denseEnd - first, 0.0, layers);
        return {dense, layers - dense};
    }

    // Parameters of layers and tables that a GPU of the stage has, before they are sharded over its
    // replicas: those outside of experts, and in experts.
    struct Parameters {
        double shared = 0.0;
        double expert = 0.0;
    };

    // Parameters of a layer that make keys and values on this GPU beyond its share of the whole.
    [[nodiscard]] double repeatedKeys() const {
        if (m_model.hasLatentAttention())
            return 0.0;
        const double heads = keyHeadsOnGpu(m_model, m_tensor) - m_model.kvHeads / m_tensor;
        return 2.0 * m_model.hidden * m_model.headSize * heads;
    }

    [[nodiscard]] Parameters layerParameters(const LayerCounts& layers) const {
        const double common = m_weights.attention + m_weights.norms;
        const double ranks = double{1} * m_layout.grid.groupSize(CommunicatorKind::ExpertTensor)
            * m_layout.grid.groupSize(CommunicatorKind::Expert);
        const double shared = layers.dense * (common + m_weights.dense)
            + layers.expert * (common + m_weights.router + m_weights.sharedExperts);
        return {shared / m_tensor + layers.all() * repeatedKeys(),
            layers.expert * m_weights.expert * m_model.experts / ranks};
    }

    // The first and the last stage hold a table each; one that is alone holds both.
    [[nodiscard]] double tableParameters() const {
        const double tables = isFirst() && isLast() ? (m_model.tiedEmbeddings ? 1.0 : 2.0)
            : isFirst() || isLast()                 ? 1.0
                                                    : 0.0;
        return tables * m_model.hidden * m_model.vocabulary / m_tensor;
    }

    // Share of a value, replicated over `replicas` ranks, that one rank keeps from `zeroStage` on.
    [[nodiscard]] double part(int zeroStage, int replicas) const {
        if (!m_layout.sharding || m_layout.sharding->zeroStage < zeroStage)
            return 1.0;
        return 1.0 / std::max(1, std::min(m_layout.sharding->group, replicas));
    }

    // B of a weight. Nothing is multiplied along columns where no gradient is wanted.
    [[nodiscard]] double weightWidth() const {
        return m_request.workload == Workload::Inference
            ? std::min(m_widths.weight, m_widths.product)
            : m_widths.weight;
    }
    // Tables of words stay in 16 bits where products have fewer.
    [[nodiscard]] double tableWidth() const {
        const bool areNarrow
            = m_request.workload != Workload::Inference && m_widths.product < m_widths.activation;
        return areNarrow ? m_widths.activation : weightWidth();
    }

    void addParameters(StageNeed& need, double parameters, int replicas, double weight) const {
        need.weights += parameters * weight * part(3, replicas);
        if (m_request.workload == Workload::Training)
            addTraining(need, parameters, replicas);
    }

    void addTraining(StageNeed& need, double parameters, int replicas) const {
        need.gradients += parameters * m_widths.gradient * part(2, replicas);
        need.optimizer += (1.0 - m_request.offload.optimizer) * parameters * m_widths.optimizer
            * part(1, replicas);
    }

    void addAdapters(StageNeed& need, int replicas) const {
        if (m_request.workload != Workload::Lora || !m_request.adapters)
            return;
        const double parameters
            = LayerValues{adapterParametersOf(m_model, *m_request.adapters, m_tensor, false),
                adapterParametersOf(m_model, *m_request.adapters, m_tensor, true)}
                  .sum(m_layers);
        need.weights
            += parameters * std::max(m_widths.weight, m_widths.activation) * part(3, replicas);
        addTraining(need, parameters, replicas);
    }

    void addStates(StageNeed& need) const {
        const int replicas = m_layout.grid.groupSize(CommunicatorKind::DataContext);
        const int expertReplicas = m_layout.grid.groupSize(CommunicatorKind::ExpertData);
        const Parameters layers = layerParameters(m_layers);
        addParameters(need, layers.shared, replicas, weightWidth());
        addParameters(need, layers.expert, expertReplicas, weightWidth());
        addAdapters(need, replicas);
        if (m_layers.all() > 0.0)
            need.statesPerLayer = need.states() / m_layers.all();
        addParameters(need, tableParameters(), replicas, tableWidth());
    }

    [[nodiscard]] double recomputedShare() const {
        if (m_request.recompute == Recomputation::None || m_layers.all() <= 0.0)
            return 0.0;
        return m_request.recomputedLayers == 0
            ? 1.0
            : std::min(1.0, m_request.recomputedLayers / m_layers.all());
    }

    [[nodiscard]] double heldActivations() const {
        const double share = recomputedShare();
        const double onGpu = m_layers.all() > 0.0
            ? std::max(0.0, 1.0 - m_request.offload.layers / m_layers.all())
            : 0.0;
        double held = 0.0;
        for (std::size_t piece = 0; piece < m_pieces.size(); ++piece)
            held += passesOf(static_cast<int>(piece))
                * (share * m_activations.kept().sum(m_pieces[piece])
                    + (1.0 - share) * m_activations.whole().sum(m_pieces[piece]));
        return onGpu * held;
    }

    // Caches of the micro-batches that the pipeline works on at a time.
    [[nodiscard]] double heldCaches() const {
        const int microbatches = std::min(m_layout.microbatches.value_or(m_pipeline), m_pipeline);
        return microbatches * m_layers.all() * m_activations.cache();
    }

    // Micro-batches of which a piece's activations are held: groups of them go through the first
    // piece, then through the second, and so on.
    [[nodiscard]] double passesOf(int piece) const {
        const int all = passesInFlight(m_schedule, m_stage);
        if (isDual()) { // a piece is the nearer to the model's end, the fewer wait behind it
            const int ahead = std::min(m_stage, m_pipeline - 1 - m_stage);
            return std::min(piece == 0 ? m_pipeline - ahead : ahead + 1, all);
        }
        if (m_layout.schedule == layout::ScheduleKind::GPipe || m_virtual == 1)
            return double{1} * all / m_virtual;
        const int group = layout::groupOf(m_schedule);
        const int round = group * m_virtual;
        const int full = all / round * group;
        return full + std::clamp(all % round - piece * group, 0, group);
    }

    [[nodiscard]] double logits() const {
        if (!isLast())
            return 0.0;
        return bytesOfLogit(m_request) * m_activations.tokens() * m_model.vocabulary / m_tensor;
    }

    [[nodiscard]] double fixedBuffers() const {
        double kinds = 0.0;
        for (const CommunicatorKind kind : {CommunicatorKind::Tensor, CommunicatorKind::Context,
                 CommunicatorKind::Pipeline, CommunicatorKind::DataContext})
            kinds += m_layout.grid.groupSize(kind) > 1 ? 1.0 : 0.0;
        if (m_model.experts > 1 && m_layout.grid.groupSize(CommunicatorKind::Expert) > 1)
            kinds += 1.0;
        return kContext + kinds * kCommunicator;
    }

    // A micro-batch between two layers, of which a GPU has what its sequence parallelism leaves.
    [[nodiscard]] double betweenLayers() const {
        return m_widths.activation * m_activations.tokens() * m_model.hidden
            / (m_request.sequenceParallel ? m_tensor : 1.0);
    }

    [[nodiscard]] double exchangeBuffers() const {
        return m_tensor > 1.0
            ? m_request.userBuffers * m_widths.activation * m_activations.tokens() * m_model.hidden
            : 0.0;
    }

    // See "of PyTorch's pipelines".
    [[nodiscard]] double stageBuffers() const {
        if (m_request.gathering != Gathering::Step || m_pipeline == 1)
            return 0.0;
        const int inFlight = passesInFlight(m_schedule, m_stage);
        return betweenLayers() * (double{1} * m_schedule.microbatches * m_virtual + inFlight);
    }

    [[nodiscard]] double largestLayer() const {
        const auto size = [this](const LayerCounts& layers) {
            const Parameters parameters = layerParameters(layers);
            return parameters.shared + parameters.expert;
        };
        return LayerValues{size({1.0, 0.0}), size({0.0, 1.0})}.largest(m_layers);
    }

    [[nodiscard]] double stageParameters() const {
        const Parameters all = layerParameters(m_layers);
        return all.shared + all.expert;
    }

    [[nodiscard]] double gatheredWeights() const {
        const bool isLayerwise = m_request.gathering == Gathering::Layer;
        if (m_request.gathering == Gathering::None)
            return 0.0;
        const double layers = isLayerwise ? kLayersAtOnce * largestLayer() : stageParameters();
        return kGathered * (layers + tableParameters());
    }

    // Before they are reduced.
    [[nodiscard]] double gatheredGradients() const {
        constexpr int kGradientStage = 2; // ZeRO stage
        const bool areSharded = part(kGradientStage, 2) < 1.0;
        if (m_request.workload != Workload::Training)
            return 0.0;
        if (m_request.gathering == Gathering::None)
            return areSharded ? m_widths.gradient * kLayersAtOnce * largestLayer() : 0.0;
        // Those of two layers more on their way to be reduced, and of one as its products give
        // them.
        if (m_request.gathering == Gathering::Step)
            return m_widths.gradient
                * (stageParameters() + tableParameters() + kLayersAtOnce * largestLayer())
                + kGathered * largestLayer();
        const double head
            = isLast() ? double{1} * m_model.hidden * m_model.vocabulary / m_tensor : 0.0;
        return m_widths.gradient * (kLayersAtOnce * largestLayer() + head);
    }

    const MemoryRequest& m_request;
    const catalogue::TrainingModel& m_model;
    const layout::Layout& m_layout;
    const NumberWidths& m_widths;
    LayerWeights m_weights;
    int m_stage;
    int m_pipeline;
    int m_virtual;
    layout::ScheduleRequest m_schedule;
    double m_tensor;
    LayerActivations m_activations;
    std::vector<LayerCounts> m_pieces;
    LayerCounts m_layers; // layers of the stage
};

} // namespace

NumberWidths NumberWidths::asFsdp() const {
    NumberWidths widths = *this;
    widths.weight = 4.0;
    widths.gradient = 4.0;
    widths.optimizer = 8.0;
    return widths;
}

NumberWidths widthsOf(std::string_view precision) {
    const auto has = [&](std::string_view part) { return containsIgnoringCase(precision, part); };
    if (has("fp4")) {
        constexpr double fp4 = 9.0 / 16.0;
        return {2.0 + 2.0 * fp4, 4.0, 12.0, 2.0, fp4};
    }
    if (has("mxfp8")) {
        constexpr double mxfp8 = 33.0 / 32.0;
        return {2.0 * mxfp8, 4.0, 12.0, 2.0, mxfp8};
    }
    if (has("fp8") || has("float8"))
        return {2.0, 4.0, 12.0, 2.0, 1.0};
    if (has("32") && !has("16"))
        return {4.0, 4.0, 8.0, 4.0, 4.0, 4.0, 4.0};
    return {};
}

std::array<MemoryPart, 6> StageNeed::parts() const {
    return {{
        {"Weights", weights, "of the stage's layers and embeddings, divided from ZeRO 3 on"},
        {"Gradients", gradients, "of these, divided from ZeRO 2 on"},
        {"Optimizer", optimizer, "Adam's moments and weights in 32 bits, divided from ZeRO 1 on"},
        {"Activations", activations(),
            "kept for the backward passes of the micro-batches in flight (Korthikanti et al. "
            "2022)"},
        {"Logits and loss", logits, "a few bytes for each token and word of the vocabulary"},
        {"Buffers", buffers, "CUDA, NCCL, what FSDP gathers, and 2 % fragmentation (estimate)"},
    }};
}

StageNeed stageNeedOf(const MemoryRequest& request, int stage) {
    return StageReckoner(request, stage).reckon();
}

std::vector<StageNeed> stageNeedsOf(const MemoryRequest& request) {
    std::vector<StageNeed> needs;
    const int stages = request.layout.grid.degrees().pipeline;
    for (int stage = 0; stage < stages; ++stage)
        needs.push_back(stageNeedOf(request, stage));
    return needs;
}

std::optional<Recomputation> recomputationFrom(std::string_view text) {
    return fromString<Recomputation>(lowered(text));
}

StageNeed fullestOf(std::span<const StageNeed> stages) {
    return *std::max_element(stages.begin(), stages.end(),
        [](const StageNeed& a, const StageNeed& b) { return a.total() < b.total(); });
}

int passesInFlight(const layout::ScheduleRequest& pipeline, int stage) {
    const int all = pipeline.microbatches * pipeline.virtualStages;
    if (pipeline.kind == layout::ScheduleKind::ZeroBubble)
        return std::min(pipeline.stages, all);
    if (pipeline.kind == layout::ScheduleKind::DualPipe)
        return std::min(pipeline.stages + 1, all);
    return std::min(layout::warmupCount(pipeline, stage) + 1, all);
}

} // namespace trainscope::analysis
