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

struct FlowChoice {
    int virtualStages = 1;
    layout::ScheduleKind schedule = layout::ScheduleKind::OneForwardOneBackward;
};

struct ShardChoice {
    int zeroStage = 1;
    int group = 0; // ranks of a shard group; 0: all
};

// The dimensions whose choice makes a part of the search that one thread does.
struct SearchPart {
    int tensor = 1;
    int context = 1;
    int expert = 1;
    int expertTensor = 0; // 0: no experts
};

class SearchSpace {
public:
    explicit SearchSpace(const SearchRequest& request);

    [[nodiscard]] const std::vector<int>& pipelines() const { return m_pipelines; }
    [[nodiscard]] const std::vector<int>& microBatches() const { return m_microBatches; }
    [[nodiscard]] std::vector<FlowChoice> flows(int pipeline) const;
    // Those of one ZeRO stage behind each other, that of all ranks first. One where there is
    // nothing to shard over.
    [[nodiscard]] std::vector<ShardChoice> shardings(const SearchPart& part, int pipeline) const;
    [[nodiscard]] std::vector<RecomputeChoice> recomputations(int pipeline, int zeroStage) const;

    [[nodiscard]] std::vector<SearchPart> parts() const;
    // Combinations of a part, and of it with one number of stages.
    [[nodiscard]] std::int64_t combinations(const SearchPart& part) const;
    [[nodiscard]] std::int64_t combinations(const SearchPart& part, int pipeline) const;

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
