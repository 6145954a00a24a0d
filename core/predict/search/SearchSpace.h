#pragma once
// SearchSpace: the values that each dimension of a search takes, as Search.h states them. Pure; any
// thread.

#include "core/predict/search/Search.h"

#include <cstdint>
#include <vector>

namespace trainscope::predict {

inline constexpr int kLeastChunk = 128; // tokens, the rows of a block of flash attention

class SearchSpace {
public:
    explicit SearchSpace(const SearchRequest& request);

    [[nodiscard]] const std::vector<int>& pipelines() const { return m_pipelines; }
    [[nodiscard]] const std::vector<int>& microBatches() const { return m_microBatches; }
    // A part of the search that one thread does has TP, CP, EP and ETP. Each of the others makes
    // one dimension more of a choice: virtual stages with a schedule; sharding, those of one ZeRO
    // stage behind each other, that of all ranks first, and one where there is nothing to shard
    // over; recomputation.
    [[nodiscard]] std::vector<LayoutChoice> parts() const;
    [[nodiscard]] std::vector<LayoutChoice> flows(const LayoutChoice& choice) const;
    [[nodiscard]] std::vector<LayoutChoice> shardings(const LayoutChoice& choice) const;
    [[nodiscard]] std::vector<LayoutChoice> recomputations(const LayoutChoice& choice) const;
    // Combinations of a part with its number of stages, and with all of them.
    [[nodiscard]] std::int64_t combinations(const LayoutChoice& choice) const;
    [[nodiscard]] std::int64_t allCombinations(LayoutChoice part) const;

private:
    [[nodiscard]] int largestStage(int pipeline) const;
    [[nodiscard]] bool goesBothWays() const;
    [[nodiscard]] std::vector<int> expertTensors(int tensor) const;

    const SearchRequest& m_request;
    std::vector<int> m_tensors;
    std::vector<int> m_contexts;
    std::vector<int> m_experts;
    std::vector<int> m_pipelines;
    std::vector<int> m_microBatches;
};

} // namespace trainscope::predict
