#pragma once
// SearchSpace: the values that each dimension of a search takes, as Search.h states them. Pure; any
// thread.

#include "core/predict/search/Search.h"

#include <cstdint>
#include <vector>

namespace trainscope::predict {

inline constexpr int kLeastChunk = 128; // tokens, the rows of a block of flash attention

struct RecomputeChoice {
    Recompute mode = Recompute::None;
    int layers = 0; // of each stage; 0: all

    bool operator==(const RecomputeChoice&) const = default;
};

// The dimensions whose choice makes a part of the search that one thread does.
struct SearchPart {
    int tensor = 1;
    int context = 1;
    int expert = 1;
    int zeroStage = 1;
};

class SearchSpace {
public:
    explicit SearchSpace(const SearchRequest& request);

    [[nodiscard]] const std::vector<int>& tensors() const { return m_tensors; }
    [[nodiscard]] const std::vector<int>& contexts() const { return m_contexts; }
    [[nodiscard]] const std::vector<int>& experts() const { return m_experts; }
    [[nodiscard]] const std::vector<int>& pipelines() const { return m_pipelines; }
    [[nodiscard]] const std::vector<int>& zeroStages() const { return m_zeroStages; }
    [[nodiscard]] const std::vector<int>& microBatches() const { return m_microBatches; }
    [[nodiscard]] std::vector<int> virtualStages(int pipeline) const;
    [[nodiscard]] std::vector<RecomputeChoice> recomputations(int pipeline, int zeroStage) const;

    [[nodiscard]] std::vector<SearchPart> parts() const;
    // The same as with a lower ZeRO stage: there is nothing to shard over.
    [[nodiscard]] bool isRepeated(const SearchPart& part, int pipeline) const;
    // Combinations of a part, and of it with one number of stages.
    [[nodiscard]] std::int64_t combinations(const SearchPart& part) const;
    [[nodiscard]] std::int64_t combinations(const SearchPart& part, int pipeline) const;

private:
    [[nodiscard]] int largestStage(int pipeline) const;

    const SearchRequest& m_request;
    std::vector<int> m_tensors;
    std::vector<int> m_contexts;
    std::vector<int> m_experts;
    std::vector<int> m_pipelines;
    std::vector<int> m_zeroStages;
    std::vector<int> m_microBatches;
};

} // namespace trainscope::predict
