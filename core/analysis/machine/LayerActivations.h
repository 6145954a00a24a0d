#pragma once
// Bytes that a GPU keeps of a micro-batch in one layer, and what making them again takes; the
// formulas are in MemoryNeed.h. Pure; any thread.

#include "core/analysis/machine/MemoryNeed.h"

namespace trainscope::analysis {

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
    explicit LayerActivations(const MemoryRequest& request);

    [[nodiscard]] double tokens() const { return m_tokens; } // of a micro-batch and GPU
    [[nodiscard]] LayerValues whole() const; // nothing recomputed
    [[nodiscard]] LayerValues kept() const; // of a layer that is recomputed as the request says
    [[nodiscard]] LayerValues redone() const; // of it, what its backward pass makes again
    // Gradients of the MLP's widest activations, before and behind its function, and of its input.
    [[nodiscard]] LayerValues gradients() const;
    [[nodiscard]] double cache() const; // inference: keys and values, or what they are made of

private:
    [[nodiscard]] double spread() const;
    [[nodiscard]] double residualWidth() const;
    [[nodiscard]] double queryWidth() const;
    [[nodiscard]] double keysOnGpu() const;
    [[nodiscard]] double keysAndValuesOnGpu() const;
    [[nodiscard]] double denseWidth() const;
    [[nodiscard]] double sharedWidth() const;
    [[nodiscard]] double expertWidth() const;
    [[nodiscard]] double dispatched() const;
    [[nodiscard]] double insideMlp(double width) const;
    [[nodiscard]] double attentionPerToken() const;
    [[nodiscard]] double projectedPerToken() const;
    [[nodiscard]] double mlpPerToken(double width) const;
    [[nodiscard]] double expertsPerToken() const;
    [[nodiscard]] double attentionCore() const;
    [[nodiscard]] LayerValues normsPerToken() const;
    [[nodiscard]] LayerValues selected() const;
    [[nodiscard]] LayerValues keptPerOperator() const;

    const MemoryRequest& m_request;
    const catalogue::TrainingModel& m_model;
    const NumberWidths& m_widths;
    double m_tensor;
    double m_expertTensor;
    double m_tokens;
};

} // namespace trainscope::analysis
