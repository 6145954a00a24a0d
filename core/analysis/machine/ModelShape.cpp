#include "core/analysis/machine/ModelShape.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "core/text/Names.h"

#include <fmt/format.h>

namespace trainscope::analysis {

namespace {

Error unreadableAdapters(std::string_view text) {
    return usageError(fmt::format(
        "\"{}\" are no adapters: say their rank and the matrices that have one of qkv, out, up and "
        "down, as in 16:qkv+out, or 16:all.",
        text));
}

// Inputs plus outputs of a matrix on one GPU.
double widthsOfMatrix(const catalogue::TrainingModel& model, AdaptedMatrix matrix, double tensor) {
    const double queries = double{1} * model.heads * model.headSize;
    const bool hasOwnDense = model.experts > 1 && model.denseFfn > 0;
    const double inside = (hasOwnDense ? model.denseFfn : model.ffn) / tensor;
    switch (matrix) {
    case AdaptedMatrix::Qkv:
        if (!model.hasLatentAttention())
            return model.hidden + (queries + 2.0 * model.kvHeads * model.headSize) / tensor;
        return 2.0 * model.hidden + (model.queryRank > 0 ? model.queryRank : queries / tensor)
            + model.keyValueRank + model.ropeHeadSize;
    case AdaptedMatrix::Output:
        return valueWidthOf(model) / tensor + model.hidden;
    case AdaptedMatrix::MlpUp:
        return model.hidden + (model.gatedMlp ? 2.0 : 1.0) * inside;
    case AdaptedMatrix::MlpDown:
        break;
    }
    return inside + model.hidden;
}

bool isOfMlp(AdaptedMatrix matrix) {
    return matrix == AdaptedMatrix::MlpUp || matrix == AdaptedMatrix::MlpDown;
}

using catalogue::TrainingModel;

bool contradicts(const TrainingModel& model, const LaunchConfig& launch) {
    return launch.layers.value_or(model.layers) != model.layers
        || launch.hiddenSize.value_or(model.hidden) != model.hidden;
}

// Compares the facts that tell models of equal layers and hidden sizes apart; vocabularies differ
// by padding alone.
bool agreesInside(const TrainingModel& model, const LaunchConfig& launch) {
    const auto agrees
        = [](const auto& stated, auto known) { return stated.value_or(known) == known; };
    // Queries are not grouped where heads are stated and groups are not.
    const int groups = launch.kvHeads.value_or(launch.attentionHeads.value_or(model.kvHeads));
    const bool hasSuchHeads = model.hasLatentAttention()
        || (groups == model.kvHeads && agrees(launch.headSize, model.headSize));
    return hasSuchHeads && agrees(launch.attentionHeads, model.heads)
        && agrees(launch.ffnSize, model.ffn) && agrees(launch.gatedMlp, model.gatedMlp)
        && agrees(launch.experts, model.experts);
}

const TrainingModel* findByShape(
    const catalogue::ModelCatalogue& catalogue, const LaunchConfig& launch) {
    if (!launch.layers || !launch.hiddenSize)
        return nullptr;
    return catalogue.byShape(*launch.layers, *launch.hiddenSize, launch.experts.value_or(1) > 1,
        [&launch](const TrainingModel& model) { return agreesInside(model, launch); });
}

// Takes what is known, piece by piece, and keeps what is not.
class Resolver {
public:
    explicit Resolver(const LaunchConfig& launch)
        : m_launch(launch) { }

    Result<ModelShape> resolve(const catalogue::ModelCatalogue& catalogue) {
        startFrom(catalogue);
        takeSizes();
        takeExperts();
        takeFeedForward();
        m_model.gatedMlp = m_launch.gatedMlp.value_or(m_model.gatedMlp);
        m_model.tiedEmbeddings = m_launch.tiedEmbeddings.value_or(m_model.tiedEmbeddings);
        if (!m_missing.empty())
            return Error{ErrorCode::NotFound,
                "The model's " + text::joined(m_missing) + (m_missing.size() == 1 ? " is" : " are")
                    + " neither in the launch configuration nor known by the model's name.",
                m_launch.origin};
        return ModelShape{std::move(m_model), std::move(m_origin)};
    }

private:
    void startFrom(const catalogue::ModelCatalogue& catalogue) {
        const TrainingModel* known = m_launch.model ? catalogue.byName(*m_launch.model) : nullptr;
        const bool isNamed = known != nullptr;
        if (!isNamed)
            known = findByShape(catalogue, m_launch);
        if (known == nullptr) {
            m_model.name = m_launch.model.value_or("");
            m_origin = "the launch configuration";
            return;
        }
        m_model = *known;
        m_origin = m_model.name + " of the catalogue, found by its "
            + (isNamed ? "name" : "layers and hidden size");
        if (!contradicts(*known, m_launch))
            return;
        m_origin += ", with the launch configuration's own layers and hidden size";
        m_model.heads = m_model.kvHeads = m_model.headSize = m_model.ffn = 0;
    }

