#pragma once
// Rank arithmetic of a parallel layout, design section 5: Megatron-LM's decomposition of global
// ranks into tensor, context, expert, data and pipeline coordinates, fastest-varying dimension
// first (megatron/core/parallel_state.py, RankGenerator). Dense groups come from TP × CP × DP × PP,
// expert groups from a second decomposition of the same ranks, ETP × EP × EDP × PP. Plain values,
// thread-safe.

#include "core/model/Result.h"
#include "core/model/Run.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::layout {

enum class Dimension { Tensor, Context, Expert, Data, Pipeline };
inline constexpr std::size_t kDimensions = 5;

std::string_view toString(Dimension dimension); // "tp", "cp", "ep", "dp", "pp"

using RankOrder = std::array<Dimension, kDimensions>; // fastest first
inline constexpr RankOrder kMegatronOrder{
    Dimension::Tensor, Dimension::Context, Dimension::Expert, Dimension::Data, Dimension::Pipeline};

// "tp-cp-ep-dp-pp"; dimensions left out are appended, slowest. Usage error for unknown or repeated
// names.
Result<RankOrder> rankOrderFromString(std::string_view text);

struct Degrees {
    int tensor = 1;
    int context = 1;
    int expert = 1;
    int expertTensor = 0; // 0: as tensor
    int data = 1;
    int pipeline = 1;

    [[nodiscard]] int worldSize() const { return tensor * context * data * pipeline; }
};

// Coordinates of one rank; `expert` counts in the expert decomposition.
struct RankPosition {
    int tensor = 0;
    int context = 0;
    int expert = 0;
    int data = 0;
    int pipeline = 0;

    bool operator==(const RankPosition&) const = default;
};

class RankGrid {
public:
    // Usage error when a degree is below 1 or EP × ETP does not divide the ranks of a stage.
    static Result<RankGrid> make(const Degrees& degrees, const RankOrder& order = kMegatronOrder);
    // From what a launch configuration says, with data parallelism filling the world; NotFound when
    // it says neither tensor nor pipeline parallelism.
    static Result<RankGrid> fromLaunch(const LaunchConfig& launch, int worldSize);

    [[nodiscard]] int worldSize() const;
    [[nodiscard]] RankPosition position(int rank) const;
    // Ranks that differ in that dimension alone, one group per combination of the others,
    // ascending.
    [[nodiscard]] std::vector<std::vector<int>> groups(Dimension dimension) const;

private:
    // Sizes by dimension; a rank is a number in this mixed radix.
    struct Radix {
        std::array<int, kDimensions> size{};
        RankOrder order{};

        [[nodiscard]] std::array<int, kDimensions> digits(int rank) const;
        [[nodiscard]] int total() const;
        [[nodiscard]] std::vector<std::vector<int>> groups(Dimension dimension) const;
    };
    RankGrid(Radix dense, Radix expert);

    Radix m_dense;
    Radix m_expert;
};

} // namespace trainscope::layout
