#include "core/analysis/machine/ModelShape.h"

#include <algorithm>

namespace trainscope::analysis {

namespace {

using catalogue::TrainingModel;

bool contradicts(const TrainingModel& model, const LaunchConfig& launch) {
    return launch.layers.value_or(model.layers) != model.layers
        || launch.hiddenSize.value_or(model.hidden) != model.hidden;
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
                "The model's " + m_missing
                    + " is neither in the launch configuration nor known by the model's name.",
                m_launch.origin};
        return ModelShape{std::move(m_model), std::move(m_origin)};
    }

private:
    void startFrom(const catalogue::ModelCatalogue& catalogue) {
        const TrainingModel* known = m_launch.model ? catalogue.byName(*m_launch.model) : nullptr;
        const bool isNamed = known != nullptr;
        if (known == nullptr && m_launch.layers && m_launch.hiddenSize)
            known = catalogue.byShape(
                *m_launch.layers, *m_launch.hiddenSize, m_launch.experts.value_or(1) > 1);
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

    void note(const std::string& what) { m_missing += (m_missing.empty() ? "" : ", ") + what; }

    const LaunchConfig& m_launch;
    TrainingModel m_model;
    std::string m_origin;
    std::string m_missing;
};

} // namespace

Result<ModelShape> shapeOf(const LaunchConfig& launch, const catalogue::ModelCatalogue& catalogue) {
    return Resolver(launch).resolve(catalogue);
}

} // namespace trainscope::analysis