    void takeSizes() {
        take(m_launch.layers, m_model.layers, "number of layers");
        take(m_launch.hiddenSize, m_model.hidden, "hidden size");
        take(m_launch.vocabulary, m_model.vocabulary, "vocabulary");
        takeHeads();
    }

    void takeHeads() {
        if (m_launch.attentionHeads && *m_launch.attentionHeads != m_model.heads) {
            m_model.heads = *m_launch.attentionHeads;
            m_model.kvHeads = m_model.headSize = 0;
        }
        if (m_model.heads == 0 && m_launch.kvHeads)
            note("number of attention heads");
        m_model.heads = std::max(1, m_model.heads);
        // Configurations print a size and groups besides that latent attention does not use.
        if (m_model.hasLatentAttention() && m_model.headSize > 0)
            return;
        m_model.kvHeads = m_launch.kvHeads.value_or(m_model.kvHeads);
        if (m_model.kvHeads == 0)
            m_model.kvHeads = m_model.heads;
        m_model.headSize = m_launch.headSize.value_or(m_model.headSize);
        if (m_model.headSize == 0)
            m_model.headSize = m_model.hidden / m_model.heads;
    }

    void takeExperts() {
        m_model.experts = m_launch.experts.value_or(m_model.experts);
        if (m_model.experts <= 1) {
            m_model.expertsPerToken = 1;
            return;
        }
        m_model.expertsPerToken = m_launch.expertsPerToken.value_or(
            m_model.expertsPerToken > 1 ? m_model.expertsPerToken : 0);
        if (m_model.expertsPerToken == 0)
            note("number of experts per token");
    }

    void takeFeedForward() {
        m_model.ffn = m_launch.ffnSize.value_or(m_model.ffn);
        if (m_model.ffn > 0)
            return;
        if (m_launch.gatedMlp.value_or(m_model.gatedMlp)) {
            note("feed-forward size");
            return;
        }
        m_model.ffn = 4 * m_model.hidden;
        m_origin += "; its feed-forward size is not stated, taken as 4 × hidden";
    }

    void take(const std::optional<int>& stated, int& into, const char* what) {
        into = stated.value_or(into);
        if (into == 0)
            note(what);
    }

    void note(const std::string& what) { m_missing.push_back(what); }

    const LaunchConfig& m_launch;
    TrainingModel m_model;
    std::string m_origin;
    std::vector<std::string> m_missing;
};

// Forward FLOP per token, apart from the scores, which depend on the sequence.
struct Forward {
    double weights = 0.0; // projections, feed-forward, router, logits
    double scorePerPosition = 0.0;
};

double projectionWeights(const TrainingModel& model) {
    const double heads = model.heads;
    const double queries = heads * model.headSize;
    const double output = model.hidden * valueWidthOf(model);
    if (!model.hasLatentAttention())
        return 1.0 * model.hidden * (queries + 2.0 * model.kvHeads * model.headSize) + output;
    const double position = model.ropeHeadSize;
    const double down = model.hidden * (model.queryRank + model.keyValueRank + position);
    const double up = (model.queryRank > 0 ? model.queryRank : model.hidden) * queries
        + model.keyValueRank * (heads * (model.headSize - position) + valueWidthOf(model));
    return (model.queryRank > 0 ? down : down - model.hidden * model.queryRank) + up + output;
}

double feedForwardWeights(const TrainingModel& model, int width) {
    return (model.gatedMlp ? 3.0 : 2.0) * model.hidden * width;
}

double denseLayersOf(const TrainingModel& model) {
    return model.experts > 1 ? model.denseLayers : model.layers;
}

// Number of layers with experts.
double expertLayersOf(const TrainingModel& model) {
    return model.layers + model.nextTokenLayers - denseLayersOf(model);
}

Forward forwardOf(const TrainingModel& model) {
    const LayerWeights weights = layerWeightsOf(model);
    const double layers = model.layers + model.nextTokenLayers;
    const double active = weights.expert * model.expertsPerToken + weights.sharedExperts;
    const double mlp
        = denseLayersOf(model) * weights.dense + expertLayersOf(model) * (weights.router + active);
    const double logits = (1.0 + model.nextTokenLayers) * model.hidden * model.vocabulary;
    return {2.0 * (layers * weights.attention + mlp + logits),
        2.0 * layers * (1.0 * model.heads * model.headSize + valueWidthOf(model))};
}

// Positions that the tokens of a sample attend to, at most `limit` each: those of the prompt to all
// of it, one that is made at position i to the i before it and to itself.
double attendedWithin(double limit, double prompt, double made) {
    const double below = std::clamp(limit - prompt, 0.0, made);
    return prompt * std::min(prompt, limit) + below * prompt + below * (below + 1.0) / 2.0
        + (made - below) * limit;
}

// Mean over the layers, every second of which may look back at a window alone.
double attended(const TrainingModel& model, double prompt, double made) {
    const double all = attendedWithin(prompt + made, prompt, made);
    if (model.window <= 0)
        return all;
    const double window = std::min(double{1} * model.window, prompt + made);
    return (all + attendedWithin(window, prompt, made)) / 2.0;
}

ModelWork inferenceWork(const TrainingModel& model, int sequence, int generated) {
    const Forward forward = forwardOf(model);
    const double made = std::clamp(generated, 0, sequence - 1);
    const double positions = attended(model, sequence - made, made);
    return {forward.weights * sequence + forward.scorePerPosition * positions, double{1} * sequence,
        made > 0 ? "inference: forward pass of the prompt (prefill) and of each generated token "
                   "(decode with a cache of keys and values)"
                 : "inference: forward pass of the prompt (prefill); nothing is said of generated "
                   "tokens"};
}

} // namespace

std::string textOf(const Adapters& adapters) {
    std::string names;
    for (const AdaptedMatrix matrix : kAllAdaptedMatrices) {
        if (adapters.adapt(matrix))
            names += fmt::format("{}{}", names.empty() ? "" : "+", toString(matrix));
    }
    return fmt::format("{}:{}", adapters.rank, names);
}

Result<Adapters> adaptersFrom(std::string_view text) {
    Adapters adapters;
    const std::size_t colon = text.find(':');
    const auto rank = wholeNumber<int>(trainscope::trimmed(text.substr(0, colon)));
    if (!rank || *rank < 1)
        return unreadableAdapters(text);
    adapters.rank = *rank;
    if (colon == std::string_view::npos)
        return adapters;
    std::string_view names = trainscope::trimmed(text.substr(colon + 1));
    adapters.adapted.fill(names == "all");
    while (names != "all") {
        const std::size_t end = names.find('+');
        const auto matrix = fromString<AdaptedMatrix>(trainscope::trimmed(names.substr(0, end)));
        if (!matrix)
            return unreadableAdapters(text);
        adapters.adapted[static_cast<std::size_t>(*matrix)] = true;
        if (end == std::string_view::npos)
            break;
        names.remove_prefix(end + 1);
    }
    return adapters;
}

double adapterParametersOf(const catalogue::TrainingModel& model, const Adapters& adapters,
    double tensor, bool hasExperts) {
    double widths = 0.0;
    for (const AdaptedMatrix matrix : kAllAdaptedMatrices) {
        if (adapters.adapt(matrix) && !(hasExperts && isOfMlp(matrix)))
            widths += widthsOfMatrix(model, matrix, tensor);
    }
    return adapters.rank * widths;
}

Result<ModelShape> shapeOf(const LaunchConfig& launch, const catalogue::ModelCatalogue& catalogue) {
    return Resolver(launch).resolve(catalogue);
}

double valueWidthOf(const TrainingModel& model) {
    const int size = model.valueHeadSize > 0 ? model.valueHeadSize : model.headSize;
    return double{1} * model.heads * size;
}

bool hasExperts(const TrainingModel& model, int layer) {
    return model.experts > 1 && layer >= model.denseLayers;
}

LayerWeights layerWeightsOf(const TrainingModel& model) {
    const bool isDense = model.experts <= 1;
    const double one = feedForwardWeights(model, model.ffn);
    return {projectionWeights(model),
        isDense || model.denseFfn <= 0 ? one : feedForwardWeights(model, model.denseFfn), one,
        one * model.sharedExperts, isDense ? 0.0 : double{1} * model.hidden * model.experts,
        2.0 * model.hidden};
}

double keyHeadsOnGpu(const TrainingModel& model, double tensor) {
    return std::max(1.0, model.kvHeads / tensor);
}

ModelParameters parametersOf(const TrainingModel& model) {
    const LayerWeights weights = layerWeightsOf(model);
    const double layers = model.layers + model.nextTokenLayers;
    const double experts = expertLayersOf(model);
    const double common = layers * (weights.attention + weights.norms)
        + denseLayersOf(model) * weights.dense + experts * (weights.router + weights.sharedExperts)
        + model.hidden + (model.tiedEmbeddings ? 1.0 : 2.0) * model.hidden * model.vocabulary;
    const double each = experts * weights.expert;
    return {common + each * model.experts, common + each * model.expertsPerToken};
}

ModelWork workOf(const TrainingModel& model, Workload workload, int sequence, int generated) {
    if (workload == Workload::Inference)
        return inferenceWork(model, sequence, generated);
    const Forward forward = forwardOf(model);
    const double tokens = sequence;
    const double scores = forward.scorePerPosition * attended(model, tokens, 0.0) / tokens;
    if (workload == Workload::Lora)
        return {tokens * (2.0 * forward.weights + 3.0 * scores), tokens,
            "LoRA: 2 × forward of the frozen weights + 3 × forward of the attention scores, "
            "without the adapters; causal attention not halved, recomputation not counted"};
    return {3.0 * tokens * (forward.weights + scores), tokens,
        "training: 3 × forward (Narayanan et al. 2021, eq. 3 without recomputation, with grouped "
        "queries, gated feed-forward and active experts); causal attention not halved"};
}

layout::TrafficModel trafficModelOf(const catalogue::TrainingModel& model, int sequence,
    int microBatch, std::optional<bool> sequenceParallel) {
    layout::TrafficModel traffic;
    traffic.hidden = model.hidden;
    traffic.keyWidth = double{1} * model.kvHeads * model.headSize;
    traffic.keyHeads = model.kvHeads;
    traffic.sequence = sequence;
    traffic.microBatch = microBatch;
    const LayerWeights weights = layerWeightsOf(model);
    traffic.attentionParameters = weights.attention + weights.norms;
    traffic.mlpParameters = weights.expert;
    traffic.besideExperts = weights.router + weights.sharedExperts;
    traffic.hasSharedExperts = model.sharedExperts > 0;
    traffic.denseLayers = model.denseLayers;
    traffic.denseMlpParameters = weights.dense;
    traffic.nextTokenLayers = model.nextTokenLayers;
    traffic.embeddingParameters = double{1} * model.hidden * model.vocabulary;
    traffic.tiedEmbeddings = model.tiedEmbeddings;
    traffic.experts = model.experts;
    traffic.expertsPerToken = model.expertsPerToken;
    traffic.sequenceParallel = sequenceParallel.value_or(true);
    return traffic;
}

Result<layout::TrafficModel> trafficModelOf(
    const LaunchConfig& launch, const catalogue::ModelCatalogue& catalogue) {
    ASSIGN_OR_RETURN(const auto shape, shapeOf(launch, catalogue));
    if (!launch.sequenceLength || !launch.microBatch)
        return Error{ErrorCode::NotFound,
            "What the groups exchange needs the sequence length and the micro-batch, which the "
            "launch configuration does not say.",
            launch.origin};
    return trafficModelOf(
        shape.model, *launch.sequenceLength, *launch.microBatch, launch.sequenceParallel);
}

} // namespace trainscope::analysis
